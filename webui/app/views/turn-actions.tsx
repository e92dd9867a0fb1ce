/** Copy, retry, fork, inspect and the versions of a finished turn. */
import { useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { answerText } from '../model/turns.ts';
import type { Branch, Turn } from '../model/types.ts';
import { copyText } from '../parts/code-card.ts';
import { Icon } from '../parts/icon.tsx';
import { chooseBranch, fork, retry } from '../state/actions.ts';
import { open } from '../state/app.ts';
import { inspectPath } from '../state/router.ts';

/** `retried`: the note about the turn's end already offers to retry it. */
export function TurnActions({ turn, retried }: { turn: Turn; retried: boolean }) {
  const text = answerText(turn);
  const branch = turn.user?.branch;
  const session = open.peek();
  return (
    <div class="acts" role="group" aria-label={t.actions.label}>
      {text && <CopyButton text={text} />}
      {turn.user && !retried && <button class="when-idle" type="button" onClick={() => retry(turn)}>{t.actions.retry}</button>}
      {turn.answer_id !== undefined && <button class="when-idle" type="button" onClick={() => void fork(turn)}>{t.actions.fork}</button>}
      {session && <a href={inspectPath(session.id, turn.id)}>{t.actions.inspect}</a>}
      {turn.user && branch && branch.count > 1 && <BranchPicker branch={branch} message={turn.user.id} />}
    </div>
  );
}

export function CopyButton({ text }: { text: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    if (!await copyText(text)) return;
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return <button type="button" onClick={() => void copy()}>{done ? t.copied : t.actions.copy}</button>;
}

/** The place among the siblings is looked up, so that it does not matter from where the server counts. */
function BranchPicker({ branch, message }: { branch: Branch; message: string }) {
  const index = branch.siblings.indexOf(message) + 1 || branch.count;
  const to = (step: number) => { const id = branch.siblings[index - 1 + step]; if (id) void chooseBranch(id); };
  return (
    <span class="branches" role="group" aria-label={t.actions.branchLabel(index, branch.count)}>
      <button type="button" class="icon-button" aria-label={t.actions.previous} disabled={index <= 1} onClick={() => to(-1)}><Icon name="back" /></button>
      <span class="tabular">{t.actions.branch(index, branch.count)}</span>
      <button type="button" class="icon-button" aria-label={t.actions.next} disabled={index >= branch.count} onClick={() => to(1)}><Icon name="chevron" /></button>
    </span>
  );
}
