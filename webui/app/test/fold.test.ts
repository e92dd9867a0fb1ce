/** The fold: a reader that loses, repeats and reorders frames and reconnects ends with the view of one that never left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply, emptyView, type SessionView } from '../model/session.ts';
import type { SessionEvent } from '../model/types.ts';
import { Log, random } from './log.ts';

const clean = (events: SessionEvent[]): SessionView => {
  const view = emptyView();
  for (const e of events) assert.equal(apply(view, structuredClone(e)).outcome, 'applied');
  return view;
};

const event = (e: object): SessionEvent => ({ chat_id: 's', at: 0, turn_id: 't', ...e }) as SessionEvent;
const run = (...fields: object[]): SessionView => clean(fields.map((f, i) => event({ seq: i + 1, prev_seq: i, ...f })));

test('400 random logs over a bad line fold to the clean view', () => {
  for (let seed = 1; seed <= 400; seed++) {
    const next = random(seed);
    const log = new Log(next);
    const want = clean(log.events);
    const view = emptyView();
    // A line that drops, repeats, swaps and merges frames; every gap asks the server again, as the feed does.
    for (let rounds = 0; view.seq < log.head; rounds++) {
      assert.ok(rounds < 2000, `seed ${seed} ends`);
      for (const frame of log.badLine(view.seq)) if (apply(view, frame).outcome === 'gap') break;
    }
    assert.deepEqual(view, want, `seed ${seed}`);
  }
});

test('an event applies only on top of its predecessor', () => {
  const view = run({ event: 'turn_started', origin: 'cron', preset: 'p', model: 'm' });
  assert.equal(apply(view, event({ event: 'delta', seq: 5, prev_seq: 3, stream_id: 'a', text: 'x' })).outcome, 'gap');
  assert.equal(apply(view, event({ event: 'delta', seq: 1, prev_seq: 0, stream_id: 'a', text: 'x' })).outcome, 'stale');
  assert.equal(apply(view, event({ event: 'delta', seq: 9, prev_seq: 1, stream_id: 'a', text: 'x' })).outcome, 'applied');
  assert.equal(view.seq, 9);
});

test('text that comes after the end of its segment starts a new part and never reopens the old one', () => {
  const view = run(
    { event: 'reasoning_delta', stream_id: 'r', text: 'one' },
    { event: 'reasoning_end', stream_id: 'r', chars: 3, duration_ms: 7 },
    { event: 'reasoning_delta', stream_id: 'r', text: 'late' },
    { event: 'reasoning_delta', stream_id: 'r', text: 'r' },
  );
  assert.deepEqual(view.turns[0]?.parts, [
    { stream_id: 'r', kind: 'reasoning', text: 'one', open: false, duration_ms: 7 },
    { stream_id: 'r~1', kind: 'reasoning', text: 'later', open: true },
  ]);
});

test('a discarded segment disappears with everything that came late for it', () => {
  const view = run(
    { event: 'delta', stream_id: 'a', text: 'x' },
    { event: 'stream_end', stream_id: 'a', chars: 1, resuming: false },
    { event: 'delta', stream_id: 'a', text: 'y' },
    { event: 'delta', stream_id: 'ab', text: 'z' },
    { event: 'stream_discarded', stream_id: 'a', reason: 'retry' },
  );
  assert.deepEqual(view.turns[0]?.parts.map((p) => p.stream_id), ['ab']);
});

test('a tool call has one row from start to end, and the end of the turn closes what is open', () => {
  const view = run(
    { event: 'tool_started', stream_id: 'x', call_id: 'c', name: 'grep', arguments: { pattern: 'a' }, hint: '' },
    { event: 'tool_output', stream_id: 'x', call_id: 'c', text: 'hit', stream: 'stdout' },
    { event: 'tool_finished', stream_id: 'x', call_id: 'c', name: 'grep', status: 'ok', preview: 'hit', duration_ms: 3 },
    { event: 'tool_started', stream_id: 'y', call_id: 'd', name: 'exec', arguments: {}, hint: '' },
    { event: 'turn_finished', stop_reason: 'cancelled', latency_ms: 1 },
  );
  const [turn] = view.turns;
  assert.deepEqual(turn?.parts, [
    { stream_id: 'x', kind: 'tool', call_id: 'c', name: 'grep', arguments: { pattern: 'a' }, status: 'ok', output: 'hit', preview: 'hit', duration_ms: 3 },
    { stream_id: 'y', kind: 'tool', call_id: 'd', name: 'exec', arguments: {}, status: 'cancelled' },
  ]);
  assert.equal(turn?.state, 'cancelled');
});

test('a wait and a switch become notices; the wait knows its end by the clock of the server', () => {
  const view = run(
    { event: 'retry_wait', at: 1000, stream_id: 'w', attempt: 2, max_attempts: null, delay_ms: 500, code: 'provider_rate_limit', reason: 'slow down' },
    { event: 'model_switched', stream_id: 's', from: 'a', to: 'b', model: 'big', code: 'provider_unavailable', reason: 'down' },
  );
  assert.deepEqual(view.turns[0]?.parts, [
    { stream_id: 'w', kind: 'notice', code: 'retry_wait', text: 'slow down', data: { attempt: 2, max_attempts: null, delay_ms: 500, code: 'provider_rate_limit', until_at: 1500 } },
    { stream_id: 's', kind: 'notice', code: 'model_switched', text: 'down', data: { from: 'a', to: 'b', model: 'big', code: 'provider_unavailable' } },
  ]);
  assert.deepEqual([view.turns[0]?.preset, view.turns[0]?.model], ['b', 'big']);
});

test('the phases of a tool of the provider update one part, and what a later one leaves out stays', () => {
  const view = run(
    { event: 'provider_tool', stream_id: 'p', call_id: 'c', name: 'web_search', phase: 'started' },
    { event: 'provider_tool', stream_id: 'q', call_id: 'd', name: 'code', phase: 'started' },
    { event: 'provider_tool', stream_id: 'p', call_id: 'c', name: 'web_search', phase: 'running', arguments: { query: 'rust' } },
    { event: 'provider_tool', stream_id: 'p', call_id: 'c', name: 'web_search', phase: 'done', text: 'found' },
  );
  assert.deepEqual(view.turns[0]?.parts, [
    { stream_id: 'p', kind: 'provider_tool', call_id: 'c', name: 'web_search', phase: 'done', arguments: { query: 'rust' }, text: 'found' },
    { stream_id: 'q', kind: 'provider_tool', call_id: 'd', name: 'code', phase: 'started' },
  ]);
});

test('a call of the provider that is open when the turn ends has failed', () => {
  const view = run(
    { event: 'provider_tool', stream_id: 'p', call_id: 'c', name: 'web_search', phase: 'running' },
    { event: 'turn_finished', stop_reason: 'cancelled', latency_ms: 1 },
  );
  assert.deepEqual(view.turns[0]?.parts, [{ stream_id: 'p', kind: 'provider_tool', call_id: 'c', name: 'web_search', phase: 'error' }]);
});

test('what is discarded goes whatever it is: text, also when it had ended, and tools of the provider', () => {
  const view = run(
    { event: 'reasoning_delta', stream_id: 'r', text: 'hm' },
    { event: 'reasoning_end', stream_id: 'r', chars: 2, duration_ms: 1 },
    { event: 'provider_tool', stream_id: 'p', call_id: 'c', name: 'web_search', phase: 'done' },
    { event: 'delta', stream_id: 'a', text: 'x' },
    ...['r', 'p', 'a'].map((stream_id) => ({ event: 'stream_discarded', stream_id, reason: 'retry' })),
    { event: 'retry_wait', stream_id: 'w', attempt: 2, max_attempts: 4, delay_ms: 1, code: 'stream_truncated', reason: 'cut' },
  );
  assert.deepEqual(view.turns[0]?.parts.map((p) => p.stream_id), ['w']);
});

const asked = (more: object = {}) => ({
  event: 'approval_requested', stream_id: 'x', approval_id: 'a', kind: 'tool', call_id: 'c', tool: 'exec', arguments: { command: 'ls' }, hint: 'ls', reason: 'runs a command', requested_at: 5, expires_at: 9, covers: [{ tool: 'exec', match: 'ls' }], ...more,
});
const started = { event: 'tool_started', stream_id: 'x', call_id: 'c', name: 'exec', arguments: { command: 'ls' }, hint: 'ls' };
const begin = { event: 'turn_started', origin: 'user', preset: 'p', model: 'm' };
const stateOf = (state: string) => ({ event: 'session_updated', turn_id: undefined, state });

test('a call that needs an answer waits in its row, and the turn waits with it', () => {
  const view = run(begin, started, asked(), stateOf('awaiting_approval'));
  const [turn] = view.turns;
  assert.deepEqual(turn?.parts, [{
    stream_id: 'x', kind: 'tool', call_id: 'c', name: 'exec', arguments: { command: 'ls' }, hint: 'ls', status: 'waiting',
    approval: { approval_id: 'a', kind: 'tool', call_id: 'c', tool: 'exec', arguments: { command: 'ls' }, hint: 'ls', reason: 'runs a command', requested_at: 5, expires_at: 9, covers: [{ tool: 'exec', match: 'ls' }] },
  }]);
  assert.deepEqual([turn?.state, view.state], ['awaiting_approval', 'awaiting_approval']);
});

test('an allowed call runs, with other arguments when the person changed them', () => {
  const view = run(begin, started, asked(), stateOf('awaiting_approval'), { event: 'approval_resolved', at: 7, stream_id: 'x', approval_id: 'a', kind: 'tool', call_id: 'c', decision: 'allow_once', by: 'phone', arguments: { command: 'ls -a' } }, stateOf('running'));
  const [part] = view.turns[0]!.parts;
  assert.ok(part?.kind === 'tool');
  assert.deepEqual([part.status, part.arguments, part.approval?.decision, part.approval?.by, part.approval?.decided_at], ['running', { command: 'ls -a' }, 'allow_once', 'phone', 7]);
  assert.deepEqual(part.approval?.arguments, { command: 'ls' });
  assert.deepEqual([view.turns[0]?.state, view.state], ['running', 'running']);
});

test('a denied call waits for its end and keeps who said no and why', () => {
  const view = run(
    begin, started, asked(), { event: 'approval_resolved', at: 7, stream_id: 'x', approval_id: 'a', kind: 'tool', call_id: 'c', decision: 'deny', by: 'phone', reason: 'not now' },
    { event: 'tool_finished', stream_id: 'x', call_id: 'c', name: 'exec', status: 'denied', preview: 'denied: not now', duration_ms: 0 },
  );
  const [part] = view.turns[0]!.parts;
  assert.ok(part?.kind === 'tool');
  assert.deepEqual([part.status, part.approval?.decision, part.approval?.decided_reason], ['denied', 'deny', 'not now']);
});

test('a question about the budget is a part of its own', () => {
  const more = { key: 'turn_usd', unit: 'usd', limit: 1, used: 0.98, more: 1 };
  const ask = { ...asked({ stream_id: 'b', kind: 'budget', call_id: undefined, tool: 'budget', arguments: more, covers: [] }) };
  const view = run(begin, { event: 'delta', stream_id: 't', text: 'x' }, ask, { event: 'approval_resolved', at: 8, stream_id: 'b', approval_id: 'a', kind: 'budget', decision: 'expired' });
  const [text, part] = view.turns[0]!.parts;
  assert.deepEqual(text, { stream_id: 't', kind: 'text', text: 'x', open: false });
  assert.ok(part?.kind === 'approval');
  assert.deepEqual([part.stream_id, part.approval.arguments, part.approval.decision, part.approval.decided_at, 'call_id' in part.approval], ['b', more, 'expired', 8, false]);
});

test('an answer to a question that is not here changes nothing', () => {
  const view = run(begin, started, asked());
  const before = structuredClone(view.turns);
  apply(view, event({ event: 'approval_resolved', seq: 4, prev_seq: 3, stream_id: 'x', approval_id: 'other', kind: 'tool', call_id: 'c', decision: 'deny' }));
  assert.deepEqual(view.turns, before);
});

test('the access mode of a session: an empty one means as configured', () => {
  assert.equal(run({ event: 'session_updated', access: 'full' }).access, 'full');
  assert.equal(run({ event: 'session_updated', access: 'full' }, { event: 'session_updated', access: '' }).access, null);
});

test('the length of a segment is checked in Unicode scalars', () => {
  const view = emptyView();
  const apply1 = (e: object) => apply(view, event(e));
  apply1({ event: 'delta', seq: 1, prev_seq: 0, stream_id: 'a', text: 'a😀' });
  const good = apply1({ event: 'stream_end', seq: 2, prev_seq: 1, stream_id: 'a', chars: 2, resuming: false });
  apply1({ event: 'delta', seq: 3, prev_seq: 2, stream_id: 'b', text: '中文' });
  const bad = apply1({ event: 'stream_end', seq: 4, prev_seq: 3, stream_id: 'b', chars: 3, resuming: false });
  assert.equal('reread' in good && good.reread, false);
  assert.equal('reread' in bad && bad.reread, 'text_differs');
});

test('a steered message stands where it joined, a request with branches asks for the turns again', () => {
  const view = run(
    { event: 'user_message', message_id: 'm', text: 'go', parent_id: null, client_message_id: 'k' },
    { event: 'turn_started', origin: 'user', preset: 'p', model: 'm' },
    { event: 'delta', stream_id: 'a', text: 'x' },
    { event: 'user_message', message_id: 'n', text: 'also', parent_id: null, steer: true },
  );
  assert.deepEqual(view.turns[0]?.parts[1], { stream_id: 'n', kind: 'steer', message_id: 'n', text: 'also' });
  const change = apply(view, event({ event: 'user_message', turn_id: 't2', seq: 5, prev_seq: 4, message_id: 'o', text: 'x', parent_id: null, branch: { index: 2, count: 2, siblings: ['m', 'o'] } }));
  assert.equal('reread' in change && change.reread, 'branch');
});

test('an event of an unknown kind counts and does nothing', () => {
  const view = run({ event: 'delta', stream_id: 'a', text: 'x' });
  const before = structuredClone(view.turns);
  assert.equal(apply(view, event({ event: 'from_the_future', seq: 2, prev_seq: 1 })).outcome, 'applied');
  assert.deepEqual(view.turns, before);
  assert.equal(view.seq, 2);
});
