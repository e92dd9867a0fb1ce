/** Providers and models: what is set up, which one is the default, adding and removing. */
import { useEffect, useState } from 'preact/hooks';
import { count, t } from '../i18n/index.ts';
import { describe, presets, readPresets, readSetup } from '../state/app.ts';
import { api, type Preset, type Settings } from '../wire/api.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ModelSetup } from './model-setup.tsx';

export function Models() {
  const [settings, setSettings] = useState<Settings | null>(null);
  const [failed, setFailed] = useState('');
  const [adding, setAdding] = useState(false);
  const [asked, setAsked] = useState<Preset | null>(null);
  const read = () => api.settings().then((s) => { setSettings(s); setFailed(''); }, (e) => setFailed(describe(e).detail || t.settings.failed));
  useEffect(() => { void read(); void readPresets(); }, []);
  const patch = async (body: object) => {
    try {
      setSettings(await api.patchSettings(body));
      setFailed('');
      await Promise.all([readPresets(), readSetup()]);
    } catch (e) { setFailed(describe(e).detail); }
  };
  const removePreset = (p: Preset) => patch({ presets: { [p.name]: null }, ...(p.is_default && { agent: { preset: null } }) });
  const removeProvider = (name: string) => {
    const users = Object.entries(settings?.presets ?? {}).filter(([, p]) => p.provider === name).map(([preset]) => preset);
    if (users.length > 0) setFailed(t.settings.providerUsed(users)); else void patch({ providers: { [name]: null } });
  };
  if (!settings) return failed ? <p role="alert">{t.settings.failed} <button type="button" class="line" onClick={() => void read()}>{t.retry}</button></p> : <div class="skeleton" aria-busy="true"><i /><i /><i /></div>;
  return <>
    {failed && <p class="note err" role="alert">{failed}</p>}
    {settings.warnings.length > 0 && <div class="note warn"><p>{t.settings.warnings}</p><ul class="plain-list">{settings.warnings.map((w) => <li key={w.path}><code>{w.path}</code> {w.detail}</li>)}</ul></div>}
    <h3>{t.settings.presets}</h3>
    <p class="quiet">{t.settings.presetsNote}</p>
    {presets.value.length === 0 && <p>{t.settings.noPresets}</p>}
    <ul class="rows">{presets.value.map((p) => (
      <li key={p.name}>
        <span class="setting-words"><b>{p.model}</b><span class="quiet">{p.name} · {p.provider} · {t.settings.window(count(p.context_window_tokens), p.context_window_assumed)}</span></span>
        {p.is_default ? <span class="badge">{t.settings.default}</span> : <button type="button" class="line" onClick={() => void patch({ agent: { preset: p.name } })}>{t.settings.makeDefault}</button>}
        <button type="button" class="line" aria-label={t.settings.removePreset(p.name)} onClick={() => { if (p.is_default) setAsked(p); else void removePreset(p); }}>{t.remove}</button>
      </li>
    ))}</ul>
    {adding
      ? <section class="card-box"><h3>{t.settings.addModel}</h3><ModelSetup named demo={!presets.value.some((p) => p.is_demo)} onDone={() => { setAdding(false); void read(); }} /><button type="button" class="line" onClick={() => setAdding(false)}>{t.cancel}</button></section>
      : <p><button type="button" class="go" onClick={() => setAdding(true)}>{t.settings.addModel}</button></p>}
    <h3>{t.settings.providers}</h3>
    {Object.keys(settings.providers).length === 0 && <p>{t.settings.noProviders}</p>}
    <ul class="rows">{Object.entries(settings.providers).map(([name, p]) => (
      <li key={name}>
        <span class="setting-words"><b>{name}</b><span class="quiet">{t.setup.kinds[p.kind] ?? p.kind}{p.base_url ? ` · ${p.base_url}` : ''}{p.kind === 'demo' ? '' : ` · ${p.api_key_env ? t.settings.keyFrom(p.api_key_env) : p.api_key_set ? t.settings.keySet : t.settings.noKey}`}</span></span>
        <button type="button" class="line" aria-label={t.settings.removeProvider(name)} onClick={() => removeProvider(name)}>{t.remove}</button>
      </li>
    ))}</ul>
    {asked && <Dialog title={t.settings.removeDefault} onClose={() => setAsked(null)}>
      <p>{t.settings.removeDefaultNote(asked.name)}</p>
      <div class="row"><button type="button" class="go" onClick={() => { setAsked(null); void removePreset(asked); }}>{t.remove}</button><button type="button" class="line" data-first onClick={() => setAsked(null)}>{t.cancel}</button></div>
    </Dialog>}
  </>;
}
