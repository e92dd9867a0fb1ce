/** The models that sessions can use: their order of fallbacks, the default one, a real test of each, changing and removing them. */
import { useRef, useState } from 'preact/hooks';
import { count, t } from '../i18n/index.ts';
import { removePatch } from '../model/preset-form.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Saved } from '../parts/saved.tsx';
import { presets } from '../state/app.ts';
import { save } from '../state/settings.ts';
import type { Preset, Settings } from '../wire/api.ts';
import { PresetForm } from './preset-form.tsx';
import { TestWords, useTest } from './test-result.tsx';

interface Props {
  settings: Settings;
  /** The provider of a new model that is being entered. */
  provider: string | null;
  onEntered(): void;
}

/** The rows have been drawn when this comes. */
const focusRow = (name: string): void => { requestAnimationFrame(() => document.getElementById(`edit-${name}`)?.focus()); };

export function Presets({ settings, provider, onEntered }: Props) {
  const list = presets.value;
  const [failed, setFailed] = useState('');
  const [asked, setAsked] = useState<Preset | null>(null);
  const head = useRef<HTMLHeadingElement>(null);
  const remove = async (p: Preset) => {
    setFailed((await save(removePatch(settings.presets, p.name, p.is_default), 'presets'))?.detail ?? '');
    head.current?.focus();
  };
  const makeDefault = async (p: Preset) => setFailed((await save({ agent: { preset: p.name } }, `preset:${p.name}`))?.detail ?? '');
  return <>
    <h3 ref={head} tabIndex={-1}>{t.settings.presets} <Saved place="presets" /></h3>
    <p class="quiet">{t.settings.presetsNote}</p>
    {failed && <p class="note err" role="alert">{failed}</p>}
    {list.length === 0 && <p>{t.settings.noPresets}</p>}
    <ul class="rows">{list.map((p) => (
      <PresetRow
        key={p.name} preset={p} settings={settings}
        onDefault={() => void makeDefault(p)} onRemove={() => { if (p.is_default) setAsked(p); else void remove(p); }}
      />
    ))}</ul>
    {provider !== null && <PresetForm
      key={provider} settings={settings} name={null} first={{ name: '', preset: { provider, model: '' } }} isDefault={false}
      onSaved={(name) => { onEntered(); focusRow(name); }} onCancel={() => { onEntered(); head.current?.focus(); }}
    />}
    {asked && <Dialog title={t.settings.removeDefault} onClose={() => setAsked(null)}>
      <p>{t.settings.removeDefaultNote(asked.name)}</p>
      <div class="row"><button type="button" class="go" onClick={() => { setAsked(null); void remove(asked); }}>{t.remove}</button><button type="button" class="line" data-first onClick={() => setAsked(null)}>{t.cancel}</button></div>
    </Dialog>}
  </>;
}

interface RowProps { preset: Preset; settings: Settings; onDefault(): void; onRemove(): void }

function PresetRow({ preset: p, settings, onDefault, onRemove }: RowProps) {
  const [shown, setShown] = useState<'' | 'edit' | 'copy'>('');
  const test = useTest();
  const m = t.models;
  const known = settings.presets[p.name];
  const toggle = (what: 'edit' | 'copy') => setShown(shown === what ? '' : what);
  const close = (name: string) => { setShown(''); focusRow(name); };
  const order = known?.fallbacks ?? [];
  return (
    <li>
      <div class="row-head">
        <span class="setting-words">
          <span><b>{p.model}</b> {p.is_default && <span class="badge">{t.settings.default}</span>}</span>
          <span class="quiet">{p.name} · {p.provider} · {t.settings.window(count(p.context_window_tokens), p.context_window_assumed)}</span>
          {order.length > 0 && <span class="quiet">{m.thenFallbacks(order)}</span>}
        </span>
        <span class="row-actions">
          <Saved place={`preset:${p.name}`} />
          {!p.is_default && <button type="button" class="line" aria-label={m.makeDefaultOf(p.name)} onClick={onDefault}>{t.settings.makeDefault}</button>}
          <button type="button" class="line" aria-label={m.testOf(p.name)} disabled={test.busy} onClick={() => void test.run(p.provider, p.model)}>{t.setup.test}</button>
          {known && <button type="button" class="line" id={`edit-${p.name}`} aria-label={m.editPreset(p.name)} aria-expanded={shown === 'edit'} onClick={() => toggle('edit')}>{t.edit}</button>}
          {known && <button type="button" class="line" aria-label={m.duplicateOf(p.name)} aria-expanded={shown === 'copy'} onClick={() => toggle('copy')}>{m.duplicate}</button>}
          <button type="button" class="line" aria-label={t.settings.removePreset(p.name)} onClick={onRemove}>{t.remove}</button>
        </span>
      </div>
      <TestWords test={test} />
      {known && shown === 'edit' && <PresetForm settings={settings} name={p.name} first={{ name: p.name, preset: known }} isDefault={settings.agent.preset === p.name || p.is_default} onSaved={close} onCancel={() => close(p.name)} />}
      {known && shown === 'copy' && <PresetForm settings={settings} name={null} first={{ name: freeCopy(p.name, settings), preset: known }} isDefault={false} onSaved={close} onCancel={() => close(p.name)} />}
    </li>
  );
}

function freeCopy(name: string, settings: Settings): string {
  for (let n = 2; ; n++) if (!Object.hasOwn(settings.presets, `${name}-${n}`)) return `${name}-${n}`;
}
