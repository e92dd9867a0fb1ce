/** The feed: attach behind the turns that were read, ask again after a gap, read again when told to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyView, apply } from '../model/session.ts';
import type { SessionEvent } from '../model/types.ts';
import { Feed } from '../wire/feed.ts';
import { Log, random } from './log.ts';

const wait = (ms = 0) => new Promise((r) => setTimeout(r, ms));

/** A server that knows one log and has shown it up to `at`. */
class Server {
  readonly attaches: number[] = [];
  reads = 0;
  mode: 'replay' | 'reload' = 'replay';
  resets = 0;
  errors = 0;
  readonly feed: Feed = new Feed('s', {
    send: (frame) => { const f = frame as { type: string; after_seq: number }; if (f.type === 'attach') this.attaches.push(f.after_seq); return true; },
    turns: async () => { this.reads++; return { ...this.page(), next_cursor: null }; },
    onReset: () => { this.resets++; },
    onChange: () => undefined,
    onError: () => { this.errors++; },
  });

  constructor(readonly log: SessionEvent[], public at: number) {}

  page() {
    const view = emptyView();
    for (const e of this.log.slice(0, this.at)) apply(view, structuredClone(e));
    return { items: view.turns, head_seq: view.seq };
  }

  answer(): void {
    const mode = this.mode;
    this.mode = 'replay';
    this.feed.attached({ event: 'attached', chat_id: 's', head_seq: this.log.at(-1)!.seq, boot_id: 'b', mode, state: 'idle' });
    if (mode === 'reload') return;
    let prev_seq = this.attaches.at(-1)!;
    for (const e of this.log) if (e.seq > this.attaches.at(-1)!) { this.feed.event(structuredClone({ ...e, prev_seq })); prev_seq = e.seq; }
  }
}

const logOf = (seed: number) => new Log(random(seed)).events;

test('turns that were read and the replay behind them give the whole view', async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const log = logOf(seed);
    const server = new Server(log, seed % log.length);
    await server.feed.read();
    server.answer();
    const want = emptyView();
    for (const e of log) apply(want, structuredClone(e));
    assert.deepEqual(server.feed.view.turns, want.turns, `seed ${seed}`);
    server.feed.close();
  }
});

test('frames before the answer to attach are left alone, a gap attaches again from the last number', async () => {
  const log = logOf(3);
  const server = new Server(log, 2);
  await server.feed.read();
  server.feed.event(log[2]!);
  assert.equal(server.feed.view.seq, log[1]!.seq);
  server.feed.attached({ event: 'attached', chat_id: 's', head_seq: 0, boot_id: 'b', mode: 'replay', state: 'idle' });
  server.feed.event(log[4]!);
  assert.deepEqual(server.attaches, [log[1]!.seq, log[1]!.seq]);
  server.answer();
  assert.equal(server.feed.view.seq, log.at(-1)!.seq);
  server.feed.close();
});

test('an answer of reload reads the turns again', async () => {
  const log = logOf(5);
  const server = new Server(log, 1);
  await server.feed.read();
  server.mode = 'reload';
  server.at = log.length;
  server.answer();
  await wait();
  assert.equal(server.reads, 2);
  server.answer();
  assert.equal(server.feed.phase, 'live');
  assert.equal(server.feed.view.seq, log.at(-1)!.seq);
  server.feed.close();
});

test('gaps that do not heal are asked for ever more slowly', async () => {
  const log = logOf(7);
  const server = new Server(log, 1);
  await server.feed.read();
  for (let i = 0; i < 6; i++) {
    server.feed.attached({ event: 'attached', chat_id: 's', head_seq: 0, boot_id: 'b', mode: 'replay', state: 'idle' });
    server.feed.event(log[5]!);
  }
  assert.ok(server.attaches.length <= 3, `${server.attaches.length} attaches at once`);
  server.feed.close();
});

test('a new connection goes on from the last number', async () => {
  const log = logOf(9);
  const server = new Server(log, 4);
  await server.feed.read();
  server.answer();
  server.feed.disconnected();
  server.feed.event(log[0]!);
  server.feed.connected();
  assert.equal(server.attaches.at(-1), log.at(-1)!.seq);
  server.answer();
  assert.equal(server.feed.phase, 'live');
  server.feed.close();
});
