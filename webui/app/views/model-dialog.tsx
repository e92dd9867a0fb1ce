/** Sets up a model without leaving the conversation, from a turn that had none. */
import { signal } from '@preact/signals';
import { lazy, Suspense } from 'preact/compat';
import { t } from '../i18n/index.ts';
import { Dialog } from '../parts/dialog.tsx';

export const modelDialog = signal<{ onDone(): void } | null>(null);
export const ModelSetup = lazy(() => import('./pages.ts').then((m) => m.ModelSetup));

export function ModelDialog() {
  const now = modelDialog.value;
  if (!now) return null;
  const close = () => { modelDialog.value = null; };
  return <Dialog title={t.setup.title} onClose={close} class="wide"><Suspense fallback={null}><ModelSetup onDone={() => { close(); now.onDone(); }} /></Suspense></Dialog>;
}
