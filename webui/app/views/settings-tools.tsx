/** Settings of tools & access: how far the agent may go by itself, rules, budgets, and the hooks that are set up. */
import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { ACCESSES, type Access } from '../model/types.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Saved } from '../parts/saved.tsx';
import { readSettings, save, saved, settings, settingsFailed } from '../state/settings.ts';
import type { HookView } from '../wire/api.ts';
import { BudgetSettings } from './budget-settings.tsx';
import { Rules } from './rules.tsx';

export function Tools() {
  useEffect(() => { saved.value = null; void readSettings(); }, []);
  const now = settings.value;
  if (!now) return settingsFailed.value ? <p role="alert">{t.settings.failed} <button type="button" class="line" onClick={() => void readSettings()}>{t.retry}</button></p> : <div class="skeleton" aria-busy="true"><i /><i /><i /></div>;
  return <>
    <DefaultAccess access={now.agent.access ?? 'workspace'} />
    <Rules rules={now.permissions ?? []} />
    <BudgetSettings budget={now.budget ?? {}} />
    <Hooks hooks={now.hooks ?? []} />
  </>;
}

function DefaultAccess({ access }: { access: Access }) {
  const [failed, setFailed] = useState('');
  const [asked, setAsked] = useState(false);
  const choose = async (mode: Access) => setFailed((await save({ agent: { access: mode } }, 'access'))?.detail ?? '');
  const s = t.toolSettings;
  return (
    <fieldset class="found">
      <legend>{s.access} <Saved place="access" /></legend>
      <p class="quiet" id="access-note">{s.accessNote}</p>
      {ACCESSES.map((mode) => (
        <label class={mode === access ? 'pick on' : 'pick'} key={mode}>
          <input
            type="radio" name="access" checked={mode === access}
            onChange={(e) => {
              if (mode !== 'full') { void choose(mode); return; }
              e.currentTarget.checked = false;
              setAsked(true);
            }}
          />
          <span><b>{t.access.modes[mode]}</b> <span class="quiet">{t.access.notes[mode]}</span></span>
        </label>
      ))}
      {failed && <p class="note err" role="alert">{failed}</p>}
      {asked && <Dialog title={s.confirmFull} onClose={() => setAsked(false)}>
        <p>{s.fullMeans}</p>
        <ul class="bullets">{t.access.fullPoints.slice(0, 2).map((point) => <li key={point}>{point}</li>)}</ul>
        <div class="row"><button type="button" class="go" onClick={() => { setAsked(false); void choose('full'); }}>{s.makeFull}</button><button type="button" class="line" data-first onClick={() => setAsked(false)}>{t.cancel}</button></div>
      </Dialog>}
    </fieldset>
  );
}

function Hooks({ hooks }: { hooks: HookView[] }) {
  const s = t.toolSettings;
  return <>
    <h3>{s.hooks}</h3>
    <p class="quiet">{s.hooksNote[0]}<code>config.toml</code>{s.hooksNote[1]}</p>
    {hooks.length === 0
      ? <p>{s.noHooks}</p>
      : <ul class="rows">{hooks.map((hook, i) => (
        <li key={i}>
          <span class="setting-words">
            <span><b>{hook.name}</b> {hook.match && hook.match !== '*' && <code>{hook.match}</code>}</span>
            <span class="quiet">{[hook.event, s.timeout(hook.timeout_ms), ...(hook.reraise ? [s.reraise] : [])].join(' · ')}</span>
          </span>
        </li>
      ))}</ul>}
  </>;
}
