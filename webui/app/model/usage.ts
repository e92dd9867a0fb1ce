/** Use of models over days: periods, the bars of the chart, and the file to take away. Days are strings such as 2026-11-30. */

export type By = 'day' | 'session' | 'preset';
export const BYS: readonly By[] = ['day', 'preset', 'session'];

export interface Amounts {
  requests: number;
  failed_requests: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
  unpriced_requests: number;
  estimated_requests: number;
}
export interface UsageItem extends Amounts { key: string; label?: string | null }
export interface Usage { by: By; since: string; until: string; timezone: string; items: UsageItem[]; total: Amounts; next_cursor: null }

export const PERIODS = ['7', '30', '90', 'month'] as const;
export type Period = typeof PERIODS[number];

const DAY_MS = 86_400_000;
const at = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export function today(now: number, timezone: string): string {
  try {
    return new Intl.DateTimeFormat('en-CA', { timeZone: timezone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(now);
  } catch { return dayOf(now); }
}

/** First and last day of a period that ends today, both included. */
export function range(period: Period, until: string): { since: string; until: string } {
  return { since: period === 'month' ? `${until.slice(0, 7)}-01` : dayOf(at(until) - (Number(period) - 1) * DAY_MS), until };
}

export interface Bar { day: string; fresh: number; cached: number; output: number }

/** One bar a day, also for days without use. */
export function barsOf(items: UsageItem[], since: string, until: string): Bar[] {
  const known = new Map(items.map((i) => [i.key, i]));
  const out: Bar[] = [];
  for (let ms = at(since); ms <= at(until); ms += DAY_MS) {
    const item = known.get(dayOf(ms));
    const cached = Math.min(item?.cached_tokens ?? 0, item?.input_tokens ?? 0);
    out.push({ day: dayOf(ms), fresh: (item?.input_tokens ?? 0) - cached, cached, output: item?.output_tokens ?? 0 });
  }
  return out;
}

export const sumOf = (bar: Bar): number => bar.fresh + bar.cached + bar.output;

/** The top of the scale: the next round number above the highest bar. */
export function scaleOf(bars: Bar[]): number {
  const most = Math.max(1, ...bars.map(sumOf));
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= most) ?? most;
}

export const cachedShare = (a: Amounts): number | null => (a.input_tokens > 0 ? a.cached_tokens / a.input_tokens : null);

const COLUMNS = ['requests', 'failed_requests', 'input_tokens', 'cached_tokens', 'output_tokens', 'cost_usd', 'unpriced_requests', 'estimated_requests'] as const;

/** Rows for a spreadsheet. A text that a spreadsheet would run as a formula gets a quote in front. */
export function csvOf(usage: Usage): string {
  const cell = (value: string | number | null): string => {
    const text = value === null ? '' : String(value);
    const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const rows = [[usage.by, ...(usage.by === 'day' ? [] : ['label']), ...COLUMNS], ...usage.items.map((i) => [i.key, ...(usage.by === 'day' ? [] : [i.label ?? '']), ...COLUMNS.map((c) => i[c])])];
  return rows.map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
}
