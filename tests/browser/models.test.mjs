// 22: settings of models, from the address of a provider to the order of fallbacks, and the command that chooses one.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, closeBrowser, inWorld, pieces, reply, send, settled } from './kit.mjs';

after(closeBrowser);

const hello = [{ match: '', replies: [reply(pieces('text', 'Hello back.'))] }];
const two = (world) => ({
  providers: { spare: { kind: 'openai', base_url: `${world.modelUrl}/v1`, api_key: 'k' } },
  presets: { second: { provider: 'spare', model: 'mock-2' }, third: { provider: 'spare', model: 'mock-3', fallbacks: ['second'] } },
});
const row = (page, text) => page.locator('.rows > li', { hasText: text });
const saved = (page) => page.locator('.saved', { hasText: 'Saved' }).waitFor();

test('provider by address, names, test, preset, order of fallbacks, /model', inWorld({ setUp: false, scripts: hello }, async (world, page) => {
  await world.goto('/settings/models');
  const add = async (model) => {
    await page.getByRole('button', { name: 'Add a model', exact: true }).click();
    await page.getByRole('combobox', { name: 'Provider', exact: true }).selectOption({ label: 'Custom' });
    await page.getByRole('combobox', { name: 'Protocol' }).selectOption({ label: 'Chat Completions — nearly all servers' });
    await page.getByLabel('Base URL').fill(`${world.modelUrl}/v1`);
    await page.getByRole('combobox', { name: 'Model', exact: true }).fill(model);
  };
  await add('');
  await page.getByRole('button', { name: 'List models' }).click();
  await page.getByText(/\d+ models? to choose from/).waitFor();
  assert.ok(await page.locator('datalist option[value=mock]').count() > 0);
  await page.getByRole('combobox', { name: 'Model', exact: true }).fill('mock');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/Works, answered in/).waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.rows b', { hasText: /^mock$/ }).waitFor();

  await page.getByRole('button', { name: 'New model of custom' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Second');
  await page.getByRole('combobox', { name: 'Model', exact: true }).fill('mock-2');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.rows b', { hasText: 'mock-2' }).waitFor();
  await page.getByRole('button', { name: 'Duplicate Second' }).click();
  await page.getByRole('combobox', { name: 'Model', exact: true }).fill('mock-3');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.rows b', { hasText: 'mock-3' }).waitFor();

  await page.getByRole('button', { name: 'Edit default', exact: true }).click();
  const order = page.locator('.fallbacks');
  await order.getByLabel('Model to ask next').selectOption('Second');
  await order.getByRole('button', { name: 'Add' }).click();
  await order.getByRole('button', { name: 'Add' }).click();
  assert.deepEqual(await order.locator('li b').allInnerTexts(), ['Second', 'Second-2']);
  await order.getByRole('button', { name: 'Move Second-2 up' }).press('Enter');
  assert.deepEqual(await order.locator('li b').allInnerTexts(), ['Second-2', 'Second']);
  await page.locator('[aria-live=polite]', { hasText: 'Second-2 is now number 1 of 2' }).waitFor({ state: 'attached' });
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Move Second-2 up');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await row(page, 'if it fails: Second-2 → Second').waitFor();
  assert.deepEqual((await world.settings()).presets.default.fallbacks, ['Second-2', 'Second']);

  await page.locator('.new').click();
  await send(page, '/model second');
  await page.locator('.composer-note', { hasText: 'This session now uses mock-2 · custom.' }).waitFor();
  assert.equal(await page.locator('#message').inputValue(), '');
  await send(page, 'hello');
  await settled(page, 1);
  assert.equal((await world.modelRequests()).at(-1).model ?? (await world.modelRequests()).at(-1).body?.model, 'mock-2');
  assert.deepEqual(await page.locator('.said').allInnerTexts(), ['hello']);
}));

test('/model opens the choice, keeps an unknown name, and is offered while it is typed', inWorld({ scripts: hello }, async (world, page) => {
  await world.settings(two(world));
  await world.goto('/');
  await send(page, 'hello');
  await settled(page, 1);
  await page.locator('#message').pressSequentially('/');
  await page.getByRole('option', { name: /^\/model/ }).waitFor();
  await page.locator('#message').press('Tab');
  assert.equal(await page.locator('#message').inputValue(), '/model ');
  assert.equal(await page.locator('#hints [role=option]').count(), 3);
  await page.locator('#message').press('Escape');
  await page.locator('#hints').waitFor({ state: 'detached' });
  await send(page, '/model nothing');
  await page.getByText('There is no model “nothing”. Set up: default, second, third.').waitFor();
  assert.equal(await page.locator('#message').inputValue(), '/model nothing');
  await send(page, '/model');
  const dialog = page.getByRole('dialog', { name: 'Choose a model' });
  await dialog.getByRole('button', { name: /mock-3/ }).click();
  await dialog.waitFor({ state: 'detached' });
  const choice = page.getByRole('combobox', { name: 'Model' });
  await page.waitForFunction(() => document.querySelector('.tools select[aria-label=Model]')?.value === 'third');
  assert.equal(await choice.locator('option:checked').innerText(), 'mock-3 · spare');
  const taken = page.waitForResponse((r) => r.request().method() === 'PATCH' && r.url().includes('/sessions/'));
  await choice.selectOption('second');
  await taken;
  await page.reload();
  await page.waitForFunction(() => document.querySelector('.tools select[aria-label=Model]')?.value === 'second');
  await page.locator('.said').waitFor();
  assert.deepEqual(await page.locator('.said').allInnerTexts(), ['hello']);
}));

test('a session whose model was removed goes on with the default one and says so', inWorld({ scripts: hello }, async (world, page) => {
  await world.settings(two(world));
  await world.goto('/');
  await page.getByRole('combobox', { name: 'Model' }).selectOption('second');
  await send(page, 'one');
  await settled(page, 1);
  await world.settings({ presets: { second: null, third: null } });
  await page.reload();
  await page.getByText('“second” is not set up any more. This session goes on with mock · mock.').waitFor();
  await send(page, 'two');
  await settled(page, 2);
  assert.equal(await answer(page).innerText(), 'Hello back.');
  await page.getByRole('button', { name: 'Retry' }).last().click();
  await page.getByText('2/2').waitFor();
  await settled(page, 2);
}));

test('what is wrong stands at its field, nothing typed is lost, a change can be undone', inWorld({ scripts: hello }, async (world, page) => {
  world.expectProblems(/status of 422/);
  await world.settings(two(world));
  await world.goto('/settings/models');
  await page.getByRole('button', { name: 'Edit second', exact: true }).click();
  const form = page.getByRole('form', { name: 'Edit second' });
  await form.getByLabel('Temperature').fill('3');
  await form.getByLabel('Context window').fill('200k');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('A number from 0 to 2.').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-invalid')), 'true');
  await form.getByLabel('Temperature').fill('0.5');
  assert.equal(await form.getByLabel('Context window').inputValue(), '200k');
  await form.getByRole('button', { name: 'Save' }).click();
  await saved(page);
  let now = (await world.settings()).presets.second;
  assert.deepEqual([now.temperature, now.context_window_tokens], [0.5, 200_000]);
  await page.locator('.saved').getByRole('button', { name: 'Undo' }).click();
  await page.locator('.saved').getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
  now = (await world.settings()).presets.second;
  assert.deepEqual([now.temperature, now.context_window_tokens], [undefined, undefined]);

  await page.getByRole('button', { name: 'Edit second', exact: true }).click();
  await form.getByLabel('Name', { exact: true }).fill('renamed');
  await form.getByRole('button', { name: 'Save' }).click();
  await row(page, 'if it fails: renamed').waitFor();
  const { presets } = await world.settings();
  assert.deepEqual([Object.keys(presets).sort(), presets.third.fallbacks], [['default', 'renamed', 'third'], ['renamed']]);
}));

test('the server refuses a value: its words stand at the field', inWorld({ scripts: hello }, async (world, page) => {
  world.expectProblems(/status of 422/);
  await page.route('**/api/v1/settings', (route) => (route.request().method() === 'PATCH'
    ? route.fulfill({ status: 422, contentType: 'application/problem+json', body: JSON.stringify({ status: 422, code: 'invalid_field', detail: 'presets.default.max_tokens: is more than the model has', path: 'presets.default.max_tokens' }) })
    : route.continue()));
  await world.goto('/settings/models');
  await page.getByRole('button', { name: 'Edit default', exact: true }).click();
  await page.getByLabel('Longest answer').fill('999');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.problem', { hasText: /^is more than the model has$/ }).waitFor();
  assert.equal(await page.getByLabel('Longest answer').inputValue(), '999');
}));

test('keys and headers go in and never come out; a provider that moves says that it loses them', inWorld({ scripts: hello }, async (world, page) => {
  await world.goto('/settings/models');
  const edit = page.getByRole('button', { name: 'Edit provider mock' });
  const form = page.getByRole('form', { name: 'Edit provider mock' });
  await edit.click();
  await form.getByText('key is set').waitFor();
  await form.getByText('Advanced').click();
  await form.getByRole('button', { name: 'Add a header' }).click();
  await form.getByLabel('Extra headers: Name').fill('X-Tenant');
  await form.getByLabel('Extra headers: Value').fill('secret-tenant');
  await form.getByLabel('Extra body').fill('{"top_k": }');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('This is not valid JSON.').waitFor();
  await form.getByLabel('Extra body').fill('{"top_k": 20}');
  await form.getByRole('button', { name: 'Save' }).click();
  await saved(page);
  const { mock } = (await world.settings()).providers;
  assert.deepEqual([mock.extra_headers, mock.extra_body, mock.api_key_set], [{ 'X-Tenant': 'set' }, { top_k: 20 }, true]);
  await page.reload();
  await edit.click();
  assert.doesNotMatch(await page.content(), /secret-tenant/);
  assert.equal(await form.getByLabel('Extra headers: Name').inputValue(), 'X-Tenant');
  await form.getByLabel('Base URL').fill(`${world.modelUrl}/elsewhere/v1`);
  await form.getByText(/are dropped when you save/).waitFor();
  await form.getByRole('button', { name: 'Save' }).click();
  await row(page, 'no key').waitFor();
}));

test('how long to try is one choice', inWorld({ scripts: hello }, async (world, page) => {
  await world.goto('/settings/models');
  await page.getByRole('radio', { name: /Persistent/ }).check();
  await saved(page);
  assert.equal((await world.settings()).agent.retry_mode, 'persistent');
  await page.locator('.saved').getByRole('button', { name: 'Undo' }).click();
  await page.waitForFunction(() => document.querySelector('input[name=retry_mode]')?.checked);
  assert.equal((await world.settings()).agent.retry_mode, 'standard');
}));
