"""Another version of the program is installed while sessions run: nothing of them is lost, and nothing has to be stopped.

The other versions are built here, once, below build/: `next` from this tree with another version, protocol and form of
saved terminals, `strict`, which does not speak today's protocol any more, and `previous` from a commit of the history.
"""
import array
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import threading

import pytest

from lib.program import ROOT
from lib.wait import wait_until
from test_recovery import everything, start
from wire_client import Client

PREVIOUS = "aa34f1ca87242a82512298cc16e42df9b8ff02ea"  # before restart-workers: its keepers know nothing of it
NEXT = "0.2.0"
MAGIC, STATUS, UPGRADE = 0x6b706572, 1, 6
DONE, BAD_FILE, BUSY, ENDING, NOT_NOW, NO_EXEC, NOT_READY, DIED = range(8)
CONTROL = "<IHH6Iii24s"

pytestmark = pytest.mark.limit(600)


def make(folder, *words):
    """A build in a folder of the program's sources, quick and without optimization."""
    result = subprocess.run(["make", "-C", folder, "-j2", "OPTIMIZE=-O0", *words], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, errors="replace")
    assert result.returncode == 0, result.stdout[-5000:]


def build(variant, version, defines):
    make(ROOT, "VARIANT=" + variant, "VERSION=" + version, "EXTRA_CFLAGS=-DHANDLER_TEST " + defines, "build/%s/handler" % variant)
    return os.path.join(ROOT, "build", variant, "handler")


@pytest.fixture(scope="session")
def next_version():
    """Speaks one more version of the protocol, and saves terminals in a form that today's program cannot read."""
    return build("next", NEXT, "-DWIRE_NEWEST=2 -DTERM_SAVE_VERSION=2")


@pytest.fixture(scope="session")
def strict_version():
    """Speaks the next version of the protocol only."""
    return build("strict", "0.3.0", "-DWIRE_OLDEST=2 -DWIRE_NEWEST=2")


@pytest.fixture(scope="session")
def previous_version():
    folder = os.path.join(ROOT, "build", "previous-" + PREVIOUS[:12])
    if not os.path.exists(folder):
        git = subprocess.run(["git", "-C", ROOT, "cat-file", "-e", PREVIOUS + "^{commit}"], stderr=subprocess.DEVNULL)
        if git.returncode != 0:
            pytest.skip("commit %s is not here: no git, or a shallow clone" % PREVIOUS[:12])
        os.makedirs(folder + ".new", exist_ok=True)
        archive = subprocess.Popen(["git", "-C", ROOT, "archive", PREVIOUS], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", folder + ".new"], stdin=archive.stdout, check=True)
        assert archive.wait() == 0
        os.rename(folder + ".new", folder)
    make(folder, "VARIANT=old", "VERSION=0.0.9", "build/old/handler")
    return os.path.join(folder, "build", "old", "handler")


class With:
    """The commands of another version of the program, for the same user."""

    def __init__(self, handler, binary):
        self.handler, self.binary = handler, binary

    def __enter__(self):
        self.before, self.handler.binary = self.handler.binary, self.binary
        return self.handler

    def __exit__(self, *_):
        self.handler.binary = self.before


def installed(handler):
    return handler.ok("--version").split()[1]


def restart(handler, binary, *sessions, check=0):
    """restart-workers of a version; its report by session."""
    with With(handler, binary):
        report = handler.run("restart-workers", *sessions, "--json", check=check, timeout=120).json()["sessions"]
    return {r["id"]: r for r in report}


def background(function, *args, **options):
    """Runs something that waits, in a thread; call the result for what it returned."""
    box = []
    thread = threading.Thread(target=lambda: box.append(function(*args, **options)), daemon=True)
    thread.start()

    def join():
        thread.join(120)
        assert box, "it still waits"
        return box[0]
    return join


def runs(handler, ident):
    """The version of the program that serves a session."""
    return handler.session(ident)["program_version"]


# -- what survives -----------------------------------------------------------------------------------------------


def test_everything_goes_on(handler, next_version):
    """One change of version for many sessions at once; then back to this one, which cannot read the other's checkpoints."""
    ours = installed(handler)
    full = start(handler, 3, 3000)
    handler.ok("wait", full, "--for", "text=^END", "--timeout", "60")
    shell = handler.new("shell", "-n", "plain")
    modes = handler.new("shell", "--", "-c", r"printf '\033[?1049h\033[?1000h\033[?2004h\033]2;a title\007alternate'; exec cat")
    handler.ok("resize", modes, "66x20")
    agent = handler.new("demo", "-n", "agent")
    handler.wait_state(agent, "idle")
    handler.wait_capture(modes, "alternate")
    handler.ok("wait", shell, "--for", "text=[$] *$", "--timeout", "30")
    terminal = handler.terminal("attach", "plain")
    terminal.type("echo before\r")
    terminal.wait_for("before")
    handler.wait_capture(shell, "\nbefore")
    waiting = background(handler.run, "wait", shell, "--for", "text=^marker-after", "--timeout", "100")
    any_of = background(handler.run, "wait", modes, agent, "--any", "--for", "text=never-shown-here|draft-kept", "--timeout", "100")
    ids = (full, shell, modes, agent)
    leaders = {i: handler.record(i)["leader"] for i in ids}
    workers = {i: handler.process_named("worker", i) for i in ids}
    shown = {i: everything(handler, i) for i in (full, modes)}

    report = restart(handler, next_version)
    assert {(r["outcome"], r["from"], r["to"]) for r in report.values()} == {("upgraded", ours, NEXT)} and set(report) == set(ids)
    for i in ids:
        assert runs(handler, i) == NEXT and handler.process_named("worker", i) not in (None, workers[i])
        assert handler.record(i)["leader"] == leaders[i] and os.path.exists("/proc/%d" % leaders[i])
    assert {i: everything(handler, i) for i in (full, modes)} == shown
    assert shown[modes]["alternate"] and shown[modes]["bracketed_paste"] and shown[modes]["cols"] == 66
    assert handler.session(modes)["title"] == "a title"
    with With(handler, next_version):
        assert "already " + NEXT in handler.ok("restart-workers", shell)
        assert {s["program_version"] for s in handler.sessions()} == {NEXT}

    terminal.type("echo marker-''after\r")
    terminal.wait_for("marker-after")
    assert waiting().code == 0
    handler.ok("keys", agent, *"draft-kept")
    assert any_of().code == 0
    handler.ok("keys", agent, "C-u")
    assert "echo" in handler.ok("send", agent, "say echo", "--wait") or handler.state(agent) in ("idle", "done")

    shown = {i: everything(handler, i) for i in (full, modes)}
    report = restart(handler, handler.binary)
    assert {(r["outcome"], r["from"], r["to"]) for r in report.values()} == {("upgraded", NEXT, ours)}
    assert everything(handler, full)["top"] == shown[full]["top"]
    assert [line["runs"] for line in everything(handler, full)["lines"]] == [line["runs"] for line in shown[full]["lines"]]
    assert everything(handler, modes) == shown[modes]
    terminal.type("echo back-''again\r")
    terminal.wait_for("back-again")


def test_a_prompt_in_a_queue_is_asked_again(handler, next_version):
    """send --when-idle waits for its turn over the change; the first prompt of a session too."""
    busy = handler.new("demo", "-n", "busy", "-p", "approve ls")
    handler.wait_state(busy, "needs-input")
    queued = background(handler.run, "send", busy, "after the question", "--when-idle", "--timeout", "100")
    Client(handler, busy).ping()
    assert restart(handler, next_version)[busy]["outcome"] == "upgraded"
    assert handler.state(busy) == "needs-input"
    handler.ok("keys", busy, "y")
    assert queued().code == 0
    handler.wait_capture(busy, "after the question")


def test_a_paste_goes_on(handler, next_version):
    """The first half to one worker, the second to the other: one paste, whole, in one frame."""
    ident = handler.new("shell", "--", "-c", "stty raw -echo; printf '\\033[?2004hREADY'; exec cat -v")
    handler.wait_capture(ident, "READY")
    first = Client(handler, ident, token="00000000000000aa")
    first.view(24, 80)
    first.wait_done(first.paste("one-", first=True, last=False))
    handler.wait_capture(ident, "^[[200~one-")
    sequence = first.sequence
    done = background(restart, handler, next_version, ident)
    first.wait_closed()
    second = Client(handler, ident, token="00000000000000aa")
    assert second.welcome["input_done"] == sequence and second.welcome["version"] == NEXT
    second.wait_done(second.paste("two", first=False, last=True, sequence=sequence + 1))
    assert handler.wait_capture(ident, "^[[200~one-two^[[201~").count("200~") == 1
    assert done()[ident]["outcome"] == "upgraded"
    assert "cut here" not in handler.capture(ident)


def test_a_paste_without_its_client_is_closed(handler, next_version):
    ident = handler.new("shell", "--", "-c", "stty raw -echo; printf '\\033[?2004hREADY'; exec cat -v")
    handler.wait_capture(ident, "READY")
    client = Client(handler, ident, token="00000000000000bb")
    client.view(24, 80)
    client.wait_done(client.paste("half", first=True, last=False))
    client.close()
    assert restart(handler, next_version, ident)[ident]["outcome"] == "upgraded"
    handler.wait_capture(ident, "[a paste was cut here]\n^[[201~")


def test_input_that_is_not_read_keeps_a_worker(handler, next_version):
    """Half-written keys can neither be given again nor be dropped: not now, it says, and all goes on."""
    os.mkfifo(os.path.join(handler.work, "go"))
    ident = handler.new("shell", "--", "-c", "stty raw -echo; printf READY; read -r line < '%s/go'; head -c 100000 | wc -c; exec sleep 1000"
                        % handler.work)
    handler.wait_capture(ident, "READY")
    client = Client(handler, ident, token="00000000000000cc")
    client.paste("x" * 60000)
    client.paste("y" * 60000)
    client.ping()
    with With(handler, next_version):
        result = handler.run("restart-workers", ident, check=6, timeout=120)
    assert "does not read its input" in result.out and "stays with" in result.out
    with open(os.path.join(handler.work, "go"), "w") as f:
        f.write("go\n")
    handler.wait_capture(ident, "100000")


# -- what goes wrong ---------------------------------------------------------------------------------------------


def ask_keeper(handler, ident, fds):
    """UPGRADE by hand, with any descriptors; returns a function that waits for (answer, outcome, status, version)."""
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    folder = os.open(os.path.join(handler.session_folder(ident), "ctl"), os.O_PATH | os.O_DIRECTORY)
    s.connect("/proc/self/fd/%d/k.sock" % folder)
    os.close(folder)
    message = struct.pack(CONTROL, MAGIC, UPGRADE, 0, 0, 0, 0, 0, 0, 0, 0, 0, b"")
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    s.sendmsg([message], rights)
    s.settimeout(120)

    def answer():
        data = s.recv(64, socket.MSG_WAITALL)
        s.close()
        magic, op, how, _, outcome, status, _, _, _, _, _, version = struct.unpack(CONTROL, data)
        assert magic == MAGIC and op == UPGRADE
        return how, outcome, struct.unpack("<i", struct.pack("<I", status))[0], version.split(b"\0")[0].decode()
    return answer


PROGRAMS = {
    "aborts": "int main(void) { abort(); }",
    "leaves": "int main(void) { return 7; }",
    "sleeps": "int main(void) { for (;;) pause(); }",
    "dies": "int main(void) { unsigned ready[2] = {1, 0}; send(3, ready, 8, 0); alarm(3); for (;;) pause(); }",
}


@pytest.fixture
def broken(handler):
    """Programs that are no worker, and files that are no program, as descriptors."""
    folder = handler._folder("broken")
    fds = {}
    for name, text in PROGRAMS.items():
        path = os.path.join(folder, name)
        source = "#include <stdlib.h>\n#include <unistd.h>\n#include <sys/socket.h>\n" + text + "\n"
        subprocess.run([os.environ.get("CC", "cc"), "-x", "c", "-o", path, "-"], input=source, text=True, check=True)
        fds[name] = os.open(path, os.O_PATH)
    for name, mode, text in (("script", 0o755, "#!/bin/sh\nexit 0\n"), ("text", 0o755, "no program\n"),
                             ("unexecutable", 0o644, "x"), ("writable", 0o777, "x")):
        path = os.path.join(folder, name)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, mode)
        fds[name] = os.open(path, os.O_PATH)
    fds["folder"] = os.open(folder, os.O_PATH)
    yield fds
    for fd in fds.values():
        os.close(fd)


def test_a_program_that_is_no_worker_is_given_up(handler, broken):
    """All of them at once: each session goes back to what it was, and shows what it showed."""
    ours = installed(handler)
    expected = {"aborts": (DIED, signal.SIGABRT), "leaves": (DIED, 7 << 8), "sleeps": (NOT_READY, 0), "dies": (DIED, signal.SIGALRM),
                "script": (NO_EXEC, 2), "text": (NO_EXEC, 8)}
    sessions = {name: handler.new("shell", "-n", name) for name in expected}
    for name, ident in sessions.items():
        handler.ok("wait", ident, "--for", "text=[$] *$", "--timeout", "60")
        handler.ok("keys", ident, *("echo i-am-" + name), "Enter")
        handler.wait_capture(ident, "\ni-am-" + name)
    shown = {i: everything(handler, i) for i in sessions.values()}
    leaders = {i: handler.record(i)["leader"] for i in sessions.values()}
    answers = {name: ask_keeper(handler, ident, [broken[name]]) for name, ident in sessions.items()}
    busy = ask_keeper(handler, sessions["sleeps"], [broken["aborts"]])()
    assert busy[:2] == (1, BUSY)
    for name, ident in sessions.items():
        how, outcome, status, version = answers[name]()
        status = status & 0xff7f if outcome == DIED else status  # without the bit of a core file
        assert (how, outcome, status) == (1,) + expected[name] and version == ours, name
        assert everything(handler, ident) == shown[ident], name
        assert handler.record(ident)["leader"] == leaders[ident]
        handler.ok("keys", ident, *"echo still", "Enter")
        handler.wait_capture(ident, "\nstill")
        assert runs(handler, ident) == ours
        assert not [f for f in os.listdir(handler.session_folder(ident)) if f.startswith("crash")]


def test_files_that_are_refused(handler, broken):
    """Refused before anything is touched."""
    ident = handler.new("shell")
    handler.ok("wait", ident, "--for", "text=[$] *$", "--timeout", "60")
    worker = handler.process_named("worker", ident)
    for name, errno in (("unexecutable", 13), ("writable", 1), ("folder", 22)):
        assert ask_keeper(handler, ident, [broken[name]])()[:3] == (1, BAD_FILE, errno), name
    assert ask_keeper(handler, ident, [])()[:3] == (1, BAD_FILE, 9)
    if os.geteuid() == 0:
        path = os.path.join(handler.base, "broken", "leaves")
        os.chown(path, 12345, -1)
        assert ask_keeper(handler, ident, [broken["leaves"]])()[:3] == (1, BAD_FILE, 1)
    keeper = handler.record(ident)["keeper"]
    count = len(os.listdir("/proc/%d/fd" % keeper))
    for _ in range(20):
        ask_keeper(handler, ident, [broken["folder"], broken["folder"]])()
    wait_until(lambda: len(os.listdir("/proc/%d/fd" % keeper)) <= count, "no descriptor is left in the keeper")
    assert handler.process_named("worker", ident) == worker


def test_the_command_says_how_a_version_failed(make_handler, next_version):
    handler = make_handler(env={"HANDLER_TEST_ABORT_VERSION": NEXT})
    ours = installed(handler)
    ident = handler.new("shell", "-n", "api")
    handler.ok("wait", ident, "--for", "text=[$] *$", "--timeout", "60")
    with With(handler, next_version):
        result = handler.run("restart-workers", check=1, timeout=120)
        assert result.out == "api: went back to %s: the new worker ended with signal 6\n" % ours
        report = handler.run("restart-workers", "--json", check=1, timeout=120).json()["sessions"]
        assert [(r["name"], r["outcome"], r["to"]) for r in report] == [("api", "went-back", ours)]
    assert runs(handler, ident) == ours
    handler.ok("keys", ident, *"echo alive", "Enter")
    handler.wait_capture(ident, "\nalive")


def test_ended_and_unknown_sessions(handler):
    ident = handler.new("shell", "--", "-c", "exit 0")
    handler.wait_state(ident, "exited")
    assert handler.run("restart-workers", ident, "--json", check=1).error()["code"] == "session-ended"
    assert handler.run("restart-workers", "nobody", check=4)
    assert "no session runs" in handler.ok("restart-workers")


def test_a_stop_in_the_middle(handler, broken):
    """It ends as ever, with its last screen written, whatever the worker was about to become."""
    ident = handler.new("shell")
    handler.ok("wait", ident, "--for", "text=[$] *$", "--timeout", "60")
    handler.ok("keys", ident, *"echo last-words", "Enter")
    handler.wait_capture(ident, "\nlast-words")
    answer = ask_keeper(handler, ident, [broken["sleeps"]])
    handler.ok("stop", ident, "--grace", "0")
    assert answer()[1] in (ENDING, NOT_READY)
    assert handler.state(ident) == "stopped"


# -- the program's file is replaced ------------------------------------------------------------------------------


def test_a_crash_never_changes_the_version(handler, next_version):
    """The package manager has replaced the file: a worker that crashes is succeeded by one of the version it had."""
    ours = installed(handler)
    path = os.path.join(handler._folder("installed"), "handler")
    shutil.copy(handler.binary, path)
    handler.env["HANDLER_HARNESS_PATH"] = os.path.join(ROOT, "harness-descriptors")
    with With(handler, path):
        ident = handler.new("shell")
        handler.ok("wait", ident, "--for", "text=[$] *$", "--timeout", "60")
        shutil.copy(next_version, path + ".new")
        os.rename(path + ".new", path)
        assert installed(handler) == NEXT
        for _ in range(2):  # the first one was forked, the second one executed
            worker = handler.process_named("worker", ident)
            os.kill(worker, signal.SIGKILL)
            wait_until(lambda: handler.process_named("worker", ident) not in (None, worker), "a new worker", dump=handler.dump)
            handler.ok("keys", ident, *"echo alive", "Enter")
            handler.wait_capture(ident, "\nalive")
            assert runs(handler, ident) == ours
            assert os.readlink("/proc/%d/exe" % handler.process_named("worker", ident)).endswith(" (deleted)")
        assert "upgraded %s -> %s" % (ours, NEXT) in handler.ok("restart-workers", timeout=120)
        worker = handler.process_named("worker", ident)
        assert os.readlink("/proc/%d/exe" % worker) == path
        os.kill(worker, signal.SIGKILL)
        wait_until(lambda: handler.process_named("worker", ident) not in (None, worker), "a new worker", dump=handler.dump)
        handler.ok("wait", ident, "--for", "text=alive", "--timeout", "60")
        assert runs(handler, ident) == NEXT


# -- versions beside each other ----------------------------------------------------------------------------------


def work_together(handler, theirs, client):
    """A session of one version, everything else by another."""
    with With(handler, theirs):
        ident = handler.new("shell", "-n", "mixed")
    with With(handler, client):
        handler.ok("wait", ident, "--for", "text=[$] *$", "--timeout", "60")
        assert [s["name"] for s in handler.sessions()] == ["mixed"] and "mixed" in handler.ok("ls")
        handler.ok("keys", ident, *"echo typed", "Enter")
        handler.wait_capture(ident, "\ntyped")
        assert int(handler.ok("send", ident, "echo prompted")) >= 1
        handler.wait_capture(ident, "\nprompted", "--history", "all")
        with handler.terminal("attach", "mixed") as terminal:
            terminal.wait_for("prompted")
            terminal.type("echo att''ached\r")
            terminal.wait_for("attached")
        handler.ok("rename", ident, "renamed")
        handler.ok("resize", ident, "70x20")
        assert handler.json("capture", ident)["cols"] == 70
    return ident


def test_a_keeper_of_the_previous_version(handler, previous_version):
    """It knows no restart-workers: it goes on as it is, and the command says what to do."""
    ours = installed(handler)
    ident = work_together(handler, previous_version, handler.binary)
    assert runs(handler, ident) is None
    result = handler.run("restart-workers", check=3)
    assert "cannot be changed while it runs" in result.out and "`handler stop`" in result.out and ours in result.out
    handler.wait_capture(ident, "attached")
    handler.ok("stop", ident, "--grace", "1")
    assert handler.state(ident) == "stopped"
    assert "attached" in handler.capture(ident, "--history", "all")


def test_a_client_of_the_previous_version(handler, previous_version):
    ident = work_together(handler, handler.binary, previous_version)
    with With(handler, previous_version):
        handler.ok("stop", ident, "--grace", "1")
        assert handler.state(ident) == "stopped"
        assert "attached" in handler.capture(ident, "--history", "all")


def test_a_client_of_the_next_version(handler, next_version):
    ident = work_together(handler, handler.binary, next_version)
    with With(handler, next_version):
        handler.ok("stop", ident, "--grace", "1")
        assert "attached" in handler.capture(ident, "--history", "all")


def test_a_session_of_the_next_version(handler, next_version):
    ident = work_together(handler, next_version, handler.binary)
    assert runs(handler, ident) == NEXT
    handler.ok("stop", ident, "--grace", "1")
    assert "attached" in handler.capture(ident, "--history", "all")


def test_versions_without_a_common_protocol(handler, strict_version):
    """Either end may be the older one: both say which it is, and what to do.  Listing and stopping need no worker."""
    ident = handler.new("shell", "-n", "api")
    handler.ok("wait", ident, "--for", "text=[$] *$", "--timeout", "60")
    with With(handler, strict_version):
        error = handler.run("capture", ident, "--json", check=1).error()
        assert error["code"] == "version" and "too old for this one" in error["message"]
        assert "handler restart-workers api" in error["message"]
        with handler.terminal("attach", "api") as terminal:
            terminal.wait_for("run: handler restart-workers api")
            assert "upgraded" in handler.ok("restart-workers", "api", timeout=120)
            terminal.type("echo now-''it-works\r")
            terminal.wait_for("now-it-works")
        handler.wait_capture(ident, "now-it-works")
    error = handler.run("capture", ident, "--json", check=1).error()
    assert error["code"] == "version" and "this program is too old" in error["message"] and "0.3.0" in error["message"]
    assert runs(handler, ident) == "0.3.0"
    handler.ok("stop", ident, "--grace", "1")
    assert handler.state(ident) == "stopped"


def test_the_front_end_says_it_once(handler, next_version):
    """Sessions of an older version are named by the first terminal of the new one, and by no other."""
    ours = installed(handler)
    for name in ("one", "two"):
        handler.new("shell", "-n", name)
    with handler.terminal("attach", "one") as terminal:
        terminal.wait_for("$")
        terminal.settle()
        assert not terminal.find("restart-workers")
    with With(handler, next_version):
        with handler.terminal("attach", "one") as terminal:
            terminal.wait_for("2 sessions still run %s: handler restart-workers" % ours)
        with handler.terminal("attach", "one") as terminal:
            terminal.wait_for("$")
            terminal.settle()
            assert not terminal.find("restart-workers")
