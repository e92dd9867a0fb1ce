/** What was decided about a question, by whom and when: the line that its card becomes. */
import { clock, fullTime, t } from '../i18n/index.ts';
import { budgetOf } from '../model/approvals.ts';
import type { Approval } from '../model/types.ts';
import { answers } from '../state/approvals.ts';
import { usedWords } from './budget-card.tsx';
import { Step } from './step.tsx';

/** Below the row of its call. */
export function Decided({ approval }: { approval: Approval }) {
  if (approval.decision === undefined) return null;
  const late = answers.value.get(approval.approval_id);
  return <div class="decided">
    <DecidedWords approval={approval} />
    {late?.state === 'late' && <p class="delivery failed">{t.approval.late(late.detail)}</p>}
  </div>;
}

function DecidedWords({ approval }: { approval: Approval }) {
  const { decision, by, decided_at, decided_reason } = approval;
  if (decision === undefined) return null;
  const mine = answers.value.get(approval.approval_id)?.state === 'taken';
  const who = mine ? t.approval.you : by ? t.approval.actors[by] ?? by : '';
  const what = approval.kind === 'budget' ? t.budget.decided[decision] : t.approval.decided[decision];
  return <p>
    {t.approval.decidedLine(what, decision === 'expired' || decision === 'cancelled' ? '' : who)}
    {decided_at !== undefined && <> · <time dateTime={new Date(decided_at).toISOString()} title={fullTime(decided_at)}>{clock(decided_at)}</time></>}
    {decided_reason && decision === 'deny' && <> — <q dir="auto">{decided_reason}</q></>}
  </p>;
}

/** A question about the budget has no call; it stands on the rail by itself. */
export function DecidedBudget({ approval, id }: { approval: Approval; id: string }) {
  const ask = budgetOf(approval);
  const allowed = approval.decision?.startsWith('allow') === true;
  return <>
    <Step
      id={id} mark={allowed ? 'ok' : approval.decision === undefined ? 'off' : 'bad'} state=""
      summary={<span class="notice-text"><b>{ask ? t.budget.titles[ask.key] : t.budget.title}</b> {ask && usedWords(ask)}</span>}
    />
    <Decided approval={approval} />
  </>;
}
