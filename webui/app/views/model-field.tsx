/** The name of a model, with the names that the provider itself gives as suggestions. */
import { useEffect, useState } from 'preact/hooks';
import { short, t } from '../i18n/index.ts';
import { TextField } from '../parts/field.tsx';
import { describe } from '../state/app.ts';
import { api, type ModelInfo, type ProviderDraft } from '../wire/api.ts';

interface Props {
  value: string;
  /** `window` is the size of the model's window, when its provider says it. */
  onModel(model: string, window: number | undefined): void;
  /** A configured provider by name, one that is not saved yet, or none so far. */
  provider: string | ProviderDraft | null;
  /** What is to be asked in its place, when that has to be looked up first. */
  resolve?(): Promise<string | ProviderDraft>;
  /** Names that are known without asking. */
  known?: string[];
  problem?: string | undefined;
  required?: boolean;
}

type State = 'idle' | 'loading' | { found: number } | { failed: string };

/** A saved provider is asked when the field is entered. One that is still being typed is asked on demand only, so that no key goes to half an address. */
export function ModelField({ value, onModel, provider, resolve, known = [], problem, required }: Props) {
  const [items, setItems] = useState<ModelInfo[]>([]);
  const [state, setState] = useState<State>('idle');
  const key = JSON.stringify(provider);
  useEffect(() => { setItems([]); setState('idle'); }, [key]);
  const load = async () => {
    if (provider === null || state === 'loading') return;
    setState('loading');
    try {
      const page = await api.providerModels(resolve ? await resolve() : provider);
      setItems(page.items);
      setState({ found: page.items.length });
    } catch (error) { setState({ failed: describe(error).detail }); }
  };
  const windowOf = (model: string) => items.find((m) => m.id === model)?.context_window_tokens ?? undefined;
  const ids = new Set(items.map((m) => m.id));
  const words = [...items.map((m) => ({ value: m.id, ...(m.context_window_tokens && { label: t.settings.window(short(m.context_window_tokens), false) }) })), ...known.filter((m) => !ids.has(m)).map((m) => ({ value: m }))];
  const note = state === 'loading' ? t.models.listing : state === 'idle' ? undefined : 'found' in state ? t.models.listed(state.found) : t.models.listFailed(state.failed);
  return (
    <TextField
      label={t.setup.model} value={value} required={required} placeholder={t.setup.modelHint} problem={problem} note={note} words={words}
      onFocus={() => { if (typeof provider === 'string' && state === 'idle') void load(); }}
      onText={(model) => onModel(model, windowOf(model.trim()))}
      beside={provider !== null && <button type="button" class="line" disabled={state === 'loading'} onClick={() => void load()}>{t.models.list}</button>}
    />
  );
}
