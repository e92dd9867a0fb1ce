/** Keeps one session in step with the server: reads its turns, attaches, applies events, and asks again after a gap. */
import { apply, emptyView, type Change, type SessionView } from '../model/session.ts';
import { isLive, withoutDuplicates } from '../model/turns.ts';
import type { ConnectionFrame, SessionEvent } from '../model/types.ts';
import type { TurnsPage } from './api.ts';

type Attached = Extract<ConnectionFrame, { event: 'attached' }>;

export interface FeedHost {
  send(frame: object): boolean;
  turns(chatId: string, before?: string): Promise<TurnsPage>;
  /** The turns were read again: everything may differ. */
  onReset(): void;
  onChange(change: Change): void;
  onError(error: unknown): void;
}

type Phase = 'reading' | 'attaching' | 'live' | 'offline' | 'failed';

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 8000;

export class Feed {
  readonly view: SessionView = emptyView();
  /** Cursor of the page of older turns, null when the first turn is here, undefined before the first read. */
  older: string | null | undefined;
  phase: Phase = 'offline';
  private loaded = false;
  private closed = false;
  /** Attach frames that are sent and not answered; only the last answer counts. */
  private outstanding = 0;
  private attempt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly reread = new Set<string>();
  private reading = 0;

  constructor(readonly chatId: string, private readonly host: FeedHost) {}

  /** Reads the newest page of turns, then attaches behind it. */
  async read(): Promise<void> {
    const mine = ++this.reading;
    clearTimeout(this.timer);
    this.phase = 'reading';
    try {
      const page = await this.host.turns(this.chatId);
      if (this.closed || mine !== this.reading) return;
      this.adopt(page);
      this.attach();
    } catch (error) {
      if (this.closed || mine !== this.reading) return;
      this.phase = 'failed';
      this.host.onError(error);
    }
  }

  /** The page of older turns, put in front of the ones here. */
  async readOlder(): Promise<void> {
    if (!this.older) return;
    const cursor = this.older;
    const page = await this.host.turns(this.chatId, cursor);
    if (this.closed || this.older !== cursor) return;
    this.view.turns = [...withoutDuplicates(page.items, this.view.turns), ...this.view.turns];
    this.older = page.next_cursor;
    this.host.onReset();
  }

  /** A new connection is ready: go on where the last one stopped. */
  connected(): void {
    this.outstanding = 0;
    this.attempt = 0;
    if (this.phase === 'reading') return;
    if (this.loaded) this.attach(); else void this.read();
  }

  disconnected(): void {
    clearTimeout(this.timer);
    this.outstanding = 0;
    if (this.phase !== 'reading') this.phase = 'offline';
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.host.send({ type: 'detach', chat_id: this.chatId });
  }

  attached(frame: Attached): void {
    if (this.closed || this.outstanding === 0) return; // an answer to a message frame of this page
    if (--this.outstanding > 0 || this.phase !== 'attaching') return;
    if (frame.mode === 'reload') { this.again(() => void this.read()); return; }
    const { view } = this;
    this.phase = 'live';
    view.state = frame.state;
    const silent = frame.head_seq <= view.seq && frame.state === 'idle' && view.turns.some(isLive);
    if (silent && !this.reread.has('idle')) { this.reread.add('idle'); void this.read(); }
    this.host.onChange({ outcome: 'applied', meta: true });
  }

  event(event: SessionEvent): void {
    if (this.closed || this.phase !== 'live') return;
    const change = apply(this.view, event);
    if (change.outcome === 'stale') return;
    if (change.outcome === 'gap') { this.phase = 'attaching'; this.again(() => this.attach()); return; }
    this.attempt = 0;
    this.host.onChange(change);
    if (change.reread && this.once(change.reread, event)) void this.read();
  }

  private attach(): void {
    if (this.closed) return;
    this.phase = 'attaching';
    if (this.host.send({ type: 'attach', chat_id: this.chatId, after_seq: this.view.seq })) this.outstanding++;
    else this.phase = 'offline';
  }

  /** At once the first time, then ever later while no event could be applied in between. */
  private again(action: () => void): void {
    clearTimeout(this.timer);
    const delay = this.attempt === 0 ? 0 : Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.attempt - 1));
    this.attempt++;
    if (delay === 0) action(); else this.timer = setTimeout(action, delay);
  }

  /** A text that differs is read again once; a second difference would never end. */
  private once(why: string, event: SessionEvent): boolean {
    if (why !== 'text_differs') return true;
    const key = 'stream_id' in event ? String(event.stream_id) : '';
    const first = !this.reread.has(key);
    this.reread.add(key);
    return first;
  }

  private adopt(page: TurnsPage): void {
    const { view } = this;
    const first = page.items[0]?.id;
    const at = view.turns.findIndex((t) => t.id === first);
    const kept = this.loaded && at > 0 && page.next_cursor !== null ? view.turns.slice(0, at) : [];
    view.turns = [...kept, ...page.items];
    view.seq = page.head_seq;
    if (kept.length === 0) this.older = page.next_cursor;
    this.loaded = true;
    this.host.onReset();
  }
}
