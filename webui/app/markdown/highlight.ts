/** Colours code with highlight.js, whose output is rebuilt as text nodes and spans. Loaded only when there is code to colour. */
import hljs from 'highlight.js/lib/common';

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#x27': "'", amp: '&' };
const LIMIT = 60_000;

/** highlight.js writes only `<span class="…">`, `</span>` and escaped text; that needs no HTML parser. */
export function spansToDom(html: string): DocumentFragment {
  const root = document.createDocumentFragment();
  const stack: Node[] = [root];
  for (const [, cls, text] of html.matchAll(/<span class="([^"]*)">|<\/span>|([^<]+)/g)) {
    const top = stack[stack.length - 1]!;
    if (cls !== undefined) {
      const span = document.createElement('span');
      span.className = cls;
      stack.push(top.appendChild(span));
    } else if (text !== undefined) top.appendChild(document.createTextNode(text.replace(/&(lt|gt|quot|#x27|amp);/g, (_, n: string) => ENTITIES[n]!)));
    else if (stack.length > 1) stack.pop();
  }
  return root;
}

export function highlight(code: Element, lang: string): void {
  const text = code.textContent ?? '';
  if (text.length <= LIMIT && hljs.getLanguage(lang)) code.replaceChildren(spansToDom(hljs.highlight(text, { language: lang, ignoreIllegals: true }).value));
}
