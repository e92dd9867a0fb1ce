// Settings → Usage: what was used, by day, model and session, and the file to take away.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { closeBrowser, inWorld, pieces, reply, send, settled } from './kit.mjs';

after(closeBrowser);

const priced = { presets: { default: { price: { input: 1000, cached: 100, output: 2000 } } } };
const told = [{ match: '', replies: [{ ...reply(pieces('text', 'Counted.')), usage: { input: 1200, output: 40, cached: 300 } }] }];
const total = (page, name) => page.locator('.totals > div', { has: page.locator('dt', { hasText: name }) });

test('nothing used yet is said, then a request is counted, priced and linked to its session', inWorld({ scripts: told }, async (world, page) => {
  await world.settings(priced);
  await world.goto('/settings/usage');
  await page.getByText('No model was asked in this period.').waitFor();
  await page.locator('.new').click();
  await send(page, 'count me');
  await settled(page, 1);
  await world.goto('/settings/usage');
  await total(page, 'Input').filter({ hasText: '1,200' }).filter({ hasText: '25% cached' }).waitFor();
  await total(page, 'Output').filter({ hasText: '40' }).waitFor();
  // 900 fresh and 300 cached tokens of input, 40 of output.
  await total(page, 'Cost').filter({ hasText: '$1.01' }).waitFor();
  const chart = page.getByRole('img', { name: /^Tokens per day over 30 days; most on .* with 1,240\./ });
  await chart.waitFor();
  assert.equal(await chart.locator('rect:not(.reach)').count(), 3);
  assert.equal(await page.locator('.usage tbody tr').count(), 1);

  await page.getByText('Model', { exact: true }).click();
  await page.locator('.usage tbody th', { hasText: 'default mock/mock' }).waitFor();
  await page.getByText('Session', { exact: true }).click();
  await page.locator('.usage tbody').getByRole('link', { name: 'count me' }).click();
  await page.locator('.said', { hasText: 'count me' }).waitFor();
}));

test('periods, and the file for a spreadsheet', inWorld({ scripts: told }, async (world, page) => {
  await world.goto('/');
  await send(page, '=count me');
  await settled(page, 1);
  await world.goto('/settings/usage');
  await page.locator('.chart').waitFor();
  for (const [name, days] of [['7 days', 7], ['90 days', 90]]) {
    await page.getByText(name).click();
    await page.getByRole('img', { name: new RegExp(`over ${days} days`) }).waitFor();
  }
  await page.getByText('Session', { exact: true }).click();
  await page.locator('.usage tbody a').waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download CSV' }).click()]);
  assert.match(file.suggestedFilename(), /^nanobot-usage-session-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
  const lines = readFileSync(await file.path(), 'utf8').split('\r\n');
  assert.match(lines[0], /^\ufeffsession,label,requests,/);
  assert.match(lines[1], /^[\w-]+,'=count me,1,0,1200,300,40,/);
  await total(page, 'Cost').filter({ hasText: '1 request without a price' }).waitFor();
}));

test('a failure is said and can be tried again', inWorld({ scripts: told }, async (world, page) => {
  world.expectProblems(/status of 500/);
  let fail = true;
  await page.route('**/api/v1/usage?*', (route) => (fail ? route.fulfill({ status: 500, contentType: 'application/problem+json', body: '{"code":"storage","detail":"the database failed"}' }) : route.continue()));
  await world.goto('/settings/usage');
  await page.getByText('The usage could not be loaded.').waitFor();
  fail = false;
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('No model was asked in this period.').waitFor();
}));
