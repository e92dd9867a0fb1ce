/** Builds a growing Markdown text block by block: a closed block is parsed and drawn once, only the open end is looked at again. */
import { heal } from './heal.ts';
import type { Env, MarkdownIt, Token } from 'markdown-it';
import { el, langOf, morph, patch, render, type Hooks } from './dom.ts';

/** Lines per <div> in an open fence, so that layout work stays local. */
const FENCE_CHUNK = 60;
/** Characters of source taken in one frame. */
const FRAME_LIMIT = 12_000;

interface Block { type: string; tokens: Token[]; line: number }
/** A list or table that is filled item by item; `head` is the text each later parse has to start with. */
interface Container { host: Element; head: string; piece: Element | null }
/** A code fence that is filled line by line, without any parsing. */
interface Fence { lang: string; node: Element; code: Element; chunk: Element; done: Text; live: Text; close: RegExp; lines: number }

/**
 * Renders Markdown that grows at its end. A block is parsed and built once, when a later block has
 * closed it; only the open end is looked at again. CommonMark promises that a closed block never
 * changes, so there is no guessing at safe places. Lists and tables close item by item, fences line by line.
 */
export class StreamingMarkdown {
  private source = '';
  private pending = '';
  /** Text of the open block; in a fence, of the unfinished line. */
  private tail = '';
  private env: Env = {};
  /** Nodes of the open block and of a provisional one after it; all earlier nodes are final. */
  private open: Element[] = [];
  private container: Container | null = null;
  private fence: Fence | null = null;

  constructor(private root: Element, private md: MarkdownIt, private hooks: Hooks) {}

  append(delta: string): void { this.pending += delta; }

  /** Call once a frame. A backlog (a replay after a reconnect) is spread over frames. Returns true while some is left. */
  flush(limit = FRAME_LIMIT): boolean {
    const take = this.pending.slice(0, limit);
    const held = take.endsWith('\r') ? 1 : 0; // half of a CRLF
    const text = take.slice(0, take.length - held).replace(/\r\n?/g, '\n');
    this.pending = this.pending.slice(take.length - held);
    if (text) this.feed(text);
    return this.pending.length > held;
  }

  end(): void {
    this.flush(Infinity);
    this.pending = '';
    if (this.fence) this.closeFence('');
    if (this.tail) this.parse(true);
    if (Object.keys(this.env.references ?? {}).length) this.rebuild(); // a definition may come after its use
    for (const node of this.open) this.hooks.settled?.(node);
    this.open = [];
  }

  private feed(text: string): void {
    this.source += text;
    if (this.fence) this.feedFence(text);
    else { this.tail += text; this.parse(false); }
  }

  private rebuild(): void {
    const fresh = this.build(this.md.parse(this.source, {}));
    this.open = [...fresh.children];
    this.root.replaceChildren(...fresh.childNodes);
  }

  private build(tokens: Token[]): HTMLElement {
    const box = el('div');
    render(tokens, box, this.hooks);
    return box;
  }

  private parse(final: boolean): void {
    const src = (this.container?.head ?? '') + this.tail;
    const blocks = topLevel(this.md.parse(final ? src : heal(src), this.env));
    if (!blocks.length) return;
    const lines = lineStarts(src);
    // A block is closed only by a later block whose first line is complete: "3" may yet become "3. item".
    const partial = final || src.endsWith('\n') ? Infinity : lines.length - 1;
    let keep = blocks.length - 1;
    if (keep > 0 && blocks[keep]!.line >= partial) keep--;

    const nodes: Element[] = [];
    let first = 0;
    if (this.container) { // the first block goes on with the open list or table
      this.fill(this.container, blocks[0]!.tokens);
      const owner = this.open.shift()!;
      if (keep > 0) { this.hooks.settled?.(owner); this.container = null; } else nodes.push(owner);
      first = 1;
    }
    for (const [i, block] of blocks.entries()) {
      if (i < first) continue;
      const node = this.place(this.open.shift(), this.build(block.tokens).firstElementChild!);
      if (i < keep) this.hooks.settled?.(node); else nodes.push(node);
    }
    for (const stale of this.open) stale.remove();
    this.open = nodes;

    const block = blocks[keep]!;
    this.tail = src.slice(lines[block.line]);
    if (this.container) this.trim(this.container, block);
    else if (!final && keep === blocks.length - 1) this.openContainer(block);
  }

  private place(old: Element | undefined, fresh: Element): Element {
    if (!old) return this.root.appendChild(fresh);
    if (old.isEqualNode(fresh)) return old;
    if (old.nodeName === fresh.nodeName && old.className === fresh.className && !old.matches('.code-card')) { morph(old, fresh); return old; }
    old.replaceWith(fresh);
    return fresh;
  }

  private openContainer(block: Block): void {
    const node = this.open[0]!;
    if (block.type === 'fence') this.openFence(block.tokens[0]!, node);
    else if (pieces(block).length > 1) {
      const table = block.type === 'table_open';
      const host = table ? node.querySelector('tbody')! : node;
      const head = table ? this.tail.slice(0, nthNewline(this.tail, 2)) : '';
      this.container = { host, head, piece: host.lastElementChild };
      this.trim(this.container, block);
    }
  }

  /** Drops the text of every finished item. `this.tail` starts where `block` starts. */
  private trim(container: Container, block: Block): void {
    const last = pieces(block).at(-1)?.map;
    const text = this.tail;
    if (last) this.tail = text.slice(lineStarts(text)[last[0] - block.line]);
    else this.tail = text.slice(container.head.length);
  }

  private fill(container: Container, tokens: Token[]): void {
    const box = this.build(tokens);
    const from = container.head ? box.querySelector('tbody') : box.firstElementChild;
    for (const [i, node] of [...(from?.children ?? [])].entries()) {
      if (i === 0 && container.piece) container.piece = patch(container.piece, node);
      else container.piece = container.host.appendChild(node);
    }
  }

  private openFence(token: Token, placed: Element): void {
    const infoEnds = this.tail.indexOf('\n') + 1;
    const close = new RegExp(`^ {0,3}${token.markup[0]}{${token.markup.length},}[ \\t]*$`);
    const body = this.tail.slice(infoEnds);
    if (!infoEnds || body.split('\n').some((line) => close.test(line))) return; // info line unfinished, or closed already
    const lang = langOf(token);
    const node = this.hooks.code(lang, '', true);
    const code = node.querySelector('code')!;
    const chunk = el('div'), done = textNode(), live = textNode();
    chunk.append(done, live);
    code.replaceChildren(chunk);
    placed.replaceWith(node);
    this.open = [node];
    this.fence = { lang, node, code, chunk, done, live, close, lines: 0 };
    this.tail = '';
    this.feedFence(body);
  }

  private feedFence(text: string): void {
    const f = this.fence!;
    const all = this.tail + text;
    let at = 0, ready = '';
    for (let nl = all.indexOf('\n'); nl !== -1; nl = all.indexOf('\n', at)) {
      const line = all.slice(at, nl);
      at = nl + 1;
      if (f.close.test(line)) { f.done.appendData(ready); this.tail = ''; this.closeFence(all.slice(at)); return; }
      ready += line + '\n';
      if (++f.lines % FENCE_CHUNK === 0) {
        f.done.appendData(ready);
        ready = '';
        f.chunk = f.code.appendChild(el('div'));
        f.done = textNode();
        f.chunk.append(f.done, f.live);
      }
    }
    f.done.appendData(ready);
    this.tail = all.slice(at);
    f.live.data = /^ {0,3}[`~]+$/.test(this.tail) ? '' : this.tail; // no flash of a half-written closing fence
  }

  private closeFence(rest: string): void {
    const f = this.fence!;
    f.live.data = f.close.test(this.tail) ? '' : this.tail;
    const node = this.hooks.code(f.lang, f.code.textContent ?? '', false);
    f.node.replaceWith(node);
    this.hooks.settled?.(node);
    this.fence = null;
    this.open = [];
    this.tail = rest;
    if (rest.trim()) this.parse(false);
  }
}

function topLevel(tokens: Token[]): Block[] {
  const blocks: Block[] = [];
  let start = 0;
  for (const [i, t] of tokens.entries()) {
    if (t.level > 0 || t.nesting === 1) continue;
    const head = tokens[start]!;
    blocks.push({ type: head.type, tokens: tokens.slice(start, i + 1), line: head.map?.[0] ?? 0 });
    start = i + 1;
  }
  return blocks;
}

/** The items or body rows of a list or table block. */
function pieces(block: Block): Token[] {
  if (block.type === 'table_open') return block.tokens.filter((t) => t.type === 'tr_open' && t.level === 2).filter((t) => (t.map?.[0] ?? 0) > block.line);
  if (block.type.endsWith('_list_open')) return block.tokens.filter((t) => t.type === 'list_item_open' && t.level === 1);
  return [];
}

function lineStarts(s: string): number[] {
  const out = [0];
  for (let i = s.indexOf('\n'); i !== -1; i = s.indexOf('\n', i + 1)) out.push(i + 1);
  return out;
}

function nthNewline(s: string, n: number): number {
  let at = 0;
  while (n--) at = s.indexOf('\n', at) + 1;
  return at;
}


const textNode = (): Text => document.createTextNode('');
