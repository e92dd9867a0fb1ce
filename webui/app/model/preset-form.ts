/** A preset as text fields, and back: what is typed is checked here before it is sent, and references follow a new name. */

export interface Price { input: number; cached?: number; output: number }
export interface PresetSettings {
  provider: string;
  model: string;
  context_window_tokens?: number;
  max_tokens?: number;
  temperature?: number;
  reasoning_effort?: string;
  price?: Price;
  fallbacks?: string[];
}

export const PRESET_FIELDS = ['name', 'provider', 'model', 'context_window_tokens', 'max_tokens', 'temperature', 'reasoning_effort', 'price.input', 'price.cached', 'price.output'] as const;
export type PresetField = typeof PRESET_FIELDS[number] | 'fallbacks';
export type PresetForm = Record<typeof PRESET_FIELDS[number], string> & { fallbacks: string[] };
export type FieldProblem = 'required' | 'taken' | 'long' | 'whole' | 'zero_to_two' | 'zero_or_more' | 'both_prices';
export type Problems<F extends string = string> = Partial<Record<F, string>>;

const MAX_NAME_CHARS = 64;
const text = (n: number | undefined): string => (n === undefined ? '' : String(n));

export function formOf(name: string, p: PresetSettings): PresetForm {
  return {
    name, provider: p.provider, model: p.model,
    context_window_tokens: text(p.context_window_tokens), max_tokens: text(p.max_tokens), temperature: text(p.temperature), reasoning_effort: p.reasoning_effort ?? '',
    'price.input': text(p.price?.input), 'price.cached': text(p.price?.cached), 'price.output': text(p.price?.output),
    fallbacks: [...p.fallbacks ?? []],
  };
}

/** "1,000,000", "1 000" and "128k" are meant as numbers too. */
export function numberOf(typed: string): number {
  const plain = typed.trim().replace(/(?<=\d)[\s,_](?=\d{3}(\D|$))/g, '');
  const big = /^(\d+(?:\.\d+)?)\s*([km])$/i.exec(plain);
  if (big) return Math.round(Number(big[1]) * (big[2]!.toLowerCase() === 'k' ? 1000 : 1_000_000));
  return /^\d*\.?\d+$|^\d+\.$/.test(plain) ? Number(plain) : NaN;
}

export function check(form: PresetForm, names: string[], oldName: string | null): Partial<Record<PresetField, FieldProblem>> {
  const out: Partial<Record<PresetField, FieldProblem>> = {};
  const given = (field: typeof PRESET_FIELDS[number]) => form[field].trim() !== '';
  const name = form.name.trim();
  if (name === '') out.name = 'required';
  else if ([...name].length > MAX_NAME_CHARS) out.name = 'long';
  else if (name !== oldName && names.includes(name)) out.name = 'taken';
  if (!given('provider')) out.provider = 'required';
  if (!given('model')) out.model = 'required';
  for (const field of ['context_window_tokens', 'max_tokens'] as const) {
    const n = numberOf(form[field]);
    if (given(field) && !(Number.isInteger(n) && n >= 1)) out[field] = 'whole';
  }
  if (given('temperature') && !(numberOf(form.temperature) >= 0 && numberOf(form.temperature) <= 2)) out.temperature = 'zero_to_two';
  const prices = ['price.input', 'price.cached', 'price.output'] as const;
  for (const field of prices) if (given(field) && !(numberOf(form[field]) >= 0)) out[field] = 'zero_or_more';
  if (prices.some(given)) for (const field of ['price.input', 'price.output'] as const) if (!given(field)) out[field] = 'both_prices';
  return out;
}

/** The settings that a checked form stands for. */
export function settingsOf(form: PresetForm): PresetSettings {
  const n = (field: typeof PRESET_FIELDS[number]) => (form[field].trim() === '' ? undefined : numberOf(form[field]));
  const window = n('context_window_tokens'), max = n('max_tokens'), temperature = n('temperature'), cached = n('price.cached'), input = n('price.input'), output = n('price.output');
  const effort = form.reasoning_effort.trim();
  return {
    provider: form.provider, model: form.model.trim(),
    ...(window !== undefined && { context_window_tokens: window }), ...(max !== undefined && { max_tokens: max }), ...(temperature !== undefined && { temperature }),
    ...(effort !== '' && { reasoning_effort: effort }),
    ...(input !== undefined && output !== undefined && { price: { input, ...(cached !== undefined && { cached }), output } }),
    fallbacks: form.fallbacks,
  };
}

type Presets = Record<string, PresetSettings>;

/** A new name takes the references along: that of the default, and the places in other presets' fallbacks. */
export function renamePatch(presets: Presets, from: string, to: string, after: PresetSettings, isDefault: boolean): object {
  const others = Object.entries(presets).filter(([name, p]) => name !== from && p.fallbacks?.includes(from));
  return {
    presets: {
      [from]: null,
      [to]: after,
      ...Object.fromEntries(others.map(([name, p]) => [name, { fallbacks: p.fallbacks!.map((f) => (f === from ? to : f)) }])),
    },
    ...(isDefault && { agent: { preset: to } }),
  };
}

/** A preset that goes leaves the fallbacks of the others too. */
export function removePatch(presets: Presets, name: string, isDefault: boolean): object {
  const others = Object.entries(presets).filter(([other, p]) => other !== name && p.fallbacks?.includes(name));
  return {
    presets: { [name]: null, ...Object.fromEntries(others.map(([other, p]) => [other, { fallbacks: p.fallbacks!.filter((f) => f !== name) }])) },
    ...(isDefault && { agent: { preset: null } }),
  };
}

/** A name that is not taken: "default" first, then the model's own name. */
export function freeName(model: string, taken: ReadonlySet<string>): string {
  if (!taken.has('default')) return 'default';
  const base = model.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'model';
  for (let n = 1; ; n++) { const name = n === 1 ? base : `${base}-${n}`; if (!taken.has(name)) return name; }
}

/** Which field of `section.NAME` an error is about, from its path in the configuration; names that are not bare are quoted there. */
export function fieldOf(path: string, section: string, name: string): string | null {
  for (const key of [name, JSON.stringify(name)]) {
    const start = `${section}.${key}`;
    if (path === start) return '';
    if (path.startsWith(`${start}.`)) return path.slice(start.length + 1).replace(/\[\d+\]$/, '');
  }
  return null;
}

export const moved = <T,>(list: T[], at: number, step: -1 | 1): T[] => {
  const out = [...list];
  const [item] = out.splice(at, 1);
  if (item !== undefined) out.splice(at + step, 0, item);
  return out;
};
