/** Answers to questions: what is typed beside them, what is on its way to the server, and which one the keys are about. */
import { signal } from '@preact/signals';
import { t } from '../i18n/index.ts';
import type { Approval, Decision } from '../model/types.ts';
import { api, ApiError } from '../wire/api.ts';
import { announce } from './announce.ts';
import { describe, open } from './app.ts';

export interface Answer {
  decision: Decision;
  /** `silent`: sent, but nothing came back for a while. `late`: somebody else was faster. */
  state: 'sending' | 'silent' | 'failed' | 'late' | 'taken';
  detail: string;
  /** The place in the answer that is wrong. */
  path: string;
}
export const answers = signal<ReadonlyMap<string, Answer>>(new Map());

/** What was typed beside a question. It stays when the view is drawn anew, and when the reader looks at another session. */
export interface Draft { note: string | null; arguments: string | null; more: string | null }
export const NOTHING: Draft = { note: null, arguments: null, more: null };
export const drafts = signal<ReadonlyMap<string, Draft>>(new Map());

export function change(id: string, fields: Partial<Draft>): void {
  drafts.value = new Map(drafts.peek()).set(id, { ...NOTHING, ...drafts.peek().get(id), ...fields });
}

const SILENT_MS = 5000;
const asked = new Map<string, AbortController>();

function note(id: string, answer: Answer): void {
  if (answer.state === 'sending') quietUntil = performance.now() + HANDOVER_MS;
  answers.value = new Map(answers.peek()).set(id, answer);
  rearm();
}

export interface Body { decision: Decision; arguments?: Record<string, unknown>; reason?: string }

/** Sends an answer. A second one for the same question takes the place of the first, if that is not through yet. */
export async function answer(id: string, body: Body): Promise<void> {
  const mine = new AbortController();
  asked.get(id)?.abort();
  asked.set(id, mine);
  const now = (state: Answer['state'], detail = '', path = '') => { if (asked.get(id) === mine) note(id, { decision: body.decision, state, detail, path }); };
  now('sending');
  const patience = setTimeout(() => now('silent'), SILENT_MS);
  const session = open.peek();
  try {
    const approval: Approval | undefined = await api.approve(id, body, mine.signal);
    now('taken');
    if (approval) session?.adoptApproval(approval);
  } catch (error) {
    if (mine.signal.aborted) return;
    const { detail, offline, code } = describe(error);
    const closed = error instanceof ApiError && (error.status === 409 || error.status === 404);
    if (closed) {
      // The card gives way to the line that says who was faster, so the reason is said aloud as well.
      announce(t.approval.late(detail || code));
      now('late', detail || code);
      void session?.feed.read();
    } else now('failed', offline ? t.approval.offline : detail || code, error instanceof ApiError ? error.path : '');
  } finally { clearTimeout(patience); }
}

/* Keys */

/** A question on the screen, and how to answer it with what is typed there. */
export interface OnScreen { node: HTMLElement; decide(decision: Decision): void }
const inView = new Map<string, OnScreen>();
/** The question that Alt Enter and Alt Backspace answer. */
export const armed = signal<string | null>(null);

/** After an answer the keys rest, so that a press too many does not answer the next question. */
const HANDOVER_MS = 500;
let quietUntil = 0;
let handover: ReturnType<typeof setTimeout> | undefined;
/** A question that can be read is on the screen. */
export const anyInView = signal(false);

/** The keys are about the topmost question in view that still waits. */
function rearm(): void {
  clearTimeout(handover);
  const waiting = [...inView].filter(([id]) => { const state = answers.peek().get(id)?.state; return state !== 'sending' && state !== 'taken'; });
  waiting.sort(([, a], [, b]) => (a.node.compareDocumentPosition(b.node) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  const rest = quietUntil - performance.now();
  anyInView.value = inView.size > 0;
  armed.value = rest > 0 ? null : waiting[0]?.[0] ?? null;
  if (rest > 0) handover = setTimeout(rearm, rest);
}

/** A question has been in view long enough to be read. */
export function arm(id: string, shown: OnScreen): void { inView.set(id, shown); rearm(); }
export function disarm(id: string): void { if (inView.delete(id)) rearm(); }

/** False when no question has been in view long enough. */
export function decideByKey(decision: Decision): boolean {
  const shown = armed.peek() === null ? undefined : inView.get(armed.peek()!);
  shown?.decide(decision);
  return shown !== undefined;
}
