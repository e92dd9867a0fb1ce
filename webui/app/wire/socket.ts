/** Keeps one WebSocket to the server alive: reconnects with growing delays, pings, and hands parsed frames on. */
import type { ConnectionFrame, Frame } from '../model/types.ts';

export type SocketState = 'connecting' | 'ready' | 'waiting' | 'signed_out' | 'outdated';
export type Ready = Extract<ConnectionFrame, { event: 'ready' }>;

/** The part of the browser's WebSocket that is used here; tests bring their own. */
export interface RawSocket {
  readonly readyState: number;
  onmessage: ((e: { data: unknown }) => void) | null;
  onclose: ((e: { code: number }) => void) | null;
  send(text: string): void;
  close(): void;
}

export interface SocketOptions {
  open(): RawSocket;
  onFrame(frame: Frame): void;
  onState(state: SocketState): void;
  random?(): number;
}

const OPEN = 1;
const FIRST_DELAY_MS = 250;
const LAST_DELAY_MS = 8000;
const PING_MS = 20_000;
const PONG_MS = 10_000;
const PROBE_MS = 3000;

/** 0.25 s doubling to 8 s, spread by a fifth so that many pages do not come back in step. */
export function reconnectDelay(attempt: number, random: number): number {
  const base = Math.min(LAST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
  return base * (0.8 + 0.4 * random);
}

export class Socket {
  state: SocketState = 'connecting';
  private raw: RawSocket | null = null;
  private attempt = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private ping: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: SocketOptions) {}

  connect(): void {
    clearTimeout(this.retry);
    this.drop();
    this.become('connecting');
    const raw = this.raw = this.options.open();
    raw.onmessage = (e) => { if (this.raw === raw) this.receive(String(e.data)); };
    raw.onclose = (e) => { if (this.raw === raw) this.closed(e.code); };
    this.expect(PONG_MS);
  }

  /** The network may be back: try now instead of waiting, or check that an open socket still answers. */
  nudge(): void {
    if (this.state === 'waiting') this.connect();
    else if (this.state === 'ready') this.sendPing();
  }

  /** The browser lost its network: an open socket would not notice for a long time. A server on this machine is back at once. */
  offline(): void {
    if (this.state === 'ready' || this.state === 'connecting') this.closed(0);
  }

  /** The browser has a network again; an attempt from before may hang. */
  online(): void {
    this.attempt = 0;
    if (this.state === 'connecting') this.connect(); else this.nudge();
  }

  /** Something was not answered: ask whether anyone is there, and do not wait long for it. */
  probe(): void {
    if (this.state === 'ready') this.sendPing(PROBE_MS);
  }

  /** False when the frame could not be sent; whoever sends keeps it until the next `ready`. */
  send(frame: object): boolean {
    if (this.state !== 'ready' && this.state !== 'outdated') return false;
    if (this.raw?.readyState !== OPEN) return false;
    this.raw.send(JSON.stringify(frame));
    return true;
  }

  private receive(text: string): void {
    let frame: Frame;
    try { frame = JSON.parse(text) as Frame; } catch { return; }
    this.expect();
    if (frame.event === 'ready') {
      this.attempt = 0;
      this.become('ready');
    }
    this.options.onFrame(frame);
  }

  private closed(code: number): void {
    this.drop();
    if (code === 4401) return this.become('signed_out');
    if (code === 4409) this.become('outdated');
    else this.become('waiting');
    const slow = code === 4429 ? LAST_DELAY_MS : 0;
    this.retry = setTimeout(() => this.connect(), slow + reconnectDelay(this.attempt++, (this.options.random ?? Math.random)()));
  }

  /** Any frame shows that the server is there; silence brings a ping, and silence after that a new socket. */
  private expect(withinMs?: number): void {
    clearTimeout(this.ping);
    this.ping = withinMs === undefined ? setTimeout(() => this.sendPing(), PING_MS) : setTimeout(() => this.closed(0), withinMs);
  }

  private sendPing(withinMs = PONG_MS): void {
    if (this.send({ type: 'ping' })) this.expect(withinMs);
    else this.closed(0);
  }

  private drop(): void {
    clearTimeout(this.ping);
    const raw = this.raw;
    this.raw = null;
    if (!raw) return;
    raw.onmessage = raw.onclose = null;
    raw.close();
  }

  private become(state: SocketState): void {
    if (this.state === state) return;
    this.state = state;
    this.options.onState(state);
  }
}
