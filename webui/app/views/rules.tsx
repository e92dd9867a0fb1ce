/** Permission rules in their order, which counts: the first that fits decides. Each change is saved as it is made. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { moved } from '../model/preset-form.ts';
import { rulePlace, ruleOf, shadowedBy, VERDICTS, type Rule, type RuleField, type Verdict } from '../model/rules.ts';
import { focusProblem, SelectField, TextField } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { Saved } from '../parts/saved.tsx';
import { announce } from '../state/announce.ts';
import { save, type Trouble } from '../state/settings.ts';

const NEW: Rule = { tool: '', match: '', decision: 'ask' };
const TOOLS = ['*', 'exec', 'write_file', 'edit_file', 'read_file', 'list_dir', 'find_files', 'grep', 'web_search', 'web_fetch', 'mcp_*'];
type Shown = { form: 'edit' | 'add'; at: number } | null;

export function Rules({ rules }: { rules: Rule[] }) {
  const [shown, setShown] = useState<Shown>(null);
  const [failed, setFailed] = useState('');
  const [busy, setBusy] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  /** The control that has the focus once the list is drawn again. */
  const focus = useRef('');
  useEffect(() => {
    if (focus.current) box.current?.querySelector<HTMLElement>(focus.current)?.focus();
    focus.current = '';
  }, [rules, shown]);
  const s = t.toolSettings;

  const store = async (next: Rule[]): Promise<Trouble | null> => {
    setBusy(true);
    const trouble = await save({ permissions: next }, 'permissions');
    setBusy(false);
    return trouble;
  };
  const change = async (next: Rule[], then: string, words: string) => {
    if (busy) return;
    focus.current = then;
    const trouble = await store(next);
    setFailed(trouble?.detail ?? '');
    if (!trouble) announce(words);
  };
  const move = (at: number, step: -1 | 1) => {
    const to = at + step;
    if (to < 0 || to >= rules.length) return;
    void change(moved(rules, at, step), `[data-rule="${to}"] [data-action=${step < 0 ? 'up' : 'down'}]`, s.ruleMoved(to + 1, rules.length));
  };
  const remove = (at: number) => {
    const next = Math.min(at, rules.length - 2);
    void change(rules.filter((_, i) => i !== at), next < 0 ? '[data-action=add]' : `[data-rule="${next}"] [data-action=remove]`, s.ruleRemoved);
  };
  const close = (then: string) => { focus.current = then; setShown(null); };
  const put = async (at: number, rule: Rule, adding: boolean): Promise<Trouble | null> => {
    const trouble = await store(adding ? [...rules, rule] : rules.map((r, i) => (i === at ? rule : r)));
    if (!trouble) close(`[data-rule="${at}"] [data-action=edit]`);
    return trouble;
  };
  return (
    <div class="rules" ref={box}>
      <h3>{s.rules} <Saved place="permissions" /></h3>
      <p class="quiet">{s.rulesNote}</p>
      {failed && <p class="note err" role="alert">{failed}</p>}
      {rules.length === 0 && <p>{s.noRules}</p>}
      {rules.length > 0 && <ol>{rules.map((rule, i) => (
        <li key={i} data-rule={i}>
          {shown?.form === 'edit' && shown.at === i
            ? <RuleForm rule={rule} title={s.editRule(i + 1)} at={i} onSave={(r) => put(i, r, false)} onCancel={() => close(`[data-rule="${i}"] [data-action=edit]`)} />
            : <RuleRow rule={rule} at={i} of={rules.length} shadow={shadowedBy(rules, i)} busy={busy} onMove={(step) => move(i, step)} onEdit={() => setShown({ form: 'edit', at: i })} onRemove={() => remove(i)} />}
        </li>
      ))}</ol>}
      {shown?.form === 'add'
        ? <RuleForm rule={NEW} title={s.addRule} at={rules.length} onSave={(r) => put(rules.length, r, true)} onCancel={() => close('[data-action=add]')} />
        : <p><button type="button" class="line" data-action="add" onClick={() => setShown({ form: 'add', at: rules.length })}>{s.addRule}</button></p>}
    </div>
  );
}

interface RowProps { rule: Rule; at: number; of: number; shadow: number; busy: boolean; onMove(step: -1 | 1): void; onEdit(): void; onRemove(): void }

function RuleRow({ rule, at, of, shadow, busy, onMove, onEdit, onRemove }: RowProps) {
  const s = t.toolSettings;
  const n = at + 1;
  return (
    <div class="rule">
      <span class="place tabular" aria-hidden="true">{n}</span>
      <span class={`verdict ${rule.decision}`}>{s.verdicts[rule.decision]}</span>
      <span class="rule-words">
        <code>{rule.tool}</code> {rule.match === '*' ? <span class="quiet">{s.anything}</span> : <code>{rule.match}</code>}
        {shadow !== -1 && <span class="shadowed">{s.shadowed(shadow + 1)}</span>}
      </span>
      <span class="rule-actions">
        <button type="button" class="icon-button up" data-action="up" aria-label={s.moveUp(n)} aria-disabled={busy || at === 0} onClick={() => onMove(-1)}><Icon name="chevron" /></button>
        <button type="button" class="icon-button down" data-action="down" aria-label={s.moveDown(n)} aria-disabled={busy || n === of} onClick={() => onMove(1)}><Icon name="chevron" /></button>
        <button type="button" class="line" data-action="edit" aria-label={s.editRule(n)} onClick={onEdit}>{t.edit}</button>
        <button type="button" class="line" data-action="remove" aria-label={s.removeRule(n)} aria-disabled={busy} onClick={onRemove}>{t.remove}</button>
      </span>
    </div>
  );
}

interface FormProps { rule: Rule; title: string; at: number; onSave(rule: Rule): Promise<Trouble | null>; onCancel(): void }

function RuleForm({ rule, title, at, onSave, onCancel }: FormProps) {
  const [form, setForm] = useState<Rule>(rule);
  const [problems, setProblems] = useState<Partial<Record<RuleField, string>>>({});
  const [failed, setFailed] = useState('');
  const [saving, setSaving] = useState(false);
  const node = useRef<HTMLFormElement>(null);
  const s = t.toolSettings;
  useEffect(() => node.current?.querySelector('input')?.focus(), []);
  const change = (fields: Partial<Rule>) => { setForm({ ...form, ...fields }); setProblems({}); setFailed(''); };
  const submit = async () => {
    const next = ruleOf(form);
    if (next.tool === '') { setProblems({ tool: t.models.problems.required }); focusProblem(node.current); return; }
    setSaving(true);
    const trouble = await onSave(next);
    if (!trouble) return;
    setSaving(false);
    const place = rulePlace(trouble.path);
    if (place?.at === at && place.field) { setProblems({ [place.field]: trouble.detail }); focusProblem(node.current); } else setFailed(trouble.detail);
  };
  return (
    <form class="card-box" ref={node} noValidate aria-label={title} onSubmit={(e) => { e.preventDefault(); void submit(); }} onKeyDown={(e) => { if (e.key === 'Escape') { e.stopPropagation(); onCancel(); } }}>
      <div class="fields three">
        <TextField label={s.tool} value={form.tool} problem={problems.tool} note={s.toolNote} required words={TOOLS.map((value) => ({ value }))} onText={(tool) => change({ tool })} />
        <TextField label={s.match} value={form.match} problem={problems.match} note={s.matchNote} placeholder="*" onText={(match) => change({ match })} />
        <SelectField label={s.decision} value={form.decision} problem={problems.decision} options={VERDICTS.map((v) => [v, s.verdicts[v]] as const)} onChoose={(v) => change({ decision: v as Verdict })} />
      </div>
      {failed && <p class="note err" role="alert">{failed}</p>}
      <div class="row">
        <button type="submit" class="go" disabled={saving}>{saving ? t.setup.saving : t.save}</button>
        <button type="button" class="line" onClick={onCancel}>{t.cancel}</button>
      </div>
    </form>
  );
}
