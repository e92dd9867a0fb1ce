/** "Saved", and for a moment the way back, at the place where something was changed. */
import { useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { saved, undo } from '../state/settings.ts';

export function Saved({ place }: { place: string }) {
  const [failed, setFailed] = useState('');
  const last = saved.value;
  if (failed) return <span class="saved problem" role="alert">{failed}</span>;
  if (last?.place !== place) return null;
  return <span class="saved">{t.settings.saved}{last.undo && <button type="button" class="small" onClick={() => void undo().then((trouble) => setFailed(trouble?.detail ?? ''))}>{t.undo}</button>}</span>;
}
