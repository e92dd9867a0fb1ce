/** A labelled text field with its note and, beside it, what is wrong with what was typed. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  label: string;
  value: string;
  type?: 'text' | 'url' | 'password';
  inputMode?: 'url' | 'text' | 'numeric' | 'decimal';
  placeholder?: string | undefined;
  required?: boolean | undefined;
  onFocus?(): void;
  onText(text: string): void;
  problem?: string | undefined;
  note?: string | undefined;
  /** What will happen when this is saved. */
  warning?: string | undefined;
  /** Stands behind the field. */
  beside?: ComponentChildren;
  /** Words to choose from while typing. */
  words?: readonly { value: string; label?: string }[];
}

export function TextField({ label, value, onText, problem, note, warning, beside, words, type = 'text', ...input }: Props) {
  const id = useId();
  const described = [problem && `${id}-problem`, (warning || note) && `${id}-note`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="field-line">
        <input
          id={id} value={value} autocomplete="off" spellcheck={false} {...{ ...input, type, list: words && `${id}-words` } as object}
          aria-invalid={problem ? true : undefined} aria-describedby={described || undefined} onInput={(e) => onText(e.currentTarget.value)}
        />
        {beside}
      </div>
      {words && <datalist id={`${id}-words`}>{words.map((w) => <option key={w.value} value={w.value} label={w.label} />)}</datalist>}
      <FieldWords id={id} problem={problem} note={warning ?? note} warn={warning !== undefined} />
    </div>
  );
}

export function FieldWords({ id, problem, note, warn = false }: { id: string; problem?: string | undefined; note?: string | undefined; warn?: boolean }) {
  return <>
    {problem && <span class="problem" id={`${id}-problem`} role="alert">{problem}</span>}
    {note && <span class={warn ? 'field-note warn' : 'field-note'} id={`${id}-note`}>{note}</span>}
  </>;
}

interface SelectProps { label: string; value: string; options: readonly (readonly [value: string, words: string])[]; onChoose(value: string): void; problem?: string | undefined; note?: string | undefined }

export function SelectField({ label, value, options, onChoose, problem, note }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} aria-invalid={problem ? true : undefined} aria-describedby={problem ? `${id}-problem` : note ? `${id}-note` : undefined} onChange={(e) => onChoose(e.currentTarget.value)}>
        {options.map(([v, words]) => <option key={v} value={v}>{words}</option>)}
      </select>
      <FieldWords id={id} problem={problem} note={note} />
    </div>
  );
}

/** Brings the reader to the first field that is wrong, once it is drawn. */
export function focusProblem(form: HTMLElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
