/** The providers: where they are, whether there is a key, a real test, changing and removing them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Saved } from '../parts/saved.tsx';
import { save } from '../state/settings.ts';
import type { ProviderView, Settings } from '../wire/api.ts';
import { ModelField } from './model-field.tsx';
import { ProviderForm } from './provider-form.tsx';
import { TestWords, useTest } from './test-result.tsx';

export function Providers({ settings, onAddModel }: { settings: Settings; onAddModel(provider: string): void }) {
  const [failed, setFailed] = useState('');
  const [asked, setAsked] = useState('');
  const head = useRef<HTMLHeadingElement>(null);
  const entries = Object.entries(settings.providers);
  const remove = async (name: string) => {
    setFailed((await save({ providers: { [name]: null } }, 'providers'))?.detail ?? '');
    head.current?.focus();
  };
  const askToRemove = (name: string, p: ProviderView) => {
    const users = Object.entries(settings.presets).filter(([, preset]) => preset.provider === name).map(([preset]) => preset);
    if (users.length > 0) setFailed(t.settings.providerUsed(users));
    else if (p.api_key_set && p.api_key_env === undefined) setAsked(name);
    else void remove(name);
  };
  return <>
    <h3 ref={head} tabIndex={-1}>{t.settings.providers} <Saved place="providers" /></h3>
    {failed && <p class="note err" role="alert">{failed}</p>}
    {entries.length === 0 && <p class="quiet">{t.settings.noProviders}</p>}
    <ul class="rows">{entries.map(([name, p]) => (
      <ProviderRow key={name} name={name} provider={p} models={Object.values(settings.presets).filter((preset) => preset.provider === name).map((preset) => preset.model)} onAddModel={() => onAddModel(name)} onRemove={() => askToRemove(name, p)} />
    ))}</ul>
    {asked && <Dialog title={t.settings.removeProvider(asked)} onClose={() => setAsked('')}>
      <p>{t.models.removeWithKey}</p>
      <div class="row"><button type="button" class="go" onClick={() => { const name = asked; setAsked(''); void remove(name); }}>{t.remove}</button><button type="button" class="line" data-first onClick={() => setAsked('')}>{t.cancel}</button></div>
    </Dialog>}
  </>;
}

interface RowProps { name: string; provider: ProviderView; models: string[]; onAddModel(): void; onRemove(): void }

function ProviderRow({ name, provider: p, models, onAddModel, onRemove }: RowProps) {
  const [shown, setShown] = useState<'' | 'test' | 'edit'>('');
  const edit = useRef<HTMLButtonElement>(null);
  const toggle = (what: 'test' | 'edit') => setShown(shown === what ? '' : what);
  const close = () => { setShown(''); edit.current?.focus(); };
  const demo = p.kind === 'demo';
  const key = p.api_key_env ? t.settings.keyFrom(p.api_key_env) : p.api_key_set ? t.settings.keySet : t.settings.noKey;
  const m = t.models;
  return (
    <li>
      <div class="row-head">
        <span class="setting-words">
          <b>{name}</b>
          <span class="quiet">{t.setup.kinds[p.kind] ?? p.kind}{p.base_url ? ` · ${p.base_url}` : ''}{demo ? '' : ` · ${key}`}{p.proxy ? ` · ${m.viaProxy(p.proxy)}` : ''}</span>
        </span>
        <span class="row-actions">
          <Saved place={`provider:${name}`} />
          <button type="button" class="line" aria-label={m.addModelOf(name)} onClick={onAddModel}>{m.addModel}</button>
          <button type="button" class="line" aria-label={m.testOf(name)} aria-expanded={shown === 'test'} onClick={() => toggle('test')}>{t.setup.test}</button>
          {!demo && <button type="button" class="line" ref={edit} aria-label={m.editProvider(name)} aria-expanded={shown === 'edit'} onClick={() => toggle('edit')}>{t.edit}</button>}
          <button type="button" class="line" aria-label={t.settings.removeProvider(name)} onClick={onRemove}>{t.remove}</button>
        </span>
      </div>
      {shown === 'test' && <ProviderTest name={name} first={models[0] ?? (demo ? 'demo' : '')} />}
      {shown === 'edit' && <ProviderForm name={name} provider={p} onSaved={close} onCancel={close} />}
    </li>
  );
}

/** Asks a model of the provider at once when one is set up; otherwise the reader names one. */
function ProviderTest({ name, first }: { name: string; first: string }) {
  const [model, setModel] = useState(first);
  const test = useTest();
  const box = useRef<HTMLFormElement>(null);
  useEffect(() => { if (first) void test.run(name, first); else box.current?.querySelector('input')?.focus(); }, []);
  return (
    <form class="card-box" ref={box} aria-label={t.models.testOf(name)} onSubmit={(e) => { e.preventDefault(); if (model.trim()) void test.run(name, model.trim()); }}>
      <ModelField value={model} provider={name} onModel={(value) => { setModel(value); test.clear(); }} />
      <div class="row"><button type="submit" class="line" disabled={test.busy || model === ''}>{test.busy ? t.setup.testing : t.models.testModel}</button></div>
      <TestWords test={{ ...test, busy: false }} />
    </form>
  );
}
