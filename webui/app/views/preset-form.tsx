/** Everything about one model that can be changed, in place. What was typed stays when the server refuses it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { difference } from '../model/merge-patch.ts';
import { check, fieldOf, formOf, freeName, PRESET_FIELDS, renamePatch, settingsOf, type PresetField, type PresetForm as Form, type PresetSettings } from '../model/preset-form.ts';
import { focusProblem, SelectField, TextField } from '../parts/field.tsx';
import { save } from '../state/settings.ts';
import type { Settings } from '../wire/api.ts';
import { Fallbacks } from './fallbacks.tsx';
import { ModelField } from './model-field.tsx';
import { TestWords, useTest } from './test-result.tsx';

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high'];

interface Props {
  settings: Settings;
  /** The preset that is changed; null for a new one. */
  name: string | null;
  first: { name: string; preset: PresetSettings };
  isDefault: boolean;
  onSaved(name: string): void;
  onCancel(): void;
}

export function PresetForm({ settings, name, first, isDefault, onSaved, onCancel }: Props) {
  const [form, setForm] = useState<Form>(() => formOf(first.name, first.preset));
  const [problems, setProblems] = useState<Partial<Record<PresetField, string>>>({});
  const [failed, setFailed] = useState('');
  const [saving, setSaving] = useState(false);
  /** The window came from the provider's list, so another model may replace it. */
  const [windowFilled, setWindowFilled] = useState(false);
  const node = useRef<HTMLFormElement>(null);
  const test = useTest();
  const m = t.models;
  const names = Object.keys(settings.presets);
  const suggested = name === null ? freeName(form.model, new Set(names)) : '';
  useEffect(() => { if (name === null) node.current?.querySelector('input')?.focus(); }, []);

  const change = (fields: Partial<Form>) => {
    setForm((before) => ({ ...before, ...fields }));
    setProblems((before) => Object.fromEntries(Object.entries(before).filter(([field]) => !(field in fields))));
    setFailed('');
    if ('model' in fields || 'provider' in fields) test.clear();
  };
  const refuse = (found: Partial<Record<PresetField, string>>) => { setProblems(found); focusProblem(node.current); };

  const submit = async () => {
    const filled = { ...form, name: form.name.trim() || suggested };
    const found = Object.entries(check(filled, names, name));
    if (found.length > 0) { refuse(Object.fromEntries(found.map(([field, why]) => [field, m.problems[why]]))); return; }
    const to = filled.name;
    const after = settingsOf(form);
    const before = name === null ? undefined : settings.presets[name];
    const patch = name !== null && name !== to
      ? renamePatch(settings.presets, name, to, after, isDefault)
      : { presets: { [to]: before ? difference(before, after) : after } };
    if (name === to && difference(before, after) === undefined) { onCancel(); return; }
    setSaving(true);
    const trouble = await save(patch, `preset:${to}`);
    setSaving(false);
    if (!trouble) { onSaved(to); return; }
    const field = fieldOf(trouble.path, 'presets', to);
    const known = field === 'price' ? 'price.input' : field === 'fallbacks' ? field : PRESET_FIELDS.find((f) => f === field);
    if (known) refuse({ [known]: trouble.detail }); else setFailed(trouble.detail);
  };

  const text = (field: typeof PRESET_FIELDS[number], label: string, more: { placeholder?: string; required?: boolean; note?: string; inputMode?: 'numeric' | 'decimal'; words?: { value: string }[] } = {}) => (
    <TextField label={label} value={form[field]} problem={problems[field]} onText={(value) => change({ [field]: value })} {...more} />
  );
  const providers = Object.keys(settings.providers);
  const offered = providers.includes(form.provider) || form.provider === '' ? providers : [form.provider, ...providers];
  return (
    <form class="card-box" ref={node} noValidate aria-label={name === null ? m.newPreset : m.editPreset(name)} onSubmit={(e) => { e.preventDefault(); void submit(); }}>
      <div class="fields">
        {text('name', m.name, name === null ? { placeholder: suggested } : form.name.trim() !== name ? { note: m.renameNote(name) } : {})}
        <SelectField label={t.setup.provider} value={form.provider} problem={problems.provider} options={[...(form.provider === '' ? [['', ''] as const] : []), ...offered.map((p) => [p, p] as const)]} onChoose={(provider) => change({ provider })} />
        <ModelField
          value={form.model} provider={providers.includes(form.provider) ? form.provider : null} problem={problems.model} required
          onModel={(model, window) => {
            const mayFill = windowFilled || form.context_window_tokens.trim() === '';
            change({ model, ...(mayFill && { context_window_tokens: window === undefined ? '' : String(window) }) });
            setWindowFilled(mayFill && window !== undefined);
          }}
        />
        {text('context_window_tokens', m.window, { placeholder: m.windowAssumed, inputMode: 'numeric' })}
        {text('max_tokens', m.maxTokens, { placeholder: m.maxTokensDefault, inputMode: 'numeric' })}
        {text('temperature', m.temperature, { placeholder: m.providerDefault, inputMode: 'decimal' })}
        {text('reasoning_effort', m.effort, { placeholder: m.providerDefault, words: EFFORTS.map((value) => ({ value })) })}
      </div>
      <fieldset class="fields three">
        <legend>{m.price}</legend>
        {text('price.input', m.priceInput, { inputMode: 'decimal' })}
        {text('price.cached', m.priceCached, { inputMode: 'decimal', placeholder: m.priceCachedDefault })}
        {text('price.output', m.priceOutput, { inputMode: 'decimal' })}
      </fieldset>
      <Fallbacks of={name ?? form.name} value={form.fallbacks} problem={problems.fallbacks} onChange={(fallbacks) => change({ fallbacks })} />
      {failed && <p class="note err" role="alert">{failed}</p>}
      <div class="row">
        <button type="submit" class="go" disabled={saving}>{saving ? t.setup.saving : t.save}</button>
        <button type="button" class="line" disabled={test.busy || !form.model || !form.provider} onClick={() => void test.run(form.provider, form.model.trim())}>{test.busy ? t.setup.testing : t.setup.test}</button>
        <button type="button" class="line" onClick={onCancel}>{t.cancel}</button>
      </div>
      <TestWords test={{ ...test, busy: false }} />
    </form>
  );
}
