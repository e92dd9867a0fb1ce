/** Reads a unified diff by the counts of its hunks, so that content which looks like a file name (`--- x`) stays content. */

export type DiffLine = { kind: 'file' | 'hunk' | 'added' | 'removed' | 'same' | 'note'; text: string };
export type DiffModel = { lines: DiffLine[]; added: number; removed: number; files: number };

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const TOTALS = /in all \+(\d+) −(\d+)$/;

export function readDiff(diff: string): DiffModel {
  const model: DiffModel = { lines: [], added: 0, removed: 0, files: 0 };
  let file = { added: 0, removed: 0 };
  let oldLeft = 0, newLeft = 0;
  const endFile = () => { model.added += file.added; model.removed += file.removed; file = { added: 0, removed: 0 }; };
  const put = (kind: DiffLine['kind'], text: string) => model.lines.push({ kind, text });
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    if (line.startsWith('\\')) {
      // Of a file that is not shown whole the note has the totals.
      const totals = TOTALS.exec(line);
      if (totals) file = { added: Number(totals[1]), removed: Number(totals[2]) };
      put('note', line);
    } else if (oldLeft > 0 || newLeft > 0) {
      if (line.startsWith('+')) { newLeft--; file.added++; put('added', line); }
      else if (line.startsWith('-')) { oldLeft--; file.removed++; put('removed', line); }
      else { oldLeft--; newLeft--; put('same', line); }
    } else {
      const hunk = HUNK.exec(line);
      if (hunk) {
        oldLeft = Number(hunk[1] ?? 1); newLeft = Number(hunk[2] ?? 1);
        put('hunk', line);
      } else if (line.startsWith('--- ')) {
        endFile(); model.files++;
        put('file', line);
      } else put(line.startsWith('+++ ') ? 'file' : 'note', line);
    }
  }
  endFile();
  return model;
}

/** What there is to read: the name of an only file stands in the row, and the place of its only hunk says nothing. */
export function shownLines({ lines, files }: DiffModel): DiffLine[] {
  const hunks = lines.filter((line) => line.kind === 'hunk').length;
  return lines.filter((line) => (line.kind !== 'file' || files > 1) && (line.kind !== 'hunk' || hunks > 1));
}
