/**
 * What the page knows about one session, as a fold over the server's numbered events.
 * Pure: no DOM, no clock, no socket. Live frames, replays and pages of old turns end in the same structure.
 */
import { LIVE } from './turns.ts';
import type { Access, Approval, ApprovalPart, ModelSwitch, Part, ProviderToolPart, RetryWait, SessionEvent, SessionState, TextPart, ToolPart, Turn } from './types.ts';

export interface SessionView {
  /** Number of the last event applied. */
  seq: number;
  turns: Turn[];
  state: SessionState;
  title: string;
  preset: string | null;
  pinned: boolean;
  access: Access | null;
}

export const emptyView = (): SessionView => ({ seq: 0, turns: [], state: 'idle', title: '', preset: null, pinned: false, access: null });

/** What an event did, so that a view redraws that and nothing else. */
export type Change =
  | { outcome: 'stale' }
  | { outcome: 'gap' }
  | {
    outcome: 'applied';
    turn?: Turn;
    /** Set when only the text of this part grew. */
    grown?: Part;
    /** A turn came, went or changed its place. */
    list?: true;
    /** Title, state or another field of the session itself. */
    meta?: true;
    /** The view cannot follow by events alone: read the turns again. */
    reread?: 'branch' | 'unknown_turn' | 'left_queue' | 'text_differs';
    /** A message that this page sent is stored. */
    client_message_id?: string;
  };

/** Characters of tool output that are kept in the page. */
const OUTPUT_LIMIT = 65_536;

export function apply(view: SessionView, event: SessionEvent): Change {
  if (event.seq <= view.seq) return { outcome: 'stale' };
  if (event.prev_seq !== view.seq) return { outcome: 'gap' };
  view.seq = event.seq;
  if (event.event === 'session_updated') return { outcome: 'applied', ...updateSession(view, event) };
  const id = event.turn_id;
  if (id === undefined) return { outcome: 'applied' };
  const known = view.turns.find((t) => t.id === id);
  const turn = known ?? newTurn(id);
  if (!known) view.turns.push(turn);
  return { outcome: 'applied', turn, ...(!known && { list: true as const }), ...fold(view, turn, event) };
}

type Effect = Partial<Omit<Extract<Change, { outcome: 'applied' }>, 'outcome'>>;

function newTurn(id: string): Turn {
  return { id, origin: 'user', state: 'queued', parts: [] };
}

function updateSession(view: SessionView, e: Extract<SessionEvent, { event: 'session_updated' }>): Effect {
  if (e.title !== undefined) view.title = e.title;
  if (e.preset !== undefined) view.preset = e.preset;
  if (e.state !== undefined) view.state = e.state;
  if (e.pinned !== undefined) view.pinned = e.pinned;
  if (e.access !== undefined) view.access = e.access || null;
  const turn = liveTurn(view, e.turn_id);
  if (turn && e.state !== undefined && e.state !== 'idle') turn.state = e.state;
  return { meta: true, ...(turn && { turn }) };
}

/** The turn that the state of the session is about. */
const liveTurn = (view: SessionView, id: string | undefined): Turn | undefined => view.turns.find((t) => LIVE.has(t.state) && (id === undefined || t.id === id));

function fold(view: SessionView, turn: Turn, e: Exclude<SessionEvent, { event: 'session_updated' }>): Effect {
  switch (e.event) {
    case 'user_message': return userMessage(view, turn, e);
    case 'turn_started': {
      // A message that waited gets its parent only when its turn starts.
      const strange = e.origin === 'user' && turn.user === undefined;
      const waited = turn.queue_position !== undefined;
      Object.assign(turn, { origin: e.origin, preset: e.preset, model: e.model, state: 'running', started_at: e.at });
      delete turn.queue_position;
      view.state = 'running';
      return { list: true, meta: true, ...((strange || waited) && { reread: strange ? 'unknown_turn' as const : 'left_queue' as const }) };
    }
    case 'turn_resumed': turn.resumed = e.attempt; turn.state = 'running'; return { meta: true };
    case 'iteration_started': turn.state = 'running'; return {};
    case 'reasoning_delta': return grow(turn, 'reasoning', e.stream_id, e.text);
    case 'delta': return grow(turn, 'text', e.stream_id, e.text);
    case 'reasoning_end': return close(turn, 'reasoning', e.stream_id, e.chars, e.duration_ms);
    case 'stream_end': return close(turn, 'text', e.stream_id, e.chars);
    case 'stream_discarded': turn.parts = turn.parts.filter((p) => p.stream_id !== e.stream_id && !belongs(p, e.stream_id)); return {};
    case 'tool_started': {
      lockText(turn);
      const { stream_id, call_id, name, hint } = e;
      if (!toolOf(turn, call_id)) turn.parts.push({ stream_id, kind: 'tool', call_id, name, arguments: e.arguments, ...(hint && { hint }), status: 'running' });
      return {};
    }
    case 'tool_output': {
      const tool = toolOf(turn, e.call_id);
      if (!tool) return {};
      tool.output = ((tool.output ?? '') + e.text).slice(-OUTPUT_LIMIT);
      return { grown: tool };
    }
    case 'tool_finished': {
      const tool = toolOf(turn, e.call_id);
      if (!tool) return {};
      const { status, preview, duration_ms, diff, exit_code } = e;
      Object.assign(tool, { status, preview, duration_ms, ...(diff !== undefined && { diff }), ...(exit_code !== undefined && { exit_code }) });
      return {};
    }
    case 'approval_requested': approvalRequested(turn, e); return { meta: true };
    case 'approval_resolved': approvalResolved(turn, e); return { meta: true };
    case 'notice': {
      const { stream_id, code, text, data } = e;
      turn.parts.push({ stream_id, kind: 'notice', code, text, ...(data !== undefined && { data }) });
      return {};
    }
    case 'retry_wait': {
      const { stream_id, attempt, max_attempts, delay_ms, code } = e;
      const data: RetryWait = { attempt, max_attempts, delay_ms, code, until_at: e.at + delay_ms };
      turn.parts.push({ stream_id, kind: 'notice', code: 'retry_wait', text: e.reason, data });
      return {};
    }
    case 'model_switched': {
      const { from, to, model, code } = e;
      const data: ModelSwitch = { from, to, ...(model !== undefined && { model }), code };
      Object.assign(turn, { preset: to }, model !== undefined && { model });
      turn.parts.push({ stream_id: e.stream_id, kind: 'notice', code: 'model_switched', text: e.reason, data });
      return {};
    }
    case 'provider_tool': return providerTool(turn, e);
    case 'context_governed':
      turn.parts.push({ stream_id: e.stream_id, kind: 'notice', code: 'context_governed', text: '', data: { steps: e.steps, budget_tokens: e.budget_tokens } });
      return {};
    case 'usage': return usage(turn, e);
    case 'message': turn.answer_id = e.message_id; return {};
    case 'turn_finished': finish(turn, e); return { list: true, meta: true };
    default: return {}; // an event that this page does not know: its number still counts
  }
}

function userMessage(view: SessionView, turn: Turn, e: Extract<SessionEvent, { event: 'user_message' }>): Effect {
  const mine = e.client_message_id !== undefined && { client_message_id: e.client_message_id };
  // A page that was read while the message waited to join a turn shows it already, perhaps in a turn it came too late for.
  for (const t of view.turns) if (t.parts.some((p) => p.kind === 'steer' && p.message_id === e.message_id)) t.parts = t.parts.filter((p) => p.kind !== 'steer' || p.message_id !== e.message_id);
  if (e.steer) {
    lockText(turn);
    turn.parts.push({ stream_id: e.stream_id ?? e.message_id, kind: 'steer', message_id: e.message_id, text: e.text });
    return { ...mine };
  }
  turn.user = { id: e.message_id, seq: e.seq, content: e.text, parent_id: e.parent_id, created_at: e.at, ...(e.branch && { branch: e.branch }), ...mine };
  const before = view.turns.filter((t) => t !== turn && (t.state === 'queued' || LIVE.has(t.state))).length;
  if (before > 0) turn.queue_position = before;
  return { list: true, ...mine, ...(e.branch && { reread: 'branch' as const }) };
}

const isText = (p: Part): p is TextPart => p.kind === 'reasoning' || p.kind === 'text';
const belongs = (p: Part, streamId: string): boolean => isText(p) && (p.stream_id === streamId || p.stream_id.startsWith(`${streamId}~`));

/** A locked part never grows again: text that comes for it starts a new part of the same kind. */
function grow(turn: Turn, kind: TextPart['kind'], streamId: string, text: string): Effect {
  const have = turn.parts.findLast((p): p is TextPart => isText(p) && p.kind === kind && belongs(p, streamId));
  if (have?.open) {
    have.text += text;
    return { grown: have };
  }
  const again = have ? turn.parts.filter((p) => belongs(p, streamId)).length : 0;
  turn.parts.push({ stream_id: again ? `${streamId}~${again}` : streamId, kind, text, open: true });
  return {};
}

function close(turn: Turn, kind: TextPart['kind'], streamId: string, chars: number, durationMs?: number): Effect {
  const mine = turn.parts.filter((p): p is TextPart => isText(p) && p.kind === kind && belongs(p, streamId));
  const last = mine.at(-1);
  if (!last) return {};
  last.open = false;
  if (durationMs !== undefined) last.duration_ms = durationMs;
  const have = mine.reduce((n, p) => n + scalars(p.text), 0);
  return typeof chars === 'number' && have !== chars ? { reread: 'text_differs' } : {};
}

function scalars(text: string): number {
  let n = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const high = text.charCodeAt(i) & 0xfc00;
    if (high === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) { n--; i++; }
  }
  return n;
}

function lockText(turn: Turn): void {
  for (const p of turn.parts) if (isText(p)) p.open = false;
}

const toolOf = (turn: Turn, callId: string): ToolPart | undefined => turn.parts.find((p): p is ToolPart => p.kind === 'tool' && p.call_id === callId);

function approvalRequested(turn: Turn, e: Extract<SessionEvent, { event: 'approval_requested' }>): void {
  const { stream_id, approval_id, kind, call_id, tool: name, hint, reason, diff, requested_at, expires_at, covers } = e;
  const approval: Approval = {
    approval_id, kind, tool: name, ...(call_id !== undefined && { call_id }), arguments: e.arguments, hint, reason, ...(diff !== undefined && { diff }), requested_at, expires_at, covers,
  };
  const tool = call_id === undefined ? undefined : toolOf(turn, call_id);
  if (kind === 'tool') { if (tool) Object.assign(tool, { status: 'waiting', approval }); return; }
  lockText(turn);
  const have = turn.parts.find((p): p is ApprovalPart => p.kind === 'approval' && p.stream_id === stream_id);
  if (have) have.approval = approval; else turn.parts.push({ stream_id, kind: 'approval', approval });
}

function approvalResolved(turn: Turn, e: Extract<SessionEvent, { event: 'approval_resolved' }>): void {
  const part = turn.parts.find((p): p is ToolPart | ApprovalPart => (p.kind === 'tool' || p.kind === 'approval') && p.approval?.approval_id === e.approval_id);
  if (!part?.approval) return;
  const { decision, by, reason } = e;
  part.approval = { ...part.approval, decision, ...(by !== undefined && { by }), ...(reason !== undefined && { decided_reason: reason }), decided_at: e.at };
  // What was said of a budget takes the place of what was offered.
  if (part.approval.kind === 'budget' && e.arguments !== undefined) part.approval.arguments = { ...part.approval.arguments as object, ...e.arguments as object };
  if (part.kind !== 'tool' || !ALLOWED.has(decision)) return;
  Object.assign(part, { status: 'running', ...(e.arguments !== undefined && { arguments: e.arguments, hint: '' }) });
}

const ALLOWED: ReadonlySet<string> = new Set(['allow_once', 'allow_session', 'allow_always']);

/** Each phase of a call updates its one part; what a later phase does not say stays. */
function providerTool(turn: Turn, e: Extract<SessionEvent, { event: 'provider_tool' }>): Effect {
  const { stream_id, call_id, name, phase, arguments: args, text } = e;
  const fields = { phase, ...(args !== undefined && { arguments: args }), ...(text !== undefined && { text }) };
  const have = turn.parts.find((p): p is ProviderToolPart => p.kind === 'provider_tool' && p.stream_id === stream_id);
  if (have) Object.assign(have, fields); else turn.parts.push({ stream_id, kind: 'provider_tool', call_id, name, ...fields });
  return {};
}

function usage(turn: Turn, e: Extract<SessionEvent, { event: 'usage' }>): Effect {
  const before = turn.usage;
  turn.usage = {
    input_tokens: (before?.input_tokens ?? 0) + e.input_tokens,
    cached_tokens: (before?.cached_tokens ?? 0) + e.cached_tokens,
    output_tokens: (before?.output_tokens ?? 0) + e.output_tokens,
    ...((before?.cost_usd !== undefined || e.cost_usd !== undefined) && { cost_usd: (before?.cost_usd ?? 0) + (e.cost_usd ?? 0) }),
  };
  turn.context_tokens = e.context_tokens;
  turn.context_window_tokens = e.context_window_tokens;
  return { meta: true };
}

function finish(turn: Turn, e: Extract<SessionEvent, { event: 'turn_finished' }>): void {
  lockText(turn);
  for (const p of turn.parts) if (p.kind === 'tool' && (p.status === 'running' || p.status === 'waiting')) p.status = 'cancelled';
  for (const p of turn.parts) if (p.kind === 'provider_tool' && (p.phase === 'started' || p.phase === 'running')) p.phase = 'error';
  turn.stop_reason = e.stop_reason;
  turn.state = e.stop_reason === 'cancelled' || e.stop_reason === 'interrupted' ? e.stop_reason : e.error ? 'failed' : 'done';
  turn.ended_at = e.at;
  if (e.error) turn.error = e.error;
  if (e.usage) turn.usage = e.usage;
}
