/** Search over sessions and messages in a dialog: answers that come late are dropped, marks are drawn from positions. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { pieces } from '../model/marks.ts';
import { Dialog } from '../parts/dialog.tsx';
import { sessions } from '../state/app.ts';
import { go, sessionPath } from '../state/router.ts';
import { api, type Marks, type SearchResult } from '../wire/api.ts';
import { focusComposer, suggestion } from './composer.tsx';

export const searchShown = signal(false);

const WAIT_MS = 120;
const RECENT = 8;

interface Hit { key: string; path: string; group: 'sessions' | 'messages' | 'recent'; title: string; titleMarks: Marks; snippet?: string; marks?: Marks }

const hitsOf = (r: SearchResult): Hit[] => [
  ...r.sessions.map((s): Hit => ({ key: s.session_id, path: sessionPath(s.session_id), group: 'sessions', title: s.title, titleMarks: s.marks })),
  ...r.messages.map((m): Hit => ({ key: m.message_id, path: sessionPath(m.session_id, m.message_id), group: 'messages', title: m.title, titleMarks: [], snippet: m.snippet, marks: m.marks })),
];
const recentHits = (): Hit[] => (sessions.peek() ?? []).slice(0, RECENT).map((s) => ({ key: s.id, path: sessionPath(s.id), group: 'recent', title: s.title, titleMarks: [] }));

export function SearchDialog() {
  return searchShown.value ? <Dialog title={t.search.title} class="search" onClose={() => { searchShown.value = false; }}><Search /></Dialog> : null;
}

function Search() {
  const [query, setQuery] = useState('');
  const [hits, setHits] = useState<Hit[]>(recentHits);
  const [state, setState] = useState<'idle' | 'failed' | 'none'>('idle');
  const [at, setAt] = useState(0);
  useEffect(() => {
    const q = query.trim();
    setAt(0);
    if (q === '') { setHits(recentHits()); setState('idle'); return undefined; }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api.search(q, stop.signal).then(
        (r) => { const found = hitsOf(r); setHits(found); setState(found.length ? 'idle' : 'none'); },
        () => { if (!stop.signal.aborted) { setHits([]); setState('failed'); } },
      );
    }, WAIT_MS);
    return () => { stop.abort(); clearTimeout(timer); };
  }, [query]);

  const open = (path: string) => { searchShown.value = false; go(path); };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.isComposing) return;
    const step = e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : 0;
    if (step) { e.preventDefault(); setAt(Math.max(0, Math.min(hits.length - 1, at + step))); }
    const hit = hits[at];
    if (e.key === 'Enter' && hit) { e.preventDefault(); open(hit.path); }
  };
  const start = () => { suggestion.value = query.trim(); open('/'); focusComposer.value++; };
  return <>
    <input
      data-first type="search" class="search-field" placeholder={t.search.placeholder} aria-label={t.search.placeholder} value={query} dir="auto"
      role="combobox" list={undefined} aria-expanded={hits.length > 0} aria-controls="hits" aria-activedescendant={hits[at] ? `hit-${at}` : undefined}
      onInput={(e) => setQuery(e.currentTarget.value)} onKeyDown={onKeyDown}
    />
    <p class="visually-hidden" role="status">{state === 'none' ? t.search.none(query) : query ? t.search.results(hits.length) : ''}</p>
    <div id="hits" role="listbox" aria-label={t.search.title} class="hits">
      {hits.map((hit, i) => <>
        {hits[i - 1]?.group !== hit.group && <div class="caps" role="presentation" key={hit.group}>{t.search[hit.group]}</div>}
        <a key={hit.key} id={`hit-${i}`} role="option" aria-selected={i === at} tabIndex={-1} class="hit" href={hit.path} onMouseMove={() => setAt(i)} onClick={() => { searchShown.value = false; }}>
          <span class="clip" dir="auto"><Marked text={hit.title || t.sidebar.untitled} marks={hit.titleMarks} /></span>
          {hit.snippet !== undefined && <span class="snippet" dir="auto"><Marked text={hit.snippet} marks={hit.marks ?? []} /></span>}
        </a>
      </>)}
    </div>
    {state === 'none' && <p class="pad">{t.search.none(query)} <button type="button" class="line" onClick={start}>{t.search.startWith}</button></p>}
    {state === 'failed' && <p class="pad" role="alert">{t.search.failed}</p>}
  </>;
}

function Marked({ text, marks }: { text: string; marks: Marks }) {
  return <>{pieces(text, marks).map((p, i) => (p.marked ? <mark key={i}>{p.text}</mark> : p.text))}</>;
}
