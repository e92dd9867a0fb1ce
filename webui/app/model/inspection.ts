/** What the inspector knows about a turn, as `GET /turns/{id}` gives it, and the small sums it shows. */
import type { Turn } from './types.ts';

export interface GovernStep { name: string; before_tokens: number; after_tokens: number; detail: string }
export interface Governed { steps: GovernStep[]; budget_tokens: number; window_tokens: number; estimated_tokens: number; messages: number; hash: string }

export interface RequestInfo {
  id: string | number;
  /** Counts from 0, attempts from 1. */
  iteration: number;
  attempt: number;
  preset: string;
  provider: string;
  model: string;
  started_at: number;
  duration_ms: number;
  first_output_ms?: number | null;
  outcome: string;
  ok: boolean;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  cost_usd?: number | null;
  estimated: boolean;
  governed?: Governed | null;
}

export interface CallInfo {
  call_id: string;
  name: string;
  iteration: number;
  position: number;
  status: string;
  arguments: unknown;
  started_at?: number | null;
  ended_at?: number | null;
  duration_ms?: number | null;
  output_chars: number;
}

export interface Inspection {
  requests: RequestInfo[];
  calls: CallInfo[];
  hook_faults: { hook: string; method: string; text: string }[];
  usage?: { input_tokens: number; cached_tokens: number; output_tokens: number };
  cost_usd?: number | null;
  model_ms: number;
  tool_ms: number;
  duration_ms?: number | null;
  /** Why something is not on record. */
  note?: string | null;
}
export type InspectedTurn = Turn & { inspection: Inspection };

/** `type` says which of the other fields are there. */
export type Block = { type: string } & Record<string, unknown>;
export interface SentMessage { role: string; blocks: Block[] }
export interface ToolSpec { name: string; description: string; parameters: unknown }

/** One request as it was sent. */
export interface SentRequest {
  id: string | number;
  iteration: number;
  attempt: number;
  model: string;
  system: string;
  tools: ToolSpec[];
  messages: SentMessage[];
  max_tokens?: number | null;
  temperature?: number | null;
  reasoning_effort?: string | null;
  tool_choice?: unknown;
  exact: boolean;
  note?: string | null;
  difference: { previous_id?: string | number | null; system_changed: boolean; tools_changed: boolean; unchanged_messages: number; removed: SentMessage[]; added: SentMessage[] };
}

/** Whether the request begins like the one before it, as far as that one goes: only then the provider's cache can help. */
export const startIsSame = (d: SentRequest['difference']): boolean => !d.system_changed && !d.tools_changed && d.removed.length === 0;

/** Where a block stands in time, as parts of the whole turn. */
export interface Bar { kind: 'model' | 'tool'; key: string; name: string; iteration: number; ok: boolean; durationMs: number; from: number; width: number; call?: CallInfo }

/** Requests and calls that ran, in the order they began. */
export function barsOf(inspection: Inspection): Bar[] {
  const spans = [
    ...inspection.requests.map((r) => ({ kind: 'model' as const, key: `r${r.id}`, name: r.model, iteration: r.iteration, ok: r.ok, at: r.started_at, durationMs: r.duration_ms })),
    ...inspection.calls.flatMap((c) => (c.started_at == null ? [] : [{ kind: 'tool' as const, key: `c${c.call_id}/${c.iteration}`, name: c.name, iteration: c.iteration, ok: c.status === 'ok', at: c.started_at, durationMs: c.duration_ms ?? Math.max(0, (c.ended_at ?? c.started_at) - c.started_at), call: c }])),
  ].sort((a, b) => a.at - b.at || (a.kind === b.kind ? 0 : a.kind === 'model' ? -1 : 1));
  const start = Math.min(...spans.map((s) => s.at));
  const whole = Math.max(1, Math.max(...spans.map((s) => s.at + s.durationMs)) - start);
  return spans.map(({ at, ...span }) => ({ ...span, from: (at - start) / whole, width: span.durationMs / whole }));
}

/** What a block says, as text; JSON for what is no text. */
export function blockText(block: Block): string {
  const text = (key: string): string => (typeof block[key] === 'string' ? block[key] : '');
  switch (block.type) {
    case 'text': case 'thinking': return text('text');
    case 'result': return text('text');
    case 'call': return typeof block.arguments === 'string' ? block.arguments : JSON.stringify(block.arguments ?? {}, null, 2);
    case 'image': case 'document': return [text('name'), text('mime'), text('media_id')].filter(Boolean).join(' · ');
    case 'pause': return '';
    default: { const { type: _, ...rest } = block; return JSON.stringify(rest, null, 2); }
  }
}

/** The name beside the kind of a block: which tool, which result. */
export function blockName(block: Block): string {
  const parts = [block.name, block.status, block.id ?? block.call_id].filter((v): v is string => typeof v === 'string' && v !== '');
  return block.type === 'call' || block.type === 'result' ? parts.join(' · ') : '';
}

const GIST_CHARS = 120;

/** A message in one line. */
export function gistOf(message: SentMessage): string {
  const flat = message.blocks.map((b) => (b.type === 'call' ? `${String(b.name ?? '')}(${blockText(b)})` : blockText(b))).join(' ').replace(/\s+/g, ' ').trim();
  const letters = [...flat];
  return letters.length > GIST_CHARS ? `${letters.slice(0, GIST_CHARS).join('')}…` : flat;
}
