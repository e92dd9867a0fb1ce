/** How full the model's window is, and behind it the tokens of each turn. */
import { useState } from 'preact/hooks';
import { count, money, percent, short, t } from '../i18n/index.ts';
import { contextOf } from '../model/turns.ts';
import type { Turn } from '../model/types.ts';
import { Dialog } from '../parts/dialog.tsx';
import type { OpenSession } from '../state/open-session.ts';

const AMBER = 0.75;
const RED = 0.9;

export function Meter({ session }: { session: OpenSession }) {
  void session.meta.value;
  void session.list.value;
  const [shown, show] = useState(false);
  const context = contextOf(session.view.turns);
  if (!context) return null;
  const part = context.window ? Math.min(1, context.used / context.window) : null;
  const level = part === null ? '' : part >= RED ? 'red' : part >= AMBER ? 'amber' : '';
  return <>
    <button type="button" class={`meter ${level}`} title={t.meter.label} aria-haspopup="dialog" onClick={() => show(true)}>
      {part !== null && <span class="bar" role="meter" aria-label={t.meter.label} aria-valuenow={Math.round(part * 100)} aria-valuemin={0} aria-valuemax={100}><i ref={(n) => { n?.style.setProperty('width', `${part * 100}%`); }} /></span>}
      {part !== null && context.window ? <>{percent(part)} · {short(context.used)}/{short(context.window)}</> : t.meter.tokens(short(context.used))}
    </button>
    {shown && <Dialog title={t.meter.title} onClose={() => show(false)}><UsageTable turns={session.view.turns} /></Dialog>}
  </>;
}

function UsageTable({ turns }: { turns: Turn[] }) {
  const used = turns.filter((turn) => turn.usage && turn.usage.input_tokens > 0);
  if (used.length === 0) return <p class="quiet">{t.meter.none}</p>;
  const priced = used.some((turn) => turn.usage?.cost_usd !== undefined);
  const sum = (field: 'input_tokens' | 'cached_tokens' | 'output_tokens' | 'cost_usd') => used.reduce((n, turn) => n + (turn.usage?.[field] ?? 0), 0);
  const input = sum('input_tokens');
  return <>
    <p class="quiet">{t.meter.cachedShare(percent(input > 0 ? sum('cached_tokens') / input : 0))}{priced && <> · {t.meter.costSum(money(sum('cost_usd')))}</>}</p>
    <div class="table-wrap" tabIndex={0} role="region" aria-label={t.meter.title}>
      <table class="usage">
        <thead><tr><th scope="col">{t.meter.turn}</th><th scope="col">{t.meter.input}</th><th scope="col">{t.meter.cached}</th><th scope="col">{t.meter.output}</th><th scope="col">{t.meter.context}</th>{priced && <th scope="col">{t.meter.cost}</th>}</tr></thead>
        <tbody>{used.map((turn) => (
          <tr key={turn.id}>
            <th scope="row" class="clip">{turn.user?.content.slice(0, 40) ?? turn.origin}</th>
            <td>{count(turn.usage!.input_tokens)}</td><td>{count(turn.usage!.cached_tokens)}</td><td>{count(turn.usage!.output_tokens)}</td>
            <td>{count(turn.context_tokens ?? turn.usage!.context_tokens ?? 0)}</td>
            {priced && <td>{turn.usage!.cost_usd === undefined ? '' : money(turn.usage!.cost_usd)}</td>}
          </tr>
        ))}</tbody>
        <tfoot><tr>
          <th scope="row">{t.usage.total}</th><td>{count(input)}</td><td>{count(sum('cached_tokens'))}</td><td>{count(sum('output_tokens'))}</td><td />
          {priced && <td>{money(sum('cost_usd'))}</td>}
        </tr></tfoot>
      </table>
    </div>
  </>;
}
