// A scripted model, the real server behind a line that can be cut, and a browser that notes everything that goes wrong.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));
const NANOBOT = resolve(root, process.env.NANOBOT_BIN ?? 'target/debug/nanobot');
const SCRIPTED_MODEL = resolve(root, process.env.SCRIPTED_MODEL_BIN ?? 'target/debug/scripted-model');
const CHROMIUM = process.env.CHROMIUM_BIN ?? '/usr/bin/chromium';
/** Takes the page's files from this folder instead of the binary, so that a change to the page needs no new build of the server. */
const STATIC_DIR = process.env.STATIC_DIR && resolve(root, process.env.STATIC_DIR);
const START_MS = 20_000;

/** Starts a program and waits for the line that names its address. */
function launch(program, args, ready, env = {}) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  const url = new Promise((done, failed) => {
    const timer = setTimeout(() => failed(new Error(`${program} did not start:\n${log}`)), START_MS);
    const read = (chunk) => {
      log += chunk;
      const found = ready.exec(log);
      if (found) { clearTimeout(timer); done(found[1]); }
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('error', failed);
    child.on('exit', (code) => failed(new Error(`${program} ended with ${code}:\n${log}`)));
  });
  url.catch(() => undefined);
  const end = (signal) => new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) return done();
    child.once('exit', done);
    child.kill(signal);
  });
  return { url, end, log: () => log };
}

/** A TCP line to the server. It can be cut, kept down, and pointed at a server that was started again. */
class Line {
  connections = new Set();
  down = false;
  target = 0;

  async open() {
    this.server = net.createServer((near) => {
      if (this.down) { near.destroy(); return; }
      const far = net.connect(this.target, '127.0.0.1');
      const pair = { near, far, socket: false };
      this.connections.add(pair);
      const close = () => { near.destroy(); far.destroy(); this.connections.delete(pair); };
      near.on('data', (data) => { if (/^upgrade: *websocket/im.test(data.toString('latin1', 0, 2000))) pair.socket = true; });
      for (const end of [near, far]) { end.on('error', close); end.on('close', close); }
      near.pipe(far);
      far.pipe(near);
    });
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
  }

  cutSockets() { for (const c of this.connections) if (c.socket) { c.near.destroy(); c.far.destroy(); } }
  takeDown() { this.down = true; for (const c of this.connections) { c.near.destroy(); c.far.destroy(); } }
  bringUp() { this.down = false; }
  close() { this.takeDown(); this.server.close(); }
}

const serveFrom = (folder) => (route) => {
  const path = join(folder, new URL(route.request().url()).pathname.slice('/static/'.length));
  return existsSync(path) ? route.fulfill({ path }) : route.continue();
};

let browser;
async function browserOf() {
  browser ??= chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  return browser;
}

/** A home with the scripted model as its only provider. */
const config = (modelUrl, agent) => `[providers.mock]
kind = "openai"
base_url = "${modelUrl}/v1"
api_key = "k"

[presets.default]
provider = "mock"
model = "mock"
context_window_tokens = 100000

[agent]
preset = "default"
titles = "first_words"
${agent}
`;

export class World {
  problems = [];
  requests = [];
  expected = [];
  others = [];

  static async start({ scripts = [], setUp = true, agent = '', env = {}, viewport = { width: 1360, height: 860 } } = {}) {
    const world = new World();
    world.env = env;
    world.home = mkdtempSync(join(tmpdir(), 'nanobot-browser-'));
    mkdirSync(join(world.home, 'workspace'), { recursive: true });
    writeFileSync(join(world.home, 'workspace', 'notes.md'), 'first note\nsecond note\n');
    world.model = launch(SCRIPTED_MODEL, ['--port', '0'], /READY (http:\S+)/);
    world.modelUrl = await world.model.url;
    await world.script(scripts);
    if (setUp) writeFileSync(join(world.home, 'config.toml'), config(world.modelUrl, agent), { mode: 0o600 });
    world.line = new Line();
    await world.line.open();
    await world.startServer();
    world.context = await (await browserOf()).newContext({ viewport, locale: 'en-US' });
    if (STATIC_DIR) await world.context.route('**/static/**', serveFrom(STATIC_DIR));
    await world.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.line.url });
    world.page = await world.newPage();
    return world;
  }

  async startServer() {
    this.server = launch(NANOBOT, ['serve', '--port', '0', '--home', this.home], /listening on (http:\S+)/, this.env);
    this.line.target = Number(new URL(await this.server.url).port);
  }

  /** Kills the server without warning and starts it again on the same home. */
  async restartServer() {
    await this.server.end('SIGKILL');
    this.line.cutSockets();
    await this.startServer();
  }

  /** Another scripted model at an address of its own; the world ends it. */
  async anotherModel(scripts) {
    const model = launch(SCRIPTED_MODEL, ['--port', '0'], /READY (http:\S+)/);
    this.others.push(model);
    const url = await model.url;
    await this.script(scripts, url);
    return url;
  }

  /** Changes the settings as the page would, and gives them back. */
  async settings(patch = {}) {
    const answer = await fetch(`${this.line.url}/api/v1/settings`, { method: 'PATCH', body: JSON.stringify(patch), headers: { 'content-type': 'application/json' } });
    assert.ok(answer.ok, `settings were not taken: ${answer.status} ${answer.ok ? '' : await answer.text()}`);
    return answer.json();
  }

  async script(scripts, url = this.modelUrl) {
    const answer = await fetch(`${url}/__scripts`, { method: 'PUT', body: JSON.stringify(scripts), headers: { 'content-type': 'application/json' } });
    assert.ok(answer.ok, `scripts were not taken: ${answer.status}`);
  }

  async modelRequests(url = this.modelUrl) { return (await fetch(`${url}/__requests`)).json(); }

  async newPage(context = this.context) {
    const page = await context.newPage();
    page.on('pageerror', (e) => this.problems.push(`error: ${e.stack ?? e}`));
    page.on('console', (m) => { if (m.type() === 'error' || m.type() === 'warning') this.problems.push(`console ${m.type()}: ${m.text()}`); });
    page.on('request', (r) => this.requests.push(r.url()));
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sample}`));
    });
    return page;
  }

  async goto(path = '/', page = this.page) {
    await page.goto(this.line.url + path);
    await page.locator('.rail-foot', { hasText: 'connected' }).waitFor({ state: 'attached' });
  }

  /** The server's own view of a session. */
  async turns(page = this.page) {
    const id = new URL(page.url()).pathname.split('/').at(-1);
    return (await fetch(`${this.line.url}/api/v1/sessions/${id}/turns?limit=200`)).json();
  }

  /** Problems that a test causes on purpose, such as a lost connection. */
  expectProblems(...patterns) { this.expected.push(...patterns); }

  async close() {
    // What a test has put between page and server may be at work; it must not fail on a page that is gone.
    for (const page of this.context?.pages() ?? []) await page.unrouteAll({ behavior: 'ignoreErrors' });
    await this.context?.close();
    this.line?.close();
    await this.server?.end('SIGTERM');
    await this.model?.end('SIGTERM');
    for (const model of this.others) await model.end('SIGTERM');
    rmSync(this.home, { recursive: true, force: true });
    const own = this.requests.filter((url) => !url.startsWith(`${this.line.url}/`) && !/^(data|blob):/.test(url));
    assert.deepEqual(own, [], 'requests that left this server');
    assert.deepEqual(this.problems.filter((p) => !this.expected.some((e) => e.test(p))), [], 'errors in the page');
  }
}

export const LOST_LINE = [/WebSocket connection/, /ERR_CONNECTION/, /ERR_EMPTY_RESPONSE/, /ERR_NETWORK/, /Failed to load resource/];

/** Puts events of the test's own between those of the server, numbered so that the page takes both. Call it before the page opens. An event waits until the page has had one from the server, because only then the numbers are known. */
export async function feeder(page) {
  let first;
  const at = { chat: '', turn: '', shown: 0, real: 0, socket: null, started: null };
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    Object.assign(at, { shown: 0, real: 0, socket, started: new Promise((done) => { first = done; }) });
    socket.onMessage((message) => server.send(message));
    server.onMessage((message) => {
      const frame = JSON.parse(message);
      if (typeof frame.seq === 'number') {
        if (frame.prev_seq === at.real) frame.prev_seq = at.shown;
        Object.assign(at, { real: frame.seq, shown: frame.seq, chat: frame.chat_id, turn: frame.turn_id ?? at.turn });
      }
      socket.send(JSON.stringify(frame));
      if (at.real > 0) first();
    });
  });
  return async (fields) => {
    await at.started;
    const prev_seq = at.shown;
    at.shown += 1 / 1024;
    at.socket.send(JSON.stringify({ chat_id: at.chat, turn_id: at.turn, at: Date.now(), seq: at.shown, prev_seq, ...fields }));
  };
}

/** Runs a test in a world of its own, and checks at its end that the page made no error and no foreign request. */
export const inWorld = (options, body) => async () => {
  const world = await World.start(options);
  let failed = true;
  try {
    await body(world, world.page);
    failed = false;
  } catch (error) {
    const shot = process.env.ARTIFACTS && join(process.env.ARTIFACTS, `${Date.now()}.png`);
    if (shot) await world.page.screenshot({ path: shot }).catch(() => undefined);
    if (world.problems.length) error.message += `\npage problems: ${world.problems.join('\n')}`;
    throw error;
  } finally {
    if (failed) await world.close().catch(() => undefined); else await world.close();
  }
};

export async function closeBrowser() { await (await browser)?.close(); browser = undefined; }

/* What a model says */

/** Text in small chunks with a pause before each. */
export function pieces(kind, text, { size = 6, delayMs = 10 } = {}) {
  const letters = [...text];
  const out = [];
  for (let i = 0; i < letters.length; i += size) out.push({ [kind]: letters.slice(i, i + size).join(''), ...(delayMs && { delay_ms: delayMs }) });
  return out;
}
export const reply = (...chunks) => ({ chunks: chunks.flat(), finish: 'stop', usage: { input: 1200, output: 40 } });
export const calls = (chunks, ...tools) => ({ chunks: [...chunks, ...tools.map(([id, name, args]) => ({ tool_call: { id, name, arguments: args } }))], finish: 'tool_calls', usage: { input: 1000, output: 20 } });

/* What a reader does and sees */

export async function send(page, text) {
  await page.locator('#message').fill(text);
  await page.locator('#message').press('Enter');
}

export const answer = (page, n = -1) => (n < 0 ? page.locator('.turn').last() : page.locator('.turn').nth(n)).locator('.prose');

/** Waits until the last turn has ended: its actions are there and nothing runs. */
export async function settled(page, turns) {
  if (turns !== undefined) await page.locator('.turn').nth(turns - 1).waitFor();
  await page.locator('.turn[aria-busy="false"]').last().locator('.acts').waitFor({ timeout: 20_000 });
  await page.waitForFunction(() => !document.querySelector('.turn[aria-busy="true"]') && document.querySelector('.thread')?.dataset.busy !== 'true', undefined, { timeout: 20_000 });
}

/** The thread as a reader sees it, without times: requests, steps with their marks, texts. */
export function viewOf(page) {
  return page.evaluate(() => [...document.querySelectorAll('.turn-item')].map((item) => ({
    said: [...item.querySelectorAll('.said')].map((n) => n.textContent),
    steps: [...item.querySelectorAll('.step')].map((step) => {
      const line = (step.querySelector('summary') ?? step).cloneNode(true);
      for (const time of line.querySelectorAll('.x, .gist, .note .row')) time.remove();
      return `${step.className.replace('step', '').trim()}: ${line.textContent.replace(/for (< )?[\d.]+ s/, 'for a time').replace(/\s+/g, ' ').trim()}`;
    }),
    texts: [...item.querySelectorAll('.prose')].map((n) => n.innerText),
  })));
}
