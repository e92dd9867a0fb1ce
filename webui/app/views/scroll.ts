/** The scroll position of the thread: it follows the end only while the reader is there, and lets go at the first move up. */
const NEAR_END_PX = 48;
const HOLD_MS = 300;
/** Above the first of several questions, so that its row is seen as well. */
const QUESTION_ROOM_PX = 48;
const UP_KEYS = new Set(['ArrowUp', 'PageUp', 'Home']);

export class Follower {
  following = true;
  private lastTop = 0;
  private lastHeight = 0;
  private touchY = 0;
  private heldUntil = 0;

  constructor(private readonly box: HTMLElement, private readonly content: HTMLElement, private readonly host: { onFollow(following: boolean): void; onGrow(): void; onScroll(): void }) {}

  start(): () => void {
    const { box } = this;
    const stop = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(name: K, listener: (e: HTMLElementEventMap[K]) => void) =>
      box.addEventListener(name, listener, { passive: true, signal: stop.signal });
    on('wheel', (e) => { if (e.deltaY < 0) this.letGo(); });
    on('touchstart', (e) => { this.touchY = e.touches[0]?.clientY ?? 0; });
    on('touchmove', (e) => { if ((e.touches[0]?.clientY ?? 0) > this.touchY) this.letGo(); });
    on('keydown', (e) => { if (UP_KEYS.has(e.key) && e.target === box) this.letGo(); });
    on('pointerdown', (e) => { if (e.target === box && e.offsetX >= box.clientWidth) this.letGo(); });
    on('scroll', () => this.scrolled());
    const sizes = new ResizeObserver(() => { this.settle(); this.host.onGrow(); });
    sizes.observe(this.content);
    sizes.observe(box);
    this.settle();
    return () => { stop.abort(); sizes.disconnect(); };
  }

  toEnd(): void {
    this.set(true);
    this.box.scrollTop = this.box.scrollHeight;
    this.settle();
  }

  letGo(): void {
    if (this.box.scrollHeight > this.box.clientHeight) this.set(false);
  }

  private scrolled(): void {
    const { box } = this;
    const up = box.scrollTop < this.lastTop - 1;
    const down = box.scrollTop > this.lastTop + 1;
    const shrank = box.scrollHeight < this.lastHeight;
    if (up && !shrank) this.set(this.atEnd());
    else if (down && this.atEnd()) this.set(true);
    this.note();
    this.host.onScroll();
  }

  /** The reader opens or closes something: what was clicked stays under the pointer. */
  hold(): void { this.heldUntil = performance.now() + HOLD_MS; }

  private settle(): void {
    if (performance.now() < this.heldUntil) this.set(this.atEnd());
    else if (this.following) this.box.scrollTop = Math.max(this.box.scrollTop, Math.min(this.box.scrollHeight, this.firstOfSeveral()));
    this.note();
  }

  /** Where several questions wait, the first one stays in view: they are answered from the top. */
  private firstOfSeveral(): number {
    const [first, second] = this.box.querySelectorAll('.approval');
    if (!first || !second) return Infinity;
    return this.box.scrollTop + first.getBoundingClientRect().top - this.box.getBoundingClientRect().top - QUESTION_ROOM_PX;
  }

  private atEnd(): boolean {
    const { box } = this;
    return box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR_END_PX;
  }

  private note(): void {
    this.lastTop = this.box.scrollTop;
    this.lastHeight = this.box.scrollHeight;
  }

  private set(following: boolean): void {
    if (this.following === following) return;
    this.following = following;
    this.host.onFollow(following);
  }
}
