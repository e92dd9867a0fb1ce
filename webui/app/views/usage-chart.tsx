/** Tokens per day as stacked bars. The picture has a sentence for those who do not see it; its numbers stand in the table. */
import { useState } from 'preact/hooks';
import { count, longDay, short, shortDay, t } from '../i18n/index.ts';
import { barsOf, scaleOf, sumOf, type Bar, type UsageItem } from '../model/usage.ts';

const HEIGHT = 100;
const STEP = 10;
const WIDTH = 8;

export function UsageChart({ items, since, until }: { items: UsageItem[]; since: string; until: string }) {
  const bars = barsOf(items, since, until);
  const top = scaleOf(bars);
  const most = bars.reduce((a, b) => (sumOf(b) > sumOf(a) ? b : a), bars[0]!);
  const [at, setAt] = useState<Bar | null>(null);
  const u = t.usage;
  return (
    <figure class="chart">
      <figcaption>
        <span class="legend"><i class="fresh" />{u.fresh}<i class="cached" />{u.cached}<i class="output" />{u.output}</span>
        <span class="quiet tabular" aria-hidden="true">{at ? u.bar(longDay(at.day), count(at.fresh), count(at.cached), count(at.output)) : u.perDay}</span>
      </figcaption>
      <div class="plot">
        <span class="axis" aria-hidden="true"><span>{short(top)}</span><span>{short(top / 2)}</span><span>0</span></span>
        <svg viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={u.chartLabel(bars.length, longDay(most.day), count(sumOf(most)))} onMouseLeave={() => setAt(null)}>
          <path class="grid" d={`M0 0H${bars.length * STEP}M0 ${HEIGHT / 2}H${bars.length * STEP}M0 ${HEIGHT}H${bars.length * STEP}`} />
          {bars.map((bar, i) => <Column key={bar.day} bar={bar} x={i * STEP} top={top} onEnter={() => setAt(bar)} />)}
        </svg>
      </div>
      <div class="days quiet tabular" aria-hidden="true">{[bars[0]!, bars[Math.floor(bars.length / 2)]!, bars.at(-1)!].map((b, i) => <span key={i}>{shortDay(b.day)}</span>)}</div>
    </figure>
  );
}

function Column({ bar, x, top, onEnter }: { bar: Bar; x: number; top: number; onEnter(): void }) {
  let y = HEIGHT;
  const piece = (kind: 'fresh' | 'cached' | 'output') => {
    const height = (bar[kind] / top) * HEIGHT;
    y -= height;
    return height > 0 ? <rect class={kind} x={x + (STEP - WIDTH) / 2} y={y} width={WIDTH} height={height} /> : null;
  };
  return <g onMouseEnter={onEnter}><rect class="reach" x={x} y={0} width={STEP} height={HEIGHT} />{piece('cached')}{piece('fresh')}{piece('output')}</g>;
}
