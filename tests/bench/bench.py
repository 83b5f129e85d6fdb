#!/usr/bin/python3
"""Measures handler beside tmux, as black boxes, in turns in the same run.

  bench.py [--quick] [--only start,echo,...] [--rounds N] [--idle SECONDS] [--json FILE] [--handler PATH]

Each multiplexer runs in a pty of 120x40 that is drained and answers queries as xterm does.  Figures are medians over the rounds; the
ratio is handler's to tmux's of the same round, its median, so that a busy machine disturbs it least.  What is to be
reached stands beside it: of the ratio, or, where a unit is given, of handler's own figure.

  start       until the first output of the program in the pane is on the outer terminal
  echo        a key until its echo is there, with nothing else going on, while a hidden session prints without end,
              while a pane beside it does
  throughput  a program prints 8 MiB, the terminal in raw mode as agents have it; until the last of it is there; the
              multiplexer's processor time; bytes it sent on
  economy     bytes sent on for each byte of a program that repaints 30 times a second: most of the screen, or only a
              spinner and a clock, the latter also beside a sidebar
  memory      PSS of the multiplexer's processes: with one session, and for each further one, empty and with 10,000 lines
  idle        wake-ups (context switches) and processor time when nothing happens
  sessions    1, 4 and 16 sessions print at once, one of them shown: MB/s summed, until every one has been parsed
"""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import multiplexers
import workloads
from outer import Closed, Outer

HERE = os.path.dirname(os.path.abspath(__file__))
INNER = os.path.join(HERE, "inner.py")
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
from lib import processes  # noqa: E402

READY, DONE = b"^&^&@@", b"@@&^&^"
KEYS = b"^&@"
ROW = 61             # keys before the cursor goes back: not a multiple of len(KEYS), so each one changes its cell
LIMIT = 120.0        # seconds that one measurement may take
TICKS = os.sysconf("SC_CLK_TCK")
VARIABLE = "HANDLER_BENCH_RUN"


def spell(marker):
    """printf's argument for a marker, so that the command line does not contain it (titles show command lines)."""
    return "".join("\\%03o" % c for c in marker)


def ready(then):
    return "stty raw -echo; printf '%s'; %s" % (spell(READY), then)


IDLE = ready("exec cat")
ECHO = ready("printf '\\r\\n'; exec cat")
FLOOD = "while :; do cat '%s'; done"


class Session:
    """A multiplexer in an outer terminal, ended with all its processes afterwards."""
    count = 0

    def __init__(self, mux, front, back=(), shown=False, beside=False):
        Session.count += 1
        self.mux, self.id = mux, "%d-%d" % (os.getpid(), Session.count)
        self.folder = tempfile.mkdtemp(prefix="handler-bench-")
        self.front, self.back, self.shown, self.beside = front, list(back), shown, beside

    def __enter__(self):
        argv, extra = self.mux.start(self.front, self.back, self.shown, self.beside, self.folder)
        env = {"PATH": os.environ["PATH"], "HOME": self.folder, "SHELL": "/bin/sh", "LANG": "C.UTF-8", "TERM": "xterm-256color",
               "COLORTERM": "truecolor", "TMPDIR": self.folder, VARIABLE: self.id}
        env.update(extra)
        self.outer = Outer(argv, env)
        return self.outer, self

    def __exit__(self, *_):
        self.outer.close()
        processes.end_all(VARIABLE, self.id)
        shutil.rmtree(self.folder, ignore_errors=True)

    def pids(self):
        """The multiplexer's own processes."""
        def executable(pid):
            try:
                return os.path.basename(os.readlink("/proc/%d/exe" % pid).removesuffix(" (deleted)"))
            except OSError:
                return ""
        return [p for p in processes.with_variable(VARIABLE, self.id) if executable(p) in self.mux.executables]

    def cpu(self):
        """Seconds of processor time so far."""
        total = 0
        for pid in self.pids():
            try:
                with open("/proc/%d/stat" % pid) as f:
                    fields = f.read().rpartition(")")[2].split()
                total += int(fields[11]) + int(fields[12])
            except OSError:
                pass
        return total / TICKS

    def switches(self):
        total = 0
        for pid in self.pids():
            with open("/proc/%d/status" % pid) as f:
                total += sum(int(line.split()[1]) for line in f if "ctxt_switches" in line)
        return total

    def pss(self):
        """KiB."""
        total = 0
        for pid in self.pids():
            with open("/proc/%d/smaps_rollup" % pid) as f:
                total += next(int(line.split()[1]) for line in f if line.startswith("Pss:"))
        return total


# -- measurements: mux, options -> {(name, unit): value} -------------------------------------------------------

def measure_start(mux, options):
    values = []
    for _ in range(options.repeat):
        with Session(mux, IDLE) as (outer, _):
            values.append((outer.wait(READY, LIMIT) - outer.began) * 1000)
            outer.settle()
    return {("start to first screen", "ms"): statistics.median(values)}


def echo_times(outer, count):
    rng, out = random.Random(1), []
    for n in range(count):
        key = KEYS[n % len(KEYS):][:1]
        if n and n % ROW == 0:
            outer.write(b"\r")
            outer.drain(0.02)
        began = time.monotonic()
        outer.write(key)
        out.append((outer.wait(key, 20) - began) * 1000)
        outer.drain(rng.uniform(0.004, 0.03))
    return sorted(out)


def measure_echo(mux, options):
    flood = FLOOD % workloads.make("log", 1 << 20, options.data)
    out = {}
    for name, back, shown in (("idle", [], False), ("hidden flood", [flood], False), ("pane flood", [flood], True)):
        with Session(mux, ECHO, back, shown) as (outer, _):
            outer.wait(READY, LIMIT)
            if back:
                outer.drain(1.0)
            else:
                outer.settle()
            times = echo_times(outer, options.keys)
        out["key echo, %s, p50" % name, "ms"] = statistics.median(times)
        out["key echo, %s, p99" % name, "ms"] = times[min(len(times) - 1, int(len(times) * 0.99))]
    return out


def measure_throughput(mux, options):
    out = {}
    for name in workloads.NAMES:
        path = workloads.make(name, options.size, options.data)
        size = os.path.getsize(path)
        script = "exec %s -S -E %s print '%s' '%s' '%s'" % (sys.executable, INNER, path, spell(READY), spell(DONE))
        with Session(mux, script) as (outer, session):
            outer.wait(READY, LIMIT)
            outer.settle()
            cpu, count, began = session.cpu(), outer.count, time.monotonic()
            outer.write(b"\r")
            seconds = outer.wait(DONE, LIMIT) - began
            outer.settle()
            out["%s" % name, "MB/s"] = size / 1e6 / seconds
            out["%s, processor time" % name, "ms/MB"] = (session.cpu() - cpu) * 1000 / (size / 1e6)
            out["%s, bytes out per byte in" % name, "-"] = (outer.count - count) / size
    return out


def measure_economy(mux, options):
    out = {}
    for what, name, beside in (("30 repaints a second", "repaint", False), ("spinner, full width", "spinner", False),
                               ("spinner beside a sidebar", "spinner", True)):
        path = workloads.make(name, options.frames * 3000, options.data)
        script = "exec %s -S -E %s frames %s 30 '%s' '%s'" % (sys.executable, INNER, path, spell(READY), spell(DONE))
        with Session(mux, script, beside=beside) as (outer, _):
            outer.wait(READY, LIMIT)
            outer.settle()
            count = outer.count
            outer.write(b"\r")
            outer.wait(DONE, LIMIT)
            outer.settle()
            out["%s, bytes out per byte in" % what, "-"] = (outer.count - count) / os.path.getsize(path)
    return out


class Bursts:
    """So many sessions that print a file when they are told to, one of them shown."""

    def __init__(self, mux, count, path, options):
        self.folder, self.count = tempfile.mkdtemp(dir=options.data), count
        os.mkfifo(os.path.join(self.folder, "go"))
        scripts = ["exec %s %s burst %s %d %s" % (sys.executable, INNER, self.folder, n, path) for n in range(count)]
        self.session = Session(mux, scripts[0], scripts[1:])

    def __enter__(self):
        self.outer, _ = self.session.__enter__()
        self.times("ready")
        self.outer.settle()
        return self

    def __exit__(self, *error):
        self.session.__exit__(*error)

    def times(self, word):
        """When each of them said it; waits for all."""
        paths = [os.path.join(self.folder, "%s.%d" % (word, n)) for n in range(self.count)]
        end = time.monotonic() + LIMIT
        while not all(map(os.path.exists, paths)):
            if time.monotonic() > end:
                raise TimeoutError("not all of %d sessions said %s within %d s" % (self.count, word, LIMIT))
            self.outer.drain(0.01)
        return [float(open(path).read()) for path in paths]

    def run(self):
        """Seconds from the word to the last one that was parsed."""
        began = time.monotonic()
        os.close(os.open(os.path.join(self.folder, "go"), os.O_WRONLY))
        return max(self.times("done")) - began


def measure_memory(mux, options):
    out = {}
    for what, lines in (("empty", 1), ("10,000 lines", 10000)):
        used = {}
        for count in (1, 1 + options.sessions):
            with Bursts(mux, count, workloads.lines(lines, options.data), options) as bursts:
                bursts.run()
                bursts.outer.settle(1.0)
                used[count] = bursts.session.pss()
        out["memory, one session, %s" % what, "KiB"] = used[1]
        out["memory, each further session, %s" % what, "KiB"] = (used[1 + options.sessions] - used[1]) / options.sessions
    return out


def measure_sessions(mux, options):
    out = {}
    path = workloads.make("log", 2 << 20, options.data)
    for count in (1, 4, 16):
        with Bursts(mux, count, path, options) as bursts:
            out["%d sessions print at once" % count, "MB/s"] = count * os.path.getsize(path) / 1e6 / bursts.run()
    return out


def measure_idle(mux, options):
    out = {}
    for sessions in (1, options.idlers):
        with Session(mux, IDLE, [IDLE] * (sessions - 1)) as (outer, session):
            outer.wait(READY, LIMIT)
            outer.settle(2.0)
            switches, cpu, began = session.switches(), session.cpu(), time.monotonic()
            outer.drain(options.idle)
            seconds = time.monotonic() - began
            out["idle, %d sessions, wake-ups" % sessions, "1/s"] = (session.switches() - switches) / seconds
            out["idle, %d sessions, processor time" % sessions, "ms/s"] = (session.cpu() - cpu) * 1000 / seconds
    return out


MEASUREMENTS = {"start": measure_start, "echo": measure_echo, "throughput": measure_throughput, "economy": measure_economy,
                "memory": measure_memory, "idle": measure_idle, "sessions": measure_sessions}

# What is to be reached: handler's figure in its unit, or its ratio to tmux's.
REACH = {
    "start to first screen": "<= 0.9", "key echo, idle, p50": "<= 1.1", "key echo, pane flood, p99": "<= 0.6",
    "log": ">= 3", "truecolor": ">= 4", "repaint": ">= 4", "utf8": ">= 10",
    "log, processor time": "<= 0.35", "truecolor, processor time": "<= 0.2", "repaint, processor time": "<= 0.25",
    "utf8, processor time": "<= 0.1", "log, bytes out per byte in": "<= 0.1 -",
    "30 repaints a second, bytes out per byte in": "<= 0.85 -", "spinner, full width, bytes out per byte in": "<= 0.04 -",
    "spinner beside a sidebar, bytes out per byte in": "<= 0.1 -",
    "memory, each further session, empty": "<= 1500 KiB", "memory, each further session, 10,000 lines": "<= 2500 KiB",
    "idle, 20 sessions, wake-ups": "<= 0.1 1/s", "16 sessions print at once": ">= 4",
}


# -- report ----------------------------------------------------------------------------------------------------

def ratio(results, key):
    pairs = [(r["handler"][key], r["tmux"][key]) for r in results
             if key in r.get("handler", {}) and key in r.get("tmux", {})]
    ratios = [a / b for a, b in pairs if b]
    return "%.2f" % statistics.median(ratios) if ratios else "-"


def figure(value):
    return "%.0f" % value if value >= 1000 else "%.3g" % value


def table(results, names):
    keys = list(dict.fromkeys(k for r in results for n in names for k in r.get(n, {})))
    rows = [["", "unit"] + names + ["handler/tmux", "to reach"]]
    for key in keys:
        cells = []
        for n in names:
            values = [r[n][key] for r in results if key in r.get(n, {})]
            cells.append(figure(statistics.median(values)) if values else "failed")
        rows.append([key[0], key[1]] + cells + [ratio(results, key), REACH.get(key[0], "")])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join([row[0].ljust(widths[0]), row[1].ljust(widths[1])]
                        + [cell.rjust(width) for cell, width in zip(row[2:], widths[2:])]))


def version(argv):
    try:
        return subprocess.run(argv, capture_output=True, text=True, timeout=10).stdout.split("\n")[0].strip()
    except (OSError, subprocess.TimeoutExpired):
        return None


def find(options):
    """The multiplexers that are here."""
    out = []
    tmux = version(["tmux", "-V"])
    handler = version([options.handler, "--version"])
    if tmux:
        out.append(multiplexers.Tmux())
    if handler:
        out.append(multiplexers.Handler(options.handler))
    for what, name in ((tmux, "tmux"), (handler, options.handler)):
        print(what if what else "%s is not there: it is left out" % name)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one round of less of everything: a look, not a measurement")
    parser.add_argument("--only", default=",".join(MEASUREMENTS), metavar="NAMES")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--idle", type=float, default=0, metavar="SECONDS", help="how long nothing happens in `idle`")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--handler", default=os.path.join(ROOT, "build", "handler"), metavar="PATH")
    options = parser.parse_args()
    quick = options.quick
    options.rounds = options.rounds or (1 if quick else 3)
    options.repeat, options.keys, options.size = (3, 60, 2 << 20) if quick else (7, 300, 8 << 20)
    options.sessions, options.idlers, options.frames = (4, 5, 60) if quick else (8, 20, 180)
    options.idle = options.idle or (3.0 if quick else 10.0)

    muxes = find(options)
    wanted = options.only.split(",")
    unknown = [w for w in wanted if w not in MEASUREMENTS]
    if unknown or not muxes:
        parser.error("no such measurement: %s" % ", ".join(unknown) if unknown else "there is nothing to measure")
    results = []
    with tempfile.TemporaryDirectory(prefix="handler-bench-data-") as options.data:
        for number in range(options.rounds):
            results.append({m.name: {} for m in muxes})
            for name in wanted:
                for mux in muxes if number % 2 == 0 else muxes[::-1]:
                    print("round %d of %d: %s, %s" % (number + 1, options.rounds, name, mux.name), file=sys.stderr)
                    try:
                        results[-1][mux.name].update(MEASUREMENTS[name](mux, options))
                    except (TimeoutError, Closed, OSError) as e:
                        print("  failed: %s" % e, file=sys.stderr)
    table(results, [m.name for m in muxes])
    if options.json:
        with open(options.json, "w") as f:
            json.dump([{n: {k[0]: v for k, v in values.items()} for n, values in r.items()} for r in results], f, indent=1)
    return 0 if all(r[m.name] for r in results for m in muxes) else 1


if __name__ == "__main__":
    sys.exit(main())
