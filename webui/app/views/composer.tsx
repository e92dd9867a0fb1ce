/** The message field: drafts, sending, queueing and steering, editing an earlier message, the model, commands, and Stop. */
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { count, t } from '../i18n/index.ts';
import { composerAction } from '../keys/map.ts';
import { commandOf, findPreset, type Command } from '../model/slash.ts';
import { isBusy, isLive, queuedTurns } from '../model/turns.ts';
import { Icon } from '../parts/icon.tsx';
import { choosePreset, editing, gonePreset, handover, presetOf, send, stop, waitingText } from '../state/actions.ts';
import { limits, open, presets } from '../state/app.ts';
import { NEW, saveDraft } from '../state/drafts.ts';
import { sendKey } from '../state/prefs.ts';
import { AccessChoice } from './access-choice.tsx';
import { ModelChoice } from './model-choice.tsx';
import { modelPicker } from './model-picker.tsx';
import { describeField, hintKey, Hints, noteTyped } from './slash-hints.tsx';
import { follower } from './thread.tsx';
import { WaitingLine } from './waiting.tsx';

const DRAFT_MS = 300;

/** Text that a page offers to begin with; it is put into an empty field only. */
export const suggestion = signal('');
/** Asks for the focus; taken once. */
export const focusComposer = signal(0);

const length = signal(0);
/** What the last command did, until the next key. */
const said = signal<{ text: string; failed?: true } | null>(null);
let field: HTMLTextAreaElement | null = null;
let draftTimer: ReturnType<typeof setTimeout> | undefined;

function setText(text: string, caret = text.length): void {
  if (!field) return;
  field.value = text;
  field.setSelectionRange(caret, caret);
  noteLength();
  fit();
}

function noteLength(): void {
  length.value = field?.value.trim() === '' ? 0 : field?.value.length ?? 0;
  noteTyped(field?.value ?? '');
}

/** Browsers without `field-sizing` get their height from here. */
function fit(): void {
  if (!field || CSS.supports('field-sizing', 'content')) return;
  field.style.setProperty('height', 'auto');
  field.style.setProperty('height', `${field.scrollHeight}px`);
}

export function Composer({ chat }: { chat: string | null }) {
  const key = chat ?? NEW;
  const ref = useRef<HTMLTextAreaElement>(null);
  const justComposed = useRef(false);

  useLayoutEffect(() => {
    field = ref.current;
    const draft = waitingText(key);
    setText(draft.text, draft.caret);
    const keep = () => { clearTimeout(draftTimer); if (field && !editing.peek()) saveDraft(key, field.value, field.selectionStart); };
    addEventListener('pagehide', keep);
    said.value = null;
    const stopDescribing = describeField(ref.current!);
    return () => { removeEventListener('pagehide', keep); stopDescribing(); keep(); editing.value = null; };
  }, [key]);

  useEffect(() => { if (chat === null && matchMedia('(pointer: fine)').matches && document.activeElement === document.body) field?.focus(); }, []);
  useEffect(() => {
    if (!suggestion.value || !field || field.value) return;
    setText(suggestion.value);
    suggestion.value = '';
  }, [suggestion.value, key]);
  useEffect(() => { if (focusComposer.value) field?.focus(); }, [focusComposer.value]);
  useEffect(() => {
    if (!handover.value || !field) return;
    setText(field.value ? `${handover.value.text}\n${field.value}` : handover.value.text);
    handover.value = null;
    field.focus();
  }, [handover.value]);
  useEffect(() => {
    if (!editing.value) return;
    setText(editing.value.content);
    field?.focus();
  }, [editing.value]);

  const onInput = () => {
    said.value = null;
    noteLength();
    fit();
    if (editing.peek()) return;
    clearTimeout(draftTimer);
    draftTimer = setTimeout(() => { if (field) saveDraft(key, field.value, field.selectionStart); }, DRAFT_MS);
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (justComposed.current && e.key === 'Enter') return;
    if (hintKey(e, takeHint)) return;
    const action = composerAction(e, sendKey.peek(), field?.value === '' && !editing.peek(), busyNow());
    if (action === null || action === 'newline') return;
    if (action === 'edit_last') { if (editLast()) e.preventDefault(); return; }
    e.preventDefault();
    submit(action === 'steer' ? 'steer' : 'auto');
  };
  const onCompositionEnd = () => {
    justComposed.current = true;
    setTimeout(() => { justComposed.current = false; });
  };

  return (
    <footer class="foot">
      <WaitingLine />
      <Queue />
      {editing.value && <p class="editing">{t.composer.editing}<button type="button" class="line" onClick={leaveEdit}>{t.composer.leaveEdit}</button></p>}
      <form class="composer" onSubmit={(e) => { e.preventDefault(); submit('auto'); }}>
        <label class="visually-hidden" for="message">{t.composer.label}</label>
        <textarea
          id="message" ref={ref} rows={2} placeholder={t.composer.placeholder} aria-describedby="composer-note" dir="auto" enterkeyhint="send"
          onInput={onInput} onKeyDown={onKeyDown} onCompositionEnd={onCompositionEnd}
        />
        <Hints take={takeHint} />
        <Bar />
      </form>
    </footer>
  );
}

function busyNow(): boolean {
  const view = open.peek()?.view;
  return view !== undefined && (isBusy(view.state) || view.turns.some(isLive));
}

export function leaveEdit(): void {
  editing.value = null;
  const draft = waitingText(open.peek()?.id ?? NEW);
  setText(draft.text, draft.caret);
}

function editLast(): boolean {
  if (busyNow()) return false;
  const last = open.peek()?.view.turns.findLast((turn) => turn.user)?.user;
  if (last) editing.value = last;
  return last !== undefined;
}

function takeHint(text: string, run: boolean): void {
  setText(text);
  field?.focus();
  if (run) submit('auto');
}

/** A command never becomes a message. What could not be done keeps its text. */
async function run(command: Command, typed: string): Promise<void> {
  if (command.kind === 'complete') { setText(command.text); return; }
  if (command.name === '') { clear(); modelPicker.value = {}; return; }
  const preset = findPreset(presets.peek(), command.name);
  if (!preset) { said.value = { text: t.slash.unknownModel(command.name, presets.peek().map((p) => p.name)), failed: true }; return; }
  if (!await choosePreset(preset.name) || field?.value !== typed) return;
  clear();
  said.value = { text: t.slash.chosen(preset.model, preset.provider) };
}

function clear(): void {
  clearTimeout(draftTimer);
  if (editing.peek()) { leaveEdit(); return; }
  setText('');
  saveDraft(open.peek()?.id ?? NEW, '');
}

function submit(mode: 'auto' | 'steer'): void {
  const text = field?.value ?? '';
  const command = commandOf(text);
  if (command) { void run(command, text); return; }
  if (text.trim() === '' || [...text].length > limits.peek().max_message_chars) return;
  clearTimeout(draftTimer);
  send(text, mode);
  setText('');
  follower?.toEnd();
}

/** What stands below the field. It follows the session; the field itself is never drawn again while someone types. */
function Bar() {
  const session = open.value;
  void session?.meta.value;
  void session?.list.value;
  const busy = busyNow();
  const over = length.value - limits.value.max_message_chars;
  const empty = length.value === 0;
  const gone = gonePreset.value;
  const instead = gone === null ? undefined : presetOf(null);
  return <>
    {gone !== null && <p class="composer-note gone" role="status">{instead ? t.composer.modelGone(gone, `${instead.model} · ${instead.provider}`) : t.composer.modelGoneNone(gone)}</p>}
    <p class={said.value ? `composer-note ${said.value.failed ? 'failed' : 'quiet'}` : 'visually-hidden'} role="status">{said.value?.text}</p>
    <p id="composer-note" class={over > 0 ? 'composer-note failed' : 'visually-hidden'}>{over > 0 ? t.composer.tooLong(count(over)) : busy ? t.composer.hint : ''}</p>
    <div class="tools">
      <AccessChoice session={session} onChosen={(text) => { said.value = { text }; }} />
      <span class="sp" />
      <ModelChoice session={session} />
      {busy && !empty && <button type="button" class="line" title="Ctrl Enter" onClick={() => submit('steer')}>{t.composer.steer}</button>}
      {busy
        ? <>{!empty && <button type="submit" class="line">{t.composer.queue}</button>}<button type="button" class="go" title="Ctrl ." onClick={stop}>{t.composer.stop}</button></>
        : <button type="submit" class="go" aria-disabled={empty || over > 0}>{t.composer.send}</button>}
    </div>
  </>;
}

/** Messages that wait for the running turn to end. */
function Queue() {
  const session = open.value;
  if (!session) return null;
  void session.list.value;
  const queued = queuedTurns(session.view.turns);
  if (queued.length === 0) return null;
  return (
    <ol class="queue">
      {queued.map((turn, i) => <li key={turn.id} class="chip"><Icon name="chevron" /><b>{t.composer.queued(i + 1)}</b> <span class="chip-text" dir="auto">{turn.user?.content}</span></li>)}
    </ol>
  );
}
