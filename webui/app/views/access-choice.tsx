/** Chooses how far the agent may go in this session without asking. Full access is explained and confirmed first. */
import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { ACCESSES, type Access } from '../model/types.ts';
import { Dialog } from '../parts/dialog.tsx';
import { chooseAccess, newAccess } from '../state/actions.ts';
import type { OpenSession } from '../state/open-session.ts';
import { readSettings, settings } from '../state/settings.ts';

interface Props { session: OpenSession | null; onChosen(words: string): void }

export function AccessChoice({ session, onChosen }: Props) {
  void session?.meta.value;
  const [asked, setAsked] = useState(false);
  useEffect(() => { if (!settings.peek()) void readSettings(); }, []);
  const a = t.access;
  const current = session ? session.view.access : newAccess.value;
  const configured = settings.value?.agent.access;
  const choose = async (access: Access | null) => { if (await chooseAccess(access) && session) onChosen(a.chosen(access ? a.modes[access] : a.configured(configured ? a.modes[configured] : ''))); };
  return <>
    <select
      class={current === 'full' ? 'quiet-select full-access' : 'quiet-select'} aria-label={a.label} title={current ? a.notes[current] : configured && a.notes[configured]} value={current ?? ''}
      onChange={(e) => {
        const access = ACCESSES.find((m) => m === e.currentTarget.value) ?? null;
        e.currentTarget.value = current ?? '';
        if (access === 'full') setAsked(true); else void choose(access);
      }}
    >
      <option value="">{a.configured(configured ? a.modes[configured] : '')}</option>
      {ACCESSES.map((m) => <option key={m} value={m}>{a.modes[m]}</option>)}
    </select>
    {asked && <Dialog title={a.confirm} onClose={() => setAsked(false)}>
      <p>{a.fullMeans}</p>
      <ul class="bullets">{a.fullPoints.map((point) => <li key={point}>{point}</li>)}</ul>
      <div class="row"><button type="button" class="go" onClick={() => { setAsked(false); void choose('full'); }}>{a.give}</button><button type="button" class="line" data-first onClick={() => setAsked(false)}>{t.cancel}</button></div>
    </Dialog>}
  </>;
}
