/** The outbox: a message survives a lost line, a reload and a refusal, and leaves only when the server has it. */
import assert from 'node:assert/strict';
import { test, mock } from 'node:test';
import { NO_ANSWER, Outbox, type OutboxHost } from '../wire/outbox.ts';

class Host implements OutboxHost {
  readonly kept = new Map<string, string>();
  readonly sent: Record<string, unknown>[] = [];
  online = true;
  made = 0;
  probes = 0;
  refuse: unknown = null;
  storage = { getItem: (k: string) => this.kept.get(k) ?? null, setItem: (k: string, v: string) => { this.kept.set(k, v); } };
  send(frame: object): boolean { if (this.online) this.sent.push(frame as Record<string, unknown>); return this.online; }
  async createSession(): Promise<string> { if (this.refuse) throw this.refuse; this.made++; return 's1'; }
  describe(e: unknown) { return { code: String(e), detail: String(e), offline: e === 'offline' }; }
  probe(): void { this.probes++; }
  onChange(): void { /* nothing is shown here */ }
}

const entry = (id: string, chat: string | null = 's') => ({ client_message_id: id, chat_id: chat, content: `text ${id}`, mode: 'auto' as const, created_at: 1 });
const states = (o: Outbox) => o.entries.map((e) => `${e.client_message_id}:${e.state}`);

test('offline messages wait in order and go out once the line is back', () => {
  const host = new Host();
  const outbox = new Outbox(host);
  host.online = false;
  outbox.add(entry('a'));
  outbox.add(entry('b'));
  assert.deepEqual(states(outbox), ['a:waiting', 'b:waiting']);
  host.online = true;
  outbox.connected();
  assert.deepEqual(host.sent.map((f) => f.client_message_id), ['a', 'b']);
  outbox.accepted('a');
  outbox.disconnected();
  assert.deepEqual(states(outbox), ['a:accepted', 'b:waiting']);
  outbox.connected();
  assert.deepEqual(host.sent.map((f) => f.client_message_id), ['a', 'b', 'b']);
  outbox.settle('s', new Set(['b']));
  assert.deepEqual(states(outbox), []);
});

test('a reload keeps what is not stored and sends it under the same id', () => {
  const host = new Host();
  new Outbox(host).add(entry('a'));
  const again = new Outbox(host);
  assert.deepEqual(states(again), ['a:waiting']);
  again.connected();
  assert.deepEqual(host.sent.map((f) => f.client_message_id), ['a', 'a']);
  again.disconnected();
});

test('silence for five seconds is said, and a late answer still counts', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const host = new Host();
    const outbox = new Outbox(host);
    outbox.add(entry('a'));
    mock.timers.tick(5001);
    assert.equal(outbox.entries[0]?.reason?.code, NO_ANSWER);
    assert.equal(host.probes, 1);
    outbox.disconnected();
    assert.deepEqual(states(outbox), ['a:waiting']);
    outbox.retry('a');
    assert.deepEqual(states(outbox), ['a:sending']);
    outbox.accepted('a');
    assert.equal(outbox.entries[0]?.reason, undefined);
    mock.timers.tick(6000);
    assert.deepEqual(states(outbox), ['a:accepted']);
  } finally { mock.timers.reset(); }
});

test('a refused message keeps its text and its reason until the reader decides', () => {
  const host = new Host();
  const outbox = new Outbox(host);
  outbox.add(entry('a'));
  outbox.failed('a', { code: 'too_long', detail: 'too long' });
  outbox.connected();
  assert.equal(host.sent.length, 1);
  assert.deepEqual(states(outbox), ['a:failed']);
  assert.equal(outbox.remove('a')?.content, 'text a');
});

test('a first message makes its session once, and waits when the server is out of reach', async () => {
  const host = new Host();
  const outbox = new Outbox(host);
  host.refuse = 'offline';
  outbox.add(entry('a', null));
  await new Promise((r) => setTimeout(r));
  assert.deepEqual(states(outbox), ['a:waiting']);
  host.refuse = null;
  outbox.connected();
  outbox.connected();
  await new Promise((r) => setTimeout(r));
  assert.equal(host.made, 1);
  assert.deepEqual(host.sent.map((f) => f.chat_id), ['s1']);
  outbox.disconnected();
});

test('the root of a session can get a sibling: null is sent, absence is not', () => {
  const host = new Host();
  const outbox = new Outbox(host);
  outbox.add({ ...entry('a'), parent_message_id: null });
  outbox.add(entry('b'));
  assert.equal(host.sent[0]?.parent_message_id, null);
  assert.equal('parent_message_id' in host.sent[1]!, false);
  outbox.disconnected();
});
