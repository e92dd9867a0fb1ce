/** Says that work waits for the reader, and brings them to the question. */
import { t } from '../i18n/index.ts';
import { pendingOf } from '../model/approvals.ts';
import { isLive } from '../model/turns.ts';
import { open } from '../state/app.ts';
import { anyInView } from '../state/approvals.ts';
import type { OpenSession } from '../state/open-session.ts';
import { follower } from './thread.tsx';

/** How many questions wait in a session. */
function waitingIn(session: OpenSession): number {
  void session.meta.value;
  void session.list.value;
  const turn = session.view.turns.find(isLive);
  return turn ? pendingOf(turn).length : 0;
}

/** Above the message field. */
export function WaitingLine() {
  const session = open.value;
  const n = session ? waitingIn(session) : 0;
  if (n === 0) return null;
  return <p class={anyInView.value ? 'waiting-line seen' : 'waiting-line'}><span class="dot wait" aria-hidden="true" />{n > 1 ? t.approval.several(n) : t.approval.waiting}<button type="button" class="line" onClick={show}>{t.approval.show}</button></p>;
}

export function HeadState({ session }: { session: OpenSession }) {
  return waitingIn(session) > 0 ? <span class="state"><span class="dot wait" aria-hidden="true" />{t.sidebar.waiting}</span> : null;
}

function show(): void {
  const card = document.querySelector<HTMLElement>('.approval');
  if (!card) return;
  follower?.letGo();
  card.scrollIntoView({ block: 'center' });
  card.focus({ preventScroll: true });
}
