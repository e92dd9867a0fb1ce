/** A clock for views that show running time. It ticks only while one of them is on the screen. */
import { useEffect, useState } from 'preact/hooks';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void { for (const listener of listeners) listener(); }

function listen(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) { clearInterval(timer); timer = undefined; }
  };
}

/** The time, renewed each second while `running`. */
export function useNow(running: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => (running ? listen(() => setNow(Date.now())) : undefined), [running]);
  return now;
}

/** Milliseconds since the view came up, renewed each second while `running`. */
export function useElapsed(running: boolean, since?: number): number {
  const [start] = useState(() => since ?? Date.now());
  return Math.max(0, useNow(running) - start);
}
