/**
 * What the reader typed and has not sent, per session. A sent text stays here until the server has it, so that closing the
 * tab in between loses nothing; after a reload it is shown again only if the outbox does not hold it any more.
 */
import { read, write } from './prefs.ts';

interface Draft { text: string; caret?: number; sent?: string }

export const NEW = 'new';
const key = (chat: string): string => `draft:${chat}`;

function load(chat: string): Draft | null {
  try { return JSON.parse(read(key(chat)) ?? 'null') as Draft | null; } catch { return null; }
}

export function draftOf(chat: string, inOutbox: (clientId: string) => boolean): { text: string; caret?: number } {
  const draft = load(chat);
  if (!draft || typeof draft.text !== 'string' || (draft.sent && inOutbox(draft.sent))) return { text: '' };
  return draft;
}

export function saveDraft(chat: string, text: string, caret?: number): void {
  const have = load(chat);
  if (text === '' && have?.sent) return;
  write(key(chat), text === '' ? null : JSON.stringify({ text, ...(caret !== undefined && { caret }) }));
}

export function markSent(chat: string, text: string, clientId: string): void {
  write(key(chat), JSON.stringify({ text, sent: clientId }));
}

/** The server has the message: its text is no draft any more. */
export function settleDraft(chat: string, clientId: string): void {
  for (const k of [chat, NEW]) if (load(k)?.sent === clientId) write(key(k), null);
}
