/** The conversation: turns in order, older ones on demand, messages that wait to be sent at the end. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { isBusy, keyOf, threadTurns } from '../model/turns.ts';
import { onCodeClick } from '../parts/code-card.ts';
import { outgoing } from '../state/app.ts';
import type { OpenSession } from '../state/open-session.ts';
import { Follower } from './scroll.ts';
import { TurnItem } from './turn.tsx';

/** Older turns are fetched when the reader comes this close to the first one. */
const SCREENS_AHEAD = 1.5;
const MARK_MS = 2000;
const MAX_PAGES_FOR_LINK = 100;

/** The thread's follower, for keys and for the composer, which brings the view back to the end when it sends. */
export let follower: Follower | null = null;

export function Thread({ session, message }: { session: OpenSession; message: string }) {
  void session.list.value;
  void session.meta.value;
  const { turns } = session.view;
  const box = useRef<HTMLDivElement>(null);
  const column = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
  const [news, setNews] = useState(0);
  const [loadingOlder, setLoadingOlder] = useState(false);
  const seen = useRef(0);

  useEffect(() => {
    const count = () => session.view.turns.reduce((n, turn) => n + turn.parts.length, 0);
    const mine = follower = new Follower(box.current!, column.current!, {
      onFollow: (following) => { seen.current = count(); setNews(0); setAway(!following); },
      onGrow: () => { if (!mine.following) setNews(Math.max(0, count() - seen.current)); },
      onScroll: () => void older(),
    });
    if (message) mine.following = false;
    const stop = mine.start();
    return () => { stop(); if (follower === mine) follower = null; };
  }, [session]);

  const loading = useRef(false);
  const older = async () => {
    const node = box.current;
    if (!node || loading.current || !session.feed.older || node.scrollTop > node.clientHeight * SCREENS_AHEAD) return;
    loading.current = true;
    setLoadingOlder(true);
    await session.feed.readOlder().catch(() => undefined);
    loading.current = false;
    setLoadingOlder(false);
  };
  useEffect(() => { void older(); }, [session, turns.length]);

  const onClick = (e: MouseEvent) => {
    if (e.target instanceof Element && e.target.closest('summary, .small')) follower?.hold();
    onCodeClick(e);
  };

  const shown = threadTurns(turns);
  useKeptView(shown[0]?.id ?? '', box);
  useEffect(() => { if (message) void reveal(session, message); }, [session, message]);

  const entries = outgoing.value.filter((e) => e.chat_id === session.id);
  const have = new Set(turns.map(keyOf));
  const waiting = entries.filter((e) => !have.has(e.client_message_id));
  // One list with one kind of key, so that a message keeps its row when the server has it.
  const rows = [
    ...shown.map((turn, i) => <TurnItem key={keyOf(turn)} session={session} turn={turn} last={i === shown.length - 1} />),
    ...waiting.map((entry) => <TurnItem key={entry.client_message_id} session={session} entry={entry} last={false} />),
  ];
  return (
    <div class="thread-frame">
      <div class="thread" id="thread" data-busy={isBusy(session.view.state)} tabIndex={0} role="region" aria-label={t.thread.label} ref={box} onClick={onClick}>
        <div class="col" ref={column}>
          {loadingOlder && <p class="quiet centred">{t.thread.older}</p>}
          {rows}
          {rows.length === 0 && <p class="quiet centred">{t.thread.empty}</p>}
        </div>
      </div>
      {away && <button type="button" class="to-end" onClick={() => follower?.toEnd()}>{t.thread.down(news)}</button>}
    </div>
  );
}

/** When the first turn changes, pages came in above: what is on the screen must not move. */
function useKeptView(first: string, box: RefObject<HTMLDivElement | null>): void {
  const last = useRef({ first, anchor: null as Element | null, top: 0 });
  const node = box.current;
  if (node && last.current.first !== first) {
    // Before the new rows are drawn: remember what is in view.
    const edge = node.getBoundingClientRect().top;
    const anchor = [...node.querySelectorAll('.turn-item')].find((c) => c.getBoundingClientRect().bottom > edge) ?? null;
    last.current = { first, anchor, top: anchor?.getBoundingClientRect().top ?? 0 };
    node.style.setProperty('overflow-anchor', 'none');
  }
  useLayoutEffect(() => {
    const { anchor, top } = last.current;
    if (!node || !anchor) return;
    if (anchor.isConnected && !follower?.following) node.scrollTop += anchor.getBoundingClientRect().top - top;
    last.current.anchor = null;
    requestAnimationFrame(() => node.style.removeProperty('overflow-anchor'));
  }, [first]);
}

/** A link to a message: fetch pages until it is here, then show it and mark it for a moment. */
async function reveal(session: OpenSession, message: string): Promise<void> {
  const holds = () => session.view.turns.find((turn) => turn.user?.id === message || turn.answer_id === message || turn.parts.some((p) => p.kind === 'steer' && p.message_id === message));
  for (let page = 0; page < MAX_PAGES_FOR_LINK && !holds() && session.feed.older; page++) await session.feed.readOlder();
  const turn = holds();
  if (!turn) { follower?.toEnd(); return; }
  await new Promise((done) => setTimeout(done, 60));
  const node = document.getElementById(`m-${message}`) ?? document.querySelector(`[data-turn="${CSS.escape(turn.id)}"]`);
  follower?.letGo();
  node?.scrollIntoView({ block: 'start' });
  node?.classList.add('marked');
  setTimeout(() => node?.classList.remove('marked'), MARK_MS);
}

/** Moves the focus to the previous or next request of the reader. */
export function moveRequest(step: -1 | 1): void {
  const box = document.getElementById('thread');
  if (!box) return;
  const requests = [...box.querySelectorAll<HTMLElement>('.user')];
  const edge = box.getBoundingClientRect().top + 8;
  const at = requests.indexOf(document.activeElement as HTMLElement);
  const next = at !== -1 ? requests[at + step]
    : step < 0 ? requests.findLast((r) => r.getBoundingClientRect().top < edge) : requests.find((r) => r.getBoundingClientRect().top > edge);
  if (!next) return;
  follower?.letGo();
  next.scrollIntoView({ block: 'start' });
  next.focus({ preventScroll: true });
}
