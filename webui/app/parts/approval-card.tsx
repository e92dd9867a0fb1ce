/** May this call run? What it would do in full, why it asks, and the answers: once, for more than once, no. */
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { hostOf, jsonOf, shownOf, typedArguments } from '../model/approvals.ts';
import { verbOf } from '../model/tools.ts';
import type { Approval, Cover, Decision } from '../model/types.ts';
import { open } from '../state/app.ts';
import { answers, change, drafts, NOTHING, type Body } from '../state/approvals.ts';
import { ApprovalFrame, KeyHint } from './approval-frame.tsx';
import { Diff } from './diff.tsx';
import { FieldWords } from './field.tsx';
import { ShownBlock, ShownText } from './shown-text.tsx';

export function ApprovalCard({ approval, object }: { approval: Approval; object: string }) {
  const id = approval.approval_id;
  const draft = drafts.value.get(id) ?? NOTHING;
  const answer = answers.value.get(id);
  const busy = answer?.state === 'sending';
  const a = t.approval;
  const changed = typedArguments(draft.arguments, approval.arguments);
  const isChanged = typeof changed === 'string' || changed.value !== null;

  const bodyOf = (decision: Decision): Body | null => {
    if (decision === 'deny') return { decision, ...(draft.note?.trim() && { reason: draft.note.trim() }) };
    const typed = typedArguments(drafts.peek().get(id)?.arguments ?? null, approval.arguments);
    if (typeof typed === 'string') { document.getElementById(`${id}-arguments`)?.focus(); return null; }
    return { decision, ...(typed.value !== null && { arguments: typed.value }) };
  };
  return (
    <ApprovalFrame approval={approval} title={a.titles[verbOf(approval.tool)]} name={<code class="tool-name">{approval.tool}</code>} bodyOf={bodyOf}>
      {(decide) => <>
        <What approval={approval} object={object} />
        <Where approval={approval} />
        {draft.arguments !== null && <ArgumentsField id={id} value={draft.arguments} problem={typeof changed === 'string' ? t.models.problems[changed] : answer?.path === 'arguments' ? answer.detail : undefined} />}
        <div class="row answers">
          <button type="button" class="go" aria-disabled={busy} aria-keyshortcuts="Alt+Enter" onClick={() => decide('allow_once')}>{isChanged ? a.onceChanged : a.once}<KeyHint keys="Alt Enter" /></button>
          <button type="button" class="line" aria-disabled={busy} aria-keyshortcuts="Alt+Backspace" onClick={() => decide('deny')}>{draft.note?.trim() ? a.denyWithNote : a.deny}<KeyHint keys="Alt Backspace" /></button>
          <span class="extras">
            {draft.note === null && <button type="button" class="small" onClick={() => change(id, { note: '' })}>{a.addNote}</button>}
            {draft.arguments === null && <button type="button" class="small" onClick={() => change(id, { arguments: jsonOf(approval.arguments) })}>{a.changeArguments}</button>}
          </span>
        </div>
        {draft.note !== null && <NoteField value={draft.note} onText={(note) => change(id, { note })} onEnter={() => decide('deny')} onClose={() => change(id, { note: null })} />}
        {approval.covers.length > 0 && !isChanged && <Scope covers={approval.covers} busy={busy} decide={decide} />}
      </>}
    </ApprovalFrame>
  );
}

/** Never cut: a command or a diff in full, else all arguments. */
function What({ approval, object }: { approval: Approval; object: string }) {
  const { command, rest } = shownOf(approval);
  if (approval.diff !== undefined) {
    return <>
      <p class="approval-object"><code dir="auto"><ShownText text={approval.hint || object} /></code></p>
      <Diff diff={approval.diff} label={t.tool.diff(object)} whole />
      {rest !== undefined && <details class="fold"><summary>{t.approval.allArguments}</summary><ShownBlock text={rest} label={t.approval.allArguments} /></details>}
    </>;
  }
  return <>
    {command !== undefined && <ShownBlock text={command} label={t.approval.command} />}
    {rest !== undefined && <ShownBlock text={rest} label={t.approval.allArguments} />}
  </>;
}

/** What works on files. */
const IN_FOLDER: ReadonlySet<string> = new Set(['read', 'edit', 'look', 'grep', 'run']);

function Where({ approval }: { approval: Approval }) {
  void open.value?.meta.value;
  const host = hostOf(approval);
  const folder = IN_FOLDER.has(verbOf(approval.tool)) ? open.value?.workspace ?? '' : '';
  const words = host ? t.approval.at : folder ? t.approval.in : '';
  return words ? <p class="where">{words} <code dir="auto">{host || folder}</code></p> : null;
}

function ArgumentsField({ id, value, problem }: { id: string; value: string; problem: string | undefined }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const name = `${id}-arguments`;
  useEffect(() => field.current?.focus(), []);
  return (
    <div class="field">
      <label for={name}>{t.approval.changedArguments}</label>
      <textarea
        id={name} ref={field} class="mono" rows={Math.min(14, value.split('\n').length + 1)} value={value} spellcheck={false} autocomplete="off"
        aria-invalid={problem ? true : undefined} aria-describedby={`${problem ? `${name}-problem ` : ''}${name}-note`} onInput={(e) => change(id, { arguments: e.currentTarget.value })}
      />
      <FieldWords id={name} problem={problem} note={t.approval.changedNote} />
      <div class="row"><button type="button" class="small" onClick={() => change(id, { arguments: null })}>{t.approval.keepArguments}</button></div>
    </div>
  );
}

function NoteField({ value, onText, onEnter, onClose }: { value: string; onText(text: string): void; onEnter(): void; onClose(): void }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <div class="field">
      <label for={id}>{t.approval.note}</label>
      <input
        id={id} ref={field} value={value} placeholder={t.approval.noteHint} dir="auto" autocomplete="off" onInput={(e) => onText(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.isComposing || e.altKey) return;
          if (e.key === 'Enter') { e.preventDefault(); onEnter(); }
          if (e.key === 'Escape') { e.preventDefault(); onClose(); }
        }}
      />
    </div>
  );
}

/** Says exactly which calls would not ask any more. */
function Scope({ covers, busy, decide }: { covers: Cover[]; busy: boolean; decide(decision: Decision): void }) {
  const a = t.approval;
  const id = useId();
  return (
    <div class="scope">
      <p id={id}>{a.scope} {covers.map((c, i) => <span key={i} class="cover">{i > 0 && ' · '}<CoverWords cover={c} /></span>)}</p>
      <div class="row">
        <button type="button" class="line" aria-disabled={busy} aria-describedby={id} onClick={() => decide('allow_session')}>{a.session}</button>
        <button type="button" class="small" aria-disabled={busy} aria-describedby={id} onClick={() => decide('allow_always')}>{a.always}</button>
      </div>
    </div>
  );
}

function CoverWords({ cover: { tool, match } }: { cover: Cover }) {
  const a = t.approval;
  if (match === '*') return <>{a.everyCall[0]}<code><ShownText text={tool} /></code>{a.everyCall[1]}</>;
  return <>{match.includes('*') ? a.like : a.exactly} <code><ShownText text={match} /></code> ({tool})</>;
}
