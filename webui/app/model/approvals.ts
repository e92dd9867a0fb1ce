/** Questions to a person: which of them wait, what they are about, and what an answer says. */
import { verbOf } from './tools.ts';
import { isLive } from './turns.ts';
import type { Approval, BudgetAsk, Turn } from './types.ts';

export const isPending = (approval: Approval | undefined): boolean => approval !== undefined && approval.decision === undefined;

/** What waits in a turn, in the order shown. */
export function pendingOf(turn: Turn): Approval[] {
  if (!isLive(turn)) return [];
  return turn.parts.flatMap((p) => {
    if (p.kind === 'tool') return p.status === 'waiting' && isPending(p.approval) ? [p.approval!] : [];
    return p.kind === 'approval' && isPending(p.approval) ? [p.approval] : [];
  });
}

export function budgetOf(approval: Approval): BudgetAsk | null {
  const a = approval.arguments as Partial<BudgetAsk> | null;
  return approval.kind === 'budget' && typeof a === 'object' && a !== null && typeof a.limit === 'number' && typeof a.used === 'number' ? a as BudgetAsk : null;
}

export interface Shown {
  /** The command, where the call is one. */
  command?: string;
  /** The arguments as JSON that `command` and the diff do not show already. */
  rest?: string;
}

/** All of what a call would do, in the form that is read fastest. Nothing is left out. */
export function shownOf(approval: Approval): Shown {
  const args = approval.arguments;
  if (typeof args === 'string') return { rest: args };
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return { rest: jsonOf(args) };
  const { command, ...others } = args as Record<string, unknown>;
  if (verbOf(approval.tool) !== 'run' || typeof command !== 'string') return { rest: jsonOf(args) };
  return { command, ...(Object.keys(others).length > 0 && { rest: jsonOf(others) }) };
}

export const jsonOf = (value: unknown): string => JSON.stringify(value ?? {}, null, 2);

/** The host that a call would talk to. */
export function hostOf(approval: Approval): string {
  const { url } = (approval.arguments ?? {}) as { url?: unknown };
  try { return typeof url === 'string' ? new URL(url).host : ''; } catch { return ''; }
}

export interface Piece { text: string; /** Its code point, for a character that would not be seen or would move others. */ hidden?: string }

/** Characters that are not seen or that change the order of others: nobody should allow what looks like something else. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]|[\u{e0000}-\u{e0fff}]/u;

export function piecesOf(text: string): Piece[] {
  const out: Piece[] = [];
  for (const part of text.split(new RegExp(`(${HIDDEN.source})`, 'u'))) {
    if (part === '') continue;
    const code = HIDDEN.test(part) && [...part].length === 1 ? part.codePointAt(0)! : null;
    out.push(code === null ? { text: part } : { text: part, hidden: `U+${code.toString(16).toUpperCase().padStart(4, '0')}` });
  }
  return out;
}

export type ArgumentsProblem = 'json' | 'json_object';

/** The arguments that were typed, or what is wrong with them; null when they are still those that were asked for. */
export function typedArguments(typed: string | null, asked: unknown): { value: Record<string, unknown> | null } | ArgumentsProblem {
  if (typed === null) return { value: null };
  let value: unknown;
  try { value = JSON.parse(typed); } catch { return 'json'; }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'json_object';
  return { value: JSON.stringify(value) === JSON.stringify(asked) ? null : value as Record<string, unknown> };
}
