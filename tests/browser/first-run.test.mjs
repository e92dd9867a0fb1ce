// 1: from an empty home to the first answer.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, closeBrowser, inWorld, pieces, reply, send, settled } from './kit.mjs';

after(closeBrowser);

test('first run: form, test, save, hello, answer', inWorld({ setUp: false, scripts: [{ match: '', replies: [reply(pieces('text', 'Hello back.'))] }] }, async (world, page) => {
  await world.goto('/');
  await page.getByRole('heading', { name: 'Choose a model' }).waitFor();
  await page.getByRole('combobox', { name: 'Provider', exact: true }).selectOption({ label: 'Custom' });
  await page.getByLabel('Base URL').fill(`${world.modelUrl}/v1`);
  await page.getByLabel('API key').fill('k');
  await page.getByRole('combobox', { name: 'Model', exact: true }).first().fill('mock');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/Works, answered in/).waitFor();
  await page.getByRole('button', { name: 'Save and start' }).click();
  await page.getByRole('heading', { name: 'Choose a model' }).waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement?.id === 'message' && document.activeElement.value !== '');
  await send(page, 'Hello there');
  await answer(page).getByText('Hello back.').waitFor();
  await settled(page, 1);
  assert.match(page.url(), /\/s\/[\w-]+$/);
}));

test('first run: a wrong address is said by the test, nothing is saved', inWorld({ setUp: false }, async (world, page) => {
  await world.goto('/');
  await page.getByRole('combobox', { name: 'Provider', exact: true }).selectOption({ label: 'Custom' });
  await page.getByLabel('Base URL').fill('http://127.0.0.1:9/v1');
  await page.getByRole('combobox', { name: 'Model', exact: true }).first().fill('mock');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/^Failed: ./).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Choose a model' }).waitFor();
}));

test('first run: the demo model answers and says that it is scripted', inWorld({ setUp: false }, async (world, page) => {
  await world.goto('/');
  await page.getByText('Scripted and offline').waitFor();
  await page.getByRole('button', { name: 'Try the demo model' }).click();
  await page.getByRole('heading', { name: 'Choose a model' }).waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.querySelector('#message')?.value);
  await page.locator('#message').press('Enter');
  await answer(page).first().waitFor({ timeout: 20_000 });
  await settled(page, 1);
}));

test('a message without a model is kept, and answered once there is one', inWorld({ setUp: false, scripts: [{ match: 'keep me', replies: [reply(pieces('text', 'Kept.'))] }] }, async (world, page) => {
  await world.goto('/');
  await send(page, 'keep me');
  await page.locator('.note', { hasText: 'No model is set up yet. Your message is kept.' }).waitFor();
  await page.getByRole('button', { name: 'Set up a model' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Provider', exact: true }).selectOption({ label: 'Custom' });
  await dialog.getByLabel('Base URL').fill(`${world.modelUrl}/v1`);
  await dialog.getByRole('combobox', { name: 'Model', exact: true }).fill('mock');
  await dialog.getByRole('button', { name: 'Save and start' }).click();
  await page.locator('.prose', { hasText: 'Kept.' }).waitFor();
}));

test('two custom models are two providers, each with its own address', inWorld({ setUp: false }, async (world, page) => {
  await world.goto('/settings/models');
  const add = async (address, key, model) => {
    await page.getByRole('button', { name: 'Add a model' }).click();
    await page.getByRole('combobox', { name: 'Provider', exact: true }).selectOption({ label: 'Custom' });
    await page.getByLabel('Base URL').fill(address);
    if (key) await page.getByLabel('API key').fill(key);
    await page.getByRole('combobox', { name: 'Model', exact: true }).first().fill(model);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.rows b', { hasText: model }).waitFor();
  };
  const [a, b] = [`${world.modelUrl}/v1`, `${world.modelUrl}/other/v1`];
  await add(a, 'key-of-a', 'model-a');
  await add(b, '', 'model-b');
  await add(a, '', 'model-c');
  const { providers, presets } = await (await fetch(`${world.line.url}/api/v1/settings`)).json();
  const seen = Object.fromEntries(Object.entries(providers).map(([name, p]) => [name, [p.base_url, p.api_key_set]]));
  assert.deepEqual(seen, { custom: [a, true], 'custom-2': [b, false] });
  assert.deepEqual(Object.values(presets).map((p) => `${p.model} ${p.provider}`).sort(), ['model-a custom', 'model-b custom-2', 'model-c custom']);
  await page.getByRole('button', { name: 'Remove provider custom-2' }).click();
  await page.getByText('It is used by model-b; remove those models first.').waitFor();
}));
