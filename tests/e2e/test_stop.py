"""Ending sessions: every process of one is ended, whatever it did to get away; nothing else is touched; the report is true."""
import json
import os
import re
import signal
import subprocess
import tempfile
import time

import pytest

from lib import processes
from lib.program import ROOT
from lib.wait import wait_until
from standins import PYTHON, pid_in, script, write_script

READY = "def ready(): put('READY\\r\\n')\n"


def start(handler, name, text, *args):
    """A session with a script that calls ready()."""
    ident = script(handler, name, READY + text, *args)
    handler.wait_capture(ident, "READY")
    return ident


def stop(handler, ident, *args, code=0):
    """Stops; returns the report of that session."""
    began = time.monotonic()
    report, = handler.run("stop", ident, "--json", *args, check=code).json()["stopped"]
    assert report["id"] == handler.session(ident)["id"]
    assert report["seconds"] <= time.monotonic() - began + 0.01
    return report


def all_dead(pids):
    return not any(processes.is_alive(p) for p in pids)


@pytest.fixture
def canary():
    """A process of this user that has nothing to do with any session, and looks a little like one of them."""
    made = [subprocess.Popen(["bash", "-c", "exec -a 'handler keeper aaaaaa' sleep 1000"], start_new_session=True),
            subprocess.Popen(["sleep", "1000"])]
    yield made
    for p in made:
        assert p.poll() is None, "a stranger was ended: %r" % p.args
        p.kill()
        p.wait()


def test_a_plain_program(handler, canary):
    ident = start(handler, "plain", "ready(); stay()")
    report = stop(handler, ident)
    assert (report["ended"], report["survivors"], report["was_over"]) == (1, 0, False)
    assert report["seconds"] < 3
    session = handler.session(ident)
    assert session["state"] == "stopped" and not session["live"] and session["left"] == 0
    assert "READY" in handler.capture(ident) and "stopped" in handler.capture(ident)
    assert ident not in handler.ok("ls", "-q")
    wait_until(lambda: not handler.processes(), "keeper and worker are gone", dump=handler.dump)


def test_everything_that_tries_to_get_away(handler, canary):
    ident = start(handler, "nasty", r'''
deaf()
child(lambda: os.setpgid(0, 0), "group")
child(os.setsid, "session")
child(daemon, "daemon")
def nested_daemon():
    daemon()
    child(daemon, "deeper")
child(nested_daemon, "deep")
def cleared():
    note("cleared")
    os.execve("/bin/sleep", ["sleep", "1000"], {})
pid = os.fork()
if pid == 0:
    daemon(); cleared()
subprocess.Popen(["bash", "-c", "trap '' TERM HUP; echo $$ >loop; while :; do sleep 0.1; done"])
def stopped():
    os.kill(os.getpid(), signal.SIGSTOP)
pid = os.fork()
if pid == 0:
    note("stopped"); stopped(); stay()
gate(*("group", "session", "daemon", "deeper", "deep", "cleared", "loop", "stopped"))
ready(); stay()''')
    names = ("group", "session", "daemon", "deeper", "deep", "cleared", "loop", "stopped")
    pids = [pid_in(handler, n) for n in names]
    assert all(processes.is_alive(p) for p in pids)
    report = stop(handler, ident, "--grace", "0.3")
    assert all_dead(pids)
    assert report["survivors"] == 0 and report["ended"] >= len(pids) + 1
    assert 0.3 <= report["seconds"] < 5
    assert handler.state(ident) == "stopped"


# The tree of the table below: a process group, a process session, a daemon by the book, one without an environment, a
# subreaper of its own with a daemon below, one whose pid changes all the time, one in namespaces of its own.
TREE = r'''
import ctypes
deaf()
child(lambda: os.setpgid(0, 0), "group")
child(os.setsid, "session")
if os.fork() == 0: daemon(); note("daemon"); stay()
if os.fork() == 0:
    daemon(); note("cleared"); os.execve("/bin/sleep", ["sleep", "1000"], {})
if os.fork() == 0:
    os.setsid(); ctypes.CDLL(None).prctl(36, 1, 0, 0, 0); note("subreaper")  # PR_SET_CHILD_SUBREAPER
    if os.fork() == 0: daemon(); note("below"); stay()
    stay()
def hop():
    daemon()
    while True:
        if os.fork(): os._exit(0)
        note("hopper"); pause(0.002)
if os.fork() == 0: hop()
inside = subprocess.Popen(["unshare", "-Urpf", "sh", "-c", "trap '' TERM HUP; while :; do sleep 1; done"],
                          stderr=subprocess.DEVNULL, start_new_session=True)
gate("group", "session", "daemon", "cleared", "subreaper", "below", "hopper")
'''
NAMES = ("group", "session", "daemon", "cleared", "subreaper", "below")


def hopper_lives(work):
    """Its pid is never the same for long, but it goes on writing it down."""
    path = os.path.join(work, "hopper")
    before = os.stat(path).st_mtime_ns
    try:
        wait_until(lambda: os.path.exists(path) and os.stat(path).st_mtime_ns != before, "the hopper hops", 1)
        return True
    except AssertionError:
        return False


def kill_all(pids):
    for pid in pids:
        processes.end(pid)


def end_first(leader):
    processes.end(leader)
    wait_until(lambda: not processes.is_alive(leader), "the leader has ended")


def of_sid(sid):
    out = []
    for pid in (int(p) for p in os.listdir("/proc") if p.isdigit()):
        try:
            out += [pid] if os.getsid(pid) == sid else []
        except OSError:
            pass
    return out


METHODS = {  # what others do, and what it leaves
    "process group": (lambda leader: os.killpg(leader, signal.SIGKILL), {"group", "session", "daemon", "cleared", "subreaper", "below"}),
    "process session": (lambda leader: kill_all(of_sid(leader)), {"session", "daemon", "cleared", "subreaper", "below"}),
    "children": (lambda leader: kill_all(processes.descendants_of(leader) + [leader]), {"daemon", "cleared"}),
    "children of one that has ended": (lambda leader: (end_first(leader), kill_all(processes.descendants_of(leader))),
                                       {"group", "session", "daemon", "cleared", "subreaper", "below"}),
}


@pytest.mark.parametrize("method", METHODS)
def test_what_other_ways_to_end_a_tree_leave(handler, method):
    """Why a session has a keeper: the same tree without one, ended as others do."""
    program = write_script(handler, "tree", TREE + "note('leader'); stay()")
    end, left = METHODS[method]
    done = subprocess.Popen([program], cwd=handler.work, env=handler.environment(), start_new_session=True)
    try:
        leader = pid_in(handler, "leader")
        pids = {name: pid_in(handler, name) for name in NAMES}
        end(leader)
        done.wait(20)
        wait_until(lambda: {n for n, p in pids.items() if processes.is_alive(p)} == left, "what is left is %s" % sorted(left),
                   dump=lambda: str({n for n, p in pids.items() if processes.is_alive(p)}))
        assert hopper_lives(handler.work)
    finally:
        done.kill()
        done.wait()
        while hopper_lives(handler.work):
            processes.end_all("TEST_CASE_OF_HANDLER", handler.case)
        processes.end(pids["cleared"])


@pytest.mark.parametrize("leader", ["alive", "gone"])
def test_nothing_of_that_tree_survives_a_stop(handler, canary, leader):
    """Alive or gone before, with files of the project that nobody touches."""
    kept = {}
    for name in ("a", "b/c"):
        path = os.path.join(handler.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(name)
        kept[path] = os.stat(path)
    ident = start(handler, "tree", TREE + ("ready(); stay()" if leader == "alive" else "ready(); gate('leave')"))
    pids = [pid_in(handler, name) for name in NAMES]
    inside = [p for p in handler.processes() if processes.command_of(p).startswith(("unshare", "sh -c trap"))]
    if leader == "gone":
        open(os.path.join(handler.work, "leave"), "w").close()
        wait_until(lambda: handler.state(ident) == "exited", "the leader has ended")
    report = stop(handler, ident, "--grace", "0.3")
    assert report["survivors"] == 0 and report["ended"] >= len(pids)
    assert all_dead(pids + inside) and not hopper_lives(handler.work)
    wait_until(lambda: not handler.processes(), "nothing is left", dump=handler.dump)
    assert {p: os.stat(p) for p in kept} == kept


def test_forking_while_being_stopped(handler, canary):
    """A hopper that forks and exits all the time, and others that fork more when they are asked to end."""
    ident = start(handler, "hopper", r'''
deaf()
def hop():
    deaf()
    if os.fork() == 0:
        os.setsid()
        end = time.time() + 60
        while time.time() < end:
            if os.fork(): os._exit(0)
            pause(0.002)
        os._exit(0)
hop(); hop()
def more(*_):
    for _ in range(5):
        if os.fork() == 0:
            os.setsid(); deaf(); stay()
child(lambda: signal.signal(signal.SIGTERM, more), "more")
gate("more")
ready(); stay()''')
    keeper = handler.process_named("keeper", ident)
    report = stop(handler, ident, "--grace", "0.5")
    assert report["survivors"] == 0 and report["ended"] >= 8
    wait_until(lambda: not handler.processes(), "nothing is left", dump=handler.dump)
    assert not processes.is_alive(keeper)


def test_a_graceful_program_has_its_time(handler):
    ident = start(handler, "graceful", r'''
def leave(*_):
    pause(0.3)
    print("saved", flush=True); open("saved", "w").close(); os._exit(0)
signal.signal(signal.SIGTERM, leave); signal.signal(signal.SIGHUP, leave)
ready(); stay()''')
    report = stop(handler, ident)
    assert os.path.exists(os.path.join(handler.work, "saved"))
    assert 0.2 <= report["seconds"] < 3
    assert "saved" in handler.capture(ident)
    assert handler.state(ident) == "stopped"


STUBBORN = """
def asked(*_): note("asked")
signal.signal(signal.SIGHUP, asked); signal.signal(signal.SIGTERM, asked)
ready()
stay()"""


def test_children_are_asked_by_sigterm_first(handler):
    """A server that saves its work on SIGTERM is not hung up on meanwhile; a shell that takes no SIGTERM is, soon."""
    ident = start(handler, "server", r'''
def save(*_):
    pause(0.2)
    note("saved"); os._exit(0)
child(lambda: (os.setsid(), signal.signal(signal.SIGTERM, save)), "saver")
child(lambda: (os.setsid(), signal.signal(signal.SIGTERM, signal.SIG_IGN)), "shell")
gate("saver", "shell")
ready(); stay()''')
    report = stop(handler, ident)
    assert os.path.exists(os.path.join(handler.work, "saved"))
    assert report["ended"] == 3 and report["seconds"] < 4  # nobody had to be killed after the grace


def test_the_grace_is_kept_and_cut_short_by_a_second_stop(handler):
    ident = start(handler, "stubborn", STUBBORN)
    first = subprocess.Popen([handler.binary, "stop", ident, "--grace", "60"], env=handler.environment(), stdout=subprocess.PIPE, text=True)
    leader = pid_in(handler, "asked")
    assert first.poll() is None and processes.is_alive(leader)
    report = stop(handler, ident, "--grace", "0")
    assert report["survivors"] == 0 and not processes.is_alive(leader)
    out, _ = first.communicate(timeout=10)
    assert first.returncode == 0 and "1 process" in out
    assert handler.state(ident) == "stopped"


def test_stopping_twice(handler):
    ident = start(handler, "plain", "ready(); stay()")
    both = [subprocess.Popen([handler.binary, "stop", ident, "--json"], env=handler.environment(), stdout=subprocess.PIPE, text=True)
            for _ in range(2)]
    for p in both:
        out, _ = p.communicate(timeout=30)
        assert p.returncode == 0, out
        assert json.loads(out)["stopped"][0]["survivors"] == 0
    again = stop(handler, ident)
    assert again["was_over"] and again["ended"] == 0
    assert "had ended already (stopped)" in handler.ok("stop", ident)


def test_a_stop_whose_command_was_killed_goes_on(handler):
    ident = start(handler, "stubborn", STUBBORN)
    first = subprocess.Popen([handler.binary, "stop", ident, "--grace", "1"], env=handler.environment(), stdout=subprocess.DEVNULL)
    leader = pid_in(handler, "asked")
    first.kill()
    first.wait()
    handler.wait_state(ident, "stopped")
    assert not processes.is_alive(leader)


# -- the leader is gone ----------------------------------------------------------------------------------------

LEAVER = r'''
child(daemon, "daemon")
gate("daemon")
ready()
gate("leave")
'''


def test_on_exit_stop_ends_what_the_leader_left(handler):
    """The default of agents: after the leader the rest is ended, after the grace."""
    handler.write_program("claude", "#!/bin/bash\ntrap '' HUP\n(trap '' HUP TERM; setsid bash -c 'trap \"\" TERM HUP; echo $$ >daemon.new; "
                          "mv daemon.new daemon; while :; do sleep 1; done' </dev/null >/dev/null 2>&1 &)\necho READY\n"
                          "until [ -e leave ]; do sleep 0.05; done\n")
    handler.write_config(grace=0.3)
    ident = handler.new("claude")
    handler.wait_capture(ident, "READY")
    pid = pid_in(handler, "daemon")
    open(os.path.join(handler.work, "leave"), "w").close()
    session = handler.wait_state(ident, "exited")
    wait_until(lambda: not processes.is_alive(pid), "the daemon is ended")
    wait_until(lambda: not handler.session(ident)["live"], "the session is over")
    session = handler.session(ident)
    assert session["state"] == "exited" and session["left"] == 0


def test_on_exit_keep_leaves_them_and_says_how_many(handler):
    """The default of shells: a server that was started in one goes on; the list shows it; stop ends it."""
    ident = start(handler, "leaver", LEAVER)
    pid = pid_in(handler, "daemon")
    open(os.path.join(handler.work, "leave"), "w").close()
    session = handler.wait_state(ident, "exited")
    wait_until(lambda: handler.session(ident)["left"] == 1, "one is left")
    session = handler.session(ident)
    assert session["live"] and processes.is_alive(pid)
    assert "left: 1" in handler.ok("ls")
    report = stop(handler, ident, "--grace", "0.2")
    assert report["ended"] == 1 and not processes.is_alive(pid)
    session = handler.session(ident)
    assert session["state"] == "exited" and session["left"] == 0 and not session["live"]


def test_the_last_one_that_was_left_ends_the_session(handler):
    ident = start(handler, "leaver", LEAVER)
    pid = pid_in(handler, "daemon")
    open(os.path.join(handler.work, "leave"), "w").close()
    wait_until(lambda: handler.session(ident)["left"] == 1, "one is left")
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not handler.session(ident)["live"], "the session is over", dump=handler.dump)
    assert handler.session(ident)["left"] == 0 and handler.state(ident) == "exited"


@pytest.mark.parametrize("text, state, reason", [
    ("sys.exit(0)", "exited", ""), ("sys.exit(3)", "failed", "exit code 3"), ("os.kill(os.getpid(), 9)", "crashed", "SIGKILL"),
    ("os.kill(os.getpid(), 11)", "crashed", "SIGSEGV"), ("os.kill(os.getpid(), 15)", "crashed", "SIGTERM")])
def test_how_a_program_ended(handler, text, state, reason):
    write_script(handler, "ender", READY + "ready(); print('last words', flush=True); " + text)
    ident = handler.new("ender")
    session = handler.wait_state(ident, "exited", "failed", "crashed")
    assert (session["state"], session["reason"]) == (state, reason)
    wait_until(lambda: not handler.session(ident)["live"], "the session is over")
    assert "last words" in handler.capture(ident)
    assert handler.run("wait", ident, "--for", state).code == 0
    assert handler.run("wait", ident, "--for", "idle").code == 1


def test_the_users_own_way_out_is_no_failure(handler):
    """C-c, C-d, and exit in a shell whose last command failed."""
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    handler.ok("send", ident, "false", "--wait")
    handler.ok("keys", ident, "C-d")
    assert handler.wait_state(ident, "exited", "failed")["state"] == "exited"
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    handler.ok("keys", ident, "exit 4", "Enter")
    assert handler.wait_state(ident, "exited", "failed")["state"] == "exited"
    ident = start(handler, "interrupted", "ready(); stay()")
    handler.ok("keys", ident, "C-c")
    assert handler.wait_state(ident, "exited", "failed", "crashed")["state"] == "exited"


# -- one inside the other ----------------------------------------------------------------------------------------

def test_a_session_started_inside_a_session_survives_the_outer_stop(handler, canary):
    outer = start(handler, "outer", r'''
subprocess.run([%r, "new", "shell", "-n", "inner"], check=True)
child(daemon, "daemon")
gate("daemon")
ready(); stay()''' % handler.binary)
    pid = pid_in(handler, "daemon")
    handler.wait_state("inner", "idle")
    inner = handler.session("inner")
    assert inner["parent"] == outer
    mine = [handler.process_named("keeper", inner["id"]), handler.process_named("worker", inner["id"]), handler.record(inner["id"])["leader"]]
    report = stop(handler, outer, "--grace", "0.3")
    assert report["survivors"] == 0 and not processes.is_alive(pid)
    assert all(processes.is_alive(p) for p in mine)
    os.kill(mine[1], signal.SIGKILL)  # its keeper is still of use
    handler.ok("keys", "inner", "echo still", "Enter")
    handler.wait_capture("inner", re.compile("^still", re.M))
    assert stop(handler, inner["id"])["survivors"] == 0


def test_the_outer_session_ends_although_an_inner_one_goes_on(handler):
    """The inner keeper is no child that the outer one has to wait for."""
    outer = start(handler, "outer", r'''
subprocess.run([%r, "new", "shell", "-n", "inner"], check=True)
ready()
gate("leave")''' % handler.binary)
    handler.wait_state("inner", "idle")
    open(os.path.join(handler.work, "leave"), "w").close()
    wait_until(lambda: not handler.session(outer)["live"], "the outer session is over", dump=handler.dump)
    assert handler.session("inner")["live"] and handler.session(outer)["left"] == 0


def test_stopping_ones_own_session(handler):
    """The command is one of those that are ended: the stop goes on without it."""
    ident = start(handler, "own", r'''
ready()
gate("leave")
subprocess.run([%r, "stop", ".", "--grace", "0.3"])
stay()''' % handler.binary)
    open(os.path.join(handler.work, "leave"), "w").close()
    handler.wait_state(ident, "stopped")
    wait_until(lambda: not handler.processes(), "nothing is left", dump=handler.dump)


# -- all of them, and what cannot be ended ------------------------------------------------------------------------

def test_stop_all(handler, canary):
    idents = [handler.new("shell") for _ in range(3)]
    for ident in idents:
        handler.wait_state(ident, "idle")
    asked = handler.run("stop", "--all", "--json", check=2)  # nobody is there to be asked
    assert asked.error()["code"] == "usage" and "--yes" in asked.error()["hint"]
    assert len(handler.sessions()) == 3
    terminal = handler.terminal("stop", "--all")
    terminal.wait_for("Stop 3 sessions")
    terminal.keys("n", "Enter")
    assert terminal.wait_exit() == 3
    assert len(handler.sessions()) == 3
    handler.ok("stop", idents[1])
    terminal = handler.terminal("stop", "--all")
    terminal.wait_for("Stop 2 sessions")
    terminal.keys("y", "Enter")
    assert terminal.wait_exit() == 0
    assert handler.sessions() == []
    assert handler.run("stop", "--all", check=0).out == ""
    assert handler.json("stop", "--all", "--yes")["stopped"] == []
    wait_until(lambda: not handler.processes(), "nothing is left", dump=handler.dump)


def test_what_stop_refuses(handler):
    ident = handler.new("shell")
    assert handler.run("stop", check=2).out == ""
    assert handler.run("stop", ident, "--all", check=2).out == ""
    assert handler.run("stop", "nonsense", "--json", check=4).error()["code"] == "no-such-session"
    assert handler.run("stop", ident[:4], check=4)  # a beginning is enough only for commands that read
    for grace in ("-1", "x", "nan", "inf", "1e99"):
        assert handler.run("stop", ident, "--grace", grace, check=2), grace
    assert handler.session(ident)["live"]
    assert handler.run("stop", ident, "nonsense", check=4)  # all or nothing
    assert handler.session(ident)["live"]


@pytest.fixture
def delegated_group():
    """A control group (version 2) that is marked and owned as one delegated to user 4242."""
    with open("/proc/self/mountinfo") as f:
        mounts = [line.split()[4] for line in f if " - cgroup2 " in line]
    path = os.path.join(mounts[0] if mounts else "/nowhere", "test-of-handler-%d" % os.getpid())
    try:
        os.mkdir(path)
        os.setxattr(path, "user.delegate", b"1")
        for name in ("", "cgroup.procs", "cgroup.subtree_control"):
            os.chown(os.path.join(path, name), 4242, 4242)
    except OSError as e:
        pytest.skip("no control group of version 2 can be made here: %s" % e)
    yield path
    wait_until(lambda: not open(os.path.join(path, "cgroup.procs")).read(), "the group is empty")
    os.rmdir(path)


def test_a_session_has_a_control_group_where_one_was_delegated(handler, delegated_group, canary):
    """Its program and all that it starts are in it; keeper, worker and a session from inside are not."""
    inner_new = "subprocess.run([%r, 'new', 'shell', '-n', 'inner'], check=True)" % handler.binary
    write_script(handler, "grouped", READY + inner_new + """
child(daemon, "daemon")
gate("daemon")
ready(); stay()""")
    new = ["/bin/bash", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', delegated_group, handler.binary, "new", "grouped"]
    ident = subprocess.run(new, env=handler.environment(), cwd=handler.work, capture_output=True, text=True, timeout=60).stdout.strip()
    handler.wait_capture(ident, "READY")
    handler.wait_state("inner", "idle")
    inner = handler.session("inner")["id"]

    def members(of):
        with open(os.path.join(delegated_group, "handler-" + of, "cgroup.procs")) as f:
            return {int(n) for n in f.read().split()}
    assert members(ident) == {handler.record(ident)["leader"], pid_in(handler, "daemon")}
    assert members(inner) == {handler.record(inner)["leader"]}
    with open(os.path.join(delegated_group, "cgroup.procs")) as f:
        assert {int(n) for n in f.read().split()} == {handler.process_named(r, i) for r in ("keeper", "worker") for i in (ident, inner)}
    report = stop(handler, ident, "--grace", "0.3")
    assert report["survivors"] == 0 and not processes.is_alive(pid_in(handler, "daemon"))
    assert handler.session(inner)["live"] and processes.is_alive(handler.record(inner)["leader"])
    stop(handler, inner)
    wait_until(lambda: not [n for n in os.listdir(delegated_group) if n.startswith("handler-")], "the groups are gone")


def another_users_child(handler, away, enter=()):
    """A session of an ordinary user with a setuid child; away: in a process session of its own.  Returns what runs commands as
    that user, the session's id and the child's pid."""
    if os.geteuid() != 0 or not os.path.exists("/usr/bin/setpriv"):
        pytest.skip("needs root, to make a process of another user")
    helper = os.path.join(handler.base, "suid-python")
    subprocess.run(["cp", PYTHON, helper], check=True)
    os.chmod(helper, 0o4755)
    for folder in (handler.base, handler.home, handler.work, handler.config_home, handler.state_home, os.path.dirname(handler.state_home),
                   handler.env["XDG_RUNTIME_DIR"], handler.env["TMPDIR"], handler.reports):
        os.chmod(folder, 0o777)
    user = list(enter) + ["setpriv", "--reuid", "4242", "--regid", "4242", "--clear-groups"]
    env = dict(handler.environment(), HOME=handler.home)

    def run(*args):
        return subprocess.run(user + [handler.binary] + list(args), env=env, cwd=handler.work, capture_output=True, text=True, timeout=60)
    become_root = "import os, time, signal; %s; os.setresuid(0, 0, 0); print('READY', flush=True); signal.pause()" % (
        "os.setsid()" if away else "signal.signal(signal.SIGHUP, signal.SIG_IGN)")
    handler.write_agent("suid", harness="shell", args=["-c", '%s -c "%s" & read x' % (helper, become_root)])
    os.chmod(os.path.join(handler.config_home, "handler"), 0o755)
    if subprocess.run(user + ["test", "-r", os.path.join(ROOT, "harness-descriptors")], check=False).returncode:
        pytest.skip("another user cannot read the program's files in %s" % ROOT)
    try:
        new = run("new", "suid")
    except PermissionError as e:
        pytest.skip("another user cannot run the program: %s" % e)
    assert new.returncode == 0, new
    ident = new.stdout.strip()
    text = wait_until(lambda: re.search("READY|PermissionError", run("capture", ident).stdout), "it is ready", dump=lambda: str(run("ls", "-a")))
    if text.group() != "READY":
        pytest.skip("the file system of %s ignores setuid" % handler.base)
    found, = wait_until(lambda: [p for p in handler.processes() if processes.command_of(p).startswith(helper)], "the child of root")
    return run, ident, found


@pytest.fixture
def public_handler(make_handler):
    """Its files lie where another user can get at them."""
    return make_handler(base=tempfile.mkdtemp(prefix="handler-test-", dir="/tmp"))


@pytest.mark.parametrize("delegated", [False, True])
def test_what_belongs_to_another_user_is_named_or_ended_by_the_kernel(public_handler, request, delegated):
    """setuid: a child that may not be signalled.  Run as an ordinary user below a process of root; in a control group that
    was delegated to that user the kernel ends it."""
    handler = public_handler
    group = request.getfixturevalue("delegated_group") if delegated else None
    enter = ["/bin/bash", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', group] if group else []
    run, ident, child = another_users_child(handler, True, enter)
    try:
        done = run("stop", ident, "--grace", "0.2", "--json")
        report, = json.loads(done.stdout)["stopped"]
        if delegated:
            assert done.returncode == 0 and report["survivors"] == 0 and not processes.is_alive(child), done
            assert not [n for n in os.listdir(group) if n.startswith("handler-")]
            return
        assert done.returncode == 1 and report["survivors"] == 1, done
        assert processes.is_alive(child) and report["first_survivor"].startswith("%d " % child)
        assert json.loads(run("ls", "-a", "--json").stdout)["sessions"][0]["state"] == "stopped"
    finally:
        processes.end(child)
    wait_until(lambda: not handler.processes(), "keeper and worker are gone", dump=handler.dump)


def test_what_of_a_lost_session_belongs_to_another_user_is_named(public_handler):
    handler = public_handler
    run, ident, child = another_users_child(handler, False)
    try:
        pids = [handler.process_named("keeper", ident), handler.process_named("worker", ident)]
        leader = next(p for p in handler.processes() if processes.command_of(p).startswith("/bin/bash -c"))
        os.kill(leader, signal.SIGSTOP)  # its terminal's end would take it along
        for sig in (signal.SIGSTOP, signal.SIGKILL):
            for pid in pids:
                os.kill(pid, sig)
        done = run("stop", ident, "--json")
        report, = json.loads(done.stdout)["stopped"]
        assert done.returncode == 1 and report["survivors"] == 1 and not report["was_over"], done
        assert report["first_survivor"].startswith("%d " % child) and "another user" in report["why"]
        assert not processes.is_alive(leader)
    finally:
        processes.end(child)


# -- suspended ---------------------------------------------------------------------------------------------------

def test_a_suspended_session_is_continued_and_can_be_stopped(handler):
    ident = start(handler, "suspended", r'''
ready(); os.kill(os.getpid(), signal.SIGSTOP); print("GOES ON", flush=True); stay()''')
    handler.wait_state(ident, "suspended")
    assert handler.run("send", ident, "x", "--json", check=6).error()["code"] == "not-ready"
    way = handler.json("resume", ident)["resumed"][0]["way"]
    assert "suspended" in way
    handler.wait_capture(ident, "GOES ON")
    assert handler.wait_state(ident, "idle", "working", "unknown", "starting")
    os.kill(handler.record(ident)["leader"], signal.SIGSTOP)
    handler.wait_state(ident, "suspended")
    report = stop(handler, ident)
    assert report["ended"] == 1 and report["seconds"] < 3
    assert handler.state(ident) == "stopped"


# -- lost ones -----------------------------------------------------------------------------------------------------

def test_the_pid_of_a_lost_session_may_be_somebody_elses_by_now(handler):
    ident = start(handler, "plain", "ready(); stay()")
    record = handler.record(ident)
    worker = handler.process_named("worker", ident)
    keeper = handler.process_named("keeper", ident)
    for pid in (keeper, worker):
        os.kill(pid, signal.SIGSTOP)
    for pid in (record["leader"], keeper, worker):
        os.kill(pid, signal.SIGKILL)
    stranger = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    try:
        record["leader"] = stranger.pid
        handler.write_json(os.path.join(handler.session_folder(ident), "session.json"), record)
        handler.wait_state(ident, "lost")
        assert stop(handler, ident)["was_over"]
        handler.ok("rm", ident)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


# -- what would be ended -------------------------------------------------------------------------------------------

SERVER = r'''
import socket
server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen()
other = socket.socket(socket.AF_INET6); other.bind(("::1", 0)); other.listen()
open("ports", "w").write("%d %d" % (server.getsockname()[1], other.getsockname()[1]))
child(daemon, "server")
server.close(); other.close()
gate("server")
ready(); stay()'''


def test_what_would_be_ended_is_listed_with_its_ports(handler):
    """A server that left the tree, an agent's other processes; not another session that was started from inside."""
    ident = start(handler, "outer", "subprocess.run([%r, 'new', 'shell', '-n', 'inner'], check=True)\n" % handler.binary + SERVER)
    handler.wait_state("inner", "idle")
    with open(os.path.join(handler.work, "ports")) as f:
        ports = sorted(int(n) for n in f.read().split())
    listed, = handler.json("stop", ident, "--dry-run")["would_stop"]
    assert (listed["id"], listed["name"]) == (ident, handler.session(ident)["name"])
    by_pid = {p["pid"]: p for p in listed["processes"]}
    leader = handler.record(ident)["leader"]
    assert set(by_pid) == {leader, pid_in(handler, "server")}
    assert listed["processes"][0]["pid"] == leader and listed["processes"][0]["leader"]
    server = by_pid[pid_in(handler, "server")]
    assert server["ports"] == ports and not server["leader"] and "outer-script" in server["command"]
    assert by_pid[leader]["ports"] == []
    text = handler.ok("stop", "--all", "--dry-run")
    assert "listens on %d, %d" % tuple(ports) in text and "inner" in text
    assert handler.session(ident)["live"] and processes.is_alive(leader)
    assert handler.run("stop", "--dry-run", check=2)
    assert handler.run("stop", "nonsense", "--dry-run", check=4)
    assert stop(handler, ident, "--grace", "0.2")["ended"] == len(by_pid)
    assert handler.json("stop", ident, "--dry-run")["would_stop"][0]["processes"] == []


def test_the_dialog_lists_what_else_will_end(handler):
    ident = start(handler, "outer", SERVER)
    with open(os.path.join(handler.work, "ports")) as f:
        ports = sorted(int(n) for n in f.read().split())
    t = handler.terminal("attach", ident)
    t.wait_for("READY")
    t.keys("C-b", "X")
    t.wait_for("2 processes of it will be ended")
    t.wait_for("listens on %d, %d" % tuple(ports))
    t.keys("Escape")
    t.wait_for("was not stopped")
    assert handler.session(ident)["live"]


def test_what_a_lost_session_left_is_counted_and_only_ended_when_told(handler):
    """Keeper and worker are gone: the list says how many of it run, and nothing but stop, resume and rm ends them."""
    ident = start(handler, "left", r'''
deaf()
child(daemon, "daemon")
gate("daemon")
ready(); stay()''')
    mine = {handler.record(ident)["leader"], pid_in(handler, "daemon")}
    worker = handler.process_named("worker", ident)
    os.kill(worker, signal.SIGSTOP)
    os.kill(handler.process_named("keeper", ident), signal.SIGKILL)
    os.kill(worker, signal.SIGKILL)
    session = handler.wait_state(ident, "lost")
    assert session["left"] == 2 and session["reason"]
    assert "lost, left: 2" in handler.ok("ls")
    assert handler.ok("ls", "--short") == "1 lost, still running\n"
    assert handler.json("ls", "--short")["lost_running"] == 1
    said = next(line for line in handler.run("doctor").out.splitlines() if "2 processes of it still run" in line)
    assert session["name"] in said
    assert {p["pid"] for p in handler.json("stop", ident, "--dry-run")["would_stop"][0]["processes"]} == mine
    handler.ok("ls", "-a"), handler.ok("capture", ident), handler.run("send", ident, "x"), handler.run("ls", "--short")
    assert all(processes.is_alive(p) for p in mine)
    result = handler.run("rm", ident, check=0)
    assert "2 processes of the lost session" in result.err and all_dead(mine)


@pytest.mark.parametrize("end", ["key", "command"])
def test_the_front_end_says_what_a_lost_session_still_runs_and_ends_it(handler, end):
    ident = start(handler, "left", r'''
deaf()
child(daemon, "daemon")
gate("daemon")
ready(); stay()''')
    other = handler.new("shell")
    handler.wait_state(other, "idle")
    mine = {handler.record(ident)["leader"], pid_in(handler, "daemon")}
    t = handler.terminal("attach", ident, cols=160)
    t.wait_for("READY")
    worker = handler.process_named("worker", ident)
    os.kill(worker, signal.SIGSTOP)
    os.kill(handler.process_named("keeper", ident), signal.SIGKILL)
    os.kill(worker, signal.SIGKILL)
    t.wait_for("2 processes still run (stop, resume end them)")
    assert all(processes.is_alive(p) for p in mine)
    if end == "key":
        t.keys("C-b", "X")
        t.wait_for("2 processes of it will be ended")
        t.keys("y")
        t.wait_for("2 processes ended")
    else:
        handler.ok("stop", ident)
    t.wait_gone("processes still run (stop")
    assert all_dead(mine) and handler.state(ident) == "lost"
    t.keys("C-b", "X")
    t.wait_for("has ended already")
