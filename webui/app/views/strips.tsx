/** Strips under the header: the connection is lost, the sign-in is over, a new version runs, an action failed, a session was deleted. */
import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { Icon } from '../parts/icon.tsx';
import { deleted, undoRemove } from '../state/actions.ts';
import { banner, connection, socket } from '../state/app.ts';

const PATIENCE_MS = 1500;

export function Strips() {
  return <div class="strips">
    <ConnectionStrip />
    {banner.value && <p class="strip err" role="alert">{banner.value}<button type="button" class="icon-button" aria-label={t.close} onClick={() => { banner.value = ''; }}><Icon name="close" /></button></p>}
    {deleted.value && <p class="strip" role="status">{t.sidebar.deleted(deleted.value.title)}<button type="button" class="line" onClick={() => void undoRemove()}>{t.undo}</button></p>}
  </div>;
}

function ConnectionStrip() {
  const state = connection.value;
  const lost = state === 'waiting' || state === 'connecting';
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!lost) { setLate(false); return undefined; }
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [lost]);
  if (state === 'signed_out') return <p class="strip warn" role="status">{t.connection.signedOut}<a class="button line" href="/login">{t.connection.signIn}</a></p>;
  if (state === 'outdated') return <p class="strip" role="status">{t.connection.newVersion}<button type="button" class="line" onClick={() => location.reload()}>{t.reload}</button></p>;
  if (!lost || !late) return null;
  return <p class="strip warn" role="status">{t.connection.lost}<button type="button" class="line" onClick={() => socket.nudge()}>{t.connection.reconnect}</button></p>;
}
