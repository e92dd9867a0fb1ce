/** Merge patches (RFC 7396): which patch takes another one back. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const isObject = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null && !Array.isArray(v);

/** What brings `before` back after `patch` was applied to it. */
export function inverse(before: unknown, patch: unknown): unknown {
  if (before === undefined) return null;
  if (!isObject(patch) || !isObject(before)) return before;
  return Object.fromEntries(Object.entries(patch).map(([key, change]) => [key, inverse(before[key], change)]));
}

/** The patch that makes `after` out of `before`: what is gone is null, what is the same is left out; undefined when nothing differs. */
export function difference(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return JSON.stringify(before) === JSON.stringify(after) ? undefined : after;
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(before)) if (!(key in after)) out[key] = null;
  for (const [key, value] of Object.entries(after)) {
    const change = key in before ? difference(before[key], value) : value;
    if (change !== undefined) out[key] = change;
  }
  return Object.keys(out).length > 0 ? out : undefined;
}
