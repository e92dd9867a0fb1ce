/** Growing plain text with line breaks and code spans: finished lines are final, the last line is one text node. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { TextPart } from '../model/types.ts';
import { forget, repaint, type Paintable } from '../state/frame.ts';
import { onGrowth } from '../state/open-session.ts';

class Painter implements Paintable {
  private fed = 0;
  private text = '';
  private live = document.createTextNode('');

  constructor(private readonly root: Element, private part: TextPart, private readonly scroller: Element) { root.append(this.live); }

  adopt(part: TextPart): void {
    this.part = part;
    if (part.text.startsWith(this.text)) return;
    this.root.replaceChildren(this.live);
    this.live.data = '';
    this.fed = 0;
  }

  paint(): boolean {
    const { text, open } = this.part;
    if (text.length === this.fed) { if (!open) this.end(); return false; }
    const pinned = this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight < 24;
    const lines = (this.live.data + text.slice(this.fed)).split('\n');
    this.fed = text.length;
    this.text = text;
    const last = lines.pop() ?? '';
    for (const line of lines) this.finish(line);
    if (lines.length === 0 && last.startsWith(this.live.data)) this.live.appendData(last.slice(this.live.data.length));
    else this.live.data = last;
    if (!open) this.end();
    if (pinned) this.scroller.scrollTop = this.scroller.scrollHeight;
    return false;
  }

  /** Nothing more will come: the last line gets its code spans too. */
  private end(): void {
    if (!this.live.data.includes('`')) return;
    const last = this.live.data;
    this.live.data = '';
    this.spans(last);
  }

  private finish(line: string): void {
    this.spans(line);
    this.live.before('\n');
  }

  private spans(line: string): void {
    for (const [i, piece] of line.split(/`([^`]+)`/).entries()) {
      if (piece === '') continue;
      if (i % 2 === 0) { this.live.before(piece); continue; }
      const code = document.createElement('code');
      code.textContent = piece;
      this.live.before(code);
    }
  }
}

export function PlainText({ part, open, label }: { part: TextPart; open: boolean; label: string }) {
  const root = useRef<HTMLDivElement>(null);
  const painter = useRef<Painter | null>(null);
  useLayoutEffect(() => {
    const box = root.current!;
    const mine = painter.current ??= new Painter(box, part, box);
    mine.adopt(part);
    mine.paint();
    const off = onGrowth(part, () => repaint(mine));
    return () => { off(); forget(mine); };
  }, [part, open]);
  return <div class="think" tabIndex={0} role="region" aria-label={label} ref={root} />;
}
