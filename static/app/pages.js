import {
  $,
  A,
  Boundary,
  Dialog,
  LANGUAGES,
  MenuButton,
  REASONING,
  SECTIONS,
  SEND_KEYS,
  Strips,
  a,
  announce,
  api,
  boot,
  count,
  d,
  describe,
  duration,
  focusComposer,
  mismatches,
  presets,
  readPresets,
  readSetup,
  reasoning,
  sendKey,
  serverVersion,
  setLanguage,
  setReasoning,
  setSendKey,
  setTheme,
  setup,
  suggestion,
  t,
  theme
} from "./shared-2.js";
import "./shared.js";

// app/views/model-setup.tsx
var BLANK = { name: "custom", kind: "openai", base_url: "", api_key: "", env: "", model: "" };
var KINDS = ["openai"];
var ofFound = (f) => ({ ...BLANK, name: f.provider, kind: f.kind, base_url: f.base_url, env: f.source === "key" ? f.env ?? "" : "", model: f.models[0] ?? "" });
var ofKnown = (p, model) => ({ ...BLANK, name: p.name, kind: p.kind, base_url: p.base_url, model });
var keyOf = (c) => c.api_key || (c.env ? `\${${c.env}}` : "");
var providerOf = (c) => ({ kind: c.kind, ...c.base_url && { base_url: c.base_url }, ...keyOf(c) && { api_key: keyOf(c) } });
var address = (url = "") => url.trim().replace(/\/+$/, "");
var isSame = (c, p) => p.kind === c.kind && address(p.base_url) === address(c.base_url) && !c.api_key && (!c.env || c.env === p.api_key_env);
async function placeOf(choice) {
  const { providers } = await api.settings();
  for (let n = 1; ; n++) {
    const name = n === 1 ? choice.name : `${choice.name}-${n}`;
    const have = Object.hasOwn(providers, name) ? providers[name] : void 0;
    if (!have || isSame(choice, have)) return { name, made: have !== void 0 };
  }
}
async function save(choice, preset, makeDefault) {
  const { name, made } = await placeOf(choice);
  await api.patchSettings({
    ...!made && { providers: { [name]: providerOf(choice) } },
    presets: { [preset]: { provider: name, model: choice.model } },
    ...makeDefault && { agent: { preset } }
  });
  await Promise.all([readPresets(), readSetup()]);
}
async function saveDemo() {
  const { provider, model } = setup.peek()?.demo ?? { provider: "demo", model: "demo" };
  await api.patchSettings({ providers: { [provider]: { kind: "demo" } }, presets: { demo: { provider, model } }, agent: { preset: "demo" } });
  await Promise.all([readPresets(), readSetup()]);
}
function freeName(model) {
  const taken = new Set(presets.peek().map((p) => p.name));
  if (!taken.has("default")) return "default";
  const base = model.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "model";
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`;
    if (!taken.has(name)) return name;
  }
}
function ModelSetup({ onDone, named = false, demo = true }) {
  const offered = setup.value;
  const known = offered?.providers.filter((p) => p.available && KINDS.includes(p.kind)) ?? [];
  const found = offered?.found.filter((f) => KINDS.includes(f.kind)) ?? null;
  const [choice, setChoice] = d(BLANK);
  const [preset, setPreset] = d("");
  const [makeDefault, setMakeDefault] = d(!named);
  const [result, setResult] = d(null);
  const [busy, setBusy] = d("");
  const [error, setError] = d("");
  A(() => {
    void readSetup();
  }, []);
  A(() => {
    const first = found?.find((f) => f.models.length > 0) ?? found?.[0];
    if (choice !== BLANK || !offered) return;
    if (first) setChoice(ofFound(first));
    else if (known[0]) setChoice(ofKnown(known[0], ""));
  }, [offered]);
  const change = (fields) => {
    setChoice({ ...choice, ...fields });
    setResult(null);
    setError("");
  };
  const replace = (next) => {
    setChoice(next);
    setResult(null);
    setError("");
  };
  const guarded = async (what, action) => {
    if (!choice.model.trim()) {
      setError(t.setup.needModel);
      return;
    }
    setBusy(what);
    setError("");
    try {
      await action();
    } catch (e) {
      setError(describe(e).detail);
    }
    setBusy("");
  };
  const test = () => guarded("test", async () => {
    setResult(null);
    const { name, made } = await placeOf(choice);
    setResult(await api.testProvider({ provider: made ? name : providerOf(choice), model: choice.model.trim() }));
  });
  const store = () => guarded("save", async () => {
    const clean = { ...choice, model: choice.model.trim() };
    await save(clean, preset.trim() || freeName(clean.model), makeDefault);
    onDone();
  });
  const tryDemo = async () => {
    setBusy("save");
    try {
      await saveDemo();
      onDone();
    } catch (e) {
      setError(describe(e).detail);
    }
    setBusy("");
  };
  return /* @__PURE__ */ a("form", { class: "setup", onSubmit: (e) => {
    e.preventDefault();
    void store();
  }, children: [
    /* @__PURE__ */ a(FoundList, { found, choice, onChoose: replace }),
    /* @__PURE__ */ a(Fields, { choice, known, models: found?.find((f) => f.provider === choice.name)?.models ?? [], onChange: change, onReplace: replace }),
    named && /* @__PURE__ */ a($, { children: [
      /* @__PURE__ */ a("label", { class: "field", children: [
        /* @__PURE__ */ a("span", { children: t.setup.name }),
        /* @__PURE__ */ a("input", { value: preset, placeholder: freeName(choice.model), onInput: (e) => setPreset(e.currentTarget.value) })
      ] }),
      /* @__PURE__ */ a("label", { class: "check", children: [
        /* @__PURE__ */ a("input", { type: "checkbox", checked: makeDefault, onChange: (e) => setMakeDefault(e.currentTarget.checked) }),
        t.setup.makeDefault
      ] })
    ] }),
    /* @__PURE__ */ a("div", { class: "row", children: [
      /* @__PURE__ */ a("button", { type: "button", class: "line", disabled: busy !== "", onClick: () => void test(), children: busy === "test" ? t.setup.testing : t.setup.test }),
      /* @__PURE__ */ a("button", { type: "submit", class: "go", disabled: busy !== "", children: busy === "save" ? t.setup.saving : named ? t.save : t.setup.save })
    ] }),
    /* @__PURE__ */ a("div", { role: "status", children: [
      result && (result.ok ? /* @__PURE__ */ a("p", { class: "note ok", children: [
        t.setup.ok(duration(result.latency_ms)),
        result.text && /* @__PURE__ */ a($, { children: [
          " — ",
          /* @__PURE__ */ a("q", { dir: "auto", children: result.text.slice(0, 120) })
        ] })
      ] }) : /* @__PURE__ */ a("p", { class: "note err", children: t.setup.failed(result.error.detail || result.error.code) })),
      error && /* @__PURE__ */ a("p", { class: "note err", children: error })
    ] }),
    demo && /* @__PURE__ */ a("div", { class: "demo", children: [
      /* @__PURE__ */ a("button", { type: "button", class: "line", disabled: busy !== "", onClick: () => void tryDemo(), children: t.setup.demo }),
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
    /* @__PURE__ */ a("label", { class: "field", children: [
      /* @__PURE__ */ a("span", { children: t.setup.provider }),
      /* @__PURE__ */ a("select", { value: listed ? choice.name : "", onChange: (e) => pick(e.currentTarget.value), children: [
        known.map((p) => /* @__PURE__ */ a("option", { value: p.name, children: p.label }, p.name)),
        /* @__PURE__ */ a("option", { value: "", children: t.setup.custom })
      ] })
    ] }),
    KINDS.length > 1 && /* @__PURE__ */ a("label", { class: "field", children: [
      /* @__PURE__ */ a("span", { children: t.setup.kind }),
      /* @__PURE__ */ a("select", { value: choice.kind, onChange: (e) => onChange({ kind: e.currentTarget.value }), children: KINDS.map((k) => /* @__PURE__ */ a("option", { value: k, children: t.setup.kinds[k] }, k)) })
    ] }),
    /* @__PURE__ */ a("label", { class: "field", children: [
      /* @__PURE__ */ a("span", { children: t.setup.baseUrl }),
      /* @__PURE__ */ a("input", { type: "url", inputMode: "url", autocomplete: "off", spellcheck: false, placeholder: "http://127.0.0.1:8000/v1", value: choice.base_url, onInput: (e) => onChange({ base_url: e.currentTarget.value, env: "" }) })
    ] }),
    /* @__PURE__ */ a("label", { class: "field", children: [
      /* @__PURE__ */ a("span", { children: t.setup.apiKey }),
      /* @__PURE__ */ a("input", { type: "password", autocomplete: "off", placeholder: choice.env ? t.setup.keyFrom(choice.env) : t.setup.keyHint, value: choice.api_key, onInput: (e) => onChange({ api_key: e.currentTarget.value }) })
    ] }),
    /* @__PURE__ */ a("label", { class: "field", children: [
      /* @__PURE__ */ a("span", { children: t.setup.model }),
      /* @__PURE__ */ a("input", { list: "models", autocomplete: "off", spellcheck: false, required: true, placeholder: t.setup.modelHint, value: choice.model, onInput: (e) => onChange({ model: e.currentTarget.value }) })
    ] }),
    /* @__PURE__ */ a("datalist", { id: "models", children: models.map((m) => /* @__PURE__ */ a("option", { value: m }, m)) })
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
  const [saved, setSaved] = d(false);
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
      /* @__PURE__ */ a("span", { class: "quiet", role: "status", children: saved ? t.settings.saved : "" }),
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

// app/views/settings-models.tsx
function Models() {
  const [settings, setSettings] = d(null);
  const [failed, setFailed] = d("");
  const [adding, setAdding] = d(false);
  const [asked, setAsked] = d(null);
  const read = () => api.settings().then((s) => {
    setSettings(s);
    setFailed("");
  }, (e) => setFailed(describe(e).detail || t.settings.failed));
  A(() => {
    void read();
    void readPresets();
  }, []);
  const patch = async (body) => {
    try {
      setSettings(await api.patchSettings(body));
      setFailed("");
      await Promise.all([readPresets(), readSetup()]);
    } catch (e) {
      setFailed(describe(e).detail);
    }
  };
  const removePreset = (p) => patch({ presets: { [p.name]: null }, ...p.is_default && { agent: { preset: null } } });
  const removeProvider = (name) => {
    const users = Object.entries(settings?.presets ?? {}).filter(([, p]) => p.provider === name).map(([preset]) => preset);
    if (users.length > 0) setFailed(t.settings.providerUsed(users));
    else void patch({ providers: { [name]: null } });
  };
  if (!settings) return failed ? /* @__PURE__ */ a("p", { role: "alert", children: [
    t.settings.failed,
    " ",
    /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: () => void read(), children: t.retry })
  ] }) : /* @__PURE__ */ a("div", { class: "skeleton", "aria-busy": "true", children: [
    /* @__PURE__ */ a("i", {}),
    /* @__PURE__ */ a("i", {}),
    /* @__PURE__ */ a("i", {})
  ] });
  return /* @__PURE__ */ a($, { children: [
    failed && /* @__PURE__ */ a("p", { class: "note err", role: "alert", children: failed }),
    settings.warnings.length > 0 && /* @__PURE__ */ a("div", { class: "note warn", children: [
      /* @__PURE__ */ a("p", { children: t.settings.warnings }),
      /* @__PURE__ */ a("ul", { class: "plain-list", children: settings.warnings.map((w) => /* @__PURE__ */ a("li", { children: [
        /* @__PURE__ */ a("code", { children: w.path }),
        " ",
        w.detail
      ] }, w.path)) })
    ] }),
    /* @__PURE__ */ a("h3", { children: t.settings.presets }),
    /* @__PURE__ */ a("p", { class: "quiet", children: t.settings.presetsNote }),
    presets.value.length === 0 && /* @__PURE__ */ a("p", { children: t.settings.noPresets }),
    /* @__PURE__ */ a("ul", { class: "rows", children: presets.value.map((p) => /* @__PURE__ */ a("li", { children: [
      /* @__PURE__ */ a("span", { class: "setting-words", children: [
        /* @__PURE__ */ a("b", { children: p.model }),
        /* @__PURE__ */ a("span", { class: "quiet", children: [
          p.name,
          " · ",
          p.provider,
          " · ",
          t.settings.window(count(p.context_window_tokens), p.context_window_assumed)
        ] })
      ] }),
      p.is_default ? /* @__PURE__ */ a("span", { class: "badge", children: t.settings.default }) : /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: () => void patch({ agent: { preset: p.name } }), children: t.settings.makeDefault }),
      /* @__PURE__ */ a("button", { type: "button", class: "line", "aria-label": t.settings.removePreset(p.name), onClick: () => {
        if (p.is_default) setAsked(p);
        else void removePreset(p);
      }, children: t.remove })
    ] }, p.name)) }),
    adding ? /* @__PURE__ */ a("section", { class: "card-box", children: [
      /* @__PURE__ */ a("h3", { children: t.settings.addModel }),
      /* @__PURE__ */ a(ModelSetup, { named: true, demo: !presets.value.some((p) => p.is_demo), onDone: () => {
        setAdding(false);
        void read();
      } }),
      /* @__PURE__ */ a("button", { type: "button", class: "line", onClick: () => setAdding(false), children: t.cancel })
    ] }) : /* @__PURE__ */ a("p", { children: /* @__PURE__ */ a("button", { type: "button", class: "go", onClick: () => setAdding(true), children: t.settings.addModel }) }),
    /* @__PURE__ */ a("h3", { children: t.settings.providers }),
    Object.keys(settings.providers).length === 0 && /* @__PURE__ */ a("p", { children: t.settings.noProviders }),
    /* @__PURE__ */ a("ul", { class: "rows", children: Object.entries(settings.providers).map(([name, p]) => /* @__PURE__ */ a("li", { children: [
      /* @__PURE__ */ a("span", { class: "setting-words", children: [
        /* @__PURE__ */ a("b", { children: name }),
        /* @__PURE__ */ a("span", { class: "quiet", children: [
          t.setup.kinds[p.kind] ?? p.kind,
          p.base_url ? ` · ${p.base_url}` : "",
          p.kind === "demo" ? "" : ` · ${p.api_key_env ? t.settings.keyFrom(p.api_key_env) : p.api_key_set ? t.settings.keySet : t.settings.noKey}`
        ] })
      ] }),
      /* @__PURE__ */ a("button", { type: "button", class: "line", "aria-label": t.settings.removeProvider(name), onClick: () => removeProvider(name), children: t.remove })
    ] }, name)) }),
    asked && /* @__PURE__ */ a(Dialog, { title: t.settings.removeDefault, onClose: () => setAsked(null), children: [
      /* @__PURE__ */ a("p", { children: t.settings.removeDefaultNote(asked.name) }),
      /* @__PURE__ */ a("div", { class: "row", children: [
        /* @__PURE__ */ a("button", { type: "button", class: "go", onClick: () => {
          setAsked(null);
          void removePreset(asked);
        }, children: t.remove }),
        /* @__PURE__ */ a("button", { type: "button", class: "line", "data-first": true, onClick: () => setAsked(null), children: t.cancel })
      ] })
    ] })
  ] });
}

// app/views/settings.tsx
function Settings({ section }) {
  const Page = { general: General, models: Models, about: About }[section];
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
  ModelSetup,
  Settings
};
