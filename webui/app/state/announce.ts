/** The live regions: a polite one for short words about what happens, at most one in two seconds, the last one wins; and one that interrupts. */
import { signal } from '@preact/signals';

export const announcement = signal('');
/** What cannot wait: a person is asked something. */
export const alarm = signal('');

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
