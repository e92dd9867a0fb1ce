/** The requests of a turn as a table; each opens to how it was made to fit and what was sent. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { count, duration, fineMoney, t } from '../i18n/index.ts';
import type { Governed, RequestInfo, SentRequest } from '../model/inspection.ts';
import { Icon } from '../parts/icon.tsx';
import { describe } from '../state/app.ts';
import { api } from '../wire/api.ts';
import { Sent } from './inspector-sent.tsx';

const columns = () => [t.inspect.number, t.inspect.model, t.inspect.outcome, t.meter.input, t.meter.cached, t.meter.output, t.inspect.cost, t.inspect.first, t.inspect.duration];

export function Requests({ turn, requests }: { turn: string; requests: RequestInfo[] }) {
  return (
    <div class="table-wrap requests" tabIndex={0} role="region" aria-label={t.inspect.requests}>
      <table class="usage" role="table">
        <thead role="rowgroup"><tr role="row">{columns().map((name) => <th key={name} scope="col" role="columnheader">{name}</th>)}</tr></thead>
        <tbody role="rowgroup">{requests.map((r) => <Row key={r.id} turn={turn} request={r} />)}</tbody>
      </table>
    </div>
  );
}

function Row({ turn, request: r }: { turn: string; request: RequestInfo }) {
  const i = t.inspect;
  const [open, setOpen] = useState(false);
  const id = useId();
  return <>
    <tr class={open ? 'open' : ''} role="row">
      <th scope="row" role="rowheader"><button type="button" class="disclose" aria-expanded={open} aria-controls={id} aria-label={i.requestName(r.iteration + 1, r.attempt)} onClick={() => setOpen(!open)}><Icon name="chevron" />{i.numberOf(r.iteration + 1, r.attempt)}</button></th>
      <td role="cell" class="text"><span class="clip">{r.model}</span> <span class="quiet">{r.preset}</span></td>
      <td role="cell" class="text"><span class={r.ok ? 'good' : 'failed'}>{i.outcomes[r.outcome] ?? r.outcome}</span></td>
      <Figure label={t.meter.input}>{count(r.input_tokens)}{r.estimated && <abbr title={i.estimated}>≈</abbr>}</Figure>
      <Figure label={t.meter.cached}>{count(r.cached_tokens)}</Figure>
      <Figure label={t.meter.output}>{count(r.output_tokens)}{r.estimated && <abbr title={i.estimated}>≈</abbr>}</Figure>
      <Figure label={i.cost}>{r.cost_usd == null ? <span class="quiet">{t.usage.noPrice}</span> : fineMoney(r.cost_usd)}</Figure>
      <Figure label={i.first}>{r.first_output_ms == null ? '—' : duration(r.first_output_ms)}</Figure>
      <Figure label={i.duration}>{duration(r.duration_ms)}</Figure>
    </tr>
    {open && <tr class="detail-row" role="row"><td role="cell" colSpan={columns().length}><div class="detail" id={id}><Detail turn={turn} request={r} /></div></td></tr>}
  </>;
}

/** On a phone the heading of its column stands above each number. */
function Figure({ label, children }: { label: string; children: ComponentChildren }) {
  return <td role="cell" class="figure" data-label={label}>{children}</td>;
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
