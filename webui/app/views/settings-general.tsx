/** Choices of this reader: theme, language, reasoning, send key. Saved as they are made. */
import { useState } from 'preact/hooks';
import { LANGUAGES, t } from '../i18n/index.ts';
import { REASONING, reasoning, SEND_KEYS, sendKey, setLanguage, setReasoning, setSendKey, setTheme, theme } from '../state/prefs.ts';

interface RowProps<T extends string> { label: string; note: string; value: T; options: readonly (readonly [T, string])[]; onChange(value: T): void }

function ChoiceRow<T extends string>({ label, note, value, options, onChange }: RowProps<T>) {
  const [saved, setSaved] = useState(false);
  const change = (next: string) => {
    const option = options.find(([v]) => v === next);
    if (option) { onChange(option[0]); setSaved(true); }
  };
  return (
    <label class="setting">
      <span class="setting-words"><b>{label}</b><span class="quiet">{note}</span></span>
      <span class="setting-control"><span class="quiet" role="status">{saved ? t.settings.saved : ''}</span><select value={value} onChange={(e) => change(e.currentTarget.value)}>{options.map(([v, words]) => <option key={v} value={v}>{words}</option>)}</select></span>
    </label>
  );
}

export function General() {
  const s = t.settings;
  return <>
    <ChoiceRow label={s.theme} note={s.themeNote} value={theme.value} options={(['system', 'light', 'dark'] as const).map((v) => [v, s.themes[v]] as const)} onChange={setTheme} />
    <ChoiceRow label={s.language} note={s.languageNote} value={t.locale === 'zh-CN' ? 'zh-CN' : 'en'} options={LANGUAGES} onChange={setLanguage} />
    <ChoiceRow label={s.reasoning} note={s.reasoningNote} value={reasoning.value} options={REASONING.map((v) => [v, s.reasonings[v]] as const)} onChange={setReasoning} />
    <ChoiceRow label={s.sendKey} note={s.sendKeyNote} value={sendKey.value} options={SEND_KEYS.map((v) => [v, s.sendKeys[v]] as const)} onChange={setSendKey} />
  </>;
}
