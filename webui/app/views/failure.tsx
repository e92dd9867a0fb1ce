/** How a turn ended when it did not simply finish: in words, with what can be done about it. */
import { short, t } from '../i18n/index.ts';
import { toldByNotice } from '../model/turns.ts';
import type { Turn } from '../model/types.ts';
import { editing, fork, presetOf, retry } from '../state/actions.ts';
import { modelDialog } from './model-dialog.tsx';
import { modelPicker } from './model-picker.tsx';

type Tone = 'err' | 'warn' | 'calm';
interface Words { text: string; tone: Tone; detail?: string; retry?: true; setUp?: true; settings?: true; fork?: true; other?: true; rephrase?: true }

/** The server's words when there is no model at all; other words name what is wrong with the one that is set up. */
const NOTHING_SET_UP = /^(no model is configured|$)/i;

/** What ended the turn may be told by a notice already. */
export const endNote = (turn: Turn): Words | null => (toldByNotice(turn) ? null : wordsOf(turn));

export function wordsOf(turn: Turn): Words | null {
  const reason = turn.stop_reason ?? (turn.state === 'cancelled' || turn.state === 'interrupted' ? turn.state : turn.state === 'failed' ? 'error' : 'completed');
  if (turn.error) return ofError(turn, turn.error.code, turn.error.detail);
  switch (reason) {
    case 'completed': return null;
    case 'cancelled': return { text: t.failure.stopped, tone: 'calm' };
    case 'interrupted': return { text: t.failure.interrupted, tone: 'warn', retry: true };
    case 'loop': return { text: t.failure.loop, tone: 'warn', retry: true };
    case 'max_iterations': return { text: t.failure.max_iterations, tone: 'warn', retry: true };
    case 'budget': return { text: t.failure.budget, tone: 'warn' };
    case 'empty_final_response': return { text: t.failure.empty_final_response, tone: 'warn', retry: true };
    default: return { text: t.failure.other, tone: 'err', retry: true };
  }
}

function ofError(turn: Turn, code: string, detail: string): Words {
  const f = t.failure;
  const who = presetOf(turn.preset ?? null)?.provider ?? f.provider;
  const base = { tone: 'err' as const, detail, retry: true as const };
  switch (code) {
    case 'no_model': return { text: NOTHING_SET_UP.test(detail) ? f.no_model : f.no_model_because(detail), tone: 'warn', setUp: true, retry: true };
    case 'provider_auth': return { ...base, text: f.provider_auth(who), settings: true, other: true };
    case 'provider_not_found': case 'provider_quota': return { ...base, text: f[code](who), settings: true, other: true };
    case 'provider_rate_limit': case 'provider_unavailable': case 'provider_timeout': case 'provider_paused':
    case 'provider_bad_response': case 'provider_refused_request': return { ...base, text: f[code](who), other: true };
    // The same request would be refused again.
    case 'model_refused': return { text: f.model_refused, tone: 'warn', detail, rephrase: true, other: true };
    case 'context_length': {
      const { context_tokens: used, context_window_tokens: max } = turn;
      return { ...base, text: used && max ? f.context_length_of(short(used), short(max)) : f.context_length, fork: true, other: true };
    }
    case 'stream_truncated': return { ...base, text: f.stream_truncated };
    case 'storage': return { ...base, text: f.storage };
    case 'internal': return { ...base, text: f.internal };
    default: return { ...base, text: f.other };
  }
}

export function Failure({ turn, last }: { turn: Turn; last: boolean }) {
  const words = endNote(turn);
  if (!words) return null;
  if (words.tone === 'calm') return <div class="step off ended"><div class="line"><b>{words.text}</b></div></div>;
  return (
    <div class={`step ${words.tone === 'err' ? 'bad' : 'ask'} ended`}>
      <div class={`note ${words.tone}`}>
        <p>{words.text}</p>
        {words.detail && <details class="fold"><summary>{t.failure.details}</summary><pre tabIndex={0}>{words.detail}</pre></details>}
        {last && <div class="row">
          {words.setUp && <button type="button" class="go" onClick={() => { modelDialog.value = { onDone: () => retry(turn) }; }}>{t.failure.setUp}</button>}
          {words.settings && <a class="button line" href="/settings/models">{t.failure.openProvider}</a>}
          {words.retry && <button type="button" class="line" onClick={() => retry(turn)}>{t.failure.retry}</button>}
          {words.rephrase && turn.user && <button type="button" class="line" onClick={() => { editing.value = turn.user ?? null; }}>{t.failure.rephrase}</button>}
          {words.other && <button type="button" class="line" onClick={() => { modelPicker.value = { onChosen: () => retry(turn) }; }}>{t.failure.otherModel}</button>}
          {words.fork && turn.answer_id && <button type="button" class="line" onClick={() => void fork(turn)}>{t.failure.fork}</button>}
        </div>}
      </div>
    </div>
  );
}
