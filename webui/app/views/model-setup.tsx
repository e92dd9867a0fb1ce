/** Sets up a model: pick what was found or enter a provider, test it with one real request, save it. */
import { useEffect, useState } from 'preact/hooks';
import { duration, t } from '../i18n/index.ts';
import { describe, presets, readPresets, readSetup, setup } from '../state/app.ts';
import { api, type Found, type KnownProvider, type Settings, type TestResult } from '../wire/api.ts';

export interface Choice { name: string; kind: string; base_url: string; api_key: string; env: string; model: string }

const BLANK: Choice = { name: 'custom', kind: 'openai', base_url: '', api_key: '', env: '', model: '' };
/** The protocols that a server of this version can speak to a provider. */
const KINDS = ['openai'];

const ofFound = (f: Found): Choice => ({ ...BLANK, name: f.provider, kind: f.kind, base_url: f.base_url, env: f.source === 'key' ? f.env ?? '' : '', model: f.models[0] ?? '' });
const ofKnown = (p: KnownProvider, model: string): Choice => ({ ...BLANK, name: p.name, kind: p.kind, base_url: p.base_url, model });

/** A key in the environment is named, never copied: the server resolves it. */
const keyOf = (c: Choice): string => c.api_key || (c.env ? `\${${c.env}}` : '');
const providerOf = (c: Choice) => ({ kind: c.kind, ...(c.base_url && { base_url: c.base_url }), ...(keyOf(c) && { api_key: keyOf(c) }) });

type Configured = Settings['providers'][string];
const address = (url = ''): string => url.trim().replace(/\/+$/, '');
const isSame = (c: Choice, p: Configured): boolean => p.kind === c.kind && address(p.base_url) === address(c.base_url) && !c.api_key && (!c.env || c.env === p.api_key_env);

/** Where the choice belongs: the configured provider that is the very same, or a name that is free. What is configured is never changed, so no key goes to another address. */
async function placeOf(choice: Choice): Promise<{ name: string; made: boolean }> {
  const { providers } = await api.settings();
  for (let n = 1; ; n++) {
    const name = n === 1 ? choice.name : `${choice.name}-${n}`;
    const have = Object.hasOwn(providers, name) ? providers[name] : undefined;
    if (!have || isSame(choice, have)) return { name, made: have !== undefined };
  }
}

async function save(choice: Choice, preset: string, makeDefault: boolean): Promise<void> {
  const { name, made } = await placeOf(choice);
  await api.patchSettings({
    ...(!made && { providers: { [name]: providerOf(choice) } }),
    presets: { [preset]: { provider: name, model: choice.model } },
    ...(makeDefault && { agent: { preset } }),
  });
  await Promise.all([readPresets(), readSetup()]);
}

export async function saveDemo(): Promise<void> {
  const { provider, model } = setup.peek()?.demo ?? { provider: 'demo', model: 'demo' };
  await api.patchSettings({ providers: { [provider]: { kind: 'demo' } }, presets: { demo: { provider, model } }, agent: { preset: 'demo' } });
  await Promise.all([readPresets(), readSetup()]);
}

/** A name for the preset that is not taken: "default" first, then the model's own name. */
function freeName(model: string): string {
  const taken = new Set(presets.peek().map((p) => p.name));
  if (!taken.has('default')) return 'default';
  const base = model.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '') || 'model';
  for (let n = 1; ; n++) { const name = n === 1 ? base : `${base}-${n}`; if (!taken.has(name)) return name; }
}

interface Props { onDone(): void; named?: boolean; demo?: boolean }

export function ModelSetup({ onDone, named = false, demo = true }: Props) {
  const offered = setup.value;
  const known = offered?.providers.filter((p) => p.available && KINDS.includes(p.kind)) ?? [];
  const found = offered?.found.filter((f) => KINDS.includes(f.kind)) ?? null;
  const [choice, setChoice] = useState<Choice>(BLANK);
  const [preset, setPreset] = useState('');
  const [makeDefault, setMakeDefault] = useState(!named);
  const [result, setResult] = useState<TestResult | null>(null);
  const [busy, setBusy] = useState<'' | 'test' | 'save'>('');
  const [error, setError] = useState('');
  useEffect(() => { void readSetup(); }, []);
  useEffect(() => {
    const first = found?.find((f) => f.models.length > 0) ?? found?.[0];
    if (choice !== BLANK || !offered) return;
    if (first) setChoice(ofFound(first)); else if (known[0]) setChoice(ofKnown(known[0], ''));
  }, [offered]);

  const change = (fields: Partial<Choice>) => { setChoice({ ...choice, ...fields }); setResult(null); setError(''); };
  const replace = (next: Choice) => { setChoice(next); setResult(null); setError(''); };
  const guarded = async (what: 'test' | 'save', action: () => Promise<void>) => {
    if (!choice.model.trim()) { setError(t.setup.needModel); return; }
    setBusy(what);
    setError('');
    try { await action(); } catch (e) { setError(describe(e).detail); }
    setBusy('');
  };
  const test = () => guarded('test', async () => {
    setResult(null);
    const { name, made } = await placeOf(choice);
    setResult(await api.testProvider({ provider: made ? name : providerOf(choice), model: choice.model.trim() }));
  });
  const store = () => guarded('save', async () => {
    const clean = { ...choice, model: choice.model.trim() };
    await save(clean, preset.trim() || freeName(clean.model), makeDefault);
    onDone();
  });
  const tryDemo = async () => {
    setBusy('save');
    try { await saveDemo(); onDone(); } catch (e) { setError(describe(e).detail); }
    setBusy('');
  };

  return (
    <form class="setup" onSubmit={(e) => { e.preventDefault(); void store(); }}>
      <FoundList found={found} choice={choice} onChoose={replace} />
      <Fields choice={choice} known={known} models={found?.find((f) => f.provider === choice.name)?.models ?? []} onChange={change} onReplace={replace} />
      {named && <>
        <label class="field"><span>{t.setup.name}</span><input value={preset} placeholder={freeName(choice.model)} onInput={(e) => setPreset(e.currentTarget.value)} /></label>
        <label class="check"><input type="checkbox" checked={makeDefault} onChange={(e) => setMakeDefault(e.currentTarget.checked)} />{t.setup.makeDefault}</label>
      </>}
      <div class="row">
        <button type="button" class="line" disabled={busy !== ''} onClick={() => void test()}>{busy === 'test' ? t.setup.testing : t.setup.test}</button>
        <button type="submit" class="go" disabled={busy !== ''}>{busy === 'save' ? t.setup.saving : named ? t.save : t.setup.save}</button>
      </div>
      <div role="status">
        {result && (result.ok ? <p class="note ok">{t.setup.ok(duration(result.latency_ms))}{result.text && <> — <q dir="auto">{result.text.slice(0, 120)}</q></>}</p> : <p class="note err">{t.setup.failed(result.error.detail || result.error.code)}</p>)}
        {error && <p class="note err">{error}</p>}
      </div>
      {demo && <div class="demo"><button type="button" class="line" disabled={busy !== ''} onClick={() => void tryDemo()}>{t.setup.demo}</button><span class="quiet">{t.setup.demoNote}</span></div>}
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
      <label class="field"><span>{t.setup.provider}</span>
        <select value={listed ? choice.name : ''} onChange={(e) => pick(e.currentTarget.value)}>
          {known.map((p) => <option key={p.name} value={p.name}>{p.label}</option>)}
          <option value="">{t.setup.custom}</option>
        </select>
      </label>
      {KINDS.length > 1 && <label class="field"><span>{t.setup.kind}</span>
        <select value={choice.kind} onChange={(e) => onChange({ kind: e.currentTarget.value })}>{KINDS.map((k) => <option key={k} value={k}>{t.setup.kinds[k]}</option>)}</select>
      </label>}
      <label class="field"><span>{t.setup.baseUrl}</span><input type="url" inputMode="url" autocomplete="off" spellcheck={false} placeholder="http://127.0.0.1:8000/v1" value={choice.base_url} onInput={(e) => onChange({ base_url: e.currentTarget.value, env: '' })} /></label>
      <label class="field"><span>{t.setup.apiKey}</span><input type="password" autocomplete="off" placeholder={choice.env ? t.setup.keyFrom(choice.env) : t.setup.keyHint} value={choice.api_key} onInput={(e) => onChange({ api_key: e.currentTarget.value })} /></label>
      <label class="field"><span>{t.setup.model}</span><input list="models" autocomplete="off" spellcheck={false} required placeholder={t.setup.modelHint} value={choice.model} onInput={(e) => onChange({ model: e.currentTarget.value })} /></label>
      <datalist id="models">{models.map((m) => <option key={m} value={m} />)}</datalist>
    </fieldset>
  );
}
