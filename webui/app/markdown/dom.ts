/**
 * Turns Markdown tokens into DOM with createElement and text nodes only.
 * Nothing here parses HTML, so model output can never become markup and the page can run under
 * `require-trusted-types-for 'script'`.
 */
import type { Token } from 'markdown-it';

export interface Hooks {
  /** Builds the card around a code block. `open` is true while the block is still being written. */
  code(lang: string, text: string, open: boolean): Element;
  /** Called once for every block that will not change any more. */
  settled?(block: Element): void;
  /** Accessible name of the region that lets a wide table scroll. */
  tableName: string;
}

const SAFE_URL = /^(https?:|mailto:|#|\/(?![/\\]))/i;
const OWN_MEDIA = /^\/(api\/v1\/)?media\/[\w.-]+$/;

export function el(tag: string, attrs: Record<string, string> = {}, ...children: (Node | string)[]): HTMLElement {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const attr = (token: Token, name: string): string => String(token.attrGet(name) ?? '');

export const langOf = (fence: Token): string => fence.info.trim().split(/\s+/)[0] ?? '';

const math = (tag: string, cls: string, tex: string) => el(tag, { class: cls, 'data-tex': tex }, tex);

/** Leaf tokens: one token, one node. `undefined` means that the token opens or closes an element. */
function leaf(token: Token, hooks: Hooks): Node | undefined {
  switch (token.type) {
    case 'text': case 'html_inline': return document.createTextNode(token.content);
    case 'softbreak': return document.createTextNode('\n');
    case 'hardbreak': return el('br');
    case 'hr': return el('hr');
    case 'code_inline': return el('code', {}, token.content);
    case 'html_block': return el('p', {}, token.content);
    case 'fence': return hooks.code(langOf(token), token.content, false);
    case 'code_block': return hooks.code('', token.content, false);
    case 'math_inline': return math('span', 'math', token.content);
    case 'math_block': return math('div', 'math block', token.content);
    case 'task': return el('input', { type: 'checkbox', disabled: '', ...(token.content === 'x' && { checked: '' }), 'aria-label': token.content === 'x' ? '☑' : '☐' });
    case 'image': return image(token);
    default: return undefined;
  }
}

export function render(tokens: Token[], parent: Node, hooks: Hooks): void {
  const stack = [parent];
  for (const token of tokens) {
    const top = stack[stack.length - 1]!;
    if (token.type === 'inline') { render(token.children ?? [], top, hooks); continue; }
    const node = leaf(token, hooks);
    if (node) {
      top.appendChild(node);
      if (token.type === 'task') top.parentElement?.classList.add('task');
    }
    else if (token.nesting === 1) stack.push(open(token, top, hooks));
    else if (token.nesting === -1 && stack.length > 1) stack.pop();
  }
}

/** Headings of a message stand below the headings of the page. */
function tagOf(token: Token): string {
  const level = /^h([1-6])$/.exec(token.tag)?.[1];
  return level ? `h${Math.min(6, Number(level) + 2)}` : token.tag;
}

function open(token: Token, top: Node, hooks: Hooks): Element {
  const node = el(tagOf(token));
  if (token.type === 'link_open') link(node, attr(token, 'href'));
  const align = /text-align:(\w+)/.exec(attr(token, 'style'))?.[1];
  if (align) node.classList.add(`align-${align}`);
  const start = token.tag === 'ol' ? attr(token, 'start') : '';
  if (start) node.setAttribute('start', start);
  top.appendChild(token.type === 'table_open' ? el('div', { class: 'table-wrap', tabindex: '0', role: 'region', 'aria-label': hooks.tableName }, node) : node);
  return node;
}

function link(a: Element, href: string): void {
  if (!SAFE_URL.test(href)) return;
  a.setAttribute('href', href);
  if (!/^https?:/i.test(href)) return;
  a.setAttribute('target', '_blank');
  a.setAttribute('rel', 'noopener noreferrer nofollow');
  const host = hostOf(href);
  if (host) a.setAttribute('title', host);
}

function hostOf(href: string): string {
  try { return new URL(href).host; } catch { return ''; }
}

/** Remote images never load by themselves: a URL that is fetched is a way out for data. */
function image(token: Token): Element {
  const src = attr(token, 'src');
  const alt = token.content || src;
  if (OWN_MEDIA.test(src)) return el('img', { src, alt, loading: 'lazy' });
  const host = hostOf(src);
  const a = el('a', { class: 'image-link' }, host && host !== alt ? `${alt} (${host})` : alt);
  link(a, src);
  return a;
}

const ELEMENT = 1;
const TEXT = 3;

/** Makes `have` equal to `want` while keeping nodes, so that selection, focus and scroll survive. */
export function morph(have: Node, want: Node): void {
  let old = have.firstChild;
  for (let fresh = want.firstChild; fresh;) {
    const next: ChildNode | null = fresh.nextSibling;
    if (!old) have.appendChild(fresh);
    else {
      const after: ChildNode | null = old.nextSibling;
      if (old.nodeType === TEXT && fresh.nodeType === TEXT) grow(old as Text, (fresh as Text).data);
      else if (old.nodeType === ELEMENT && fresh.nodeType === ELEMENT && alike(old as Element, fresh as Element)) morph(old, fresh);
      else have.replaceChild(fresh, old);
      old = after;
    }
    fresh = next;
  }
  while (old) { const after: ChildNode | null = old.nextSibling; old.remove(); old = after; }
}

/** `old` made equal to `fresh`, or replaced by it when they are of different kinds. */
export function patch(old: Element, fresh: Element): Element {
  if (alike(old, fresh)) { morph(old, fresh); return old; }
  old.replaceWith(fresh);
  return fresh;
}

function grow(node: Text, data: string): void {
  if (node.data === data) return;
  if (data.startsWith(node.data)) node.appendData(data.slice(node.data.length)); else node.data = data;
}

function alike(a: Element, b: Element): boolean {
  return a.nodeName === b.nodeName && a.attributes.length === b.attributes.length
    && [...a.attributes].every((at) => b.getAttribute(at.name) === at.value);
}
