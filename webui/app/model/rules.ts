/** Permission rules as the settings edit them: what is checked before it is sent, and where an error belongs. */

export type Verdict = 'allow' | 'ask' | 'deny';
export const VERDICTS: readonly Verdict[] = ['allow', 'ask', 'deny'];
export interface Rule { tool: string; match: string; decision: Verdict }

export type RuleField = 'tool' | 'match' | 'decision';

/** A rule as it is stored: without outer spaces, an empty match stands for anything. */
export const ruleOf = (form: Rule): Rule => ({ tool: form.tool.trim(), match: form.match.trim() || '*', decision: form.decision });

/** `*` stands for any text; everything else for itself. */
export function globMatches(glob: string, text: string): boolean {
  const [first = '', ...rest] = glob.split('*');
  if (rest.length === 0) return glob === text;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > text.length - last.length) return false;
    at = found + piece.length;
  }
  return true;
}

/** The place of an earlier rule that takes everything this one is about; -1 when this one counts. What a glob matches as text, it matches whatever the stars in that text stand for. */
export function shadowedBy(rules: Rule[], at: number): number {
  const rule = rules[at];
  return rule ? rules.slice(0, at).findIndex((r) => globMatches(r.tool, rule.tool) && globMatches(r.match, rule.match)) : -1;
}

/** Which rule and which of its fields an error is about, from its path in the configuration. */
export function rulePlace(path: string): { at: number; field: RuleField | null } | null {
  const found = /^permissions(?:\[|\.)(\d+)\]?(?:\.(tool|match|decision))?/.exec(path);
  return found ? { at: Number(found[1]), field: (found[2] as RuleField | undefined) ?? null } : null;
}
