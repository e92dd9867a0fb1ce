/** What the server wrote into the page: version, language, theme, limits. */
import type { Limits } from '../model/types.ts';

export type Theme = 'light' | 'dark' | 'system';
interface Boot { version: string; boot_id: string; theme: Theme; lang: string; limits: Limits; needs_login: boolean }

const DEFAULTS: Boot = { version: '', boot_id: '', theme: 'system', lang: 'en', limits: { max_frame_bytes: 1_048_576, max_message_chars: 200_000 }, needs_login: false };

function read(): Boot {
  try { return { ...DEFAULTS, ...JSON.parse(document.getElementById('boot')?.textContent ?? '{}') as Partial<Boot> }; } catch { return DEFAULTS; }
}

export const boot = read();
