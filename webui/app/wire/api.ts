/** Requests to the REST interface. A problem document becomes an ApiError with the server's stable code. */
import type { Budget } from '../model/budget.ts';
import type { InspectedTurn, SentRequest } from '../model/inspection.ts';
import type { PresetSettings } from '../model/preset-form.ts';
import type { Rule } from '../model/rules.ts';
import type { Access, Approval, Session, SessionState, Turn } from '../model/types.ts';
import type { By, Usage } from '../model/usage.ts';

export class ApiError extends Error {
  /** `path`: the place in the body that is wrong, when it is known. */
  constructor(readonly status: number, readonly code: string, readonly detail: string, readonly path = '') { super(detail || code); }
}

/** The request never reached the server. */
export class OfflineError extends Error {}

interface Options { body?: unknown; key?: string; signal?: AbortSignal }

async function call<T>(method: string, path: string, options: Options = {}): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  if (options.key) headers['idempotency-key'] = options.key;
  let response: Response;
  try {
    response = await fetch(`/api/v1${path}`, {
      method,
      headers,
      credentials: 'same-origin',
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
      ...(options.signal && { signal: options.signal }),
    });
  } catch (e) {
    if (options.signal?.aborted) throw e;
    throw new OfflineError(String(e));
  }
  if (response.ok) return response.status === 204 ? undefined as T : await response.json().catch(() => undefined) as T;
  const problem = await response.json().catch(() => ({})) as { code?: string; detail?: string; title?: string; path?: string };
  throw new ApiError(response.status, problem.code ?? `http_${response.status}`, problem.detail ?? problem.title ?? response.statusText, problem.path);
}

export interface Page<T> { items: T[]; next_cursor: string | null }
export interface TurnsPage extends Page<Turn> { head_seq: number }
export interface Preset { name: string; provider: string; model: string; context_window_tokens: number; context_window_assumed: boolean; max_tokens: number; is_default: boolean; is_demo: boolean }
export interface Found { source: 'server' | 'key'; provider: string; label: string; kind: string; base_url: string; env?: string; models: string[] }
export interface KnownProvider { name: string; label: string; kind: string; base_url: string; env?: string; available: boolean }
export interface Setup { needs_setup: boolean; default_preset: string | null; found: Found[]; providers: KnownProvider[]; demo: { provider: string; model: string } }
export type RetryMode = 'standard' | 'persistent';
/** A provider without its secrets: of the key only that there is one, of extra headers only the names. */
export interface ProviderView {
  kind: string;
  base_url?: string | null;
  api_key_set: boolean;
  api_key_env?: string;
  proxy?: string | null;
  extra_headers?: Record<string, string>;
  extra_query?: Record<string, string>;
  extra_body?: Record<string, unknown>;
}
/** A provider that is not saved yet. */
export interface ProviderDraft { kind: string; base_url?: string; api_key?: string }
export interface ModelInfo { id: string; context_window_tokens?: number | null }
/** Without its command, whose arguments may hold secrets. */
export interface HookView { name: string; event: string; match?: string; timeout_ms: number; reraise: boolean }
export interface Settings {
  providers: Record<string, ProviderView>;
  presets: Record<string, PresetSettings>;
  agent: { preset?: string; retry_mode?: RetryMode; access?: Access };
  permissions?: Rule[];
  budget?: Budget;
  /** Written in the file alone. */
  hooks?: HookView[];
  warnings: { path: string; detail: string }[];
  version: string;
}
export type TestResult = { ok: true; latency_ms: number; text: string } | { ok: false; latency_ms: number; error: { code: string; detail: string } };
export type Marks = [number, number][];
export interface SearchResult {
  sessions: { session_id: string; title: string; marks: Marks }[];
  messages: { session_id: string; title: string; message_id: string; seq: number; role: string; snippet: string; marks: Marks; created_at: number }[];
}
export interface MessageRow { id: string; seq: number; role: string; content: string }

const id = encodeURIComponent;
const query = (fields: Record<string, string | number | undefined>): string => {
  const set = Object.entries(fields).filter(([, v]) => v !== undefined && v !== '');
  return set.length ? `?${new URLSearchParams(set.map(([k, v]) => [k, String(v)]))}` : '';
};

/** Where the browser downloads everything about a turn, without secrets. */
export const exportPath = (turn: string): string => `/api/v1/turns/${id(turn)}/export`;

export const api = {
  setup: () => call<Setup>('GET', '/setup'),
  settings: () => call<Settings>('GET', '/settings'),
  patchSettings: (body: object) => call<Settings>('PATCH', '/settings', { body }),
  presets: () => call<{ items: Preset[] }>('GET', '/presets'),
  testProvider: (body: { provider: string | ProviderDraft; model: string }) => call<TestResult>('POST', '/providers/test', { body }),
  providerModels: (provider: string | ProviderDraft) => call<Page<ModelInfo>>('POST', '/providers/models', { body: { provider } }),
  usage: (by: By, since?: string, until?: string) => call<Usage>('GET', `/usage${query({ by, since, until })}`),
  sessions: (cursor?: string, limit = 100) => call<Page<Session>>('GET', `/sessions${query({ limit, cursor })}`),
  session: (session: string) => call<Session>('GET', `/sessions/${id(session)}`),
  createSession: (body: { preset?: string }, key: string) => call<Session>('POST', '/sessions', { body, key }),
  patchSession: (session: string, body: { title?: string; pinned?: boolean; preset?: string; active_message_id?: string; access?: Access | null }) => call<Session>('PATCH', `/sessions/${id(session)}`, { body }),
  turn: (turn: string) => call<InspectedTurn>('GET', `/turns/${id(turn)}`),
  turnRequest: (turn: string, request: string | number) => call<SentRequest>('GET', `/turns/${id(turn)}/requests/${id(request)}`),
  approve: (approval: string, body: object, signal: AbortSignal) => call<Approval>('POST', `/approvals/${id(approval)}`, { body, signal }),
  deleteSession: (session: string) => call<void>('DELETE', `/sessions/${id(session)}`),
  restoreSession: (session: string) => call<Session>('POST', `/sessions/${id(session)}/restore`),
  turns: (session: string, before?: string, limit = 40) => call<TurnsPage>('GET', `/sessions/${id(session)}/turns${query({ limit, before })}`),
  messages: (session: string, beforeSeq?: number) => call<Page<MessageRow>>('GET', `/sessions/${id(session)}/messages${query({ limit: 200, before_seq: beforeSeq })}`),
  fork: (session: string, atSeq: number) => call<Session>('POST', `/sessions/${id(session)}/fork`, { body: { at_seq: atSeq }, key: crypto.randomUUID() }),
  search: (q: string, signal: AbortSignal) => call<SearchResult>('GET', `/search${query({ q })}`, { signal }),
};

export type { SessionState };
