/** Which heading of the sidebar a session stands under. */
import type { Session } from './types.ts';

export type GroupName = 'waiting' | 'pinned' | 'today' | 'yesterday' | 'week' | { year: number; month: number };
export interface SessionGroup { name: GroupName; sessions: Session[] }

const DAY_MS = 86_400_000;

export function groupSessions(sessions: Session[], now: Date): SessionGroup[] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const groups = new Map<string, SessionGroup>();
  for (const name of ['waiting', 'pinned', 'today', 'yesterday', 'week'] as const) groups.set(name, { name, sessions: [] });
  for (const session of sessions) {
    const name = nameOf(session, midnight);
    const key = typeof name === 'string' ? name : `${name.year}-${name.month}`;
    const group = groups.get(key) ?? { name, sessions: [] };
    groups.set(key, group);
    group.sessions.push(session);
  }
  return [...groups.values()].filter((g) => g.sessions.length > 0);
}

function nameOf(session: Session, midnight: number): GroupName {
  if (session.state === 'awaiting_approval') return 'waiting';
  if (session.pinned) return 'pinned';
  const at = session.last_message_at ?? session.created_at;
  if (at >= midnight) return 'today';
  if (at >= midnight - DAY_MS) return 'yesterday';
  if (at >= midnight - 6 * DAY_MS) return 'week';
  const date = new Date(at);
  return { year: date.getFullYear(), month: date.getMonth() };
}
