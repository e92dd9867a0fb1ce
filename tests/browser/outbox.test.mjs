// 12, 14: a message is sent exactly once whatever the line does, and a text that was typed is never lost.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, closeBrowser, inWorld, LOST_LINE, pieces, reply, send, settled } from './kit.mjs';

after(closeBrowser);

const scripts = [{ match: 'slow', replies: [reply(pieces('text', 'slow words '.repeat(60), { delayMs: 30 }))] }, { match: '', replies: [reply(pieces('text', 'Understood.'))] }];
const said = (page) => page.locator('.said').allInnerTexts();

test('a message sent while offline goes out once when the line is back', inWorld({ scripts }, async (world, page) => {
  world.expectProblems(...LOST_LINE);
  await world.goto('/');
  await send(page, 'hello');
  await settled(page, 1);
  world.line.takeDown();
  await send(page, 'offline message');
  await page.locator('.delivery', { hasText: 'Waiting for connection' }).waitFor();
  await page.locator('.strip', { hasText: 'Reconnecting' }).waitFor();
  world.line.bringUp();
  await page.locator('.delivery').waitFor({ state: 'detached', timeout: 20_000 });
  await settled(page, 2);
  assert.deepEqual(await said(page), ['hello', 'offline message']);
  assert.equal((await world.turns()).items.length, 2);
}));

test('the first message of a session is kept while offline and sent once', inWorld({ scripts }, async (world, page) => {
  world.expectProblems(...LOST_LINE);
  await world.goto('/');
  world.line.takeDown();
  await send(page, 'first words');
  await page.locator('.delivery', { hasText: 'Waiting for connection' }).waitFor();
  world.line.bringUp();
  await page.waitForURL(/\/s\//, { timeout: 20_000 });
  await settled(page, 1);
  assert.deepEqual(await said(page), ['first words']);
}));

test('double Enter and a reload before the answer make one message', inWorld({ scripts }, async (world, page) => {
  world.expectProblems(...LOST_LINE);
  await world.goto('/');
  await send(page, 'hello');
  await settled(page, 1);
  await page.locator('#message').fill('only once');
  await Promise.all([page.locator('#message').press('Enter'), page.locator('#message').press('Enter')]);
  world.line.cutSockets();
  await page.reload();
  await settled(page, 2);
  await page.waitForTimeout(300);
  assert.deepEqual(await said(page), ['hello', 'only once']);
  assert.equal((await world.turns()).items.length, 2);
}));

test('a line that is cut right after sending, five times over, still gives one message', inWorld({ scripts }, async (world, page) => {
  world.expectProblems(...LOST_LINE);
  await world.goto('/');
  await send(page, 'hello');
  await settled(page, 1);
  await send(page, 'under fire');
  for (let i = 0; i < 5; i++) { world.line.cutSockets(); await page.waitForTimeout(150); }
  await settled(page, 2);
  assert.deepEqual(await said(page), ['hello', 'under fire']);
  assert.equal((await world.turns()).items.length, 2);
  assert.equal(await page.locator('.delivery').count(), 0);
}));

test('a draft survives a reload and a change of session', inWorld({ scripts }, async (world, page) => {
  await world.goto('/');
  await send(page, 'hello');
  await settled(page, 1);
  const session = page.url();
  await page.locator('#message').fill('half a thought');
  await page.reload();
  await page.waitForFunction(() => document.querySelector('#message')?.value === 'half a thought');
  await page.getByRole('link', { name: 'New session' }).click();
  await page.waitForFunction(() => document.querySelector('#message')?.value === '');
  await page.locator('#message').fill('another one');
  await page.locator('.session a').first().click();
  await page.waitForFunction(() => document.querySelector('#message')?.value === 'half a thought');
  assert.equal(page.url(), session);
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#message')?.value === 'another one');
}));

test('typing goes on while a turn runs', inWorld({ scripts }, async (world, page) => {
  await world.goto('/');
  await send(page, 'slow');
  await answer(page).getByText('slow words').waitFor();
  await page.locator('#message').pressSequentially('typed meanwhile', { delay: 15 });
  assert.equal(await page.locator('#message').inputValue(), 'typed meanwhile');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'message');
}));

test('a message that is too long is not sent and not lost', inWorld({ scripts }, async (world, page) => {
  await world.goto('/');
  const max = await page.evaluate(() => JSON.parse(document.getElementById('boot').textContent).limits.max_message_chars);
  await page.locator('#message').evaluate((n, length) => { n.value = 'x'.repeat(length + 5); n.dispatchEvent(new Event('input', { bubbles: true })); }, max);
  await page.getByText('The message is 5 characters too long.').waitFor();
  await page.locator('#message').press('Enter');
  assert.equal((await page.locator('#message').inputValue()).length, max + 5);
  assert.equal(new URL(page.url()).pathname, '/');
}));

test('Enter that ends a composition does not send, the next one does', inWorld({ scripts }, async (world, page) => {
  await world.goto('/');
  await page.locator('#message').focus();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Input.imeSetComposition', { text: 'ni', selectionStart: 2, selectionEnd: 2 });
  await cdp.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Process', code: 'Enter', windowsVirtualKeyCode: 229 });
  await cdp.send('Input.insertText', { text: '你好' });
  assert.equal(await page.locator('#message').inputValue(), '你好');
  assert.equal(new URL(page.url()).pathname, '/');
  await page.locator('#message').press('Enter');
  await page.waitForURL(/\/s\//);
  await settled(page, 1);
  assert.deepEqual(await said(page), ['你好']);
}));

test('the browser goes offline: said at once, and the message goes out when it is back', inWorld({ scripts }, async (world, page) => {
  world.expectProblems(...LOST_LINE, /ERR_INTERNET_DISCONNECTED/);
  await world.goto('/');
  await send(page, 'hello');
  await settled(page, 1);
  await page.context().setOffline(true);
  world.line.takeDown();
  await send(page, 'no network');
  await page.locator('.delivery', { hasText: 'Waiting for connection' }).waitFor({ timeout: 2000 });
  world.line.bringUp();
  await page.context().setOffline(false);
  await settled(page, 2);
  assert.deepEqual(await said(page), ['hello', 'no network']);
}));

test('deleting the open session shows no error, and Undo brings it back', inWorld({ scripts }, async (world, page) => {
  await world.goto('/');
  await send(page, 'hello');
  await settled(page, 1);
  await page.locator('.session').hover();
  await page.locator('.session .row-menu button').first().click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.waitForTimeout(400);
  assert.equal(await page.locator('.strip.err').count(), 0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await settled(page, 1);
  assert.equal(await page.locator('.strip.err').count(), 0);
}));
