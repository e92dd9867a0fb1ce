/** The server's settings as this page knows them: read once, changed by patches, the last change can be taken back. */
import { signal } from '@preact/signals';
import { t } from '../i18n/index.ts';
import { inverse } from '../model/merge-patch.ts';
import { api, ApiError, type Settings } from '../wire/api.ts';
import { announce } from './announce.ts';
import { describe, readPresets, readSetup } from './app.ts';

export const settings = signal<Settings | null>(null);
export const settingsFailed = signal(false);

/** What was saved last, where on the page that is said, and the patch that takes it back. */
export interface Saved { place: string; undo?: object }
export const saved = signal<Saved | null>(null);

export interface Trouble { detail: string; path: string }

export async function readSettings(): Promise<void> {
  try { settings.value = await api.settings(); settingsFailed.value = false; } catch (error) { describe(error); settingsFailed.value = settings.peek() === null; }
}

/** Null when it is saved; otherwise why not, and which key is the reason. Secrets never come back, so a change of providers has no undo. */
export async function save(patch: object, place: string): Promise<Trouble | null> {
  saved.value = null;
  const before = settings.peek();
  try {
    settings.value = await api.patchSettings(patch);
    saved.value = { place, ...(before && !('providers' in patch) && { undo: inverse(before, patch) as object }) };
    announce(t.settings.saved);
    await readPresets();
    void readSetup();
    return null;
  } catch (error) {
    const { detail } = describe(error);
    return { detail: plain(detail), path: error instanceof ApiError ? error.path : '' };
  }
}

export async function undo(): Promise<Trouble | null> {
  const last = saved.peek();
  if (!last?.undo) return null;
  const trouble = await save(last.undo, last.place);
  if (trouble === null) saved.value = { place: last.place };
  return trouble;
}

/** Without the name of the file and the key, which the field beside it shows. */
const plain = (detail: string): string => detail.replace(/^.*?, line \d+: (?:`[^`]*` )?/, '').replace(/^[a-z_]+\.\S+: /, '');
