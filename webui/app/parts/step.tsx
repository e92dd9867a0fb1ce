/** One step on the rail: a mark, a line that says what was done, and a body that opens. A choice by hand wins from then on. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Mark } from '../model/tools.ts';

/** Blocks that the reader opened or closed; kept by id, so that reading the turns again changes nothing. */
const choices = new Map<string, boolean>();
const KEPT = 500;

function remember(id: string, open: boolean): void {
  choices.delete(id);
  choices.set(id, open);
  for (const oldest of choices.keys()) { if (choices.size <= KEPT) break; choices.delete(oldest); }
}

interface Props {
  id: string;
  mark: Mark;
  /** Shape of the mark in words, for readers who do not see it. */
  state: string;
  summary: ComponentChildren;
  aside?: ComponentChildren;
  /** Open as long as the reader has not chosen. */
  open?: boolean;
  body?: () => ComponentChildren;
}

export function Step({ id, mark, state, summary, aside, open = false, body }: Props) {
  const [choice, setChoice] = useState(choices.get(id));
  const shown = choice ?? open;
  const choose = (value: boolean) => { remember(id, value); setChoice(value); };
  const line = <>{summary}<span class="visually-hidden">{state}</span>{aside !== undefined && <span class="x">{aside}</span>}</>;
  if (!body) return <div class={`step ${mark}`} data-step={id}><div class="line">{line}</div></div>;
  const keep = () => { if (choice === undefined && shown) choose(true); };
  return (
    <details class={`step ${mark}`} data-step={id} open={shown} onToggle={(e) => { if (e.currentTarget.open !== shown) choose(e.currentTarget.open); }}>
      <summary onClick={(e) => { e.preventDefault(); choose(!shown); }}>{line}</summary>
      {shown && <div class="step-body" onWheel={keep} onTouchMove={keep} onPointerUp={() => { if (!getSelection()?.isCollapsed) keep(); }}>{body()}</div>}
    </details>
  );
}
