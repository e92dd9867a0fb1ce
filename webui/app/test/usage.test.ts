/** Use over days, and commands that are typed into the message field. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandOf, findPreset, hintsFor } from '../model/slash.ts';
import { barsOf, csvOf, range, scaleOf, today, type Usage, type UsageItem } from '../model/usage.ts';

const item = (key: string, fields: Partial<UsageItem> = {}): UsageItem => ({ key, label: null, requests: 1, failed_requests: 0, input_tokens: 100, cached_tokens: 40, output_tokens: 10, cost_usd: null, unpriced_requests: 1, estimated_requests: 0, ...fields });

test('periods end today and count both ends', () => {
  assert.deepEqual(range('7', '2026-03-03'), { since: '2026-02-25', until: '2026-03-03' });
  assert.deepEqual(range('month', '2026-03-03'), { since: '2026-03-01', until: '2026-03-03' });
  assert.equal(today(Date.UTC(2026, 2, 3, 20), 'Asia/Shanghai'), '2026-03-04');
  assert.equal(today(Date.UTC(2026, 2, 3, 20), 'no/such zone'), '2026-03-03');
});

test('each day has a bar, also over the end of summer time, and the scale is round', () => {
  const bars = barsOf([item('2026-10-25')], '2026-10-24', '2026-10-26');
  assert.deepEqual(bars, [{ day: '2026-10-24', fresh: 0, cached: 0, output: 0 }, { day: '2026-10-25', fresh: 60, cached: 40, output: 10 }, { day: '2026-10-26', fresh: 0, cached: 0, output: 0 }]);
  assert.equal(scaleOf(bars), 200);
  assert.equal(scaleOf([]), 1);
});

test('the file quotes what needs it and holds no formulas', () => {
  const total = item('');
  const usage: Usage = { by: 'session', since: 'a', until: 'b', timezone: 'UTC', items: [item('k', { label: '=1+1, "x"', cost_usd: 0.5 })], total, next_cursor: null };
  assert.equal(csvOf(usage), 'session,label,requests,failed_requests,input_tokens,cached_tokens,output_tokens,cost_usd,unpriced_requests,estimated_requests\r\nk,"\'=1+1, ""x""",1,0,100,40,10,0.5,1,0\r\n');
});

const presets = [{ name: 'Fast', model: 'small', provider: 'a', is_default: true }, { name: 'fast-2', model: 'big', provider: 'b', is_default: false }, { name: 'SLOW', model: 'big', provider: 'a', is_default: false }];

test('a command is known by its first word; other texts with a slash are messages', () => {
  assert.deepEqual(commandOf('/model'), { kind: 'model', name: '' });
  assert.deepEqual(commandOf(' /model  my model '), { kind: 'model', name: 'my model' });
  assert.deepEqual(commandOf('/model a\nb'), { kind: 'model', name: 'a\nb' });
  assert.deepEqual(commandOf('/mo'), { kind: 'complete', text: '/model ' });
  for (const text of ['/models', '/etc/hosts is empty', 'use /model', '/x', '']) assert.equal(commandOf(text), null, text);
});

test('a model is found by its exact name, then by a name or id that fits once', () => {
  assert.equal(findPreset(presets, 'Fast')?.name, 'Fast');
  assert.equal(findPreset(presets, 'slow')?.name, 'SLOW');
  assert.equal(findPreset(presets, 'small')?.name, 'Fast');
  assert.equal(findPreset(presets, 'big'), undefined);
  assert.equal(findPreset(presets, 'none'), undefined);
});

test('hints follow what is typed', () => {
  assert.deepEqual(hintsFor('/', presets).map((h) => h.text), ['/model ']);
  assert.deepEqual(hintsFor('/model big', presets).map((h) => h.text), ['/model fast-2', '/model SLOW']);
  assert.deepEqual(hintsFor('/model ', presets).length, 3);
  assert.deepEqual([hintsFor('/modelx', presets), hintsFor('/model a\nb', presets), hintsFor('hello', presets)], [[], [], []]);
});
