/** Questions that views ask about turns: is it live, what is queued, how are its steps grouped and counted. */
import type { NoticePart, Part, SessionState, TextPart, Turn, TurnState } from './types.ts';

export const LIVE: ReadonlySet<TurnState> = new Set(['running', 'awaiting_approval', 'parked']);

export const isLive = (turn: Turn): boolean => LIVE.has(turn.state);
export const isSettled = (turn: Turn): boolean => !isLive(turn) && turn.state !== 'queued';
export const isBusy = (state: SessionState): boolean => state !== 'idle';

/** Turns that wait behind a running one. A queued turn that nothing holds up is about to start and belongs to the thread. */
export function queuedTurns(turns: Turn[]): Turn[] {
  return turns.some(isLive) ? turns.filter((t) => t.state === 'queued') : [];
}

export function threadTurns(turns: Turn[]): Turn[] {
  const queued = new Set(queuedTurns(turns));
  return turns.filter((t) => !queued.has(t));
}

/** The key of a turn's row: the same while it waits in the outbox and after the server has it. */
export const keyOf = (turn: Turn): string => turn.user?.client_message_id ?? turn.id;

/** What the reader calls the answer: the text after the last step. */
export function answerText(turn: Turn): string {
  return turn.parts.findLast((p): p is TextPart => p.kind === 'text')?.text ?? '';
}

const TITLE_CHARS = 60;

/** The first line of a request, cut between words. */
export function firstWords(text: string): string {
  const line = text.split('\n').find((l) => l.trim() !== '')?.replace(/\s+/g, ' ').trim() ?? '';
  const letters = [...line];
  if (letters.length <= TITLE_CHARS) return line;
  const cut = letters.slice(0, TITLE_CHARS).join('');
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 0)) || cut}…`;
}

/** The notices after a turn's first that its request was shortened, in one row. */
export interface ShortenedRow { stream_id: string; kind: 'shortened'; notices: NoticePart[]; times: number }
export type Row = Part | ShortenedRow;

/** A long turn shortens each of its requests: the first notice of it stays, the others join at the place of the last one. */
export function rowsOf(parts: Part[]): Row[] {
  const notices = parts.filter((p): p is NoticePart => p.kind === 'notice' && p.code === 'context_governed');
  const [, ...others] = notices;
  if (others.length < 2) return parts;
  const joined: ReadonlySet<Part> = new Set(others);
  return parts.flatMap((part): Row[] => {
    if (!joined.has(part)) return [part];
    return part === others.at(-1) ? [{ stream_id: others[0]!.stream_id, kind: 'shortened', notices: others, times: notices.length }] : [];
  });
}

export type Group = { kind: 'part'; part: Row } | { kind: 'steps'; parts: Row[] };

/** Notices that tell why a turn ended, named as its stop reason is. */
const ENDS: ReadonlySet<string> = new Set(['budget', 'loop']);

/** A notice in the turn tells its end already. */
export const toldByNotice = (turn: Turn): boolean => !turn.error && ENDS.has(turn.stop_reason ?? '') && turn.parts.some((p) => p.kind === 'notice' && p.code === turn.stop_reason);

/** Who answers in the place of whom, and why a turn ended, is said in the open, never inside a fold. */
const isStep = (part: Row): boolean => part.kind === 'reasoning' || part.kind === 'shortened' || part.kind === 'tool' || part.kind === 'provider_tool' || (part.kind === 'notice' && part.code !== 'model_switched' && !ENDS.has(part.code));

/** Folds runs of at least `least` steps into one line. */
export function groupSteps(parts: Row[], least: number): Group[] {
  const out: Group[] = [];
  let run: Row[] = [];
  const flush = () => {
    if (run.length >= least) out.push({ kind: 'steps', parts: run });
    else for (const part of run) out.push({ kind: 'part', part });
    run = [];
  };
  for (const part of parts) {
    if (isStep(part)) run.push(part);
    else { flush(); out.push({ kind: 'part', part }); }
  }
  flush();
  return out;
}

export interface StepCounts { steps: number; durationMs: number; failed: number }

export function countSteps(parts: Row[]): StepCounts {
  const counts: StepCounts = { steps: 0, durationMs: 0, failed: 0 };
  for (const p of parts) {
    if (!isStep(p)) continue;
    counts.steps++;
    if ('duration_ms' in p) counts.durationMs += p.duration_ms ?? 0;
    if (p.kind === 'tool' && (p.status === 'error' || p.status === 'denied')) counts.failed++;
    if (p.kind === 'provider_tool' && p.phase === 'error') counts.failed++;
  }
  return counts;
}

export interface Context { used: number; window: number | null }

/** How full the model's window was at the last request. */
export function contextOf(turns: Turn[]): Context | null {
  const used = (t: Turn): number => t.context_tokens ?? t.usage?.context_tokens ?? 0;
  const last = turns.findLast((t) => used(t) > 0);
  return last ? { used: used(last), window: (last.context_window_tokens ?? last.usage?.context_window_tokens) || null } : null;
}

export function withoutDuplicates(older: Turn[], have: Turn[]): Turn[] {
  const ids = new Set(have.map((t) => t.id));
  return older.filter((t) => !ids.has(t.id));
}
