/** What a person wrote: a turn's request, a message that waits in the outbox, a message added to a running turn. */
import { useState } from 'preact/hooks';
import { clock, fullTime, t } from '../i18n/index.ts';
import { isSettled } from '../model/turns.ts';
import type { SteerPart, Turn } from '../model/types.ts';
import { copyText } from '../parts/code-card.ts';
import { editing, editUnsent } from '../state/actions.ts';
import { connection, outbox } from '../state/app.ts';
import { NO_ANSWER, type Entry } from '../wire/outbox.ts';

const LINES_SHOWN = 12;
const CHARS_SHOWN = 1500;

export function Request({ turn, entry }: { turn?: Turn; entry?: Entry }) {
  const content = turn?.user?.content ?? entry?.content ?? '';
  const at = turn?.user?.created_at ?? entry?.created_at ?? 0;
  return (
    <article class="user" id={turn?.user && `m-${turn.user.id}`} aria-label={t.thread.userName(clock(at))} tabIndex={-1}>
      <div class="who">{t.you} · <time dateTime={new Date(at).toISOString()} title={fullTime(at)}>{clock(at)}</time></div>
      <LongText text={content} />
      {entry && <Delivery entry={entry} />}
      {turn?.user && <div class="acts on-demand" role="group" aria-label={t.actions.label}>
        <button type="button" onClick={() => void copyText(content)}>{t.actions.copy}</button>
        {isSettled(turn) && <button class="when-idle" type="button" onClick={() => { editing.value = turn.user ?? null; }}>{t.actions.edit}</button>}
      </div>}
    </article>
  );
}

function LongText({ text }: { text: string }) {
  const long = text.length > CHARS_SHOWN || text.split('\n', LINES_SHOWN + 1).length > LINES_SHOWN;
  const [all, setAll] = useState(false);
  return <>
    <div class={long && !all ? 'said folded' : 'said'} dir="auto">{text}</div>
    {long && <button type="button" class="small" aria-expanded={all} onClick={() => setAll(!all)}>{all ? t.thread.less : t.thread.more}</button>}
  </>;
}

/** How a message that is not yet known to be stored is doing. */
function Delivery({ entry }: { entry: Entry }) {
  const id = entry.client_message_id;
  const silent = entry.reason?.code === NO_ANSWER;
  if (entry.state !== 'failed') {
    const offline = connection.value !== 'ready' && entry.state !== 'accepted';
    return <p class="delivery" role="status">{offline ? t.outbox.waiting : t.outbox[entry.state]}</p>;
  }
  const detail = entry.reason?.detail || entry.reason?.code || '';
  return (
    <p class="delivery failed" role="alert">
      {silent ? t.outbox.noAnswer : t.outbox.failed(detail)}
      <button type="button" class="line" onClick={() => outbox.retry(id)}>{t.retry}</button>
      <button type="button" class="line" onClick={() => editUnsent(entry)}>{t.edit}</button>
      <button type="button" class="line" onClick={() => { outbox.remove(id); }}>{t.discard}</button>
    </p>
  );
}

export function Steered({ part }: { part: SteerPart }) {
  return <div class="user steered" id={`m-${part.message_id}`}><div class="who">{t.you} · {t.thread.steered}</div><div class="said" dir="auto">{part.text}</div></div>;
}
