/** What every question to a person has: its frame, the time until which an answer counts, and how the answer is doing. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { duration, t, whenWords } from '../i18n/index.ts';
import type { Approval, Decision } from '../model/types.ts';
import { answer, answers, arm, armed, disarm, type Answer, type Body } from '../state/approvals.ts';
import { useNow } from './clock.ts';

/** Long enough to see what is asked: keys do nothing before. */
const SEEN_MS = 500;
const HOUR_MS = 3_600_000;

interface Props {
  approval: Approval;
  title: string;
  /** What is asked, shown behind the title. */
  name?: ComponentChildren;
  /** Answers with what is typed here; null when something typed is wrong, which the fields say. */
  bodyOf(decision: Decision): Body | null;
  children(decide: (decision: Decision) => void): ComponentChildren;
}

export function ApprovalFrame({ approval, title, name, bodyOf, children }: Props) {
  const id = approval.approval_id;
  const heading = useId();
  const node = useRef<HTMLDivElement>(null);
  const decide = useRef<(decision: Decision) => void>(() => undefined);
  decide.current = (decision) => {
    if (answers.peek().get(id)?.state === 'sending') return;
    const body = bodyOf(decision);
    if (body) void answer(id, body);
  };
  useInView(node, id, decide);
  useLayoutEffect(() => () => giveFocusBack(node.current), []);
  return (
    <div class={armed.value === id ? 'approval armed' : 'approval'} role="group" aria-labelledby={heading} tabIndex={-1} ref={node} data-approval={id}>
      <div class="approval-head"><h3 id={heading}>{title}</h3>{name}</div>
      {approval.reason && <p class="why" dir="auto">{approval.reason}</p>}
      {children((decision) => decide.current(decision))}
      <Sent answer={answers.value.get(id)} onRetry={(decision) => decide.current(decision)} />
      <Expiry at={approval.expires_at} />
    </div>
  );
}

/** In view is a card that is wholly on the screen, or one that fills it. */
function useInView(node: { current: HTMLElement | null }, id: string, decide: { current(decision: Decision): void }): void {
  useEffect(() => {
    const card = node.current;
    if (!card) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let shown = false;
    const settle = () => {
      clearTimeout(timer);
      disarm(id);
      if (!shown || document.hidden) return;
      takeFocus(card);
      timer = setTimeout(() => arm(id, { node: card, decide: (decision) => decide.current(decision) }), SEEN_MS);
    };
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry) return;
      const room = card.closest('#thread')?.clientHeight ?? innerHeight;
      const now = entry.isIntersecting && (entry.intersectionRatio >= 0.97 || entry.intersectionRect.height >= room * 0.9);
      if (now !== shown) { shown = now; settle(); }
    }, { threshold: Array.from({ length: 41 }, (_, i) => i / 40) });
    observer.observe(card);
    document.addEventListener('visibilitychange', settle);
    return () => { observer.disconnect(); clearTimeout(timer); document.removeEventListener('visibilitychange', settle); disarm(id); };
  }, [id]);
}

/** Only a reader who is doing nothing else is brought to the question. */
function takeFocus(card: HTMLElement): void {
  const field = document.getElementById('message');
  const focused = document.activeElement;
  const idle = focused === null || focused === document.body || focused.id === 'thread' || focused.id === 'main';
  if (idle && field instanceof HTMLTextAreaElement && field.value === '' && !document.querySelector('dialog[open]')) card.focus({ preventScroll: true });
}

/** The card goes when it is answered; who was in it goes on at the step that takes its place. */
function giveFocusBack(card: HTMLElement | null): void {
  if (!card?.contains(document.activeElement)) return;
  const step = card.closest<HTMLElement>('[data-step]')?.dataset.step;
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body && document.activeElement !== null) return;
    const place = step === undefined ? null : document.querySelector<HTMLElement>(`[data-step="${CSS.escape(step)}"] > summary`);
    (place ?? document.getElementById('thread'))?.focus({ preventScroll: true });
  });
}

function Expiry({ at }: { at: number }) {
  const now = useNow(true);
  const left = at - now;
  return <p class="expiry tabular">{left < HOUR_MS ? t.approval.expiresIn(duration(Math.max(1000, Math.ceil(left / 1000) * 1000))) : t.approval.expiresAt(whenWords(at, now))}</p>;
}

function Sent({ answer: now, onRetry }: { answer: Answer | undefined; onRetry(decision: Decision): void }) {
  if (!now || now.state === 'taken' || now.path === 'arguments') return null;
  if (now.state === 'sending') return <p class="delivery" role="status">{t.approval.sending}</p>;
  if (now.state === 'late') return <p class="delivery failed" role="alert">{t.approval.late(now.detail)}</p>;
  return (
    <p class="delivery failed" role="alert">
      {now.state === 'silent' ? t.outbox.noAnswer : t.outbox.failed(now.detail)}
      <button type="button" class="line" onClick={() => onRetry(now.decision)}>{t.retry}</button>
    </p>
  );
}

/** Which key does what; shown while it would do it, with its place kept. */
export function KeyHint({ keys }: { keys: string }) {
  return <kbd aria-hidden="true">{keys}</kbd>;
}

