/** Settings → Usage: tokens and cost of a period, by day, by model or by session. */
import { useEffect, useState } from 'preact/hooks';
import { count, fineMoney, longDay, money, percent, t } from '../i18n/index.ts';
import { BYS, cachedShare, csvOf, PERIODS, range, today, type Amounts, type By, type Period, type Usage, type UsageItem } from '../model/usage.ts';
import { describe, sessions } from '../state/app.ts';
import { sessionPath } from '../state/router.ts';
import { api } from '../wire/api.ts';
import { UsageChart } from './usage-chart.tsx';

/** The days always make the chart; the table may be cut another way. */
interface Read { days: Usage; table: Usage }

export function UsagePage() {
  const [period, setPeriod] = useState<Period>('30');
  const [by, setBy] = useState<By>('day');
  const [timezone, setTimezone] = useState('UTC');
  const [read, setRead] = useState<Read | null>(null);
  const [failed, setFailed] = useState('');
  const [again, setAgain] = useState(0);
  useEffect(() => {
    let gone = false;
    setFailed('');
    void (async () => {
      try {
        // The server knows which day it is where the agent lives; its default period is the last 30 days.
        const asked = period === '30' ? undefined : range(period, today(Date.now(), timezone));
        const days = await api.usage('day', asked?.since, asked?.until);
        const table = by === 'day' ? days : await api.usage(by, days.since, days.until);
        if (gone) return;
        setTimezone(days.timezone);
        setRead({ days, table });
      } catch (error) { if (!gone) setFailed(describe(error).detail || t.usage.failed); }
    })();
    return () => { gone = true; };
  }, [period, by, again]);
  const u = t.usage;
  return <>
    <div class="row usage-choices">
      <Segments label={u.period} name="period" value={period} options={PERIODS.map((p) => [p, u.periods[p]] as const)} onChoose={(p) => setPeriod(p)} />
      <Segments label={u.by} name="by" value={by} options={BYS.map((b) => [b, u.bys[b]] as const)} onChoose={(b) => setBy(b)} />
    </div>
    {failed
      ? <div role="alert" class="usage-failed">{u.failed} <button type="button" class="line" onClick={() => setAgain(again + 1)}>{t.retry}</button><details class="fold"><summary>{t.failure.details}</summary><pre tabIndex={0}>{failed}</pre></details></div>
      : read ? <Shown read={read} /> : <div class="skeleton usage-skeleton" aria-busy="true" role="status" aria-label={u.loading}><i /><i /><i /><i /></div>}
  </>;
}

function Segments<T extends string>({ label, name, value, options, onChoose }: { label: string; name: string; value: T; options: readonly (readonly [T, string])[]; onChoose(value: T): void }) {
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{label}</legend>
      {options.map(([v, words]) => <label key={v} class={v === value ? 'on' : ''}><input type="radio" name={name} checked={v === value} onChange={() => onChoose(v)} />{words}</label>)}
    </fieldset>
  );
}

function Shown({ read: { days, table } }: { read: Read }) {
  const u = t.usage;
  const when = u.range(longDay(days.since), longDay(days.until), days.timezone);
  if (days.total.requests === 0) return <><p class="quiet">{when}</p><p>{u.empty} <a href="/">{t.thread.goHome}</a></p></>;
  return <>
    <p class="quiet">{when}</p>
    <Totals total={days.total} />
    <UsageChart items={days.items} since={days.since} until={days.until} />
    <UsageTable usage={table} />
    <p class="row"><button type="button" class="line" onClick={() => download(table)}>{u.csv}</button></p>
  </>;
}

function Totals({ total }: { total: Amounts }) {
  const u = t.usage;
  const share = cachedShare(total);
  const facts: [string, string, string][] = [
    [u.requests, count(total.requests), total.failed_requests > 0 ? u.failedRequests(total.failed_requests) : ''],
    [u.input, count(total.input_tokens), share === null ? '' : u.cachedShare(percent(share))],
    [u.output, count(total.output_tokens), total.estimated_requests > 0 ? u.estimated(total.estimated_requests) : ''],
    [u.cost, total.cost_usd === null ? '—' : money(total.cost_usd), total.unpriced_requests > 0 ? u.unpriced(total.unpriced_requests) : ''],
  ];
  return <dl class="totals">{facts.map(([name, value, note]) => <div key={name}><dt>{name}</dt><dd class="tabular">{value}</dd>{note && <dd class="quiet">{note}</dd>}</div>)}</dl>;
}

function UsageTable({ usage }: { usage: Usage }) {
  const u = t.usage;
  const items = usage.by === 'day' ? [...usage.items].reverse() : usage.items;
  return (
    <div class="table-wrap" tabIndex={0} role="region" aria-label={u.bys[usage.by]}>
      <table class="usage">
        <thead><tr><th scope="col">{u.bys[usage.by]}</th><th scope="col">{u.requests}</th><th scope="col">{u.failedColumn}</th><th scope="col">{u.input}</th><th scope="col">{u.cached}</th><th scope="col">{u.shareColumn}</th><th scope="col">{u.output}</th><th scope="col">{u.cost}</th></tr></thead>
        <tbody>{items.map((item) => <tr key={item.key}><th scope="row" class="clip"><Key by={usage.by} item={item} /></th><Cells amounts={item} /></tr>)}</tbody>
        <tfoot><tr><th scope="row">{u.total}</th><Cells amounts={usage.total} /></tr></tfoot>
      </table>
    </div>
  );
}

function Key({ by, item }: { by: By; item: UsageItem }) {
  if (by === 'day') return <>{longDay(item.key)}</>;
  if (by === 'preset') return <>{item.key} <span class="quiet">{item.label}</span></>;
  // A deleted session keeps its id and has no title.
  const known = sessions.value?.find((s) => s.id === item.key);
  const label = known?.title || item.label;
  return known || item.label ? <a href={sessionPath(item.key)} dir="auto">{label || t.sidebar.untitled}</a> : <span class="quiet">{t.usage.deleted} <code>{item.key.slice(0, 8)}</code></span>;
}

function Cells({ amounts: a }: { amounts: Amounts }) {
  const share = cachedShare(a);
  return <>
    <td>{count(a.requests)}</td>
    <td class={a.failed_requests > 0 ? '' : 'quiet'}>{count(a.failed_requests)}</td>
    <td>{count(a.input_tokens)}</td>
    <td>{count(a.cached_tokens)}</td>
    <td>{share === null ? '' : percent(share)}</td>
    <td>{count(a.output_tokens)}</td>
    <td>{a.cost_usd === null ? <span class="quiet">{t.usage.noPrice}</span> : fineMoney(a.cost_usd)}</td>
  </>;
}

function download(usage: Usage): void {
  const url = URL.createObjectURL(new Blob(['\ufeff', csvOf(usage)], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `nanobot-usage-${usage.by}-${usage.since}-${usage.until}.csv`;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
