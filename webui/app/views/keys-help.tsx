/** The list of keyboard shortcuts. */
import { signal } from '@preact/signals';
import { t } from '../i18n/index.ts';
import { Dialog } from '../parts/dialog.tsx';

export const helpShown = signal(false);

export function KeysHelp() {
  if (!helpShown.value) return null;
  return <Dialog title={t.keys.title} onClose={() => { helpShown.value = false; }}><dl class="keys">{t.keys.list.map(([keys, what]) => <div key={keys}><dt><kbd>{keys}</kbd></dt><dd>{what}</dd></div>)}</dl></Dialog>;
}
