/** What models may cost at most: five limits, each of them optional. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { budgetForm, budgetPatch, checkBudget, isMoney, LIMITS, type Budget, type BudgetForm, type Limit } from '../model/rules.ts';
import { focusProblem, TextField } from '../parts/field.tsx';
import { Saved } from '../parts/saved.tsx';
import { save } from '../state/settings.ts';

export function BudgetSettings({ budget }: { budget: Budget }) {
  const [form, setForm] = useState<BudgetForm>(() => budgetForm(budget));
  const [problems, setProblems] = useState<Partial<Record<Limit, string>>>({});
  const [failed, setFailed] = useState('');
  const [saving, setSaving] = useState(false);
  const node = useRef<HTMLFormElement>(null);
  const s = t.toolSettings;
  const stored = JSON.stringify(budget);
  // What was saved, here or by taking it back, is what stands in the fields.
  useEffect(() => setForm(budgetForm(budget)), [stored]);

  const submit = async () => {
    const found = Object.entries(checkBudget(form));
    if (found.length > 0) { setProblems(Object.fromEntries(found.map(([limit, why]) => [limit, why === 'usd' ? t.budget.badUsd : t.budget.badTokens]))); focusProblem(node.current); return; }
    const patch = budgetPatch(budget, form);
    if (!patch) return;
    setSaving(true);
    const trouble = await save({ budget: patch }, 'budget');
    setSaving(false);
    if (!trouble) return;
    const limit = LIMITS.find((l) => trouble.path === `budget.${l}`);
    if (limit) { setProblems({ [limit]: trouble.detail }); focusProblem(node.current); } else setFailed(trouble.detail);
  };
  const field = (limit: Limit) => (
    <TextField
      key={limit} label={s.limits[limit]} value={form[limit]} problem={problems[limit]} inputMode={isMoney(limit) ? 'decimal' : 'numeric'} placeholder={s.noLimit}
      onText={(text) => { setForm({ ...form, [limit]: text }); setProblems({ ...problems, [limit]: undefined } as typeof problems); setFailed(''); }}
    />
  );
  return <>
    <h3>{s.budgets} <Saved place="budget" /></h3>
    <p class="quiet">{s.budgetsNote}</p>
    <form class="card-box" ref={node} noValidate aria-label={s.budgets} onSubmit={(e) => { e.preventDefault(); void submit(); }}>
      <div class="fields three">{LIMITS.filter(isMoney).map(field)}</div>
      <div class="fields three">{LIMITS.filter((l) => !isMoney(l)).map(field)}</div>
      {failed && <p class="note err" role="alert">{failed}</p>}
      <div class="row"><button type="submit" class="go" disabled={saving || budgetPatch(budget, form) === undefined}>{saving ? t.setup.saving : t.save}</button></div>
    </form>
  </>;
}
