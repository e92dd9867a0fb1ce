// Settings → Tools & access, and the access mode of a session below its message field.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { closeBrowser, inWorld, pieces, reply, send, settled } from './kit.mjs';

after(closeBrowser);

const hello = [{ match: '', replies: [reply(pieces('text', 'Hello back.'))] }];
const rules = (page) => page.locator('.rules .rule');
const words = async (page) => (await rules(page).allInnerTexts()).map((t) => t.replace(/\s+/g, ' ').replace(/ Edit Remove$/, '').trim());

test('rules are added, changed, moved, removed, and each of it can be taken back', inWorld({}, async (world, page) => {
  await world.goto('/settings/tools');
  await page.getByText('No rules yet').waitFor();
  const add = async (tool, match, decision) => {
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByLabel('Tool', { exact: true }).fill(tool);
    await page.getByLabel('What it is called with').fill(match);
    await page.getByLabel('Decision').selectOption(decision);
    await page.getByRole('form', { name: 'Add a rule' }).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('form', { name: 'Add a rule' }).waitFor({ state: 'detached' });
  };
  await add('exec', 'git *', 'ask');
  await add('exec', 'git push*', 'deny');
  await add('write_file', '', 'allow');
  assert.deepEqual(await words(page), ['1 Ask exec git *', '2 Deny exec git push* Never reached: rule 1 fits first.', '3 Allow write_file anything']);
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Edit rule 3');

  await page.getByRole('button', { name: 'Move rule 2 up' }).press('Enter');
  await page.locator('[aria-live=polite]', { hasText: 'Now rule 1 of 3' }).waitFor({ state: 'attached' });
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Move rule 1 up');
  assert.deepEqual(await words(page), ['1 Deny exec git push*', '2 Ask exec git *', '3 Allow write_file anything']);
  assert.deepEqual((await world.settings()).permissions, [{ tool: 'exec', match: 'git push*', decision: 'deny' }, { tool: 'exec', match: 'git *', decision: 'ask' }, { tool: 'write_file', match: '*', decision: 'allow' }]);

  await page.getByRole('button', { name: 'Edit rule 3' }).click();
  await page.getByLabel('Decision').selectOption('ask');
  await page.getByRole('form', { name: 'Edit rule 3' }).getByRole('button', { name: 'Save' }).click();
  await rules(page).filter({ hasText: 'Ask' }).filter({ hasText: 'write_file' }).waitFor();
  await page.getByRole('button', { name: 'Remove rule 1' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.rule').length === 2);
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Remove rule 1');
  await page.locator('.rules .saved').getByRole('button', { name: 'Undo' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.rule').length === 3);
  assert.equal((await world.settings()).permissions.length, 3);
}));

test('a rule without a tool is not sent; what the server refuses stands at the rule', inWorld({}, async (world, page) => {
  world.expectProblems(/status of 422/);
  await world.goto('/settings/tools');
  await page.getByRole('button', { name: 'Add a rule' }).click();
  const form = page.getByRole('form', { name: 'Add a rule' });
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Fill this in.').waitFor();
  await page.getByLabel('Tool', { exact: true }).fill('exec');
  await page.route('**/api/v1/settings', (route) => (route.request().method() === 'PATCH'
    ? route.fulfill({ status: 422, contentType: 'application/problem+json', body: JSON.stringify({ code: 'invalid', detail: 'this is no pattern', path: 'permissions[0].match' }) })
    : route.continue()));
  await form.getByRole('button', { name: 'Save' }).click();
  await form.locator('.field', { hasText: 'What it is called with' }).getByText('this is no pattern').waitFor();
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Add a rule');
}));

test('limits go in, are refused at their field, and go again', inWorld({}, async (world, page) => {
  await world.goto('/settings/tools');
  await page.getByLabel('One turn, US dollars').fill('0');
  await page.getByLabel('One session, tokens').fill('500k');
  await page.getByLabel('One day, tokens').fill('2M');
  await page.getByLabel('One turn, time at work').fill('1h 30m');
  await page.getByLabel('One session, time at work').fill('soon');
  const save = page.getByRole('form', { name: 'Budgets' }).getByRole('button', { name: 'Save' });
  await save.click();
  await page.locator('.field', { hasText: 'One turn, US dollars' }).getByText('An amount above 0.').waitFor();
  await page.locator('.field', { hasText: 'One session, time at work' }).getByText('A time of 1 s or more, such as').waitFor();
  await page.getByLabel('One turn, US dollars').fill('1.5');
  await page.getByLabel('One session, time at work').fill('7200');
  await save.click();
  await page.locator('.saved', { hasText: 'Saved' }).waitFor();
  assert.deepEqual((await world.settings()).budget, { turn_usd: 1.5, session_tokens: 500_000, day_tokens: 2_000_000, turn_seconds: 5400, session_seconds: 7200 });
  await page.waitForFunction(() => document.querySelector('form[aria-label=Budgets] .go')?.disabled);
  assert.equal(await page.getByLabel('One turn, time at work').inputValue(), '1 h 30 min');
  await page.getByLabel('One session, time at work').fill('');
  await page.getByLabel('One turn, US dollars').fill('');
  const taken = page.waitForResponse((r) => r.request().method() === 'PATCH' && r.url().endsWith('/settings'));
  await save.click();
  await taken;
  assert.deepEqual((await world.settings()).budget, { session_tokens: 500_000, day_tokens: 2_000_000, turn_seconds: 5400 });
  await page.reload();
  assert.equal(await page.getByLabel('One session, tokens').inputValue(), '500000');
  assert.equal(await page.getByLabel('One day, tokens').inputValue(), '2000000');
  assert.equal(await page.getByLabel('One turn, time at work').inputValue(), '1 h 30 min');
  assert.equal(await page.getByLabel('One session, time at work').inputValue(), '');
}));

test('hooks are listed and not changed here', inWorld({ agent: '\n[[hooks]]\nevent = "after_execute_tool"\nmatch = "write_*"\ncommand = ["./hooks/note.sh", "--quietly"]\ntimeout_ms = 1500\n' }, async (world, page) => {
  await world.goto('/settings/tools');
  const hook = page.locator('.rows > li', { hasText: 'note.sh' });
  await hook.getByText('write_*').waitFor();
  await hook.getByText('after_execute_tool · at most 1.5 s').waitFor();
  assert.equal(await hook.getByRole('button').count(), 0);
}));

test('the default access: full is asked about first', inWorld({}, async (world, page) => {
  await world.goto('/settings/tools');
  await page.getByRole('radio', { name: /^Full access/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Full access everywhere?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await page.getByRole('radio', { name: /^Workspace only/ }).isChecked(), true);
  assert.equal((await world.settings()).agent.access, 'workspace');
  await page.getByRole('radio', { name: /^Ask before acting/ }).click();
  await page.locator('.saved', { hasText: 'Saved' }).waitFor();
  assert.equal((await world.settings()).agent.access, 'ask');
}));

test('the access of a session is chosen below its message field', inWorld({ scripts: hello }, async (world, page) => {
  await world.goto('/');
  const access = page.getByRole('combobox', { name: 'Access' });
  await access.locator('option', { hasText: 'As configured (Workspace only)' }).waitFor({ state: 'attached' });
  await access.selectOption('full');
  const dialog = page.getByRole('dialog', { name: 'Give full access to this session?' });
  await dialog.waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === 'Cancel');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await access.inputValue(), '');
  await access.selectOption('ask');
  await send(page, 'hello');
  await settled(page, 1);
  const session = async () => (await fetch(`${world.line.url}/api/v1/sessions/${new URL(page.url()).pathname.split('/').at(-1)}`)).json();
  assert.equal((await session()).access, 'ask');

  await access.selectOption('full');
  await dialog.getByRole('button', { name: 'Give full access' }).click();
  await page.getByText('Access is now: Full access.').waitFor();
  assert.equal((await session()).access, 'full');
  const second = await world.newPage();
  await second.goto(page.url());
  await second.waitForFunction(() => document.querySelector('select[aria-label=Access]')?.value === 'full');
  await access.selectOption('');
  await second.waitForFunction(() => document.querySelector('select[aria-label=Access]')?.value === '');
  assert.equal((await session()).access, null);
}));
