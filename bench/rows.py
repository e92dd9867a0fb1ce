#!/usr/bin/env python3
"""Prints the budget table: our figures beside the bare forwarder's, from the raw results of one run.

  rows.py RAW_DIR --binary target/release/nanobot [--hook-ns N]
"""
import argparse, os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench

OURS, LIMIT = "ours", "limit_sqlite"

# (what, key of bench.py, unit, target; a target that is a function gets the forwarder's figure)
ROWS = [
    ("start → 200 on /healthz, warm", "a. start to HTTP 200, warm", "ms", 20),
    ("start → first turn done, warm", "a. start to first turn done, warm", "ms", 40),
    ("PSS idle", "b. idle PSS after start", "MB", 15),
    ("PSS with 200 sessions open", "b. PSS with 200 open sessions", "MB", 50),
    ("overhead to first delta p50", "c. overhead to first delta p50", "ms", 1),
    ("overhead to first delta p99", "c. overhead to first delta p99", "ms", 3),
    ("overhead to turn end p50", "c. overhead to turn end p50", "ms", 1.5),
    ("overhead to turn end p99", "c. overhead to turn end p99", "ms", 4),
    ("CPU per turn", "c. server CPU per turn", "ms", 1),
    ("5,000 deltas in one turn, wall", "d. 5000 deltas: wall", "ms", lambda limit: 1.6 * limit),
    ("5,000 deltas in one turn, CPU", "d. 5000 deltas: server CPU", "ms", lambda limit: 1.6 * limit),
    ("20 sequential tool rounds (list_dir)", "e. 20 list_dir calls: overhead less model time", "ms", 25),
    ("20 sequential tool rounds (read_file)", "e. 20 read_file calls: overhead less model time", "ms", 25),
    ("200 sessions × 200 deltas, wall", "f. 200 sessions x 200 deltas: wall", "ms", 500),
    ("200 sessions, first delta p99", "f. 200 sessions: first delta p99", "ms", 250),
    ("200 sessions, peak RSS", "f. 200 sessions: peak RSS", "MB", 100),
    ("a turn at 5,000 stored messages", "g. overhead to turn end at 5000 messages p50", "ms", 5),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("raw")
    parser.add_argument("--binary")
    parser.add_argument("--hook-ns", type=float)
    args = parser.parse_args()
    rows = bench.collect([args.raw])

    def find(key):
        if key in rows:
            return rows[key]
        near = [k for k in rows if all(word in k for word in key.split(": ")[-1].split()) and k[:2] == key[:2]]
        return rows[near[0]] if near else {}

    print("| What | nanobot | forwarder | target | |")
    print("|---|---|---|---|---|")
    missed = 0

    def line(what, ours, limit, unit, target):
        nonlocal missed
        met = "not measured" if ours is None or target is None else "met" if ours <= target else f"missed, {ours / target:.1f}×"
        missed += met.startswith("missed")
        show = lambda v: "–" if v is None else f"{bench.fmt(v, unit)} {unit}"
        print(f"| {what} | {show(ours)} | {show(limit)} | ≤ {show(target)} | {met} |")

    for what, key, unit, target in ROWS:
        row = find(key)
        ours, limit = bench.med(row.get(OURS, [])), bench.med(row.get(LIMIT, []))
        line(what, ours, limit, unit, target(limit) if callable(target) and limit is not None else None if callable(target) else target)
    if args.hook_ns is not None:
        line("one hook call that does nothing", args.hook_ns, None, "ns", 100)
    if args.binary:
        line("binary, stripped", os.path.getsize(args.binary) / 1e6, None, "MB", 30)
    errors = {k: v for k, v in rows.items() if "error" in k or "FAILED" in k or "short" in k}
    bad = [f"{k}: {bench.med(v[OURS]):.0f}" for k, v in errors.items() if OURS in v and bench.med(v[OURS])]
    print(f"\n{missed} missed." + (f" Errors: {'; '.join(bad)}" if bad else " No errors."))


main()
