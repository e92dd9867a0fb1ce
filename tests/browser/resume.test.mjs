// 9, 10, 11: whatever happens to the line, the server or the page, the final view is the one of a quiet run.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, calls, closeBrowser, inWorld, LOST_LINE, pieces, reply, send, settled, viewOf } from './kit.mjs';

after(closeBrowser);

const TEXT = '# Result\n\nThere are **two** notes:\n\n- first\n- second\n\n```\ncode\n```\n\nAnd 中文 at the end. '.repeat(3);
const work = [{
  match: 'work',
  replies: [
    calls(pieces('reasoning', 'Think about the notes for a while. '.repeat(4), { delayMs: 12 }), ['c1', 'read_file', { path: 'notes.md' }]),
    reply(pieces('reasoning', 'Now write.', { delayMs: 12 }), pieces('text', TEXT, { delayMs: 14 })),
  ],
}];

async function quietRun(world, page) {
  await world.goto('/');
  await send(page, 'work');
  await settled(page, 1);
  return viewOf(page);
}

test('a socket cut at 20 random points loses and doubles nothing', inWorld({ scripts: work }, async (world, page) => {
  world.expectProblems(...LOST_LINE);
  const quiet = await quietRun(world, page);
  await page.getByRole('link', { name: 'New session' }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await send(page, 'work');
  await page.locator('.turn').waitFor();
  let cuts = 0;
  while (cuts < 20 && await page.locator('.turn[aria-busy="false"] .acts').count() === 0) {
    await page.waitForTimeout(30 + Math.random() * 120);
    world.line.cutSockets();
    cuts++;
  }
  await settled(page, 1);
  assert.ok(cuts >= 5, `${cuts} cuts`);
  assert.deepEqual(await viewOf(page), quiet);
}));

test('a server killed in the middle of a turn goes on with it', inWorld({ scripts: work }, async (world, page) => {
  world.expectProblems(...LOST_LINE);
  const quiet = await quietRun(world, page);
  await page.getByRole('link', { name: 'New session' }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await send(page, 'work');
  await answer(page).getByText('first').first().waitFor();
  await world.restartServer();
  await settled(page, 1);
  const notices = (view) => view.map((t) => ({ ...t, steps: t.steps.filter((s) => !s.startsWith('off')) }));
  assert.deepEqual(notices(await viewOf(page)), quiet);
  await page.reload();
  await settled(page, 1);
  assert.deepEqual(notices(await viewOf(page)), quiet);
}));

test('without resuming, the turn is shown as interrupted and can be tried again', inWorld({ scripts: work, agent: 'resume_interrupted = false' }, async (world, page) => {
  world.expectProblems(...LOST_LINE);
  await world.goto('/');
  await send(page, 'work');
  await answer(page).getByText('first').first().waitFor();
  await world.restartServer();
  await page.locator('.note', { hasText: 'The server restarted. Work up to here is kept.' }).waitFor({ timeout: 20_000 });
  await page.locator('.ended').getByRole('button', { name: 'Retry' }).click();
  await page.locator('.thread[data-busy="true"]').waitFor();
  await settled(page, 1);
  assert.equal(await page.locator('.note', { hasText: 'The server restarted' }).count(), 0);
}));

test('reload in the middle of a turn, and a second tab, show the same', inWorld({ scripts: work }, async (world, page) => {
  const quiet = await quietRun(world, page);
  await page.getByRole('link', { name: 'New session' }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await send(page, 'work');
  await page.locator('.think').waitFor();
  await page.reload();
  const second = await world.newPage();
  await answer(page).getByText('first').first().waitFor();
  await second.goto(page.url());
  await settled(page, 1);
  await settled(second, 1);
  assert.deepEqual(await viewOf(page), quiet);
  assert.deepEqual(await viewOf(second), quiet);
}));

test('the user message is there after a reload right after sending', inWorld({ scripts: work }, async (world, page) => {
  await world.goto('/');
  await send(page, 'work');
  await page.waitForURL(/\/s\//);
  await page.reload();
  await page.locator('.said', { hasText: 'work' }).waitFor();
  await settled(page, 1);
  assert.equal(await page.locator('.said').count(), 1);
}));
