/** Which models answer instead, in order: added, removed and moved by buttons, and every move is said. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { moved } from '../model/preset-form.ts';
import { FieldWords } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { announce } from '../state/announce.ts';
import { presets } from '../state/app.ts';

interface Props { of: string; value: string[]; onChange(value: string[]): void; problem?: string | undefined }

export function Fallbacks({ of, value, onChange, problem }: Props) {
  const id = useId();
  const list = useRef<HTMLOListElement>(null);
  const [next, setNext] = useState('');
  /** The button that keeps the focus when its row has moved. */
  const focus = useRef<{ name: string; action: string } | null>(null);
  useEffect(() => {
    const wanted = focus.current;
    focus.current = null;
    if (!wanted) return;
    const row = [...list.current?.children ?? []].find((li) => (li as HTMLElement).dataset.name === wanted.name);
    (row?.querySelector<HTMLElement>(`[data-action=${wanted.action}]`) ?? document.getElementById(`${id}-add`))?.focus();
  }, [value]);

  const free = presets.value.filter((p) => p.name !== of && !value.includes(p.name));
  const chosen = free.some((p) => p.name === next) ? next : free[0]?.name ?? '';
  const wordsOf = (name: string) => {
    const p = presets.value.find((q) => q.name === name);
    return p ? `${p.model} · ${p.provider}` : t.models.fallbackGone;
  };
  const move = (at: number, step: -1 | 1) => {
    const to = at + step;
    if (to < 0 || to >= value.length) return;
    const name = value[at]!;
    focus.current = { name, action: step < 0 ? 'up' : 'down' };
    announce(t.models.fallbackMoved(name, to + 1, value.length));
    onChange(moved(value, at, step));
  };
  const remove = (at: number) => {
    const name = value[at]!;
    focus.current = { name: value[at + 1] ?? value[at - 1] ?? '', action: 'remove' };
    announce(t.models.fallbackRemoved(name));
    onChange(value.filter((_, i) => i !== at));
  };
  const add = () => {
    if (!chosen) return;
    announce(t.models.fallbackMoved(chosen, value.length + 1, value.length + 1));
    onChange([...value, chosen]);
    setNext('');
  };
  return (
    <fieldset class="fallbacks" aria-describedby={`${id}-why`}>
      <legend>{t.models.fallbacks}</legend>
      <p class="quiet" id={`${id}-why`}>{t.models.fallbacksNote}</p>
      {value.length > 0 && <ol ref={list}>{value.map((name, i) => (
        <li key={name} data-name={name}>
          <span class="place tabular" aria-hidden="true">{i + 1}</span>
          <span class="setting-words"><b>{name}</b><span class="quiet">{wordsOf(name)}</span></span>
          <button type="button" class="icon-button up" data-action="up" aria-label={t.models.moveUp(name)} aria-disabled={i === 0} onClick={() => move(i, -1)}><Icon name="chevron" /></button>
          <button type="button" class="icon-button down" data-action="down" aria-label={t.models.moveDown(name)} aria-disabled={i === value.length - 1} onClick={() => move(i, 1)}><Icon name="chevron" /></button>
          <button type="button" class="icon-button" data-action="remove" aria-label={t.models.removeFallback(name)} onClick={() => remove(i)}><Icon name="close" /></button>
        </li>
      ))}</ol>}
      {free.length > 0
        ? <div class="field-line">
          <select id={`${id}-add`} aria-label={t.models.addFallback} value={chosen} onChange={(e) => setNext(e.currentTarget.value)}>{free.map((p) => <option key={p.name} value={p.name}>{p.name} — {p.model} · {p.provider}</option>)}</select>
          <button type="button" class="line" onClick={add}>{t.models.add}</button>
        </div>
        : value.length === 0 && <p class="quiet">{t.models.noFallbacks}</p>}
      <FieldWords id={id} problem={problem} />
    </fieldset>
  );
}
