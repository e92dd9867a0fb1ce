/** What turns may use at most: limits of money, tokens and time, each of them optional. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { budgetForm, budgetPatch, checkBudget, LIMIT_ROWS, limitAt, type Budget, type BudgetForm, type BudgetUnit, type Limit } from '../model/budget.ts';
import { INPUT_MODES } from '../parts/budget-card.tsx';
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
    if (found.length > 0) { setProblems(Object.fromEntries(found.map(([limit, unit]) => [limit, t.budget.problems[unit]]))); focusProblem(node.current); return; }
    const patch = budgetPatch(budget, form);
    if (!patch) return;
    setSaving(true);
    const trouble = await save({ budget: patch }, 'budget');
    setSaving(false);
    if (!trouble) return;
    const limit = limitAt(trouble.path);
    if (limit) { setProblems({ [limit]: trouble.detail }); focusProblem(node.current); } else setFailed(trouble.detail);
  };
  const field = (limit: Limit, unit: BudgetUnit) => (
    <TextField
      key={limit} label={s.limits[limit]} value={form[limit]} problem={problems[limit]} inputMode={INPUT_MODES[unit]} placeholder={s.noLimit}
      onText={(text) => { setForm({ ...form, [limit]: text }); setProblems({ ...problems, [limit]: undefined } as typeof problems); setFailed(''); }}
    />
  );
  return <>
    <h3>{s.budgets} <Saved place="budget" /></h3>
    <p class="quiet">{s.budgetsNote}</p>
    <form class="card-box" ref={node} noValidate aria-label={s.budgets} onSubmit={(e) => { e.preventDefault(); void submit(); }}>
      {LIMIT_ROWS.map(([unit, limits]) => <div class="fields three" key={unit}>{limits.map((limit) => field(limit, unit))}</div>)}
      {failed && <p class="note err" role="alert">{failed}</p>}
      <div class="row"><button type="submit" class="go" disabled={saving || budgetPatch(budget, form) === undefined}>{saving ? t.setup.saving : t.save}</button></div>
    </form>
  </>;
}
