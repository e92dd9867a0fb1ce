// The inspector: what a turn cost, what was sent and how it was made to fit, what differs between two requests, and the export.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { calls, closeBrowser, inWorld, pieces, reply, send, settled } from './kit.mjs';

after(closeBrowser);

const SECRET = 'sk-test-not-to-be-seen-0123456789';
const work = [{ match: 'work', replies: [calls(pieces('reasoning', 'Look first.'), ['c1', 'list_dir', { path: '.' }]), { ...reply(pieces('text', 'There is one note.')), usage: { input: 1500, cached: 1000, output: 30 } }] }];
const priced = { presets: { default: { price: { input: 10, cached: 1, output: 20 } } } };

const dialog = (page) => page.getByRole('dialog', { name: 'Turn inspector' });
const total = (page, name) => dialog(page).locator('.totals > div', { has: page.locator('dt', { hasText: new RegExp(`^${name}`) }) });

async function inspect(world, page) {
  await world.goto('/');
  await send(page, 'work');
  await settled(page, 1);
  await page.getByRole('link', { name: 'Inspect' }).click();
  await dialog(page).locator('.requests tbody tr').first().waitFor();
}

test('numbers, requests, and what was sent in each of them', inWorld({ scripts: work }, async (world, page) => {
  await world.settings(priced);
  await inspect(world, page);
  assert.match(await page.evaluate(() => location.search), /^\?inspect=/);
  await total(page, 'Requests').filter({ hasText: '2' }).waitFor();
  await total(page, 'Input').filter({ hasText: '2,500' }).filter({ hasText: '40% cached' }).waitFor();
  await total(page, 'Output').filter({ hasText: '50' }).waitFor();
  await total(page, 'Cost').filter({ hasText: '$0.0' }).waitFor();
  await total(page, 'Tool calls').filter({ hasText: '1' }).waitFor();
  const rows = dialog(page).locator('.requests tbody > tr:not(.detail-row)');
  assert.equal(await rows.count(), 2);
  assert.match(await rows.nth(1).innerText(), /^2\s+mock[\s\S]+complete[\s\S]+1,500[\s\S]+1,000[\s\S]+30/);

  await dialog(page).getByRole('button', { name: 'Request 1, attempt 1' }).click();
  const first = dialog(page).locator('.detail').first();
  await first.getByText('There is no request before it.').waitFor();
  await first.getByText('tokens of a budget of').waitFor();
  await first.locator('.sent-fold', { hasText: 'System prompt' }).locator('summary').first().click();
  assert.ok((await first.locator('.sent-text').first().innerText()).length > 20);

  await dialog(page).getByRole('button', { name: 'Request 2, attempt 1' }).click();
  const second = dialog(page).locator('.detail').nth(1);
  await second.locator('.note.ok', { hasText: 'The start stayed the same' }).waitFor();
  assert.ok(await second.locator('.added-message').count() >= 2);
  await second.locator('.added-message', { hasText: 'list_dir' }).first().waitFor();
  const result = second.locator('.added-message', { hasText: 'notes.md' });
  await result.locator('summary').click();
  await result.locator('pre', { hasText: 'notes.md' }).waitFor();

  const bars = dialog(page).locator('.timeline > li');
  assert.equal(await bars.count(), 3);
  await bars.filter({ hasText: 'list_dir' }).locator('summary').click();
  await bars.filter({ hasText: 'list_dir' }).locator('pre', { hasText: '"path": "."' }).waitFor();
}));

test('it has an address, survives a reload, closes by Escape and Back, and gives the focus back', inWorld({ scripts: work }, async (world, page) => {
  await inspect(world, page);
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  // The dialog is gone a moment before the address is.
  await page.waitForURL((url) => url.search === '');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Inspect');
  await page.goForward();
  await dialog(page).locator('.requests').waitFor();
  const address = await page.evaluate(() => location.href);
  await page.goBack();
  await dialog(page).waitFor({ state: 'detached' });

  await page.goto(address);
  await dialog(page).locator('.requests').waitFor();
  await page.reload();
  await dialog(page).locator('.requests').waitFor();
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  await page.locator('.said', { hasText: 'work' }).waitFor();
}));

test('the export is a file with everything and without secrets', inWorld({ scripts: [{ match: '', replies: work[0].replies }] }, async (world, page) => {
  await world.settings({ providers: { mock: { api_key: SECRET } } });
  await world.goto('/');
  await send(page, `work with ${SECRET}`);
  await settled(page, 1);
  await page.getByRole('link', { name: 'Inspect' }).click();
  const [file] = await Promise.all([page.waitForEvent('download'), dialog(page).getByRole('link', { name: 'Export' }).click()]);
  const text = readFileSync(await file.path(), 'utf8');
  const exported = JSON.parse(text);
  assert.ok(JSON.stringify(exported).includes('list_dir'));
  assert.ok(!text.includes(SECRET));
  assert.match(file.suggestedFilename(), /\.json$/);
}));

test('attempts that failed are rows too', inWorld({ scripts: [{ match: '', replies: [{ status: 503, body: 'busy', headers: [['retry-after', '1']] }] }] }, async (world, page) => {
  await world.goto('/');
  await send(page, 'hello');
  await page.locator('.step.live', { hasText: 'Asking again' }).waitFor();
  await world.script([{ match: '', replies: [reply(pieces('text', 'There.'))] }]);
  await settled(page, 1);
  await page.getByRole('link', { name: 'Inspect' }).click();
  await dialog(page).locator('.requests .failed').first().waitFor();
  await dialog(page).locator('.requests .good').last().waitFor();
  await total(page, 'Requests').filter({ hasText: 'failed' }).waitFor();
}));

test('a turn that is not there, and a server that fails, are said', inWorld({ scripts: work }, async (world, page) => {
  world.expectProblems(/status of (404|500)/);
  await inspect(world, page);
  const address = await page.evaluate(() => location.href);
  await page.goto(address.replace(/inspect=.*/, 'inspect=019a0000-0000-7000-8000-000000000000'));
  await dialog(page).getByText('This turn does not exist any more.').waitFor();
  let fail = true;
  await page.route('**/api/v1/turns/*', (route) => (fail ? route.fulfill({ status: 500, contentType: 'application/problem+json', body: '{"code":"storage","detail":"the database failed"}' }) : route.continue()));
  await page.goto(address);
  await dialog(page).getByText('the database failed').waitFor();
  fail = false;
  await dialog(page).getByRole('button', { name: 'Retry' }).click();
  await dialog(page).locator('.requests').waitFor();
}));
