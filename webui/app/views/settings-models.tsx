/** Settings of models: providers and their keys, models with their order of fallbacks, and what happens when a request fails. */
import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { Saved } from '../parts/saved.tsx';
import { presets, readPresets } from '../state/app.ts';
import { readSettings, save, saved, settings, settingsFailed } from '../state/settings.ts';
import type { RetryMode } from '../wire/api.ts';
import { Presets } from './models-presets.tsx';
import { Providers } from './models-providers.tsx';
import { ModelSetup } from './model-setup.tsx';

export function Models() {
  const [adding, setAdding] = useState(false);
  /** The provider whose further model is being entered. */
  const [provider, setProvider] = useState<string | null>(null);
  useEffect(() => { saved.value = null; void readSettings(); void readPresets(); }, []);
  const now = settings.value;
  if (!now) return settingsFailed.value ? <p role="alert">{t.settings.failed} <button type="button" class="line" onClick={() => void readSettings()}>{t.retry}</button></p> : <div class="skeleton" aria-busy="true"><i /><i /><i /></div>;
  return <>
    {now.warnings.length > 0 && <div class="note warn"><p>{t.settings.warnings}</p><ul class="plain-list">{now.warnings.map((w) => <li key={w.path + w.detail}><code>{w.path}</code> {w.detail}</li>)}</ul></div>}
    <p class="quiet">{t.models.intro}</p>
    {adding
      ? <section class="card-box"><h3>{t.settings.addModel}</h3><ModelSetup named demo={!presets.value.some((p) => p.is_demo)} onDone={() => { setAdding(false); void readSettings(); }} /><button type="button" class="line" onClick={() => setAdding(false)}>{t.cancel}</button></section>
      : <p><button type="button" class="go" onClick={() => setAdding(true)}>{t.settings.addModel}</button></p>}
    <Providers settings={now} onAddModel={setProvider} />
    <Presets settings={now} provider={provider} onEntered={() => setProvider(null)} />
    <Retrying mode={now.agent.retry_mode ?? 'standard'} />
  </>;
}

const MODES: RetryMode[] = ['standard', 'persistent'];

function Retrying({ mode }: { mode: RetryMode }) {
  const [failed, setFailed] = useState('');
  const choose = async (retry_mode: RetryMode) => setFailed((await save({ agent: { retry_mode } }, 'retry_mode'))?.detail ?? '');
  return (
    <fieldset class="found">
      <legend>{t.models.retrying} <Saved place="retry_mode" /></legend>
      {MODES.map((m) => (
        <label class={m === mode ? 'pick on' : 'pick'} key={m}>
          <input type="radio" name="retry_mode" checked={m === mode} onChange={() => void choose(m)} />
          <span><b>{t.models.retryModes[m][0]}</b> <span class="quiet">{t.models.retryModes[m][1]}</span></span>
        </label>
      ))}
      {failed && <p class="note err" role="alert">{failed}</p>}
    </fieldset>
  );
}
