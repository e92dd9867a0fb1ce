/** Choices of this reader, kept in the browser. Theme and language are cookies, because the server needs them for the first frame. */
import { signal, type Signal } from '@preact/signals';
import { boot, type Theme } from './boot.ts';

export type ReasoningDisplay = 'live' | 'folded' | 'open';
export type SendKey = 'enter' | 'ctrl_enter';

function stored<T extends string>(key: string, allowed: readonly T[], first: T): Signal<T> {
  const have = read(key);
  return signal(allowed.find((v) => v === have) ?? first);
}

export function read(key: string): string | null {
  try { return localStorage.getItem(key); } catch { return null; }
}

/** Storage may be full or switched off; nothing of value depends on it. */
export function write(key: string, value: string | null): void {
  try { if (value === null) localStorage.removeItem(key); else localStorage.setItem(key, value); } catch { /* see above */ }
}

export const REASONING = ['live', 'folded', 'open'] as const;
export const SEND_KEYS = ['enter', 'ctrl_enter'] as const;

export const theme = signal<Theme>(boot.theme);
export const reasoning = stored<ReasoningDisplay>('reasoning', REASONING, 'live');
export const sendKey = stored<SendKey>('send_key', SEND_KEYS, 'enter');
export const sidebarShown = signal(read('sidebar') !== 'hidden');

const YEAR_S = 31_536_000;
const setCookie = (name: string, value: string) => { document.cookie = `${name}=${value}; path=/; max-age=${YEAR_S}; samesite=lax`; };

export function setTheme(value: Theme): void {
  theme.value = value;
  document.documentElement.dataset.theme = value;
  setCookie('theme', value);
}

/** The dictionary is chosen at the start, so the page starts again. */
export function setLanguage(lang: string): void {
  setCookie('lang', lang);
  location.reload();
}

export function setReasoning(value: ReasoningDisplay): void { reasoning.value = value; write('reasoning', value); }
export function setSendKey(value: SendKey): void { sendKey.value = value; write('send_key', value); }
export function toggleSidebar(): void {
  sidebarShown.value = !sidebarShown.value;
  write('sidebar', sidebarShown.value ? null : 'hidden');
}
