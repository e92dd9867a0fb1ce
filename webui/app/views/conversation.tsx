/** The main region: header, the thread or the page that begins one, strips that say what is wrong, and the composer. */
import { Suspense, lazy } from 'preact/compat';
import { t } from '../i18n/index.ts';
import { Boundary } from '../parts/boundary.tsx';
import { Icon } from '../parts/icon.tsx';
import { open, outgoing, sessions, setup } from '../state/app.ts';
import type { OpenSession } from '../state/open-session.ts';
import { sidebarShown, toggleSidebar } from '../state/prefs.ts';
import { Composer } from './composer.tsx';
import { Home } from './home.tsx';
import { Meter } from './meter.tsx';
import { drawer } from './sidebar.tsx';
import { Strips } from './strips.tsx';
import { Thread } from './thread.tsx';
import { titleOf } from './title.ts';
import { TurnItem } from './turn.tsx';
import { HeadState } from './waiting.tsx';

const FirstRun = lazy(() => import('./pages.ts').then((m) => m.FirstRun));

export function Conversation({ id, message }: { id: string | null; message: string }) {
  const session = id !== null && open.value?.id === id ? open.value : null;
  return <>
    <Header session={session} />
    <Strips />
    <Boundary>{id === null ? <Start /> : session && <Loaded session={session} message={message} />}</Boundary>
    <Composer chat={id} />
  </>;
}

function Header({ session }: { session: OpenSession | null }) {
  void session?.meta.value;
  return (
    <header class="head">
      <MenuButton />
      <h1 dir="auto">{session ? titleOf(session.id, session.view.title) : t.sidebar.newSession}</h1>
      {session && <HeadState session={session} />}
      {session && <Meter session={session} />}
    </header>
  );
}

/** With the sidebar away, it also says that another session waits for the reader. */
export function MenuButton() {
  const waits = sessions.value?.some((s) => s.state === 'awaiting_approval' && s.id !== open.value?.id) === true;
  const label = waits ? t.sidebar.openWaiting : t.sidebar.open;
  const inside = <><Icon name="menu" />{waits && <span class="dot wait" aria-hidden="true" />}</>;
  return <>
    <button type="button" class="icon-button menu-button only-phone" aria-label={label} onClick={() => { drawer.value = true; }}>{inside}</button>
    {!sidebarShown.value && <button type="button" class="icon-button menu-button not-phone" aria-label={label} title="Ctrl B" onClick={toggleSidebar}>{inside}</button>}
  </>;
}

function Loaded({ session, message }: { session: OpenSession; message: string }) {
  switch (session.load.value) {
    case 'ready': return <Thread key={session.id} session={session} message={message} />;
    case 'loading': return <div class="thread skeleton" id="thread" aria-busy="true" aria-label={t.thread.loading} role="region"><div class="col"><Waiting id={session.id} /><i /><i /><i /></div></div>;
    case 'missing': return <div class="thread" id="thread" tabIndex={-1}><div class="col"><p>{t.thread.missing}</p><p><a class="button line" href="/">{t.thread.goHome}</a></p></div></div>;
    case 'error': return <div class="thread" id="thread" tabIndex={-1}><div class="col"><Waiting id={session.id} /><p role="alert">{t.thread.failed}</p><p><button type="button" class="line" onClick={() => { session.load.value = 'loading'; void session.feed.read(); }}>{t.retry}</button></p></div></div>;
  }
}

/** Messages that wait for a session which is not here yet. */
function Waiting({ id }: { id: string | null }) {
  return <>{outgoing.value.filter((e) => e.chat_id === id).map((e) => <TurnItem key={e.client_message_id} session={null} entry={e} last={false} />)}</>;
}

function Start() {
  const unsent = outgoing.value.some((e) => e.chat_id === null);
  const needs = setup.value?.needs_setup === true;
  return (
    <div class="thread" id="thread" tabIndex={-1}>
      <div class="col">
        {needs ? <Suspense fallback={null}><FirstRun /></Suspense> : !unsent && <Home />}
        <Waiting id={null} />
      </div>
    </div>
  );
}
