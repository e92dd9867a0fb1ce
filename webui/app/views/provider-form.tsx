/** The fields of a provider. Secrets are only set, replaced or removed here; they never come back from the server. */
import { useId, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { fieldOf } from '../model/preset-form.ts';
import { checkProvider, losesSecrets, providerForm, providerPatch, type Pair, type ProviderField, type ProviderForm as Form } from '../model/provider-form.ts';
import { FieldWords, focusProblem, SelectField, TextField } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { save } from '../state/settings.ts';
import type { ProviderView } from '../wire/api.ts';

export const KINDS = ['openai', 'openai-responses', 'anthropic'] as const;
export const kindOptions = (): [string, string][] => KINDS.map((k) => [k, t.models.kinds[k]!]);
const FIELDS: ProviderField[] = ['kind', 'base_url', 'api_key', 'proxy', 'extra_headers', 'extra_query', 'extra_body'];
const ADVANCED: ProviderField[] = ['extra_headers', 'extra_query', 'extra_body'];

interface Props { name: string; provider: ProviderView; onSaved(): void; onCancel(): void }

export function ProviderForm({ name, provider, onSaved, onCancel }: Props) {
  const [form, setForm] = useState<Form>(() => providerForm(provider));
  const [problems, setProblems] = useState<Partial<Record<ProviderField, string>>>({});
  const [failed, setFailed] = useState('');
  const [saving, setSaving] = useState(false);
  const [advanced, setAdvanced] = useState(form.headers.length + form.query.length > 0 || form.body !== '');
  const node = useRef<HTMLFormElement>(null);
  const m = t.models;

  const change = (fields: Partial<Form>, about: ProviderField) => {
    setForm((before) => ({ ...before, ...fields }));
    setProblems(({ [about]: _, ...rest }) => rest);
    setFailed('');
  };
  const refuse = (found: Partial<Record<ProviderField, string>>) => {
    setProblems(found);
    if (ADVANCED.some((f) => found[f])) setAdvanced(true);
    focusProblem(node.current);
  };
  const submit = async () => {
    const found = Object.entries(checkProvider(provider, form));
    if (found.length > 0) { refuse(Object.fromEntries(found.map(([field, why]) => [field, m.problems[why]]))); return; }
    const patch = providerPatch(provider, form);
    if (!patch) { onCancel(); return; }
    setSaving(true);
    const trouble = await save({ providers: { [name]: patch } }, `provider:${name}`);
    setSaving(false);
    if (!trouble) { onSaved(); return; }
    const field = fieldOf(trouble.path, 'providers', name);
    const known = FIELDS.find((f) => f === field || field?.startsWith(`${f}.`));
    if (known) refuse({ [known]: trouble.detail }); else setFailed(trouble.detail);
  };
  return (
    <form class="card-box" ref={node} noValidate aria-label={m.editProvider(name)} onSubmit={(e) => { e.preventDefault(); void submit(); }}>
      <div class="fields">
        <SelectField label={t.setup.kind} value={form.kind} problem={problems.kind} options={kindOptions()} onChoose={(kind) => change({ kind }, 'kind')} />
        <TextField
          label={t.setup.baseUrl} type="url" inputMode="url" value={form.base_url} problem={problems.base_url} warning={losesSecrets(provider, form) ? m.keyDropped : undefined}
          onText={(base_url) => change({ base_url }, 'base_url')}
        />
        <KeyField provider={provider} form={form} problem={problems.api_key} onChange={(fields) => change(fields, 'api_key')} />
        <TextField label={m.proxy} type="url" inputMode="url" placeholder={m.proxyNone} value={form.proxy} problem={problems.proxy} onText={(proxy) => change({ proxy }, 'proxy')} />
      </div>
      <details class="fold" open={advanced} onToggle={(e) => setAdvanced(e.currentTarget.open)}>
        <summary>{m.advanced}</summary>
        <div class="advanced">
          <Pairs label={m.headers} note={m.headersNote} add={m.addHeader} secret pairs={form.headers} problem={problems.extra_headers} onChange={(headers) => change({ headers }, 'extra_headers')} />
          <Pairs label={m.query} note={m.queryNote} add={m.addQuery} pairs={form.query} problem={problems.extra_query} onChange={(query) => change({ query }, 'extra_query')} />
          <BodyField value={form.body} problem={problems.extra_body} onText={(body) => change({ body }, 'extra_body')} />
        </div>
      </details>
      {failed && <p class="note err" role="alert">{failed}</p>}
      <div class="row">
        <button type="submit" class="go" disabled={saving}>{saving ? t.setup.saving : t.save}</button>
        <button type="button" class="line" onClick={onCancel}>{t.cancel}</button>
      </div>
    </form>
  );
}

interface KeyProps { provider: ProviderView; form: Form; problem?: string | undefined; onChange(fields: Partial<Form>): void }

function KeyField({ provider, form, problem, onChange }: KeyProps) {
  const m = t.models;
  const has = provider.api_key_set || provider.api_key_env !== undefined;
  if (!has || form.key === 'replace') {
    return <TextField
      label={t.setup.apiKey} type="password" value={form.api_key} problem={problem} placeholder={m.keyPlaceholder} note={m.keyNote}
      onText={(api_key) => onChange({ api_key, key: has || api_key !== '' ? 'replace' : 'keep' })}
      beside={has && <button type="button" class="line" onClick={() => onChange({ key: 'keep', api_key: '' })}>{m.keepKey}</button>}
    />;
  }
  const state = provider.api_key_env !== undefined ? t.settings.keyFrom(provider.api_key_env) : t.settings.keySet;
  return (
    <div class="field" role="group" aria-label={t.setup.apiKey}>
      <span>{t.setup.apiKey}</span>
      <div class="field-line key-state">
        <span>{form.key === 'remove' ? m.keyRemoved : state}</span>
        {form.key === 'remove'
          ? <button type="button" class="line" onClick={() => onChange({ key: 'keep' })}>{t.undo}</button>
          : <>
            <button type="button" class="line" aria-label={m.replaceKey} onClick={() => onChange({ key: 'replace' })}>{m.replace}</button>
            <button type="button" class="line" aria-label={m.removeKey} onClick={() => onChange({ key: 'remove' })}>{t.remove}</button>
          </>}
      </div>
    </div>
  );
}

interface PairsProps { label: string; note: string; add: string; secret?: boolean; pairs: Pair[]; problem?: string | undefined; onChange(pairs: Pair[]): void }

function Pairs({ label, note, add, secret = false, pairs, problem, onChange }: PairsProps) {
  const id = useId();
  const box = useRef<HTMLFieldSetElement>(null);
  const set = (at: number, pair: Pair) => onChange(pairs.map((p, i) => (i === at ? pair : p)));
  const grow = () => {
    onChange([...pairs, { name: '', value: '' }]);
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('.pair:last-of-type input')?.focus());
  };
  const drop = (at: number) => {
    onChange(pairs.filter((_, i) => i !== at));
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('[data-add]')?.focus());
  };
  return (
    <fieldset class="pairs" ref={box} aria-describedby={`${id}-note`}>
      <legend>{label}</legend>
      <FieldWords id={id} note={note} />
      {pairs.map((pair, i) => (
        <div class="pair" key={i}>
          <input
            aria-label={`${label}: ${t.models.pairName}`} placeholder={t.models.pairName} autocomplete="off" spellcheck={false} value={pair.name} readOnly={pair.stored === true}
            aria-invalid={problem && !pair.stored && (pair.name === '' || pair.value !== '') ? true : undefined} onInput={(e) => set(i, { ...pair, name: e.currentTarget.value })}
          />
          {pair.stored
            ? <><span class="quiet">{t.models.valueSet}</span><button type="button" class="line" aria-label={t.models.replaceOf(pair.name)} onClick={() => set(i, { name: pair.name, value: '' })}>{t.models.replace}</button></>
            : <input
              aria-label={`${label}: ${t.models.pairValue}`} placeholder={t.models.pairValue} {...{ type: secret ? 'password' : 'text' } as object} autocomplete="off" spellcheck={false} value={pair.value}
              aria-invalid={problem && pair.name !== '' && pair.value === '' ? true : undefined} onInput={(e) => set(i, { ...pair, value: e.currentTarget.value })}
            />}
          <button type="button" class="icon-button" aria-label={t.models.removePair(pair.name)} onClick={() => drop(i)}><Icon name="close" /></button>
        </div>
      ))}
      <FieldWords id={id} problem={problem} />
      <button type="button" class="line" data-add onClick={grow}>{add}</button>
    </fieldset>
  );
}

function BodyField({ value, problem, onText }: { value: string; problem?: string | undefined; onText(text: string): void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{t.models.body}</label>
      <textarea id={id} rows={4} class="mono" spellcheck={false} placeholder={'{ "top_k": 20 }'} value={value} aria-invalid={problem ? true : undefined} aria-describedby={`${problem ? `${id}-problem ` : ''}${id}-note`} onInput={(e) => onText(e.currentTarget.value)} />
      <FieldWords id={id} problem={problem} note={t.models.bodyNote} />
    </div>
  );
}
