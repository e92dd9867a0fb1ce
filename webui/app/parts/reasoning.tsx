/** The thoughts of the model: live they are open and count seconds, afterwards they fold to one line. */
import { useEffect, useRef } from 'preact/hooks';
import { duration, t } from '../i18n/index.ts';
import type { TextPart } from '../model/types.ts';
import { nextFrame } from '../state/frame.ts';
import { onGrowth } from '../state/open-session.ts';
import { reasoning } from '../state/prefs.ts';
import { useElapsed } from './clock.ts';
import { copyText } from './code-card.ts';
import { PlainText } from './plain-text.tsx';
import { Step } from './step.tsx';

/** `open` repeats a field of the part, because parts change in place and a view draws again only when its inputs differ. */
export function Reasoning({ part, open, id }: { part: TextPart; open: boolean; id: string }) {
  const { text } = part;
  const mode = reasoning.value;
  const shown = mode === 'open' || (mode === 'live' && open);
  const words = open ? t.reasoning.live : t.reasoning.done;
  const empty = !open && text.trim() === '';
  return (
    <Step
      id={id} mark={open ? 'live' : 'ok'} state="" open={shown && !empty}
      summary={<><b>{words}</b> {open ? <Elapsed /> : part.duration_ms !== undefined && <span>{t.reasoning.forTime(duration(part.duration_ms))}</span>}<Gist part={part} open={open} /></>}
      body={() => (empty
        ? <p class="quiet">{t.reasoning.empty}</p>
        : <><PlainText part={part} open={open} label={t.reasoning.body} />{!open && <button type="button" class="small" onClick={() => void copyText(text)}>{t.copy}</button>}</>)}
    />
  );
}

function Elapsed() {
  return <span class="tabular">{duration(Math.max(100, Math.floor(useElapsed(true) / 1000) * 1000))}</span>;
}

/** The end of the thought while it is live, its beginning afterwards; shown only while the block is folded. */
function Gist({ part, open }: { part: TextPart; open: boolean }) {
  const node = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const draw = () => { if (node.current) node.current.textContent = gist(part); };
    draw();
    return open ? onGrowth(part, () => nextFrame(draw)) : undefined;
  }, [part, open]);
  return <span class="gist" ref={node} />;
}

function gist(part: TextPart): string {
  const flat = (part.open ? part.text.slice(-240) : part.text.slice(0, 400)).replace(/[`*]+/g, '').replace(/\s+/g, ' ').trim();
  const letters = [...flat];
  if (letters.length === 0) return '';
  if (part.open) return letters.length > 60 ? `…${letters.slice(-60).join('')}` : flat;
  return letters.length > 80 ? `${letters.slice(0, 79).join('')}…` : flat;
}
