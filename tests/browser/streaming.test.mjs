// 2, 5: what is live is shown in order, folds when it ends, and never disturbs the reader.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, calls, closeBrowser, inWorld, pieces, reply, send, settled, viewOf } from './kit.mjs';

after(closeBrowser);

const THOUGHT = 'First the notes, then an answer. They are in `notes.md`.';
const work = [{
  match: 'work',
  replies: [
    calls(pieces('reasoning', THOUGHT, { delayMs: 30 }), ['c1', 'read_file', { path: 'notes.md' }]),
    calls(pieces('reasoning', 'One more look at the folder.', { delayMs: 30 }), ['c2', 'list_dir', { path: '.' }]),
    reply(pieces('text', 'There are **two** notes.', { delayMs: 30 })),
  ],
}];

test('reasoning, tools and answer come in order; a thought folds at its end', inWorld({ scripts: work }, async (world, page) => {
  await world.goto('/');
  await send(page, 'work');
  const live = page.locator('details.step.live[open]', { hasText: 'Thinking' });
  await live.locator('.think', { hasText: 'First the' }).waitFor();
  await page.locator('details.step.ok:not([open])', { hasText: 'Thought' }).first().waitFor();
  await settled(page, 1);
  const [turn] = await viewOf(page);
  assert.deepEqual(turn.steps.map((s) => s.replace(/ for a time/, '')), ['ok: Thought', 'ok: Read notes.md', 'ok: Thought', 'ok: Looked through .']);
  assert.deepEqual(turn.texts, ['There are two notes.']);
  assert.equal(await page.locator('.prose strong').innerText(), 'two');
  assert.equal(await page.locator('details.step[open]').count(), 0);
}));

test('a block opened by hand stays open through the end of the turn', inWorld({ scripts: work }, async (world, page) => {
  await world.goto('/');
  await send(page, 'work');
  const first = page.locator('details.step.ok', { hasText: 'Thought' }).first();
  await first.locator('summary').click();
  await first.locator('.think', { hasText: THOUGHT.replaceAll('`', '') }).waitFor();
  await settled(page, 1);
  assert.equal(await first.evaluate((n) => n.open), true);
  assert.equal(await first.locator('.think code').innerText(), 'notes.md');
}));

test('a block closed by hand while it is live stays closed', inWorld({ scripts: [{ match: 'think', replies: [reply(pieces('reasoning', 'long thought '.repeat(30), { delayMs: 20 }), pieces('text', 'Done.'))] }] }, async (world, page) => {
  await world.goto('/');
  await send(page, 'think');
  const step = page.locator('details.step', { hasText: /Thinking|Thought/ });
  await step.locator('summary').click();
  await page.waitForTimeout(400);
  assert.equal(await step.evaluate((n) => n.open), false);
  await settled(page, 1);
  assert.equal(await step.evaluate((n) => n.open), false);
}));

test('the optimistic row and the stored one are the same node', inWorld({ scripts: work }, async (world, page) => {
  await world.goto('/');
  await send(page, 'work');
  await settled(page, 1);
  await page.locator('#message').fill('work again');
  const row = page.waitForFunction(() => {
    const rows = document.querySelectorAll('.turn-item');
    if (rows.length < 2) return false;
    rows[1].dataset.seen = 'first';
    return true;
  }, undefined, { polling: 'raf' });
  await page.locator('#message').press('Enter');
  await row;
  await settled(page, 2);
  assert.equal(await page.locator('.turn-item').nth(1).getAttribute('data-seen'), 'first');
}));

const growing = [{ match: 'grow', replies: [reply(pieces('text', 'The first paragraph stays as it is.\n\n```js\nconst a = 1;\n```\n\n', { delayMs: 5 }), pieces('text', 'word '.repeat(400), { size: 5, delayMs: 8 }))] }];

test('selection and a copy button survive 200 more deltas', inWorld({ scripts: growing }, async (world, page) => {
  await world.goto('/');
  await send(page, 'grow');
  await page.locator('.prose > p', { hasText: 'word word' }).waitFor();
  await page.evaluate(() => {
    const p = document.querySelector('.prose > p');
    getSelection().selectAllChildren(p);
    window.kept = { p, copy: document.querySelector('.code-card [data-code=copy]') };
  });
  await page.waitForFunction(() => (document.querySelector('.prose')?.textContent.match(/word/g)?.length ?? 0) > 250, undefined, { timeout: 20_000 });
  const kept = await page.evaluate(() => ({
    selected: String(getSelection()),
    same: document.querySelector('.prose > p') === window.kept.p && document.querySelector('.code-card [data-code=copy]') === window.kept.copy,
  }));
  assert.deepEqual(kept, { selected: 'The first paragraph stays as it is.', same: true });
  await page.locator('.code-card [data-code=copy]').click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'const a = 1;\n');
  await settled(page, 1);
  assert.equal((await answer(page).innerText()).match(/word/g).length, 400);
}));
