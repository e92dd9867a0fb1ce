/** The active dictionary and the formats of its language. Only English is part of the first load. */
import { en, type Dictionary } from './en.ts';

export let t: Dictionary = en;
export const LANGUAGES = [['en', 'English'], ['zh-CN', '简体中文']] as const;

export async function chooseLanguage(lang: string): Promise<void> {
  if (/^zh/i.test(lang)) t = (await import('./zh-CN.ts')).zhCN;
}

const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();
function number(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `n${t.locale}${JSON.stringify(options)}`;
  const have = formats.get(key) ?? new Intl.NumberFormat(t.locale, options);
  formats.set(key, have);
  return have as Intl.NumberFormat;
}
function date(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `d${t.locale}${JSON.stringify(options)}`;
  const have = formats.get(key) ?? new Intl.DateTimeFormat(t.locale, options);
  formats.set(key, have);
  return have as Intl.DateTimeFormat;
}

export const count = (n: number): string => number({}).format(n);
export const money = (usd: number): string => number({ style: 'currency', currency: 'USD', maximumFractionDigits: 4 }).format(usd);
/** With as many digits in each row, so that columns of small sums stand in line. */
export const fineMoney = (usd: number): string => number({ style: 'currency', currency: 'USD', minimumFractionDigits: 4, maximumFractionDigits: 4 }).format(usd);
/** One line for a day such as 2026-11-30, which names no moment and so has no time zone. */
export const shortDay = (day: string): string => date({ day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`));
export const longDay = (day: string): string => date({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`));
export const percent = (part: number): string => number({ style: 'percent', maximumFractionDigits: 0 }).format(part);

/** 48231 → 48k, 1048576 → 1M. */
export function short(n: number): string {
  if (n < 1000) return String(n);
  if (n < 999_500) return `${n < 9950 ? (n / 1000).toFixed(1).replace(/\.0$/, '') : Math.round(n / 1000)}k`;
  return `${(n / 1_000_000).toFixed(1).replace(/\.0$/, '')}M`;
}

/** 20 ms → < 0.1 s, 80 ms → 0.1 s, 6 s, 2 min 5 s. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 0.05) return '< 0.1 s';
  if (seconds < 9.95) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

export const clock = (at: number): string => date({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at);
export const fullTime = (at: number): string => date({ dateStyle: 'full', timeStyle: 'medium' }).format(at);
export const day = (at: number): string => date({ weekday: 'long', day: 'numeric', month: 'long' }).format(at);
export const month = (year: number, index: number): string => date({ month: 'long', year: 'numeric' }).format(new Date(year, index, 1));

/** A time to come: the hour when it is today, the day as well when it is not. */
export function whenWords(at: number, now: number): string {
  if (new Date(at).toDateString() === new Date(now).toDateString()) return clock(at);
  return date({ weekday: 'long', day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at);
}
