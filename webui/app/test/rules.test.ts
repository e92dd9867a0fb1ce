/** Permission rules of the settings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { globMatches, ruleOf, rulePlace, shadowedBy, type Rule } from '../model/rules.ts';

test('a star stands for any text', () => {
  const rows: [string, string, boolean][] = [
    ['*', '', true], ['*', 'anything', true], ['a', 'a', true], ['a', 'ab', false], ['git *', 'git push', true], ['git *', 'git', false], ['*.md', 'a.md', true], ['a*a', 'a', false], ['a*b*c', 'a-b-c', true], ['a*b*c', 'abbc', true],
    ['a*b*b', 'ab', false], ['mcp_*_read', 'mcp_x_read', true], ['a.c', 'abc', false], ['**', 'x', true],
  ];
  for (const [glob, text, want] of rows) assert.equal(globMatches(glob, text), want, `${glob} / ${text}`);
});

test('a rule that an earlier one takes everything from is known', () => {
  const rule = (tool: string, match: string): Rule => ({ tool, match, decision: 'ask' });
  const rules = [rule('exec', 'git *'), rule('exec', 'git push*'), rule('*', 'git push'), rule('*', '*'), rule('write_file', '*')];
  assert.deepEqual(rules.map((_, i) => shadowedBy(rules, i)), [-1, 0, -1, -1, 3]);
  assert.deepEqual(ruleOf({ tool: ' exec ', match: ' ', decision: 'deny' }), { tool: 'exec', match: '*', decision: 'deny' });
});

test('an error finds its rule and field', () => {
  assert.deepEqual(rulePlace('permissions[2].match'), { at: 2, field: 'match' });
  assert.deepEqual(rulePlace('permissions.0.tool'), { at: 0, field: 'tool' });
  assert.deepEqual(rulePlace('permissions[1]'), { at: 1, field: null });
  assert.equal(rulePlace('budget.turn_usd'), null);
});
