/** When the model and the tools were at work, as bars over the time of the turn; a call opens to its arguments. */
import { count, duration, t } from '../i18n/index.ts';
import { barsOf, type Bar, type CallInfo, type Inspection } from '../model/inspection.ts';

export function Timeline({ inspection }: { inspection: Inspection }) {
  const bars = barsOf(inspection);
  const never = inspection.calls.filter((c) => c.started_at == null);
  const i = t.inspect;
  if (bars.length === 0 && never.length === 0) return <p class="quiet">{i.noTime}</p>;
  return <>
    <p class="legend quiet"><i class="model" />{i.byModel}<i class="tool" />{i.byTools}</p>
    <ol class="timeline">
      {bars.map((bar) => <li key={bar.key}>{bar.call ? <details class="sent-fold"><summary><BarLine bar={bar} /></summary><CallFacts call={bar.call} /></details> : <div class="bar-row"><BarLine bar={bar} /></div>}</li>)}
      {never.map((call) => <li key={`${call.call_id}/${call.iteration}`}><details class="sent-fold"><summary><span class="bar-name"><code>{call.name}</code></span><span class="quiet">{statusWords(call.status)}</span></summary><CallFacts call={call} /></details></li>)}
    </ol>
  </>;
}

function BarLine({ bar }: { bar: Bar }) {
  return <>
    <span class="bar-name">{bar.kind === 'tool' ? <code>{bar.name}</code> : <span class="clip">{bar.name}</span>}{!bar.ok && <span class="failed"> {bar.call ? statusWords(bar.call.status) : t.tool.error}</span>}</span>
    <span class="bar-track" aria-hidden="true"><i class={bar.ok ? bar.kind : `${bar.kind} bad`} ref={(n) => { n?.style.setProperty('inset-inline-start', `${bar.from * 100}%`); n?.style.setProperty('width', `${bar.width * 100}%`); }} /></span>
    <span class="bar-time tabular">{duration(bar.durationMs)}</span>
  </>;
}

function CallFacts({ call }: { call: CallInfo }) {
  const i = t.inspect;
  return (
    <div class="sent-body">
      <p class="quiet">{[statusWords(call.status), i.round(call.iteration + 1), i.outputChars(count(call.output_chars)), call.call_id].join(' · ')}</p>
      <pre class="sent-text" tabIndex={0} role="region" aria-label={i.parameters(call.name)}>{typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {}, null, 2)}</pre>
    </div>
  );
}

function statusWords(status: string): string {
  switch (status) {
    case 'ok': return t.inspect.ok;
    case 'denied': case 'cancelled': case 'unknown': case 'waiting': case 'error': return t.tool[status];
    default: return status;
  }
}
