/** One request as it was sent: what differs from the one before, then system prompt, tools and messages. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count, t } from '../i18n/index.ts';
import { blockName, blockText, gistOf, startIsSame, type Block, type SentMessage, type SentRequest } from '../model/inspection.ts';
import { copyText } from '../parts/code-card.ts';

/** Longer texts show their beginning. */
const CHARS_SHOWN = 2000;
/** The newest messages matter most; a long conversation shows its end. */
const MESSAGES_SHOWN = 40;

export function Sent({ request: r }: { request: SentRequest }) {
  const i = t.inspect;
  return <>
    {!r.exact && <p class="note warn">{r.note || i.inexact}</p>}
    <Difference request={r} />
    <section>
      <h4>{i.sent}</h4>
      <Settings request={r} />
      <Fold summary={<><b>{i.system}</b> <span class="quiet">{i.chars(count(r.system.length))}</span></>}><Text text={r.system} label={i.system} /></Fold>
      <Fold summary={<><b>{i.tools}</b> <span class="quiet">{count(r.tools.length)}</span></>}>
        <div class="folds">{r.tools.map((tool) => (
          <Fold key={tool.name} summary={<><code>{tool.name}</code> <span class="gist-line">{tool.description}</span></>}>
            <p class="said">{tool.description}</p>
            <Text text={JSON.stringify(tool.parameters ?? {}, null, 2)} label={i.parameters(tool.name)} />
          </Fold>
        ))}</div>
      </Fold>
      <Messages messages={r.messages} />
    </section>
  </>;
}

function Settings({ request: r }: { request: SentRequest }) {
  const choice = r.tool_choice == null ? '' : typeof r.tool_choice === 'string' ? r.tool_choice : JSON.stringify(r.tool_choice);
  const facts: [string, string][] = [
    ['model', r.model], ['max_tokens', r.max_tokens == null ? '' : count(r.max_tokens)], ['temperature', r.temperature == null ? '' : String(r.temperature)], ['reasoning_effort', r.reasoning_effort ?? ''], ['tool_choice', choice],
  ];
  return <p class="sent-settings">{facts.filter(([, value]) => value !== '').map(([name, value]) => <span key={name}><code>{name}</code> {value}</span>)}</p>;
}

function Messages({ messages }: { messages: SentMessage[] }) {
  const [all, setAll] = useState(false);
  const first = all ? 0 : Math.max(0, messages.length - MESSAGES_SHOWN);
  return <>
    <h5>{t.inspect.messages} <span class="quiet">{count(messages.length)}</span></h5>
    {first > 0 && <button type="button" class="small" onClick={() => setAll(true)}>{t.inspect.earlier(first)}</button>}
    <ol class="folds">{messages.slice(first).map((m, n) => <li key={first + n}><Message message={m} number={first + n + 1} /></li>)}</ol>
  </>;
}

function Message({ message, number, sign = '' }: { message: SentMessage; number?: number; sign?: '' | '+' | '−' }) {
  const i = t.inspect;
  return (
    <Fold class={sign === '+' ? 'added-message' : sign === '−' ? 'removed-message' : ''} summary={<>{sign && <b aria-label={sign === '+' ? i.added : i.removed}>{sign}</b>}{number !== undefined && <span class="quiet tabular">{number}</span>}<b>{i.roles[message.role] ?? message.role}</b><span class="gist-line" dir="auto">{gistOf(message)}</span></>}>
      {message.blocks.map((block, n) => <BlockView key={n} block={block} />)}
    </Fold>
  );
}

function BlockView({ block }: { block: Block }) {
  const text = blockText(block);
  const name = blockName(block);
  const kind = t.inspect.blocks[block.type] ?? block.type;
  return (
    <div class="labelled">
      <div class="labelled-head"><span>{kind}{name && <> · <code>{name}</code></>}</span>{text && <button type="button" class="small" onClick={() => void copyText(text)}>{t.copy}</button>}</div>
      {text && <Text text={text} label={name ? `${kind}, ${name}` : kind} />}
    </div>
  );
}

function Text({ text, label }: { text: string; label: string }) {
  const [all, setAll] = useState(false);
  const cut = !all && text.length > CHARS_SHOWN;
  if (text === '') return <p class="quiet">{t.inspect.empty}</p>;
  return <>
    <pre class="sent-text" tabIndex={0} role="region" aria-label={label} dir="auto">{cut ? `${text.slice(0, CHARS_SHOWN)}…` : text}</pre>
    {cut && <button type="button" class="small" onClick={() => setAll(true)}>{t.inspect.showAll(count(text.length))}</button>}
  </>;
}

/** Its inside is made when it is opened first: a request may hold megabytes. */
function Fold({ summary, children, class: cls = '' }: { summary: ComponentChildren; children: ComponentChildren; class?: string }) {
  const [open, setOpen] = useState(false);
  return <details class={`sent-fold ${cls}`} open={open} onToggle={(e) => setOpen(e.currentTarget.open)}><summary>{summary}</summary>{open && <div class="sent-body">{children}</div>}</details>;
}

function Difference({ request: { difference: d } }: { request: SentRequest }) {
  const i = t.inspect;
  if (d.previous_id == null) return <section><h4>{i.difference}</h4><p class="quiet">{i.firstRequest}</p></section>;
  const same = startIsSame(d);
  const changed = [...(d.system_changed ? [i.systemChanged] : []), ...(d.tools_changed ? [i.toolsChanged] : []), ...(d.removed.length > 0 ? [i.messagesRemoved(d.removed.length)] : [])];
  return (
    <section>
      <h4>{i.difference}</h4>
      <p class={same ? 'note ok' : 'note warn'}>{same ? i.startSame(d.unchanged_messages) : i.startChanged(d.unchanged_messages, changed)}</p>
      {(d.removed.length > 0 || d.added.length > 0) && <ol class="folds">
        {d.removed.map((m, n) => <li key={`r${n}`}><Message message={m} sign="−" /></li>)}
        {d.added.map((m, n) => <li key={`a${n}`}><Message message={m} sign="+" /></li>)}
      </ol>}
    </section>
  );
}
