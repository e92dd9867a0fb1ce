// 7, 8: stop, retry, edit, versions, fork.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, calls, closeBrowser, inWorld, pieces, reply, send, settled } from './kit.mjs';

after(closeBrowser);

const slow = { match: 'slow', replies: [reply(pieces('text', 'one word after another '.repeat(80), { size: 8, delayMs: 30 }))] };
const quick = { match: 'quick', replies: [reply(pieces('text', 'Quick answer.'))] };

test('stop keeps the partial text, says so, and the next message works', inWorld({ scripts: [slow, quick] }, async (world, page) => {
  await world.goto('/');
  await send(page, 'slow');
  await answer(page).getByText('one word after').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.locator('.turn .step', { hasText: 'Stopped' }).waitFor();
  await settled(page, 1);
  const kept = await answer(page).innerText();
  assert.match(kept, /^one word/);
  assert.ok(kept.length < 1500);
  await send(page, 'quick');
  await answer(page).getByText('Quick answer.').waitFor();
  await page.reload();
  await page.locator('.turn .step', { hasText: 'Stopped' }).waitFor();
  assert.equal(await answer(page, 0).innerText(), kept);
}));

test('Escape twice stops, Ctrl . stops', inWorld({ scripts: [slow] }, async (world, page) => {
  await world.goto('/');
  for (const [n, keys] of [[1, ['Escape', 'Escape']], [2, ['Control+.']]]) {
    await send(page, `slow ${n}`);
    await answer(page, n - 1).getByText('one word after').waitFor();
    for (const key of keys) await page.keyboard.press(key);
    await page.locator('.turn').nth(n - 1).locator('.step', { hasText: 'Stopped' }).waitFor();
    await settled(page, n);
  }
}));

test('a message sent while a turn runs waits its turn', inWorld({ scripts: [{ match: 'slow', replies: [reply(pieces('text', 'one word after another '.repeat(8), { size: 6, delayMs: 40 }))] }, quick] }, async (world, page) => {
  await world.goto('/');
  await send(page, 'slow');
  await answer(page).getByText('one word after').waitFor();
  await send(page, 'quick');
  await page.locator('.chip', { hasText: 'Queued 1' }).waitFor();
  await answer(page).getByText('Quick answer.').waitFor();
  assert.equal(await page.locator('.chip').count(), 0);
  assert.deepEqual(await page.locator('.said').allInnerTexts(), ['slow', 'quick']);
}));

test('edit makes a second version, the picker goes back and forth, fork makes a session', inWorld({
  scripts: [{ match: 'version one', replies: [reply([{ text: 'Answer one.' }])] }, { match: 'version two', replies: [reply([{ text: 'Answer two.' }])] }, quick],
}, async (world, page) => {
  await world.goto('/');
  await send(page, 'version one');
  await answer(page).getByText('Answer one.').waitFor();
  await settled(page, 1);
  await page.locator('.user').hover();
  await page.locator('.user').getByRole('button', { name: 'Edit' }).click();
  await page.waitForFunction(() => document.querySelector('#message').value === 'version one');
  await send(page, 'version two');
  await answer(page).getByText('Answer two.').waitFor();
  await settled(page, 1);
  await page.getByText('2/2').waitFor();
  assert.deepEqual(await page.locator('.said').allInnerTexts(), ['version two']);
  await page.getByRole('button', { name: 'Previous version' }).click();
  await answer(page).getByText('Answer one.').waitFor();
  await page.getByText('1/2').waitFor();
  await page.reload();
  await answer(page).getByText('Answer one.').waitFor();
  await page.getByRole('button', { name: 'Next version' }).click();
  await answer(page).getByText('Answer two.').waitFor();
  const first = page.url();
  await page.getByRole('button', { name: 'Fork' }).click();
  await page.waitForURL((url) => url.href !== first);
  await answer(page).getByText('Answer two.').waitFor();
  await send(page, 'quick');
  await answer(page).getByText('Quick answer.').waitFor();
  await page.goto(first);
  await answer(page).getByText('Answer two.').waitFor();
  assert.equal(await page.locator('.turn').count(), 1);
}));

test('retry makes another answer to the same request', inWorld({ scripts: [quick] }, async (world, page) => {
  await world.goto('/');
  await send(page, 'quick');
  await settled(page, 1);
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('2/2').waitFor();
  await settled(page, 1);
  assert.deepEqual(await page.locator('.said').allInnerTexts(), ['quick']);
  assert.equal(await answer(page).innerText(), 'Quick answer.');
}));

test('a refused key is said in words, with the way to the settings', inWorld({ scripts: [{ match: '', replies: [{ status: 401, body: '{"error":{"message":"bad key"}}' }] }] }, async (world, page) => {
  await world.goto('/');
  await send(page, 'hello');
  await page.locator('.note', { hasText: 'mock refused the key.' }).waitFor();
  await page.getByRole('link', { name: 'Open provider settings' }).click();
  await page.getByRole('heading', { name: 'Providers' }).waitFor();
}));

test('a message sent into a running turn stands where it joined', inWorld({
  scripts: [{ match: '', replies: [calls(pieces('reasoning', 'let me look around first '.repeat(6), { delayMs: 40 }), ['c1', 'list_dir', { path: '.' }]), reply(pieces('text', 'Both done.'))] }],
}, async (world, page) => {
  await world.goto('/');
  await send(page, 'first');
  await page.locator('.think').waitFor();
  await page.locator('#message').fill('and also this');
  await page.locator('#message').press('Control+Enter');
  await page.locator('.steered .said', { hasText: 'and also this' }).waitFor();
  await settled(page, 1);
  assert.equal(await page.locator('.turn-item').count(), 1);
  assert.equal(await page.locator('.delivery').count(), 0);
  await page.reload();
  await page.locator('.steered .said', { hasText: 'and also this' }).waitFor();
}));
