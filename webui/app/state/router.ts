/** Paths of the page: real addresses through the History API, with the scroll position kept per entry by the browser. */
import { signal } from '@preact/signals';

export type Route = { page: 'home' } | { page: 'session'; id: string; message: string; /** The turn that is being inspected. */ inspect: string } | { page: 'settings'; section: Section } | { page: 'missing' };
export const SECTIONS = ['general', 'models', 'tools', 'usage', 'about'] as const;
export type Section = typeof SECTIONS[number];

export function parse(path: string, hash: string, search = ''): Route {
  if (path === '/') return { page: 'home' };
  const session = /^\/s\/([^/]+)$/.exec(path)?.[1];
  if (session) return { page: 'session', id: decodeURIComponent(session), message: hash.startsWith('#m-') ? hash.slice(3) : '', inspect: new URLSearchParams(search).get('inspect') ?? '' };
  const settings = /^\/settings(?:\/([^/]*))?$/.exec(path);
  if (settings) return { page: 'settings', section: SECTIONS.find((s) => s === settings[1]) ?? 'general' };
  return { page: 'missing' };
}

const here = (): Route => parse(location.pathname, location.hash, location.search);

export const route = signal<Route>(here());

export const sessionPath = (id: string, message = ''): string => `/s/${encodeURIComponent(id)}${message ? `#m-${message}` : ''}`;

export const inspectPath = (id: string, turn: string): string => `${sessionPath(id)}?inspect=${encodeURIComponent(turn)}`;

/** Marks entries of the history that were made in this page: behind them is another one of it. */
interface Step { inner: true }

export function go(path: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState({ inner: true } satisfies Step, '', path); else history.replaceState(null, '', path);
  route.value = here();
}

/** Back to the conversation, which lies behind the inspector unless the inspector was opened by its address. */
export function leaveInspector(): void {
  const now = route.peek();
  if (now.page !== 'session' || now.inspect === '') return;
  if ((history.state as Step | null)?.inner) history.back(); else go(sessionPath(now.id), 'replace');
}

/** Plain clicks on links of this page stay in the page; everything else is the browser's. */
export function startRouter(): void {
  addEventListener('popstate', () => { route.value = here(); });
  document.addEventListener('click', (e) => {
    if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    const a = e.target instanceof Element ? e.target.closest('a[href]') : null;
    const href = a?.getAttribute('href') ?? '';
    if (!a || a.hasAttribute('target') || a.hasAttribute('download')) return;
    if (!href.startsWith('/') || parse(new URL(href, location.href).pathname, '').page === 'missing') return;
    e.preventDefault();
    go(href);
  });
}
