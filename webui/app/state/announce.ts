/** The one polite live region: short words about what happens, at most one in two seconds, the last one wins. */
import { signal } from '@preact/signals';

export const announcement = signal('');

const GAP_MS = 2000;
let last = 0;
let waiting: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
  clearTimeout(waiting);
  const wait = Math.max(0, last + GAP_MS - Date.now());
  waiting = setTimeout(() => {
    last = Date.now();
    announcement.value = text;
  }, wait);
}
