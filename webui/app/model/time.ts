/** Amounts of time as people type them, and as they are shown so that they can be typed again. */

const NUMBER = '(\\d+(?:\\.\\d+)?)\\s*';
const HOURS = '(?:h|hrs?|hours?|小时)';
const MINUTES = '(?:m|mins?|minutes?|分钟?)';
const SECONDS = '(?:s|secs?|seconds?|秒钟?)';
/** Each part at most once, from the longest to the shortest. A number behind another part needs a unit, since "1h 30" may mean either. */
const PARTS = new RegExp(`^(?:${NUMBER}${HOURS})?\\s*(?:${NUMBER}${MINUTES})?\\s*(?:${NUMBER}${SECONDS})?$`, 'i');

/** Whole seconds, at least one: "90", "90 s", "10m", "2 h", "1h 30m", "1.5 h"; NaN for what is no such time. */
export function parseTime(typed: string): number {
  const text = typed.trim();
  const found = PARTS.exec(/^\d+$/.test(text) ? `${text} s` : text);
  if (!found) return NaN;
  const [hours, minutes, seconds] = found.slice(1).map((part) => Number(part ?? 0)) as [number, number, number];
  const sum = hours * 3600 + minutes * 60 + seconds;
  // 1.1 hours are whole seconds, but not quite so in binary fractions.
  const whole = Math.round(sum);
  return whole >= 1 && Number.isSafeInteger(whole) && Math.abs(sum - whole) < 1e-6 ? whole : NaN;
}

/** 90 → 1 min 30 s, 600 → 10 min, 5400 → 1 h 30 min: exactly, without the parts that are zero. */
export function writeTime(seconds: number): string {
  const parts = [[Math.floor(seconds / 3600), 'h'], [Math.floor(seconds / 60) % 60, 'min'], [seconds % 60, 's']] as const;
  return parts.filter(([n]) => n > 0).map(([n, unit]) => `${n} ${unit}`).join(' ') || '0 s';
}
