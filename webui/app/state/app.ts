/** The running page: socket, outbox, list of sessions and the open session, tied together. */
import { effect, signal, untracked } from '@preact/signals';
import type { Access, Frame, Session } from '../model/types.ts';
import { api, ApiError, OfflineError, type Preset, type Setup } from '../wire/api.ts';
import { Outbox, type Entry } from '../wire/outbox.ts';
import { Socket, type RawSocket, type SocketState } from '../wire/socket.ts';
import { boot } from './boot.ts';
import { settleDraft } from './drafts.ts';
import { OpenSession } from './open-session.ts';
import { go, route, sessionPath } from './router.ts';

export const connection = signal<SocketState>('connecting');
export const limits = signal(boot.limits);
export const serverVersion = signal(boot.version);
export const sessions = signal<Session[] | null>(null);
export const sessionsError = signal(false);
export const moreSessions = signal<string | null>(null);
export const open = signal<OpenSession | null>(null);
export const outgoing = signal<Entry[]>([]);
export const presets = signal<Preset[]>([]);
export const setup = signal<Setup | null>(null);
/** An error of the connection that no message or turn owns. */
export const banner = signal('');
/** Sessions that this page deleted: the server's word about it is no news here. */
export const removed = new Set<string>();
/** The session whose end the banner tells. */
let bannerOf = '';
/** How often a text had to be read again because it differed from what was streamed. */
export const mismatches = signal(0);

export const socket = new Socket({
  open: () => new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`) as RawSocket,
  onFrame: receive,
  onState: (state) => {
    connection.value = state;
    if (state === 'ready') return;
    open.peek()?.feed.disconnected();
    outbox.disconnected();
  },
});

const send = (frame: object): boolean => socket.send(frame);

export const outbox: Outbox = new Outbox({
  storage: sessionStorage,
  send,
  createSession: async (entry) => {
    const session = await api.createSession(entry.preset ? { preset: entry.preset } : {}, entry.client_message_id);
    // Before its first message is sent.
    if (entry.access) await api.patchSession(session.id, { access: entry.access });
    if (route.peek().page === 'home') go(sessionPath(session.id));
    refreshSessions();
    return session.id;
  },
  describe,
  probe: () => socket.probe(),
  onChange: () => { outgoing.value = [...outbox.entries]; },
});
outgoing.value = [...outbox.entries];

export function describe(error: unknown): { code: string; detail: string; offline: boolean } {
  if (error instanceof ApiError) {
    if (error.status === 401) location.assign('/login');
    return { code: error.code, detail: error.detail, offline: false };
  }
  return { code: 'unreachable', detail: error instanceof Error ? error.message : String(error), offline: error instanceof OfflineError };
}

function receive(frame: Frame): void {
  switch (frame.event) {
    case 'ready':
      limits.value = frame.limits ?? limits.peek();
      serverVersion.value = frame.server_version;
      open.peek()?.feed.connected();
      outbox.connected();
      refreshSessions();
      return;
    case 'attached': if (frame.chat_id === open.peek()?.id) open.peek()?.feed.attached(frame); return;
    case 'accepted': accepted(frame); return;
    case 'error': refused(frame); return;
    case 'pong': return;
    case 'sessions_changed': refreshSessions(); return;
    default:
      if (frame.event === 'session_updated') patchListed(frame.chat_id, frame);
      if (frame.event === 'user_message' && frame.client_message_id) stored(frame.chat_id, frame.client_message_id);
      if (frame.chat_id === open.peek()?.id) open.peek()?.feed.event(frame);
  }
}

function accepted(frame: Extract<Frame, { event: 'accepted' }>): void {
  const id = frame.client_message_id;
  if (id === undefined) return;
  settleDraft(frame.chat_id, id);
  if (frame.chat_id === open.peek()?.id) outbox.accepted(id); else outbox.remove(id);
}

/** In the open session the row that waits goes in the frame that draws the real one, so that it stays the same row. */
function stored(chatId: string, clientId: string): void {
  settleDraft(chatId, clientId);
  if (chatId !== open.peek()?.id) outbox.remove(clientId);
}

function refused(frame: Extract<Frame, { event: 'error' }>): void {
  const { code, detail, client_message_id, chat_id } = frame;
  if (client_message_id !== undefined) { outbox.failed(client_message_id, { code, detail }); return; }
  const gone = code === 'no_session' && chat_id !== undefined ? chat_id : '';
  if (removed.has(gone)) return;
  bannerOf = gone;
  banner.value = detail || code;
}

/* The list of sessions */

let refreshTimer: ReturnType<typeof setTimeout> | undefined;

export function refreshSessions(): void {
  clearTimeout(refreshTimer);
  refreshTimer = setTimeout(() => void readSessions(), 120);
}

export async function readSessions(): Promise<void> {
  try {
    const page = await api.sessions(undefined, Math.max(100, Math.min(200, sessions.peek()?.length ?? 0)));
    sessions.value = page.items;
    moreSessions.value = page.next_cursor;
    sessionsError.value = false;
    if (bannerOf && page.items.some((s) => s.id === bannerOf)) bannerOf = banner.value = '';
    adoptListed();
  } catch (error) {
    describe(error);
    sessionsError.value = sessions.peek() === null;
  }
}

export async function readMoreSessions(): Promise<void> {
  const cursor = moreSessions.peek();
  if (!cursor) return;
  moreSessions.value = null;
  const page = await api.sessions(cursor);
  const have = new Set(sessions.peek()?.map((s) => s.id));
  sessions.value = [...sessions.peek() ?? [], ...page.items.filter((s) => !have.has(s.id))];
  moreSessions.value = page.next_cursor;
}

function patchListed(id: string, patch: Partial<Pick<Session, 'title' | 'state' | 'preset' | 'pinned'>> & { access?: Access | '' | null }): void {
  const fields: Partial<Session> = {};
  if (patch.title !== undefined) fields.title = patch.title;
  if (patch.state !== undefined) fields.state = patch.state;
  if (patch.preset !== undefined) fields.preset = patch.preset;
  if (patch.pinned !== undefined) fields.pinned = patch.pinned;
  if (patch.access !== undefined) fields.access = patch.access || null;
  sessions.value = sessions.peek()?.map((s) => (s.id === id ? { ...s, ...fields } : s)) ?? null;
}

function adoptListed(): void {
  const now = open.peek();
  const listed = sessions.peek()?.find((s) => s.id === now?.id);
  if (now && listed) now.adoptMeta(listed);
}

/* The open session follows the address */

function show(id: string | null): void {
  const now = open.peek();
  if (now?.id === id) return;
  now?.feed.close();
  if (id === null) { open.value = null; return; }
  const next = new OpenSession(id, send, {
    mismatch: () => { mismatches.value++; },
    stored: (clientId) => { outbox.remove(clientId); },
    reset: (session) => {
      const ids = session.view.turns.flatMap((t) => t.user?.client_message_id ?? []);
      for (const clientId of ids) settleDraft(session.id, clientId);
      outbox.settle(session.id, new Set(ids));
    },
  });
  open.value = next;
  void next.feed.read();
  adoptListed();
  if (!sessions.peek()?.some((s) => s.id === id)) void api.session(id).then((s) => next.adoptMeta(s), () => undefined);
}

export async function readPresets(): Promise<void> {
  try { presets.value = (await api.presets()).items; } catch (error) { describe(error); }
}

export async function readSetup(): Promise<void> {
  try { setup.value = await api.setup(); } catch (error) { describe(error); }
}

export function start(): void {
  effect(() => {
    const r = route.value;
    untracked(() => { if (r.page !== 'settings') show(r.page === 'session' ? r.id : null); });
  });
  socket.connect();
  void readPresets();
  void readSetup();
  addEventListener('online', () => socket.online());
  addEventListener('offline', () => socket.offline());
  document.addEventListener('visibilitychange', () => { if (!document.hidden) socket.nudge(); });
}
