/** A provider as fields, and the patch that a changed form stands for. What only the server knows is kept unless it is replaced. */
import { difference } from './merge-patch.ts';

export interface Pair { name: string; value: string; /** Only the server knows the value. */ stored?: true }
export type KeyChange = 'keep' | 'replace' | 'remove';
export interface ProviderForm { kind: string; base_url: string; key: KeyChange; api_key: string; proxy: string; headers: Pair[]; query: Pair[]; body: string }
export interface Known {
  kind: string;
  base_url?: string | null;
  api_key_set: boolean;
  api_key_env?: string;
  proxy?: string | null;
  extra_headers?: Record<string, string>;
  extra_query?: Record<string, string>;
  extra_body?: Record<string, unknown>;
}
export type ProviderField = 'kind' | 'base_url' | 'api_key' | 'proxy' | 'extra_headers' | 'extra_query' | 'extra_body';
export type ProviderProblem = 'url' | 'required' | 'header_name' | 'pair_name' | 'twice' | 'json' | 'json_object' | 'json_null';

export function providerForm(p: Known): ProviderForm {
  const body = p.extra_body && Object.keys(p.extra_body).length > 0 ? JSON.stringify(p.extra_body, null, 2) : '';
  return {
    kind: p.kind, base_url: p.base_url ?? '', key: 'keep', api_key: '', proxy: p.proxy ?? '',
    headers: Object.keys(p.extra_headers ?? {}).map((name) => ({ name, value: '', stored: true })),
    query: Object.entries(p.extra_query ?? {}).map(([name, value]) => ({ name, value })),
    body,
  };
}

const isEmpty = (pair: Pair): boolean => pair.name.trim() === '' && pair.value === '';
const moves = (p: Known, f: ProviderForm): boolean => f.base_url.trim() !== (p.base_url ?? '');

/** Secrets belong to their address: the server lets go of those that do not come along when a provider moves. */
export const losesSecrets = (p: Known, f: ProviderForm): boolean =>
  moves(p, f) && (((p.api_key_set || p.api_key_env !== undefined) && f.key === 'keep') || f.headers.some((h) => h.stored));

function isUrl(text: string, schemes: RegExp): boolean {
  try { return schemes.test(new URL(text).protocol); } catch { return false; }
}

export function checkProvider(p: Known, f: ProviderForm): Partial<Record<ProviderField, ProviderProblem>> {
  const out: Partial<Record<ProviderField, ProviderProblem>> = {};
  const url = f.base_url.trim(), proxy = f.proxy.trim();
  if (url !== '' && moves(p, f) && !isUrl(url, /^https?:$/)) out.base_url = 'url';
  if (proxy !== '' && proxy !== p.proxy && !isUrl(proxy, /^(https?|socks5h?):$/)) out.proxy = 'url';
  if (f.key === 'replace' && f.api_key.trim() === '') out.api_key = 'required';
  const headers = f.headers.filter((h) => !isEmpty(h)), query = f.query.filter((q) => !isEmpty(q));
  if (headers.some((h) => !/^[!#$%&'*+.^_`|~\w-]+$/.test(h.name.trim()))) out.extra_headers = 'header_name';
  else if (new Set(headers.map((h) => h.name.trim().toLowerCase())).size < headers.length) out.extra_headers = 'twice';
  else if (headers.some((h) => !h.stored && h.value === '')) out.extra_headers = 'required';
  if (query.some((q) => q.name.trim() === '')) out.extra_query = 'pair_name';
  else if (new Set(query.map((q) => q.name.trim())).size < query.length) out.extra_query = 'twice';
  const body = bodyOf(f.body);
  if (typeof body === 'string') out.extra_body = body;
  return out;
}

/** The object that was typed, or what is wrong with it. */
export function bodyOf(text: string): Record<string, unknown> | ProviderProblem {
  if (text.trim() === '') return {};
  let value: unknown;
  try { value = JSON.parse(text); } catch { return 'json'; }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'json_object';
  // The configuration file has no null, and in a patch null removes.
  return hasNull(value) ? 'json_null' : value as Record<string, unknown>;
}

const hasNull = (v: unknown): boolean => v === null || (typeof v === 'object' && Object.values(v as object).some(hasNull));

/** Null when nothing changed. */
export function providerPatch(p: Known, f: ProviderForm): Record<string, unknown> | null {
  const out: Record<string, unknown> = {};
  if (f.kind !== p.kind) out.kind = f.kind;
  if (moves(p, f)) out.base_url = f.base_url.trim() || null;
  if (f.key === 'replace') out.api_key = f.api_key.trim();
  if (f.key === 'remove') out.api_key = null;
  if (f.proxy.trim() !== (p.proxy ?? '')) out.proxy = f.proxy.trim() || null;
  const headers: Record<string, string | null> = {};
  for (const name of Object.keys(p.extra_headers ?? {})) if (!f.headers.some((h) => h.name.trim() === name)) headers[name] = null;
  for (const h of f.headers) if (!h.stored && !isEmpty(h)) headers[h.name.trim()] = h.value;
  if (Object.keys(headers).length > 0) out.extra_headers = headers;
  const query = difference(p.extra_query ?? {}, Object.fromEntries(f.query.filter((q) => !isEmpty(q)).map((q) => [q.name.trim(), q.value])));
  if (query !== undefined) out.extra_query = query;
  const body = bodyOf(f.body);
  const change = typeof body === 'string' ? undefined : difference(p.extra_body ?? {}, body);
  if (change !== undefined) out.extra_body = change;
  return Object.keys(out).length > 0 ? out : null;
}
