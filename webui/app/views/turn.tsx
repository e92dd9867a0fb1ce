/** One turn of the thread: the request, the rail with its steps, the answer, and what can be done with it. */
import { memo } from 'preact/compat';
import { duration, t } from '../i18n/index.ts';
import { isPending } from '../model/approvals.ts';
import { countSteps, groupSteps, isLive, isSettled, rowsOf, type Group, type Row } from '../model/turns.ts';
import type { Part, Turn } from '../model/types.ts';
import { Boundary } from '../parts/boundary.tsx';
import { BudgetCard } from '../parts/budget-card.tsx';
import { DecidedBudget } from '../parts/decided.tsx';
import { Notice, Shortened, UnknownPart } from '../parts/notice.tsx';
import { ProviderToolRow } from '../parts/provider-tool-row.tsx';
import { Prose } from '../parts/prose.tsx';
import { Reasoning } from '../parts/reasoning.tsx';
import { Step } from '../parts/step.tsx';
import { ToolRow } from '../parts/tool-row.tsx';
import { subscribeTurn, type OpenSession } from '../state/open-session.ts';
import type { Entry } from '../wire/outbox.ts';
import { endNote, Failure } from './failure.tsx';
import { Request, Steered } from './request.tsx';
import { TurnActions } from './turn-actions.tsx';

/** A finished turn that came with the page folds its steps from this number on; one that the reader watched stays as it was. */
const FOLD_FROM = 4;
/** Turns that were seen live in this page. */
const watched = new Set<string>();

interface Props { session: OpenSession | null; turn?: Turn; entry?: Entry; last: boolean }

/** The same component draws a message that waits in the outbox and the turn it becomes, so that its row stays in place. */
export const TurnItem = memo(function TurnItem({ session, turn, entry, last }: Props) {
  if (session && turn) subscribeTurn(session, turn);
  const busy = turn !== undefined && !isSettled(turn);
  return (
    <div class={busy ? 'turn-item busy' : 'turn-item'} data-turn={turn?.id}>
      {turn ? turn.user && <Request turn={turn} /> : entry && <Request entry={entry} />}
      {turn && (turn.parts.length > 0 || isLive(turn) || isSettled(turn)) && <Work turn={turn} busy={busy} last={last} />}
    </div>
  );
});

function Work({ turn, busy, last }: { turn: Turn; busy: boolean; last: boolean }) {
  if (busy) watched.add(turn.id);
  const rows = rowsOf(turn.parts);
  const groups: Group[] = groupSteps(rows, watched.has(turn.id) ? Infinity : FOLD_FROM);
  const steps = countSteps(rows).steps;
  return (
    <article class="turn" aria-label={t.thread.turnName(steps, t.thread.states[turn.state] ?? turn.state)} aria-busy={busy}>
      <h2 class="visually-hidden">{t.agent}</h2>
      {groups.map((group) => (group.kind === 'part'
        ? <PartView key={group.part.stream_id} turn={turn} part={group.part} />
        : <StepGroup key={group.parts[0]!.stream_id} turn={turn} parts={group.parts} />))}
      {isLive(turn) && waiting(turn) && <div class="step live"><div class="line quiet">{turn.parts.length === 0 ? t.thread.preparing : t.thread.states.running}…</div></div>}
      {!busy && <Failure turn={turn} last={last} />}
      {!busy && <TurnActions turn={turn} retried={last && endNote(turn)?.retry === true} />}
    </article>
  );
}

/** Between two steps nothing is open; the rail still has to show that work goes on. */
function waiting(turn: Turn): boolean {
  const part = turn.parts.at(-1);
  if (turn.state === 'awaiting_approval') return false;
  if (!part) return true;
  if (part.kind === 'tool') return part.status !== 'running' && part.status !== 'waiting';
  if (part.kind === 'approval') return !isPending(part.approval);
  if (part.kind === 'provider_tool') return part.phase === 'done' || part.phase === 'error';
  if (part.kind === 'notice' && part.code === 'retry_wait') return false; // the line counts down itself
  return !('open' in part) || !part.open;
}

/** Nothing but messages of the reader came after it. */
const isLast = (turn: Turn, part: Part): boolean => turn.parts.slice(turn.parts.indexOf(part) + 1).every((p) => p.kind === 'steer');

function PartView({ turn, part }: { turn: Turn; part: Row }) {
  return <Boundary raw={'text' in part ? part.text : part.kind}><PartBody turn={turn} part={part} /></Boundary>;
}

function PartBody({ turn, part }: { turn: Turn; part: Row }) {
  const id = `${turn.id}/${part.stream_id}`;
  switch (part.kind) {
    case 'reasoning': return <Reasoning part={part} open={part.open} id={id} />;
    case 'text': return part.text === '' && !part.open ? null : <Prose part={part} open={part.open} />;
    case 'tool': return <ToolRow part={part} status={part.status} approval={part.approval} id={id} />;
    case 'approval': return isPending(part.approval) && isLive(turn) ? <div class="step wait" data-step={id}><BudgetCard approval={part.approval} /></div> : <DecidedBudget approval={part.approval} id={id} />;
    case 'provider_tool': return <ProviderToolRow part={part} phase={part.phase} text={part.text} id={id} />;
    case 'notice': return <Notice part={part} id={id} last={isLast(turn, part)} endedAt={isLive(turn) ? undefined : turn.ended_at ?? 0} />;
    case 'shortened': return <Shortened row={part} id={id} />;
    case 'steer': return <Steered part={part} />;
    default: return <UnknownPart id={id} kind={(part as { kind: string }).kind} />;
  }
}

function StepGroup({ turn, parts }: { turn: Turn; parts: Row[] }) {
  const counts = countSteps(parts);
  const time = counts.durationMs > 0 ? duration(counts.durationMs) : '';
  return (
    <Step
      id={`${turn.id}/group/${parts[0]!.stream_id}`} mark={counts.failed ? 'bad' : 'ok'} state=""
      summary={<b class="group-line">{t.thread.stepsLine(counts.steps, time, counts.failed)}</b>}
      body={() => <div class="group">{parts.map((part) => <PartView key={part.stream_id} turn={turn} part={part} />)}</div>}
    />
  );
}
