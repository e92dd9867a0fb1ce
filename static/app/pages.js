import {
  $,
  A,
  ACCESSES,
  ApiError,
  Boundary,
  Dialog,
  FieldWords,
  INPUT_MODES,
  Icon,
  LANGUAGES,
  LIMIT_ROWS,
  MenuButton,
  P,
  PRESET_FIELDS,
  REASONING,
  SECTIONS,
  SEND_KEYS,
  SelectField,
  Strips,
  T,
  TextField,
  a,
  announce,
  api,
  boot,
  budgetForm,
  budgetPatch,
  check,
  checkBudget,
  copyText,
  count,
  d,
  describe,
  difference,
  duration,
  exportPath,
  fieldOf,
  fineMoney,
  firstWords,
  focusComposer,
  focusProblem,
  formOf,
  freeName,
  isSettled,
  leaveInspector,
  limitAt,
  longDay,
  mismatches,
  money,
  moved,
  percent,
  presets,
  readPresets,
  readSettings,
  readSetup,
  reasoning,
  removePatch,
  renamePatch,
  save,
  saved,
  sendKey,
  serverVersion,
  sessionPath,
  sessions,
  setLanguage,
  setReasoning,
  setSendKey,
  setTheme,
  settings,
  settingsFailed,
  settingsOf,
  setup,
  short,
  shortDay,
  suggestion,
  t,
  theme,
  undo
} from "./shared-2.js";
import "./shared.js";

// app/views/model-field.tsx
function ModelField({ value, onModel, provider, resolve, known = [], problem, required }) {
  const [items, setItems] = d([]);
  const [state, setState] = d("idle");
  const key = JSON.stringify(provider);
  A(() => {
    setItems([]);
    setState("idle");
  }, [key]);
  const load = async () => {
    if (provider === null || state === "loading") return;
    setState("loading");
    try {
      const page = await api.providerModels(resolve ? await resolve() : provider);
      setItems(page.items);
      setState({ found: page.items.length });
    } catch (error) {
      setState({ failed: describe(error).detail });
    }
  };
  const windowOf = (model) => items.find((m) => m.id === model)?.context_window_tokens ?? void 0;
  const ids = new Set(items.map((m) => m.id));
  const words = [...items.map((m) => ({ value: m.id, ...m.context_window_tokens && { label: t.settings.window(short(m.context_window_tokens), false) } })), ...known.filter((m) => !ids.has(m)).map((m) => ({ value: m }))];
  const note = state === "loading" ? t.models.listing : state === "idle" ? void 0 : "found" in state ? t.models.listed(state.found) : t.models.listFailed(state.failed);
  return /* @__PURE__ */ a(
    TextField,
    {
      label: t.setup.model,
      value,
      required,
      placeholder: t.setup.modelHint,
      problem,
      note,
      words,
      onFocus: () => {
        if (typeof provider === "string" && state === "idle") void load();
      },
      onText: (model) => onModel(model, windowOf(model.trim())),
      beside: provider !== null && /* @__PURE__ */ a("button", { type: "button", class: "line", disabled: state === "loading", onClick: () => void load(), children: t.models.list })
    }
  );
}

// app/model/provider-form.ts
function providerForm(p) {
  const body = p.extra_body && Object.keys(p.extra_body).length > 0 ? JSON.stringify(p.extra_body, null, 2) : "";
  return {
    kind: p.kind,
    base_url: p.base_url ?? "",
    key: "keep",
    api_key: "",
    proxy: p.proxy ?? "",
    headers: Object.keys(p.extra_headers ?? {}).map((name) => ({ name, value: "", stored: true })),
    query: Object.entries(p.extra_query ?? {}).map(([name, value]) => ({ name, value })),
    body
  };
}
var isEmpty = (pair) => pair.name.trim() === "" && pair.value === "";
var moves = (p, f) => f.base_url.trim() !== (p.base_url ?? "");
var losesSecrets = (p, f) => moves(p, f) && ((p.api_key_set || p.api_key_env !== void 0) && f.key === "keep" || f.headers.some((h) => h.stored));
function isUrl(text, schemes) {
  try {
    return schemes.test(new URL(text).protocol);
  } catch {
    return false;
  }
}
function checkProvider(p, f) {
  const out = {};
  const url = f.base_url.trim(), proxy = f.proxy.trim();
  if (url !== "" && moves(p, f) && !isUrl(url, /^https?:$/)) out.base_url = "url";
  if (proxy !== "" && proxy !== p.proxy && !isUrl(proxy, /^(https?|socks5h?):$/)) out.proxy = "url";
  if (f.key === "replace" && f.api_key.trim() === "") out.api_key = "required";
  const headers = f.headers.filter((h) => !isEmpty(h)), query = f.query.filter((q) => !isEmpty(q));
  if (headers.some((h) => !/^[!#$%&'*+.^_`|~\w-]+$/.test(h.name.trim()))) out.extra_headers = "header_name";
  else if (new Set(headers.map((h) => h.name.trim().toLowerCase())).size < headers.length) out.extra_headers = "twice";
  else if (headers.some((h) => !h.stored && h.value === "")) out.extra_headers = "required";
  if (query.some((q) => q.name.trim() === "")) out.extra_query = "pair_name";
  else if (new Set(query.map((q) => q.name.trim())).size < query.length) out.extra_query = "twice";
  const body = bodyOf(f.body);
  if (typeof body === "string") out.extra_body = body;
  return out;
}
function bodyOf(text) {
  if (text.trim() === "") return {};
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return "json";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "json_object";
  return hasNull(value) ? "json_null" : value;
}
var hasNull = (v) => v === null || typeof v === "object" && Object.values(v).some(hasNull);
function providerPatch(p, f) {
  const out = {};
  if (f.kind !== p.kind) out.kind = f.kind;
  if (moves(p, f)) out.base_url = f.base_url.trim() || null;
  if (f.key === "replace") out.api_key = f.api_key.trim();
  if (f.key === "remove") out.api_key = null;
  if (f.proxy.trim() !== (p.proxy ?? "")) out.proxy = f.proxy.trim() || null;
  const headers = {};
  for (const name of Object.keys(p.extra_headers ?? {})) if (!f.headers.some((h) => h.name.trim() === name)) headers[name] = null;
  for (const h of f.headers) if (!h.stored && !isEmpty(h)) headers[h.name.trim()] = h.value;
  if (Object.keys(headers).length > 0) out.extra_headers = headers;
  const query = difference(p.extra_query ?? {}, Object.fromEntries(f.query.filter((q) => !isEmpty(q)).map((q) => [q.name.trim(), q.value])));
  if (query !== void 0) out.extra_query = query;
  const body = bodyOf(f.body);
  const change = typeof body === "string" ? void 0 : difference(p.extra_body ?? {}, body);
  if (change !== void 0) out.extra_body = change;
  return Object.keys(out).length > 0 ? out : null;
}

// app/views/provider-form.tsx
var KINDS = ["openai", "openai-responses", "anthropic"];
var kindOptions = () => KINDS.map((k) => [k, t.models.kinds[k]]);
var FIELDS = ["kind", "base_url", "api_key", "proxy", "extra_headers", "extra_query", "extra_body"];
var ADVANCED = ["extra_headers", "extra_query", "extra_body"];
function ProviderForm({ name, provider, onSaved, onCancel }) {
  const [form, setForm] = d(() => providerForm(provider));
  const [problems, setProblems] = d({});
  const [failed, setFailed] = d("");
  const [saving, setSaving] = d(false);
  const [advanced, setAdvanced] = d(form.headers.length + form.query.length > 0 || form.body !== "");
  const node = T(null);
  const m = t.models;
  const change = (fields, about) => {
    setForm((before) => ({ ...before, ...fields }));
    setProblems(({ [about]: _, ...rest }) => rest);
    setFailed("");
  };
  const refuse = (found) => {
    setProblems(found);
    if (ADVANCED.some((f) => found[f])) setAdvanced(true);
    focusProblem(node.current);
  };
  const submit = async () => {
    const found = Object.entries(checkProvider(provider, form));
    if (found.length > 0) {
      refuse(Object.fromEntries(found.map(([field2, why]) => [field2, m.problems[why]])));
      return;
    }
    const patch = providerPatch(provider, form);
    if (!patch) {
      onCancel();
      return;
    }
    setSaving(true);
    const trouble = await save({ providers: { [name]: patch } }, `provider:${name}`);
    setSaving(false);
    if (!trouble) {
      onSaved();
      return;
    }
    const field = fieldOf(trouble.path, "providers", name);
    const known = FIELDS.find((f) => f === field || field?.startsWith(`${f}.`));
    if (known) refuse({ [known]: trouble.detail });
    else setFailed(trouble.detail);
  };
  return /* @__PURE__ */ a("form", { class: "card-box", ref: node, noValidate: true, "aria-label": m.editProvider(name), onSubmit: (e) => {
    e.preventDefault();
    void submit();
  }, children: [
    /* @__PURE__ */ a("div", { class: "fields", children: [
      /* @__PURE__ */ a(SelectField, { label: t.setup.kind, value: form.kind, problem: problems.kind, options: kindOptions(), onChoose: (kind) => change({ kind }, "kind") }),
      /* @__PURE__ */ a(
        TextField,
        {
          label: t.setup.baseUrl,
          type: "url",
          inputMode: "url",
          value: form.base_url,
          problem: problems.base_url,
          warning: losesSecrets(provider, form) ? m.keyDropped : void 0,
          onText: (base_url) => change({ base_url }, "base_url")
        }
      ),
      /* @__PURE__ */ a(KeyField, { provider, form, problem: problems.api_key, onChange: (fields) => change(fields, "api_key") }),
      /* @__PURE__ */ a(TextField, { label: m.proxy, type: "url", inputMode: "url", placeholder: m.proxyNone, value: form.proxy, problem: problems.proxy, onText: (proxy) => change({ proxy }, "proxy") })
    ] }),
    /* @__PURE__ */ a("details", { class: "fold", open: advanced, onToggle: (e) => setAdvanced(e.currentTarget.open), children: [
      /* @__PURE__ */ a("summary", { children: m.advanced }),
      /* @__PURE__ */ a("div", { class: "advanced", children: [
        /* @__PURE__ */ a(Pairs, { label: m.headers, note: m.headersNote, add: m.addHeader, secret: true, pairs: form.headers, problem: problems.extra_headers, onChange: (headers) => change({ headers }, "extra_headers") }),
        /* @__PURE__ */ a(Pairs, { label: m.query, note: m.queryNote, add: m.addQuery, pairs: form.query, problem: problems.extra_query, onChange: (query) => change({ query }, "extra_query") }),
        /* @__PURE__ */ a(BodyField, { value: form.body, problem: problems.extra_body, onText: (body) => change({ body }, "extra_body") })
      ] })
    ] }),
    failed && /* @__PURE__ */ a("p", { class: "note err", role: "alert", children: failed }),
    /* @__PURE__ */ a("div", { class: "row", children: [
      /* @__PURE__ */ a("button", { type: "submit", class: "go", disabled: saving, children: saving ? t.setup.saving : t.save }),
      /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: onCancel, children: t.cancel })
    ] })
  ] });
}
function KeyField({ provider, form, problem, onChange }) {
  const m = t.models;
  const has = provider.api_key_set || provider.api_key_env !== void 0;
  if (!has || form.key === "replace") {
    return /* @__PURE__ */ a(
      TextField,
      {
        label: t.setup.apiKey,
        type: "password",
        value: form.api_key,
        problem,
        placeholder: m.keyPlaceholder,
        note: m.keyNote,
        onText: (api_key) => onChange({ api_key, key: has || api_key !== "" ? "replace" : "keep" }),
        beside: has && /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: () => onChange({ key: "keep", api_key: "" }), children: m.keepKey })
      }
    );
  }
  const state = provider.api_key_env !== void 0 ? t.settings.keyFrom(provider.api_key_env) : t.settings.keySet;
  return /* @__PURE__ */ a("div", { class: "field", role: "group", "aria-label": t.setup.apiKey, children: [
    /* @__PURE__ */ a("span", { children: t.setup.apiKey }),
    /* @__PURE__ */ a("div", { class: "field-line key-state", children: [
      /* @__PURE__ */ a("span", { children: form.key === "remove" ? m.keyRemoved : state }),
      form.key === "remove" ? /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: () => onChange({ key: "keep" }), children: t.undo }) : /* @__PURE__ */ a($, { children: [
        /* @__PURE__ */ a("button", { type: "button", class: "line", "aria-label": m.replaceKey, onClick: () => onChange({ key: "replace" }), children: m.replace }),
        /* @__PURE__ */ a("button", { type: "button", class: "line", "aria-label": m.removeKey, onClick: () => onChange({ key: "remove" }), children: t.remove })
      ] })
    ] })
  ] });
}
function Pairs({ label, note, add, secret = false, pairs, problem, onChange }) {
  const id = P();
  const box = T(null);
  const set = (at2, pair) => onChange(pairs.map((p, i) => i === at2 ? pair : p));
  const grow = () => {
    onChange([...pairs, { name: "", value: "" }]);
    requestAnimationFrame(() => box.current?.querySelector(".pair:last-of-type input")?.focus());
  };
  const drop = (at2) => {
    onChange(pairs.filter((_, i) => i !== at2));
    requestAnimationFrame(() => box.current?.querySelector("[data-add]")?.focus());
  };
  return /* @__PURE__ */ a("fieldset", { class: "pairs", ref: box, "aria-describedby": `${id}-note`, children: [
    /* @__PURE__ */ a("legend", { children: label }),
    /* @__PURE__ */ a(FieldWords, { id, note }),
    pairs.map((pair, i) => /* @__PURE__ */ a("div", { class: "pair", children: [
      /* @__PURE__ */ a(
        "input",
        {
          "aria-label": `${label}: ${t.models.pairName}`,
          placeholder: t.models.pairName,
          autocomplete: "off",
          spellcheck: false,
          value: pair.name,
          readOnly: pair.stored === true,
          "aria-invalid": problem && !pair.stored && (pair.name === "" || pair.value !== "") ? true : void 0,
          onInput: (e) => set(i, { ...pair, name: e.currentTarget.value })
        }
      ),
      pair.stored ? /* @__PURE__ */ a($, { children: [
        /* @__PURE__ */ a("span", { class: "quiet", children: t.models.valueSet }),
        /* @__PURE__ */ a("button", { type: "button", class: "line", "aria-label": t.models.replaceOf(pair.name), onClick: () => set(i, { name: pair.name, value: "" }), children: t.models.replace })
      ] }) : /* @__PURE__ */ a(
        "input",
        {
          "aria-label": `${label}: ${t.models.pairValue}`,
          placeholder: t.models.pairValue,
          ...{ type: secret ? "password" : "text" },
          autocomplete: "off",
          spellcheck: false,
          value: pair.value,
          "aria-invalid": problem && pair.name !== "" && pair.value === "" ? true : void 0,
          onInput: (e) => set(i, { ...pair, value: e.currentTarget.value })
        }
      ),
      /* @__PURE__ */ a("button", { type: "button", class: "icon-button", "aria-label": t.models.removePair(pair.name), onClick: () => drop(i), children: /* @__PURE__ */ a(Icon, { name: "close" }) })
    ] }, i)),
    /* @__PURE__ */ a(FieldWords, { id, problem }),
    /* @__PURE__ */ a("button", { type: "button", class: "line", "data-add": true, onClick: grow, children: add })
  ] });
}
function BodyField({ value, problem, onText }) {
  const id = P();
  return /* @__PURE__ */ a("div", { class: "field", children: [
    /* @__PURE__ */ a("label", { for: id, children: t.models.body }),
    /* @__PURE__ */ a("textarea", { id, rows: 4, class: "mono", spellcheck: false, placeholder: '{ "top_k": 20 }', value, "aria-invalid": problem ? true : void 0, "aria-describedby": `${problem ? `${id}-problem ` : ""}${id}-note`, onInput: (e) => onText(e.currentTarget.value) }),
    /* @__PURE__ */ a(FieldWords, { id, problem, note: t.models.bodyNote })
  ] });
}

// app/views/test-result.tsx
function useTest() {
  const [busy, setBusy] = d(false);
  const [result, setResult] = d(null);
  const [error, setError] = d("");
  const clear = () => {
    setResult(null);
    setError("");
  };
  const run = async (provider, model) => {
    clear();
    setBusy(true);
    try {
      setResult(await api.testProvider({ provider, model }));
    } catch (e) {
      setError(describe(e).detail);
    }
    setBusy(false);
  };
  return { busy, result, error, run, clear };
}
function TestWords({ test }) {
  const { busy, result, error } = test;
  return /* @__PURE__ */ a("div", { role: "status", children: [
    busy && /* @__PURE__ */ a("p", { class: "quiet", children: t.setup.testing }),
    result && (result.ok ? /* @__PURE__ */ a("p", { class: "note ok", children: [
      t.setup.ok(duration(result.latency_ms)),
      result.text && /* @__PURE__ */ a($, { children: [
        " — ",
        /* @__PURE__ */ a("q", { dir: "auto", children: result.text.slice(0, 120) })
      ] })
    ] }) : /* @__PURE__ */ a("p", { class: "note err", children: t.setup.failed(result.error.detail || result.error.code) })),
    error && /* @__PURE__ */ a("p", { class: "note err", children: t.setup.failed(error) })
  ] });
}

// app/views/model-setup.tsx
var BLANK = { name: "custom", kind: "openai", base_url: "", api_key: "", env: "", model: "" };
var ofFound = (f) => ({ ...BLANK, name: f.provider, kind: f.kind, base_url: f.base_url, env: f.source === "key" ? f.env ?? "" : "", model: f.models[0] ?? "" });
var ofKnown = (p, model) => ({ ...BLANK, name: p.name, kind: p.kind, base_url: p.base_url, model });
var keyOf = (c) => c.api_key || (c.env ? `\${${c.env}}` : "");
var providerOf = (c) => ({ kind: c.kind, ...c.base_url && { base_url: c.base_url }, ...keyOf(c) && { api_key: keyOf(c) } });
var address = (url) => (url ?? "").trim().replace(/\/+$/, "");
var isSame = (c, p) => p.kind === c.kind && address(p.base_url) === address(c.base_url) && !c.api_key && (!c.env || c.env === p.api_key_env);
async function placeOf(choice) {
  const { providers } = await api.settings();
  for (let n = 1; ; n++) {
    const name = n === 1 ? choice.name : `${choice.name}-${n}`;
    const have = Object.hasOwn(providers, name) ? providers[name] : void 0;
    if (!have || isSame(choice, have)) return { name, made: have !== void 0 };
  }
}
async function providerToAsk(choice) {
  const { name, made } = await placeOf(choice);
  return made ? name : providerOf(choice);
}
async function save2(choice, preset, makeDefault) {
  const { name, made } = await placeOf(choice);
  await api.patchSettings({
    ...!made && { providers: { [name]: providerOf(choice) } },
    presets: { [preset]: { provider: name, model: choice.model, ...choice.window && { context_window_tokens: choice.window } } },
    ...makeDefault && { agent: { preset } }
  });
  await Promise.all([readPresets(), readSetup()]);
}
async function saveDemo() {
  const { provider, model } = setup.peek()?.demo ?? { provider: "demo", model: "demo" };
  await api.patchSettings({ providers: { [provider]: { kind: "demo" } }, presets: { demo: { provider, model } }, agent: { preset: "demo" } });
  await Promise.all([readPresets(), readSetup()]);
}
function ModelSetup({ onDone, named = false, demo = true }) {
  const offered = setup.value;
  const known = offered?.providers.filter((p) => p.available) ?? [];
  const found = offered?.found ?? null;
  const [choice, setChoice] = d(BLANK);
  const [preset, setPreset] = d("");
  const [makeDefault, setMakeDefault] = d(!named);
  const [saving, setSaving] = d(false);
  const test = useTest();
  const busy = saving || test.busy;
  const [error, setError] = d("");
  A(() => {
    void readSetup();
  }, []);
  A(() => {
    const first = found?.find((f) => f.models.length > 0) ?? found?.[0];
    const offer = first ? ofFound(first) : known[0] ? ofKnown(known[0], "") : BLANK;
    if (offered) setChoice((now) => now === BLANK ? offer : now);
  }, [offered]);
  const names = new Set(presets.value.map((p) => p.name));
  const replace = (next) => {
    setChoice(next);
    test.clear();
    setError("");
  };
  const change = (fields) => replace({ ...choice, ...fields });
  const hasModel = () => {
    if (!choice.model.trim()) setError(t.setup.needModel);
    return choice.model.trim() !== "";
  };
  const guarded = async (action) => {
    setSaving(true);
    setError("");
    try {
      await action();
      onDone();
    } catch (e) {
      setError(describe(e).detail);
    }
    setSaving(false);
  };
  const ask = async () => {
    if (!hasModel()) return;
    try {
      await test.run(await providerToAsk(choice), choice.model.trim());
    } catch (e) {
      setError(describe(e).detail);
    }
  };
  const store = () => {
    if (hasModel()) void guarded(() => save2({ ...choice, model: choice.model.trim() }, preset.trim() || freeName(choice.model, names), makeDefault));
  };
  return /* @__PURE__ */ a("form", { class: "setup", onSubmit: (e) => {
    e.preventDefault();
    store();
  }, children: [
    /* @__PURE__ */ a(FoundList, { found, choice, onChoose: replace }),
    /* @__PURE__ */ a(Fields, { choice, known, models: found?.find((f) => f.provider === choice.name)?.models ?? [], onChange: change, onReplace: replace }),
    named && /* @__PURE__ */ a($, { children: [
      /* @__PURE__ */ a(TextField, { label: t.setup.name, value: preset, placeholder: freeName(choice.model, names), onText: setPreset }),
      /* @__PURE__ */ a("label", { class: "check", children: [
        /* @__PURE__ */ a("input", { type: "checkbox", checked: makeDefault, onChange: (e) => setMakeDefault(e.currentTarget.checked) }),
        t.setup.makeDefault
      ] })
    ] }),
    /* @__PURE__ */ a("div", { class: "row", children: [
      /* @__PURE__ */ a("button", { type: "button", class: "line", disabled: busy, onClick: () => void ask(), children: test.busy ? t.setup.testing : t.setup.test }),
      /* @__PURE__ */ a("button", { type: "submit", class: "go", disabled: busy, children: saving ? t.setup.saving : named ? t.save : t.setup.save })
    ] }),
    /* @__PURE__ */ a(TestWords, { test: { ...test, busy: false } }),
    error && /* @__PURE__ */ a("p", { class: "note err", role: "alert", children: error }),
    demo && /* @__PURE__ */ a("div", { class: "demo", children: [
      /* @__PURE__ */ a("button", { type: "button", class: "line", disabled: busy, onClick: () => void guarded(saveDemo), children: t.setup.demo }),
      /* @__PURE__ */ a("span", { class: "quiet", children: t.setup.demoNote })
    ] })
  ] });
}
var isOf = (choice, f) => choice.name === f.provider && choice.base_url === f.base_url;
function FoundList({ found, choice, onChoose }) {
  if (!found) return null;
  if (found.length === 0) return /* @__PURE__ */ a("p", { class: "quiet", children: t.setup.nothingFound });
  return /* @__PURE__ */ a("fieldset", { class: "found", children: [
    /* @__PURE__ */ a("legend", { children: t.setup.found }),
    found.map((f) => /* @__PURE__ */ a("label", { class: isOf(choice, f) ? "pick on" : "pick", children: [
      /* @__PURE__ */ a("input", { type: "radio", name: "found", checked: isOf(choice, f), onChange: () => onChoose(ofFound(f)) }),
      /* @__PURE__ */ a("span", { children: [
        /* @__PURE__ */ a("b", { children: f.label }),
        " ",
        /* @__PURE__ */ a("span", { class: "quiet", children: [
          f.source === "server" ? t.setup.server : t.setup.key(f.env ?? ""),
          f.models.length > 0 && ` · ${f.models.slice(0, 3).join(", ")}${f.models.length > 3 ? "…" : ""}`
        ] })
      ] })
    ] }, `${f.source}${f.provider}`))
  ] });
}
function Fields({ choice, known, models, onChange, onReplace }) {
  const listed = known.some((p) => p.name === choice.name);
  const pick = (name) => {
    const provider = known.find((p) => p.name === name);
    onReplace(provider ? ofKnown(provider, "") : { ...BLANK, model: choice.model });
  };
  return /* @__PURE__ */ a("fieldset", { class: "fields", children: [
    /* @__PURE__ */ a("legend", { children: t.setup.other }),
    /* @__PURE__ */ a(SelectField, { label: t.setup.provider, value: listed ? choice.name : "", options: [...known.map((p) => [p.name, p.label]), ["", t.setup.custom]], onChoose: pick }),
    !listed && /* @__PURE__ */ a(SelectField, { label: t.setup.kind, value: choice.kind, options: kindOptions(), onChoose: (kind) => onChange({ kind }) }),
    /* @__PURE__ */ a(TextField, { label: t.setup.baseUrl, type: "url", inputMode: "url", placeholder: "http://127.0.0.1:8000/v1", value: choice.base_url, onText: (base_url) => onChange({ base_url, env: "" }) }),
    /* @__PURE__ */ a(TextField, { label: t.setup.apiKey, type: "password", placeholder: choice.env ? t.setup.keyFrom(choice.env) : t.setup.keyHint, value: choice.api_key, onText: (api_key) => onChange({ api_key }) }),
    /* @__PURE__ */ a(ModelField, { value: choice.model, known: models, provider: choice.base_url ? providerOf(choice) : null, resolve: () => providerToAsk(choice), required: true, onModel: (model, window) => onChange({ model, window }) })
  ] });
}

// app/views/first-run.tsx
function FirstRun() {
  const done = () => {
    suggestion.value = t.home.example;
    focusComposer.value++;
    announce(t.setup.done);
  };
  return /* @__PURE__ */ a("section", { class: "first-run", "aria-labelledby": "first-run-title", children: [
    /* @__PURE__ */ a("h2", { id: "first-run-title", class: "question", children: t.setup.title }),
    /* @__PURE__ */ a("p", { children: t.setup.intro }),
    /* @__PURE__ */ a(ModelSetup, { onDone: done })
  ] });
}

// app/model/inspection.ts
var startIsSame = (d2) => !d2.system_changed && !d2.tools_changed && d2.removed.length === 0;
function barsOf(inspection) {
  const spans = [
    ...inspection.requests.map((r) => ({ kind: "model", key: `r${r.id}`, name: r.model, iteration: r.iteration, ok: r.ok, at: r.started_at, durationMs: r.duration_ms })),
    ...inspection.calls.flatMap((c) => c.started_at == null ? [] : [{ kind: "tool", key: `c${c.call_id}/${c.iteration}`, name: c.name, iteration: c.iteration, ok: c.status === "ok", at: c.started_at, durationMs: c.duration_ms ?? Math.max(0, (c.ended_at ?? c.started_at) - c.started_at), call: c }])
  ].sort((a2, b) => a2.at - b.at || (a2.kind === b.kind ? 0 : a2.kind === "model" ? -1 : 1));
  const start = Math.min(...spans.map((s) => s.at));
  const whole = Math.max(1, Math.max(...spans.map((s) => s.at + s.durationMs)) - start);
  return spans.map(({ at: at2, ...span }) => ({ ...span, from: (at2 - start) / whole, width: span.durationMs / whole }));
}
function blockText(block) {
  const text = (key) => typeof block[key] === "string" ? block[key] : "";
  switch (block.type) {
    case "text":
    case "thinking":
      return text("text");
    case "result":
      return text("text");
    case "call":
      return typeof block.arguments === "string" ? block.arguments : JSON.stringify(block.arguments ?? {}, null, 2);
    case "image":
    case "document":
      return [text("name"), text("mime"), text("media_id")].filter(Boolean).join(" · ");
    case "pause":
      return "";
    default: {
      const { type: _, ...rest } = block;
      return JSON.stringify(rest, null, 2);
    }
  }
}
function blockName(block) {
  const parts = [block.name, block.status, block.id ?? block.call_id].filter((v) => typeof v === "string" && v !== "");
  return block.type === "call" || block.type === "result" ? parts.join(" · ") : "";
}
var GIST_CHARS = 120;
function gistOf(message) {
  const flat = message.blocks.map((b) => b.type === "call" ? `${String(b.name ?? "")}(${blockText(b)})` : blockText(b)).join(" ").replace(/\s+/g, " ").trim();
  const letters = [...flat];
  return letters.length > GIST_CHARS ? `${letters.slice(0, GIST_CHARS).join("")}…` : flat;
}

// app/views/inspector-sent.tsx
var CHARS_SHOWN = 2e3;
var MESSAGES_SHOWN = 40;
function Sent({ request: r }) {
  const i = t.inspect;
  return /* @__PURE__ */ a($, { children: [
    !r.exact && /* @__PURE__ */ a("p", { class: "note warn", children: r.note || i.inexact }),
    /* @__PURE__ */ a(Difference, { request: r }),
    /* @__PURE__ */ a("section", { children: [
      /* @__PURE__ */ a("h4", { children: i.sent }),
      /* @__PURE__ */ a(Settings, { request: r }),
      /* @__PURE__ */ a(Fold, { summary: /* @__PURE__ */ a($, { children: [
        /* @__PURE__ */ a("b", { children: i.system }),
        " ",
        /* @__PURE__ */ a("span", { class: "quiet", children: i.chars(count(r.system.length)) })
      ] }), children: /* @__PURE__ */ a(Text, { text: r.system, label: i.system }) }),
      /* @__PURE__ */ a(Fold, { summary: /* @__PURE__ */ a($, { children: [
        /* @__PURE__ */ a("b", { children: i.tools }),
        " ",
        /* @__PURE__ */ a("span", { class: "quiet", children: count(r.tools.length) })
      ] }), children: /* @__PURE__ */ a("div", { class: "folds", children: r.tools.map((tool) => /* @__PURE__ */ a(Fold, { summary: /* @__PURE__ */ a($, { children: [
        /* @__PURE__ */ a("code", { children: tool.name }),
        " ",
        /* @__PURE__ */ a("span", { class: "gist-line", children: tool.description })
      ] }), children: [
        /* @__PURE__ */ a("p", { class: "said", children: tool.description }),
        /* @__PURE__ */ a(Text, { text: JSON.stringify(tool.parameters ?? {}, null, 2), label: i.parameters(tool.name) })
      ] }, tool.name)) }) }),
      /* @__PURE__ */ a(Messages, { messages: r.messages })
    ] })
  ] });
}
function Settings({ request: r }) {
  const choice = r.tool_choice == null ? "" : typeof r.tool_choice === "string" ? r.tool_choice : JSON.stringify(r.tool_choice);
  const facts = [
    ["model", r.model],
    ["max_tokens", r.max_tokens == null ? "" : count(r.max_tokens)],
    ["temperature", r.temperature == null ? "" : String(r.temperature)],
    ["reasoning_effort", r.reasoning_effort ?? ""],
    ["tool_choice", choice]
  ];
  return /* @__PURE__ */ a("p", { class: "sent-settings", children: facts.filter(([, value]) => value !== "").map(([name, value]) => /* @__PURE__ */ a("span", { children: [
    /* @__PURE__ */ a("code", { children: name }),
    " ",
    value
  ] }, name)) });
}
function Messages({ messages }) {
  const [all, setAll] = d(false);
  const first = all ? 0 : Math.max(0, messages.length - MESSAGES_SHOWN);
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("h5", { children: [
      t.inspect.messages,
      " ",
      /* @__PURE__ */ a("span", { class: "quiet", children: count(messages.length) })
    ] }),
    first > 0 && /* @__PURE__ */ a("button", { type: "button", class: "small", onClick: () => setAll(true), children: t.inspect.earlier(first) }),
    /* @__PURE__ */ a("ol", { class: "folds", children: messages.slice(first).map((m, n) => /* @__PURE__ */ a("li", { children: /* @__PURE__ */ a(Message, { message: m, number: first + n + 1 }) }, first + n)) })
  ] });
}
function Message({ message, number, sign = "" }) {
  const i = t.inspect;
  return /* @__PURE__ */ a(Fold, { class: sign === "+" ? "added-message" : sign === "−" ? "removed-message" : "", summary: /* @__PURE__ */ a($, { children: [
    sign && /* @__PURE__ */ a("b", { "aria-label": sign === "+" ? i.added : i.removed, children: sign }),
    number !== void 0 && /* @__PURE__ */ a("span", { class: "quiet tabular", children: number }),
    /* @__PURE__ */ a("b", { children: i.roles[message.role] ?? message.role }),
    /* @__PURE__ */ a("span", { class: "gist-line", dir: "auto", children: gistOf(message) })
  ] }), children: message.blocks.map((block, n) => /* @__PURE__ */ a(BlockView, { block }, n)) });
}
function BlockView({ block }) {
  const text = blockText(block);
  const name = blockName(block);
  const kind = t.inspect.blocks[block.type] ?? block.type;
  return /* @__PURE__ */ a("div", { class: "labelled", children: [
    /* @__PURE__ */ a("div", { class: "labelled-head", children: [
      /* @__PURE__ */ a("span", { children: [
        kind,
        name && /* @__PURE__ */ a($, { children: [
          " · ",
          /* @__PURE__ */ a("code", { children: name })
        ] })
      ] }),
      text && /* @__PURE__ */ a("button", { type: "button", class: "small", onClick: () => void copyText(text), children: t.copy })
    ] }),
    text && /* @__PURE__ */ a(Text, { text, label: name ? `${kind}, ${name}` : kind })
  ] });
}
function Text({ text, label }) {
  const [all, setAll] = d(false);
  const cut = !all && text.length > CHARS_SHOWN;
  if (text === "") return /* @__PURE__ */ a("p", { class: "quiet", children: t.inspect.empty });
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("pre", { class: "sent-text", tabIndex: 0, role: "region", "aria-label": label, dir: "auto", children: cut ? `${text.slice(0, CHARS_SHOWN)}…` : text }),
    cut && /* @__PURE__ */ a("button", { type: "button", class: "small", onClick: () => setAll(true), children: t.inspect.showAll(count(text.length)) })
  ] });
}
function Fold({ summary, children, class: cls = "" }) {
  const [open, setOpen] = d(false);
  return /* @__PURE__ */ a("details", { class: `sent-fold ${cls}`, open, onToggle: (e) => setOpen(e.currentTarget.open), children: [
    /* @__PURE__ */ a("summary", { children: summary }),
    open && /* @__PURE__ */ a("div", { class: "sent-body", children })
  ] });
}
function Difference({ request: { difference: d2 } }) {
  const i = t.inspect;
  if (d2.previous_id == null) return /* @__PURE__ */ a("section", { children: [
    /* @__PURE__ */ a("h4", { children: i.difference }),
    /* @__PURE__ */ a("p", { class: "quiet", children: i.firstRequest })
  ] });
  const same = startIsSame(d2);
  const changed = [...d2.system_changed ? [i.systemChanged] : [], ...d2.tools_changed ? [i.toolsChanged] : [], ...d2.removed.length > 0 ? [i.messagesRemoved(d2.removed.length)] : []];
  return /* @__PURE__ */ a("section", { children: [
    /* @__PURE__ */ a("h4", { children: i.difference }),
    /* @__PURE__ */ a("p", { class: same ? "note ok" : "note warn", children: same ? i.startSame(d2.unchanged_messages) : i.startChanged(d2.unchanged_messages, changed) }),
    (d2.removed.length > 0 || d2.added.length > 0) && /* @__PURE__ */ a("ol", { class: "folds", children: [
      d2.removed.map((m, n) => /* @__PURE__ */ a("li", { children: /* @__PURE__ */ a(Message, { message: m, sign: "−" }) }, `r${n}`)),
      d2.added.map((m, n) => /* @__PURE__ */ a("li", { children: /* @__PURE__ */ a(Message, { message: m, sign: "+" }) }, `a${n}`))
    ] })
  ] });
}

// app/views/inspector-requests.tsx
var columns = () => [t.inspect.number, t.inspect.model, t.inspect.outcome, t.meter.input, t.meter.cached, t.meter.output, t.inspect.cost, t.inspect.first, t.inspect.duration];
function Requests({ turn, requests }) {
  return /* @__PURE__ */ a("div", { class: "table-wrap requests", tabIndex: 0, role: "region", "aria-label": t.inspect.requests, children: /* @__PURE__ */ a("table", { class: "usage", role: "table", children: [
    /* @__PURE__ */ a("thead", { role: "rowgroup", children: /* @__PURE__ */ a("tr", { role: "row", children: columns().map((name) => /* @__PURE__ */ a("th", { scope: "col", role: "columnheader", children: name }, name)) }) }),
    /* @__PURE__ */ a("tbody", { role: "rowgroup", children: requests.map((r) => /* @__PURE__ */ a(Row, { turn, request: r }, r.id)) })
  ] }) });
}
function Row({ turn, request: r }) {
  const i = t.inspect;
  const [open, setOpen] = d(false);
  const id = P();
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("tr", { class: open ? "open" : "", role: "row", children: [
      /* @__PURE__ */ a("th", { scope: "row", role: "rowheader", children: /* @__PURE__ */ a("button", { type: "button", class: "disclose", "aria-expanded": open, "aria-controls": id, "aria-label": i.requestName(r.iteration + 1, r.attempt), onClick: () => setOpen(!open), children: [
        /* @__PURE__ */ a(Icon, { name: "chevron" }),
        i.numberOf(r.iteration + 1, r.attempt)
      ] }) }),
      /* @__PURE__ */ a("td", { role: "cell", class: "text", children: [
        /* @__PURE__ */ a("span", { class: "clip", children: r.model }),
        " ",
        /* @__PURE__ */ a("span", { class: "quiet", children: r.preset })
      ] }),
      /* @__PURE__ */ a("td", { role: "cell", class: "text", children: /* @__PURE__ */ a("span", { class: r.ok ? "good" : "failed", children: i.outcomes[r.outcome] ?? r.outcome }) }),
      /* @__PURE__ */ a(Figure, { label: t.meter.input, children: [
        count(r.input_tokens),
        r.estimated && /* @__PURE__ */ a("abbr", { title: i.estimated, children: "≈" })
      ] }),
      /* @__PURE__ */ a(Figure, { label: t.meter.cached, children: count(r.cached_tokens) }),
      /* @__PURE__ */ a(Figure, { label: t.meter.output, children: [
        count(r.output_tokens),
        r.estimated && /* @__PURE__ */ a("abbr", { title: i.estimated, children: "≈" })
      ] }),
      /* @__PURE__ */ a(Figure, { label: i.cost, children: r.cost_usd == null ? /* @__PURE__ */ a("span", { class: "quiet", children: t.usage.noPrice }) : fineMoney(r.cost_usd) }),
      /* @__PURE__ */ a(Figure, { label: i.first, children: r.first_output_ms == null ? "—" : duration(r.first_output_ms) }),
      /* @__PURE__ */ a(Figure, { label: i.duration, children: duration(r.duration_ms) })
    ] }),
    open && /* @__PURE__ */ a("tr", { class: "detail-row", role: "row", children: /* @__PURE__ */ a("td", { role: "cell", colSpan: columns().length, children: /* @__PURE__ */ a("div", { class: "detail", id, children: /* @__PURE__ */ a(Detail, { turn, request: r }) }) }) })
  ] });
}
function Figure({ label, children }) {
  return /* @__PURE__ */ a("td", { role: "cell", class: "figure", "data-label": label, children });
}
function Detail({ turn, request }) {
  const [sent, setSent] = d(null);
  const [failed, setFailed] = d("");
  const [again, setAgain] = d(0);
  A(() => {
    let gone = false;
    setFailed("");
    api.turnRequest(turn, request.id).then((found) => {
      if (!gone) setSent(found);
    }, (error) => {
      if (!gone) setFailed(describe(error).detail || t.inspect.failed);
    });
    return () => {
      gone = true;
    };
  }, [turn, request.id, again]);
  return /* @__PURE__ */ a($, { children: [
    request.governed && /* @__PURE__ */ a(Governance, { governed: request.governed }),
    failed ? /* @__PURE__ */ a("p", { role: "alert", children: [
      failed,
      " ",
      /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: () => setAgain(again + 1), children: t.retry })
    ] }) : sent ? /* @__PURE__ */ a(Sent, { request: sent }) : /* @__PURE__ */ a("div", { class: "skeleton", "aria-busy": "true", role: "status", "aria-label": t.inspect.loading, children: [
      /* @__PURE__ */ a("i", {}),
      /* @__PURE__ */ a("i", {})
    ] })
  ] });
}
function Governance({ governed: g }) {
  const i = t.inspect;
  return /* @__PURE__ */ a("section", { children: [
    /* @__PURE__ */ a("h4", { children: i.governance }),
    /* @__PURE__ */ a("p", { class: "quiet", children: [
      i.budget(count(g.estimated_tokens), count(g.budget_tokens), count(g.window_tokens), count(g.messages)),
      g.hash && /* @__PURE__ */ a($, { children: [
        " · ",
        /* @__PURE__ */ a("span", { title: g.hash, children: [
          i.hash,
          " ",
          /* @__PURE__ */ a("code", { children: g.hash.slice(0, 12) })
        ] })
      ] })
    ] }),
    g.steps.length === 0 ? /* @__PURE__ */ a("p", { class: "quiet", children: i.nothingCut }) : /* @__PURE__ */ a("ol", { class: "govern", children: g.steps.map((step, n) => /* @__PURE__ */ a("li", { children: [
      /* @__PURE__ */ a("code", { children: step.name }),
      /* @__PURE__ */ a("span", { class: "tabular", children: [
        count(step.before_tokens),
        " → ",
        count(step.after_tokens),
        " ",
        /* @__PURE__ */ a(Change, { by: step.after_tokens - step.before_tokens })
      ] }),
      step.detail && /* @__PURE__ */ a("span", { class: "quiet", dir: "auto", children: step.detail })
    ] }, n)) })
  ] });
}
function Change({ by }) {
  if (by === 0) return null;
  return by < 0 ? /* @__PURE__ */ a("b", { class: "good", children: t.inspect.less(count(-by)) }) : /* @__PURE__ */ a("b", { class: "warned", children: t.inspect.more(count(by)) });
}

// app/views/inspector-timeline.tsx
function Timeline({ inspection }) {
  const bars = barsOf(inspection);
  const never = inspection.calls.filter((c) => c.started_at == null);
  const i = t.inspect;
  if (bars.length === 0 && never.length === 0) return /* @__PURE__ */ a("p", { class: "quiet", children: i.noTime });
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("p", { class: "legend quiet", children: [
      /* @__PURE__ */ a("i", { class: "model" }),
      i.byModel,
      /* @__PURE__ */ a("i", { class: "tool" }),
      i.byTools
    ] }),
    /* @__PURE__ */ a("ol", { class: "timeline", children: [
      bars.map((bar) => /* @__PURE__ */ a("li", { children: bar.call ? /* @__PURE__ */ a("details", { class: "sent-fold", children: [
        /* @__PURE__ */ a("summary", { children: /* @__PURE__ */ a(BarLine, { bar }) }),
        /* @__PURE__ */ a(CallFacts, { call: bar.call })
      ] }) : /* @__PURE__ */ a("div", { class: "bar-row", children: /* @__PURE__ */ a(BarLine, { bar }) }) }, bar.key)),
      never.map((call) => /* @__PURE__ */ a("li", { children: /* @__PURE__ */ a("details", { class: "sent-fold", children: [
        /* @__PURE__ */ a("summary", { children: [
          /* @__PURE__ */ a("span", { class: "bar-name", children: /* @__PURE__ */ a("code", { children: call.name }) }),
          /* @__PURE__ */ a("span", { class: "quiet", children: statusWords(call.status) })
        ] }),
        /* @__PURE__ */ a(CallFacts, { call })
      ] }) }, `${call.call_id}/${call.iteration}`))
    ] })
  ] });
}
function BarLine({ bar }) {
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("span", { class: "bar-name", children: [
      bar.kind === "tool" ? /* @__PURE__ */ a("code", { children: bar.name }) : /* @__PURE__ */ a("span", { class: "clip", children: bar.name }),
      !bar.ok && /* @__PURE__ */ a("span", { class: "failed", children: [
        " ",
        bar.call ? statusWords(bar.call.status) : t.tool.error
      ] })
    ] }),
    /* @__PURE__ */ a("span", { class: "bar-track", "aria-hidden": "true", children: /* @__PURE__ */ a("i", { class: bar.ok ? bar.kind : `${bar.kind} bad`, ref: (n) => {
      n?.style.setProperty("inset-inline-start", `${bar.from * 100}%`);
      n?.style.setProperty("width", `${bar.width * 100}%`);
    } }) }),
    /* @__PURE__ */ a("span", { class: "bar-time tabular", children: duration(bar.durationMs) })
  ] });
}
function CallFacts({ call }) {
  const i = t.inspect;
  return /* @__PURE__ */ a("div", { class: "sent-body", children: [
    /* @__PURE__ */ a("p", { class: "quiet", children: [statusWords(call.status), i.round(call.iteration + 1), i.outputChars(count(call.output_chars)), call.call_id].join(" · ") }),
    /* @__PURE__ */ a("pre", { class: "sent-text", tabIndex: 0, role: "region", "aria-label": i.parameters(call.name), children: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments ?? {}, null, 2) })
  ] });
}
function statusWords(status) {
  switch (status) {
    case "ok":
      return t.inspect.ok;
    case "denied":
    case "cancelled":
    case "unknown":
    case "waiting":
    case "error":
      return t.tool[status];
    default:
      return status;
  }
}

// app/views/inspector.tsx
function Inspector({ turn }) {
  const [read, setRead] = d(null);
  const [failed, setFailed] = d("");
  const [again, setAgain] = d(0);
  A(() => {
    let gone = false;
    setFailed("");
    api.turn(turn).then(
      (found) => {
        if (!gone) setRead(found);
      },
      (error) => {
        if (!gone) setFailed(error instanceof ApiError && error.status === 404 ? t.inspect.missing : describe(error).detail || t.inspect.failed);
      }
    );
    return () => {
      gone = true;
    };
  }, [turn, again]);
  const i = t.inspect;
  const refresh = () => setAgain(again + 1);
  return /* @__PURE__ */ a(Dialog, { title: i.title, class: "inspector", onClose: leaveInspector, children: failed ? /* @__PURE__ */ a("p", { role: "alert", children: [
    failed,
    " ",
    /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: refresh, children: t.retry })
  ] }) : read ? /* @__PURE__ */ a(Boundary, { children: /* @__PURE__ */ a(Inspected, { turn: read, onRefresh: refresh }) }, read.id) : /* @__PURE__ */ a("div", { class: "skeleton inspector-skeleton", "aria-busy": "true", role: "status", "aria-label": i.loading, children: [
    /* @__PURE__ */ a("i", {}),
    /* @__PURE__ */ a("i", {}),
    /* @__PURE__ */ a("i", {})
  ] }) });
}
function Inspected({ turn, onRefresh }) {
  const i = t.inspect;
  const { inspection } = turn;
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("div", { class: "inspector-head", children: [
      /* @__PURE__ */ a("p", { dir: "auto", children: [
        /* @__PURE__ */ a("b", { children: turn.user ? firstWords(turn.user.content) : turn.origin }),
        " ",
        /* @__PURE__ */ a("span", { class: "quiet", children: [
          t.thread.states[turn.state] ?? turn.state,
          turn.model && ` · ${turn.model}`
        ] })
      ] }),
      /* @__PURE__ */ a("span", { class: "row", children: [
        !isSettled(turn) && /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: onRefresh, children: i.refresh }),
        /* @__PURE__ */ a("a", { class: "button line", href: exportPath(turn.id), download: true, title: i.exportNote, children: i.export })
      ] })
    ] }),
    inspection.note && /* @__PURE__ */ a("p", { class: "note warn", children: inspection.note }),
    /* @__PURE__ */ a(Summary, { turn }),
    /* @__PURE__ */ a("h3", { children: i.requests }),
    inspection.requests.length > 0 ? /* @__PURE__ */ a(Requests, { turn: turn.id, requests: inspection.requests }) : /* @__PURE__ */ a("p", { class: "quiet", children: i.noRequests }),
    /* @__PURE__ */ a("h3", { children: i.time }),
    /* @__PURE__ */ a(Timeline, { inspection }),
    inspection.hook_faults.length > 0 && /* @__PURE__ */ a($, { children: [
      /* @__PURE__ */ a("h3", { children: i.hooks }),
      /* @__PURE__ */ a("ul", { class: "faults", children: inspection.hook_faults.map((fault, n) => /* @__PURE__ */ a("li", { class: "note err", children: [
        /* @__PURE__ */ a("b", { children: fault.hook }),
        " ",
        /* @__PURE__ */ a("code", { children: fault.method }),
        /* @__PURE__ */ a("pre", { tabIndex: 0, "aria-label": i.hookError(fault.hook), children: fault.text })
      ] }, n)) })
    ] })
  ] });
}
function Summary({ turn: { inspection, usage } }) {
  const i = t.inspect;
  const { requests, calls, model_ms, tool_ms, duration_ms } = inspection;
  const failed = requests.filter((r) => !r.ok).length;
  const sum = (field) => inspection.usage?.[field] ?? usage?.[field] ?? requests.reduce((n, r) => n + r[field], 0);
  const input = sum("input_tokens");
  const cost = inspection.cost_usd;
  const estimated = requests.filter((r) => r.estimated).length;
  const facts = [
    [i.requests, count(requests.length), failed > 0 ? t.usage.failedRequests(failed) : ""],
    [t.usage.input, count(input), input > 0 ? t.usage.cachedShare(percent(sum("cached_tokens") / input)) : ""],
    [t.usage.output, count(sum("output_tokens")), estimated > 0 ? t.usage.estimated(estimated) : ""],
    [t.usage.cost, cost == null ? "—" : money(cost), cost == null ? t.usage.noPrice : ""],
    [i.time, duration_ms == null ? "—" : duration(duration_ms), i.split(duration(model_ms), duration(tool_ms))],
    [i.calls, count(calls.length), i.notOk(calls.filter((c) => c.status !== "ok").length)]
  ];
  return /* @__PURE__ */ a("dl", { class: "totals", children: facts.map(([name, value, note]) => /* @__PURE__ */ a("div", { children: [
    /* @__PURE__ */ a("dt", { children: name }),
    /* @__PURE__ */ a("dd", { class: "tabular", children: value }),
    note && /* @__PURE__ */ a("dd", { class: "quiet", children: note })
  ] }, name)) });
}

// app/views/settings-about.tsx
function About() {
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("dl", { class: "facts", children: [
      /* @__PURE__ */ a("div", { children: [
        /* @__PURE__ */ a("dt", { children: t.settings.version }),
        /* @__PURE__ */ a("dd", { children: serverVersion.value || boot.version })
      ] }),
      /* @__PURE__ */ a("div", { children: [
        /* @__PURE__ */ a("dt", { children: t.settings.boot }),
        /* @__PURE__ */ a("dd", { children: /* @__PURE__ */ a("code", { children: boot.boot_id }) })
      ] }),
      /* @__PURE__ */ a("div", { children: [
        /* @__PURE__ */ a("dt", { children: t.settings.mismatches }),
        /* @__PURE__ */ a("dd", { children: mismatches.value })
      ] })
    ] }),
    /* @__PURE__ */ a("p", { children: /* @__PURE__ */ a("a", { href: "/static/vendor-licenses.txt", target: "_blank", rel: "noopener", children: t.settings.licences }) })
  ] });
}

// app/views/settings-general.tsx
function ChoiceRow({ label, note, value, options, onChange }) {
  const [saved2, setSaved] = d(false);
  const change = (next) => {
    const option = options.find(([v]) => v === next);
    if (option) {
      onChange(option[0]);
      setSaved(true);
    }
  };
  return /* @__PURE__ */ a("label", { class: "setting", children: [
    /* @__PURE__ */ a("span", { class: "setting-words", children: [
      /* @__PURE__ */ a("b", { children: label }),
      /* @__PURE__ */ a("span", { class: "quiet", children: note })
    ] }),
    /* @__PURE__ */ a("span", { class: "setting-control", children: [
      /* @__PURE__ */ a("span", { class: "quiet", role: "status", children: saved2 ? t.settings.saved : "" }),
      /* @__PURE__ */ a("select", { value, onChange: (e) => change(e.currentTarget.value), children: options.map(([v, words]) => /* @__PURE__ */ a("option", { value: v, children: words }, v)) })
    ] })
  ] });
}
function General() {
  const s = t.settings;
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a(ChoiceRow, { label: s.theme, note: s.themeNote, value: theme.value, options: ["system", "light", "dark"].map((v) => [v, s.themes[v]]), onChange: setTheme }),
    /* @__PURE__ */ a(ChoiceRow, { label: s.language, note: s.languageNote, value: t.locale === "zh-CN" ? "zh-CN" : "en", options: LANGUAGES, onChange: setLanguage }),
    /* @__PURE__ */ a(ChoiceRow, { label: s.reasoning, note: s.reasoningNote, value: reasoning.value, options: REASONING.map((v) => [v, s.reasonings[v]]), onChange: setReasoning }),
    /* @__PURE__ */ a(ChoiceRow, { label: s.sendKey, note: s.sendKeyNote, value: sendKey.value, options: SEND_KEYS.map((v) => [v, s.sendKeys[v]]), onChange: setSendKey })
  ] });
}

// app/parts/saved.tsx
function Saved({ place }) {
  const [failed, setFailed] = d("");
  const last = saved.value;
  if (failed) return /* @__PURE__ */ a("span", { class: "saved problem", role: "alert", children: failed });
  if (last?.place !== place) return null;
  return /* @__PURE__ */ a("span", { class: "saved", children: [
    t.settings.saved,
    last.undo && /* @__PURE__ */ a("button", { type: "button", class: "small", onClick: () => void undo().then((trouble) => setFailed(trouble?.detail ?? "")), children: t.undo })
  ] });
}

// app/views/fallbacks.tsx
function Fallbacks({ of, value, onChange, problem }) {
  const id = P();
  const list = T(null);
  const [next, setNext] = d("");
  const focus = T(null);
  A(() => {
    const wanted = focus.current;
    focus.current = null;
    if (!wanted) return;
    const row = [...list.current?.children ?? []].find((li) => li.dataset.name === wanted.name);
    (row?.querySelector(`[data-action=${wanted.action}]`) ?? document.getElementById(`${id}-add`))?.focus();
  }, [value]);
  const free = presets.value.filter((p) => p.name !== of && !value.includes(p.name));
  const chosen = free.some((p) => p.name === next) ? next : free[0]?.name ?? "";
  const wordsOf = (name) => {
    const p = presets.value.find((q) => q.name === name);
    return p ? `${p.model} · ${p.provider}` : t.models.fallbackGone;
  };
  const move = (at2, step) => {
    const to = at2 + step;
    if (to < 0 || to >= value.length) return;
    const name = value[at2];
    focus.current = { name, action: step < 0 ? "up" : "down" };
    announce(t.models.fallbackMoved(name, to + 1, value.length));
    onChange(moved(value, at2, step));
  };
  const remove = (at2) => {
    const name = value[at2];
    focus.current = { name: value[at2 + 1] ?? value[at2 - 1] ?? "", action: "remove" };
    announce(t.models.fallbackRemoved(name));
    onChange(value.filter((_, i) => i !== at2));
  };
  const add = () => {
    if (!chosen) return;
    announce(t.models.fallbackMoved(chosen, value.length + 1, value.length + 1));
    onChange([...value, chosen]);
    setNext("");
  };
  return /* @__PURE__ */ a("fieldset", { class: "fallbacks", "aria-describedby": `${id}-why`, children: [
    /* @__PURE__ */ a("legend", { children: t.models.fallbacks }),
    /* @__PURE__ */ a("p", { class: "quiet", id: `${id}-why`, children: t.models.fallbacksNote }),
    value.length > 0 && /* @__PURE__ */ a("ol", { ref: list, children: value.map((name, i) => /* @__PURE__ */ a("li", { "data-name": name, children: [
      /* @__PURE__ */ a("span", { class: "place tabular", "aria-hidden": "true", children: i + 1 }),
      /* @__PURE__ */ a("span", { class: "setting-words", children: [
        /* @__PURE__ */ a("b", { children: name }),
        /* @__PURE__ */ a("span", { class: "quiet", children: wordsOf(name) })
      ] }),
      /* @__PURE__ */ a("button", { type: "button", class: "icon-button up", "data-action": "up", "aria-label": t.models.moveUp(name), "aria-disabled": i === 0, onClick: () => move(i, -1), children: /* @__PURE__ */ a(Icon, { name: "chevron" }) }),
      /* @__PURE__ */ a("button", { type: "button", class: "icon-button down", "data-action": "down", "aria-label": t.models.moveDown(name), "aria-disabled": i === value.length - 1, onClick: () => move(i, 1), children: /* @__PURE__ */ a(Icon, { name: "chevron" }) }),
      /* @__PURE__ */ a("button", { type: "button", class: "icon-button", "data-action": "remove", "aria-label": t.models.removeFallback(name), onClick: () => remove(i), children: /* @__PURE__ */ a(Icon, { name: "close" }) })
    ] }, name)) }),
    free.length > 0 ? /* @__PURE__ */ a("div", { class: "field-line", children: [
      /* @__PURE__ */ a("select", { id: `${id}-add`, "aria-label": t.models.addFallback, value: chosen, onChange: (e) => setNext(e.currentTarget.value), children: free.map((p) => /* @__PURE__ */ a("option", { value: p.name, children: [
        p.name,
        " — ",
        p.model,
        " · ",
        p.provider
      ] }, p.name)) }),
      /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: add, children: t.models.add })
    ] }) : value.length === 0 && /* @__PURE__ */ a("p", { class: "quiet", children: t.models.noFallbacks }),
    /* @__PURE__ */ a(FieldWords, { id, problem })
  ] });
}

// app/views/preset-form.tsx
var EFFORTS = ["none", "minimal", "low", "medium", "high"];
function PresetForm({ settings: settings2, name, first, isDefault, onSaved, onCancel }) {
  const [form, setForm] = d(() => formOf(first.name, first.preset));
  const [problems, setProblems] = d({});
  const [failed, setFailed] = d("");
  const [saving, setSaving] = d(false);
  const [windowFilled, setWindowFilled] = d(false);
  const node = T(null);
  const test = useTest();
  const m = t.models;
  const names = Object.keys(settings2.presets);
  const suggested = name === null ? freeName(form.model, new Set(names)) : "";
  A(() => {
    if (name === null) node.current?.querySelector("input")?.focus();
  }, []);
  const change = (fields) => {
    setForm((before) => ({ ...before, ...fields }));
    setProblems((before) => Object.fromEntries(Object.entries(before).filter(([field]) => !(field in fields))));
    setFailed("");
    if ("model" in fields || "provider" in fields) test.clear();
  };
  const refuse = (found) => {
    setProblems(found);
    focusProblem(node.current);
  };
  const submit = async () => {
    const filled = { ...form, name: form.name.trim() || suggested };
    const found = Object.entries(check(filled, names, name));
    if (found.length > 0) {
      refuse(Object.fromEntries(found.map(([field2, why]) => [field2, m.problems[why]])));
      return;
    }
    const to = filled.name;
    const after = settingsOf(form);
    const before = name === null ? void 0 : settings2.presets[name];
    const patch = name !== null && name !== to ? renamePatch(settings2.presets, name, to, after, isDefault) : { presets: { [to]: before ? difference(before, after) : after } };
    if (name === to && difference(before, after) === void 0) {
      onCancel();
      return;
    }
    setSaving(true);
    const trouble = await save(patch, `preset:${to}`);
    setSaving(false);
    if (!trouble) {
      onSaved(to);
      return;
    }
    const field = fieldOf(trouble.path, "presets", to);
    const known = field === "price" ? "price.input" : field === "fallbacks" ? field : PRESET_FIELDS.find((f) => f === field);
    if (known) refuse({ [known]: trouble.detail });
    else setFailed(trouble.detail);
  };
  const text = (field, label, more = {}) => /* @__PURE__ */ a(TextField, { label, value: form[field], problem: problems[field], onText: (value) => change({ [field]: value }), ...more });
  const providers = Object.keys(settings2.providers);
  const offered = providers.includes(form.provider) || form.provider === "" ? providers : [form.provider, ...providers];
  return /* @__PURE__ */ a("form", { class: "card-box", ref: node, noValidate: true, "aria-label": name === null ? m.newPreset : m.editPreset(name), onSubmit: (e) => {
    e.preventDefault();
    void submit();
  }, children: [
    /* @__PURE__ */ a("div", { class: "fields", children: [
      text("name", m.name, name === null ? { placeholder: suggested } : form.name.trim() !== name ? { note: m.renameNote(name) } : {}),
      /* @__PURE__ */ a(SelectField, { label: t.setup.provider, value: form.provider, problem: problems.provider, options: [...form.provider === "" ? [["", ""]] : [], ...offered.map((p) => [p, p])], onChoose: (provider) => change({ provider }) }),
      /* @__PURE__ */ a(
        ModelField,
        {
          value: form.model,
          provider: providers.includes(form.provider) ? form.provider : null,
          problem: problems.model,
          required: true,
          onModel: (model, window) => {
            const mayFill = windowFilled || form.context_window_tokens.trim() === "";
            change({ model, ...mayFill && { context_window_tokens: window === void 0 ? "" : String(window) } });
            setWindowFilled(mayFill && window !== void 0);
          }
        }
      ),
      text("context_window_tokens", m.window, { placeholder: m.windowAssumed, inputMode: "numeric" }),
      text("max_tokens", m.maxTokens, { placeholder: m.maxTokensDefault, inputMode: "numeric" }),
      text("temperature", m.temperature, { placeholder: m.providerDefault, inputMode: "decimal" }),
      text("reasoning_effort", m.effort, { placeholder: m.providerDefault, words: EFFORTS.map((value) => ({ value })) })
    ] }),
    /* @__PURE__ */ a("fieldset", { class: "fields three", children: [
      /* @__PURE__ */ a("legend", { children: m.price }),
      text("price.input", m.priceInput, { inputMode: "decimal" }),
      text("price.cached", m.priceCached, { inputMode: "decimal", placeholder: m.priceCachedDefault }),
      text("price.output", m.priceOutput, { inputMode: "decimal" })
    ] }),
    /* @__PURE__ */ a(Fallbacks, { of: name ?? form.name, value: form.fallbacks, problem: problems.fallbacks, onChange: (fallbacks) => change({ fallbacks }) }),
    failed && /* @__PURE__ */ a("p", { class: "note err", role: "alert", children: failed }),
    /* @__PURE__ */ a("div", { class: "row", children: [
      /* @__PURE__ */ a("button", { type: "submit", class: "go", disabled: saving, children: saving ? t.setup.saving : t.save }),
      /* @__PURE__ */ a("button", { type: "button", class: "line", disabled: test.busy || !form.model || !form.provider, onClick: () => void test.run(form.provider, form.model.trim()), children: test.busy ? t.setup.testing : t.setup.test }),
      /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: onCancel, children: t.cancel })
    ] }),
    /* @__PURE__ */ a(TestWords, { test: { ...test, busy: false } })
  ] });
}

// app/views/models-presets.tsx
var focusRow = (name) => {
  requestAnimationFrame(() => document.getElementById(`edit-${name}`)?.focus());
};
function Presets({ settings: settings2, provider, onEntered }) {
  const list = presets.value;
  const [failed, setFailed] = d("");
  const [asked, setAsked] = d(null);
  const head = T(null);
  const remove = async (p) => {
    setFailed((await save(removePatch(settings2.presets, p.name, p.is_default), "presets"))?.detail ?? "");
    head.current?.focus();
  };
  const makeDefault = async (p) => setFailed((await save({ agent: { preset: p.name } }, `preset:${p.name}`))?.detail ?? "");
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("h3", { ref: head, tabIndex: -1, children: [
      t.settings.presets,
      " ",
      /* @__PURE__ */ a(Saved, { place: "presets" })
    ] }),
    /* @__PURE__ */ a("p", { class: "quiet", children: t.settings.presetsNote }),
    failed && /* @__PURE__ */ a("p", { class: "note err", role: "alert", children: failed }),
    list.length === 0 && /* @__PURE__ */ a("p", { children: t.settings.noPresets }),
    /* @__PURE__ */ a("ul", { class: "rows", children: list.map((p) => /* @__PURE__ */ a(
      PresetRow,
      {
        preset: p,
        settings: settings2,
        onDefault: () => void makeDefault(p),
        onRemove: () => {
          if (p.is_default) setAsked(p);
          else void remove(p);
        }
      },
      p.name
    )) }),
    provider !== null && /* @__PURE__ */ a(
      PresetForm,
      {
        settings: settings2,
        name: null,
        first: { name: "", preset: { provider, model: "" } },
        isDefault: false,
        onSaved: (name) => {
          onEntered();
          focusRow(name);
        },
        onCancel: () => {
          onEntered();
          head.current?.focus();
        }
      },
      provider
    ),
    asked && /* @__PURE__ */ a(Dialog, { title: t.settings.removeDefault, onClose: () => setAsked(null), children: [
      /* @__PURE__ */ a("p", { children: t.settings.removeDefaultNote(asked.name) }),
      /* @__PURE__ */ a("div", { class: "row", children: [
        /* @__PURE__ */ a("button", { type: "button", class: "go", onClick: () => {
          setAsked(null);
          void remove(asked);
        }, children: t.remove }),
        /* @__PURE__ */ a("button", { type: "button", class: "line", "data-first": true, onClick: () => setAsked(null), children: t.cancel })
      ] })
    ] })
  ] });
}
function PresetRow({ preset: p, settings: settings2, onDefault, onRemove }) {
  const [shown, setShown] = d("");
  const test = useTest();
  const m = t.models;
  const known = settings2.presets[p.name];
  const toggle = (what) => setShown(shown === what ? "" : what);
  const close = (name) => {
    setShown("");
    focusRow(name);
  };
  const order = known?.fallbacks ?? [];
  return /* @__PURE__ */ a("li", { children: [
    /* @__PURE__ */ a("div", { class: "row-head", children: [
      /* @__PURE__ */ a("span", { class: "setting-words", children: [
        /* @__PURE__ */ a("span", { children: [
          /* @__PURE__ */ a("b", { children: p.model }),
          " ",
          p.is_default && /* @__PURE__ */ a("span", { class: "badge", children: t.settings.default })
        ] }),
        /* @__PURE__ */ a("span", { class: "quiet", children: [
          p.name,
          " · ",
          p.provider,
          " · ",
          t.settings.window(count(p.context_window_tokens), p.context_window_assumed)
        ] }),
        order.length > 0 && /* @__PURE__ */ a("span", { class: "quiet", children: m.thenFallbacks(order) })
      ] }),
      /* @__PURE__ */ a("span", { class: "row-actions", children: [
        /* @__PURE__ */ a(Saved, { place: `preset:${p.name}` }),
        !p.is_default && /* @__PURE__ */ a("button", { type: "button", class: "line", "aria-label": m.makeDefaultOf(p.name), onClick: onDefault, children: t.settings.makeDefault }),
        /* @__PURE__ */ a("button", { type: "button", class: "line", "aria-label": m.testOf(p.name), disabled: test.busy, onClick: () => void test.run(p.provider, p.model), children: t.setup.test }),
        known && /* @__PURE__ */ a("button", { type: "button", class: "line", id: `edit-${p.name}`, "aria-label": m.editPreset(p.name), "aria-expanded": shown === "edit", onClick: () => toggle("edit"), children: t.edit }),
        known && /* @__PURE__ */ a("button", { type: "button", class: "line", "aria-label": m.duplicateOf(p.name), "aria-expanded": shown === "copy", onClick: () => toggle("copy"), children: m.duplicate }),
        /* @__PURE__ */ a("button", { type: "button", class: "line", "aria-label": t.settings.removePreset(p.name), onClick: onRemove, children: t.remove })
      ] })
    ] }),
    /* @__PURE__ */ a(TestWords, { test }),
    known && shown === "edit" && /* @__PURE__ */ a(PresetForm, { settings: settings2, name: p.name, first: { name: p.name, preset: known }, isDefault: settings2.agent.preset === p.name || p.is_default, onSaved: close, onCancel: () => close(p.name) }),
    known && shown === "copy" && /* @__PURE__ */ a(PresetForm, { settings: settings2, name: null, first: { name: freeCopy(p.name, settings2), preset: known }, isDefault: false, onSaved: close, onCancel: () => close(p.name) })
  ] });
}
function freeCopy(name, settings2) {
  for (let n = 2; ; n++) if (!Object.hasOwn(settings2.presets, `${name}-${n}`)) return `${name}-${n}`;
}

// app/views/models-providers.tsx
function Providers({ settings: settings2, onAddModel }) {
  const [failed, setFailed] = d("");
  const [asked, setAsked] = d("");
  const head = T(null);
  const entries = Object.entries(settings2.providers);
  const remove = async (name) => {
    setFailed((await save({ providers: { [name]: null } }, "providers"))?.detail ?? "");
    head.current?.focus();
  };
  const askToRemove = (name, p) => {
    const users = Object.entries(settings2.presets).filter(([, preset]) => preset.provider === name).map(([preset]) => preset);
    if (users.length > 0) setFailed(t.settings.providerUsed(users));
    else if (p.api_key_set && p.api_key_env === void 0) setAsked(name);
    else void remove(name);
  };
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("h3", { ref: head, tabIndex: -1, children: [
      t.settings.providers,
      " ",
      /* @__PURE__ */ a(Saved, { place: "providers" })
    ] }),
    failed && /* @__PURE__ */ a("p", { class: "note err", role: "alert", children: failed }),
    entries.length === 0 && /* @__PURE__ */ a("p", { class: "quiet", children: t.settings.noProviders }),
    /* @__PURE__ */ a("ul", { class: "rows", children: entries.map(([name, p]) => /* @__PURE__ */ a(ProviderRow, { name, provider: p, models: Object.values(settings2.presets).filter((preset) => preset.provider === name).map((preset) => preset.model), onAddModel: () => onAddModel(name), onRemove: () => askToRemove(name, p) }, name)) }),
    asked && /* @__PURE__ */ a(Dialog, { title: t.settings.removeProvider(asked), onClose: () => setAsked(""), children: [
      /* @__PURE__ */ a("p", { children: t.models.removeWithKey }),
      /* @__PURE__ */ a("div", { class: "row", children: [
        /* @__PURE__ */ a("button", { type: "button", class: "go", onClick: () => {
          const name = asked;
          setAsked("");
          void remove(name);
        }, children: t.remove }),
        /* @__PURE__ */ a("button", { type: "button", class: "line", "data-first": true, onClick: () => setAsked(""), children: t.cancel })
      ] })
    ] })
  ] });
}
function ProviderRow({ name, provider: p, models, onAddModel, onRemove }) {
  const [shown, setShown] = d("");
  const edit = T(null);
  const toggle = (what) => setShown(shown === what ? "" : what);
  const close = () => {
    setShown("");
    edit.current?.focus();
  };
  const demo = p.kind === "demo";
  const key = p.api_key_env ? t.settings.keyFrom(p.api_key_env) : p.api_key_set ? t.settings.keySet : t.settings.noKey;
  const m = t.models;
  return /* @__PURE__ */ a("li", { children: [
    /* @__PURE__ */ a("div", { class: "row-head", children: [
      /* @__PURE__ */ a("span", { class: "setting-words", children: [
        /* @__PURE__ */ a("b", { children: name }),
        /* @__PURE__ */ a("span", { class: "quiet", children: [
          t.setup.kinds[p.kind] ?? p.kind,
          p.base_url ? ` · ${p.base_url}` : "",
          demo ? "" : ` · ${key}`,
          p.proxy ? ` · ${m.viaProxy(p.proxy)}` : ""
        ] })
      ] }),
      /* @__PURE__ */ a("span", { class: "row-actions", children: [
        /* @__PURE__ */ a(Saved, { place: `provider:${name}` }),
        /* @__PURE__ */ a("button", { type: "button", class: "line", "aria-label": m.addModelOf(name), onClick: onAddModel, children: m.addModel }),
        /* @__PURE__ */ a("button", { type: "button", class: "line", "aria-label": m.testOf(name), "aria-expanded": shown === "test", onClick: () => toggle("test"), children: t.setup.test }),
        !demo && /* @__PURE__ */ a("button", { type: "button", class: "line", ref: edit, "aria-label": m.editProvider(name), "aria-expanded": shown === "edit", onClick: () => toggle("edit"), children: t.edit }),
        /* @__PURE__ */ a("button", { type: "button", class: "line", "aria-label": t.settings.removeProvider(name), onClick: onRemove, children: t.remove })
      ] })
    ] }),
    shown === "test" && /* @__PURE__ */ a(ProviderTest, { name, first: models[0] ?? (demo ? "demo" : "") }),
    shown === "edit" && /* @__PURE__ */ a(ProviderForm, { name, provider: p, onSaved: close, onCancel: close })
  ] });
}
function ProviderTest({ name, first }) {
  const [model, setModel] = d(first);
  const test = useTest();
  const box = T(null);
  A(() => {
    if (first) void test.run(name, first);
    else box.current?.querySelector("input")?.focus();
  }, []);
  return /* @__PURE__ */ a("form", { class: "card-box", ref: box, "aria-label": t.models.testOf(name), onSubmit: (e) => {
    e.preventDefault();
    if (model.trim()) void test.run(name, model.trim());
  }, children: [
    /* @__PURE__ */ a(ModelField, { value: model, provider: name, onModel: (value) => {
      setModel(value);
      test.clear();
    } }),
    /* @__PURE__ */ a("div", { class: "row", children: /* @__PURE__ */ a("button", { type: "submit", class: "line", disabled: test.busy || model === "", children: test.busy ? t.setup.testing : t.models.testModel }) }),
    /* @__PURE__ */ a(TestWords, { test: { ...test, busy: false } })
  ] });
}

// app/views/settings-models.tsx
function Models() {
  const [adding, setAdding] = d(false);
  const [provider, setProvider] = d(null);
  A(() => {
    saved.value = null;
    void readSettings();
    void readPresets();
  }, []);
  const now = settings.value;
  if (!now) return settingsFailed.value ? /* @__PURE__ */ a("p", { role: "alert", children: [
    t.settings.failed,
    " ",
    /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: () => void readSettings(), children: t.retry })
  ] }) : /* @__PURE__ */ a("div", { class: "skeleton", "aria-busy": "true", children: [
    /* @__PURE__ */ a("i", {}),
    /* @__PURE__ */ a("i", {}),
    /* @__PURE__ */ a("i", {})
  ] });
  return /* @__PURE__ */ a($, { children: [
    now.warnings.length > 0 && /* @__PURE__ */ a("div", { class: "note warn", children: [
      /* @__PURE__ */ a("p", { children: t.settings.warnings }),
      /* @__PURE__ */ a("ul", { class: "plain-list", children: now.warnings.map((w) => /* @__PURE__ */ a("li", { children: [
        /* @__PURE__ */ a("code", { children: w.path }),
        " ",
        w.detail
      ] }, w.path + w.detail)) })
    ] }),
    /* @__PURE__ */ a("p", { class: "quiet", children: t.models.intro }),
    adding ? /* @__PURE__ */ a("section", { class: "card-box", children: [
      /* @__PURE__ */ a("h3", { children: t.settings.addModel }),
      /* @__PURE__ */ a(ModelSetup, { named: true, demo: !presets.value.some((p) => p.is_demo), onDone: () => {
        setAdding(false);
        void readSettings();
      } }),
      /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: () => setAdding(false), children: t.cancel })
    ] }) : /* @__PURE__ */ a("p", { children: /* @__PURE__ */ a("button", { type: "button", class: "go", onClick: () => setAdding(true), children: t.settings.addModel }) }),
    /* @__PURE__ */ a(Providers, { settings: now, onAddModel: setProvider }),
    /* @__PURE__ */ a(Presets, { settings: now, provider, onEntered: () => setProvider(null) }),
    /* @__PURE__ */ a(Retrying, { mode: now.agent.retry_mode ?? "standard" })
  ] });
}
var MODES = ["standard", "persistent"];
function Retrying({ mode }) {
  const [failed, setFailed] = d("");
  const choose = async (retry_mode) => setFailed((await save({ agent: { retry_mode } }, "retry_mode"))?.detail ?? "");
  return /* @__PURE__ */ a("fieldset", { class: "found", children: [
    /* @__PURE__ */ a("legend", { children: [
      t.models.retrying,
      " ",
      /* @__PURE__ */ a(Saved, { place: "retry_mode" })
    ] }),
    MODES.map((m) => /* @__PURE__ */ a("label", { class: m === mode ? "pick on" : "pick", children: [
      /* @__PURE__ */ a("input", { type: "radio", name: "retry_mode", checked: m === mode, onChange: () => void choose(m) }),
      /* @__PURE__ */ a("span", { children: [
        /* @__PURE__ */ a("b", { children: t.models.retryModes[m][0] }),
        " ",
        /* @__PURE__ */ a("span", { class: "quiet", children: t.models.retryModes[m][1] })
      ] })
    ] }, m)),
    failed && /* @__PURE__ */ a("p", { class: "note err", role: "alert", children: failed })
  ] });
}

// app/views/budget-settings.tsx
function BudgetSettings({ budget }) {
  const [form, setForm] = d(() => budgetForm(budget));
  const [problems, setProblems] = d({});
  const [failed, setFailed] = d("");
  const [saving, setSaving] = d(false);
  const node = T(null);
  const s = t.toolSettings;
  const stored = JSON.stringify(budget);
  A(() => setForm(budgetForm(budget)), [stored]);
  const submit = async () => {
    const found = Object.entries(checkBudget(form));
    if (found.length > 0) {
      setProblems(Object.fromEntries(found.map(([limit2, unit]) => [limit2, t.budget.problems[unit]])));
      focusProblem(node.current);
      return;
    }
    const patch = budgetPatch(budget, form);
    if (!patch) return;
    setSaving(true);
    const trouble = await save({ budget: patch }, "budget");
    setSaving(false);
    if (!trouble) return;
    const limit = limitAt(trouble.path);
    if (limit) {
      setProblems({ [limit]: trouble.detail });
      focusProblem(node.current);
    } else setFailed(trouble.detail);
  };
  const field = (limit, unit) => /* @__PURE__ */ a(
    TextField,
    {
      label: s.limits[limit],
      value: form[limit],
      problem: problems[limit],
      inputMode: INPUT_MODES[unit],
      placeholder: s.noLimit,
      onText: (text) => {
        setForm({ ...form, [limit]: text });
        setProblems({ ...problems, [limit]: void 0 });
        setFailed("");
      }
    },
    limit
  );
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("h3", { children: [
      s.budgets,
      " ",
      /* @__PURE__ */ a(Saved, { place: "budget" })
    ] }),
    /* @__PURE__ */ a("p", { class: "quiet", children: s.budgetsNote }),
    /* @__PURE__ */ a("form", { class: "card-box", ref: node, noValidate: true, "aria-label": s.budgets, onSubmit: (e) => {
      e.preventDefault();
      void submit();
    }, children: [
      LIMIT_ROWS.map(([unit, limits]) => /* @__PURE__ */ a("div", { class: "fields three", children: limits.map((limit) => field(limit, unit)) }, unit)),
      failed && /* @__PURE__ */ a("p", { class: "note err", role: "alert", children: failed }),
      /* @__PURE__ */ a("div", { class: "row", children: /* @__PURE__ */ a("button", { type: "submit", class: "go", disabled: saving || budgetPatch(budget, form) === void 0, children: saving ? t.setup.saving : t.save }) })
    ] })
  ] });
}

// app/model/rules.ts
var VERDICTS = ["allow", "ask", "deny"];
var ruleOf = (form) => ({ tool: form.tool.trim(), match: form.match.trim() || "*", decision: form.decision });
function globMatches(glob, text) {
  const [first = "", ...rest] = glob.split("*");
  if (rest.length === 0) return glob === text;
  const last = rest.pop() ?? "";
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at2 = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at2);
    if (found === -1 || found + piece.length > text.length - last.length) return false;
    at2 = found + piece.length;
  }
  return true;
}
function shadowedBy(rules, at2) {
  const rule = rules[at2];
  return rule ? rules.slice(0, at2).findIndex((r) => globMatches(r.tool, rule.tool) && globMatches(r.match, rule.match)) : -1;
}
function rulePlace(path) {
  const found = /^permissions(?:\[|\.)(\d+)\]?(?:\.(tool|match|decision))?/.exec(path);
  return found ? { at: Number(found[1]), field: found[2] ?? null } : null;
}

// app/views/rules.tsx
var NEW = { tool: "", match: "", decision: "ask" };
var TOOLS = ["*", "exec", "write_file", "edit_file", "read_file", "list_dir", "find_files", "grep", "web_search", "web_fetch", "mcp_*"];
function Rules({ rules }) {
  const [shown, setShown] = d(null);
  const [failed, setFailed] = d("");
  const [busy, setBusy] = d(false);
  const box = T(null);
  const focus = T("");
  A(() => {
    if (focus.current) box.current?.querySelector(focus.current)?.focus();
    focus.current = "";
  }, [rules, shown]);
  const s = t.toolSettings;
  const store = async (next) => {
    setBusy(true);
    const trouble = await save({ permissions: next }, "permissions");
    setBusy(false);
    return trouble;
  };
  const change = async (next, then, words) => {
    if (busy) return;
    focus.current = then;
    const trouble = await store(next);
    setFailed(trouble?.detail ?? "");
    if (!trouble) announce(words);
  };
  const move = (at2, step) => {
    const to = at2 + step;
    if (to < 0 || to >= rules.length) return;
    void change(moved(rules, at2, step), `[data-rule="${to}"] [data-action=${step < 0 ? "up" : "down"}]`, s.ruleMoved(to + 1, rules.length));
  };
  const remove = (at2) => {
    const next = Math.min(at2, rules.length - 2);
    void change(rules.filter((_, i) => i !== at2), next < 0 ? "[data-action=add]" : `[data-rule="${next}"] [data-action=remove]`, s.ruleRemoved);
  };
  const close = (then) => {
    focus.current = then;
    setShown(null);
  };
  const put = async (at2, rule, adding) => {
    const trouble = await store(adding ? [...rules, rule] : rules.map((r, i) => i === at2 ? rule : r));
    if (!trouble) close(`[data-rule="${at2}"] [data-action=edit]`);
    return trouble;
  };
  return /* @__PURE__ */ a("div", { class: "rules", ref: box, children: [
    /* @__PURE__ */ a("h3", { children: [
      s.rules,
      " ",
      /* @__PURE__ */ a(Saved, { place: "permissions" })
    ] }),
    /* @__PURE__ */ a("p", { class: "quiet", children: s.rulesNote }),
    failed && /* @__PURE__ */ a("p", { class: "note err", role: "alert", children: failed }),
    rules.length === 0 && /* @__PURE__ */ a("p", { children: s.noRules }),
    rules.length > 0 && /* @__PURE__ */ a("ol", { children: rules.map((rule, i) => /* @__PURE__ */ a("li", { "data-rule": i, children: shown?.form === "edit" && shown.at === i ? /* @__PURE__ */ a(RuleForm, { rule, title: s.editRule(i + 1), at: i, onSave: (r) => put(i, r, false), onCancel: () => close(`[data-rule="${i}"] [data-action=edit]`) }) : /* @__PURE__ */ a(RuleRow, { rule, at: i, of: rules.length, shadow: shadowedBy(rules, i), busy, onMove: (step) => move(i, step), onEdit: () => setShown({ form: "edit", at: i }), onRemove: () => remove(i) }) }, i)) }),
    shown?.form === "add" ? /* @__PURE__ */ a(RuleForm, { rule: NEW, title: s.addRule, at: rules.length, onSave: (r) => put(rules.length, r, true), onCancel: () => close("[data-action=add]") }) : /* @__PURE__ */ a("p", { children: /* @__PURE__ */ a("button", { type: "button", class: "line", "data-action": "add", onClick: () => setShown({ form: "add", at: rules.length }), children: s.addRule }) })
  ] });
}
function RuleRow({ rule, at: at2, of, shadow, busy, onMove, onEdit, onRemove }) {
  const s = t.toolSettings;
  const n = at2 + 1;
  return /* @__PURE__ */ a("div", { class: "rule", children: [
    /* @__PURE__ */ a("span", { class: "place tabular", "aria-hidden": "true", children: n }),
    /* @__PURE__ */ a("span", { class: `verdict ${rule.decision}`, children: s.verdicts[rule.decision] }),
    /* @__PURE__ */ a("span", { class: "rule-words", children: [
      /* @__PURE__ */ a("code", { children: rule.tool }),
      " ",
      rule.match === "*" ? /* @__PURE__ */ a("span", { class: "quiet", children: s.anything }) : /* @__PURE__ */ a("code", { children: rule.match }),
      shadow !== -1 && /* @__PURE__ */ a("span", { class: "shadowed", children: s.shadowed(shadow + 1) })
    ] }),
    /* @__PURE__ */ a("span", { class: "rule-actions", children: [
      /* @__PURE__ */ a("button", { type: "button", class: "icon-button up", "data-action": "up", "aria-label": s.moveUp(n), "aria-disabled": busy || at2 === 0, onClick: () => onMove(-1), children: /* @__PURE__ */ a(Icon, { name: "chevron" }) }),
      /* @__PURE__ */ a("button", { type: "button", class: "icon-button down", "data-action": "down", "aria-label": s.moveDown(n), "aria-disabled": busy || n === of, onClick: () => onMove(1), children: /* @__PURE__ */ a(Icon, { name: "chevron" }) }),
      /* @__PURE__ */ a("button", { type: "button", class: "line", "data-action": "edit", "aria-label": s.editRule(n), onClick: onEdit, children: t.edit }),
      /* @__PURE__ */ a("button", { type: "button", class: "line", "data-action": "remove", "aria-label": s.removeRule(n), "aria-disabled": busy, onClick: onRemove, children: t.remove })
    ] })
  ] });
}
function RuleForm({ rule, title, at: at2, onSave, onCancel }) {
  const [form, setForm] = d(rule);
  const [problems, setProblems] = d({});
  const [failed, setFailed] = d("");
  const [saving, setSaving] = d(false);
  const node = T(null);
  const s = t.toolSettings;
  A(() => node.current?.querySelector("input")?.focus(), []);
  const change = (fields) => {
    setForm({ ...form, ...fields });
    setProblems({});
    setFailed("");
  };
  const submit = async () => {
    const next = ruleOf(form);
    if (next.tool === "") {
      setProblems({ tool: t.models.problems.required });
      focusProblem(node.current);
      return;
    }
    setSaving(true);
    const trouble = await onSave(next);
    if (!trouble) return;
    setSaving(false);
    const place = rulePlace(trouble.path);
    if (place?.at === at2 && place.field) {
      setProblems({ [place.field]: trouble.detail });
      focusProblem(node.current);
    } else setFailed(trouble.detail);
  };
  return /* @__PURE__ */ a("form", { class: "card-box", ref: node, noValidate: true, "aria-label": title, onSubmit: (e) => {
    e.preventDefault();
    void submit();
  }, onKeyDown: (e) => {
    if (e.key === "Escape") {
      e.stopPropagation();
      onCancel();
    }
  }, children: [
    /* @__PURE__ */ a("div", { class: "fields three", children: [
      /* @__PURE__ */ a(TextField, { label: s.tool, value: form.tool, problem: problems.tool, note: s.toolNote, required: true, words: TOOLS.map((value) => ({ value })), onText: (tool) => change({ tool }) }),
      /* @__PURE__ */ a(TextField, { label: s.match, value: form.match, problem: problems.match, note: s.matchNote, placeholder: "*", onText: (match) => change({ match }) }),
      /* @__PURE__ */ a(SelectField, { label: s.decision, value: form.decision, problem: problems.decision, options: VERDICTS.map((v) => [v, s.verdicts[v]]), onChoose: (v) => change({ decision: v }) })
    ] }),
    failed && /* @__PURE__ */ a("p", { class: "note err", role: "alert", children: failed }),
    /* @__PURE__ */ a("div", { class: "row", children: [
      /* @__PURE__ */ a("button", { type: "submit", class: "go", disabled: saving, children: saving ? t.setup.saving : t.save }),
      /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: onCancel, children: t.cancel })
    ] })
  ] });
}

// app/views/settings-tools.tsx
function Tools() {
  A(() => {
    saved.value = null;
    void readSettings();
  }, []);
  const now = settings.value;
  if (!now) return settingsFailed.value ? /* @__PURE__ */ a("p", { role: "alert", children: [
    t.settings.failed,
    " ",
    /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: () => void readSettings(), children: t.retry })
  ] }) : /* @__PURE__ */ a("div", { class: "skeleton", "aria-busy": "true", children: [
    /* @__PURE__ */ a("i", {}),
    /* @__PURE__ */ a("i", {}),
    /* @__PURE__ */ a("i", {})
  ] });
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a(DefaultAccess, { access: now.agent.access ?? "workspace" }),
    /* @__PURE__ */ a(Rules, { rules: now.permissions ?? [] }),
    /* @__PURE__ */ a(BudgetSettings, { budget: now.budget ?? {} }),
    /* @__PURE__ */ a(Hooks, { hooks: now.hooks ?? [] })
  ] });
}
function DefaultAccess({ access }) {
  const [failed, setFailed] = d("");
  const [asked, setAsked] = d(false);
  const choose = async (mode) => setFailed((await save({ agent: { access: mode } }, "access"))?.detail ?? "");
  const s = t.toolSettings;
  return /* @__PURE__ */ a("fieldset", { class: "found", children: [
    /* @__PURE__ */ a("legend", { children: [
      s.access,
      " ",
      /* @__PURE__ */ a(Saved, { place: "access" })
    ] }),
    /* @__PURE__ */ a("p", { class: "quiet", id: "access-note", children: s.accessNote }),
    ACCESSES.map((mode) => /* @__PURE__ */ a("label", { class: mode === access ? "pick on" : "pick", children: [
      /* @__PURE__ */ a(
        "input",
        {
          type: "radio",
          name: "access",
          checked: mode === access,
          onChange: (e) => {
            if (mode !== "full") {
              void choose(mode);
              return;
            }
            e.currentTarget.checked = false;
            setAsked(true);
          }
        }
      ),
      /* @__PURE__ */ a("span", { children: [
        /* @__PURE__ */ a("b", { children: t.access.modes[mode] }),
        " ",
        /* @__PURE__ */ a("span", { class: "quiet", children: t.access.notes[mode] })
      ] })
    ] }, mode)),
    failed && /* @__PURE__ */ a("p", { class: "note err", role: "alert", children: failed }),
    asked && /* @__PURE__ */ a(Dialog, { title: s.confirmFull, onClose: () => setAsked(false), children: [
      /* @__PURE__ */ a("p", { children: s.fullMeans }),
      /* @__PURE__ */ a("ul", { class: "bullets", children: t.access.fullPoints.slice(0, 2).map((point) => /* @__PURE__ */ a("li", { children: point }, point)) }),
      /* @__PURE__ */ a("div", { class: "row", children: [
        /* @__PURE__ */ a("button", { type: "button", class: "go", onClick: () => {
          setAsked(false);
          void choose("full");
        }, children: s.makeFull }),
        /* @__PURE__ */ a("button", { type: "button", class: "line", "data-first": true, onClick: () => setAsked(false), children: t.cancel })
      ] })
    ] })
  ] });
}
function Hooks({ hooks }) {
  const s = t.toolSettings;
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("h3", { children: s.hooks }),
    /* @__PURE__ */ a("p", { class: "quiet", children: [
      s.hooksNote[0],
      /* @__PURE__ */ a("code", { children: "config.toml" }),
      s.hooksNote[1]
    ] }),
    hooks.length === 0 ? /* @__PURE__ */ a("p", { children: s.noHooks }) : /* @__PURE__ */ a("ul", { class: "rows", children: hooks.map((hook, i) => /* @__PURE__ */ a("li", { children: /* @__PURE__ */ a("span", { class: "setting-words", children: [
      /* @__PURE__ */ a("span", { children: [
        /* @__PURE__ */ a("b", { children: hook.name }),
        " ",
        hook.match && hook.match !== "*" && /* @__PURE__ */ a("code", { children: hook.match })
      ] }),
      /* @__PURE__ */ a("span", { class: "quiet", children: [hook.event, s.timeout(hook.timeout_ms), ...hook.reraise ? [s.reraise] : []].join(" · ") })
    ] }) }, i)) })
  ] });
}

// app/model/usage.ts
var BYS = ["day", "preset", "session"];
var PERIODS = ["7", "30", "90", "month"];
var DAY_MS = 864e5;
var at = (day) => Date.parse(`${day}T00:00:00Z`);
var dayOf = (ms) => new Date(ms).toISOString().slice(0, 10);
function today(now, timezone) {
  try {
    return new Intl.DateTimeFormat("en-CA", { timeZone: timezone, year: "numeric", month: "2-digit", day: "2-digit" }).format(now);
  } catch {
    return dayOf(now);
  }
}
function range(period, until) {
  return { since: period === "month" ? `${until.slice(0, 7)}-01` : dayOf(at(until) - (Number(period) - 1) * DAY_MS), until };
}
function barsOf2(items, since, until) {
  const known = new Map(items.map((i) => [i.key, i]));
  const out = [];
  for (let ms = at(since); ms <= at(until); ms += DAY_MS) {
    const item = known.get(dayOf(ms));
    const cached = Math.min(item?.cached_tokens ?? 0, item?.input_tokens ?? 0);
    out.push({ day: dayOf(ms), fresh: (item?.input_tokens ?? 0) - cached, cached, output: item?.output_tokens ?? 0 });
  }
  return out;
}
var sumOf = (bar) => bar.fresh + bar.cached + bar.output;
function scaleOf(bars) {
  const most = Math.max(1, ...bars.map(sumOf));
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= most) ?? most;
}
var cachedShare = (a2) => a2.input_tokens > 0 ? a2.cached_tokens / a2.input_tokens : null;
var COLUMNS = ["requests", "failed_requests", "input_tokens", "cached_tokens", "output_tokens", "cost_usd", "unpriced_requests", "estimated_requests"];
function csvOf(usage) {
  const cell = (value) => {
    const text = value === null ? "" : String(value);
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const rows = [[usage.by, ...usage.by === "day" ? [] : ["label"], ...COLUMNS], ...usage.items.map((i) => [i.key, ...usage.by === "day" ? [] : [i.label ?? ""], ...COLUMNS.map((c) => i[c])])];
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

// app/views/usage-chart.tsx
var HEIGHT = 100;
var STEP = 10;
var WIDTH = 8;
function UsageChart({ items, since, until }) {
  const bars = barsOf2(items, since, until);
  const top = scaleOf(bars);
  const most = bars.reduce((a2, b) => sumOf(b) > sumOf(a2) ? b : a2, bars[0]);
  const [at2, setAt] = d(null);
  const u = t.usage;
  return /* @__PURE__ */ a("figure", { class: "chart", children: [
    /* @__PURE__ */ a("figcaption", { children: [
      /* @__PURE__ */ a("span", { class: "legend", children: [
        /* @__PURE__ */ a("i", { class: "fresh" }),
        u.fresh,
        /* @__PURE__ */ a("i", { class: "cached" }),
        u.cached,
        /* @__PURE__ */ a("i", { class: "output" }),
        u.output
      ] }),
      /* @__PURE__ */ a("span", { class: "quiet tabular", "aria-hidden": "true", children: at2 ? u.bar(longDay(at2.day), count(at2.fresh), count(at2.cached), count(at2.output)) : u.perDay })
    ] }),
    /* @__PURE__ */ a("div", { class: "plot", children: [
      /* @__PURE__ */ a("span", { class: "axis", "aria-hidden": "true", children: [
        /* @__PURE__ */ a("span", { children: short(top) }),
        /* @__PURE__ */ a("span", { children: short(top / 2) }),
        /* @__PURE__ */ a("span", { children: "0" })
      ] }),
      /* @__PURE__ */ a("svg", { viewBox: `0 0 ${bars.length * STEP} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": u.chartLabel(bars.length, longDay(most.day), count(sumOf(most))), onMouseLeave: () => setAt(null), children: [
        /* @__PURE__ */ a("path", { class: "grid", d: `M0 0H${bars.length * STEP}M0 ${HEIGHT / 2}H${bars.length * STEP}M0 ${HEIGHT}H${bars.length * STEP}` }),
        bars.map((bar, i) => /* @__PURE__ */ a(Column, { bar, x: i * STEP, top, onEnter: () => setAt(bar) }, bar.day))
      ] })
    ] }),
    /* @__PURE__ */ a("div", { class: "days quiet tabular", "aria-hidden": "true", children: [bars[0], bars[Math.floor(bars.length / 2)], bars.at(-1)].map((b, i) => /* @__PURE__ */ a("span", { children: shortDay(b.day) }, i)) })
  ] });
}
function Column({ bar, x, top, onEnter }) {
  let y = HEIGHT;
  const piece = (kind) => {
    const height = bar[kind] / top * HEIGHT;
    y -= height;
    return height > 0 ? /* @__PURE__ */ a("rect", { class: kind, x: x + (STEP - WIDTH) / 2, y, width: WIDTH, height }) : null;
  };
  return /* @__PURE__ */ a("g", { onMouseEnter: onEnter, children: [
    /* @__PURE__ */ a("rect", { class: "reach", x, y: 0, width: STEP, height: HEIGHT }),
    piece("cached"),
    piece("fresh"),
    piece("output")
  ] });
}

// app/views/settings-usage.tsx
function UsagePage() {
  const [period, setPeriod] = d("30");
  const [by, setBy] = d("day");
  const [timezone, setTimezone] = d("UTC");
  const [read, setRead] = d(null);
  const [failed, setFailed] = d("");
  const [again, setAgain] = d(0);
  A(() => {
    let gone = false;
    setFailed("");
    void (async () => {
      try {
        const asked = period === "30" ? void 0 : range(period, today(Date.now(), timezone));
        const days = await api.usage("day", asked?.since, asked?.until);
        const table = by === "day" ? days : await api.usage(by, days.since, days.until);
        if (gone) return;
        setTimezone(days.timezone);
        setRead({ days, table });
      } catch (error) {
        if (!gone) setFailed(describe(error).detail || t.usage.failed);
      }
    })();
    return () => {
      gone = true;
    };
  }, [period, by, again]);
  const u = t.usage;
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("div", { class: "row usage-choices", children: [
      /* @__PURE__ */ a(Segments, { label: u.period, name: "period", value: period, options: PERIODS.map((p) => [p, u.periods[p]]), onChoose: (p) => setPeriod(p) }),
      /* @__PURE__ */ a(Segments, { label: u.by, name: "by", value: by, options: BYS.map((b) => [b, u.bys[b]]), onChoose: (b) => setBy(b) })
    ] }),
    failed ? /* @__PURE__ */ a("div", { role: "alert", class: "usage-failed", children: [
      u.failed,
      " ",
      /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: () => setAgain(again + 1), children: t.retry }),
      /* @__PURE__ */ a("details", { class: "fold", children: [
        /* @__PURE__ */ a("summary", { children: t.failure.details }),
        /* @__PURE__ */ a("pre", { tabIndex: 0, children: failed })
      ] })
    ] }) : read ? /* @__PURE__ */ a(Shown, { read }) : /* @__PURE__ */ a("div", { class: "skeleton usage-skeleton", "aria-busy": "true", role: "status", "aria-label": u.loading, children: [
      /* @__PURE__ */ a("i", {}),
      /* @__PURE__ */ a("i", {}),
      /* @__PURE__ */ a("i", {}),
      /* @__PURE__ */ a("i", {})
    ] })
  ] });
}
function Segments({ label, name, value, options, onChoose }) {
  return /* @__PURE__ */ a("fieldset", { class: "segments", children: [
    /* @__PURE__ */ a("legend", { class: "visually-hidden", children: label }),
    options.map(([v, words]) => /* @__PURE__ */ a("label", { class: v === value ? "on" : "", children: [
      /* @__PURE__ */ a("input", { type: "radio", name, checked: v === value, onChange: () => onChoose(v) }),
      words
    ] }, v))
  ] });
}
function Shown({ read: { days, table } }) {
  const u = t.usage;
  const when = u.range(longDay(days.since), longDay(days.until), days.timezone);
  if (days.total.requests === 0) return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("p", { class: "quiet", children: when }),
    /* @__PURE__ */ a("p", { children: [
      u.empty,
      " ",
      /* @__PURE__ */ a("a", { href: "/", children: t.thread.goHome })
    ] })
  ] });
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("p", { class: "quiet", children: when }),
    /* @__PURE__ */ a(Totals, { total: days.total }),
    /* @__PURE__ */ a(UsageChart, { items: days.items, since: days.since, until: days.until }),
    /* @__PURE__ */ a(UsageTable, { usage: table }),
    /* @__PURE__ */ a("p", { class: "row", children: /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: () => download(table), children: u.csv }) })
  ] });
}
function Totals({ total }) {
  const u = t.usage;
  const share = cachedShare(total);
  const facts = [
    [u.requests, count(total.requests), total.failed_requests > 0 ? u.failedRequests(total.failed_requests) : ""],
    [u.input, count(total.input_tokens), share === null ? "" : u.cachedShare(percent(share))],
    [u.output, count(total.output_tokens), total.estimated_requests > 0 ? u.estimated(total.estimated_requests) : ""],
    [u.cost, total.cost_usd === null ? "—" : money(total.cost_usd), total.unpriced_requests > 0 ? u.unpriced(total.unpriced_requests) : ""]
  ];
  return /* @__PURE__ */ a("dl", { class: "totals", children: facts.map(([name, value, note]) => /* @__PURE__ */ a("div", { children: [
    /* @__PURE__ */ a("dt", { children: name }),
    /* @__PURE__ */ a("dd", { class: "tabular", children: value }),
    note && /* @__PURE__ */ a("dd", { class: "quiet", children: note })
  ] }, name)) });
}
function UsageTable({ usage }) {
  const u = t.usage;
  const items = usage.by === "day" ? [...usage.items].reverse() : usage.items;
  return /* @__PURE__ */ a("div", { class: "table-wrap", tabIndex: 0, role: "region", "aria-label": u.bys[usage.by], children: /* @__PURE__ */ a("table", { class: "usage", children: [
    /* @__PURE__ */ a("thead", { children: /* @__PURE__ */ a("tr", { children: [
      /* @__PURE__ */ a("th", { scope: "col", children: u.bys[usage.by] }),
      /* @__PURE__ */ a("th", { scope: "col", children: u.requests }),
      /* @__PURE__ */ a("th", { scope: "col", children: u.failedColumn }),
      /* @__PURE__ */ a("th", { scope: "col", children: u.input }),
      /* @__PURE__ */ a("th", { scope: "col", children: u.cached }),
      /* @__PURE__ */ a("th", { scope: "col", children: u.shareColumn }),
      /* @__PURE__ */ a("th", { scope: "col", children: u.output }),
      /* @__PURE__ */ a("th", { scope: "col", children: u.cost })
    ] }) }),
    /* @__PURE__ */ a("tbody", { children: items.map((item) => /* @__PURE__ */ a("tr", { children: [
      /* @__PURE__ */ a("th", { scope: "row", class: "clip", children: /* @__PURE__ */ a(Key, { by: usage.by, item }) }),
      /* @__PURE__ */ a(Cells, { amounts: item })
    ] }, item.key)) }),
    /* @__PURE__ */ a("tfoot", { children: /* @__PURE__ */ a("tr", { children: [
      /* @__PURE__ */ a("th", { scope: "row", children: u.total }),
      /* @__PURE__ */ a(Cells, { amounts: usage.total })
    ] }) })
  ] }) });
}
function Key({ by, item }) {
  if (by === "day") return /* @__PURE__ */ a($, { children: longDay(item.key) });
  if (by === "preset") return /* @__PURE__ */ a($, { children: [
    item.key,
    " ",
    /* @__PURE__ */ a("span", { class: "quiet", children: item.label })
  ] });
  const known = sessions.value?.find((s) => s.id === item.key);
  const label = known?.title || item.label;
  return known || item.label ? /* @__PURE__ */ a("a", { href: sessionPath(item.key), dir: "auto", children: label || t.sidebar.untitled }) : /* @__PURE__ */ a("span", { class: "quiet", children: [
    t.usage.deleted,
    " ",
    /* @__PURE__ */ a("code", { children: item.key.slice(0, 8) })
  ] });
}
function Cells({ amounts: a2 }) {
  const share = cachedShare(a2);
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("td", { children: count(a2.requests) }),
    /* @__PURE__ */ a("td", { class: a2.failed_requests > 0 ? "" : "quiet", children: count(a2.failed_requests) }),
    /* @__PURE__ */ a("td", { children: count(a2.input_tokens) }),
    /* @__PURE__ */ a("td", { children: count(a2.cached_tokens) }),
    /* @__PURE__ */ a("td", { children: share === null ? "" : percent(share) }),
    /* @__PURE__ */ a("td", { children: count(a2.output_tokens) }),
    /* @__PURE__ */ a("td", { children: a2.cost_usd === null ? /* @__PURE__ */ a("span", { class: "quiet", children: t.usage.noPrice }) : fineMoney(a2.cost_usd) })
  ] });
}
function download(usage) {
  const url = URL.createObjectURL(new Blob(["\uFEFF", csvOf(usage)], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `nanobot-usage-${usage.by}-${usage.since}-${usage.until}.csv`;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1e4);
}

// app/views/settings.tsx
function Settings2({ section }) {
  const Page = { general: General, models: Models, tools: Tools, usage: UsagePage, about: About }[section];
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("header", { class: "head", children: [
      /* @__PURE__ */ a(MenuButton, {}),
      /* @__PURE__ */ a("h1", { children: t.settings.title })
    ] }),
    /* @__PURE__ */ a(Strips, {}),
    /* @__PURE__ */ a("div", { class: "thread settings", id: "thread", tabIndex: -1, children: /* @__PURE__ */ a("div", { class: "settings-grid", children: [
      /* @__PURE__ */ a("nav", { "aria-label": t.settings.title, children: /* @__PURE__ */ a("ul", { children: SECTIONS.map((s) => /* @__PURE__ */ a("li", { children: /* @__PURE__ */ a("a", { href: `/settings/${s}`, "aria-current": s === section ? "page" : void 0, children: t.settings.sections[s] }) }, s)) }) }),
      /* @__PURE__ */ a("div", { class: "settings-page", children: [
        /* @__PURE__ */ a("h2", { children: t.settings.sections[section] }),
        /* @__PURE__ */ a(Boundary, { children: /* @__PURE__ */ a(Page, {}) }, section)
      ] })
    ] }) })
  ] });
}
export {
  FirstRun,
  Inspector,
  ModelSetup,
  Settings2 as Settings
};
