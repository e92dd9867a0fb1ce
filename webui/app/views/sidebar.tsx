/** The left rail: new session, search, settings, the sessions by day, and the state of the connection. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { month, t } from '../i18n/index.ts';
import { groupSessions, type GroupName } from '../model/groups.ts';
import { Icon } from '../parts/icon.tsx';
import { connection, moreSessions, readMoreSessions, readSessions, sessions, sessionsError } from '../state/app.ts';
import { route } from '../state/router.ts';
import { toggleSidebar } from '../state/prefs.ts';
import { helpShown } from './keys-help.tsx';
import { searchShown } from './search.tsx';
import { SessionRow } from './session-row.tsx';

/** On phones the rail is a drawer over the page. */
export const drawer = signal(false);

export function Sidebar() {
  const page = route.value;
  const nav = useRef<HTMLElement>(null);
  useEffect(() => { drawer.value = false; }, [page]);
  useEffect(() => { if (drawer.value) nav.current?.querySelector<HTMLElement>('a, button')?.focus(); }, [drawer.value]);
  return <>
    {drawer.value && <button type="button" class="veil" aria-label={t.close} tabIndex={-1} onClick={() => { drawer.value = false; }} />}
    <nav class={drawer.value ? 'rail shown' : 'rail'} id="sidebar" aria-label={t.sidebar.label} ref={nav} onKeyDown={(e) => { if (e.key === 'Escape') drawer.value = false; }}>
      <div class="brand"><a href="/" class="brand-link"><span class="mark" aria-hidden="true" />{t.app}</a><button type="button" class="icon-button not-phone" aria-label={t.sidebar.hide} title="Ctrl B" onClick={toggleSidebar}><Icon name="menu" /></button></div>
      <a class="new" href="/" aria-keyshortcuts="Alt+N">{t.sidebar.newSession} <kbd>Alt N</kbd></a>
      <ul class="pages">
        <li><button type="button" class="page" aria-haspopup="dialog" aria-keyshortcuts="Control+K" onClick={() => { searchShown.value = true; }}><Icon name="search" />{t.sidebar.search}<kbd>Ctrl K</kbd></button></li>
        <li><a class="page" href="/settings/general" aria-current={page.page === 'settings' ? 'page' : undefined}><Icon name="settings" />{t.sidebar.settings}</a></li>
      </ul>
      <div class="sessions"><SessionList /></div>
      <div class="rail-foot"><span class={`dot ${connection.value}`} aria-hidden="true" /><span role="status">{t.connection[connection.value]}</span><button type="button" class="icon-button" aria-label={t.connection.keys} onClick={() => { helpShown.value = true; }}><Icon name="keys" /></button></div>
    </nav>
  </>;
}

function SessionList() {
  const list = sessions.value;
  if (sessionsError.value) return <p class="quiet pad">{t.sidebar.failed} <button type="button" class="line" onClick={() => void readSessions()}>{t.retry}</button></p>;
  if (list === null) return <div class="skeleton rows" aria-hidden="true"><i /><i /><i /><i /><i /><i /></div>;
  if (list.length === 0) return <p class="quiet pad">{t.sidebar.empty}</p>;
  const here = route.value.page === 'session' ? route.value.id : '';
  return <>
    {groupSessions(list, new Date()).map((group) => (
      <section key={keyOf(group.name)}>
        <h2>{nameOf(group.name)}</h2>
        <ul>{group.sessions.map((s) => <SessionRow key={s.id} session={s} current={s.id === here} />)}</ul>
      </section>
    ))}
    {moreSessions.value && <button type="button" class="line" onClick={() => void readMoreSessions()}>{t.sidebar.more}</button>}
  </>;
}

const keyOf = (name: GroupName): string => (typeof name === 'string' ? name : `${name.year}-${name.month}`);
const nameOf = (name: GroupName): string => (typeof name === 'string' ? t.sidebar.group[name] : month(name.year, name.month));
