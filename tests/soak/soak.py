#!/usr/bin/python3
"""Twenty sessions for an hour, with faults at random: at the end no process is left over, no line is lost or doubled, and
descriptors, threads and memory of every process are what they were.

  SOAK_SECONDS=3600   how long          SOAK_SEED=1   which faults in which order
  HANDLER_BINARY      the program (default: build/release/handler)

What is found is printed as it is found; the last line counts.  The status is 1 if anything was found.
"""
import contextlib
import fcntl
import os
import random
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/e2e"))
os.environ.setdefault("HANDLER_BINARY", os.path.join(ROOT, "build/release/handler"))

from lib import processes  # noqa: E402
from lib.program import Handler  # noqa: E402
from lib.screen import PROFILES, Screen  # noqa: E402
from lib.wait import TimedOut, wait_until  # noqa: E402
from standins import write_script  # noqa: E402
from wire_client import SCREEN, Client  # noqa: E402

SECONDS = float(os.environ.get("SOAK_SECONDS", "3600"))
SEED = int(os.environ.get("SOAK_SEED", "1"))
VISITS = int(os.environ.get("SOAK_VISITS", "1000"))

# The bounds.  A session at rest has the descriptors, threads and children that it had before.  Memory is PSS; what an
# allocator keeps for the next use is no leak, but it does not grow from one half of the time to the next either.
KEEPER_GROWTH_KB, WORKER_GROWTH_KB, TERMINAL_GROWTH_KB = 256, 4096, 4096
THREADS = 2  # a process itself, and the one of a worker that writes the journal
WARM_UP, SAMPLE_EVERY, FAULT_EVERY = 60, 10, 1.0

# Numbered lines for as long as nobody says "enough"; a burst now and then, so that writes are cut anywhere.
COUNTER = r'''
import termios, threading
modes = termios.tcgetattr(0)
modes[3] &= ~termios.ECHO  # what the soak types into whatever has the focus must not stand in the lines
termios.tcsetattr(0, termios.TCSANOW, modes)
random.seed(int(os.environ["SOAK_LINES_SEED"]))
made, style = 0, os.environ["SOAK_STYLE"]
def batch(n):
    global made
    data = b""
    for _ in range(n):
        data += b"line %d\r\n" % made; made += 1
    return data
footer = b"".join(b"| footer %d\r\n" % n for n in range(5))
first = True
while not os.path.exists("enough"):
    data = batch(random.choice((1, 1, 1, 2, 5, 40)))
    if style == "footer":
        data = (b"" if first else b"\x1b[5A") + b"\r\x1b[J" + data + footer
        first = False
    while data:
        n = random.choice((1, 7, 100, 3000))
        put(data[:n]); data = data[n:]
    pause(random.choice((0.01, 0.05, 0.1, 0.5)))
put(b"END %d\r\n" % made)
stay()
'''

# A child in a session of its own, a daemon by the book, one with an empty environment that ignores what can be ignored.
NASTY = r'''
import threading
deaf()
who = str(os.getpid())
def cleared():
    os.setsid(); deaf()
    note("cleared-" + who)
    os.execve("/bin/sleep", ["sleep", "100000"], {})
child(os.setsid, "group-" + who)
if os.fork() == 0: daemon(); note("daemon-" + who); stay()
if os.fork() == 0: cleared()
def hop():
    """Forks and leaves, so that its pid is never the same for long."""
    deaf(); os.setsid()
    while True:
        if os.fork(): os._exit(0)
        pause(0.2)
if os.fork() == 0: hop()
gate("group-" + who, "daemon-" + who, "cleared-" + who)
put("READY\r\n"); stay()
'''


def log(text):
    print("%7.0f s  %s" % (time.monotonic() - BEGAN, text), flush=True)


BEGAN = time.monotonic()


class Outer:
    """`handler terminal` in a pty: what it writes is read and forgotten; its first question is answered."""

    def __init__(self, handler, rows, cols, *args):
        self.fd, slave = os.openpty()
        os.set_inheritable(self.fd, False)
        self.resize(rows, cols)
        self.process = subprocess.Popen(["setsid", "--ctty", handler.binary] + list(args), stdin=slave, stdout=slave, stderr=slave,
                                        env=handler.environment({"TERM": "xterm-256color"}), cwd=handler.work)
        os.close(slave)
        self.pid, self.recent, self.size = self.process.pid, b"", (rows, cols)
        self.thread = threading.Thread(target=self._drain, daemon=True)
        self.thread.start()

    def _drain(self):
        while True:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                return
            if not data:
                return
            self.recent = (self.recent + data)[-(1 << 18):]
            if b"\x1b[c" in data:
                os.write(self.fd, b"\x1b[?62;22c")

    def resize(self, rows, cols):
        self.size = (rows, cols)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def type(self, data):
        os.write(self.fd, data)

    def text(self):
        """About what is on it: from the last that was written."""
        screen = Screen(*self.size, PROFILES["modern"])
        screen.feed(self.recent)
        return screen.text()

    def end(self, sig=None):
        if sig is not None:
            self.process.send_signal(sig)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return False
        finally:
            self.thread.join(10)
            os.close(self.fd)
        return True


def usage_of(pid):
    """{"fds", "threads", "pss" in kB} of a process, or None if it has ended."""
    try:
        fds = len(os.listdir("/proc/%d/fd" % pid))
        with open("/proc/%d/smaps_rollup" % pid) as f:
            pss = int(re.search(r"^Pss:\s+(\d+)", f.read(), re.M).group(1))
        return {"fds": fds, "threads": len(os.listdir("/proc/%d/task" % pid)), "pss": pss}
    except (OSError, AttributeError):
        return None


def zombies_of(pid):
    return [c for c in processes.children_of(pid) if processes.state_of(c) == "Z"]


class Soak:
    def __init__(self):
        self.random = random.Random(SEED)
        self.handler = Handler()
        self.handler.write_config(history_lines=10000000)
        self.faults, self.findings = {}, []
        self.counters, self.demos, self.nasty = {}, [], []
        self.quiet = None
        self.terminals, self.stopped = [], []
        self.samples = {}   # pid -> [usage]
        self.roles = {}     # pid -> what it is
        self.cleared = []   # pids of processes that carry no marker

    def found(self, text):
        self.findings.append(text)
        log("FOUND: " + text)

    def count(self, what):
        self.faults[what] = self.faults.get(what, 0) + 1

    # -- sessions --------------------------------------------------------------------------------------------

    def start(self):
        """Six that count lines (two of them never disturbed but by terminals), eleven demo agents, two nasty ones, one shell."""
        write_script(self.handler, "counter", COUNTER)
        write_script(self.handler, "nasty", NASTY)
        for i in range(6):
            style = "footer" if i % 3 == 2 else "plain"
            work = os.path.join(self.handler.base, "lines-%d" % i)
            os.makedirs(work)
            ident = self.handler.new("counter", "-n", "lines-%d" % i, "-C", work, "--env", "SOAK_LINES_SEED=%d" % i, "--env",
                                     "SOAK_STYLE=" + style)
            self.counters[ident] = work
        self.calm = list(self.counters)[:2]
        self.disturbed = list(self.counters)[2:]
        self.demos = [self.handler.new("demo", "-n", "demo-%d" % i) for i in range(11)]
        self.nasty = [self.new_nasty() for _ in range(2)]
        self.quiet = self.handler.new("shell", "-n", "quiet")
        self.terminals = [self.new_terminal() for _ in range(2)]

    def new_nasty(self):
        ident = self.handler.new("nasty")
        self.handler.wait_capture(ident, "READY", timeout=120)
        leader = self.handler.record(ident)["leader"]
        with open(os.path.join(self.handler.work, "cleared-%d" % leader)) as f:
            self.cleared.append(int(f.read()))
        return ident

    def new_terminal(self):
        t = Outer(self.handler, self.random.choice((24, 40, 50)), self.random.choice((80, 120, 200)), "terminal")
        self.roles[t.pid] = "terminal"
        return t

    def pid(self, role, ident):
        return self.handler.process_named(role, ident)

    def everybody(self):
        return list(self.counters) + self.demos + self.nasty + [self.quiet]

    # -- faults ----------------------------------------------------------------------------------------------

    def kill_worker(self):
        ident = self.random.choice(self.disturbed + self.demos + self.nasty)
        pid = self.pid("worker", ident)
        if pid:
            os.kill(pid, signal.SIGKILL)

    def hang_worker(self):
        """Stopped, and so deaf: the next who asks it has it replaced."""
        ident = self.random.choice(self.disturbed + self.demos)
        pid = self.pid("worker", ident)
        if pid:
            os.kill(pid, signal.SIGSTOP)
            self.handler.run("capture", ident, timeout=120, check=0)

    def kill_terminal(self):
        t = self.random.choice(self.terminals)
        t.end(signal.SIGKILL)
        self.terminals[self.terminals.index(t)] = self.new_terminal()

    def leave_terminal(self):
        t = self.random.choice(self.terminals)
        if t in self.stopped:
            return
        for _ in range(2):  # whatever is open, a dialog, the history: Escape closes it
            t.type(b"\x1b")
            time.sleep(1)
        t.type(b"\x02d")
        if not t.end():
            self.found("a terminal did not leave when it was asked to; it showed:\n" + t.text())
        self.terminals[self.terminals.index(t)] = self.new_terminal()

    def stop_client(self):
        """A terminal that reads nothing for a while: SIGSTOP, as by a person's C-z or a frozen connection."""
        t = self.random.choice(self.terminals)
        t.process.send_signal(signal.SIGSTOP)
        self.stopped.append(t)

    def continue_clients(self):
        for t in self.stopped:
            if t.process.poll() is None:
                t.process.send_signal(signal.SIGCONT)
        self.stopped = []

    def resize_terminal(self):
        t = self.random.choice(self.terminals)
        t.resize(self.random.randrange(10, 70), self.random.randrange(40, 220))

    def resize_session(self):
        ident = self.random.choice(self.everybody())
        self.handler.run("resize", ident, "%dx%d" % (self.random.randrange(30, 200), self.random.randrange(12, 60)), check=0)
        if self.random.random() < 0.5:
            self.handler.run("resize", ident, "--unpin", check=0)

    def go_somewhere(self):
        """Keys of a person who looks around: sessions, splits, layouts, history."""
        t = self.random.choice([t for t in self.terminals if t not in self.stopped] or [None])
        if t:
            t.type(self.random.choice((b"\x02n", b"\x02p", b"\x02%", b"\x02\"", b"\x02x", b"\x02o", b"\x02z", b"\x02 ", b"\x02[q", b"\x02b")))

    def visit(self):
        ident = self.random.choice(self.everybody())
        with Client(self.handler, ident) as client:
            client.view(self.random.randrange(10, 60), self.random.randrange(40, 200))
            client.wait(SCREEN, timeout=60)

    def prompt(self):
        ident = self.random.choice(self.demos)
        self.handler.run("send", ident, self.random.choice(("lines 50", "words 30", "hello", "bell")))

    def stop_and_start(self):
        i = self.random.randrange(len(self.demos))
        self.end_session(self.demos[i])
        self.demos[i] = self.handler.new("demo")

    def stop_nasty(self):
        i = self.random.randrange(len(self.nasty))
        self.end_session(self.nasty[i])
        self.nasty[i] = self.new_nasty()

    def end_session(self, ident):
        report = self.handler.run("stop", ident, "--grace", "0.5", "--json", timeout=120, check=0).json()["stopped"][0]
        if report["survivors"]:
            self.found("stop left %d processes of %s" % (report["survivors"], ident))
        self.handler.run("rm", ident, check=0)

    def stop_and_resume(self):
        ident = self.random.choice(self.demos)
        self.handler.run("stop", ident, "--grace", "0.5", timeout=120, check=0)
        self.handler.run("resume", ident, timeout=120, check=0)

    def kill_keeper(self):
        self.lose(both=False)

    def kill_both(self):
        self.lose(both=True)

    def lose(self, both):
        """A session whose keeper is killed is ended by its worker; if both are, by whoever removes it."""
        group = self.random.choice((self.demos, self.nasty))
        i = self.random.randrange(len(group))
        ident = group[i]
        keeper, worker = self.pid("keeper", ident), self.pid("worker", ident)
        tree = processes.descendants_of(keeper) if keeper else []
        if not keeper or not worker:
            return
        if both:
            os.kill(worker, signal.SIGSTOP)
        os.kill(keeper, signal.SIGKILL)
        if both:
            os.kill(worker, signal.SIGKILL)
        self.handler.wait_state(ident, "lost", timeout=120)
        self.handler.run("rm", ident, timeout=120, check=0)
        without = [p for p in tree if p in self.cleared]  # what carries no marker cannot be known as the session's once both are gone
        gone = [p for p in tree if p not in without]
        try:
            wait_until(lambda: not any(processes.is_alive(p) for p in gone), "all of a lost session has ended", 60)
        except TimedOut:
            self.found("a lost session left %s" % [processes.command_of(p) for p in gone if processes.is_alive(p)])
        for p in without:
            if processes.is_alive(p):
                self.count("unmarked process of a lost session (documented)")
                processes.end(p)
        group[i] = self.handler.new("demo") if group is self.demos else self.new_nasty()

    def remove_socket(self):
        ident = self.random.choice(self.disturbed + self.demos)
        with contextlib.suppress(FileNotFoundError):  # removed a moment ago, and not made again yet
            os.unlink(os.path.join(self.handler.session_folder(ident), "ctl", self.random.choice(("w.sock", "k.sock"))))
        self.handler.run("capture", ident, timeout=120, check=0)

    FAULTS = ((kill_worker, 12), (hang_worker, 1), (kill_terminal, 4), (leave_terminal, 3), (stop_client, 3), (resize_terminal, 10),
              (resize_session, 8), (go_somewhere, 20), (visit, 15), (prompt, 12), (stop_and_start, 3), (stop_nasty, 1),
              (stop_and_resume, 2), (kill_keeper, 1), (kill_both, 1), (remove_socket, 2))

    def one_fault(self):
        what = self.random.choices([f for f, _ in self.FAULTS], [n for _, n in self.FAULTS])[0]
        self.count(what.__name__.replace("_", " "))
        try:
            what(self)
        except (AssertionError, OSError) as e:  # TimedOut is an AssertionError
            self.found("%s: %s" % (what.__name__, str(e)[:2000]))

    # -- measuring -------------------------------------------------------------------------------------------

    def sample(self):
        for ident in self.calm + [self.quiet]:
            for role in ("keeper", "worker"):
                pid = self.pid(role, ident)
                self.roles[pid] = "%s of %s" % (role, ident)
        for ident in self.disturbed:
            pid = self.pid("keeper", ident)
            self.roles[pid] = "keeper of %s" % ident
            if pid and len(zombies_of(pid)) > 1:
                self.found("the keeper of %s has zombies" % ident)
        for pid in self.roles:
            now = pid and usage_of(pid)
            if now:
                self.samples.setdefault(pid, []).append((time.monotonic() - BEGAN, now))

    def check_samples(self):
        """The medians of the second and of the last quarter of what was seen of each process that lived long."""
        worst = {}
        for pid, seen in self.samples.items():
            if len(seen) < 16:
                continue
            role = self.roles[pid]
            quarter = len(seen) // 4

            def median(part, key):
                return sorted(u[key] for _, u in part)[len(part) // 2]
            early, late = seen[quarter:2 * quarter], seen[-quarter:]
            bound = (KEEPER_GROWTH_KB if role.startswith("keeper") else WORKER_GROWTH_KB if role.startswith("worker")
                     else TERMINAL_GROWTH_KB)
            growth = median(late, "pss") - median(early, "pss")
            kind = role.split()[0]
            worst[kind] = max(worst.get(kind, -10**9), growth)
            if growth > bound:
                self.found("%s (pid %d) grew by %d kB PSS, from %d to %d" % (role, pid, growth, median(early, "pss"), median(late, "pss")))
            if median(late, "threads") > max(THREADS, median(early, "threads")):
                self.found("%s (pid %d) has more threads" % (role, pid))
            if role.startswith("keeper") and median(late, "fds") > median(early, "fds"):
                self.found("%s (pid %d) has more descriptors: %d, %d" % (role, pid, median(early, "fds"), median(late, "fds")))
        log("growth of PSS, the most of each kind: " + ", ".join("%s %+d kB" % item for item in sorted(worst.items())))

    def many_visits(self, count):
        """Attach and detach, alone: nothing of it stays with keeper or worker."""
        ident = self.quiet
        pids = [self.pid(role, ident) for role in ("keeper", "worker")]

        def visits(n):
            for i in range(n):
                with Client(self.handler, ident) as client:
                    client.view(24 + i % 30, 80 + i % 100)
                    client.wait(SCREEN, timeout=60)
                    client.request("state")
        visits(50)
        wait_until(lambda: (usage_of(pids[1]) or {}).get("threads") == THREADS, "the worker has begun to write the journal")
        before = [usage_of(p) for p in pids]
        visits(count)
        try:
            wait_until(lambda: all(usage_of(p)["fds"] <= b["fds"] for p, b in zip(pids, before)), "descriptors are as before", 60)
        except TimedOut:
            self.found("descriptors after %d visits: %s, before: %s" % (count, [usage_of(p) for p in pids], before))
        try:
            wait_until(lambda: not zombies_of(pids[0]) and all(usage_of(p)["threads"] <= THREADS for p in pids),
                       "no zombie, no thread more", 60)
        except (TimedOut, TypeError):
            self.found("after %d visits: zombies %s, %s" % (count, zombies_of(pids[0]), [usage_of(p) for p in pids]))
        after = [usage_of(p) for p in pids]
        for name, a, b, bound in zip(("keeper", "worker"), after, before, (KEEPER_GROWTH_KB, WORKER_GROWTH_KB)):
            if a["pss"] - b["pss"] > bound:
                self.found("the %s grew from %d to %d kB in %d visits" % (name, b["pss"], a["pss"], count))
        log("%d visits: keeper %+d kB, worker %+d kB, descriptors %s" % (
            count, after[0]["pss"] - before[0]["pss"], after[1]["pss"] - before[1]["pss"], [a["fds"] for a in after]))

    # -- the end ---------------------------------------------------------------------------------------------

    def check_lines(self):
        total = 0
        for ident, work in self.counters.items():
            open(os.path.join(work, "enough"), "w").close()
        for ident in self.counters:
            try:
                text = self.handler.wait_capture(ident, re.compile(r"^END \d+", re.M), timeout=300)
            except AssertionError as e:
                self.found("%s did not end its lines: %s" % (ident, str(e)[:1000]))
                continue
            count = int(re.search(r"^END (\d+)", text, re.M).group(1))
            numbers = [int(n) for n in re.findall(r"^line (\d+)$", self.handler.run("capture", ident, "--history", "all", timeout=600, check=0).out, re.M)]
            total += count
            if numbers != list(range(count)):
                missing = sorted(set(range(count)) - set(numbers))
                doubled = sorted({n for n in numbers if numbers.count(n) > 1}) if len(numbers) < 50000 else len(numbers) - len(set(numbers))
                self.found("%s: of %d lines %d are missing (%s ...), doubled: %s" % (ident, count, len(missing), missing[:20], doubled))
        return total

    def end(self):
        self.continue_clients()
        for t in self.terminals:
            t.end(signal.SIGTERM)
        lines = self.check_lines()
        self.check_samples()
        report = self.handler.run("stop", "--all", "--yes", "--grace", "2", "--json", timeout=300).json()
        for one in report.get("stopped", []):
            if one["survivors"]:
                self.found("%s: %d processes survived" % (one["name"], one["survivors"]))
        try:
            wait_until(lambda: not self.handler.processes(), "no process is left", 60)
        except TimedOut:
            self.found("left over: %s" % [(p, processes.command_of(p)) for p in self.handler.processes()])
        for pid in self.cleared:
            if processes.is_alive(pid) and processes.command_of(pid) == "sleep 100000":
                self.found("a process without a marker is left over: %d" % pid)
                processes.end(pid)
        for fault in self.handler.close():
            self.found(fault)
        return lines

    def run(self):
        log("seed %d, %.0f s, %s" % (SEED, SECONDS, self.handler.binary))
        lines = 0
        try:
            self.start()
            log("20 sessions, %d terminals" % len(self.terminals))
            self.many_visits(VISITS)
            began = time.monotonic()
            sampled = said = began
            while time.monotonic() - began < SECONDS:
                time.sleep(self.random.expovariate(1 / FAULT_EVERY))
                self.one_fault()
                if self.stopped and self.random.random() < 0.2:
                    self.continue_clients()
                if time.monotonic() - began > min(WARM_UP, SECONDS / 8) and time.monotonic() - sampled > SAMPLE_EVERY:
                    sampled = time.monotonic()
                    self.sample()
                if time.monotonic() - said > 60:
                    said = time.monotonic()
                    log("%d faults, %d findings" % (sum(self.faults.values()), len(self.findings)))
        finally:
            lines = self.end()
        log("faults: " + ", ".join("%d %s" % (n, what) for what, n in sorted(self.faults.items())))
        print("soak: %.0f s, 20 sessions, %d faults, %d lines counted: %s" % (
            SECONDS, sum(self.faults.values()), lines,
            "%d findings" % len(self.findings) if self.findings else "no orphan, no lost line, descriptors and memory flat"), flush=True)
        return 1 if self.findings else 0


def ended(*_):
    raise SystemExit("ended by a signal")  # through the end: nothing is left


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, ended)
    sys.exit(Soak().run())
