/** Text that somebody is about to allow: characters that would not be seen are written out. */
import { t } from '../i18n/index.ts';
import { piecesOf } from '../model/approvals.ts';

export function ShownText({ text }: { text: string }) {
  return <>{piecesOf(text).map((p, i) => (p.hidden === undefined ? p.text : <span key={i} class="hidden-char" title={t.approval.hidden(p.hidden)}>{p.hidden}</span>))}</>;
}

export function ShownBlock({ text, label }: { text: string; label: string }) {
  return <pre class="shown" tabIndex={0} role="region" aria-label={label}><ShownText text={text} /></pre>;
}
