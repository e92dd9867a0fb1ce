/** Budgets: what is limited, how an amount of it is typed, and the limits as the settings edit them. */
import { numberOf } from './preset-form.ts';
import { parseTime, writeTime } from './time.ts';

export type BudgetUnit = 'usd' | 'tokens' | 'seconds';
export type Limit = `${'turn' | 'session' | 'day'}_${BudgetUnit}`;
/** In the order of the settings: a row for each unit. */
export const LIMIT_ROWS = [
  ['usd', ['turn_usd', 'session_usd', 'day_usd']],
  ['tokens', ['turn_tokens', 'session_tokens', 'day_tokens']],
  ['seconds', ['turn_seconds', 'session_seconds', 'day_seconds']],
] as const satisfies readonly (readonly [BudgetUnit, readonly Limit[]])[];
const LIMITS = LIMIT_ROWS.flatMap(([unit, limits]) => limits.map((limit): [Limit, BudgetUnit] => [limit, unit]));

export type Budget = Partial<Record<Limit, number>>;
export type BudgetForm = Record<Limit, string>;

/** How much was typed; NaN for what is no amount above zero. Tokens and seconds are whole. */
export function amountOf(typed: string, unit: BudgetUnit): number {
  if (unit === 'seconds') return parseTime(typed);
  const n = numberOf(typed.replace(/^\s*\$/, ''));
  return n > 0 && (unit === 'usd' || Number.isInteger(n)) ? n : NaN;
}

/** An amount as it can be typed. */
export const typedAmount = (n: number, unit: BudgetUnit): string => (unit === 'seconds' ? writeTime(n) : String(n));

export const budgetForm = (budget: Budget): BudgetForm => Object.fromEntries(LIMITS.map(([limit, unit]) => [limit, budget[limit] == null ? '' : typedAmount(budget[limit], unit)])) as BudgetForm;

/** The fields that hold no amount, with the unit that they want. */
export const checkBudget = (form: BudgetForm): Partial<Record<Limit, BudgetUnit>> => Object.fromEntries(LIMITS.filter(([limit, unit]) => form[limit].trim() !== '' && Number.isNaN(amountOf(form[limit], unit))));

/** What changed, null for a limit that goes; undefined when nothing did. */
export function budgetPatch(before: Budget, form: BudgetForm): Partial<Record<Limit, number | null>> | undefined {
  const out: Partial<Record<Limit, number | null>> = {};
  for (const [limit, unit] of LIMITS) {
    const now = form[limit].trim() === '' ? null : amountOf(form[limit], unit);
    if (now !== (before[limit] ?? null)) out[limit] = now;
  }
  return Object.keys(out).length > 0 ? out : undefined;
}

/** The limit that an error is about, from its path in the configuration. */
export const limitAt = (path: string): Limit | undefined => LIMITS.find(([limit]) => path === `budget.${limit}`)?.[0];
