#!/usr/bin/env python3
"""Side-by-side benchmark of chat-agent servers on one machine.

  bench.py run --servers nanobot,limit --rounds 3 [--phases cold,turn,...] [--out raw/NAME]
  bench.py report raw/NAME [--base nanobot]

Servers come from servers.json, their wire protocols from adapters/*.json.  Order alternates from
round to round (A B, then B A, ...).  Needs: target/release/{mock_llm,load_ws} (see TARGET).
"""
import argparse, json, os, re, shutil, signal, socket, statistics as st, subprocess, sys, time, urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.environ.get("BENCH_TARGET", os.path.join(HERE, "target", "release"))
import tempfile
TMP = os.environ.get("BENCH_TMP") or os.path.join(tempfile.gettempdir(), "agent-bench")
MOCK = int(os.environ.get("BENCH_MOCK_PORT", "9911"))
TICK = os.sysconf("SC_CLK_TCK")
ALL = ["cold", "idle", "turn", "stream", "flush", "paced", "tools", "conc50", "conc200", "sess200", "history"]


# ------------------------------------------------------------------ /proc
def tree(pid):
    kids = {}
    for d in os.listdir("/proc"):
        if d.isdigit():
            try:
                f = open(f"/proc/{d}/stat").read()
                kids.setdefault(int(f.rsplit(")", 1)[1].split()[1]), []).append(int(d))
            except OSError:
                pass
    out, todo = [], [pid]
    while todo:
        p = todo.pop()
        out.append(p)
        todo += kids.get(p, [])
    return out


def cpu(pid):
    """CPU seconds of a process tree: (clock ticks incl. ended threads, scheduler ns of live threads)."""
    ticks, ns, thr = 0, 0, 0
    for p in tree(pid):
        try:
            f = open(f"/proc/{p}/stat").read().rsplit(")", 1)[1].split()
            ticks += sum(int(x) for x in f[11:15])
            for t in os.listdir(f"/proc/{p}/task"):
                try:
                    ns += int(open(f"/proc/{p}/task/{t}/schedstat").read().split()[0])
                    thr += 1
                except OSError:
                    pass
        except OSError:
            pass
    return ticks / TICK, ns / 1e9, thr


def mem(pid):
    pss = rss = hwm = 0
    for p in tree(pid):
        try:
            for l in open(f"/proc/{p}/smaps_rollup"):
                if l.startswith("Pss:"):
                    pss += int(l.split()[1])
                elif l.startswith("Rss:"):
                    rss += int(l.split()[1])
            for l in open(f"/proc/{p}/status"):
                if l.startswith("VmHWM"):
                    hwm += int(l.split()[1])
        except OSError:
            pass
    return {"pss_mb": pss / 1024, "rss_mb": rss / 1024, "hwm_mb": hwm / 1024}


def reset_hwm(pid):
    for p in tree(pid):
        try:
            open(f"/proc/{p}/clear_refs", "w").write("5")
        except OSError:
            pass


def machine():
    f = [int(x) for x in open("/proc/stat").readline().split()[1:]]
    idle = f[3] + f[4]
    return (sum(f[:8]) - idle) / TICK, idle / TICK, f[7] / TICK


def du(path):
    n = b = 0
    for r, _, fs in os.walk(path):
        for x in fs:
            try:
                s = os.lstat(os.path.join(r, x))
                b += s.st_blocks * 512
                n += 1
            except OSError:
                pass
    return {"kb": b / 1024, "files": n}


# ------------------------------------------------------------------ processes
def get(url, timeout=30):
    return json.load(urllib.request.urlopen(url, timeout=timeout))


def prio(n):
    def f():
        if n:
            os.setpriority(os.PRIO_PROCESS, 0, n)
    return f


class Mock:
    def __init__(self, nice, port=MOCK):
        self.port = port
        self.p = subprocess.Popen([f"{TARGET}/mock_llm", "--port", str(port)], stdout=subprocess.DEVNULL, preexec_fn=prio(nice))
        for _ in range(400):
            try:
                get(f"http://127.0.0.1:{port}/health", 1)
                return
            except OSError:
                time.sleep(0.01)
        raise RuntimeError("mock does not answer")

    def seq(self):
        return get(f"http://127.0.0.1:{self.port}/stats?since=999999999999")["seq"]

    def since(self, s):
        return get(f"http://127.0.0.1:{self.port}/stats?since={s}")["requests"]

    def reset(self):
        urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{self.port}/reset", method="POST"))

    def stop(self):
        self.p.terminate()
        self.p.wait()


def load_servers():
    s = json.load(open(f"{HERE}/servers.json"))
    out = {}
    for k, v in s.items():
        base = dict(s[v["like"]]) if "like" in v else {}
        base.update(v)
        out[k] = base
    return out


class Server:
    def __init__(self, name, spec, nice):
        self.name, self.s, self.nice = name, spec, nice
        self.home = f"{TMP}/{name}"
        self.port = spec["port"]
        self.proc = None

    def sub(self, x):
        if isinstance(x, str):
            for k, v in {"home": self.home, "mock": MOCK, "target": TARGET, "here": HERE, "port": self.port, "tools": os.environ.get("BENCH_TOOLS", os.path.join(TMP, "tools")), "ours": os.environ.get("BENCH_OURS", "nanobot")}.items():
                x = x.replace("{%s}" % k, str(v))
            return x
        if isinstance(x, list):
            return [self.sub(y) for y in x]
        if isinstance(x, dict):
            return {k: self.sub(v) for k, v in x.items()}
        return x

    def fresh(self):
        shutil.rmtree(self.home, ignore_errors=True)
        os.makedirs(self.home)
        for d in self.s.get("mkdirs", []):
            os.makedirs(f"{self.home}/{d}", exist_ok=True)
        for f, c in self.s.get("files", {}).items():
            p = f"{self.home}/{f}"
            os.makedirs(os.path.dirname(p), exist_ok=True)
            c = self.sub(c)
            open(p, "w").write(c if isinstance(c, str) else json.dumps(c, indent=1))
            os.chmod(p, 0o600)
        for c in self.s.get("setup", []):
            subprocess.run(self.sub(c), env=self.env(), cwd=self.home, check=True, stdout=open(f"{self.home}/setup.log", "a"), stderr=subprocess.STDOUT)
        d = self.sub(self.s.get("tool_dir", self.home))
        os.makedirs(d, exist_ok=True)
        os.makedirs(f"{d}/t20", exist_ok=True)
        for i in range(20):
            open(f"{d}/t20/file{i:02}.txt", "w").write("".join(f"line {n} of a small text file\n" for n in range(20)))

    def env(self):
        e = {"PATH": os.environ["PATH"], "HOME": self.home, "LANG": "C.UTF-8", "TERM": "dumb"}
        e.update(self.sub(self.s.get("env", {})))
        return e

    def ask(self, path="/"):
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as s:
                s.settimeout(5)
                s.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n\r\n".encode())
                d = b""
                while b"\r\n" not in d:
                    c = s.recv(4096)
                    if not c:
                        break
                    d += c
                return d.split(b" ")[1:2] == [b"200"]
        except OSError:
            return False

    def start(self, limit=120):
        """Spawn and wait for HTTP 200 of the UI; returns seconds."""
        log = open(f"{self.home}/server.log", "ab")
        t = time.monotonic()
        self.t_spawn = time.monotonic_ns()
        self.proc = subprocess.Popen(self.sub(self.s["cmd"]), env=self.env(), cwd=self.home, stdout=log, stderr=log, stdin=subprocess.DEVNULL, preexec_fn=prio(self.nice), start_new_session=True)
        path = self.s.get("ui", "/")
        while time.monotonic() - t < limit:
            if self.ask(path):
                return time.monotonic() - t
            if self.proc.poll() is not None:
                raise RuntimeError(f"{self.name} ended with {self.proc.returncode}, see {self.home}/server.log")
            time.sleep(0.0005)
        raise RuntimeError(f"{self.name} does not answer")

    def stop(self):
        if not self.proc:
            return None
        t = time.monotonic()
        self.proc.send_signal(signal.SIGTERM)
        try:
            self.proc.wait(15)
        except subprocess.TimeoutExpired:
            for p in reversed(tree(self.proc.pid)):
                os.kill(p, signal.SIGKILL)
            self.proc.wait()
        self.proc = None
        return time.monotonic() - t


# ------------------------------------------------------------------ one measured load
class Bench:
    def __init__(self, a):
        self.a = a
        self.mock = Mock(a.nice)
        self.n = 0

    def quiet(self):
        """Wait (bounded) until other work leaves the machine mostly alone."""
        end = time.monotonic() + self.a.quiet_wait
        while True:
            b0, i0, _ = machine()
            time.sleep(0.5)
            b1, i1, _ = machine()
            share = (b1 - b0) / max(1e-9, (b1 - b0) + (i1 - i0))
            if share < self.a.quiet_share or time.monotonic() > end:
                return share

    def load(self, srv, prompt, sessions=1, turns=1, timeout=120, hold=None, tag=None, chat=None, extra=()):
        self.n += 1
        tag = tag or f"{srv.name}{self.n}"
        out = f"{TMP}/load.json"
        if os.path.exists(out):
            os.unlink(out)
        cmd = [f"{TARGET}/load_ws", "--spec", f"{HERE}/{srv.s['spec']}" if not srv.s["spec"].startswith("/") else srv.s["spec"], "--port", str(srv.port), "--sessions", str(sessions), "--turns", str(turns), "--prompt", prompt, "--timeout", str(timeout), "--tag", tag, "--chat", chat or f"{tag}-", "--out", out]
        tok = srv.s.get("token_file")
        if tok:
            cmd += ["--var", "token=" + open(srv.sub(tok)).read().strip()]
        for k, v in srv.s.get("vars", {}).items():
            cmd += ["--var", f"{k}={srv.sub(v)}"]
        cmd += list(extra)
        seq = self.mock.seq()
        m0, c0, k0 = machine(), cpu(srv.proc.pid), cpu(self.mock.p.pid)
        t0 = time.monotonic()
        held = {}
        if hold:
            p = subprocess.Popen(cmd + ["--hold"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=prio(self.a.nice))
            p.stdout.readline()
            c1, k1, m1 = cpu(srv.proc.pid), cpu(self.mock.p.pid), machine()
            t1 = time.monotonic()
            held = hold()
            p.stdin.write("go\n")
            p.stdin.flush()
            p.wait(60)
        else:
            subprocess.run(cmd, check=True, preexec_fn=prio(self.a.nice))
            c1, k1, m1 = cpu(srv.proc.pid), cpu(self.mock.p.pid), machine()
            t1 = time.monotonic()
        r = json.load(open(out))
        recs = self.mock.since(seq)
        busy = m1[0] - m0[0]
        mine = (c1[0] - c0[0]) + (k1[0] - k0[0]) + r["client_cpu_s"]
        span = (m1[0] - m0[0]) + (m1[1] - m0[1])
        r.update(server_cpu_s=c1[1] - c0[1], server_cpu_ticks_s=c1[0] - c0[0], mock_cpu_s=k1[1] - k0[1], threads=c1[2], span_s=t1 - t0,
                 foreign_share=max(0.0, busy - mine) / span if span else 0, held=held, mock=recs)
        return r


def overheads(r):
    """Per turn: client-observed time less the model's own time (ms)."""
    by = {}
    for x in r["mock"]:
        if x["kind"] != "aux" and x["tag"]:
            by.setdefault(x["tag"], []).append(x)
    o = []
    for t in r["turns"]:
        m = sorted(by.get(t["tag"], []), key=lambda x: x["t_recv"])
        if t.get("err") or not m or not t["t_first"]:
            continue
        model_first = sum(x["t_last"] - x["t_recv"] for x in m[:-1]) + m[-1]["t_first"] - m[-1]["t_recv"]
        model = sum(x["t_last"] - x["t_recv"] for x in m)
        o.append({"turn": t["turn"], "to_model": (m[0]["t_recv"] - t["t_send"]) / 1e6, "first": (t["t_first"] - t["t_send"] - model_first) / 1e6,
                  "done": (t["t_done"] - t["t_send"] - model) / 1e6, "raw_first": (t["t_first"] - t["t_send"]) / 1e6, "raw_done": (t["t_done"] - t["t_send"]) / 1e6,
                  "req_bytes": m[-1]["req_bytes"], "n_msgs": m[-1]["n_msgs"], "calls": len(m)})
    return o


def pct(v, p):
    v = sorted(v)
    return v[min(len(v) - 1, int(round(p / 100 * (len(v) - 1))))] if v else None


def summary(r, want_chars=None):
    o = overheads(r)
    ok = [t for t in r["turns"] if not t.get("err")]
    d = {"wall_s": r["wall_s"], "server_cpu_s": r["server_cpu_s"], "server_cpu_ticks_s": r["server_cpu_ticks_s"], "mock_cpu_s": r["mock_cpu_s"], "client_cpu_s": r["client_cpu_s"],
         "errors": r["errors"], "turns": len(r["turns"]), "frames": sum(t["frames"] for t in ok), "deltas": sum(t["deltas"] for t in ok), "bytes": sum(t["bytes"] for t in ok),
         "foreign_share": r["foreign_share"], "aux_calls": sum(1 for x in r["mock"] if x["kind"] == "aux"), "threads": r["threads"]}
    for k in ("to_model", "first", "done", "raw_first", "raw_done"):
        v = [x[k] for x in o]
        if v:
            d[k] = {"p50": pct(v, 50), "p95": pct(v, 95), "p99": pct(v, 99), "max": max(v), "mean": st.mean(v)}
    if o:
        d["req_bytes"] = o[-1]["req_bytes"]
    if want_chars:
        d["short"] = sum(1 for t in ok if t["chars"] < want_chars - 1)
    errs = [t["err"] for t in r["turns"] if t.get("err")]
    if errs:
        d["err_sample"] = errs[:3]
    return d


# ------------------------------------------------------------------ phases
def ph_cold(b, srv):
    res = {"starts": []}
    for i in range(b.a.starts):
        if i == 0:
            srv.fresh()
        b.quiet()
        m0 = machine()
        up = srv.start()
        r = b.load(srv, "[[tokens=1 id={id}]] hello")
        t = r["turns"][0]
        m1 = machine()
        res["starts"].append({"fresh_home": i == 0, "http200_s": up, "first_turn_done_s": (t["t_done"] - srv.t_spawn) / 1e9, "first_turn_s": (t["t_done"] - t["t_send"]) / 1e9,
                              "cpu_s": cpu(srv.proc.pid)[0], "err": t.get("err"), "foreign_share": max(0, (m1[0] - m0[0]) - cpu(srv.proc.pid)[0]) / max(0.01, m1[0] - m0[0] + m1[1] - m0[1])})
        res["stop_s"] = srv.stop()
    return res


def ph_idle(b, srv):
    time.sleep(3)
    c0 = cpu(srv.proc.pid)
    time.sleep(5)
    c1 = cpu(srv.proc.pid)
    return {**mem(srv.proc.pid), "idle_cpu_share": (c1[1] - c0[1]) / 5, "threads": c1[2], "procs": len(tree(srv.proc.pid)), "disk": du(srv.home)}


def ph_turn(b, srv):
    b.load(srv, "[[tokens=1 id={id}]] warm", turns=20)
    b.quiet()
    d0 = du(srv.home)
    r = b.load(srv, "[[tokens=1 id={id}]] hello", turns=b.a.turns)
    d1 = du(srv.home)
    return {**summary(r), "disk_kb": d1["kb"] - d0["kb"], "disk": d1}


def ph_stream(b, srv, opt="", tokens=5000, key="stream"):
    b.load(srv, f"[[tokens=500{opt} id={{id}}]] warm")
    out = []
    for _ in range(b.a.reps):
        b.quiet()
        out.append(summary(b.load(srv, f"[[tokens={tokens}{opt} id={{id}}]] go"), tokens * 7))
    return {"reps": out}


def ph_paced(b, srv):
    b.quiet()
    return summary(b.load(srv, "[[tokens=300 delay_us=10000 id={id}]] go", sessions=20), 300 * 7)


def ph_tools(b, srv):
    d = srv.sub(srv.s.get("tool_dir", srv.home))
    ls = srv.s.get("list_tool", "list_dir")
    rd = srv.s.get("read_tool", "read_file")
    out = {}
    for k, p in (("list_dir", '[[tool:%s {"path":"%s/t20"} x20]] [[tokens=1 id={id}]] go' % (ls, d)), ("read_file", '[[tool:%s {"path":"%s/t20/file$R.txt"} x20]] [[tokens=1 id={id}]] go' % (rd, d))):
        p = srv.s.get("tool_prompts", {}).get(k, p)
        p = srv.sub(p)
        b.load(srv, p.replace("x20", "x2"))
        out[k] = []
        for _ in range(b.a.reps):
            b.quiet()
            r = b.load(srv, p)
            s = summary(r)
            s["calls"] = sum(1 for x in r["mock"] if x["kind"] == "tool")
            out[k].append(s)
    return out


def ph_conc(b, srv, n):
    b.load(srv, "[[tokens=1 id={id}]] warm", sessions=5)
    b.quiet()
    reset_hwm(srv.proc.pid)
    m0 = mem(srv.proc.pid)
    r = b.load(srv, "[[tokens=200 id={id}]] go", sessions=n, timeout=180)
    return {**summary(r, 1400), "mem_before": m0, "mem_after": mem(srv.proc.pid)}


def ph_sess200(b, srv):
    """Fresh server: PSS at start, with 200 one-turn sessions open, and after they left."""
    srv.stop()
    srv.fresh()
    srv.start()
    b.load(srv, "[[tokens=1 id={id}]] warm")
    time.sleep(3)
    m0, d0 = mem(srv.proc.pid), du(srv.home)
    held = {}

    def hold():
        time.sleep(2)
        c0 = cpu(srv.proc.pid)[1]
        time.sleep(3)
        return {**mem(srv.proc.pid), "idle_cpu_share": (cpu(srv.proc.pid)[1] - c0) / 3}
    r = b.load(srv, "[[tokens=50 id={id}]] hello", sessions=200, turns=1, timeout=180, hold=hold)
    time.sleep(4)
    return {**summary(r), "start": m0, "open200": r["held"], "after": mem(srv.proc.pid), "disk_kb": du(srv.home)["kb"] - d0["kb"], "files": du(srv.home)["files"] - d0["files"]}


def ph_history(b, srv):
    """One session grown to N messages; cost per turn at each length, then a restart and one more turn.
    A server with a "seed" command gets its stored session lengthened while stopped (from 1000 messages
    on), so that slow servers need not live through thousands of turns; others run real turns."""
    srv.stop()
    srv.fresh()
    srv.start()
    b.load(srv, "[[tokens=1 id={id}]] warm", turns=5)
    b.quiet()
    d0 = du(srv.home)
    ask = "[[tokens=5 id={id}]] a short question about nothing much"
    out, got, chat = {"windows": []}, 0, f"hist{int(time.time())}-"
    for mark in [m for m in (10, 100, 1000, 2000, 5000) if m <= b.a.history]:
        n = max(1, mark // 2 - got - 10) if mark > 10 else 3
        m = 5 if mark == 10 else 20 if mark <= 1000 else 12
        seeded = bool(srv.s.get("seed")) and mark >= 1000
        t = time.monotonic()
        load_ms = None
        if seeded:
            srv.stop()
            cmd = [str(x).replace("{chat}", chat + "0").replace("{messages}", str(mark - 20)) for x in srv.sub(srv.s["seed"])]
            subprocess.run(cmd, check=True, stdout=subprocess.DEVNULL)
            srv.start()
            b.load(srv, "[[tokens=1 id={id}]] warm", turns=3)
            n = 4
        if srv.s.get("one_load"):
            # The adapter makes a new session for each load, so one load lives through all turns of this length.
            r1 = {"errors": 0, "wall_s": 0, "mock": []}
            r2 = b.load(srv, ask, turns=max(m, mark // 2), chat=chat, timeout=120)
            cut = max(t["turn"] for t in r2["turns"]) - m
            r2["turns"] = [t for t in r2["turns"] if t["turn"] > cut]
            s = summary(r2)
            o = overheads(r2)
            out["windows"].append({"messages": mark, "seeded": False, "load_turn_ms": None, "n_msgs_sent": o[-1]["n_msgs"] if o else None, "summary": s, "fill_wall_s": r2["wall_s"], "fill_errors": 0, "disk_kb": du(srv.home)["kb"] - d0["kb"], "mem": mem(srv.proc.pid), "aux_fill": 0})
            continue
        r1 = b.load(srv, ask, turns=n, chat=chat, timeout=120)
        if seeded and not r1["errors"]:
            load_ms = (r1["turns"][0]["t_done"] - r1["turns"][0]["t_send"]) / 1e6
        r2 = b.load(srv, ask, turns=m, chat=chat, timeout=120)
        got = mark // 2 if seeded else got + n + m
        s = summary(r2)
        o = overheads(r2)
        out["windows"].append({"messages": mark, "seeded": seeded, "load_turn_ms": load_ms, "n_msgs_sent": o[-1]["n_msgs"] if o else None, "summary": s, "fill_wall_s": r1["wall_s"], "fill_errors": r1["errors"], "disk_kb": du(srv.home)["kb"] - d0["kb"], "mem": mem(srv.proc.pid), "aux_fill": sum(1 for x in r1["mock"] if x["kind"] == "aux")})
        if r1["errors"] or r2["errors"] or time.monotonic() - t > b.a.history_limit:
            out["stopped"] = True
            break
    out["turns"] = got
    srv.stop()
    out["disk_after_stop_kb"] = du(srv.home)["kb"] - d0["kb"]
    out["restart_http200_s"] = srv.start()
    r = b.load(srv, "[[tokens=5 id={id}]] back again", turns=2, chat=chat, timeout=120)
    out["after_restart"] = [{"raw_done": (t["t_done"] - t["t_send"]) / 1e6, "err": t.get("err")} for t in r["turns"]]
    out["after_restart_msgs"] = [x["n_msgs"] for x in r["mock"] if x["kind"] == "text"]
    return out


PH = {
    "cold": ph_cold, "idle": ph_idle, "turn": ph_turn, "stream": ph_stream, "flush": lambda b, s: ph_stream(b, s, " flush=1"), "paced": ph_paced, "tools": ph_tools,
    "conc50": lambda b, s: ph_conc(b, s, 50), "conc200": lambda b, s: ph_conc(b, s, 200), "sess200": ph_sess200, "history": ph_history,
}


def cmd_run(a):
    specs = load_servers()
    names = a.servers.split(",")
    os.makedirs(TMP, exist_ok=True)
    out = a.out or f"{HERE}/raw/{time.strftime('%Y%m%d-%H%M%S')}"
    os.makedirs(out, exist_ok=True)
    b = Bench(a)
    try:
        for rnd in range(a.first_round, a.first_round + a.rounds):
            order = names if rnd % 2 == 0 else names[::-1]
            for name in order:
                srv = Server(name, specs[name], a.nice)
                try:
                    phases = a.phases.split(",")
                    started = False
                    for ph in phases:
                        if ph != "cold" and not started:
                            srv.fresh()
                            srv.start()
                            started = True
                        b.mock.reset()
                        t = time.monotonic()
                        try:
                            res = PH[ph](b, srv)
                        except Exception as e:  # a failed phase is a result too
                            res = {"failed": repr(e)}
                        if ph == "cold":
                            started = False
                        if srv.proc and srv.proc.poll() is not None:
                            res["server_died"] = srv.proc.returncode
                            srv.start()
                        with open(f"{out}/{rnd}-{name}-{ph}.json", "w") as f:
                            json.dump({"server": name, "phase": ph, "round": rnd, "took_s": time.monotonic() - t, "load_avg": os.getloadavg(), "nice": a.nice, "result": res}, f)
                        print(f"round {rnd} {name:16} {ph:8} {time.monotonic()-t:7.1f}s {'FAILED ' + res['failed'] if 'failed' in res else ''}", flush=True)
                finally:
                    srv.stop()
    finally:
        b.mock.stop()
    print("raw results in", out)


# ------------------------------------------------------------------ report
AGG = st.median


def med(v):
    v = [x for x in v if x is not None]
    return AGG(v) if v else None


def collect(dirs):
    rows = {}

    def add(server, key, val, unit, lower=True):
        if val is not None:
            rows.setdefault(key, {"unit": unit}).setdefault(server, []).append(val)
    for d in dirs:
        for f in sorted(os.listdir(d)):
            if not f.endswith(".json"):
                continue
            j = json.load(open(f"{d}/{f}"))
            s, ph, r = j["server"], j["phase"], j["result"]
            if "failed" in r:
                add(s, f"{ph}: FAILED phases", 1, "n")
                continue
            if ph == "cold":
                for x in r["starts"]:
                    k = "fresh data dir" if x["fresh_home"] else "warm"
                    add(s, f"a. start to HTTP 200, {k}", x["http200_s"] * 1e3, "ms")
                    add(s, f"a. start to first turn done, {k}", x["first_turn_done_s"] * 1e3, "ms")
                    add(s, f"a. CPU of start + 1 turn, {k}", x["cpu_s"] * 1e3, "ms")
            elif ph == "idle":
                add(s, "b. idle PSS after start", r["pss_mb"], "MB")
                add(s, "b. idle CPU share", r["idle_cpu_share"] * 100, "%")
                add(s, "h. data dir after start", r["disk"]["kb"], "KB")
            elif ph == "sess200":
                add(s, "b. PSS before 200 sessions", r["start"]["pss_mb"], "MB")
                add(s, "b. PSS with 200 open sessions", r["open200"].get("pss_mb"), "MB")
                add(s, "b. PSS after 200 sessions left", r["after"]["pss_mb"], "MB")
                add(s, "h. disk of 200 one-turn sessions", r["disk_kb"], "KB")
                add(s, "h. files of 200 one-turn sessions", r["files"], "n")
                add(s, "b. 200 sessions errors", r["errors"], "n")
            elif ph == "turn":
                for k, l in (("to_model", "send to model request"), ("first", "overhead to first delta"), ("done", "overhead to turn end")):
                    for p in ("p50", "p95", "p99"):
                        add(s, f"c. {l} {p}", r[k][p] if k in r else None, "ms")
                add(s, "c. server CPU per turn", r["server_cpu_s"] / r["turns"] * 1e3, "ms")
                add(s, "c. errors", r["errors"], "n")
                add(s, "h. disk per turn (2 messages)", r["disk_kb"] / r["turns"], "KB")
                add(s, "c. model request size", r.get("req_bytes", 0) / 1024, "KB")
            elif ph in ("stream", "flush"):
                l = "d. 5000 deltas" if ph == "stream" else "d. 5000 deltas, one TCP write each"
                for x in r["reps"]:
                    add(s, f"{l}: wall", x["wall_s"] * 1e3, "ms")
                    add(s, f"{l}: server CPU", x["server_cpu_s"] * 1e3, "ms")
                    add(s, f"{l}: frames to the client", x["frames"], "n")
                    add(s, f"{l}: bytes to the client", x["bytes"] / 1024, "KB")
                    add(s, f"{l}: short replies", x.get("short", 0), "n")
            elif ph == "paced":
                add(s, "d. paced 20x300 tokens at 100/s: server CPU per 1000 tokens", r["server_cpu_s"] / 6 * 1e3, "ms")
                add(s, "d. paced: overhead to first delta p99", r["first"]["p99"] if "first" in r else None, "ms")
                add(s, "d. paced: wall", r["wall_s"] * 1e3, "ms")
                add(s, "d. paced: errors", r["errors"] + r.get("short", 0), "n")
            elif ph == "tools":
                for k in ("list_dir", "read_file"):
                    for x in r[k]:
                        add(s, f"e. 20 {k} calls: wall", x["wall_s"] * 1e3, "ms")
                        add(s, f"e. 20 {k} calls: overhead less model time", x["done"]["p50"] if "done" in x else None, "ms")
                        add(s, f"e. 20 {k} calls: server CPU", x["server_cpu_s"] * 1e3, "ms")
                        add(s, f"e. 20 {k} calls: tool rounds seen", x["calls"], "n")
                        add(s, f"e. 20 {k} calls: errors", x["errors"], "n")
            elif ph in ("conc50", "conc200"):
                n = ph[4:]
                add(s, f"f. {n} sessions x 200 deltas: wall", r["wall_s"] * 1e3, "ms")
                add(s, f"f. {n} sessions: first delta p50", r["raw_first"]["p50"] if "raw_first" in r else None, "ms")
                add(s, f"f. {n} sessions: first delta p99", r["raw_first"]["p99"] if "raw_first" in r else None, "ms")
                add(s, f"f. {n} sessions: server CPU", r["server_cpu_s"] * 1e3, "ms")
                add(s, f"f. {n} sessions: peak RSS", r["mem_after"]["hwm_mb"], "MB")
                add(s, f"f. {n} sessions: errors", r["errors"] + r.get("short", 0), "n")
            elif ph == "history":
                for w in r["windows"]:
                    m = w["messages"]
                    add(s, f"g. overhead to turn end at {m} messages p50", w["summary"]["done"]["p50"] if "done" in w["summary"] else None, "ms")
                    add(s, f"g. server CPU per turn at {m} messages", w["summary"]["server_cpu_s"] / w["summary"]["turns"] * 1e3, "ms")
                    add(s, f"g. messages sent to the model at {m}", w["n_msgs_sent"], "n")
                    add(s, f"g. first turn of a stored {m}-message session after a start", w.get("load_turn_ms"), "ms")
                    if m >= 1000:
                        add(s, f"h. disk of a {m}-message session", w["disk_kb"], "KB")
                        add(s, f"g. PSS at {m} messages", w["mem"]["pss_mb"], "MB")
                add(s, "h. disk after a clean stop (longest session)", r.get("disk_after_stop_kb"), "KB")
                add(s, "g. first turn after restart", r["after_restart"][0]["raw_done"] if not r["after_restart"][0]["err"] else None, "ms")
            fs = r.get("foreign_share")
            if fs is not None:
                add(s, "z. other work's share of the machine (turn/conc/paced)", fs * 100, "%")
    return rows


def fmt(v, unit):
    if v is None:
        return "-"
    if unit == "n":
        return f"{v:.0f}"
    return f"{v:,.0f}" if abs(v) >= 100 else f"{v:.1f}" if abs(v) >= 10 else f"{v:.2f}"


def cmd_report(a):
    global AGG
    if a.best:
        AGG = min
    rows = collect(a.dirs)
    names = []
    for r in rows.values():
        for k in r:
            if k != "unit" and k not in names:
                names.append(k)
    if a.servers:
        names = [n for n in a.servers.split(",") if n in names]
    base = a.base if a.base in names else None
    print("| measure | unit | " + " | ".join(names) + " | " + (" | ".join(f"{base} / {n}" for n in names if n != base) + " |" if base else ""))
    print("|---|---|" + "---|" * (len(names) + (len(names) - 1 if base else 0)))
    for k in sorted(rows, key=lambda k: (k[0], [t.zfill(9) if t.isdigit() else t for t in re.split(r"(\d+)", k)])):
        r = rows[k]
        cells = []
        for n in names:
            v = r.get(n)
            c = fmt(med(v), r["unit"]) if v else "-"
            if v and len(v) > 1 and a.spread and max(v) != min(v):
                c += f" ({fmt(min(v), r['unit'])}-{fmt(max(v), r['unit'])})"
            cells.append(c)
        ratios = []
        if base:
            for n in names:
                if n == base:
                    continue
                x, y = med(r.get(base, [])), med(r.get(n, []))
                ratios.append(f"{x / y:.1f}x" if x and y and r["unit"] != "n" else "")
        print(f"| {k[3:]} | {r['unit']} | " + " | ".join(cells + ratios) + " |")


def main():
    p = argparse.ArgumentParser()
    s = p.add_subparsers(dest="c", required=True)
    r = s.add_parser("run")
    r.add_argument("--servers", required=True)
    r.add_argument("--rounds", type=int, default=3)
    r.add_argument("--first-round", type=int, default=0)
    r.add_argument("--phases", default=",".join(ALL))
    r.add_argument("--out")
    r.add_argument("--nice", type=int, default=0, help="priority for server, mock and client alike (negative: ahead of other work)")
    r.add_argument("--turns", type=int, default=200)
    r.add_argument("--reps", type=int, default=3)
    r.add_argument("--starts", type=int, default=3)
    r.add_argument("--history", type=int, default=5000)
    r.add_argument("--history-limit", type=float, default=600)
    r.add_argument("--quiet-wait", type=float, default=20)
    r.add_argument("--quiet-share", type=float, default=0.15)
    r.set_defaults(f=cmd_run)
    q = s.add_parser("report")
    q.add_argument("dirs", nargs="+")
    q.add_argument("--base", default="nanobot")
    q.add_argument("--servers")
    q.add_argument("--spread", action="store_true", help="also print (min-max)")
    q.add_argument("--best", action="store_true", help="lowest instead of median")
    q.set_defaults(f=cmd_report)
    a = p.parse_args()
    a.f(a)


if __name__ == "__main__":
    main()
