/** Permission rules and budgets as the settings edit them: what is checked before it is sent, and where an error belongs. */
import { numberOf } from './preset-form.ts';

export type Verdict = 'allow' | 'ask' | 'deny';
export const VERDICTS: readonly Verdict[] = ['allow', 'ask', 'deny'];
export interface Rule { tool: string; match: string; decision: Verdict }

export type RuleField = 'tool' | 'match' | 'decision';

/** A rule as it is stored: without outer spaces, an empty match stands for anything. */
export const ruleOf = (form: Rule): Rule => ({ tool: form.tool.trim(), match: form.match.trim() || '*', decision: form.decision });

/** `*` stands for any text; everything else for itself. */
export function globMatches(glob: string, text: string): boolean {
  const [first = '', ...rest] = glob.split('*');
  if (rest.length === 0) return glob === text;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > text.length - last.length) return false;
    at = found + piece.length;
  }
  return true;
}

/** The place of an earlier rule that takes everything this one is about; -1 when this one counts. What a glob matches as text, it matches whatever the stars in that text stand for. */
export function shadowedBy(rules: Rule[], at: number): number {
  const rule = rules[at];
  return rule ? rules.slice(0, at).findIndex((r) => globMatches(r.tool, rule.tool) && globMatches(r.match, rule.match)) : -1;
}

/** Which rule and which of its fields an error is about, from its path in the configuration. */
export function rulePlace(path: string): { at: number; field: RuleField | null } | null {
  const found = /^permissions(?:\[|\.)(\d+)\]?(?:\.(tool|match|decision))?/.exec(path);
  return found ? { at: Number(found[1]), field: (found[2] as RuleField | undefined) ?? null } : null;
}

export const LIMITS = ['turn_usd', 'session_usd', 'day_usd', 'turn_tokens', 'day_tokens'] as const;
export type Limit = typeof LIMITS[number];
export type Budget = Partial<Record<Limit, number>>;
export type BudgetForm = Record<Limit, string>;
export type BudgetProblem = 'usd' | 'tokens';

export const isMoney = (limit: Limit): boolean => limit.endsWith('_usd');

export const budgetForm = (budget: Budget): BudgetForm => Object.fromEntries(LIMITS.map((l) => [l, budget[l] == null ? '' : String(budget[l])])) as BudgetForm;

export function checkBudget(form: BudgetForm): Partial<Record<Limit, BudgetProblem>> {
  const out: Partial<Record<Limit, BudgetProblem>> = {};
  for (const limit of LIMITS) {
    const typed = form[limit].trim();
    if (typed === '') continue;
    const n = amountOf(typed);
    if (!(n > 0)) out[limit] = isMoney(limit) ? 'usd' : 'tokens';
    else if (!isMoney(limit) && !Number.isInteger(n)) out[limit] = 'tokens';
  }
  return out;
}

/** What changed, null for a limit that goes; undefined when nothing did. */
export function budgetPatch(before: Budget, form: BudgetForm): Partial<Record<Limit, number | null>> | undefined {
  const out: Partial<Record<Limit, number | null>> = {};
  for (const limit of LIMITS) {
    const typed = form[limit].trim();
    const now = typed === '' ? null : amountOf(typed);
    if (now !== (before[limit] ?? null)) out[limit] = now;
  }
  return Object.keys(out).length > 0 ? out : undefined;
}

const amountOf = (typed: string): number => numberOf(typed.replace(/^\$\s*/, ''));
