/** Markdown that arrives in pieces ends as the same document as Markdown that arrives whole. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHTML } from 'linkedom';
import { el, type Hooks } from '../markdown/dom.ts';
import { heal } from '../markdown/heal.ts';
import { createParser } from '../markdown/parser.ts';
import { StreamingMarkdown } from '../markdown/stream.ts';
import { random } from './log.ts';
import { SAMPLES } from './samples.ts';

const { document } = parseHTML('<!doctype html><html><body></body></html>');
Object.assign(globalThis, { document });

const parser = createParser();
const hooks: Hooks = {
  code: (lang, text) => el('div', { class: 'code-card' }, el('pre', {}, el('code', lang ? { 'data-lang': lang } : {}, text))),
  tableName: 'Table',
};

function draw(pieces: string[]): string {
  const root = el('div');
  const engine = new StreamingMarkdown(root, parser, hooks);
  for (const piece of pieces) {
    engine.append(piece);
    while (engine.flush(64)) { /* small frames, so that a replay is cut as well */ }
  }
  engine.end();
  return root.outerHTML;
}

function cut(text: string, next: () => number): string[] {
  const out: string[] = [];
  for (let at = 0; at < text.length;) {
    const size = 1 + Math.floor(next() ** 3 * 40);
    out.push(text.slice(at, at + size));
    at += size;
  }
  return out;
}

test('cut at random places, every sample ends like the whole', () => {
  for (const [name, text] of Object.entries(SAMPLES)) {
    const whole = draw([text]);
    for (let seed = 1; seed <= 20; seed++) assert.equal(draw(cut(text, random(seed))), whole, `${name}, seed ${seed}`);
    assert.equal(draw([...text]), whole, `${name}, letter by letter`);
  }
});

test('model output makes no element outside the allowed list and no address that runs', () => {
  const html = draw([SAMPLES.hostile!]);
  for (const tag of ['img', 'svg', 'iframe', 'script', 'style', 'object', 'embed', 'form', 'math']) assert.ok(!html.includes(`<${tag}`), tag);
  assert.doesNotMatch(html, /<[^>]*\s((href|src|action)="?(javascript|data):|on\w+=)/i);
});

test('only media of this server become pictures', () => {
  assert.match(draw(['![a](/media/x.png)']), /<img /);
  for (const src of ['https://e.test/x.png', '//e.test/x.png', '/media/../secret', '/\\e.test/x']) assert.doesNotMatch(draw([`![a](${src})`]), /<img /, src);
});

test('emphasis works next to Chinese punctuation, money is not math', () => {
  assert.match(draw(['**粗体：**后面']), /<strong>粗体：<\/strong>后面/);
  const money = draw(['It costs $5 and $10.']);
  assert.doesNotMatch(money, /math/);
  assert.match(draw(['So $x^2$ grows.']), /class="math"/);
});

test('task lists become boxes that cannot be changed', () => {
  const html = draw(['- [x] done\n- [ ] open\n']);
  assert.equal(html.match(/type="checkbox"/g)?.length, 2);
  assert.equal(html.match(/checked/g)?.length, 1);
});

test('syntax that is being typed is closed or hidden', () => {
  const rows: [string, string][] = [
    ['a **bo', 'a **bo**'], ['a *', 'a '], ['a `co', 'a `co`'], ['see [the li', 'see the li'], ['see [it](http://x', 'see it'], ['text\n\n- ', 'text\n\n'],
    ['text\n\n##', 'text\n\n'], ['~~gone', '~~gone~~'], ['```js\nlet a = "**', '```js\nlet a = "**'], ['done **bold** end', 'done **bold** end'], ['a **bold*', 'a **bold**'],
  ];
  for (const [source, want] of rows) assert.equal(heal(source), want, JSON.stringify(source));
});
