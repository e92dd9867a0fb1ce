/** Questions to a person: which wait, what they show, and what an answer says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgetOf, hostOf, pendingOf, piecesOf, shownOf, typedArguments } from '../model/approvals.ts';
import type { Approval, Part, Turn } from '../model/types.ts';

const asks = (fields: Partial<Approval> = {}): Approval => ({ approval_id: 'a', kind: 'tool', tool: 'exec', arguments: { command: 'ls' }, hint: 'ls', reason: '', requested_at: 1, expires_at: 2, covers: [], ...fields });
const turn = (state: Turn['state'], ...parts: Part[]): Turn => ({ id: 't', origin: 'user', state, parts });
const call = (status: 'waiting' | 'running', approval?: Approval): Part => ({ stream_id: 'x', kind: 'tool', call_id: 'c', name: 'exec', arguments: {}, status, ...(approval && { approval }) });

test('a question waits until it is decided, and not after its turn', () => {
  const budget: Part = { stream_id: 'b', kind: 'approval', approval: asks({ approval_id: 'b', kind: 'budget' }) };
  assert.deepEqual(pendingOf(turn('awaiting_approval', call('waiting', asks()), budget)).map((p) => p.approval_id), ['a', 'b']);
  assert.deepEqual(pendingOf(turn('running', call('waiting', asks({ decision: 'deny' })), call('running', asks({ decision: 'allow_once' })))), []);
  assert.deepEqual(pendingOf(turn('cancelled', call('waiting', asks()), budget)), []);
});

test('all of a call is shown: the command, and whatever else there is', () => {
  assert.deepEqual(shownOf(asks()), { command: 'ls' });
  assert.deepEqual(shownOf(asks({ arguments: { command: 'ls', timeout_s: 5 } })), { command: 'ls', rest: '{\n  "timeout_s": 5\n}' });
  assert.deepEqual(shownOf(asks({ tool: 'write_file', arguments: { path: 'a' } })), { rest: '{\n  "path": "a"\n}' });
  assert.deepEqual(shownOf(asks({ arguments: 'raw' })), { rest: 'raw' });
  assert.deepEqual(shownOf(asks({ arguments: null })), { rest: '{}' });
  assert.equal(hostOf(asks({ arguments: { url: 'https://example.test:8443/a' } })), 'example.test:8443');
  assert.equal(hostOf(asks({ arguments: { url: 'nonsense' } })), '');
});

test('characters that are not seen are written out, others are left alone', () => {
  assert.deepEqual(piecesOf('a\u202eb\u200b'), [{ text: 'a' }, { text: '\u202e', hidden: 'U+202E' }, { text: 'b' }, { text: '\u200b', hidden: 'U+200B' }]);
  assert.deepEqual(piecesOf('line\n\ttab 中文 😀 e\u0301'), [{ text: 'line\n\ttab 中文 😀 e\u0301' }]);
  assert.deepEqual(piecesOf('x\u{e0041}').map((p) => p.hidden), [undefined, 'U+E0041']);
  assert.deepEqual(piecesOf('\u001b[31m').map((p) => p.hidden), ['U+001B', undefined]);
});

test('a question for more budget says how much is used', () => {
  const ask = { key: 'turn_seconds', unit: 'seconds', limit: 600, used: 600.25, needed: 1, more: 600 };
  assert.deepEqual(budgetOf(asks({ kind: 'budget', arguments: ask })), ask);
  assert.equal(budgetOf(asks({ kind: 'budget', arguments: null })), null);
});

test('typed arguments are an object, and none when they are the same', () => {
  const asked = { command: 'ls' };
  assert.deepEqual(typedArguments(null, asked), { value: null });
  assert.deepEqual(typedArguments('{ "command": "ls" }', asked), { value: null });
  assert.deepEqual(typedArguments('{"command": "ls -a"}', asked), { value: { command: 'ls -a' } });
  assert.deepEqual([typedArguments('{', asked), typedArguments('[1]', asked), typedArguments('null', asked)], ['json', 'json_object', 'json_object']);
});
