/** The requests of a turn as a table; each opens to how it was made to fit and what was sent. */
import { useEffect, useId, useState } from 'preact/hooks';
import { count, duration, fineMoney, t } from '../i18n/index.ts';
import type { Governed, RequestInfo, SentRequest } from '../model/inspection.ts';
import { Icon } from '../parts/icon.tsx';
import { describe } from '../state/app.ts';
import { api } from '../wire/api.ts';
import { Sent } from './inspector-sent.tsx';

const COLUMNS = 9;

export function Requests({ turn, requests }: { turn: string; requests: RequestInfo[] }) {
  const i = t.inspect;
  return (
    <div class="table-wrap requests" tabIndex={0} role="region" aria-label={i.requests}>
      <table class="usage">
        <thead><tr><th scope="col">{i.number}</th><th scope="col">{i.model}</th><th scope="col">{i.outcome}</th><th scope="col">{t.meter.input}</th><th scope="col">{t.meter.cached}</th><th scope="col">{t.meter.output}</th><th scope="col">{i.cost}</th><th scope="col">{i.first}</th><th scope="col">{i.duration}</th></tr></thead>
        <tbody>{requests.map((r) => <Row key={r.id} turn={turn} request={r} />)}</tbody>
      </table>
    </div>
  );
}

function Row({ turn, request: r }: { turn: string; request: RequestInfo }) {
  const i = t.inspect;
  const [open, setOpen] = useState(false);
  const id = useId();
  return <>
    <tr class={open ? 'open' : ''}>
      <th scope="row"><button type="button" class="disclose" aria-expanded={open} aria-controls={id} aria-label={i.requestName(r.iteration + 1, r.attempt)} onClick={() => setOpen(!open)}><Icon name="chevron" />{i.numberOf(r.iteration + 1, r.attempt)}</button></th>
      <td class="text"><span class="clip">{r.model}</span> <span class="quiet">{r.preset}</span></td>
      <td class="text"><span class={r.ok ? 'good' : 'failed'}>{i.outcomes[r.outcome] ?? r.outcome}</span></td>
      <td>{count(r.input_tokens)}{r.estimated && <abbr title={i.estimated}>≈</abbr>}</td>
      <td>{count(r.cached_tokens)}</td>
      <td>{count(r.output_tokens)}{r.estimated && <abbr title={i.estimated}>≈</abbr>}</td>
      <td>{r.cost_usd == null ? <span class="quiet">{t.usage.noPrice}</span> : fineMoney(r.cost_usd)}</td>
      <td>{r.first_output_ms == null ? '—' : duration(r.first_output_ms)}</td>
      <td>{duration(r.duration_ms)}</td>
    </tr>
    {open && <tr class="detail-row"><td colSpan={COLUMNS}><div class="detail" id={id}><Detail turn={turn} request={r} /></div></td></tr>}
  </>;
}

function Detail({ turn, request }: { turn: string; request: RequestInfo }) {
  const [sent, setSent] = useState<SentRequest | null>(null);
  const [failed, setFailed] = useState('');
  const [again, setAgain] = useState(0);
  useEffect(() => {
    let gone = false;
    setFailed('');
    api.turnRequest(turn, request.id).then((found) => { if (!gone) setSent(found); }, (error) => { if (!gone) setFailed(describe(error).detail || t.inspect.failed); });
    return () => { gone = true; };
  }, [turn, request.id, again]);
  return <>
    {request.governed && <Governance governed={request.governed} />}
    {failed
      ? <p role="alert">{failed} <button type="button" class="line" onClick={() => setAgain(again + 1)}>{t.retry}</button></p>
      : sent ? <Sent request={sent} /> : <div class="skeleton" aria-busy="true" role="status" aria-label={t.inspect.loading}><i /><i /></div>}
  </>;
}

/** How the conversation was made to fit, step by step. */
function Governance({ governed: g }: { governed: Governed }) {
  const i = t.inspect;
  return (
    <section>
      <h4>{i.governance}</h4>
      <p class="quiet">{i.budget(count(g.estimated_tokens), count(g.budget_tokens), count(g.window_tokens), count(g.messages))}{g.hash && <> · <span title={g.hash}>{i.hash} <code>{g.hash.slice(0, 12)}</code></span></>}</p>
      {g.steps.length === 0
        ? <p class="quiet">{i.nothingCut}</p>
        : <ol class="govern">{g.steps.map((step, n) => (
          <li key={n}>
            <code>{step.name}</code>
            <span class="tabular">{count(step.before_tokens)} → {count(step.after_tokens)} <Change by={step.after_tokens - step.before_tokens} /></span>
            {step.detail && <span class="quiet" dir="auto">{step.detail}</span>}
          </li>
        ))}</ol>}
    </section>
  );
}

function Change({ by }: { by: number }) {
  if (by === 0) return null;
  return by < 0 ? <b class="good">{t.inspect.less(count(-by))}</b> : <b class="warned">{t.inspect.more(count(by))}</b>;
}
