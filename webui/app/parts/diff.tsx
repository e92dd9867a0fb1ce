/** A unified diff with text marks as well as colour; long ones show their first part, except where somebody is about to allow them. */
import { useMemo, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { readDiff, shownLines } from '../model/diff.ts';
import { ShownText } from './shown-text.tsx';

const LINES_SHOWN = 40;

export function Diff({ diff, label, whole = false }: { diff: string; label: string; whole?: boolean }) {
  const [all, setAll] = useState(whole);
  const lines = useMemo(() => shownLines(readDiff(diff)), [diff]);
  const shown = all ? lines : lines.slice(0, LINES_SHOWN);
  return <>
    <pre class="diff" tabIndex={0} aria-label={label}>{shown.map((line, i) => <span key={i} class={CLASSES[line.kind]}>{whole ? <ShownText text={line.text} /> : line.text}{'\n'}</span>)}</pre>
    {shown.length < lines.length && <button type="button" class="small" onClick={() => setAll(true)}>{t.tool.showAll(lines.length)}</button>}
  </>;
}

const CLASSES = { file: 'h', hunk: 'h', note: 'h', added: 'a', removed: 'd', same: '' } as const;
