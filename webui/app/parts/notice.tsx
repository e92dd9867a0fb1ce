/** Things that the reader should know and that are no answer, and steps of kinds that this page does not know. */
import { count, t } from '../i18n/index.ts';
import type { ShortenedRow } from '../model/turns.ts';
import type { ModelSwitch, NoticePart } from '../model/types.ts';
import { RetryLine } from './retry-line.tsx';
import { Step } from './step.tsx';

interface Governed { steps?: { name: string; before_tokens: number; after_tokens: number; detail?: string }[] }

interface Props { part: NoticePart; id: string; last: boolean; endedAt?: number | undefined }

export function Notice({ part, id, last, endedAt }: Props) {
  if (part.code === 'retry_wait' && part.data !== undefined) return <RetryLine part={part} id={id} last={last} endedAt={endedAt} />;
  const steps = stepsOf(part);
  const governed = part.code === 'context_governed';
  const text = part.code === 'model_switched' && part.data !== undefined ? switchWords(part) : governed ? governedText(part) : part.text || part.code;
  return (
    <Step
      id={id} mark="off" state="" summary={<span class="notice-text" dir="auto">{text}</span>}
      {...(governed && steps.length > 0 && { body: () => <GovernedSteps steps={steps} /> })}
    />
  );
}

export function switchWords(part: NoticePart): string {
  const { from, to, code } = part.data as ModelSwitch;
  return t.notice.switched(from, to, part.text || code);
}

const stepsOf = (part: NoticePart): NonNullable<Governed['steps']> => { const { steps } = (part.data ?? {}) as Governed; return Array.isArray(steps) ? steps : []; };

function tokensOf(part: NoticePart): [before: string, after: string] | null {
  const steps = stepsOf(part);
  const first = steps[0], last = steps.at(-1);
  return first && last ? [count(first.before_tokens), count(last.after_tokens)] : null;
}

function governedText(part: NoticePart): string {
  const tokens = tokensOf(part);
  return tokens ? t.notice.governed(...tokens) : part.text || t.notice.governedPlain;
}

/** All of a turn's notices but the first that its request was shortened; each of them behind a fold. */
export function Shortened({ row, id }: { row: ShortenedRow; id: string }) {
  const tokens = tokensOf(row.notices.at(-1)!);
  return (
    <Step
      id={`${id}/shortened`} mark="off" state="" summary={<span class="notice-text" dir="auto">{tokens ? t.notice.shortened(row.times, ...tokens) : t.notice.shortenedPlain(row.times)}</span>}
      body={() => <ol class="plain-list" start={2}>{row.notices.map((part) => <li key={part.stream_id} class="tabular">{tokensOf(part)?.join(' → ') ?? governedText(part)} <span class="quiet">{stepsOf(part).map((s) => s.name).join(', ')}</span></li>)}</ol>}
    />
  );
}

function GovernedSteps({ steps }: { steps: NonNullable<Governed['steps']> }) {
  return <ul class="plain-list">{steps.map((s, i) => <li key={i}>{s.name}: {count(s.before_tokens)} → {count(s.after_tokens)} {s.detail}</li>)}</ul>;
}

export function UnknownPart({ id, kind }: { id: string; kind: string }) {
  return <Step id={id} mark="off" state="" summary={<span class="notice-text">{t.notice.other(kind)}</span>} />;
}
