/** What a session is called: until it has a title, the first words of its first request, where this page has seen them. */
import { t } from '../i18n/index.ts';
import { firstWords } from '../model/turns.ts';
import { open, outgoing } from '../state/app.ts';

/** By session; they stay known when the reader goes on to another one. */
const seen = new Map<string, string>();

export function titleOf(id: string, title: string): string {
  if (title) return title;
  const session = open.value?.id === id ? open.value : null;
  void session?.list.value;
  const request = session?.feed.older ? undefined : session?.view.turns.find((turn) => turn.user)?.user;
  const text = request?.content ?? outgoing.value.find((e) => e.chat_id === id)?.content ?? '';
  const words = firstWords(text);
  if (words) seen.set(id, words);
  return words || seen.get(id) || t.sidebar.untitled;
}
