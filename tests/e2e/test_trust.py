"""Only the owner gets in, and nothing that a pane or a client says gets out unexamined."""
import json
import os
import re
import shutil
import stat
import struct
import subprocess

import pytest

from lib import processes
from lib.program import ROOT
from lib.wait import wait_until
from standins import log_of, opens, script, write_composer
from wire_client import HELLO, SCREEN, Client

PYTHON = "/usr/bin/python3"
OTHER = 40000 + os.getpid() % 20000  # a user that nobody else is

# What a hostile pane may make its worker keep: screens, tables at their caps, a queue of answers.
PANE_GROWTH_KB, CLIENT_GROWTH_KB = 48 << 10, 24 << 10


@pytest.fixture
def lean(make_handler):
    """The sanitizers keep little of what was freed, so that memory can be measured."""
    handler = make_handler()
    handler.env["ASAN_OPTIONS"] += ":quarantine_size_mb=1:detect_stack_use_after_return=0"
    return handler


def needs_root():
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("needs root, to be another user")


def as_other(*argv, uid=OTHER, **options):
    return subprocess.run(["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups"] + list(argv), capture_output=True, text=True,
                          timeout=60, **options)


# -- other users --------------------------------------------------------------------------------------------------

def test_files_directories_and_sockets_are_the_owners(handler):
    """0700, 0600, whatever the umask was, and whatever the program's own umask is: that one is the user's."""
    done = subprocess.run(["/bin/bash", "-c", 'umask 0; exec "$0" new shell -p "true"', handler.binary], env=handler.environment(), cwd=handler.work,
                          capture_output=True, text=True, timeout=60)
    ident = done.stdout.strip()
    handler.wait_state(ident, "idle")
    handler.ok("send", ident, "umask; seq 500", "--wait")
    assert re.search("^0000$", handler.capture(ident, "--history", "all"), re.M)
    handler.terminal("attach", ident).wait_for("500")
    sockets = 0
    for folder, _, names in os.walk(os.path.join(handler.state_home, "handler")):
        assert stat.S_IMODE(os.lstat(folder).st_mode) == 0o700, folder
        for name in names:
            mode = os.lstat(os.path.join(folder, name)).st_mode
            if not stat.S_ISLNK(mode):
                assert stat.S_IMODE(mode) & 0o177 == 0, (folder, name, oct(mode))
            sockets += stat.S_ISSOCK(mode)
    assert sockets >= 2
    handler.ok("stop", ident)
    for name in os.listdir(handler.session_folder(ident)):  # and what is left of it
        assert stat.S_IMODE(os.lstat(os.path.join(handler.session_folder(ident), name)).st_mode) & 0o077 == 0, name


def test_another_user_is_not_served(handler):
    """Even where the permissions would let him in: the peer's uid is asked of the kernel."""
    needs_root()
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    folder = os.path.join(handler.session_folder(ident), "ctl")
    path = folder
    while path != "/":
        if path.startswith(handler.base):
            os.chmod(path, 0o755)
        path = os.path.dirname(path)
    os.chmod(os.environ.get("TMPDIR", "/tmp"), os.stat(os.environ.get("TMPDIR", "/tmp")).st_mode | 0o055)
    for name in ("w.sock", "k.sock"):
        os.chmod(os.path.join(folder, name), 0o666)
    hello = json.dumps({"protocol": [1, 1], "client": "terminal", "pid": 1}).encode()
    message = {"w.sock": struct.pack("<IHHII", len(hello), HELLO, 0, 0, 1) + hello,
               "k.sock": struct.pack("<IHHIIIIIIii24s", 0x6b706572, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, b"")}  # STOP
    talk = "import os, socket, sys\nos.chdir(sys.argv[1]); s = socket.socket(socket.AF_UNIX); s.settimeout(20); s.connect(sys.argv[2])\n" \
           "try:\n s.sendall(bytes.fromhex(sys.argv[3])); print(len(s.recv(4096)))\nexcept ConnectionError: print(0)"
    for name, data in message.items():
        done = as_other(PYTHON, "-c", talk, folder, name, data.hex())
        if "PermissionError" in done.stderr:
            pytest.skip("another user cannot reach %s: %s" % (folder, done.stderr[-200:]))
        assert done.stdout.strip() == "0", (name, done)
    assert handler.session(ident)["live"] and handler.state(ident) == "idle"
    handler.ok("send", ident, "echo served", "--wait")


def test_a_socket_of_somebody_else_is_not_believed(handler):
    """Commands ask who is at the other end before they say anything."""
    needs_root()
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    folder = os.path.join(handler.session_folder(ident), "ctl")
    listen = "import os, socket, sys\nos.chdir(sys.argv[1])\ns = socket.socket(socket.AF_UNIX); s.bind('new.sock'); s.listen()\n" \
             "os.setresuid(%d, %d, %d)\ns.listen()\nprint('READY', flush=True)\nc, _ = s.accept(); print(len(c.recv(4096)), flush=True)" % (
                 OTHER, OTHER, OTHER)
    spy = subprocess.Popen([PYTHON, "-c", listen, folder], stdout=subprocess.PIPE, text=True)
    try:
        assert spy.stdout.readline() == "READY\n"  # whose socket it is, is who called listen(2) last (unix(7))
        os.rename(os.path.join(folder, "new.sock"), os.path.join(folder, "w.sock"))
        result = handler.run("capture", ident)
        assert result.code != 0 or "$" in result.out
        assert spy.stdout.readline() in ("0\n", "")
    finally:
        spy.kill()
        spy.wait()


@pytest.mark.parametrize("fault", ["other", "link-of-other", "open"])
def test_a_state_directory_that_somebody_else_can_change_is_refused(make_handler, fault):
    needs_root()
    handler = make_handler()
    place = os.path.join(handler.state_home, "handler")
    if fault == "other":
        os.mkdir(place)
        os.mkdir(os.path.join(place, "sessions"))
        os.chown(os.path.join(place, "sessions"), OTHER, OTHER)
    elif fault == "link-of-other":
        os.symlink(handler._folder("elsewhere", 0o700), place)
        os.lchown(place, OTHER, OTHER)
    else:
        os.makedirs(os.path.join(place, "sessions"))
        os.chmod(os.path.join(place, "sessions"), 0o777)
    result = handler.run("new", "shell", "--json")
    error = result.error()
    assert result.code in (1, 3), result
    assert place in error["message"], error
    assert not os.listdir(os.path.join(place, "sessions"))
    assert not handler.processes()


def test_a_state_directory_may_be_a_link_of_the_owner(handler):
    os.symlink(handler._folder("elsewhere", 0o700), os.path.join(handler.state_home, "handler"))
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    handler.ok("stop", ident)


# -- /tmp/handler-UID -----------------------------------------------------------------------------------------------

@pytest.fixture
def socketless(handler, tmp_path):
    """run(*args): the program as another user, whose state directory has no sockets; its /tmp/handler-UID is ours to spoil."""
    needs_root()
    if as_other("test", "-r", os.path.join(ROOT, "harness-descriptors")).returncode:
        pytest.skip("another user cannot read the program's files in %s" % ROOT)
    library = str(tmp_path / "nosock.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "preload", "nosock.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    library = shutil.copy(library, os.path.join(handler.base, "nosock.so"))
    os.chmod(library, 0o755)
    os.chmod(handler.base, 0o755)
    for name in ("home", "home/.config", "home/.local", "home/.local/state", "home/.cache", "work", "run", "tmp", "reports"):
        os.chown(os.path.join(handler.base, name), OTHER, OTHER)
    env = dict(handler.environment(), LD_PRELOAD=library, NO_SOCKETS_BELOW="/.local/state/")
    env["ASAN_OPTIONS"] += ":verify_asan_link_order=0"
    private = "/tmp/handler-%d" % OTHER
    shutil.rmtree(private, ignore_errors=True)

    def run(*args):
        done = as_other(handler.binary, *args, env=env, cwd=handler.work)
        if "Permission denied" in done.stderr and "exec" in done.stderr:
            pytest.skip("another user cannot run the program: " + done.stderr)
        return done
    yield run, private
    run("stop", "--all", "--yes", "--grace", "0")
    if os.path.islink(private):
        os.unlink(private)
    shutil.rmtree(private, ignore_errors=True)


def test_sockets_elsewhere_are_as_private(socketless):
    run, private = socketless
    done = run("new", "shell", "--json")
    assert done.returncode == 0, done
    ident = json.loads(done.stdout)["id"]
    for folder in (private, os.path.join(private, ident)):
        status = os.lstat(folder)
        assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (OTHER, 0o700), folder
    for name in ("w.sock", "k.sock"):
        status = os.lstat(os.path.join(private, ident, name))
        assert stat.S_ISSOCK(status.st_mode) and stat.S_IMODE(status.st_mode) == 0o600
    assert run("send", ident, "echo elsewhere", "--wait").returncode == 0
    assert "elsewhere" in run("capture", ident).stdout
    os.chmod(private, 0o777)  # from now on it is nobody's word
    assert run("ls").returncode == 0
    os.chmod(os.path.join(private, ident), 0o777)
    assert run("keys", ident, "x").returncode != 0
    os.chmod(os.path.join(private, ident), 0o700)
    os.chmod(private, 0o700)
    assert run("stop", ident).returncode == 0


@pytest.mark.parametrize("attack", ["link", "other", "open", "file"])
def test_a_spoiled_place_for_sockets_is_refused(socketless, tmp_path, attack):
    """Whoever is first may make /tmp/handler-UID: a link, a directory of his own, one that all can write to, a file."""
    run, private = socketless
    target = str(tmp_path / "target")
    os.mkdir(target)
    os.chown(target, OTHER, OTHER)
    if attack == "link":
        os.symlink(target, private)
    elif attack == "file":
        open(private, "w").close()
    else:
        os.mkdir(private)
        os.chown(private, OTHER if attack == "open" else 0, OTHER)
        os.chmod(private, 0o777)
    try:
        done = run("new", "shell", "--json")
        assert done.returncode != 0 and private in done.stdout + done.stderr, done
        assert not os.listdir(target)
        assert "[]" in run("ls", "-a", "--json").stdout
    finally:
        if attack == "file":
            os.unlink(private)


# -- hostile clients ------------------------------------------------------------------------------------------------

def hostile_frames():
    yield b"\xff" * 65536
    for kind in range(0, 40):
        yield struct.pack("<IHHII", 1 << 20, kind, 0xffff, 0xffffffff, 0xffffffff) + b"A" * (1 << 20)
    yield struct.pack("<IHHII", (1 << 20) - 1, 3, 0, 0, 1) + b"x" * 1000  # begun, never finished


def test_a_hostile_client_neither_ends_nor_grows_a_worker(lean):
    ident = lean.new("shell")
    lean.wait_state(ident, "idle")
    lean.ok("send", ident, "seq 2000", "--wait")
    worker = lean.process_named("worker", ident)

    def attack():
        for frame in hostile_frames():
            for greeted in (False, True):
                try:
                    with Client(lean, ident, hello=greeted) as client:
                        client.socket.settimeout(20)
                        client.socket.sendall(frame)
                except OSError:
                    pass  # dropped in the middle of it
        with Client(lean, ident) as client:  # many questions, no answer is read
            client.socket.settimeout(0.5)
            try:
                for _ in range(2000):
                    client.send(13, struct.pack("<QI", 0, 2000))
            except OSError:
                pass
    attack()
    before = processes.memory_of(worker)
    for _ in range(3):
        attack()
    wait_until(lambda: processes.memory_of(worker) - before < CLIENT_GROWTH_KB, "the worker is as small as before",
               dump=lambda: "%d kB, before: %d kB" % (processes.memory_of(worker), before))
    assert lean.process_named("worker", ident) == worker
    assert "2000" in lean.capture(ident)


# -- hostile panes --------------------------------------------------------------------------------------------------

FLOODS = {
    "an OSC without an end": r'put("\x1b]2;" + "A" * (8 << 20))',
    "a DCS without an end": r'put("\x1bP" + "q" * (8 << 20))',
    "an APC without an end": r'put("\x1b_G" + "B" * (8 << 20))',
    "numbers": r'put("\x1b[" + "9" * 100000 + "m"); put(("\x1b[" + ";".join(["1000000000"] * 5000) + "H") * 20)',
    "counts": r'put("".join("\x1b[%s%s" % (n, c) for n in (1000000000, 4294967297, 99999999999) for c in "@ABCDEFGLMPSTXZ`abdeg"))',
    "repeats": r'put("x\x1b[1000000000b" * 50); put("\U0001F468\x1b[1000000000b" * 20)',
    "titles": r'[put("\x1b]2;%d %s\x07\x1b[22t" % (i, "t" * 2000)) for i in range(4000)]',
    "notifications": r'[put("\x1b]9;%d %s\x07\x1b]777;notify;a;%d\x07\x1b]99;i=%d:d=0;x\x1b\\" % (i, "n" * 500, i, i)) for i in range(6000)]',
    "links": r'[put("\x1b]8;id=%d;http://example.org/%d/%s\x1b\\l\x1b]8;;\x1b\\" % (i, i, "u" * 1500)) for i in range(6000)]',
    "styles": r'[put("\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dmx" % (i >> 16, i >> 8 & 255, i & 255, i & 255, i >> 8 & 255, 7)) for i in range(150000)]',
    "clusters": r'[put("a" + "\u0301" * 40 + chr(0x1F300 + i % 500) + "\u200d" * 30) for i in range(20000)]',
    "clipboards": r'[put("\x1b]52;c;" + "QUFB" * 30000 + "\x07") for i in range(60)]',
    "queries": r'[put("\x1b[c\x1b[6n\x1b]11;?\x07\x1bP+q544e\x1b\\\x1b[?2026$p") for i in range(30000)]',
    "keyboards": r'[put("\x1b[>31u\x1b[?1049h\x1b[>1u\x1b[?1049l") for i in range(30000)]',
    "prompts": r'[put("\x1b]133;A\x07\x1b]133;B\x07\x1b]133;C\x07\x1b]7;file:///%s\x07\x1b]7501;state=working:app=x\x07" % ("d" * 200)) for i in range(10000)]',
}


@pytest.mark.limit(900)
def test_a_hostile_pane_neither_ends_nor_grows_a_worker(lean):
    """All floods in one session, twice: what the second time adds is not kept."""
    text = "import threading\ntty.setraw(0)\nput('ready\\r\\n')\n" + "".join(
        "gate('go-%d-%d')\n%s\nput('\\x18\\x1b\\\\\\x1bc\\r\\nEND-%d-%d\\r\\n')\n" % (turn, n, flood, turn, n)
        for turn in range(2) for n, flood in enumerate(FLOODS.values())) + "stay()\n"
    ident = script(lean, "hostile", text)
    lean.wait_capture(ident, "ready")
    worker, sizes = lean.process_named("worker", ident), []
    for turn in range(2):
        for n, name in enumerate(FLOODS):
            opens(lean, "go-%d-%d" % (turn, n))
            lean.wait_capture(ident, "END-%d-%d" % (turn, n), timeout=120)
            assert lean.process_named("worker", ident) == worker, "%s ended the worker" % name
            sizes.append((processes.memory_of(worker), name))
    first, second = sizes[:len(FLOODS)], sizes[len(FLOODS):]
    assert max(second)[0] - max(first)[0] < PANE_GROWTH_KB, sizes
    assert max(sizes)[0] < 400 << 10, sizes
    assert lean.json("stop", ident, "--grace", "0")["stopped"][0]["survivors"] == 0


# -- what reaches the outer terminal ------------------------------------------------------------------------------------

EVIL = "evil\u009b31m\u202eRLO\u200b\x01\x7f\u009d0;owned\u009cend"


def test_nothing_of_a_pane_reaches_the_outer_terminal_as_a_command(handler):
    """Titles, icon names, directories, notifications, links and pointers with control characters of all kinds."""
    ident = script(handler, "evil", r'''
evil = %r
tty.setraw(0)
put("ready"); gate("go")
put("\x1b]2;T" + evil + "\x07\x1b]1;I" + evil + "\x07\x1b]7;file://h/" + evil + "\x07\x1b]9;N" + evil + "\x07")
put("\x1b]777;notify;" + evil + ";" + evil + "\x07\x1b]22;" + evil + "\x07\x1b]99;;" + evil + "\x07")
put("\x1b]8;id=" + evil + ";http://e.org/" + evil + "\x07link\x1b]8;;\x07\r\n")
put("\x1b]8;;http://e.org/ok\x07fine\x1b]8;;\x07 \x1b]7501;state=blocked:kind=permission:msg=" + %r + "\x07END")
stay()''' % (EVIL, __import__("base64").b64encode(EVIL.encode()).decode()))
    handler.wait_capture(ident, "ready")
    t = handler.terminal("terminal")
    t.keys("C-b", "1")
    t.wait_for("ready")
    start = len(t.raw)
    opens(handler, "go")
    t.wait_for("END")
    t.keys("C-b", "s")  # the picker shows title and reason
    t.wait_for("find")
    t.keys("Escape")
    raw = bytes(t.raw[start:]).decode(errors="replace")
    assert not re.search("[\u0080-\u009f\u202e\u200b\x01\x7f]", raw), [m.start() for m in re.finditer("[\u0080-\u009f\u202e\u200b\x01\x7f]", raw)]
    for string in re.findall(r"\x1b\]([^\x07\x1b]*)(?:\x07|\x1b\\)", raw):
        assert string.isprintable(), repr(string)
    assert "http://e.org/ok" in raw
    listed = handler.ok("ls") + handler.ok("ls", "--explain", ident)
    assert not re.search("[\x00-\x09\x0b-\x1f\u0080-\u009f\u202e\u200b\x7f]", listed), repr(listed)


def test_names_of_directories_and_sessions_are_examined(handler):
    evil = os.path.join(handler.work, "d\x1b]0;owned\x07\u202e\u009b31m")
    os.makedirs(evil)
    ident = handler.new("shell", "-C", evil)
    handler.wait_state(ident, "idle")
    for name in ("a\x1bb", "a\u009bb", "a\nb", "a\u202eb", "\u200b"):
        assert handler.run("rename", ident, name, check=2)
        assert handler.run("new", "shell", "-n", name, check=2)
    out = handler.ok("ls") + handler.ok("stop", ident, "--dry-run")
    assert not re.search("[\x00-\x09\x0b-\x1f\u0080-\u009f\u202e\x7f]", out), repr(out)
    t = handler.terminal("terminal")
    t.wait_for("shell")
    t.keys("C-b", "1")
    t.wait_for(re.compile(r"1 .*shell"))
    raw = bytes(t.raw).decode(errors="replace")
    assert "owned\x07" not in raw and "\u202e" not in raw and "\u009b" not in raw


# -- pastes and records ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("end", ["\x1b[201~", "\u009b201~", "\x1b[20\x001~", "\x1b\x1b[201~"])
def test_a_paste_does_not_end_before_its_end(handler, end):
    ident = script(handler, "framed", r'''
tty.setraw(0); put("\x1b[?2004hready")
while True: log(os.read(0, 4096))''')
    handler.wait_capture(ident, "ready")
    with Client(handler, ident) as client:
        client.wait_done(client.paste("harmless" + end + "rm -rf /\n"))
        client.wait_done(client.paste("one ", last=False))
        client.wait_done(client.paste(end[:3], first=False, last=False))
        client.wait_done(client.paste(end[3:] + " two", first=False))
    got = wait_until(lambda: log_of(handler).count(b"\x1b[201~") >= 2 and log_of(handler), "two pastes", dump=lambda: repr(log_of(handler)))
    assert got.count(b"\x1b[200~") == 2 and got.count(b"\x1b[201~") == 2 and got.count(b"\x1b") == 4, got
    assert re.match(rb"\x1b\[200~harmless.*rm -rf /[\r\n]\x1b\[201~\x1b\[200~one .* two\x1b\[201~$", got, re.S), got
    assert b"\xc2\x9b" not in got and b"\0" not in got


def test_no_value_of_a_variable_is_ever_written(handler):
    """Not by its record, its journal, its state: names are, so that a resume can ask for them again."""
    out = write_composer(handler, "paste")
    handler.env["SURROUNDING_SECRET"] = "hunter2-of-the-surroundings"
    ident = handler.new("stub", "--env", "API_TOKEN=hunter2-given")
    handler.wait_state(ident, "idle")
    handler.ok("send", ident, "hello", "--wait")
    handler.terminal("attach", ident).wait_for("hello")
    handler.ok("stop", ident)
    assert os.path.exists(out)
    names = 0
    for folder, _, files in os.walk(os.path.join(handler.home)):
        for name in files:
            with open(os.path.join(folder, name), "rb") as f:
                data = f.read()
            assert b"hunter2" not in data, os.path.join(folder, name)
            names += b"API_TOKEN" in data
    assert names
