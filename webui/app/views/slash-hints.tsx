/** What is offered while a command is typed: a list above the field that is used with the arrows, Tab and Enter, or by a click. */
import { computed, effect, signal } from '@preact/signals';
import { t } from '../i18n/index.ts';
import { hintsFor } from '../model/slash.ts';
import { presets } from '../state/app.ts';

/** The text of the field while it begins with a slash. */
const typed = signal('');
/** The text for which the list was closed by Escape. */
const closed = signal('');
const at = signal(-1);
const hints = computed(() => (typed.value === '' || typed.value === closed.value ? [] : hintsFor(typed.value, presets.value)));

export function noteTyped(text: string): void {
  const next = text.startsWith('/') ? text : '';
  if (next === typed.peek()) return;
  typed.value = next;
  closed.value = '';
  at.value = -1;
}

/** True when the key belonged to the list. `take` puts a text into the field; `run` also runs it. */
export function hintKey(e: KeyboardEvent, take: (text: string, run: boolean) => void): boolean {
  const list = hints.peek();
  if (list.length === 0 || e.isComposing || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return false;
  const step = e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : 0;
  if (step !== 0) at.value = (Math.max(at.peek(), step > 0 ? -1 : 0) + step + list.length) % list.length;
  else if (e.key === 'Escape') closed.value = typed.peek();
  else if (e.key === 'Tab') take(list[Math.max(0, at.peek())]!.text, false);
  else if (e.key === 'Enter' && at.peek() >= 0) take(list[at.peek()]!.text, list[at.peek()]!.kind === 'preset');
  else return false;
  e.preventDefault();
  e.stopPropagation();
  return true;
}

/** The field is never drawn again while someone types, so its attributes are set from here. */
export function describeField(field: HTMLElement): () => void {
  return effect(() => {
    const shown = hints.value.length > 0;
    const set = (name: string, value: string | null) => { if (value === null) field.removeAttribute(name); else field.setAttribute(name, value); };
    set('aria-autocomplete', shown ? 'list' : null);
    set('aria-controls', shown ? 'hints' : null);
    set('aria-activedescendant', shown && at.value >= 0 ? `hint-${at.value}` : null);
  });
}

export function Hints({ take }: { take(text: string, run: boolean): void }) {
  const list = hints.value;
  if (list.length === 0) return null;
  return (
    <ul class="hints" id="hints" role="listbox" aria-label={t.slash.label}>
      {list.map((hint, i) => (
        <li key={hint.text} id={`hint-${i}`} role="option" class="hint" aria-selected={i === at.value} onMouseDown={(e) => e.preventDefault()} onClick={() => take(hint.text, hint.kind === 'preset')}>
          {hint.kind === 'command'
            ? <><code>/{hint.name}</code><span class="quiet">{t.slash.commands[hint.name]}</span></>
            : <><code>{hint.preset.name}</code><span class="quiet">{hint.preset.model} · {hint.preset.provider}{hint.preset.is_default && ` · ${t.settings.default}`}</span></>}
        </li>
      ))}
    </ul>
  );
}
