/** What a turn did and what it cost: its requests as they were sent, its tools, its hooks. Opened by `?inspect=TURN`, so that it survives a reload. */
import { useEffect, useState } from 'preact/hooks';
import { count, duration, money, percent, t } from '../i18n/index.ts';
import type { InspectedTurn } from '../model/inspection.ts';
import { firstWords, isSettled } from '../model/turns.ts';
import { Boundary } from '../parts/boundary.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { describe } from '../state/app.ts';
import { leaveInspector } from '../state/router.ts';
import { api, ApiError, exportPath } from '../wire/api.ts';
import { Requests } from './inspector-requests.tsx';
import { Timeline } from './inspector-timeline.tsx';

export function Inspector({ turn }: { turn: string }) {
  const [read, setRead] = useState<InspectedTurn | null>(null);
  const [failed, setFailed] = useState('');
  const [again, setAgain] = useState(0);
  useEffect(() => {
    let gone = false;
    setFailed('');
    api.turn(turn).then(
      (found) => { if (!gone) setRead(found); },
      (error) => { if (!gone) setFailed(error instanceof ApiError && error.status === 404 ? t.inspect.missing : describe(error).detail || t.inspect.failed); },
    );
    return () => { gone = true; };
  }, [turn, again]);
  const i = t.inspect;
  const refresh = () => setAgain(again + 1);
  return (
    <Dialog title={i.title} class="inspector" onClose={leaveInspector}>
      {failed
        ? <p role="alert">{failed} <button type="button" class="line" onClick={refresh}>{t.retry}</button></p>
        : read
          ? <Boundary key={read.id}><Inspected turn={read} onRefresh={refresh} /></Boundary>
          : <div class="skeleton inspector-skeleton" aria-busy="true" role="status" aria-label={i.loading}><i /><i /><i /></div>}
    </Dialog>
  );
}

function Inspected({ turn, onRefresh }: { turn: InspectedTurn; onRefresh(): void }) {
  const i = t.inspect;
  const { inspection } = turn;
  return <>
    <div class="inspector-head">
      <p dir="auto"><b>{turn.user ? firstWords(turn.user.content) : turn.origin}</b> <span class="quiet">{t.thread.states[turn.state] ?? turn.state}{turn.model && ` · ${turn.model}`}</span></p>
      <span class="row">
        {!isSettled(turn) && <button type="button" class="line" onClick={onRefresh}>{i.refresh}</button>}
        <a class="button line" href={exportPath(turn.id)} download title={i.exportNote}>{i.export}</a>
      </span>
    </div>
    {inspection.note && <p class="note warn">{inspection.note}</p>}
    <Summary turn={turn} />
    <h3>{i.requests}</h3>
    {inspection.requests.length > 0 ? <Requests turn={turn.id} requests={inspection.requests} /> : <p class="quiet">{i.noRequests}</p>}
    <h3>{i.time}</h3>
    <Timeline inspection={inspection} />
    {inspection.hook_faults.length > 0 && <>
      <h3>{i.hooks}</h3>
      <ul class="faults">{inspection.hook_faults.map((fault, n) => <li key={n} class="note err"><b>{fault.hook}</b> <code>{fault.method}</code><pre tabIndex={0} aria-label={i.hookError(fault.hook)}>{fault.text}</pre></li>)}</ul>
    </>}
  </>;
}

function Summary({ turn: { inspection, usage } }: { turn: InspectedTurn }) {
  const i = t.inspect;
  const { requests, calls, model_ms, tool_ms, duration_ms } = inspection;
  const failed = requests.filter((r) => !r.ok).length;
  const sum = (field: 'input_tokens' | 'cached_tokens' | 'output_tokens') => inspection.usage?.[field] ?? usage?.[field] ?? requests.reduce((n, r) => n + r[field], 0);
  const input = sum('input_tokens');
  const cost = inspection.cost_usd;
  const estimated = requests.filter((r) => r.estimated).length;
  const facts: [name: string, value: string, note: string][] = [
    [i.requests, count(requests.length), failed > 0 ? t.usage.failedRequests(failed) : ''],
    [t.usage.input, count(input), input > 0 ? t.usage.cachedShare(percent(sum('cached_tokens') / input)) : ''],
    [t.usage.output, count(sum('output_tokens')), estimated > 0 ? t.usage.estimated(estimated) : ''],
    [t.usage.cost, cost == null ? '—' : money(cost), cost == null ? t.usage.noPrice : ''],
    [i.time, duration_ms == null ? '—' : duration(duration_ms), i.split(duration(model_ms), duration(tool_ms))],
    [i.calls, count(calls.length), i.notOk(calls.filter((c) => c.status !== 'ok').length)],
  ];
  return <dl class="totals">{facts.map(([name, value, note]) => <div key={name}><dt>{name}</dt><dd class="tabular">{value}</dd>{note && <dd class="quiet">{note}</dd>}</div>)}</dl>;
}
