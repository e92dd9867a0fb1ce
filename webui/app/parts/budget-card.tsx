/** A turn has used its budget: how much of how much, how much more it may use, or the end of the turn. */
import { useId } from 'preact/hooks';
import { count, money, t } from '../i18n/index.ts';
import { budgetOf } from '../model/approvals.ts';
import { amountOf, typedAmount, type BudgetUnit } from '../model/budget.ts';
import { writeTime } from '../model/time.ts';
import type { Approval, BudgetAsk, Decision } from '../model/types.ts';
import { answers, change, drafts, NOTHING, type Body } from '../state/approvals.ts';
import { ApprovalFrame, KeyHint } from './approval-frame.tsx';
import { FieldWords } from './field.tsx';

/** Which keys a phone shows for an amount; a time has letters. */
export const INPUT_MODES = { usd: 'decimal', tokens: 'numeric', seconds: 'text' } as const satisfies Record<BudgetUnit, string>;

/** How much of a limit is used; tokens are said once. */
export const usedWords = (ask: BudgetAsk): string => t.budget.used(ask.unit === 'tokens' ? count(ask.used) : amount(ask.used, ask.unit), amount(ask.limit, ask.unit));

function amount(n: number, unit: BudgetUnit): string {
  switch (unit) {
    case 'usd': return money(n);
    case 'tokens': return t.budget.tokens(count(n));
    case 'seconds': return timeWords(n);
  }
}

/** Whole seconds are enough, but where there are only a few of them a tenth tells more. */
const timeWords = (seconds: number): string => (seconds < 9.95 ? `${Math.round(seconds * 10) / 10} s` : writeTime(Math.round(seconds)));

export function BudgetCard({ approval }: { approval: Approval }) {
  const id = approval.approval_id;
  const field = useId();
  const ask = budgetOf(approval);
  const answer = answers.value.get(id);
  const busy = answer?.state === 'sending';
  const b = t.budget;
  const offered = ask ? typedAmount(ask.more, ask.unit) : '';
  const typed = (drafts.value.get(id) ?? NOTHING).more ?? offered;
  const more = ask ? amountOf(typed, ask.unit) : NaN;
  const problem = ask && Number.isNaN(more) ? b.problems[ask.unit] : answer?.path === 'arguments' ? answer.detail : undefined;

  const bodyOf = (decision: Decision): Body | null => {
    if (decision === 'deny') return { decision };
    if (!ask) return { decision };
    const text = drafts.peek().get(id)?.more ?? offered;
    const n = amountOf(text, ask.unit);
    if (Number.isNaN(n)) { document.getElementById(field)?.focus(); return null; }
    return { decision, arguments: { more: n } };
  };
  return (
    <ApprovalFrame approval={approval} title={ask ? b.titles[ask.key] : b.title} bodyOf={bodyOf}>
      {(decide) => <>
        {ask && <Used ask={ask} />}
        {ask && <div class="field more">
          <label for={field}>{b.more}</label>
          <div class="field-line">
            {ask.unit === 'usd' && <span aria-hidden="true">$</span>}
            <input
              id={field} value={typed} inputMode={INPUT_MODES[ask.unit]} autocomplete="off" aria-invalid={problem ? true : undefined} aria-describedby={problem ? `${field}-problem` : undefined}
              onInput={(e) => change(id, { more: e.currentTarget.value })} onKeyDown={(e) => { if (e.key === 'Enter' && !e.altKey && !e.isComposing) { e.preventDefault(); decide('allow_once'); } }}
            />
            <span class="quiet">{b.units[ask.unit]}</span>
          </div>
          <FieldWords id={field} problem={problem} />
        </div>}
        <div class="row answers">
          <button type="button" class="go" aria-disabled={busy} aria-keyshortcuts="Alt+Enter" onClick={() => decide('allow_once')}>{ask && !Number.isNaN(more) ? b.allow(amount(more, ask.unit)) : b.more}<KeyHint keys="Alt Enter" /></button>
          <button type="button" class="line" aria-disabled={busy} aria-keyshortcuts="Alt+Backspace" onClick={() => decide('deny')}>{b.stop}<KeyHint keys="Alt Backspace" /></button>
        </div>
      </>}
    </ApprovalFrame>
  );
}

function Used({ ask }: { ask: BudgetAsk }) {
  const part = ask.limit > 0 ? Math.min(1, ask.used / ask.limit) : 1;
  const words = usedWords(ask);
  return (
    <p class="used">
      <span class="bar" role="meter" aria-label={t.budget.label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(part * 100)} aria-valuetext={words}><i ref={(n) => { n?.style.setProperty('width', `${part * 100}%`); }} /></span>
      <span class="tabular">{words}</span>
    </p>
  );
}
