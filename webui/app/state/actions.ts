/** What the reader can do to a session: send, stop, retry, edit, fork, choose a branch or a model. */
import { computed, signal } from '@preact/signals';
import type { Access, Turn, UserRow } from '../model/types.ts';
import { api } from '../wire/api.ts';
import { banner, describe, open, outbox, presets, readSessions, refreshSessions, removed, sessions, socket } from './app.ts';
import { draftOf, markSent, NEW } from './drafts.ts';
import { go, route, sessionPath } from './router.ts';
import type { Entry } from '../wire/outbox.ts';

/** The request that is being edited in the composer. */
export const editing = signal<UserRow | null>(null);
/** Text that the composer should take over, for example that of a message that could not be sent. */
export const handover = signal<{ text: string } | null>(null);
/** The model chosen for a session that does not exist yet. */
export const newPreset = signal<string | null>(null);
/** The access mode chosen for it. */
export const newAccess = signal<Access | null>(null);

export function send(content: string, mode: Entry['mode']): void {
  const chat_id = open.peek()?.id ?? null;
  const client_message_id = crypto.randomUUID();
  const edited = editing.peek();
  editing.value = null;
  markSent(chat_id ?? NEW, content, client_message_id);
  const preset = chat_id === null ? newPreset.peek() : gonePreset.peek() && presetOf(null)?.name;
  outbox.add({
    client_message_id, chat_id, content, mode, created_at: Date.now(),
    ...(edited && { parent_message_id: edited.parent_id }),
    ...(preset && { preset }),
    ...(chat_id === null && newAccess.peek() && { access: newAccess.peek()! }),
  });
  newAccess.value = null;
}

/** Puts a message that could not be sent back into the composer. */
export function editUnsent(entry: Entry): void {
  outbox.remove(entry.client_message_id);
  handover.value = { text: entry.content };
}

export const waitingText = (chat: string): { text: string; caret?: number } =>
  draftOf(chat, (id) => outbox.entries.some((e) => e.client_message_id === id));

export function stop(): void {
  const session = open.peek();
  if (session) socket.send({ type: 'stop', chat_id: session.id });
}

export function retry(turn: Turn): void {
  const session = open.peek();
  const instead = gonePreset.peek() ? presetOf(null)?.name : undefined;
  if (instead !== undefined) { void choosePreset(instead).then((chosen) => { if (chosen) retry(turn); }); return; }
  if (session && !socket.send({ type: 'retry', chat_id: session.id, turn_id: turn.id })) socket.nudge();
}

export async function fork(turn: Turn): Promise<void> {
  const session = open.peek();
  if (!session || turn.answer_id === undefined) return;
  await guarded(async () => {
    const seq = await seqOf(session.id, turn.answer_id!);
    if (seq === undefined) return;
    const made = await api.fork(session.id, seq);
    refreshSessions();
    go(sessionPath(made.id));
  });
}

/** Turns name their answer by id; the number that a fork needs stands in its row. */
async function seqOf(session: string, messageId: string): Promise<number | undefined> {
  let before: number | undefined;
  for (;;) {
    const { items } = await api.messages(session, before);
    const row = items.find((m) => m.id === messageId);
    if (row) return row.seq;
    const first = items[0]?.seq;
    if (first === undefined || first === before) return undefined;
    before = first;
  }
}

export async function chooseBranch(messageId: string): Promise<void> {
  const session = open.peek();
  if (!session) return;
  await guarded(async () => {
    await api.patchSession(session.id, { active_message_id: messageId });
    await session.feed.read();
  });
}

/** True when the session has it now; otherwise the banner says why not. */
export async function choosePreset(name: string): Promise<boolean> {
  const session = open.peek();
  if (!session) { newPreset.value = name; return true; }
  return guarded(async () => { session.adoptMeta(await api.patchSession(session.id, { preset: name })); });
}

/** True when the session has it now. */
export async function chooseAccess(access: Access | null): Promise<boolean> {
  const session = open.peek();
  if (!session) { newAccess.value = access; return true; }
  return guarded(async () => { session.adoptMeta(await api.patchSession(session.id, { access })); });
}

/** The name of the open session's preset when there is no such preset any more; what is sent then names the default one. */
export const gonePreset = computed((): string | null => {
  void open.value?.meta.value;
  const name = open.value ? open.value.view.preset : newPreset.value;
  return name !== null && presets.value.length > 0 && !presets.value.some((p) => p.name === name) ? name : null;
});

export const presetOf = (name: string | null) => presets.value.find((p) => p.name === name) ?? presets.value.find((p) => p.is_default);

export async function rename(id: string, title: string): Promise<void> {
  await guarded(async () => { await api.patchSession(id, { title }); await readSessions(); });
}

export async function pin(id: string, pinned: boolean): Promise<void> {
  await guarded(async () => { await api.patchSession(id, { pinned }); await readSessions(); });
}

/** The session that was deleted last, for as long as it can be brought back by one click. */
export const deleted = signal<{ id: string; title: string } | null>(null);
const UNDO_MS = 8000;
let undoTimer: ReturnType<typeof setTimeout> | undefined;

export async function remove(id: string, title: string): Promise<void> {
  await guarded(async () => {
    removed.add(id);
    await api.deleteSession(id).catch((e) => { removed.delete(id); throw e; });
    sessions.value = sessions.peek()?.filter((s) => s.id !== id) ?? null;
    const r = route.peek();
    if (r.page === 'session' && r.id === id) go('/', 'replace');
    deleted.value = { id, title };
    clearTimeout(undoTimer);
    undoTimer = setTimeout(() => { deleted.value = null; }, UNDO_MS);
    await readSessions();
  });
}

export async function undoRemove(): Promise<void> {
  const gone = deleted.peek();
  deleted.value = null;
  if (gone) await guarded(async () => { await api.restoreSession(gone.id); removed.delete(gone.id); await readSessions(); go(sessionPath(gone.id)); });
}

async function guarded(action: () => Promise<void>): Promise<boolean> {
  try { await action(); return true; } catch (error) { banner.value = describe(error).detail; return false; }
}
