/** What a tool row says: which verb, and which object out of the tool's arguments. */
import type { ProviderToolPart, ToolPart } from './types.ts';

export type Verb = 'read' | 'edit' | 'look' | 'grep' | 'run' | 'search' | 'open' | 'delegate' | 'schedule' | 'send' | 'recall' | 'draw' | 'use';

const VERBS: Record<string, Verb> = {
  read_file: 'read', write_file: 'edit', edit_file: 'edit', apply_patch: 'edit', list_dir: 'look', find_files: 'look', grep: 'grep',
  exec: 'run', write_stdin: 'run', web_search: 'search', web_fetch: 'open', spawn: 'delegate', cron: 'schedule', message: 'send',
  send_session_message: 'send', search_sessions: 'recall', read_session: 'recall', generate_image: 'draw',
};

export const verbOf = (name: string): Verb => VERBS[name] ?? 'use';

export type ProviderVerb = 'search' | 'open' | 'run' | 'draw' | 'grep' | 'use';

/** Providers name the same tool differently, as in `web_search_20250305` and `web_search_call`. */
export function providerVerb(name: string): ProviderVerb {
  const plain = name.toLowerCase();
  if (/web.?search|google.?search|browser.?search/.test(plain)) return 'search';
  if (/fetch|url.?context|open.?page/.test(plain)) return 'open';
  if (/code|interpreter|bash|shell/.test(plain)) return 'run';
  if (/image/.test(plain)) return 'draw';
  if (/file.?search/.test(plain)) return 'grep';
  return 'use';
}

export function providerObject(part: ProviderToolPart): string {
  if (typeof part.arguments === 'string') return oneLine(part.arguments);
  const args: Args = typeof part.arguments === 'object' && part.arguments !== null ? part.arguments as Args : {};
  const found = ['query', 'queries', 'url', 'code', 'command', ...OBJECT_KEYS].map((k) => args[k]).map((v) => (Array.isArray(v) ? v[0] : v)).find((v) => typeof v === 'string' && v !== '') as string | undefined;
  const verb = providerVerb(part.name);
  if (found === undefined) return verb === 'use' ? part.name : '';
  return verb === 'search' || verb === 'grep' ? quoted(found) : verb === 'open' ? hostPath(found) : oneLine(found);
}

type Args = Record<string, unknown>;
const OBJECT_KEYS = ['path', 'file_path', 'pattern', 'query', 'command', 'cmd', 'url', 'label', 'name', 'title', 'prompt'];

export function objectOf(part: ToolPart): string {
  const args: Args = typeof part.arguments === 'object' && part.arguments !== null ? part.arguments as Args : {};
  const verb = verbOf(part.name);
  const value = (key: string): string => (typeof args[key] === 'string' ? args[key] : typeof args[key] === 'number' ? String(args[key]) : '');
  const first = () => OBJECT_KEYS.map(value).find((v) => v !== '') ?? '';
  switch (verb) {
    case 'read': {
      if (part.hint) return shorten(part.hint);
      const from = value('offset') || value('start_line');
      return shorten(value('path') || first()) + (from ? `:${from}` : '');
    }
    case 'look': return shorten(value('pattern') || value('path') || first() || '.');
    case 'grep': return quoted(value('pattern') || first());
    case 'search': case 'recall': return quoted(value('query') || first());
    case 'run': return oneLine(value('command') || value('cmd') || first());
    case 'open': return hostPath(value('url') || first());
    case 'use': return part.name;
    default: return shorten(oneLine(first()));
  }
}

const quoted = (text: string): string => (text ? `"${clip(oneLine(text), 60)}"` : '');
const oneLine = (text: string): string => clip(text.split('\n').find((line) => line.trim() !== '')?.trim() ?? '', 120);
const clip = (text: string, max: number): string => (text.length <= max ? text : `${[...text].slice(0, max - 1).join('')}…`);

/** Long paths lose their middle: the folder they start in and the file matter most. */
export function shorten(path: string, max = 56): string {
  const letters = [...path];
  if (letters.length <= max) return path;
  const tail = Math.ceil(max * 0.65);
  return `${letters.slice(0, max - tail - 1).join('')}…${letters.slice(-tail).join('')}`;
}

function hostPath(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return shorten(host + (pathname === '/' ? '' : pathname));
  } catch { return shorten(url); }
}

export type Mark = 'live' | 'ok' | 'bad' | 'wait' | 'off';

export function markOf(part: ToolPart): Mark {
  switch (part.status) {
    case 'running': return 'live';
    case 'waiting': return 'wait';
    case 'ok': return 'ok';
    case 'error': case 'denied': return 'bad';
    default: return 'off';
  }
}
