/** Commands that are typed into the message field: what a text means, and what can be offered while it is typed. */

export interface Named { name: string; model: string; provider: string; is_default: boolean }

export type Command = { kind: 'model'; name: string } | { kind: 'complete'; text: string };

export const COMMANDS = ['model'] as const;
export type CommandName = typeof COMMANDS[number];

/** The command that Enter runs; null for text that is a message, also when it begins with a slash. */
export function commandOf(text: string): Command | null {
  const trimmed = text.trim();
  const model = /^\/model(?:\s+([\s\S]*))?$/i.exec(trimmed);
  if (model) return { kind: 'model', name: (model[1] ?? '').trim() };
  const begun = /^\/([a-z]*)$/i.exec(trimmed)?.[1]?.toLowerCase();
  const command = begun === undefined ? undefined : COMMANDS.find((c) => c.startsWith(begun));
  return command ? { kind: 'complete', text: `/${command} ` } : null;
}

/** By its exact name, then by a name that fits in any case, then by the id of its model, if only one fits. */
export function findPreset<P extends Named>(presets: P[], name: string): P | undefined {
  const exact = presets.find((p) => p.name === name);
  if (exact) return exact;
  const wanted = name.toLowerCase();
  for (const field of ['name', 'model'] as const) {
    const fitting = presets.filter((p) => p[field].toLowerCase() === wanted);
    if (fitting.length > 0) return fitting.length === 1 ? fitting[0] : undefined;
  }
  return undefined;
}

export type Hint<P> = { kind: 'command'; name: CommandName; text: string } | { kind: 'preset'; preset: P; text: string };

/** What is offered below a text that begins with a slash. */
export function hintsFor<P extends Named>(text: string, presets: P[]): Hint<P>[] {
  if (text.includes('\n')) return [];
  const begun = /^\/([a-z]*)$/i.exec(text)?.[1]?.toLowerCase();
  if (begun !== undefined) return COMMANDS.filter((c) => c.startsWith(begun)).map((name) => ({ kind: 'command', name, text: `/${name} ` }));
  const name = /^\/model\s+(.*)$/i.exec(text)?.[1]?.trim().toLowerCase();
  if (name === undefined) return [];
  return presets.filter((p) => `${p.name} ${p.model} ${p.provider}`.toLowerCase().includes(name)).map((preset) => ({ kind: 'preset', preset, text: `/model ${preset.name}` }));
}
