import {
  $,
  A,
  Boundary,
  Conversation,
  KeysHelp,
  MenuButton,
  ModelDialog,
  ModelPicker,
  Q,
  SearchDialog,
  Sidebar,
  a,
  actionOf,
  alarm,
  announce,
  announcement,
  answerText,
  boot,
  chooseLanguage,
  decideByKey,
  editing,
  f,
  fn,
  focusComposer,
  follower,
  go,
  helpShown,
  isBusy,
  isLive,
  leaveEdit,
  ln,
  moveRequest,
  open,
  pendingOf,
  providerVerb,
  retryWords,
  route,
  searchShown,
  sessions,
  sidebarShown,
  start,
  startRouter,
  stop,
  switchWords,
  t,
  titleOf,
  toggleSidebar,
  verbOf,
  wordsOf,
  x
} from "./shared-2.js";
import "./shared.js";

// app/views/announcer.tsx
function Announcer() {
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("div", { class: "visually-hidden", role: "status", "aria-live": "polite", children: announcement.value }),
    /* @__PURE__ */ a("div", { class: "visually-hidden", role: "alert", "aria-live": "assertive", children: alarm.value })
  ] });
}
function startAnnouncer() {
  let said = "";
  const say = (key, text) => {
    if (key !== said) {
      said = key;
      announce(text);
    }
  };
  let live;
  x(() => {
    const session = open.value;
    void session?.meta.value;
    const waits = sessions.value?.some((s) => s.state === "awaiting_approval") === true || session?.view.state === "awaiting_approval";
    document.title = (waits ? "● " : "") + (session ? `${titleOf(session.id, session.view.title)} — ${t.app}` : t.app);
  });
  let asked = /* @__PURE__ */ new Set();
  x(() => {
    const session = open.value;
    void session?.list.value;
    const now = session?.view.turns.find(isLive);
    if (session && now) void session.version(now).value;
    const pending = now ? pendingOf(now) : [];
    const news = pending.find((p) => !asked.has(p.approval_id));
    asked = new Set(pending.map((p) => p.approval_id));
    if (news) alarm.value = t.live.approval(news.kind === "budget" ? t.budget.title : t.approval.titles[verbOf(news.tool)], news.hint);
    else if (pending.length === 0) alarm.value = "";
  });
  let waiting = null;
  x(() => {
    const list = sessions.value?.filter((s) => s.state === "awaiting_approval");
    if (!list) return;
    const news = waiting && list.find((s) => !waiting.has(s.id) && s.id !== open.peek()?.id);
    waiting = new Set(list.map((s) => s.id));
    if (news) f(() => announce(t.live.elsewhere(titleOf(news.id, news.title))));
  });
  x(() => {
    const session = open.value;
    if (!session) {
      live = void 0;
      return;
    }
    void session.list.value;
    const now = session.view.turns.find(isLive);
    if (now) void session.version(now).value;
    const part = now?.parts.at(-1);
    if (now && part?.kind === "reasoning" && part.open) say(`${now.id}/think/${part.stream_id}`, t.live.thinking);
    else if (now && part?.kind === "tool" && part.status === "running") say(`${now.id}/${part.call_id}`, t.live.tool(t.tool.verbs[verbOf(part.name)][0]));
    else if (now && part?.kind === "provider_tool" && (part.phase === "started" || part.phase === "running")) say(`${now.id}/${part.stream_id}`, t.live.tool(t.tool.providerVerbs[providerVerb(part.name)][0]));
    else if (now && part?.kind === "notice" && part.code === "retry_wait" && part.data !== void 0) say(`${now.id}/${part.stream_id}`, retryWords(part));
    else if (now && part?.kind === "notice" && part.code === "model_switched" && part.data !== void 0) say(`${now.id}/${part.stream_id}`, switchWords(part));
    if (live && live !== now) sayEnd(live, say);
    live = now;
  });
}
function sayEnd(turn, say) {
  const words = wordsOf(turn);
  const key = `${turn.id}/end`;
  if (turn.stop_reason === "cancelled") say(key, t.live.stopped);
  else if (words) say(key, t.live.failed(words.text));
  else say(key, t.live.ready(countWords(answerText(turn))));
}
function countWords(text) {
  if (!("Segmenter" in Intl)) return text.split(/\s+/).filter(Boolean).length;
  let n = 0;
  for (const s of new Intl.Segmenter(t.locale, { granularity: "word" }).segment(text)) if (s.isWordLike) n++;
  return n;
}

// app/views/app.tsx
var Inspector = ln(() => import("./pages.js").then((m) => m.Inspector));
var Settings = ln(() => import("./pages.js").then((m) => m.Settings));
function App() {
  A(() => {
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
  return /* @__PURE__ */ a("div", { class: sidebarShown.value ? "frame" : "frame no-rail", children: [
    /* @__PURE__ */ a("a", { class: "skip", href: "#thread", children: t.skipToThread }),
    route.value.page !== "settings" && route.value.page !== "missing" && /* @__PURE__ */ a("a", { class: "skip", href: "#message", children: t.skipToComposer }),
    /* @__PURE__ */ a(Boundary, { children: /* @__PURE__ */ a(Sidebar, {}) }),
    /* @__PURE__ */ a("main", { id: "main", children: /* @__PURE__ */ a(Page, {}) }),
    /* @__PURE__ */ a(Announcer, {}),
    /* @__PURE__ */ a(SearchDialog, {}),
    /* @__PURE__ */ a(KeysHelp, {}),
    /* @__PURE__ */ a(ModelDialog, {}),
    /* @__PURE__ */ a(ModelPicker, {}),
    /* @__PURE__ */ a(Inspecting, {})
  ] });
}
function Inspecting() {
  const r = route.value;
  return r.page === "session" && r.inspect ? /* @__PURE__ */ a(fn, { fallback: null, children: /* @__PURE__ */ a(Inspector, { turn: r.inspect }, r.inspect) }) : null;
}
function Page() {
  const r = route.value;
  switch (r.page) {
    case "settings":
      return /* @__PURE__ */ a(fn, { fallback: null, children: /* @__PURE__ */ a(Settings, { section: r.section }) });
    case "missing":
      return /* @__PURE__ */ a($, { children: [
        /* @__PURE__ */ a("header", { class: "head", children: [
          /* @__PURE__ */ a(MenuButton, {}),
          /* @__PURE__ */ a("h1", { children: t.app })
        ] }),
        /* @__PURE__ */ a("div", { class: "thread", id: "thread", tabIndex: -1, children: /* @__PURE__ */ a("div", { class: "col", children: [
          /* @__PURE__ */ a("p", { children: t.notFound }),
          /* @__PURE__ */ a("p", { children: /* @__PURE__ */ a("a", { class: "button line", href: "/", children: t.thread.goHome }) })
        ] }) })
      ] });
    default:
      return /* @__PURE__ */ a(Conversation, { id: r.page === "session" ? r.id : null, message: r.page === "session" ? r.message : "" });
  }
}
var DOUBLE_MS = 600;
var REGIONS = ["#sidebar a", "#thread", "#message"];
var lastEscape = 0;
function onKeyDown(e) {
  if (e.defaultPrevented) return;
  const target = e.target instanceof HTMLElement ? e.target : null;
  const inField = target?.matches("input, textarea, select, [contenteditable]") === true;
  const inText = target?.matches("textarea, input:not([type=radio], [type=checkbox])") === true && target.value !== "";
  const action = actionOf(e, { inField, inText, inThread: target?.closest("#thread") != null });
  if (action === null || document.querySelector("dialog[open]") && action !== "search") return;
  if (e.repeat && (action === "allow_once" || action === "deny")) {
    e.preventDefault();
    return;
  }
  if (act(action)) e.preventDefault();
}
function act(action) {
  switch (action) {
    case "search":
      searchShown.value = !searchShown.value;
      return true;
    case "new_session":
      go("/");
      focusComposer.value++;
      return true;
    case "toggle_sidebar":
      toggleSidebar();
      return true;
    case "stop":
      stop();
      return true;
    case "escape":
      return escape();
    case "previous_request":
      moveRequest(-1);
      return true;
    case "next_request":
      moveRequest(1);
      return true;
    case "newest":
      follower?.toEnd();
      return true;
    case "next_region":
      moveRegion(1);
      return true;
    case "previous_region":
      moveRegion(-1);
      return true;
    case "help":
      helpShown.value = true;
      return true;
    case "allow_once":
    case "deny":
      return decideByKey(action);
  }
}
function escape() {
  if (editing.peek()) {
    leaveEdit();
    return true;
  }
  const now = Date.now();
  const twice = now - lastEscape < DOUBLE_MS;
  lastEscape = twice ? 0 : now;
  const busy = isBusy(open.peek()?.view.state ?? "idle");
  if (twice && busy) stop();
  return twice && busy;
}
function moveRegion(step) {
  const regions = REGIONS.map((s) => document.querySelector(s)).filter((n) => n !== null);
  const focused = document.activeElement;
  const at = regions.findIndex((r) => r === focused || r.closest("#sidebar, #thread, .composer")?.contains(focused) === true);
  regions.at(at === -1 ? 0 : (at + step) % regions.length)?.focus();
}

// app/main.tsx
await chooseLanguage(boot.lang || document.documentElement.lang);
startRouter();
start();
startAnnouncer();
Q(/* @__PURE__ */ a(App, {}), document.getElementById("app"));
