/** The text of an answer: a box that the Markdown engine fills, once an animation frame, while the text grows. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { createParser } from '../markdown/parser.ts';
import { StreamingMarkdown } from '../markdown/stream.ts';
import type { TextPart } from '../model/types.ts';
import { forget, repaint, type Paintable } from '../state/frame.ts';
import { onGrowth } from '../state/open-session.ts';
import { markdownHooks } from './code-card.ts';

const parser = createParser();

class Painter implements Paintable {
  private engine: StreamingMarkdown;
  private fed = '';
  private ended = false;

  constructor(private readonly root: Element, private part: Pick<TextPart, 'text' | 'open'>) {
    this.engine = new StreamingMarkdown(root, parser, markdownHooks);
  }

  /** The same text under another object goes on where the last one stopped; other text starts again. */
  adopt(part: Pick<TextPart, 'text' | 'open'>): void {
    this.part = part;
    if (part.text.startsWith(this.fed) && !(this.ended && part.text.length > this.fed.length)) return;
    this.root.replaceChildren();
    this.engine = new StreamingMarkdown(this.root, parser, markdownHooks);
    this.fed = '';
    this.ended = false;
  }

  paint(): boolean {
    if (this.ended) return false;
    const { text, open } = this.part;
    if (text.length > this.fed.length) {
      this.engine.append(text.slice(this.fed.length));
      this.fed = text;
    }
    if (this.engine.flush()) return true;
    if (!open) {
      this.engine.end();
      this.ended = true;
    }
    return false;
  }
}

export function Prose({ part, open }: { part: TextPart; open: boolean }) {
  const root = useRef<HTMLDivElement>(null);
  const painter = useRef<Painter | null>(null);
  useLayoutEffect(() => {
    const mine = painter.current ??= new Painter(root.current!, part);
    mine.adopt(part);
    if (mine.paint()) repaint(mine);
    const off = onGrowth(part, () => repaint(mine));
    return () => { off(); forget(mine); };
  }, [part, open]);
  return <div class="prose" ref={root} />;
}
