/** Closes or hides Markdown syntax that is still being typed, so that the reader never sees marks that vanish a moment later. */
/**
 * Closes emphasis, code spans and links that are still being typed, and hides a marker that is alone on
 * an unfinished line ("-", "##", "1."), so that the reader never sees syntax that vanishes a moment later.
 */
export function heal(src: string): string {
  const marker = /(^|\n)[ \t]*([-=*+>|_]+|#{1,6}|\d{1,9}[.)]?)[ \t]*$/.exec(src);
  if (marker) src = src.slice(0, marker.index + marker[1]!.length);
  const at = src.lastIndexOf('\n\n') + 1;
  let last = src.slice(at);
  if (/^\s*(```|~~~|\$\$)/m.test(last)) return src;
  if (count(last, /`/g) % 2) return src + '`';
  last = last.replace(/!?\[([^\]\n]{0,200})(\]\([^)\s]*)?$/, '$1').replace(/(^|\s)\*{1,2}$|~{1,2}$/, '$1');
  const bare = last.replace(/`[^`]*`/g, '');
  let closers = '';
  if (count(bare, /\*\*/g) % 2) closers += bare.endsWith('*') && !bare.endsWith('**') ? '*' : '**';
  if (count(bare, /~~/g) % 2) closers += '~~';
  return src.slice(0, at) + (closers ? last.trimEnd() + closers : last);
}

const count = (s: string, re: RegExp): number => s.match(re)?.length ?? 0;
