/** The card around a code block, and the rules of the Markdown engine for this page. Cards are plain DOM, so they survive patches. */
import { t } from '../i18n/index.ts';
import { el, type Hooks } from '../markdown/dom.ts';

function codeCard(lang: string, text: string, open: boolean): Element {
  const code = el('code', lang ? { 'data-lang': lang } : {}, text);
  const head = el('div', { class: 'code-head' }, el('span', { class: 'code-lang' }, lang || t.code.plain));
  if (!open) head.append(button('wrap', t.code.wrap), button('copy', t.code.copy));
  return el('div', { class: open ? 'code-card open' : 'code-card' }, head, el('pre', { tabindex: '0', role: 'region', 'aria-label': t.code.label(lang) }, code));
}

const button = (action: string, label: string): HTMLElement => el('button', { type: 'button', 'data-code': action }, label);

/** Colours wait until the browser has nothing better to do. */
function settled(block: Element): void {
  const codes = block.querySelectorAll('code[data-lang]');
  if (codes.length === 0) return;
  whenIdle(() => {
    void import('../markdown/highlight.ts').then(({ highlight }) => {
      for (const code of codes) if (code.isConnected) highlight(code, code.getAttribute('data-lang') ?? '');
    });
  });
}

const whenIdle = (job: () => void): void => {
  if ('requestIdleCallback' in window) requestIdleCallback(job, { timeout: 1000 }); else setTimeout(job, 50);
};

export const markdownHooks: Hooks = { code: codeCard, settled, get tableName() { return t.code.table; } };

/** One listener serves every card below `root`. The text nodes of a card hold its source exactly. */
export function onCodeClick(e: Event): void {
  const target = e.target instanceof Element ? e.target.closest<HTMLElement>('[data-code]') : null;
  const card = target?.closest('.code-card');
  if (!target || !card) return;
  if (target.dataset.code === 'wrap') { card.classList.toggle('wrapped'); return; }
  void copyText(card.querySelector('code')?.textContent ?? '').then((ok) => { if (ok) flash(target); });
}

function flash(button: HTMLElement): void {
  button.textContent = t.copied;
  setTimeout(() => { button.textContent = t.code.copy; }, 1500);
}

export async function copyText(text: string): Promise<boolean> {
  try { await navigator.clipboard.writeText(text); return true; } catch { return copyBySelection(text); }
}

/** Pages on plain http to another host have no clipboard interface. */
function copyBySelection(text: string): boolean {
  const field = el('textarea', { class: 'visually-hidden' }) as HTMLTextAreaElement;
  const focused = document.activeElement;
  field.value = text;
  document.body.append(field);
  field.select();
  const ok = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return ok;
}
