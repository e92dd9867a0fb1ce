/** Things that the reader should know and that are no answer, and steps of kinds that this page does not know. */
import { short, t } from '../i18n/index.ts';
import type { ModelSwitch, NoticePart } from '../model/types.ts';
import { RetryLine } from './retry-line.tsx';
import { Step } from './step.tsx';

interface Governed { steps?: { name: string; before_tokens: number; after_tokens: number; detail?: string }[] }

interface Props { part: NoticePart; id: string; last: boolean; endedAt?: number | undefined }

export function Notice({ part, id, last, endedAt }: Props) {
  if (part.code === 'retry_wait' && part.data !== undefined) return <RetryLine part={part} id={id} last={last} endedAt={endedAt} />;
  const { steps } = (part.data ?? {}) as Governed;
  const governed = part.code === 'context_governed';
  const text = part.code === 'model_switched' && part.data !== undefined ? switchWords(part) : part.text || (governed ? governedText(steps) : part.code);
  return (
    <Step
      id={id} mark="off" state="" summary={<span class="notice-text" dir="auto">{text}</span>}
      {...(Array.isArray(steps) && steps.length > 0 && { body: () => <GovernedSteps steps={steps} /> })}
    />
  );
}

export function switchWords(part: NoticePart): string {
  const { from, to, code } = part.data as ModelSwitch;
  return t.notice.switched(from, to, part.text || code);
}

function governedText(steps: Governed['steps']): string {
  const first = steps?.[0], last = steps?.at(-1);
  return first && last ? t.notice.governed(short(first.before_tokens), short(last.after_tokens)) : t.notice.governedPlain;
}

function GovernedSteps({ steps }: { steps: NonNullable<Governed['steps']> }) {
  return <ul class="plain-list">{steps.map((s, i) => <li key={i}>{s.name}: {short(s.before_tokens)} → {short(s.after_tokens)} {s.detail}</li>)}</ul>;
}

export function UnknownPart({ id, kind }: { id: string; kind: string }) {
  return <Step id={id} mark="off" state="" summary={<span class="notice-text">{t.notice.other(kind)}</span>} />;
}
