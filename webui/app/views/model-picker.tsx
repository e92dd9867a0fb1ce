/** Chooses another model for the open session: from `/model`, and from a turn that its model could not answer. */
import { signal } from '@preact/signals';
import { count, t } from '../i18n/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { choosePreset, newPreset, presetOf } from '../state/actions.ts';
import { open, presets } from '../state/app.ts';

export const modelPicker = signal<{ onChosen?(): void } | null>(null);

export function ModelPicker() {
  const now = modelPicker.value;
  if (!now) return null;
  const close = () => { modelPicker.value = null; };
  const current = presetOf(open.value ? open.value.view.preset : newPreset.value)?.name;
  const choose = async (name: string) => {
    close();
    if (await choosePreset(name)) now.onChosen?.();
  };
  return (
    <Dialog title={t.picker.title} onClose={close}>
      {presets.value.length === 0 && <p>{t.settings.noPresets}</p>}
      <ul class="choices">{presets.value.map((p) => (
        <li key={p.name}>
          <button type="button" class="choice" aria-pressed={p.name === current} {...(p.name === current && { 'data-first': true })} onClick={() => void choose(p.name)}>
            <b>{p.model}</b><span class="quiet">{p.name} · {p.provider} · {t.settings.window(count(p.context_window_tokens), p.context_window_assumed)}</span>
          </button>
        </li>
      ))}</ul>
      <p><a href="/settings/models" onClick={close}>{t.picker.manage}</a></p>
    </Dialog>
  );
}
