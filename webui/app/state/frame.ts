/** One animation frame for everything that is due: parts that draw growing text, and signals that change views. */
export interface Paintable {
  /** Draws what is new; true while some is left for the next frame. */
  paint(): boolean;
}

const dirty = new Set<Paintable>();
const jobs = new Set<() => void>();
let asked = false;

function ask(): void {
  if (asked) return;
  asked = true;
  requestAnimationFrame(run);
}

function run(): void {
  asked = false;
  const due = [...jobs];
  jobs.clear();
  for (const job of due) job();
  for (const part of [...dirty]) {
    dirty.delete(part);
    if (part.paint()) dirty.add(part);
  }
  if (dirty.size) ask();
}

export function repaint(part: Paintable): void { dirty.add(part); ask(); }
export function forget(part: Paintable): void { dirty.delete(part); }
/** The same function asked for twice runs once. */
export function nextFrame(job: () => void): void { jobs.add(job); ask(); }
