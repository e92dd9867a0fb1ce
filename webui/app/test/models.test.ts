/** Forms of models and providers: what is checked, which patch is made, and what takes it back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { difference, inverse } from '../model/merge-patch.ts';
import { check, fieldOf, formOf, freeName, moved, numberOf, removePatch, renamePatch, settingsOf, type PresetSettings } from '../model/preset-form.ts';
import { bodyOf, checkProvider, losesSecrets, providerForm, providerPatch, type Known } from '../model/provider-form.ts';

/** A merge patch as the server applies it. */
function patched(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const out: Record<string, unknown> = typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) if (value === null) delete out[key]; else out[key] = patched(out[key], value);
  return out;
}

const preset: PresetSettings = { provider: 'p', model: 'm', context_window_tokens: 1000, max_tokens: 8192, price: { input: 1, cached: 0.5, output: 2 }, fallbacks: ['b'] };

test('a difference makes the one from the other, and its inverse brings the first back', () => {
  const values: [unknown, unknown][] = [
    [{ a: 1, b: { c: 2, d: 3 } }, { a: 1, b: { c: 5 }, e: { f: 1 } }], [{ list: ['a', 'b'] }, { list: ['b', 'a'] }], [{ a: { b: 1 } }, { a: 'text' }], [{}, { deep: { x: { y: 1 } } }],
  ];
  for (const [before, after] of values) {
    const patch = difference(before, after);
    assert.deepEqual(patched(before, patch), after);
    assert.deepEqual(patched(after, inverse(before, patch)), before);
  }
  assert.equal(difference({ a: [1] }, { a: [1] }), undefined);
});

test('a form gives back the preset it came from', () => {
  assert.deepEqual(settingsOf(formOf('a', preset)), preset);
  assert.deepEqual(settingsOf(formOf('a', { provider: 'p', model: ' m ' })), { provider: 'p', model: 'm', fallbacks: [] });
});

test('numbers as people write them', () => {
  for (const [typed, n] of [['128k', 128_000], ['1.5M', 1_500_000], ['200,000', 200_000], ['1 000 000', 1_000_000], [' 12 ', 12], ['.5', 0.5], ['0', 0]] as const) assert.equal(numberOf(typed), n, typed);
  for (const typed of ['', 'abc', '-1', '1,5', '1e5', '1.2.3']) assert.ok(Number.isNaN(numberOf(typed)), typed);
});

test('what is wrong is said at its field', () => {
  const form = { ...formOf('a', preset), name: 'b', model: ' ', context_window_tokens: '0', max_tokens: '1.5', temperature: '2.1', 'price.input': '', 'price.output': '-1' };
  assert.deepEqual(check(form, ['a', 'b'], 'a'), { name: 'taken', model: 'required', context_window_tokens: 'whole', max_tokens: 'whole', temperature: 'zero_to_two', 'price.input': 'both_prices', 'price.output': 'zero_or_more' });
  assert.deepEqual(check(formOf('a', preset), ['a', 'b'], 'a'), {});
  assert.equal(check({ ...formOf('x'.repeat(65), preset) }, [], null).name, 'long');
});

test('a new name takes the default and the fallbacks along; what goes leaves them', () => {
  const presets = { a: { ...preset, fallbacks: [] }, b: { ...preset, fallbacks: ['c', 'a'] }, c: { ...preset, fallbacks: [] } };
  const settings = { presets, agent: { preset: 'a' } };
  const renamed = patched(settings, renamePatch(presets, 'a', 'z', presets.a, true)) as typeof settings;
  assert.deepEqual([Object.keys(renamed.presets).sort().join(), renamed.presets.b.fallbacks, renamed.agent.preset], ['b,c,z', ['c', 'z'], 'z']);
  const removed = patched(settings, removePatch(presets, 'a', true)) as typeof settings;
  assert.deepEqual([Object.keys(removed.presets).sort().join(), removed.presets.b.fallbacks, 'preset' in removed.agent], ['b,c', ['c'], false]);
});

test('small helpers: free names, places of errors, moved items', () => {
  assert.equal(freeName('Qwen3 8B', new Set()), 'default');
  assert.equal(freeName('Qwen3 8B', new Set(['default', 'qwen3-8b'])), 'qwen3-8b-2');
  assert.equal(fieldOf('presets.a.temperature', 'presets', 'a'), 'temperature');
  assert.equal(fieldOf('presets."a b".price.input', 'presets', 'a b'), 'price.input');
  assert.equal(fieldOf('presets.ab.temperature', 'presets', 'a'), null);
  assert.deepEqual(moved(['a', 'b', 'c'], 2, -1), ['a', 'c', 'b']);
});

const provider: Known = { kind: 'openai', base_url: 'https://a.test/v1', api_key_set: true, extra_headers: { 'X-Old': 'set', 'X-Gone': 'set' }, extra_query: { v: '1' }, extra_body: { top_k: 20, nested: { a: 1 } } };

test('an untouched provider has no patch, and secrets that stay are not sent', () => {
  assert.equal(providerPatch(provider, providerForm(provider)), null);
  const form = providerForm(provider);
  form.headers = [{ name: 'X-Old', value: '', stored: true }, { name: 'X-New', value: 'v' }, { name: '', value: '' }];
  form.query = [{ name: 'w', value: '2' }];
  form.body = '{"top_k": 10, "nested": {"a": 1}}';
  form.base_url = 'https://b.test/v1';
  assert.deepEqual(providerPatch(provider, form), { base_url: 'https://b.test/v1', extra_headers: { 'X-Gone': null, 'X-New': 'v' }, extra_query: { v: null, w: '2' }, extra_body: { top_k: 10 } });
  assert.equal(losesSecrets(provider, form), true);
  assert.equal(losesSecrets(provider, { ...form, key: 'replace', api_key: 'k' }), true);
  assert.equal(losesSecrets(provider, { ...form, key: 'replace', api_key: 'k', headers: [] }), false);
  assert.deepEqual(providerPatch(provider, { ...providerForm(provider), key: 'remove' }), { api_key: null });
});

test('addresses, headers and bodies are checked', () => {
  const form = providerForm(provider);
  assert.deepEqual(checkProvider(provider, form), {});
  assert.deepEqual(checkProvider(provider, { ...form, base_url: 'localhost:8000', proxy: 'ftp://x', key: 'replace', headers: [{ name: 'bad name', value: 'x' }], query: [{ name: '', value: 'x' }], body: '[1]' }), {
    base_url: 'url', proxy: 'url', api_key: 'required', extra_headers: 'header_name', extra_query: 'pair_name', extra_body: 'json_object',
  });
  assert.equal(checkProvider(provider, { ...form, headers: [...form.headers, { name: 'x-old', value: 'again' }] }).extra_headers, 'twice');
  // What the server shows in place of credentials is no address, but it was not changed either.
  const hidden = { ...provider, proxy: 'http://***@proxy.test' };
  assert.deepEqual(checkProvider(hidden, providerForm(hidden)), {});
  assert.deepEqual([bodyOf(''), bodyOf('{'), bodyOf('{"a": null}'), bodyOf('{"a": 1}')], [{}, 'json', 'json_null', { a: 1 }]);
});
