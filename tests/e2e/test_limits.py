"""What runs out, fails or jumps: disks, descriptors, ptys that nobody reads, clocks, machines full of processes."""
import os
import re
import shutil
import signal
import subprocess

import pytest

from lib import processes
from lib.fixtures import preloaded
from lib.terminal import Terminal
from lib.wait import wait_until
from standins import opens, script, write_script
from wire_client import SCREEN, Client

def numbers(text):
    return [int(n) for n in re.findall(r"^line (\d+)$", text, re.M)]


# -- the state directory ---------------------------------------------------------------------------------------

def test_what_rests_is_brought_onto_the_disk_and_nobody_waits_for_it(make_handler, preload):
    """A disk that does not come back from fdatasync holds up neither what is shown nor the end."""
    handler = preloaded(make_handler, preload("sync"), SYNC_LOG="/log", SYNC_GO="/go")
    synced, go = os.path.join(handler.base, "synced"), os.path.join(handler.base, "go")
    handler.env.update(SYNC_LOG=synced, SYNC_GO=go)

    def names():
        if not os.path.exists(synced):
            return []
        with open(synced) as f:
            return [os.path.relpath(line.strip(), handler.session_folder(ident)) for line in f]
    ident = script(handler, "writer", r'''
put("first\r\n"); gate("on")
for i in range(200): put("line %d\r\n" % i)
put("second\r\n")
while True: put("got " + input() + "\r\n")''')
    handler.wait_capture(ident, "first")
    wait_until(names, "what rests is on its way to the disk", dump=handler.dump)
    assert names() == ["journal/00000001"]
    opens(handler, "on")
    handler.wait_capture(ident, "second")
    handler.ok("keys", ident, "hello", "Enter")
    handler.wait_capture(ident, "got hello")
    assert len(names()) == 1  # it still waits
    open(go, "w").close()
    wait_until(lambda: names()[1:4] == ["history", "journal/00000001", "history"], "the rest is, too", dump=lambda: repr(names()))


def test_errors_of_the_disk_end_no_session(make_handler, preload):
    """EIO from every write below the state directory.  A library before libc stands in for the broken disk."""
    handler = preloaded(make_handler, preload("eio"), FAIL_BELOW="/.local/state/", FAIL_WHILE="/broken")
    handler.env["FAIL_WHILE"] = broken = os.path.join(handler.base, "broken")
    ident = script(handler, "writer", r'''
put("ready\r\n"); gate("go")
for i in range(3000): put("line %d\r\n" % i)
put("END\r\n")
while True: put("got " + input() + "\r\n")''')
    handler.wait_capture(ident, "ready")
    leader, keeper = handler.record(ident)["leader"], handler.process_named("keeper", ident)
    open(broken, "w").close()
    opens(handler, "go")
    handler.wait_capture(ident, "END")
    handler.ok("keys", ident, "hello", "Enter")
    handler.wait_capture(ident, "got hello")
    assert processes.is_alive(leader) and handler.process_named("keeper", ident) == keeper
    shown = numbers(handler.capture(ident, "--history", "all"))
    assert shown == sorted(set(shown)) and shown[-1] == 2999  # what could be kept, once and in order
    refused = handler.run("new", "shell", "--json", check=1).error()
    assert "/.local/state/" in refused["message"] and "Input/output error" in refused["message"], refused
    os.unlink(broken)
    report, = handler.json("stop", ident)["stopped"]
    assert report["survivors"] == 0 and handler.state(ident) == "stopped"


def test_a_history_that_does_not_get_onto_the_disk_is_said(make_handler, preload):
    handler = preloaded(make_handler, preload("eio"), FAIL_BELOW="/history", FAIL_WHILE="/broken")
    handler.env["FAIL_WHILE"] = broken = os.path.join(handler.base, "broken")
    ident = script(handler, "writer", 'put("ready\\r\\n"); gate("go"); put("more\\r\\n"); input()')
    handler.wait_capture(ident, "ready")
    assert handler.session(ident)["fault"] is None
    open(broken, "w").close()
    opens(handler, "go")
    handler.wait_capture(ident, "more")
    wait_until(lambda: handler.session(ident)["fault"] == "its history is not kept on the disk any more: Input/output error",
               "the fault is told", dump=handler.dump)
    assert handler.session(ident)["journal"] == "on"
    os.unlink(broken)


def test_a_state_directory_that_became_read_only(handler):
    """EROFS: what runs goes on; what is new is refused with the reason; nothing is left of it."""
    place = handler._folder("ro")
    inner = r'''
mkdir -p "$1/state" && export XDG_STATE_HOME="$1/state"
h=$2
id=$($h new reader) || exit 1
for i in $(seq 200); do $h capture $id | grep -q READY && break; sleep 0.05; done
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 77
touch "$1/x" 2>/dev/null && exit 78
touch go
for i in $(seq 200); do $h capture $id | grep -q END && break; sleep 0.05; done
$h keys $id hello Enter
for i in $(seq 200); do $h capture $id | grep -q "got hello" && break; sleep 0.05; done
$h capture $id | tail -5
$h new reader; echo "new: $?"
umount "$1"
$h stop --all --yes
$h ls -a
'''
    write_script(handler, "reader", r'''
put("READY\r\n"); gate("go"); put("END\r\n")
while True: put("got " + input() + "\r\n")''')
    done = subprocess.run(["unshare", "-m", "/bin/bash", "-c", inner, "bash", place, handler.binary], env=handler.environment(),
                          cwd=handler.work, capture_output=True, text=True, timeout=120)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("no mount namespace here: %s" % done.stderr.strip())
    assert "END" in done.stdout and "got hello" in done.stdout, done
    assert "new: 1" in done.stdout and "Read-only file system" in done.stderr and place in done.stderr, done
    assert "stopped work-reader: 1 process ended" in done.stdout and len(re.findall("work-reader", done.stdout)) == 2, done


# -- descriptors -----------------------------------------------------------------------------------------------

def test_a_terminal_with_few_descriptors_says_what_it_cannot_show(handler):
    """Forty sessions and room for thirty files: all are listed, and what cannot be connected to says why."""
    for i in range(40):
        handler.new("shell", "-n", "s%02d" % i)
    outer = Terminal(["/bin/bash", "-c", 'ulimit -n 30; exec "$0" terminal', handler.binary], env=handler.environment(), cwd=handler.work,
                     rows=50, cols=160)
    handler.terminals.append(outer)
    outer.wait_for("s39")
    outer.wait_gone("lost")
    outer.keys("C-b", "'")
    outer.type("40\n")
    outer.wait_for(re.compile("Too many open files"))
    outer.keys("C-b", "d")
    assert outer.wait_exit() == 0
    assert len(handler.sessions()) == 40


# -- a pty that nobody reads ------------------------------------------------------------------------------------

def test_a_paste_that_nobody_reads_holds_up_nothing(handler):
    """A megabyte into a program that does not read: the terminal goes on, and stop ends it at once."""
    ident = script(handler, "deaf", r'''
tty.setraw(0); put("deaf to all keys"); stay()''')
    other = script(handler, "echo", r'''
put("listening\r\n")
while True: put("heard " + input() + "\r\n")''')
    handler.wait_capture(ident, "deaf to all keys")
    handler.wait_capture(other, "listening")
    t = handler.terminal("terminal")
    t.wait_for("deaf", why="the start screen or a view")
    t.keys("C-b", "1")
    t.wait_for("deaf to all keys")
    t.paste("x" * (1 << 20))
    t.keys("C-b", "2")
    t.wait_for("listening")
    t.type("me\n")
    t.wait_for("heard me")
    assert "deaf to all keys" in handler.capture(ident)
    report, = handler.json("stop", ident)["stopped"]
    assert report["ended"] == 1 and report["seconds"] < 4
    assert not t.eof


def test_a_stopped_client_holds_up_nobody(handler):
    """SIGSTOP of a terminal during a flood: others see everything, its worker keeps no backlog for it, and it goes on."""
    ident = script(handler, "flood", r'''
put("ready\r\n"); gate("go")
for i in range(60000): put("line %d\r\n" % i)
put("END\r\n"); stay()''')
    handler.wait_capture(ident, "ready")
    frozen, other = handler.terminal("attach", ident), handler.terminal("attach", ident)
    frozen.wait_for("ready")
    other.wait_for("ready")
    worker = handler.process_named("worker", ident)
    before = processes.memory_of(worker)
    os.kill(frozen.pid, signal.SIGSTOP)
    opens(handler, "go")
    other.wait_for("END", timeout=60)
    assert processes.memory_of(worker) - before < 32 << 10  # kB; the flood is half a megabyte, a screen a few kilobytes
    assert handler.process_named("worker", ident) == worker
    os.kill(frozen.pid, signal.SIGCONT)
    frozen.wait_for("END")
    assert numbers(handler.capture(ident, "--history", "all")) == list(range(60000))


# -- the clock ---------------------------------------------------------------------------------------------------

def test_a_clock_that_jumps_changes_nothing(make_handler, preload):
    """Backwards a day, then forwards two: nothing waits for the clock, no age is negative, states go on."""
    handler = preloaded(make_handler, preload("clock"), CLOCK_OFFSET_FILE="/offset")
    handler.env["CLOCK_OFFSET_FILE"] = offset = os.path.join(handler.base, "offset")

    def jump(seconds):
        with open(offset + ".new", "w") as f:
            f.write("%d\n" % seconds)
        os.rename(offset + ".new", offset)
    jump(0)
    handler.write_program("starter", "#!/bin/bash\nstty -echo\necho begin; read x; echo \"got $x\"; read x\n")
    handler.write_agent("plain", harness="shell", args=["-c", "exec starter"])
    before = handler.new("shell")
    handler.wait_state(before, "idle")
    for seconds in (-86400, 2 * 86400, 0):
        jump(seconds)
        ident = handler.new("shell")  # starts under the new clock
        assert handler.wait_state(ident, "idle")["seconds"] < 60
        handler.ok("send", before, "echo over $((%d + 1))" % seconds, "--wait", "--timeout", "30")
        assert "over %d" % (seconds + 1) in handler.capture(before)
        session = handler.session(before)
        assert session["state"] == "idle" and 0 <= session["seconds"] < 120, session
        handler.ok("wait", before, "--for", "quiet=0.3", "--timeout", "30")
        # a state that time alone brings: a program that tells nothing becomes `unknown` after its output has rested
        silent = handler.new("plain")
        handler.wait_capture(silent, "begin")
        jump(seconds - 3600)
        handler.wait_state(silent, "unknown", "idle")
        os.kill(handler.process_named("worker", before), signal.SIGKILL)  # a successor under another clock
        handler.ok("send", before, "true", "--wait", "--timeout", "30")
        assert 0 <= handler.session(before)["seconds"] < 120
        report, = handler.json("stop", ident)["stopped"]
        assert report["seconds"] < 20 and handler.state(ident) == "stopped"


def needs_strace():
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")


# -- a machine full of processes -----------------------------------------------------------------------------------

def test_idle_sessions_do_not_look_at_the_processes_of_the_machine(handler):
    """Three thousand sleepers beside an idle session: no system call of keeper, worker or terminal in two seconds."""
    needs_strace()
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    t = handler.terminal("attach", ident)
    t.wait_for("$ ")
    sleepers = subprocess.Popen(["/bin/bash", "-c", "for i in $(seq 3000); do sleep 1000 & done; echo started; exec sleep 1000"],
                                stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        assert sleepers.stdout.readline() == "started\n"
        handler.ok("wait", ident, "--for", "quiet=1")
        pids = [handler.process_named("keeper", ident), handler.process_named("worker", ident), t.pid]
        quiet = wait_until(lambda: silent(handler, pids, 2), "two seconds without a system call", timeout=60)
        assert quiet
        handler.ok("ls"), handler.ok("send", ident, "echo fine", "--wait")
        assert "fine" in handler.capture(ident)
    finally:
        os.killpg(sleepers.pid, signal.SIGKILL)
        sleepers.wait()


def silent(handler, pids, seconds):
    """Whether strace sees no call but the waiting that was begun before."""
    out = os.path.join(handler.base, "calls")
    done = subprocess.run(["timeout", str(seconds), "strace", "-f", "-o", out] + [w for p in pids for w in ("-p", str(p))],
                          capture_output=True, text=True)
    if "ttach" in done.stderr and "not permitted" in done.stderr:
        pytest.skip("no ptrace here: " + done.stderr)
    with open(out) as f:
        calls = [line for line in f if not re.search(r"\b(restart_syscall|poll|epoll_p?wait|futex)\(.*(resuming|<unfinished|detached)", line)]
    return not [c for c in calls if not re.search(r"detached|^\d+ +(poll|epoll_p?wait|restart_syscall)\(", c)]


def test_nothing_is_started_while_nothing_happens(handler):
    """Twenty idle sessions and a terminal: not one fork or exec."""
    needs_strace()
    idents = [handler.new("shell") for _ in range(20)]
    for ident in idents:
        handler.wait_state(ident, "idle", timeout=60)
    t = handler.terminal("terminal")
    t.wait_for(re.compile("20"))
    pids = [p for p in handler.processes() if processes.command_of(p).startswith("handler ")] + [t.pid]
    before = {p: processes.children_of(p) for p in pids}
    out = os.path.join(handler.base, "forks")
    done = subprocess.run(["timeout", "5", "strace", "-f", "-e", "trace=process", "-o", out] + [w for p in pids for w in ("-p", str(p))],
                          capture_output=True, text=True)
    if "not permitted" in done.stderr:
        pytest.skip("no ptrace here: " + done.stderr)
    with open(out) as f:
        assert not re.search(r"\b(clone|fork|vfork|clone3|execve|execveat)\(", f.read())
    assert {p: processes.children_of(p) for p in pids} == before


# -- attaching and detaching ----------------------------------------------------------------------------------------

def test_visits_leave_nothing_behind(handler):
    """Three hundred clients come and go: descriptors, threads, children and memory are as before (`make soak`: a thousand)."""
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    handler.ok("send", ident, "seq 200", "--wait")
    pids = [handler.process_named(role, ident) for role in ("keeper", "worker")]

    def usage():
        threads = [len(os.listdir("/proc/%d/task" % p)) for p in pids]
        assert threads[0] == 1 and threads[1] <= 3, threads  # the other two of a worker write journal and state
        return [len(os.listdir("/proc/%d/fd" % p)) for p in pids]

    def visit(n):
        with Client(handler, ident) as client:
            client.view(24 + n % 30, 80 + n % 100)
            client.wait(SCREEN)
            client.request("state")
    for n in range(100):
        visit(n)
    seen = [usage()]
    wait_until(lambda: seen.append(usage()) or seen[-1] == seen[-2], "the last visit is over", interval=0.2)
    memory, before = [processes.memory_of(p) for p in pids], seen[-1]
    for n in range(300):
        visit(n)
    wait_until(lambda: usage() == before, "descriptors as before: %r" % before, dump=lambda: repr(usage()))
    assert [processes.state_of(c) for c in processes.children_of(pids[0])].count("Z") == 0
    grown = [processes.memory_of(p) - m for p, m in zip(pids, memory)]
    # 300 visits of 4 KiB each would be more.  The sanitizers keep freed memory for a while: 256 MiB at most.
    assert grown[0] < 1024 and grown[1] < (1024 if "release" in handler.binary else 256 << 10), grown
