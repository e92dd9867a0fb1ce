/** The inspector of a turn: bars over time, texts of blocks, what of a request stayed the same, and its address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barsOf, blockName, blockText, gistOf, startIsSame, type CallInfo, type Inspection, type RequestInfo } from '../model/inspection.ts';

const request = (id: string, at: number, ms: number, ok = true): RequestInfo => ({ id, iteration: 1, attempt: 1, preset: 'p', provider: 'q', model: 'm', started_at: at, duration_ms: ms, outcome: ok ? 'ok' : 'error', ok, input_tokens: 1, cached_tokens: 0, output_tokens: 1, estimated: false });
const call = (call_id: string, fields: Partial<CallInfo>): CallInfo => ({ call_id, name: 'exec', iteration: 1, position: 0, status: 'ok', arguments: {}, output_chars: 0, ...fields });
const inspection = (requests: RequestInfo[], calls: CallInfo[] = []): Inspection => ({ requests, calls, hook_faults: [], model_ms: 0, tool_ms: 0 });

test('bars stand where their work stood in the turn, and what never ran has none', () => {
  const bars = barsOf(inspection([request('b', 2000, 1000), request('a', 1000, 500, false)], [call('c', { started_at: 1500, duration_ms: 250 }), call('d', { started_at: 1500, ended_at: 2000, status: 'error' }), call('e', { status: 'denied' })]));
  assert.deepEqual(bars.map(({ key, ok, from, width }) => [key, ok, from, width]), [['ra', false, 0, 0.25], ['cc/1', true, 0.25, 0.125], ['cd/1', false, 0.25, 0.25], ['rb', true, 0.5, 0.5]]);
  assert.deepEqual(barsOf(inspection([])), []);
});

test('blocks of every kind have a text', () => {
  const rows: [Record<string, unknown> & { type: string }, string, string][] = [
    [{ type: 'text', text: 'hello' }, 'hello', ''], [{ type: 'call', id: 'c1', name: 'grep', arguments: { a: 1 } }, '{\n  "a": 1\n}', 'grep · c1'], [{ type: 'call', id: 'c1', name: 'grep', arguments: '{bad' }, '{bad', 'grep · c1'],
    [{ type: 'result', call_id: 'c1', name: 'grep', status: 'ok', text: 'hit' }, 'hit', 'grep · ok · c1'], [{ type: 'image', mime: 'image/png', media_id: 'm' }, 'image/png · m', ''], [{ type: 'pause' }, '', ''], [{ type: 'later', x: 1 }, '{\n  "x": 1\n}', ''],
  ];
  for (const [block, text, name] of rows) assert.deepEqual([blockText(block), blockName(block)], [text, name], block.type);
  assert.equal(gistOf({ role: 'assistant', blocks: [{ type: 'text', text: 'one\n two' }, { type: 'call', name: 'ls', arguments: {} }] }), 'one two ls({})');
  assert.equal([...gistOf({ role: 'user', blocks: [{ type: 'text', text: '深'.repeat(200) }] })].length, 121);
});

test('a request that only added something has the same start', () => {
  const same = { previous_id: 'a', system_changed: false, tools_changed: false, unchanged_messages: 2, removed: [], added: [{ role: 'user', blocks: [] }] };
  assert.equal(startIsSame(same), true);
  for (const other of [{ system_changed: true }, { tools_changed: true }, { removed: same.added }]) assert.equal(startIsSame({ ...same, ...other }), false);
});
