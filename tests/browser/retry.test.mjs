// Failed requests: the wait that counts down, the switch to another model, tools of the provider, and words for the end.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, closeBrowser, feeder, inWorld, pieces, reply, send, settled } from './kit.mjs';

after(closeBrowser);

const busy = (seconds) => ({ status: 429, body: '{"error":{"message":"slow down"}}', headers: [['retry-after', String(seconds)], ['content-type', 'application/json']] });
const broke = { status: 429, body: '{"error":{"message":"no credit","code":"insufficient_quota","type":"insufficient_quota"}}', headers: [['content-type', 'application/json']] };
const works = (text) => [{ match: '', replies: [reply(pieces('text', text))] }];
const slow = [{ match: '', replies: [reply(pieces('text', 'one word after another '.repeat(60), { size: 8, delayMs: 40 }))] }];

const long = [{ match: '', replies: [reply(pieces('text', 'word '.repeat(1500), { size: 5, delayMs: 60 }))] }];

const wait = (fields) => ({ event: 'retry_wait', stream_id: 'fed.wait', attempt: 2, max_attempts: 4, delay_ms: 4000, code: 'provider_rate_limit', reason: 'mock asks to wait.', ...fields });

test('a wait counts down and becomes "Asked again"; the answer follows', inWorld({ scripts: [{ match: '', replies: [busy(3)] }] }, async (world, page) => {
  await world.goto('/');
  await send(page, 'hello');
  await page.locator('.step.live', { hasText: /Asking again in [1-3] s \(attempt 2 of \d+\)/ }).waitFor();
  await world.script(works('There it is.'));
  await answer(page).getByText('There it is.').waitFor({ timeout: 15_000 });
  await settled(page, 1);
  await page.locator('.step.off', { hasText: 'Asked again (attempt 2' }).waitFor();
  await page.reload();
  await page.locator('.step.off', { hasText: 'Asked again (attempt 2' }).waitFor();
  await answer(page).getByText('There it is.').waitFor();
}));

test('Stop ends a wait, and the line does not claim that it was asked again', inWorld({ scripts: [{ match: '', replies: [busy(30)] }] }, async (world, page) => {
  await world.goto('/');
  await send(page, 'hello');
  await page.locator('.step.live', { hasText: 'Asking again in' }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.locator('.step.ended', { hasText: 'Stopped' }).waitFor();
  await page.locator('.step', { hasText: 'Ended before asking again (attempt 2' }).waitFor();
}));

test('another model answers when the first one fails, and the conversation says so', inWorld({ scripts: [{ match: '', replies: [broke] }] }, async (world, page) => {
  const url = await world.anotherModel(works('From the second one.'));
  await world.settings({ providers: { spare: { kind: 'openai', base_url: `${url}/v1`, api_key: 'k' } }, presets: { second: { provider: 'spare', model: 'other' }, default: { fallbacks: ['second'] } } });
  await world.goto('/');
  await send(page, 'hello');
  await answer(page).getByText('From the second one.').waitFor({ timeout: 15_000 });
  await page.locator('.step', { hasText: /Going on with second because default failed: ./ }).waitFor();
  await settled(page, 1);
  await page.reload();
  await page.locator('.step', { hasText: 'Going on with second because default failed' }).waitFor();
}));

test('a turn whose model failed is answered by another one that is chosen there', inWorld({ scripts: [{ match: '', replies: [broke] }] }, async (world, page) => {
  const url = await world.anotherModel(works('From the chosen one.'));
  await world.settings({ providers: { spare: { kind: 'openai', base_url: `${url}/v1`, api_key: 'k' } }, presets: { second: { provider: 'spare', model: 'other' } } });
  await world.goto('/');
  await send(page, 'hello');
  await page.locator('.note', { hasText: 'mock says the quota is used up.' }).waitFor();
  await page.getByRole('button', { name: 'Other model' }).click();
  await page.getByRole('dialog').getByRole('button', { name: /^other/ }).click();
  await answer(page).getByText('From the chosen one.').waitFor();
  await page.waitForFunction(() => document.querySelector('.tools select[aria-label=Model]')?.value === 'second');
  await settled(page, 1);
}));

test('nothing else moves while a wait counts, and screen readers hear it once', inWorld({ scripts: slow }, async (world, page) => {
  const feed = await feeder(page);
  await world.goto('/');
  await send(page, 'hello');
  await page.locator('.prose').waitFor();
  await page.evaluate(() => {
    window.heard = [];
    const region = document.querySelector('[role=status][aria-live=polite]');
    new MutationObserver(() => window.heard.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true });
  });
  await feed(wait({}));
  const line = page.locator('.step', { hasText: 'attempt 2 of 4' });
  await line.filter({ hasText: 'mock asks to wait.' }).filter({ hasText: 'Asking again in' }).waitFor();
  const before = await line.boundingBox();
  await line.filter({ hasText: 'Asked again (attempt 2 of 4)' }).waitFor();
  assert.equal((await line.boundingBox()).height, before.height);
  assert.equal((await page.evaluate(() => window.heard)).filter((text) => text.includes('Asking again')).length, 1);
  assert.match(await page.evaluate(() => window.heard.join('|')), /mock asks to wait\. Asking again in 4 s \(attempt 2 of 4\)/);
  await line.locator('summary').click();
  await line.locator('.notice-body', { hasText: 'provider_rate_limit' }).waitFor();
}));

test('until it is stopped there is no number of attempts', inWorld({ scripts: slow }, async (world, page) => {
  const feed = await feeder(page);
  await world.goto('/');
  await send(page, 'hello');
  await page.locator('.prose').waitFor();
  await feed(wait({ attempt: 7, max_attempts: null, delay_ms: 65_000 }));
  await page.locator('.step', { hasText: /Asking again in 1 min \d+ s \(attempt 7\)/ }).waitFor();
}));

test('a tool of the provider is one row from start to end, and is taken back with its attempt', inWorld({ scripts: slow }, async (world, page) => {
  const feed = await feeder(page);
  await world.goto('/');
  await send(page, 'hello');
  await page.locator('.prose').waitFor();
  const call = { event: 'provider_tool', stream_id: 'fed.tool', call_id: 'c', name: 'web_search' };
  await feed({ ...call, phase: 'started' });
  const row = page.locator('.step', { hasText: 'run by the provider' });
  await row.filter({ hasText: 'Searching the web' }).waitFor();
  await feed({ ...call, phase: 'running', arguments: { query: 'rust 2027' } });
  await row.filter({ hasText: '"rust 2027"' }).waitFor();
  await feed({ ...call, phase: 'done', text: 'blog.rust-lang.org' });
  await page.locator('.step.ok', { hasText: 'Searched the web "rust 2027"' }).waitFor();
  assert.equal(await row.count(), 1);
  await row.locator('summary').click();
  await row.locator('pre', { hasText: 'blog.rust-lang.org' }).waitFor();
  await feed({ event: 'stream_discarded', stream_id: 'fed.tool', reason: 'retry' });
  await row.waitFor({ state: 'detached' });
}));

test('each end of a turn has words and a way on', inWorld({ scripts: long }, async (world, page) => {
  const ends = [
    ['provider_not_found', 'mock does not know this model or address.', ['Open provider settings', 'Retry', 'Other model']],
    ['model_refused', 'The model refused to answer.', ['Rephrase', 'Other model']],
    ['provider_rate_limit', 'mock asks to wait.', ['Retry', 'Other model']],
    ['provider_quota', 'mock says the quota is used up.', ['Open provider settings', 'Retry', 'Other model']],
    ['provider_unavailable', 'mock did not respond.', ['Retry', 'Other model']],
    ['provider_timeout', 'mock took too long to answer.', ['Retry', 'Other model']],
    ['provider_paused', 'mock failed so often', ['Retry', 'Other model']],
    ['provider_bad_response', 'could not be read', ['Retry', 'Other model']],
    ['provider_refused_request', 'mock refused the request.', ['Retry', 'Other model']],
    ['context_length', 'no longer fits the model', ['Retry', 'Other model']],
    ['stream_truncated', 'The answer stopped here.', ['Retry']],
  ];
  const feed = await feeder(page);
  await world.goto('/');
  await send(page, 'hello');
  for (const [code, words, actions] of ends) {
    await page.locator('.turn[aria-busy=true] .prose').waitFor();
    await feed({ event: 'turn_finished', stop_reason: 'error', latency_ms: 1, error: { code, detail: 'why' } });
    const note = page.locator('.ended .note', { hasText: words });
    await note.waitFor();
    assert.deepEqual(await note.locator('.row').locator('button, a').allInnerTexts(), actions, code);
    await page.reload(); // to the server the turn still runs
  }
}));
