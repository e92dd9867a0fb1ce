/** The Markdown dialect: emphasis that works next to CJK punctuation, guarded math, task lists, and no raw HTML. */
import markdownIt, { type MarkdownIt } from 'markdown-it';
import cjkFriendly from 'markdown-it-cjk-friendly';

export function createParser(): MarkdownIt {
  return markdownIt({ html: false }).use(cjkFriendly).use(math).use(tasks);
}

/** `$..$`, `$$..$$`, `\(..\)` and `\[..\]`, with the guard that keeps "$5 and $10" money. */
function math(md: MarkdownIt): void {
  md.inline.ruler.before('escape', 'math_inline', (state, silent) => {
    const { src, pos } = state;
    const [from, to] = src.startsWith('\\(', pos) ? ['\\(', '\\)'] : src.startsWith('$$', pos) ? ['$$', '$$'] : src[pos] === '$' ? ['$', '$'] : [];
    if (!from || !to) return false;
    const start = pos + from.length;
    let end = src.indexOf(to, start);
    while (end > 0 && src[end - 1] === '\\' && to[0] === '$') end = src.indexOf(to, end + 1);
    if (end <= start) return false;
    const tex = src.slice(start, end);
    const money = /^\s|\s$|\n/.test(tex) || /\d/.test(src[end + 1] ?? '') || /^\d[\d.,]*\s/.test(tex);
    if (from === '$' && money) return false;
    if (!silent) state.push('math_inline', 'span', 0).content = tex;
    state.pos = end + to.length;
    return true;
  });

  md.block.ruler.before('fence', 'math_block', (state, startLine, endLine, silent) => {
    const text = (n: number) => state.src.slice(state.bMarks[n]! + (n === startLine ? state.tShift[n]! : 0), state.eMarks[n]!);
    const first = text(startLine).trim();
    const close = first.startsWith('$$') ? '$$' : first.startsWith('\\[') ? '\\]' : '';
    if (!close) return false;
    const body = [first.slice(2)];
    let line = startLine;
    while (!body[body.length - 1]!.trimEnd().endsWith(close)) {
      if (++line >= endLine) return false;
      body.push(text(line));
    }
    if (silent) return true;
    const token = state.push('math_block', 'div', 0);
    token.content = body.join('\n').trimEnd().slice(0, -close.length).trim();
    token.map = [startLine, line + 1];
    token.block = true;
    state.line = line + 1;
    return true;
  }, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
}

/** `- [ ] open` and `- [x] done`: the box becomes a token of its own in front of the text. */
function tasks(md: MarkdownIt): void {
  md.core.ruler.after('inline', 'tasks', (state) => {
    for (const [i, token] of state.tokens.entries()) {
      if (token.type !== 'inline' || state.tokens[i - 2]?.type !== 'list_item_open') continue;
      const first = token.children?.[0];
      const box = first?.type === 'text' && /^\[([ xX])\] /.exec(first.content);
      if (!first || !box) continue;
      first.content = first.content.slice(4);
      const task = new state.Token('task', 'input', 0);
      task.content = box[1] === ' ' ? '' : 'x';
      token.children!.unshift(task);
    }
  });
}
