/** The frame of the page: rail, main region, dialogs, and the keys that work everywhere. */
import { lazy, Suspense } from 'preact/compat';
import { useEffect } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { actionOf, type Action } from '../keys/map.ts';
import { isBusy } from '../model/turns.ts';
import { Boundary } from '../parts/boundary.tsx';
import { editing, stop } from '../state/actions.ts';
import { open } from '../state/app.ts';
import { decideByKey } from '../state/approvals.ts';
import { sidebarShown, toggleSidebar } from '../state/prefs.ts';
import { go, route } from '../state/router.ts';
import { Announcer } from './announcer.tsx';
import { focusComposer, leaveEdit } from './composer.tsx';
import { Conversation, MenuButton } from './conversation.tsx';
import { helpShown, KeysHelp } from './keys-help.tsx';
import { ModelDialog } from './model-dialog.tsx';
import { ModelPicker } from './model-picker.tsx';
import { SearchDialog, searchShown } from './search.tsx';
import { Sidebar } from './sidebar.tsx';
import { follower, moveRequest } from './thread.tsx';

const Inspector = lazy(() => import('./pages.ts').then((m) => m.Inspector));
const Settings = lazy(() => import('./pages.ts').then((m) => m.Settings));

export function App() {
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <div class={sidebarShown.value ? 'frame' : 'frame no-rail'}>
      <a class="skip" href="#thread">{t.skipToThread}</a>
      {route.value.page !== 'settings' && route.value.page !== 'missing' && <a class="skip" href="#message">{t.skipToComposer}</a>}
      <Boundary><Sidebar /></Boundary>
      <main id="main"><Page /></main>
      <Announcer />
      <SearchDialog />
      <KeysHelp />
      <ModelDialog />
      <ModelPicker />
      <Inspecting />
    </div>
  );
}

function Inspecting() {
  const r = route.value;
  return r.page === 'session' && r.inspect ? <Suspense fallback={null}><Inspector key={r.inspect} turn={r.inspect} /></Suspense> : null;
}

function Page() {
  const r = route.value;
  switch (r.page) {
    case 'settings': return <Suspense fallback={null}><Settings section={r.section} /></Suspense>;
    case 'missing': return <><header class="head"><MenuButton /><h1>{t.app}</h1></header><div class="thread" id="thread" tabIndex={-1}><div class="col"><p>{t.notFound}</p><p><a class="button line" href="/">{t.thread.goHome}</a></p></div></div></>;
    default: return <Conversation id={r.page === 'session' ? r.id : null} message={r.page === 'session' ? r.message : ''} />;
  }
}

const DOUBLE_MS = 600;
const REGIONS = ['#sidebar a', '#thread', '#message'];
let lastEscape = 0;

function onKeyDown(e: KeyboardEvent): void {
  if (e.defaultPrevented) return;
  const target = e.target instanceof HTMLElement ? e.target : null;
  const inField = target?.matches('input, textarea, select, [contenteditable]') === true;
  const inText = target?.matches('textarea, input:not([type=radio], [type=checkbox])') === true && (target as HTMLInputElement).value !== '';
  const action = actionOf(e, { inField, inText, inThread: target?.closest('#thread') != null });
  if (action === null || (document.querySelector('dialog[open]') && action !== 'search')) return;
  // A key that is held down answers one question.
  if (e.repeat && (action === 'allow_once' || action === 'deny')) { e.preventDefault(); return; }
  if (act(action)) e.preventDefault();
}

/** True when the key did something here and the browser should leave it alone. */
function act(action: Action): boolean {
  switch (action) {
    case 'search': searchShown.value = !searchShown.value; return true;
    case 'new_session': go('/'); focusComposer.value++; return true;
    case 'toggle_sidebar': toggleSidebar(); return true;
    case 'stop': stop(); return true;
    case 'escape': return escape();
    case 'previous_request': moveRequest(-1); return true;
    case 'next_request': moveRequest(1); return true;
    case 'newest': follower?.toEnd(); return true;
    case 'next_region': moveRegion(1); return true;
    case 'previous_region': moveRegion(-1); return true;
    case 'help': helpShown.value = true; return true;
    case 'allow_once': case 'deny': return decideByKey(action);
  }
}

function escape(): boolean {
  if (editing.peek()) { leaveEdit(); return true; }
  const now = Date.now();
  const twice = now - lastEscape < DOUBLE_MS;
  lastEscape = twice ? 0 : now;
  const busy = isBusy(open.peek()?.view.state ?? 'idle');
  if (twice && busy) stop();
  return twice && busy;
}

function moveRegion(step: 1 | -1): void {
  const regions = REGIONS.map((s) => document.querySelector<HTMLElement>(s)).filter((n) => n !== null);
  const focused = document.activeElement;
  const at = regions.findIndex((r) => r === focused || r.closest('#sidebar, #thread, .composer')?.contains(focused) === true);
  regions.at(at === -1 ? 0 : (at + step) % regions.length)?.focus();
}
