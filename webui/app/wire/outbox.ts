/**
 * Messages between Enter and the server's proof that they are stored. They survive a reload, a lost connection and a
 * refused request; the server knows each by its `client_message_id`, so sending one again never makes a second message.
 */
import type { Access } from '../model/types.ts';

export type EntryState = 'sending' | 'waiting' | 'accepted' | 'failed';

export interface Entry {
  client_message_id: string;
  /** Null while the session itself still has to be made. */
  chat_id: string | null;
  content: string;
  mode: 'auto' | 'steer' | 'queue';
  parent_message_id?: string | null;
  preset?: string;
  /** For the session that is still to be made. */
  access?: Access;
  state: EntryState;
  /** Why it failed: a code and the server's words. */
  reason?: { code: string; detail: string };
  created_at: number;
}

export interface OutboxHost {
  storage: Pick<Storage, 'getItem' | 'setItem'>;
  send(frame: object): boolean;
  /** Makes the session for a first message. The key makes a second try answer with the same session. */
  createSession(entry: Entry): Promise<string>;
  describe(error: unknown): { code: string; detail: string; offline: boolean };
  /** A message was not answered: is the line still there? */
  probe(): void;
  onChange(): void;
}

const KEY = 'outbox';
export const NO_ANSWER = 'no_answer';
const ANSWER_MS = 5000;

export class Outbox {
  entries: Entry[];
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly creating = new Set<string>();

  constructor(private readonly host: OutboxHost) {
    this.entries = load(host.storage);
    for (const entry of this.entries) if (entry.state === 'sending') entry.state = 'waiting';
  }

  of(chatId: string | null): Entry[] {
    return this.entries.filter((e) => e.chat_id === chatId);
  }

  add(entry: Omit<Entry, 'state'>): void {
    this.entries.push({ ...entry, state: 'waiting' });
    this.save();
    this.push(entry.client_message_id);
  }

  /** A connection is ready: everything that is not known to be stored goes out again, in order. */
  connected(): void {
    for (const { client_message_id, state, reason } of [...this.entries]) {
      if (state === 'waiting' || reason?.code === NO_ANSWER) this.push(client_message_id);
    }
  }

  disconnected(): void {
    for (const [id, timer] of this.timers) { clearTimeout(timer); this.timers.delete(id); }
    for (const { client_message_id, state, reason } of [...this.entries]) {
      if (state === 'sending' || reason?.code === NO_ANSWER) this.change(client_message_id, 'waiting');
    }
  }

  retry(id: string): void { this.push(id); }

  accepted(id: string): void {
    this.patience(id, false);
    this.change(id, 'accepted');
  }

  failed(id: string, reason: { code: string; detail: string }): void {
    this.patience(id, false);
    this.change(id, 'failed', reason);
  }

  /** The server has it, or the reader threw it away. */
  remove(id: string): Entry | undefined {
    const at = this.entries.findIndex((e) => e.client_message_id === id);
    if (at === -1) return undefined;
    this.patience(id, false);
    const [entry] = this.entries.splice(at, 1);
    this.save();
    return entry;
  }

  /** The turns of a session were read: its accepted messages are among them, or on another branch. */
  settle(chatId: string, stored: ReadonlySet<string>): void {
    for (const entry of this.of(chatId)) {
      if (entry.state === 'accepted' || stored.has(entry.client_message_id)) this.remove(entry.client_message_id);
    }
  }

  private push(id: string): void {
    const entry = this.find(id);
    if (!entry) return;
    if (entry.chat_id === null) { void this.create(entry); return; }
    const { client_message_id, chat_id, content, mode, preset } = entry;
    const sent = this.host.send({
      type: 'message', chat_id, content, client_message_id, mode,
      ...(entry.parent_message_id !== undefined && { parent_message_id: entry.parent_message_id }),
      ...(preset && { preset }),
    });
    this.patience(id, sent);
    this.change(id, sent ? 'sending' : 'waiting');
  }

  private async create(entry: Entry): Promise<void> {
    const id = entry.client_message_id;
    if (this.creating.has(id)) return;
    this.creating.add(id);
    this.change(id, 'sending');
    try {
      const chatId = await this.host.createSession(entry);
      this.creating.delete(id);
      const still = this.find(id);
      if (!still) return;
      still.chat_id = chatId;
      this.save();
      this.push(id);
    } catch (error) {
      this.creating.delete(id);
      const { offline, code, detail } = this.host.describe(error);
      if (offline) this.change(id, 'waiting'); else this.change(id, 'failed', { code, detail });
    }
  }

  /** Silence for 5 s after sending is said aloud and the line is tried; the message stays. */
  private patience(id: string, start: boolean): void {
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
    if (start) this.timers.set(id, setTimeout(() => { this.failed(id, { code: NO_ANSWER, detail: '' }); this.host.probe(); }, ANSWER_MS));
  }

  private find(id: string): Entry | undefined { return this.entries.find((e) => e.client_message_id === id); }

  private change(id: string, state: EntryState, reason?: { code: string; detail: string }): void {
    const at = this.entries.findIndex((e) => e.client_message_id === id);
    const { reason: _, ...entry } = this.entries[at] ?? {} as Entry;
    if (at === -1) return;
    this.entries[at] = { ...entry, state, ...(reason && { reason }) };
    this.save();
  }

  private save(): void {
    this.host.storage.setItem(KEY, JSON.stringify(this.entries));
    this.host.onChange();
  }
}

function load(storage: OutboxHost['storage']): Entry[] {
  try {
    const list = JSON.parse(storage.getItem(KEY) ?? '[]') as Entry[];
    return Array.isArray(list) ? list.filter((e) => typeof e.client_message_id === 'string' && typeof e.content === 'string') : [];
  } catch { return []; }
}
