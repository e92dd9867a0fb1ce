/** A tool call: verb, object, state and time in one line; input and output when opened. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { duration, t } from '../i18n/index.ts';
import { isPending } from '../model/approvals.ts';
import { markOf, objectOf, verbOf } from '../model/tools.ts';
import type { Approval, ToolPart, ToolStatus } from '../model/types.ts';
import { nextFrame } from '../state/frame.ts';
import { onGrowth } from '../state/open-session.ts';
import { ApprovalCard } from './approval-card.tsx';
import { useElapsed } from './clock.ts';
import { copyText } from './code-card.ts';
import { Decided } from './decided.tsx';
import { Diff } from './diff.tsx';
import { readDiff } from '../model/diff.ts';
import { Step } from './step.tsx';

const LINES_SHOWN = 40;
const ERROR_LINES = 8;
const DIFF_OPEN_LINES = 40;

interface Props {
  part: ToolPart;
  /** Fields of the part again, because parts change in place. */
  status: ToolStatus;
  approval: Approval | undefined;
  id: string;
}

export function ToolRow({ part, status, approval, id }: Props) {
  if (status === 'waiting' && approval && isPending(approval)) return <div class="step wait" data-step={id}><ApprovalCard approval={approval} object={objectOf(part)} /></div>;
  return <><ToolStep part={part} status={status} id={id} />{approval && <Decided approval={approval} />}</>;
}

function ToolStep({ part, status, id }: Omit<Props, 'approval'>) {
  const running = status === 'running';
  const [live, done] = t.tool.verbs[verbOf(part.name)];
  const failed = status === 'error' || status === 'denied';
  const counts = part.diff ? readDiff(part.diff) : null;
  const shortDiff = part.diff !== undefined && part.diff.split('\n').length <= DIFF_OPEN_LINES;
  return (
    <Step
      id={id} mark={markOf(part)} state={stateWords(part)} open={failed || shortDiff}
      summary={<>
        <b>{running || part.status === 'waiting' || part.status === 'denied' ? live : done}</b> <code dir="auto">{objectOf(part)}</code>
        {counts && <span class="counts"><span class="added">+{counts.added}</span> <span class="removed">−{counts.removed}</span></span>}
        {part.exit_code !== undefined && part.exit_code !== 0 && <span>— {t.tool.exit(part.exit_code)}</span>}
        {part.status !== 'ok' && !running && part.exit_code === undefined && <span>— {stateWords(part)}</span>}
      </>}
      aside={running ? <Running /> : part.duration_ms !== undefined && duration(part.duration_ms)}
      body={() => <ToolBody part={part} status={status} />}
    />
  );
}

function stateWords(part: ToolPart): string {
  switch (part.status) {
    case 'running': case 'ok': return '';
    default: return t.tool[part.status] ?? part.status;
  }
}

function Running() {
  return <span class="tabular">{duration(Math.max(100, Math.floor(useElapsed(true) / 1000) * 1000))}</span>;
}

function ToolBody({ part, status }: { part: ToolPart; status: ToolStatus }) {
  const [, setDrawn] = useState(0);
  const redraw = useCallback(() => setDrawn((n) => n + 1), []);
  useEffect(() => onGrowth(part, () => nextFrame(redraw)), [part]);
  const output = part.output || part.preview || '';
  const diff = part.diff && status !== 'waiting' ? <Diff diff={part.diff} label={t.tool.diff(objectOf(part))} /> : null;
  if (diff && status === 'ok') return <div class="tool-body">{diff}</div>;
  return (
    <div class="tool-body">
      {diff}
      {inputMatters(part) && <Labelled name={t.tool.input}><pre tabIndex={0} aria-label={t.tool.input}>{inputText(part)}</pre></Labelled>}
      {status !== 'running' || output
        ? <Labelled name={t.tool.output} copy={output}>{output ? <Output text={output} tail={status === 'running'} error={status === 'error'} /> : <p class="quiet">{t.tool.noOutput}</p>}</Labelled>
        : null}
    </div>
  );
}

export function Labelled({ name, copy, children }: { name: string; copy?: string; children: preact.ComponentChildren }) {
  return <section class="labelled"><div class="labelled-head"><span>{name}</span>{copy ? <button type="button" class="small" onClick={() => void copyText(copy)}>{t.copy}</button> : null}</div>{children}</section>;
}

export function Output({ text, tail, error }: { text: string; tail: boolean; error: boolean }) {
  const [all, setAll] = useState(false);
  const lines = stripAnsi(text).split('\n');
  const limit = error ? ERROR_LINES : LINES_SHOWN;
  const cut = !all && lines.length > limit;
  const shown = cut ? (tail ? lines.slice(-limit) : lines.slice(0, limit)) : lines;
  return <>
    <pre tabIndex={0} aria-label={t.tool.output}>{shown.join('\n')}</pre>
    {cut && <button type="button" class="small" onClick={() => setAll(true)}>{t.tool.showAll(lines.length)}</button>}
  </>;
}

const stripAnsi = (text: string): string => text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '');

/** The line of a known tool with one short argument already shows all of its input. */
function inputMatters(part: ToolPart): boolean {
  const args = part.arguments;
  const values = typeof args === 'object' && args !== null ? Object.values(args) : [args];
  return verbOf(part.name) === 'use' || values.length > 1 || String(values[0] ?? '').length > 80 || String(values[0] ?? '').includes('\n');
}

function inputText(part: ToolPart): string {
  const args = part.arguments;
  if (typeof args === 'object' && args !== null) {
    const { command } = args as { command?: unknown };
    if (typeof command === 'string' && verbOf(part.name) === 'run') return command;
  }
  return typeof args === 'string' ? args : JSON.stringify(args ?? {}, null, 2);
}
