// 6: the view follows the end only while the reader is there, and stays where it is when older turns come in.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { closeBrowser, inWorld, pieces, reply, send, settled } from './kit.mjs';

after(closeBrowser);

const LINES = Array.from({ length: 120 }, (_, i) => `Paragraph ${i}.\n\n`).join('');
const gap = (page) => page.evaluate(() => { const t = document.querySelector('#thread'); return t.scrollHeight - t.scrollTop - t.clientHeight; });

test('follow, let go, come back', inWorld({ scripts: [{ match: 'long', replies: [reply(pieces('text', LINES, { size: 12, delayMs: 12 }))] }] }, async (world, page) => {
  await world.goto('/');
  await send(page, 'long');
  await page.locator('.prose > p', { hasText: 'Paragraph 40.' }).waitFor();
  assert.ok(await gap(page) < 60, 'follows');
  await page.locator('#thread').hover();
  await page.mouse.wheel(0, -300);
  await page.waitForTimeout(100);
  const top = await page.evaluate(() => document.querySelector('#thread').scrollTop);
  await page.locator('.prose > p', { hasText: 'Paragraph 70.' }).waitFor();
  assert.equal(await page.evaluate(() => document.querySelector('#thread').scrollTop), top, 'stays where the reader left it');
  await page.locator('.to-end').click();
  await page.waitForTimeout(300);
  assert.ok(await gap(page) < 60, 'follows again');
  await page.locator('.prose > p', { hasText: 'Paragraph 100.' }).waitFor();
  assert.ok(await gap(page) < 60, 'still follows');
  await settled(page, 1);
  assert.equal(await page.locator('.to-end').count(), 0);
}));

test('older turns come in above without a jump', inWorld({ scripts: [{ match: 'turn', replies: [reply([{ text: 'A short answer.\n\nWith two paragraphs.' }])] }] }, async (world, page) => {
  await world.goto('/');
  await send(page, 'turn 0');
  await settled(page, 1);
  const id = new URL(page.url()).pathname.split('/').at(-1);
  for (let i = 1; i < 90; i++) {
    const answer = await fetch(`${world.line.url}/api/v1/sessions/${id}/turns?wait=true`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ content: `turn ${i}` }) });
    assert.ok(answer.ok, `turn ${i}: ${answer.status}`);
  }
  await page.reload();
  await page.locator('.said', { hasText: 'turn 89' }).waitFor();
  assert.ok(await gap(page) < 60, 'opens at the end');
  assert.ok(await page.locator('.turn-item').count() < 90, 'only the newest page is read');
  await page.locator('#thread').hover();
  let seen = await page.locator('.turn-item').count();
  for (let i = 0; i < 200 && seen < 90; i++) {
    const before = await page.evaluate(() => {
      const box = document.querySelector('#thread');
      const edge = box.getBoundingClientRect().top;
      const first = [...box.querySelectorAll('.turn-item')].find((n) => n.getBoundingClientRect().bottom > edge + 40);
      window.anchor = first;
      return first.getBoundingClientRect().top;
    });
    await page.mouse.wheel(0, -220);
    await page.waitForTimeout(60);
    const moved = await page.evaluate((was) => window.anchor.getBoundingClientRect().top - was, before);
    assert.ok(moved >= -2 && moved <= 330, `the view moved by ${moved} px on a wheel of 220`);
    seen = await page.locator('.turn-item').count();
  }
  assert.equal(seen, 90);
}));
