/** Sets up a model: pick what was found or enter a provider, test it with one real request, save it. */
import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { freeName } from '../model/preset-form.ts';
import { SelectField, TextField } from '../parts/field.tsx';
import { describe, presets, readPresets, readSetup, setup } from '../state/app.ts';
import { api, type Found, type KnownProvider, type ProviderDraft, type ProviderView } from '../wire/api.ts';
import { ModelField } from './model-field.tsx';
import { kindOptions } from './provider-form.tsx';
import { TestWords, useTest } from './test-result.tsx';

export interface Choice { name: string; kind: string; base_url: string; api_key: string; env: string; model: string; window?: number | undefined }

const BLANK: Choice = { name: 'custom', kind: 'openai', base_url: '', api_key: '', env: '', model: '' };

const ofFound = (f: Found): Choice => ({ ...BLANK, name: f.provider, kind: f.kind, base_url: f.base_url, env: f.source === 'key' ? f.env ?? '' : '', model: f.models[0] ?? '' });
const ofKnown = (p: KnownProvider, model: string): Choice => ({ ...BLANK, name: p.name, kind: p.kind, base_url: p.base_url, model });

/** A key in the environment is named, never copied: the server resolves it. */
const keyOf = (c: Choice): string => c.api_key || (c.env ? `\${${c.env}}` : '');
const providerOf = (c: Choice): ProviderDraft => ({ kind: c.kind, ...(c.base_url && { base_url: c.base_url }), ...(keyOf(c) && { api_key: keyOf(c) }) });

const address = (url?: string | null): string => (url ?? '').trim().replace(/\/+$/, '');
const isSame = (c: Choice, p: ProviderView): boolean => p.kind === c.kind && address(p.base_url) === address(c.base_url) && !c.api_key && (!c.env || c.env === p.api_key_env);

/** Where the choice belongs: the configured provider that is the very same, or a name that is free. What is configured is never changed, so no key goes to another address. */
async function placeOf(choice: Choice): Promise<{ name: string; made: boolean }> {
  const { providers } = await api.settings();
  for (let n = 1; ; n++) {
    const name = n === 1 ? choice.name : `${choice.name}-${n}`;
    const have = Object.hasOwn(providers, name) ? providers[name] : undefined;
    if (!have || isSame(choice, have)) return { name, made: have !== undefined };
  }
}

/** A configured provider is asked by its name, because only the server has its key. */
async function providerToAsk(choice: Choice): Promise<string | ProviderDraft> {
  const { name, made } = await placeOf(choice);
  return made ? name : providerOf(choice);
}

async function save(choice: Choice, preset: string, makeDefault: boolean): Promise<void> {
  const { name, made } = await placeOf(choice);
  await api.patchSettings({
    ...(!made && { providers: { [name]: providerOf(choice) } }),
    presets: { [preset]: { provider: name, model: choice.model, ...(choice.window && { context_window_tokens: choice.window }) } },
    ...(makeDefault && { agent: { preset } }),
  });
  await Promise.all([readPresets(), readSetup()]);
}

export async function saveDemo(): Promise<void> {
  const { provider, model } = setup.peek()?.demo ?? { provider: 'demo', model: 'demo' };
  await api.patchSettings({ providers: { [provider]: { kind: 'demo' } }, presets: { demo: { provider, model } }, agent: { preset: 'demo' } });
  await Promise.all([readPresets(), readSetup()]);
}

interface Props { onDone(): void; named?: boolean; demo?: boolean }

export function ModelSetup({ onDone, named = false, demo = true }: Props) {
  const offered = setup.value;
  const known = offered?.providers.filter((p) => p.available) ?? [];
  const found = offered?.found ?? null;
  const [choice, setChoice] = useState<Choice>(BLANK);
  const [preset, setPreset] = useState('');
  const [makeDefault, setMakeDefault] = useState(!named);
  const [saving, setSaving] = useState(false);
  const test = useTest();
  const busy = saving || test.busy;
  const [error, setError] = useState('');
  useEffect(() => { void readSetup(); }, []);
  useEffect(() => {
    const first = found?.find((f) => f.models.length > 0) ?? found?.[0];
    const offer = first ? ofFound(first) : known[0] ? ofKnown(known[0], '') : BLANK;
    // What somebody has chosen meanwhile stays.
    if (offered) setChoice((now) => (now === BLANK ? offer : now));
  }, [offered]);

  const names = new Set(presets.value.map((p) => p.name));
  const replace = (next: Choice) => { setChoice(next); test.clear(); setError(''); };
  const change = (fields: Partial<Choice>) => replace({ ...choice, ...fields });
  const hasModel = (): boolean => { if (!choice.model.trim()) setError(t.setup.needModel); return choice.model.trim() !== ''; };
  const guarded = async (action: () => Promise<void>) => {
    setSaving(true);
    setError('');
    try { await action(); onDone(); } catch (e) { setError(describe(e).detail); }
    setSaving(false);
  };
  const ask = async () => {
    if (!hasModel()) return;
    try { await test.run(await providerToAsk(choice), choice.model.trim()); } catch (e) { setError(describe(e).detail); }
  };
  const store = () => { if (hasModel()) void guarded(() => save({ ...choice, model: choice.model.trim() }, preset.trim() || freeName(choice.model, names), makeDefault)); };

  return (
    <form class="setup" onSubmit={(e) => { e.preventDefault(); store(); }}>
      <FoundList found={found} choice={choice} onChoose={replace} />
      <Fields choice={choice} known={known} models={found?.find((f) => f.provider === choice.name)?.models ?? []} onChange={change} onReplace={replace} />
      {named && <>
        <TextField label={t.setup.name} value={preset} placeholder={freeName(choice.model, names)} onText={setPreset} />
        <label class="check"><input type="checkbox" checked={makeDefault} onChange={(e) => setMakeDefault(e.currentTarget.checked)} />{t.setup.makeDefault}</label>
      </>}
      <div class="row">
        <button type="button" class="line" disabled={busy} onClick={() => void ask()}>{test.busy ? t.setup.testing : t.setup.test}</button>
        <button type="submit" class="go" disabled={busy}>{saving ? t.setup.saving : named ? t.save : t.setup.save}</button>
      </div>
      <TestWords test={{ ...test, busy: false }} />
      {error && <p class="note err" role="alert">{error}</p>}
      {demo && <div class="demo"><button type="button" class="line" disabled={busy} onClick={() => void guarded(saveDemo)}>{t.setup.demo}</button><span class="quiet">{t.setup.demoNote}</span></div>}
    </form>
  );
}

const isOf = (choice: Choice, f: Found): boolean => choice.name === f.provider && choice.base_url === f.base_url;

function FoundList({ found, choice, onChoose }: { found: Found[] | null; choice: Choice; onChoose(choice: Choice): void }) {
  if (!found) return null;
  if (found.length === 0) return <p class="quiet">{t.setup.nothingFound}</p>;
  return (
    <fieldset class="found">
      <legend>{t.setup.found}</legend>
      {found.map((f) => (
        <label class={isOf(choice, f) ? 'pick on' : 'pick'} key={`${f.source}${f.provider}`}>
          <input type="radio" name="found" checked={isOf(choice, f)} onChange={() => onChoose(ofFound(f))} />
          <span><b>{f.label}</b> <span class="quiet">{f.source === 'server' ? t.setup.server : t.setup.key(f.env ?? '')}{f.models.length > 0 && ` · ${f.models.slice(0, 3).join(', ')}${f.models.length > 3 ? '…' : ''}`}</span></span>
        </label>
      ))}
    </fieldset>
  );
}

interface FieldsProps { choice: Choice; known: KnownProvider[]; models: string[]; onChange(fields: Partial<Choice>): void; onReplace(choice: Choice): void }

function Fields({ choice, known, models, onChange, onReplace }: FieldsProps) {
  const listed = known.some((p) => p.name === choice.name);
  const pick = (name: string) => {
    const provider = known.find((p) => p.name === name);
    onReplace(provider ? ofKnown(provider, '') : { ...BLANK, model: choice.model });
  };
  return (
    <fieldset class="fields">
      <legend>{t.setup.other}</legend>
      <SelectField label={t.setup.provider} value={listed ? choice.name : ''} options={[...known.map((p) => [p.name, p.label] as const), ['', t.setup.custom] as const]} onChoose={pick} />
      {!listed && <SelectField label={t.setup.kind} value={choice.kind} options={kindOptions()} onChoose={(kind) => onChange({ kind })} />}
      <TextField label={t.setup.baseUrl} type="url" inputMode="url" placeholder="http://127.0.0.1:8000/v1" value={choice.base_url} onText={(base_url) => onChange({ base_url, env: '' })} />
      <TextField label={t.setup.apiKey} type="password" placeholder={choice.env ? t.setup.keyFrom(choice.env) : t.setup.keyHint} value={choice.api_key} onText={(api_key) => onChange({ api_key })} />
      <ModelField value={choice.model} known={models} provider={choice.base_url ? providerOf(choice) : null} resolve={() => providerToAsk(choice)} required onModel={(model, window) => onChange({ model, window })} />
    </fieldset>
  );
}
