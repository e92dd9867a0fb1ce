/** What a new session shows before its first message: a question, and where to go on. */
import { t } from '../i18n/index.ts';
import type { Session } from '../model/types.ts';
import { sessions } from '../state/app.ts';
import { sessionPath } from '../state/router.ts';
import { StateMark } from './session-row.tsx';

const CARDS = 4;
const waits = (s: Session): boolean => s.state === 'awaiting_approval';

export function Home() {
  const list = sessions.value ?? [];
  const recent = [...list.filter(waits), ...list.filter((s) => !waits(s))].slice(0, CARDS);
  return (
    <div class="home">
      <h2 class="question">{t.home.question}</h2>
      {recent.length > 0 && <>
        <h3 class="caps">{t.home.recent}</h3>
        <ul class="cards">{recent.map((s) => <li key={s.id}><a class="card" href={sessionPath(s.id)} dir="auto"><span class="clip">{s.title || t.sidebar.untitled}</span><StateMark session={s} /></a></li>)}</ul>
      </>}
    </div>
  );
}
