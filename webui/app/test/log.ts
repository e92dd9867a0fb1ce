/** Random session logs, and the line that damages them on the way to a reader. */
import type { SessionEvent } from '../model/types.ts';

export function random(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let x = Math.imul(a ^ (a >>> 15), 1 | a);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const WORDS = ['alpha ', 'βeta ', '中文', '😀', 'line\n', '**bold** ', '`code` '];

export class Log {
  readonly events: SessionEvent[] = [];
  head = 0;
  private streams = 0;

  constructor(private readonly next: () => number) {
    const turns = 1 + this.below(3);
    for (let i = 0; i < turns; i++) this.turn(`t${i}`);
  }

  /** What a reader at `after` gets: damaged at random, so that it has to ask again. */
  badLine(after: number): SessionEvent[] {
    const out: SessionEvent[] = [];
    const rest = structuredClone(this.events.filter((e) => e.seq > after));
    for (let i = 0; i < rest.length; i++) {
      const e = rest[i]!;
      const follower = rest[i + 1];
      const dice = this.next();
      if (dice < 0.02) continue;
      if (dice < 0.06 && follower) { out.push(follower, e); i++; continue; }
      if (dice < 0.3 && follower && isDelta(e) && isDelta(follower) && same(e, follower)) {
        rest[i + 1] = { ...follower, prev_seq: e.prev_seq, text: e.text + follower.text };
        continue;
      }
      out.push(e);
      if (dice > 0.9) out.push(structuredClone(e));
    }
    return out;
  }

  private below(n: number): number { return Math.floor(this.next() * n); }

  private add(turn: string | undefined, fields: object): void {
    const prev_seq = this.head;
    this.head += 1 + this.below(3);
    this.events.push({ chat_id: 's', seq: this.head, prev_seq, at: this.head * 10, ...(turn && { turn_id: turn }), ...fields } as SessionEvent);
  }

  private segment(turn: string, kind: 'reasoning_delta' | 'delta'): void {
    const stream_id = `${turn}.${this.streams++}`;
    let text = '';
    for (let n = this.below(6); n >= 0; n--) {
      const piece = WORDS[this.below(WORDS.length)]!;
      text += piece;
      this.add(turn, { event: kind, stream_id, text: piece });
    }
    if (this.next() < 0.15) { // the server was killed here and went on
      this.add(turn, { event: 'turn_resumed', attempt: 2 });
      this.add(turn, { event: 'stream_discarded', stream_id, reason: 'resumed' });
      return this.segment(turn, kind);
    }
    const chars = [...text].length;
    this.add(turn, kind === 'delta' ? { event: 'stream_end', stream_id, chars, resuming: false } : { event: 'reasoning_end', stream_id, chars, duration_ms: 5 });
  }

  private turn(id: string): void {
    this.add(id, { event: 'user_message', message_id: `${id}m`, text: 'go', parent_id: null, client_message_id: `${id}c` });
    this.add(undefined, { event: 'session_updated', state: 'running', title: `title ${id}` });
    this.add(id, { event: 'turn_started', origin: 'user', preset: 'p', model: 'm' });
    for (let i = this.below(4); i >= 0; i--) {
      this.add(id, { event: 'iteration_started', iteration: i });
      if (this.next() < 0.7) this.segment(id, 'reasoning_delta');
      if (this.next() < 0.7) this.tool(id);
      if (this.next() < 0.15) this.budget(id);
      if (this.next() < 0.2) this.add(id, { event: 'notice', stream_id: `${id}.n${this.streams++}`, code: 'retry_wait', text: 'wait' });
      if (this.next() < 0.2) this.providerTool(id);
      if (this.next() < 0.1) this.add(id, { event: 'retry_wait', stream_id: `${id}.w${this.streams++}`, attempt: 2, max_attempts: 4, delay_ms: 10, code: 'provider_unavailable', reason: 'down' });
      if (this.next() < 0.1) this.add(id, { event: 'model_switched', stream_id: `${id}.s${this.streams++}`, from: 'p', to: 'q', code: 'provider_unavailable', reason: 'down' });
      if (this.next() < 0.2) this.add(id, { event: 'user_message', message_id: `${id}s${this.streams++}`, text: 'also', parent_id: null, steer: true });
      this.add(id, { event: 'usage', input_tokens: 10, cached_tokens: 1, output_tokens: 2, context_tokens: 10, context_window_tokens: 100 });
    }
    this.segment(id, 'delta');
    this.add(id, { event: 'message', message_id: `${id}a`, text: '' });
    const reason = ['completed', 'cancelled', 'error'][this.below(3)];
    this.add(id, { event: 'turn_finished', stop_reason: reason, latency_ms: 1, ...(reason === 'error' && { error: { code: 'internal', detail: 'x' } }) });
    this.add(undefined, { event: 'session_updated', state: 'idle' });
  }

  private providerTool(turn: string): void {
    const fields = { event: 'provider_tool', stream_id: `${turn}.${this.streams++}`, call_id: `${turn}p`, name: 'web_search' };
    this.add(turn, { ...fields, phase: 'started' });
    if (this.next() < 0.6) this.add(turn, { ...fields, phase: 'running', arguments: { query: 'x' } });
    if (this.next() < 0.2) this.add(turn, { event: 'stream_discarded', stream_id: fields.stream_id, reason: 'retry' });
    else this.add(turn, { ...fields, phase: this.next() < 0.8 ? 'done' : 'error', text: 'found' });
  }

  private budget(turn: string): void {
    const money = { key: 'turn_usd', unit: 'usd', limit: 1, used: 0.9, needed: 0.2, more: 1 };
    const time = { key: 'session_seconds', unit: 'seconds', limit: 600, used: 600.25, needed: 1, more: 600 };
    this.allowed(turn, { stream_id: `${turn}.${this.streams++}`, kind: 'budget', tool: 'budget', arguments: this.next() < 0.5 ? money : time, covers: [] });
  }

  /** Asks a person, sometimes twice because of a restart, and says what the answer was. */
  private allowed(turn: string, fields: { stream_id: string; call_id?: string; kind: string; tool: string; arguments: object; covers: object[] }): boolean {
    const approval_id = `${fields.stream_id}a`;
    for (let n = this.next() < 0.2 ? 2 : 1; n > 0; n--) this.add(turn, { event: 'approval_requested', approval_id, hint: '', reason: 'why', requested_at: 1, expires_at: 2, ...fields });
    this.add(undefined, { event: 'session_updated', state: 'awaiting_approval' });
    const decision = ['allow_once', 'allow_session', 'allow_always', 'deny', 'expired'][this.below(5)]!;
    const { stream_id, call_id, kind } = fields;
    this.add(turn, { event: 'approval_resolved', stream_id, approval_id, kind, ...(call_id !== undefined && { call_id }), decision, ...(this.next() < 0.5 && { by: 'loopback', reason: 'because' }), ...(decision === 'allow_once' && { arguments: { pattern: 'y' } }) });
    this.add(undefined, { event: 'session_updated', state: 'running' });
    return decision.startsWith('allow');
  }

  private tool(turn: string): void {
    const call_id = `${turn}c${this.streams}`;
    const stream_id = `${turn}.${this.streams++}`;
    this.add(turn, { event: 'tool_started', stream_id, call_id, name: 'grep', arguments: { pattern: 'x' }, hint: '' });
    if (this.next() < 0.3 && !this.allowed(turn, { stream_id, call_id, kind: 'tool', tool: 'grep', arguments: { pattern: 'x' }, covers: [{ tool: 'grep', match: '*' }] })) {
      this.add(turn, { event: 'tool_finished', stream_id, call_id, name: 'grep', status: 'denied', preview: 'no', duration_ms: 1 });
      return;
    }
    for (let n = this.below(3); n > 0; n--) this.add(turn, { event: 'tool_output', stream_id, call_id, text: 'out ', stream: 'stdout' });
    this.add(turn, { event: 'tool_finished', stream_id, call_id, name: 'grep', status: this.next() < 0.8 ? 'ok' : 'error', preview: 'p', duration_ms: 4 });
  }
}

type Delta = Extract<SessionEvent, { event: 'delta' | 'reasoning_delta' }>;
const isDelta = (e: SessionEvent): e is Delta => e.event === 'delta' || e.event === 'reasoning_delta';

const same = (a: Delta, b: Delta): boolean => a.event === b.event && a.stream_id === b.stream_id;
