/** Puts what happens in the open session into the live region and the window title. */
import { effect, untracked } from '@preact/signals';
import { t } from '../i18n/index.ts';
import { pendingOf } from '../model/approvals.ts';
import { answerText, isLive } from '../model/turns.ts';
import { providerVerb, verbOf } from '../model/tools.ts';
import type { Turn } from '../model/types.ts';
import { switchWords } from '../parts/notice.tsx';
import { retryWords } from '../parts/retry-line.tsx';
import { alarm, announce, announcement } from '../state/announce.ts';
import { open, sessions } from '../state/app.ts';
import { wordsOf } from './failure.tsx';
import { titleOf } from './title.ts';

export function Announcer() {
  return <>
    <div class="visually-hidden" role="status" aria-live="polite">{announcement.value}</div>
    <div class="visually-hidden" role="alert" aria-live="assertive">{alarm.value}</div>
  </>;
}

export function startAnnouncer(): void {
  let said = '';
  const say = (key: string, text: string) => { if (key !== said) { said = key; announce(text); } };
  let live: Turn | undefined;
  effect(() => {
    const session = open.value;
    void session?.meta.value;
    const waits = sessions.value?.some((s) => s.state === 'awaiting_approval') === true || session?.view.state === 'awaiting_approval';
    document.title = (waits ? '● ' : '') + (session ? `${titleOf(session.id, session.view.title)} — ${t.app}` : t.app);
  });
  let asked = new Set<string>();
  effect(() => {
    const session = open.value;
    void session?.list.value;
    const now = session?.view.turns.find(isLive);
    if (session && now) void session.version(now).value;
    const pending = now ? pendingOf(now) : [];
    const news = pending.find((p) => !asked.has(p.approval_id));
    asked = new Set(pending.map((p) => p.approval_id));
    if (news) alarm.value = t.live.approval(news.kind === 'budget' ? t.budget.title : t.approval.titles[verbOf(news.tool)], news.hint);
    else if (pending.length === 0) alarm.value = '';
  });
  let waiting: Set<string> | null = null;
  effect(() => {
    const list = sessions.value?.filter((s) => s.state === 'awaiting_approval');
    if (!list) return;
    const news = waiting && list.find((s) => !waiting!.has(s.id) && s.id !== open.peek()?.id);
    waiting = new Set(list.map((s) => s.id));
    if (news) untracked(() => announce(t.live.elsewhere(titleOf(news.id, news.title))));
  });
  effect(() => {
    const session = open.value;
    if (!session) { live = undefined; return; }
    void session.list.value;
    const now = session.view.turns.find(isLive);
    if (now) void session.version(now).value;
    const part = now?.parts.at(-1);
    if (now && part?.kind === 'reasoning' && part.open) say(`${now.id}/think/${part.stream_id}`, t.live.thinking);
    else if (now && part?.kind === 'tool' && part.status === 'running') say(`${now.id}/${part.call_id}`, t.live.tool(t.tool.verbs[verbOf(part.name)][0]));
    else if (now && part?.kind === 'provider_tool' && (part.phase === 'started' || part.phase === 'running')) say(`${now.id}/${part.stream_id}`, t.live.tool(t.tool.providerVerbs[providerVerb(part.name)][0]));
    else if (now && part?.kind === 'notice' && part.code === 'retry_wait' && part.data !== undefined) say(`${now.id}/${part.stream_id}`, retryWords(part));
    else if (now && part?.kind === 'notice' && part.code === 'model_switched' && part.data !== undefined) say(`${now.id}/${part.stream_id}`, switchWords(part));
    if (live && live !== now) sayEnd(live, say);
    live = now;
  });
}

function sayEnd(turn: Turn, say: (key: string, text: string) => void): void {
  const words = wordsOf(turn);
  const key = `${turn.id}/end`;
  if (turn.stop_reason === 'cancelled') say(key, t.live.stopped);
  else if (words) say(key, t.live.failed(words.text));
  else say(key, t.live.ready(countWords(answerText(turn))));
}

function countWords(text: string): number {
  if (!('Segmenter' in Intl)) return text.split(/\s+/).filter(Boolean).length;
  let n = 0;
  for (const s of new Intl.Segmenter(t.locale, { granularity: 'word' }).segment(text)) if (s.isWordLike) n++;
  return n;
}
