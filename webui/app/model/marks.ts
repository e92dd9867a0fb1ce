/** Cuts a search snippet into plain and marked pieces; the server counts in Unicode scalars. */
export interface Piece { text: string; marked: boolean }

export function pieces(text: string, marks: [number, number][]): Piece[] {
  const letters = [...text];
  const out: Piece[] = [];
  let at = 0;
  for (const [start, length] of [...marks].sort((a, b) => a[0] - b[0])) {
    if (start < at || length <= 0) continue;
    if (start > at) out.push({ text: letters.slice(at, start).join(''), marked: false });
    out.push({ text: letters.slice(start, start + length).join(''), marked: true });
    at = start + length;
  }
  if (at < letters.length) out.push({ text: letters.slice(at).join(''), marked: false });
  return out.filter((p) => p.text !== '');
}
