// 4: model output is data. It starts no script, no request, and makes no element outside the allowed list.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, calls, closeBrowser, inWorld, pieces, reply, send, settled } from './kit.mjs';

after(closeBrowser);

const HOSTILE = [
  '# Report', '<img src=x onerror="window.__p=1">', '<svg onload="window.__p=2"></svg>', '<iframe srcdoc="<script>parent.__p=3</script>"></iframe>',
  '[click](javascript:window.__p=4)', '[data](data:text/html,<script>parent.__p=5</script>)', '![pixel](https://evil.example/p.png)', '![p](//evil.example/p.png)',
  '```mermaid', 'graph TD; A["<img src=x onerror=window.__p=6>"]-->B', 'click B href "javascript:window.__p=7"', '```', '$\\href{javascript:window.__p=8}{x}$',
  '<a href="https://example.test" target="_blank">ok</a>', '```', '<script>window.__p=9</script>', '```', '<style>body{background:url(https://evil.example/s)}</style>',
  '<form action="https://evil.example"><input name=q></form>', '<meta http-equiv=refresh content="0;url=https://evil.example">', '[site](https://example.test/x)',
].join('\n\n');
const ALLOWED = ['A', 'BLOCKQUOTE', 'BR', 'BUTTON', 'CODE', 'DIV', 'EM', 'H3', 'H4', 'H5', 'H6', 'HR', 'LI', 'OL', 'P', 'PRE', 'S', 'SPAN', 'STRONG', 'TABLE', 'TBODY', 'TD', 'TH', 'THEAD', 'TR', 'UL'];

test('hostile answers, thoughts, tool arguments and titles stay text', inWorld({
  scripts: [{ match: 'attack', replies: [calls(pieces('reasoning', HOSTILE, { size: 40 }), ['c1', 'read_file', { path: '<img src=x onerror="window.__p=10">' }]), reply(pieces('text', HOSTILE, { size: 17 }))] }],
}, async (world, page) => {
  await world.goto('/');
  await send(page, 'attack <img src=x onerror="window.__p=11"><script>window.__p=12</script>');
  await answer(page).getByText('site').waitFor();
  await settled(page, 1);
  const closed = page.locator('.turn details.step:not([open]) > summary');
  while (await closed.count()) await closed.first().click();
  const check = async () => {
    assert.equal(await page.evaluate(() => window.__p), undefined);
    const strange = await page.evaluate((allowed) => [...document.querySelectorAll('.prose *')].map((n) => n.nodeName).filter((n) => !allowed.includes(n)), ALLOWED);
    assert.deepEqual(strange, []);
    const links = await page.locator('.prose a').evaluateAll((all) => all.map((a) => [a.getAttribute('href') ?? '', a.rel]));
    for (const [href, rel] of links) {
      assert.match(href, /^(|https?:.*|\/.*)$/);
      if (href.startsWith('http')) assert.match(rel, /noopener/);
    }
  };
  await check();
  await page.reload();
  await answer(page).getByText('site').waitFor();
  await check();
}));
