/** The shapes of the wire, as docs/PROTOCOL.md gives them: rows, parts, turns, sessions, events. */
import type { BudgetUnit, Limit } from './budget.ts';

export type SessionState = 'idle' | 'running' | 'awaiting_approval' | 'parked';
export type TurnState = 'queued' | 'running' | 'awaiting_approval' | 'parked' | 'done' | 'failed' | 'cancelled' | 'interrupted';
export type ToolStatus = 'running' | 'waiting' | 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown';

export interface Branch { index: number; count: number; siblings: string[] }

/** The request of a turn; `id` is the id of its message. */
export interface UserRow {
  id: string;
  seq: number;
  content: string;
  parent_id: string | null;
  branch?: Branch;
  client_message_id?: string;
  created_at: number;
}

/** How far the agent may go without asking; null where the configuration decides. */
export type Access = 'ask' | 'workspace' | 'full';
export const ACCESSES: readonly Access[] = ['ask', 'workspace', 'full'];

export type Decision = 'allow_once' | 'allow_session' | 'allow_always' | 'deny';
/** Which calls a rule is about; both are globs with `*`. */
export interface Cover { tool: string; match: string }
/** A question to a person: may this call run, may the turn use more than its budget. It waits while there is no `decision`. */
export interface Approval {
  approval_id: string;
  kind: 'tool' | 'budget';
  tool: string;
  call_id?: string;
  arguments: unknown;
  hint: string;
  reason: string;
  diff?: string;
  requested_at: number;
  expires_at: number;
  /** What "for this session" and "always" would allow; empty where only this once can be allowed. */
  covers: Cover[];
  decision?: Decision | 'expired' | 'cancelled';
  by?: string;
  decided_reason?: string;
  decided_at?: number;
}
/** The `arguments` of an approval for more budget, in the unit; of seconds, those that are used may have fractions. */
export interface BudgetAsk { key: Limit; unit: BudgetUnit; limit: number; used: number; more: number }

export interface TextPart { stream_id: string; kind: 'reasoning' | 'text'; text: string; open: boolean; duration_ms?: number }
export interface ToolPart {
  stream_id: string;
  kind: 'tool';
  call_id: string;
  name: string;
  arguments: unknown;
  /** What the call is about, in the server's words. */
  hint?: string;
  status: ToolStatus;
  approval?: Approval;
  output?: string;
  preview?: string;
  diff?: string;
  exit_code?: number;
  duration_ms?: number;
}
/** A tool that the provider runs at its own place, in the middle of an answer. */
export type ProviderToolPhase = 'started' | 'running' | 'done' | 'error';
export interface ProviderToolPart { stream_id: string; kind: 'provider_tool'; call_id: string; name: string; phase: ProviderToolPhase; arguments?: unknown; text?: string }
/** A failed request that is made again: `attempt` is the one that comes next, `max_attempts` null means until it is stopped. */
export interface RetryWait { attempt: number; max_attempts: number | null; delay_ms: number; code: string; until_at: number }
/** Names of presets, and the model of the one that goes on. */
export interface ModelSwitch { from: string; to: string; model?: string; code: string }
export interface NoticePart { stream_id: string; kind: 'notice'; code: string; text: string; data?: unknown }
export interface SteerPart { stream_id: string; kind: 'steer'; message_id: string; text: string }
/** The turn asks for more budget. */
export interface ApprovalPart { stream_id: string; kind: 'approval'; approval: Approval }
/** A server that is newer than this page may send other kinds; the views show those by name only. */
export type Part = TextPart | ToolPart | ProviderToolPart | NoticePart | SteerPart | ApprovalPart;

export interface Failure { code: string; detail: string }
export interface Usage { input_tokens: number; cached_tokens: number; output_tokens: number; cost_usd?: number; estimated?: boolean; context_tokens?: number; context_window_tokens?: number }

export interface Turn {
  id: string;
  origin: string;
  state: TurnState;
  stop_reason?: string;
  error?: Failure;
  preset?: string;
  model?: string;
  user?: UserRow;
  answer_id?: string;
  parts: Part[];
  usage?: Usage;
  context_tokens?: number;
  context_window_tokens?: number;
  started_at?: number;
  ended_at?: number;
  resumed?: number | boolean;
  queue_position?: number;
}

export interface Session {
  id: string;
  title: string;
  title_source: 'first_words' | 'model' | 'user';
  preset: string | null;
  pinned: boolean;
  access?: Access | null;
  workspace?: string | null;
  state: SessionState;
  active_message_id: string | null;
  head_seq: number;
  created_at: number;
  updated_at: number;
  last_message_at: number | null;
  running_turn_id?: string;
}

interface Numbered { chat_id: string; seq: number; prev_seq: number; turn_id?: string; at: number }
type E<Name extends string, Fields = object> = Numbered & { event: Name } & Fields;

export type SessionEvent =
  | E<'user_message', { message_id: string; text: string; parent_id: string | null; branch?: Branch; client_message_id?: string; steer?: boolean; stream_id?: string }>
  | E<'turn_started', { origin: string; preset: string; model: string }>
  | E<'turn_resumed', { attempt: number }>
  | E<'iteration_started', { iteration: number }>
  | E<'reasoning_delta' | 'delta', { stream_id: string; text: string }>
  | E<'reasoning_end', { stream_id: string; chars: number; duration_ms: number }>
  | E<'stream_end', { stream_id: string; chars: number; resuming: boolean }>
  | E<'stream_discarded', { stream_id: string; reason: string }>
  | E<'tool_started', { stream_id: string; call_id: string; name: string; arguments: unknown; hint?: string }>
  | E<'tool_output', { stream_id: string; call_id: string; text: string; stream: string }>
  | E<'tool_finished', { stream_id: string; call_id: string; name: string; status: ToolStatus; preview: string; duration_ms: number; diff?: string; exit_code?: number }>
  | E<'approval_requested', Omit<Approval, 'decision' | 'by' | 'decided_reason' | 'decided_at'> & { stream_id: string }>
  | E<'approval_resolved', { stream_id: string; approval_id: string; kind: Approval['kind']; call_id?: string; decision: NonNullable<Approval['decision']>; by?: string; reason?: string; arguments?: unknown }>
  | E<'notice', { stream_id: string; code: string; text: string; data?: unknown }>
  | E<'retry_wait', { stream_id: string; attempt: number; max_attempts: number | null; delay_ms: number; code: string; reason: string }>
  | E<'model_switched', { stream_id: string; from: string; to: string; model?: string; code: string; reason: string }>
  | E<'provider_tool', { stream_id: string; call_id: string; name: string; phase: ProviderToolPhase; arguments?: unknown; text?: string }>
  | E<'context_governed', { stream_id: string; steps: unknown[]; budget_tokens: number }>
  | E<'usage', Usage & { context_tokens: number; context_window_tokens: number }>
  | E<'message', { message_id: string; text: string }>
  | E<'turn_finished', { stop_reason: string; latency_ms: number; usage?: Usage; error?: Failure }>
  | E<'session_updated', { title?: string; preset?: string | null; state?: SessionState; active_message_id?: string; pinned?: boolean; access?: Access | '' }>;

export interface Limits { max_frame_bytes: number; max_message_chars: number }

/** Frames of the connection itself, which carry no number. */
export type ConnectionFrame =
  | { event: 'ready'; client_id: string; chat_id: string; protocol: number; boot_id: string; server_version: string; limits: Limits }
  | { event: 'attached'; chat_id: string; head_seq: number; boot_id: string; mode: 'replay' | 'reload'; state: SessionState; turn_id?: string }
  | { event: 'accepted'; chat_id: string; client_message_id?: string; message_id: string; turn_id: string; position: number }
  | { event: 'error'; code: string; detail: string; chat_id?: string; client_message_id?: string }
  | { event: 'pong' }
  | { event: 'sessions_changed' };

export type Frame = ConnectionFrame | SessionEvent;
