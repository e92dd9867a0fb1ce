/** The small questions that views ask: what a tool row says, how sessions and steps are grouped, where marks stand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupSessions } from '../model/groups.ts';
import { pieces } from '../model/marks.ts';
import { objectOf, providerObject, providerVerb, shorten } from '../model/tools.ts';
import { contextOf, countSteps, firstWords, groupSteps, queuedTurns, rowsOf, threadTurns, toldByNotice } from '../model/turns.ts';
import type { NoticePart, Part, Session, ToolPart, Turn } from '../model/types.ts';
import { en } from '../i18n/en.ts';
import { zhCN } from '../i18n/zh-CN.ts';
import { reconnectDelay } from '../wire/socket.ts';

const tool = (name: string, args: unknown, status: ToolPart['status'] = 'ok'): ToolPart => ({ stream_id: name, kind: 'tool', call_id: name, name, arguments: args, status, duration_ms: 10 });
const turn = (id: string, state: Turn['state'], more: Partial<Turn> = {}): Turn => ({ id, origin: 'user', state, parts: [], ...more });

test('the object of a tool row', () => {
  const rows: [string, unknown, string][] = [
    ['read_file', { path: 'notes/a.md' }, 'notes/a.md'], ['read_file', { path: 'a', offset: 20 }, 'a:20'], ['grep', { pattern: 'fn main', path: '.' }, '"fn main"'],
    ['exec', { command: '\n  cargo test\nls' }, 'cargo test'], ['web_fetch', { url: 'https://example.test/a/b?c=1' }, 'example.test/a/b'], ['list_dir', {}, '.'],
    ['mcp_thing', { x: 1 }, 'mcp_thing'], ['read_file', null, ''],
  ];
  for (const [name, args, want] of rows) assert.equal(objectOf(tool(name, args)), want, name);
  assert.equal(objectOf({ ...tool('read_file', { path: 'a', offset: 1, limit: 10 }), hint: 'a:1-10' }), 'a:1-10');
  assert.equal([...shorten(`${'深'.repeat(40)}/${'文'.repeat(40)}`)].length, 56);
});

test('a tool of the provider is known under its many names', () => {
  for (const [name, verb] of [['web_search', 'search'], ['web_search_call', 'search'], ['web_fetch', 'open'], ['code_interpreter_call', 'run'], ['image_generation_call', 'draw'], ['file_search', 'grep'], ['mcp_call', 'use']] as const) assert.equal(providerVerb(name), verb);
  const part = (name: string, args?: unknown) => providerObject({ stream_id: 's', kind: 'provider_tool', call_id: 'c', name, phase: 'done', ...(args !== undefined && { arguments: args }) });
  assert.deepEqual([part('web_search', { query: 'rust' }), part('web_search'), part('mcp_call'), part('web_fetch', { url: 'https://a.test/b' }), part('x', { queries: ['one', 'two'] })], ['"rust"', '', 'mcp_call', 'a.test/b', 'one']);
});

test('steps of a finished turn fold from the given number on, and failures are counted', () => {
  const text: Part = { stream_id: 't', kind: 'text', text: 'x', open: false };
  const many = [tool('a', {}), tool('b', {}, 'error'), tool('c', {}), tool('d', {})];
  assert.deepEqual(groupSteps([...many, text], 4).map((g) => g.kind), ['steps', 'part']);
  assert.deepEqual(groupSteps([...many.slice(1), text], 4).map((g) => g.kind), ['part', 'part', 'part', 'part']);
  const moved: Part = { stream_id: 's', kind: 'notice', code: 'model_switched', text: 'down' };
  assert.deepEqual(groupSteps([...many, moved, ...many], 4).map((g) => g.kind), ['steps', 'part', 'steps']);
  assert.deepEqual(countSteps(many), { steps: 4, durationMs: 40, failed: 1 });
});

test('a request that is shortened again and again says so in one row, at the place of the last time', () => {
  const cut = (id: string): NoticePart => ({ stream_id: id, kind: 'notice', code: 'context_governed', text: '', data: { steps: [], budget_tokens: 1 } });
  const few = [cut('1'), tool('a', {}), cut('2'), tool('b', {})];
  assert.deepEqual(rowsOf(few), few);
  const rows = rowsOf([cut('1'), tool('a', {}), cut('2'), tool('b', {}), cut('3'), tool('c', {}), cut('4'), tool('d', {})]);
  assert.deepEqual(rows.map((r) => r.stream_id), ['1', 'a', 'b', 'c', '2', 'd'], 'its key stays as it moves on');
  const row = rows.find((r) => r.kind === 'shortened');
  assert.deepEqual([row?.times, row?.notices.map((n) => n.stream_id)], [4, ['2', '3', '4']]);
  assert.equal(countSteps(rows).steps, 6);
  assert.deepEqual(groupSteps(rows, 4).map((g) => g.kind), ['steps']);
});

test('the end of a turn is told once', () => {
  const notice = (code: string): Part => ({ stream_id: 'n', kind: 'notice', code, text: 'Stopped: …' });
  assert.ok(toldByNotice(turn('a', 'done', { stop_reason: 'budget', parts: [notice('budget')] })));
  assert.ok(toldByNotice(turn('a', 'done', { stop_reason: 'loop', parts: [notice('loop')] })));
  assert.ok(!toldByNotice(turn('a', 'done', { stop_reason: 'budget' })));
  assert.ok(!toldByNotice(turn('a', 'done', { stop_reason: 'completed', parts: [notice('budget')] })));
  const four = [tool('a', {}), tool('b', {}), tool('c', {}), tool('d', {})];
  assert.deepEqual(groupSteps([...four, notice('loop')], 4).map((g) => g.kind), ['steps', 'part'], 'and never inside a fold');
});

test('only turns behind a running one count as queued', () => {
  const turns = [turn('a', 'running'), turn('b', 'queued')];
  assert.deepEqual(queuedTurns(turns).map((t) => t.id), ['b']);
  assert.deepEqual(threadTurns(turns).map((t) => t.id), ['a']);
  assert.deepEqual(threadTurns([turn('c', 'queued')]).map((t) => t.id), ['c']);
});

test('a request gives its first words', () => {
  assert.equal(firstWords('\n  one   two\nthree'), 'one two');
  assert.equal(firstWords('word '.repeat(20)), `${'word '.repeat(12).trim()}…`);
  assert.equal([...firstWords('深'.repeat(90))].length, 61);
});

test('the meter shows the last request', () => {
  assert.equal(contextOf([turn('a', 'done')]), null);
  assert.deepEqual(contextOf([turn('a', 'done', { context_tokens: 5, context_window_tokens: 10 }), turn('b', 'running')]), { used: 5, window: 10 });
});

test('sessions stand under the day of their last message', () => {
  const now = new Date(2026, 10, 30, 12);
  const session = (id: string, daysAgo: number, more: Partial<Session> = {}): Session => ({
    id, title: id, title_source: 'user', preset: null, pinned: false, state: 'idle', active_message_id: null, head_seq: 0, created_at: 0, updated_at: 0, last_message_at: now.getTime() - daysAgo * 86_400_000, ...more,
  });
  const groups = groupSessions([session('a', 0), session('b', 1), session('c', 4), session('d', 40), session('e', 50, { pinned: true }), session('f', 0, { state: 'awaiting_approval' })], now);
  assert.deepEqual(groups.map((g) => [g.name, g.sessions.map((s) => s.id).join()]), [
    ['waiting', 'f'], ['pinned', 'e'], ['today', 'a'], ['yesterday', 'b'], ['week', 'c'], [{ year: 2026, month: 9 }, 'd'],
  ]);
});

test('marks count in scalars', () => {
  assert.deepEqual(pieces('a😀bc', [[1, 2]]), [{ text: 'a', marked: false }, { text: '😀b', marked: true }, { text: 'c', marked: false }]);
  assert.deepEqual(pieces('abc', []), [{ text: 'abc', marked: false }]);
});

test('reconnecting waits a quarter of a second at first and eight seconds at most', () => {
  assert.equal(reconnectDelay(0, 0.5), 250);
  assert.equal(reconnectDelay(3, 0.5), 2000);
  assert.equal(reconnectDelay(30, 0.5), 8000);
  assert.equal(reconnectDelay(30, 0), 6400);
});

test('the dictionaries have the same keys', () => {
  const keys = (o: object, at = ''): string[] => Object.entries(o).flatMap(([k, v]) => (typeof v === 'object' && v !== null && !Array.isArray(v) ? keys(v as object, `${at}${k}.`) : [`${at}${k}`]));
  assert.deepEqual(keys(zhCN).sort(), keys(en).sort());
});
