/** A failed request that is made again: one quiet line that counts down and then says that it was made. */
import { duration, t } from '../i18n/index.ts';
import type { NoticePart, RetryWait } from '../model/types.ts';
import { useNow } from './clock.ts';
import { Step } from './step.tsx';

interface Props {
  part: NoticePart;
  id: string;
  /** Nothing of the model came after it yet, so that the line itself shows that work goes on. */
  last: boolean;
  /** When the turn ended. */
  endedAt?: number | undefined;
}

export function RetryLine({ part, id, last, endedAt }: Props) {
  const wait = part.data as RetryWait;
  const now = useNow(endedAt === undefined && last);
  // Capped, because the clocks of server and page may differ.
  const left = endedAt === undefined && last ? Math.min(wait.delay_ms, wait.until_at - now) : 0;
  const attempt = t.notice.attempt(wait.attempt, wait.max_attempts);
  const cut = endedAt !== undefined && endedAt < wait.until_at;
  const words = left > 0 ? t.notice.askingAgain(secondsOf(left), attempt) : cut ? t.notice.notAsked(attempt) : t.notice.askedAgain(attempt);
  return (
    <Step
      id={id} mark={last && endedAt === undefined ? 'live' : 'off'} state=""
      summary={left > 0
        ? <><span class="notice-reason" dir="auto">{part.text}</span><span class="tabular fixed">{words}</span></>
        : <><span class="fixed">{words}</span><span class="gist" dir="auto">{part.text}</span></>}
      body={() => <p class="notice-body" dir="auto">{part.text} <code>{wait.code}</code></p>}
    />
  );
}

export const secondsOf = (ms: number): string => duration(Math.ceil(ms / 1000) * 1000);

/** What a screen reader hears, once. */
export function retryWords(part: NoticePart): string {
  const wait = part.data as RetryWait;
  return `${part.text} ${t.notice.askingAgain(secondsOf(wait.delay_ms), t.notice.attempt(wait.attempt, wait.max_attempts))}`;
}
