// Signing in with the server's token.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { closeBrowser, inWorld } from './kit.mjs';

after(closeBrowser);

test('a server with a token asks for it once', inWorld({ env: { NANOBOT__SERVER__TOKEN: 'secret-token' } }, async (world, page) => {
  await page.goto(`${world.line.url}/`);
  assert.equal(new URL(page.url()).pathname, '/login');
  await page.locator('#token').fill('secret-token');
  await page.locator('form button[type=submit]').click();
  await page.locator('.rail-foot', { hasText: 'connected' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/');
}));
