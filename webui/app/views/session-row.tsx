/** One session in the sidebar: title, the state as a shape, and a menu to rename, pin or delete it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import type { Session } from '../model/types.ts';
import { Icon } from '../parts/icon.tsx';
import { pin, remove, rename } from '../state/actions.ts';
import { sessionPath } from '../state/router.ts';
import { titleOf } from './title.ts';

export function SessionRow({ session, current }: { session: Session; current: boolean }) {
  const title = titleOf(session.id, session.title);
  const [renaming, setRenaming] = useState(false);
  if (renaming) return <li><RenameField session={session} onDone={() => setRenaming(false)} /></li>;
  return (
    <li class="session">
      <a href={sessionPath(session.id)} aria-current={current ? 'page' : undefined} title={title} onKeyDown={(e) => { if (e.key === 'F2') setRenaming(true); }}>
        <span class="t" dir="auto">{title}</span><StateMark session={session} />
      </a>
      <RowMenu session={session} title={title} onRename={() => setRenaming(true)} />
    </li>
  );
}

export function StateMark({ session }: { session: Session }) {
  switch (session.state) {
    case 'running': return <span class="dot" role="img" aria-label={t.sidebar.running} />;
    case 'awaiting_approval': return <span class="dot wait" role="img" aria-label={t.sidebar.waiting} />;
    case 'parked': return <span class="dot parked" role="img" aria-label={t.sidebar.parked} />;
    default: return null;
  }
}

function RowMenu({ session, title, onRename }: { session: Session; title: string; onRename(): void }) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    box.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const away = (e: Event) => { if (!box.current?.contains(e.target as Node)) setOpen(false); };
    document.addEventListener('pointerdown', away);
    document.addEventListener('focusin', away);
    return () => { document.removeEventListener('pointerdown', away); document.removeEventListener('focusin', away); };
  }, [open]);
  const close = () => { setOpen(false); box.current?.querySelector('button')?.focus(); };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === 'Escape') { e.stopPropagation(); close(); return; }
    const step = e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    e.preventDefault();
    const items = [...box.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []];
    items.at((items.indexOf(document.activeElement as HTMLElement) + step) % items.length)?.focus();
  };
  const item = (label: string, action: () => void) => <button type="button" role="menuitem" tabIndex={-1} onClick={() => { close(); action(); }}>{label}</button>;
  return (
    <div class="row-menu" ref={box} onKeyDown={onKeyDown}>
      <button type="button" class="icon-button" aria-label={t.sidebar.menu(title)} aria-haspopup="menu" aria-expanded={open} onClick={() => setOpen(!open)}><Icon name="more" /></button>
      {open && <div class="menu" role="menu" aria-label={t.sidebar.menu(title)}>
        {item(t.sidebar.rename, onRename)}
        {item(session.pinned ? t.sidebar.unpin : t.sidebar.pin, () => void pin(session.id, !session.pinned))}
        {item(t.sidebar.delete, () => void remove(session.id, title))}
      </div>}
    </div>
  );
}

function RenameField({ session, onDone }: { session: Session; onDone(): void }) {
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useEffect(() => field.current?.select(), []);
  const finish = (save: boolean) => {
    if (done.current) return;
    done.current = true;
    const title = field.current?.value.trim() ?? '';
    if (save && title && title !== session.title) void rename(session.id, title);
    onDone();
  };
  return <input
    ref={field} class="rename" aria-label={t.sidebar.newTitle} value={session.title} dir="auto"
    onBlur={() => finish(true)} onKeyDown={(e) => { if (e.isComposing) return; if (e.key === 'Enter') finish(true); if (e.key === 'Escape') { e.stopPropagation(); finish(false); } }}
  />;
}
