// 17: calls that ask, answered once, for the session, for good, with no and a note, by keys, from another tab, too late, never; and budgets.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, calls, closeBrowser, inWorld, LOST_LINE, pieces, reply, send, settled, viewOf } from './kit.mjs';

after(closeBrowser);

/** Every look at a folder asks. */
const asking = (agent = '') => `${agent}

[[permissions]]
tool = "list_dir"
match = "*"
decision = "ask"
`;
const look = [{ match: 'look', replies: [calls([], ['c1', 'list_dir', { path: '.' }]), reply(pieces('text', 'I have looked.'))] }, { match: '', replies: [reply(pieces('text', 'Fine.'))] }];
const asked = { scripts: look, agent: asking() };

const card = (page) => page.locator('.approval');
const decided = (page) => page.locator('.decided').last();
const button = (page, name) => card(page).getByRole('button', { name, exact: true });
const armed = (page) => page.locator('.approval.armed').waitFor();

async function ask(world, page, text = 'look') {
  if (!page.url().includes('/s/')) await world.goto('/', page);
  await send(page, text);
  await card(page).waitFor();
}
const post = (world, id, body) => fetch(`${world.line.url}/api/v1/approvals/${id}`, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const pending = async (world) => (await (await fetch(`${world.line.url}/api/v1/approvals`)).json()).items;

test('a call that asks says what, why and how long; the session waits; allowed once it runs, and asks again next time', inWorld(asked, async (world, page) => {
  await ask(world, page);
  const now = card(page);
  await now.getByRole('heading', { name: 'Allow looking through this?' }).waitFor();
  assert.match(await now.locator('pre.shown').innerText(), /"path": "\."/);
  assert.notEqual(await now.locator('.why').innerText(), '');
  assert.match(await now.locator('.expiry').innerText(), /^No answer until .+ counts as no\.$/);
  await page.locator('#sidebar section', { hasText: 'Waiting for you' }).getByRole('img', { name: 'waiting for you' }).waitFor();
  await page.locator('.head .state', { hasText: 'waiting for you' }).waitFor();
  await page.locator('.waiting-line', { hasText: 'Waiting for your approval' }).waitFor();
  await page.waitForFunction(() => document.title.startsWith('● '));
  await page.locator('[aria-live=assertive]', { hasText: 'Waiting for your approval. Allow looking through this?' }).waitFor({ state: 'attached' });
  const [waiting] = await pending(world);
  assert.equal(waiting.tool, 'list_dir');

  await button(page, 'Allow once').click();
  await answer(page).getByText('I have looked.').waitFor();
  await settled(page, 1);
  assert.match(await decided(page).innerText(), /^Allowed once by you · \d\d:\d\d$/);
  await page.locator('.step.ok', { hasText: 'Looked through' }).waitFor();
  await page.waitForFunction(() => !document.title.startsWith('● '));
  assert.equal(await page.locator('.waiting-line').count(), 0);
  const live = await viewOf(page);
  await page.reload();
  await page.locator('.decided', { hasText: 'Allowed once' }).waitFor();
  assert.deepEqual(await viewOf(page), live);

  await ask(world, page, 'look again');
  await button(page, 'Deny').click();
  await settled(page, 2);
}));

test('allowed for the session it does not ask there again, but elsewhere it does', inWorld(asked, async (world, page) => {
  await ask(world, page);
  await card(page).locator('.scope', { hasText: 'Do not ask again for: every list_dir call' }).waitFor();
  await button(page, 'Allow for this session').click();
  await settled(page, 1);
  assert.match(await decided(page).innerText(), /^Allowed for this session by you/);
  await send(page, 'look again');
  await settled(page, 2);
  assert.equal(await card(page).count(), 0);
  await page.getByRole('link', { name: 'New session' }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await ask(world, page);
}));

test('always allowed it is a rule of the settings', inWorld(asked, async (world, page) => {
  await ask(world, page);
  await button(page, 'Always allow').click();
  await settled(page, 1);
  assert.match(await decided(page).innerText(), /^Always allowed from now on by you/);
  const [first] = (await world.settings()).permissions;
  assert.deepEqual([first.tool, first.match, first.decision], ['list_dir', '*', 'allow']);
  await page.getByRole('link', { name: 'New session' }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await send(page, 'look');
  await settled(page, 1);
  assert.equal(await card(page).count(), 0);
}));

test('no, with a note that the agent reads', inWorld(asked, async (world, page) => {
  await ask(world, page);
  await button(page, 'Add a note…').click();
  await card(page).getByLabel('Note for the agent').fill('Ask me for the list instead.');
  await button(page, 'Deny with this note').click();
  await settled(page, 1);
  await page.locator('.step.bad', { hasText: '— denied' }).waitFor();
  assert.match(await decided(page).innerText(), /^Denied by you · \d\d:\d\d — .?Ask me for the list instead\..?$/);
  assert.match(JSON.stringify((await world.modelRequests()).at(-1)), /Ask me for the list instead\./);
}));

test('without an answer the time runs out, and that is a no', inWorld({ scripts: look, agent: asking('approvals_expire_s = 3') }, async (world, page) => {
  await ask(world, page);
  await card(page).locator('.expiry', { hasText: /No answer within [1-3] s counts as no\./ }).waitFor();
  await page.locator('.decided', { hasText: 'Not answered in time' }).waitFor({ timeout: 10_000 });
  await settled(page, 1);
  assert.equal(await card(page).count(), 0);
  await page.locator('.step.bad', { hasText: '— denied' }).waitFor();
}));

test('an answer in another tab turns the card into a line, and one that comes too late is said', inWorld(asked, async (world, page) => {
  world.expectProblems(/status of 409/);
  await ask(world, page);
  const second = await world.newPage();
  await second.goto(page.url());
  await card(second).waitFor();
  await button(page, 'Allow once').click();
  await second.locator('.decided', { hasText: /^Allowed once/ }).waitFor();
  assert.equal(await card(second).count(), 0);
  await settled(page, 1);

  await ask(world, page, 'look again');
  await page.route('**/api/v1/approvals/*', async (route) => {
    assert.equal((await post(world, route.request().url().split('/').at(-1), { decision: 'deny' })).status, 200);
    await route.continue();
  });
  await button(page, 'Allow once').click();
  await page.locator('.decided', { hasText: 'Your answer did not count:' }).waitFor();
  await page.locator('.decided', { hasText: /^Denied/ }).waitFor();
  await settled(page, 2);
}));

test('changed arguments run instead; what is no JSON is not sent', inWorld(asked, async (world, page) => {
  await ask(world, page);
  await button(page, 'Change arguments…').click();
  const field = card(page).getByLabel('Changed arguments (JSON)');
  assert.equal(JSON.parse(await field.inputValue()).path, '.');
  assert.equal(await button(page, 'Allow for this session').count(), 1);
  await field.fill('{"path":');
  await card(page).getByText('This is not valid JSON.').waitFor();
  assert.equal(await button(page, 'Allow for this session').count(), 0);
  await button(page, 'Allow once as changed').click();
  assert.equal((await pending(world)).length, 1);
  await field.fill('{"path": "elsewhere"}');
  await button(page, 'Allow once as changed').click();
  await settled(page, 1);
  assert.match(JSON.stringify((await world.modelRequests()).at(-1)), /elsewhere/);
  await page.locator('.step', { hasText: 'elsewhere' }).waitFor();
  await page.reload();
  await page.locator('.step', { hasText: 'elsewhere' }).waitFor();
}));

const slowly = [{ match: 'look', replies: [calls(pieces('reasoning', 'Let me look at it.', { delayMs: 60 }), ['c1', 'list_dir', { path: '.' }]), reply(pieces('text', 'I have looked.'))] }];

test('keys answer what has been on the screen long enough, and only that', inWorld({ scripts: slowly, agent: asking() }, async (world, page) => {
  await world.goto('/');
  await send(page, 'look');
  await page.locator('#message').evaluate((n) => n.blur());
  await card(page).waitFor();
  await page.waitForFunction(() => document.activeElement?.classList.contains('approval'));
  await armed(page);
  await page.keyboard.press('Alt+Enter');
  await settled(page, 1);
  assert.match(await decided(page).innerText(), /^Allowed once/);

  // Someone who writes is left alone, and the keys work from there too.
  await page.locator('#message').fill('look again');
  await page.locator('#message').press('Enter');
  await page.locator('#message').pressSequentially('half a sentence');
  await card(page).waitFor();
  await armed(page);
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'message');
  await page.keyboard.press('Alt+Backspace');
  assert.equal(await card(page).count(), 1, 'there it takes away a word');
  await page.locator('#thread').focus();
  await page.keyboard.press('Alt+Backspace');
  await page.locator('.step.bad', { hasText: '— denied' }).waitFor();
  await settled(page, 2);

  // Out of view it cannot be answered blindly.
  await page.setViewportSize({ width: 900, height: 420 });
  await page.locator('#message').fill('look\n'.repeat(30));
  await page.locator('#message').press('Enter');
  await card(page).waitFor();
  await page.locator('#thread').evaluate((n) => { n.dispatchEvent(new WheelEvent('wheel', { deltaY: -100 })); n.scrollTo(0, 0); });
  await page.waitForFunction(() => !document.querySelector('.approval.armed'));
  await page.keyboard.press('Alt+Enter');
  assert.equal((await pending(world)).length, 1);
  await page.locator('.waiting-line').getByRole('button', { name: 'Show' }).click();
  await armed(page);
  await page.keyboard.press('Alt+Enter');
  await settled(page, 3);
}));

const thrice = [{ match: 'look', replies: [calls([], ['c1', 'list_dir', { path: '.' }], ['c2', 'list_dir', { path: './a' }], ['c3', 'list_dir', { path: './b' }]), reply(pieces('text', 'I have looked.'))] }];

test('several questions are answered from the top, one with each press', inWorld({ scripts: thrice, agent: asking() }, async (world, page) => {
  await world.goto('/');
  await send(page, 'look');
  await page.locator('#message').evaluate((n) => n.blur());
  await card(page).nth(2).waitFor();
  const ids = await card(page).evaluateAll((cards) => cards.map((n) => n.dataset.approval));
  for (const id of ids) {
    await page.locator(`.approval.armed[data-approval="${id}"]`).waitFor();
    // At once: half a second later the next question would be meant.
    await page.evaluate(() => {
      const press = (repeat) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', altKey: true, bubbles: true, cancelable: true, repeat }));
      press(false);
      press(true); // held down
      press(false); // one too many
    });
    await page.locator(`.approval[data-approval="${id}"]`).waitFor({ state: 'detached' });
    assert.deepEqual((await pending(world)).map((a) => a.approval_id).sort(), ids.slice(ids.indexOf(id) + 1).sort());
  }
  await settled(page, 1);
}));

test('Alt Enter does nothing in the first half second', inWorld(asked, async (world, page) => {
  await world.goto('/');
  await page.evaluate(() => {
    new MutationObserver(() => {
      if (!document.querySelector('.approval') || window.pressed) return;
      window.pressed = true;
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', altKey: true, bubbles: true }));
    }).observe(document.body, { childList: true, subtree: true });
  });
  await send(page, 'look');
  await armed(page);
  assert.equal(await page.evaluate(() => window.pressed), true);
  assert.equal((await pending(world)).length, 1);
}));

test('Stop ends a turn that waits', inWorld(asked, async (world, page) => {
  await ask(world, page);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.locator('.step.ended', { hasText: 'Stopped' }).waitFor();
  await settled(page, 1);
  assert.equal(await card(page).count(), 0);
  assert.deepEqual(await pending(world), []);
  await send(page, 'hello');
  await settled(page, 2);
  assert.equal(await answer(page).innerText(), 'Fine.');
}));

test('a question outlives a reload and a killed server', inWorld(asked, async (world, page) => {
  world.expectProblems(...LOST_LINE);
  await ask(world, page);
  await page.reload();
  await card(page).waitFor();
  await world.restartServer();
  await page.locator('.rail-foot', { hasText: 'connected' }).waitFor({ timeout: 15_000 });
  await card(page).waitFor();
  await button(page, 'Allow once').click();
  await answer(page).getByText('I have looked.').waitFor();
  await settled(page, 1);
  assert.equal(await page.locator('.decided', { hasText: 'Allowed once' }).count(), 1);
}));

test('an answer that cannot be sent is said, and nothing of it is lost', inWorld(asked, async (world, page) => {
  world.expectProblems(...LOST_LINE, /503/);
  await ask(world, page);
  await button(page, 'Add a note…').click();
  await card(page).getByLabel('Note for the agent').fill('no thanks');
  world.line.takeDown();
  await button(page, 'Deny with this note').click();
  await card(page).locator('.delivery', { hasText: 'Not sent: no connection to the server' }).waitFor();
  assert.equal(await card(page).getByLabel('Note for the agent').inputValue(), 'no thanks');
  world.line.bringUp();
  await card(page).getByRole('button', { name: 'Retry' }).click();
  await page.locator('.decided', { hasText: 'no thanks' }).waitFor();
  await settled(page, 1);
}));

test('an answer that stays away is said', inWorld(asked, async (world, page) => {
  await ask(world, page);
  await page.route('**/api/v1/approvals/*', async (route) => { await new Promise((done) => setTimeout(done, 6000)); await route.continue().catch(() => undefined); }, { times: 1 });
  await button(page, 'Allow once').click();
  await card(page).locator('.delivery', { hasText: 'No answer yet' }).waitFor({ timeout: 10_000 });
  await card(page).getByRole('button', { name: 'Retry' }).click();
  await settled(page, 1);
  assert.match(await decided(page).innerText(), /^Allowed once by you/);
}));

const dear = { ...calls([], ['c1', 'list_dir', { path: '.' }]), usage: { input: 90_000, output: 10 } };
const costly = { scripts: [{ match: 'look', replies: [dear, reply(pieces('text', 'I have looked.'))] }], agent: '\n[budget]\nturn_tokens = 50000\n' };

/** Who raised it is said, now and after a reload. */
async function staysRaised(page) {
  assert.match(await decided(page).innerText(), /^Budget raised by you/);
  const live = await viewOf(page);
  await page.reload();
  await page.locator('.decided', { hasText: 'Budget raised' }).waitFor();
  assert.deepEqual(await viewOf(page), live);
}

test('a turn that has used its budget asks for more and goes on with it', inWorld(costly, async (world, page) => {
  await ask(world, page);
  await card(page).getByRole('heading', { name: 'This turn has used its tokens' }).waitFor();
  await card(page).getByText('90,010 of 50,000 tokens used').waitFor();
  const field = card(page).getByLabel('Allow more');
  assert.ok(Number(await field.inputValue()) > 0, 'an amount is offered');
  assert.equal(await card(page).locator('.scope').count(), 0);
  await field.fill('none');
  await card(page).getByText('A whole number above 0.').waitFor();
  await field.fill('200k');
  await button(page, 'Allow 200,000 tokens more').click();
  await answer(page).getByText('I have looked.').waitFor();
  await settled(page, 1);
  await staysRaised(page);
}));

const late = { scripts: [{ match: 'look', replies: [calls(pieces('reasoning', 'Let me look at all of it.', { delayMs: 500 }), ['c1', 'list_dir', { path: '.' }]), reply(pieces('text', 'I have looked.'))] }], agent: '\n[budget]\nturn_seconds = 2\n' };

test('a turn that has used its time asks for more, as people write times', inWorld(late, async (world, page) => {
  await ask(world, page);
  await card(page).getByRole('heading', { name: 'This turn has used its time' }).waitFor();
  await card(page).getByText(/^\d+(\.\d)? s of 2 s used$/).waitFor();
  const field = card(page).getByLabel('Allow more');
  assert.match(await field.inputValue(), /^\d+ s$/);
  await field.fill('soon');
  await card(page).getByText('A time of 1 s or more, such as 90 s, 10 min or 1 h 30 min.').waitFor();
  await field.fill('10m');
  await button(page, 'Allow 10 min more').click();
  await answer(page).getByText('I have looked.').waitFor();
  await settled(page, 1);
  await staysRaised(page);
}));

test('a session that waits without a title keeps the first words that were sent', inWorld(asked, async (world, page) => {
  await ask(world, page);
  await page.route('**/api/v1/sessions?*', async (route) => {
    const answer = await route.fetch();
    const list = await answer.json();
    for (const session of list.items) session.title = '';
    await route.fulfill({ response: answer, json: list });
  });
  await page.getByRole('link', { name: 'New session' }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await send(page, 'hello');
  await settled(page, 1);
  await page.locator('.sessions section', { hasText: 'Waiting' }).locator('.session .t', { hasText: 'look' }).waitFor();
}));

test('a turn that gets no more ends there', inWorld(costly, async (world, page) => {
  await ask(world, page);
  await armed(page);
  await page.locator('#message').evaluate((n) => n.blur());
  await page.keyboard.press('Alt+Backspace');
  await page.locator('.notice-text', { hasText: 'Stopped: ' }).waitFor();
  await settled(page, 1);
  assert.match(await decided(page).innerText(), /^Stopped here by you/);
  assert.equal(await page.locator('.ended').count(), 0, 'it is not said once more');
}));
