/** Budgets: times and amounts as they are typed, and the limits of the settings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountOf, budgetForm, budgetPatch, checkBudget, LIMIT_ROWS, limitAt } from '../model/budget.ts';
import { parseTime, writeTime } from '../model/time.ts';

test('a time is a number of seconds, or parts with their units', () => {
  const rows: [string, number][] = [
    ['1', 1], ['90', 90], [' 90 ', 90], ['90 s', 90], ['90\u00a0s', 90], ['90s', 90], ['90 seconds', 90], ['1 sec', 1], ['10 min', 600], ['10m', 600], ['10 MIN', 600], ['1 minute', 60], ['2 h', 7200], ['2hrs', 7200], ['1h 30m', 5400], ['1h30m', 5400],
    ['1 h 30 min', 5400], ['1 hour 5 s', 3605], ['90 min 90 s', 5490], ['0 h 1 s', 1], ['1.5 h', 5400], ['1.1 h', 3960], ['0.5 min', 30], ['90 秒', 90], ['10分钟', 600], ['1 小时 30 分', 5400],
  ];
  for (const [typed, want] of rows) assert.equal(parseTime(typed), want, typed);
});

test('what is no whole number of seconds above zero is no time', () => {
  for (const typed of ['', ' ', '0', '0 min', '-1', '-1 h', '1.5', '0.5 s', '1.0001 s', 'x', 's', 'min', '10 x', '1h 30', '30 min 1 h', '1 h 1 h', '1:30', '1,5 h', '10 min.', '1e3', '10 ms', '5k', '$5', '9'.repeat(20), '9'.repeat(400)]) {
    assert.ok(Number.isNaN(parseTime(typed)), typed);
  }
});

test('a time is written so that it can be typed again', () => {
  const rows: [number, string][] = [[1, '1 s'], [60, '1 min'], [90, '1 min 30 s'], [600, '10 min'], [3600, '1 h'], [3605, '1 h 5 s'], [5400, '1 h 30 min'], [86_400, '24 h'], [90_061, '25 h 1 min 1 s'], [0, '0 s']];
  for (const [seconds, want] of rows) assert.equal(writeTime(seconds), want);
  for (const seconds of [1, 59, 61, 3599, 3601, 3660, 7325, 1_000_000_007, Number.MAX_SAFE_INTEGER]) assert.equal(parseTime(writeTime(seconds)), seconds);
});

test('an amount is above zero in its unit; tokens and seconds are whole', () => {
  assert.deepEqual([amountOf('1.5', 'usd'), amountOf('$2', 'usd'), amountOf('200k', 'tokens'), amountOf('1,000', 'tokens'), amountOf('10 min', 'seconds')], [1.5, 2, 200_000, 1000, 600]);
  for (const [typed, unit] of [['0', 'usd'], ['-1', 'usd'], ['', 'usd'], ['10 min', 'usd'], ['1.5', 'tokens'], ['x', 'tokens'], ['10 min', 'tokens'], ['1.5', 'seconds'], ['soon', 'seconds']] as const) assert.ok(Number.isNaN(amountOf(typed, unit)), typed);
});

test('limits: empty is none, a patch names what changed', () => {
  const before = { turn_usd: 1, day_tokens: 2_000_000, day_seconds: 5400 };
  const form = budgetForm(before);
  assert.deepEqual(form, { turn_usd: '1', session_usd: '', day_usd: '', turn_tokens: '', session_tokens: '', day_tokens: '2000000', turn_seconds: '', session_seconds: '', day_seconds: '1 h 30 min' });
  assert.equal(budgetPatch(before, form), undefined);
  assert.equal(budgetPatch(before, { ...form, day_tokens: '2M', day_seconds: '90m' }), undefined);
  assert.deepEqual(
    budgetPatch(before, { ...form, turn_usd: '', day_usd: '$20', turn_tokens: '500k', session_tokens: '5M', turn_seconds: '10 min', session_seconds: '7200', day_seconds: ' ' }),
    { turn_usd: null, day_usd: 20, turn_tokens: 500_000, session_tokens: 5_000_000, turn_seconds: 600, session_seconds: 7200, day_seconds: null },
  );
  assert.deepEqual(checkBudget(form), {});
  assert.deepEqual(
    checkBudget({ ...form, turn_usd: '0', session_usd: 'x', turn_tokens: '1.5', session_tokens: '0', day_tokens: '-1', turn_seconds: '0', session_seconds: '10', day_seconds: '1h 30' }),
    { turn_usd: 'usd', session_usd: 'usd', turn_tokens: 'tokens', session_tokens: 'tokens', day_tokens: 'tokens', turn_seconds: 'seconds', day_seconds: 'seconds' },
  );
});

test('each limit stands in the row of its unit, and an error finds it', () => {
  for (const [unit, limits] of LIMIT_ROWS) for (const limit of limits) {
    assert.ok(limit.endsWith(`_${unit}`), limit);
    assert.equal(limitAt(`budget.${limit}`), limit);
  }
  assert.deepEqual([limitAt('budget'), limitAt('budget.turn_days')], [undefined, undefined]);
});
