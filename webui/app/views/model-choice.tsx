/** Chooses the model of this session, or of the one that is about to begin. */
import { t } from '../i18n/index.ts';
import { choosePreset, newPreset, presetOf } from '../state/actions.ts';
import { presets } from '../state/app.ts';
import type { Preset } from '../wire/api.ts';
import type { OpenSession } from '../state/open-session.ts';

export function ModelChoice({ session }: { session: OpenSession | null }) {
  void session?.meta.value;
  const list = presets.value;
  if (list.length === 0) return <a class="button quiet-button" href="/settings/models">{t.composer.noModel}</a>;
  const current = presetOf(session ? session.view.preset : newPreset.value)?.name ?? '';
  const twice = (q: Preset) => list.filter((p) => p.model === q.model && p.provider === q.provider).length > 1;
  return (
    <select class="quiet-select" aria-label={t.composer.model} value={current} onChange={(e) => void choosePreset(e.currentTarget.value)}>
      {list.map((p) => <option key={p.name} value={p.name}>{p.is_demo ? (p.model === 'demo' ? t.composer.demo : `${p.model} (${t.composer.demo})`) : `${p.model} · ${p.provider}`}{twice(p) ? ` (${p.name})` : ''}</option>)}
    </select>
  );
}
