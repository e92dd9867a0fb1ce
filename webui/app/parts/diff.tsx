/** A unified diff with text marks as well as colour; long ones show their first part, except where somebody is about to allow them. */
import { useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { ShownText } from './shown-text.tsx';

const LINES_SHOWN = 40;

export function Diff({ diff, label, whole = false }: { diff: string; label: string; whole?: boolean }) {
  const [all, setAll] = useState(whole);
  const lines = linesOf(diff);
  const shown = all ? lines : lines.slice(0, LINES_SHOWN);
  return <>
    <pre class="diff" tabIndex={0} aria-label={label}>{shown.map((line, i) => <span key={i} class={classOf(line)}>{whole ? <ShownText text={line} /> : line}{'\n'}</span>)}</pre>
    {shown.length < lines.length && <button type="button" class="small" onClick={() => setAll(true)}>{t.tool.showAll(lines.length)}</button>}
  </>;
}

/** Without the file names, which stand in the row, and without the position of an only hunk. */
function linesOf(diff: string): string[] {
  const lines = diff.replace(/\n$/, '').split('\n').filter((line) => !line.startsWith('--- ') && !line.startsWith('+++ '));
  return lines.filter((line) => line.startsWith('@@')).length > 1 ? lines : lines.filter((line) => !line.startsWith('@@'));
}

const classOf = (line: string): string => (line.startsWith('+') ? 'a' : line.startsWith('-') ? 'd' : line.startsWith('@@') ? 'h' : '');
