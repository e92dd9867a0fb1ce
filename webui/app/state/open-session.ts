/** The session on the screen: its feed, and the signals through which views learn what changed. */
import { batch, signal, type Signal } from '@preact/signals';
import type { Change } from '../model/session.ts';
import type { Access, Approval, Part, Turn } from '../model/types.ts';
import { isSettled } from '../model/turns.ts';
import { Feed, type FeedHost } from '../wire/feed.ts';
import { api, ApiError } from '../wire/api.ts';
import { nextFrame } from './frame.ts';

export type LoadState = 'loading' | 'ready' | 'missing' | 'error';

/** Called when the text of a part has grown; keyed by the part itself. */
const growth = new WeakMap<Part, Set<() => void>>();

export function onGrowth(part: Part, listener: () => void): () => void {
  const set = growth.get(part) ?? new Set();
  growth.set(part, set.add(listener));
  return () => { set.delete(listener); };
}

/** What the rest of the page does with a change, in the same frame as the views that show it. */
export interface Seen {
  mismatch(): void;
  stored(clientId: string): void;
  reset(session: OpenSession): void;
}

export class OpenSession {
  readonly feed: Feed;
  readonly load = signal<LoadState>('loading');
  /** Changes when turns come, go or move. */
  readonly list = signal(0);
  /** Changes with title, state, model or meter. */
  readonly meta = signal(0);
  /** The folder that the agent works in, when the session has one of its own. */
  workspace = '';
  private readonly turns = new WeakMap<Turn, Signal<number>>();
  private readonly changed = new Set<Turn>();
  private readonly stored = new Set<string>();
  private wasReset = false;
  private listChanged = false;
  private metaChanged = false;

  constructor(readonly id: string, send: FeedHost['send'], private readonly seen: Seen) {
    this.feed = new Feed(id, {
      send,
      turns: (chat, before) => api.turns(chat, before),
      onReset: () => this.reset(),
      onChange: (change) => this.note(change),
      onError: (error) => { if (this.load.peek() !== 'ready') this.load.value = error instanceof ApiError && error.status === 404 ? 'missing' : 'error'; },
    });
  }

  get view() { return this.feed.view; }

  /** Reading `.value` of it makes a view redraw when this turn changes. */
  version(turn: Turn): Signal<number> {
    const have = this.turns.get(turn) ?? signal(0);
    this.turns.set(turn, have);
    return have;
  }

  /** Title, state and model as the list of sessions has them. */
  adoptMeta(meta: { title: string; preset: string | null; pinned: boolean; access?: Access | null; workspace?: string | null }): void {
    this.workspace = meta.workspace ?? '';
    Object.assign(this.view, { title: meta.title, preset: meta.preset, pinned: meta.pinned, access: meta.access ?? null });
    this.metaChanged = true;
    nextFrame(this.publish);
  }

  /** The answer that the server took; its event says the same, and may come later. */
  adoptApproval(approval: Approval): void {
    for (const turn of this.view.turns) {
      for (const part of turn.parts) {
        if ((part.kind !== 'tool' && part.kind !== 'approval') || part.approval?.approval_id !== approval.approval_id) continue;
        part.approval = { ...part.approval, ...approval };
        this.note({ outcome: 'applied', turn, meta: true });
      }
    }
  }

  private reset(): void {
    this.load.value = 'ready';
    this.wasReset = this.listChanged = this.metaChanged = true;
    nextFrame(this.publish);
  }

  private note(change: Change): void {
    if (change.outcome !== 'applied') return;
    if (change.reread === 'text_differs') this.seen.mismatch();
    if (change.client_message_id !== undefined) this.stored.add(change.client_message_id);
    if (change.grown) {
      for (const listener of growth.get(change.grown) ?? []) listener();
      return;
    }
    if (change.turn) this.changed.add(change.turn);
    this.listChanged ||= change.list === true;
    this.metaChanged ||= change.meta === true;
    nextFrame(this.publish);
  }

  private readonly publish = (): void => batch(() => {
    for (const turn of this.changed) this.version(turn).value++;
    this.changed.clear();
    for (const id of this.stored) this.seen.stored(id);
    this.stored.clear();
    if (this.wasReset) this.seen.reset(this);
    if (this.listChanged) this.list.value++;
    if (this.metaChanged) this.meta.value++;
    this.wasReset = this.listChanged = this.metaChanged = false;
  });
}

export const subscribeTurn = (session: OpenSession, turn: Turn): void => {
  if (!isSettled(turn)) void session.version(turn).value;
};
