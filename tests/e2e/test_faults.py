"""What dies, hangs or disappears: workers, keepers, sockets, logins.  The agent goes on, nothing is lost, doubled or answered twice."""
import json
import os
import re
import signal
import subprocess

import pytest

from lib import processes
from lib.wait import wait_until
from standins import log_of, opens, script, write_script
from wire_client import SCREEN, Client

def kill(pid, sig=signal.SIGKILL):
    os.kill(pid, sig)


def worker(handler, ident):
    return wait_until(lambda: handler.process_named("worker", ident), "session %s has a worker" % ident, dump=handler.dump)


def kill_worker(handler, ident):
    """Ends the worker and waits for its successor."""
    old = worker(handler, ident)
    kill(old)
    wait_until(lambda: handler.process_named("worker", ident) not in (None, old), "a new worker", dump=handler.dump)


def kill_both(handler, ident):
    """The keeper and its worker, which has no time to end anything."""
    keeper, pid = handler.process_named("keeper", ident), worker(handler, ident)
    kill(pid, signal.SIGSTOP)
    kill(keeper)
    kill(pid)
    handler.wait_state(ident, "lost")


def lines_with_numbers(text, word="line"):
    return [int(n) for n in re.findall(r"^%s (\d+)$" % word, text, re.M)]


# -- the worker is killed --------------------------------------------------------------------------------------

def test_a_killed_worker_is_replaced_and_nothing_changes(handler):
    ident = script(handler, "paint", r'''
put("\x1b]2;a title\x1b\\\x1b[?2004h")
for i in range(100): put("line %d\r\n" % i)
put("\x1b[5;10H\x1b[1;38;2;10;20;30;48;5;17mcoloured \x1b[4:3;58:2::255:0:0mcurly\x1b[0m \u6f22\u5b57 e\u0301 \U0001F469\u200d\U0001F52C|")
put("\x1b[20;30Hend")
gate("later"); put("\r\nafter the kill"); input()''')
    handler.wait_capture(ident, "end")
    before = [handler.capture(ident, *how) for how in ((), ("--ansi",), ("--json",), ("--history", "all"))]
    leader = handler.record(ident)["leader"]
    keeper = handler.process_named("keeper", ident)
    for _ in range(3):
        kill_worker(handler, ident)
        assert [handler.capture(ident, *how) for how in ((), ("--ansi",), ("--json",), ("--history", "all"))] == before
    painted_over = {65, 80}  # rows 5 and 20 of the last 39 lines
    assert set(range(100)) - set(lines_with_numbers(before[3])) <= painted_over
    opens(handler, "later")
    handler.wait_capture(ident, "after the kill")
    session = handler.session(ident)
    assert session["title"] == "a title" and session["live"]
    assert handler.record(ident)["leader"] == leader and processes.is_alive(leader)
    assert handler.process_named("keeper", ident) == keeper
    handler.ok("keys", ident, "Enter")
    handler.wait_state(ident, "exited")


def test_killed_again_and_again_under_a_flood(handler):
    """Each line exactly once and in order, whatever moment a worker dies at."""
    handler.write_config(history_lines=1000000)
    ident = script(handler, "flood", r'''
random.seed(1)
made, data = 0, b""
while not os.path.exists("enough"):
    while len(data) < 20000:
        data += b"line %d\r\n" % made; made += 1
    n = random.choice((1, 7, 100, 3000, 20000))
    put(data[:n]); data = data[n:]
    pause(random.choice((0, 0, 0.001)))
put(data + b"END %d\r\n" % made); input()''')
    worker(handler, ident)
    for _ in range(3):  # after more deaths in a row the keeper takes its time
        kill_worker(handler, ident)
        handler.capture(ident)
    opens(handler, "enough")
    count = int(re.search(r"END (\d+)", handler.wait_capture(ident, "END ", timeout=60)).group(1))
    found = lines_with_numbers(handler.capture(ident, "--history", "all"))
    assert found == list(range(count)), [n for n in range(count) if found.count(n) != 1][:20]
    kill_worker(handler, ident)
    assert lines_with_numbers(handler.capture(ident, "--history", "all")) == found
    handler.ok("stop", ident)
    assert lines_with_numbers(handler.capture(ident, "--history", "all")) == found


def test_a_footer_that_is_redrawn_leaves_each_line_once(handler):
    """Lines pushed up above a footer repainted with cursor movement (what agents do), with kills between."""
    ident = script(handler, "footer", r'''
for i in range(300):
    put(("\x1b[10A" if i else "") + "\r\x1b[J" + "line %d\r\n" % i + "".join("| footer %d\r\n" % n for n in range(10)))
    if i % 100 == 50: gate("at%d" % i)
put("END"); input()''')
    for n in (50, 150, 250):
        handler.wait_capture(ident, "line %d\n" % n)
        kill_worker(handler, ident)
        opens(handler, "at%d" % n)
    handler.wait_capture(ident, "END")
    assert lines_with_numbers(handler.capture(ident, "--history", "all")) == list(range(300))


def test_no_query_is_answered_twice(handler):
    queries = ["\x1b[c", "\x1b[6n", "\x1b[>q", "\x1b[?2026$p", "\x1b]11;?\x1b\\", "\x1b[?u", "\x1b]7501;?\x1b\\"]
    ident = script(handler, "query", r'''
tty.setraw(0)
for q in %r: put(q)
put("asked\r\n")
while True:
    data = os.read(0, 4096)
    log(data)
    if b"q" in data.replace(b"$", b"").split(b"@")[-1]: break
''' % (queries,))
    handler.wait_capture(ident, "asked")
    wait_until(lambda: log_of(handler).count(b"\x1b") >= len(queries), "all answers", dump=lambda: repr(log_of(handler)))
    handler.ok("keys", ident, "@")
    answers = wait_until(lambda: b"@" in log_of(handler) and log_of(handler), "the key")
    for _ in range(3):
        kill_worker(handler, ident)
    handler.ok("keys", ident, "q")
    handler.wait_state(ident, "exited", "failed")
    assert log_of(handler) == answers + b"q"


def test_queries_under_kills_are_answered_once_at_most(handler):
    """The program asks for its cursor at ever another place: no answer comes twice, few are lost with a worker."""
    ident = script(handler, "asker", r'''
tty.setraw(0)
asked = 0
while not os.path.exists("enough") and asked < 20 * 100:
    put("\x1b[%d;%dH\x1b[6n" % (asked // 100 + 1, asked % 100 + 1))
    asked += 1
    while select.select([0], [], [], 0.002)[0]: log(os.read(0, 4096))
put("\x1b[HEND %d" % asked)
while True: log(os.read(0, 4096))''')
    worker(handler, ident)
    for _ in range(3):
        kill_worker(handler, ident)
        handler.capture(ident)
    opens(handler, "enough")
    asked = int(re.search(r"END (\d+)", handler.wait_capture(ident, "END ")).group(1))
    last = b"\x1b[%d;%dR" % ((asked - 1) // 100 + 1, (asked - 1) % 100 + 1)
    wait_until(lambda: last in log_of(handler), "the last answer")
    answers = [(int(r) - 1) * 100 + int(c) - 1 for r, c in re.findall(rb"\x1b\[(\d+);(\d+)R", log_of(handler))]
    assert len(answers) == len(set(answers)) and answers == sorted(answers)
    assert asked - len(answers) <= 3, sorted(set(range(asked)) - set(answers))


def test_nothing_is_announced_twice(handler):
    ident = script(handler, "bells", r'''
put("\a\x1b]9;hello\x1b\\\x1b]52;c;aGk=\x1b\\\x1b]777;notify;a;b\x1b\\ready"); input()''')
    handler.wait_capture(ident, "ready")
    kill_worker(handler, ident)
    with Client(handler, ident) as client:
        client.view(40, 120)
        client.wait(SCREEN)
        client.ping()
        assert client.events() == []


def test_modes_survive_a_killed_worker(handler):
    """Keyboard, paste, mouse and screen modes are still the program's."""
    ident = script(handler, "modes", r'''
tty.setraw(0)
put("main screen\x1b[?1049h\x1b[2J\x1b[H\x1b[>1u\x1b[?2004h\x1b[?1h\x1b[3;10r\x1b[3;1Halternate")
while True:
    data = os.read(0, 4096)
    log(data)
    if b"x" in data: break
put("\x1b[?1049lback"); os.read(0, 1)''')
    handler.wait_capture(ident, "alternate")
    state = handler.json("capture", ident)
    assert state["alternate"] and state["bracketed_paste"]
    kill_worker(handler, ident)
    again = handler.json("capture", ident)
    assert again == state
    handler.ok("keys", ident, "S-Enter", "Up")
    with Client(handler, ident) as client:
        client.wait_done(client.paste("a\nb"))
    wanted = b"\x1b[13;2u\x1b[A\x1b[200~a\nb\x1b[201~"
    wait_until(lambda: len(log_of(handler)) >= len(wanted), "the keys", dump=lambda: repr(log_of(handler)))
    assert log_of(handler) in (wanted, wanted.replace(b"a\nb", b"a\rb"))
    handler.ok("keys", ident, "x")
    handler.wait_capture(ident, "main screen")


def test_the_size_survives_a_killed_worker(handler):
    ident = script(handler, "sized", r'''
def changed(*_): put("%dx%d\r\n" % tuple(os.get_terminal_size()))
signal.signal(signal.SIGWINCH, changed)
put("ready\r\n")
gate("end")''')
    handler.wait_capture(ident, "ready")
    handler.ok("resize", ident, "90x20")
    handler.wait_capture(ident, "90x20")
    kill_worker(handler, ident)
    state = handler.json("capture", ident)
    assert (state["cols"], state["rows"]) == (90, 20)
    text = handler.capture(ident)
    assert text.count("90x20") == 1  # and was not told again
    handler.ok("resize", ident, "91x21")
    handler.wait_capture(ident, "91x21")
    opens(handler, "end")


def test_a_paste_that_was_cut_is_ended(handler):
    ident = script(handler, "pasted", r'''
tty.setraw(0); put("\x1b[?2004hready")
while True: log(os.read(0, 4096))''')
    handler.wait_capture(ident, "ready")
    client = Client(handler, ident, token="77")
    client.wait_done(client.paste("half of ", last=False))
    kill_worker(handler, ident)
    wait_until(lambda: log_of(handler).endswith(b"\x1b[201~"), "the paste was ended", dump=lambda: repr(log_of(handler)))
    assert log_of(handler) == b"\x1b[200~half of \x1b[201~"
    client.wait_closed()
    assert "paste" in handler.capture(ident, "--history", "all")  # it is said


def test_keys_sent_again_are_typed_once(handler):
    """A client that lost its worker sends again what was not done; what was done is not typed twice."""
    ident = script(handler, "typed", r'''
tty.setraw(0); put("ready")
while True: log(os.read(0, 4096))''')
    handler.wait_capture(ident, "ready")
    client = Client(handler, ident, token="abc123")
    base = client.sequence
    for i, c in enumerate("hello"):
        client.key(c, sequence=base + 1 + i)
    client.wait_done(base + 5)
    kill_worker(handler, ident)
    again = Client(handler, ident, token="abc123")
    assert again.welcome["input_done"] == base + 5
    for i, c in enumerate("hello world"):
        again.key(c, sequence=base + 1 + i)
    again.wait_done(base + 11)
    other = Client(handler, ident, token="def")
    other.wait_done(other.key("!", sequence=1000))
    wait_until(lambda: b"!" in log_of(handler), "the last key")
    assert log_of(handler) == b"hello world!"


def test_waiting_goes_on_over_a_killed_worker(handler):
    ident = script(handler, "later", r'''
put("ready\r\n"); gate("go"); put("the word is given\r\n"); input()''')
    handler.wait_capture(ident, "ready")
    waiting = subprocess.Popen([handler.binary, "wait", ident, "--for", "text=word is"], env=handler.environment(), cwd=handler.work,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    pid = worker(handler, ident)
    with Client(handler, ident, kind="command") as client:
        wait_until(lambda: peers_of(pid) >= 2, "the command waits")
        client.ping()
    kill_worker(handler, ident)
    opens(handler, "go")
    out, err = waiting.communicate(timeout=30)
    assert waiting.returncode == 0, out + err


def peers_of(pid):
    """Connections that a worker has, besides its channel and what it listens on."""
    count = 0
    for fd in os.listdir("/proc/%d/fd" % pid):
        try:
            count += os.readlink("/proc/%d/fd/%s" % (pid, fd)).startswith("socket:")
        except OSError:
            pass
    return count - 2


# -- the keeper is killed --------------------------------------------------------------------------------------

def test_a_killed_keeper_takes_its_session_with_it_and_says_so(handler):
    ident = script(handler, "parent", r'''
subprocess.Popen(["setsid", "bash", "-c", "trap '' TERM HUP; while :; do sleep 1000; done"])
put("line 0\r\nready"); input()''')
    handler.wait_capture(ident, "ready")
    other = handler.new("shell")
    pids = set(handler.processes())
    keeper = handler.process_named("keeper", ident)
    mine = {p for p in pids if p in processes.descendants_of(keeper)}
    assert len(mine) >= 3
    kill(keeper)
    wait_until(lambda: not any(processes.is_alive(p) for p in mine), "everything of the session has ended", dump=handler.dump)
    session = handler.session(ident)
    assert session["state"] == "lost" and "keeper" in session["reason"] and not session["live"], session
    assert "ready" in handler.capture(ident) and "lost" in handler.capture(ident)
    assert ident in handler.ok("ls", "-q").split()  # lost ones are shown without -a
    assert handler.state(other) in ("starting", "idle")
    assert handler.run("send", ident, "x").code == 1
    handler.ok("rm", ident)


def test_a_session_started_inside_one_survives_the_loss_of_the_outer_keeper(handler):
    handler.write_agent("outer", harness="shell", args=["-c", '"%s" new shell -n inner; read x' % handler.binary])
    outer = handler.new("outer")
    handler.wait_state("inner", "idle", "starting")
    inner = handler.session("inner")["id"]
    keeper = handler.process_named("keeper", inner)
    kill(handler.process_named("keeper", outer))
    handler.wait_state(outer, "lost")
    assert handler.process_named("keeper", inner) == keeper
    assert handler.session(inner)["live"] and handler.session(inner)["parent"] == outer
    handler.ok("keys", inner, "echo still here", "Enter")
    handler.wait_capture(inner, re.compile("^still here", re.M))


def test_both_are_killed(handler):
    """Nobody is left to write the end down: the next command finds it, and ends what still runs."""
    ident = script(handler, "both", r'''
for s in (1, 15): signal.signal(s, signal.SIG_IGN)
put("ready")
stay()''')
    handler.wait_capture(ident, "ready")
    leader = handler.record(ident)["leader"]
    kill_both(handler, ident)
    assert handler.session(ident)["reason"] == "its keeper and its worker were killed"
    assert processes.is_alive(leader)
    stopped = handler.run("stop", ident, "--json", check=0).json()["stopped"]
    assert stopped[0]["ended"] == 1 and stopped[0]["survivors"] == 0
    assert not processes.is_alive(leader)
    assert "had ended already" in handler.ok("stop", ident)
    handler.ok("resume", ident)
    handler.wait_capture(ident, "ready")
    assert handler.session(ident)["live"]


def lives_of(path):
    with open(path, "rb") as f:
        return int.from_bytes(f.read(8), "little")


@pytest.mark.parametrize("how", ["", "setsid"])
@pytest.mark.parametrize("rest", [0, 5, 30, 100])
def test_what_forks_and_leaves_all_the_time_is_ended_with_a_lost_session(handler, tmp_path, rest, how):
    """Its pid is never the same for long, however fast it is, also if each is a process session of its own."""
    fleeting, lives = str(tmp_path / "fleeting"), str(tmp_path / "lives")
    subprocess.run(["cc", "-O1", "-o", fleeting, os.path.join(os.path.dirname(__file__), "fleeting.c")], check=True)
    ident = script(handler, "hops", "if os.fork() == 0: os.execv(%r, %r)\nput('ready')\nstay()" %
                   (fleeting, [fleeting, lives, str(rest)] + how.split()))
    handler.wait_capture(ident, "ready")
    wait_until(lambda: os.path.exists(lives) and lives_of(lives) > 2, "it hops")
    kill_both(handler, ident)
    before = lives_of(lives)
    wait_until(lambda: lives_of(lives) != before, "it still hops")
    report, = handler.json("stop", ident)["stopped"]
    assert report["ended"] >= 1 and report["survivors"] == 0
    before = lives_of(lives)
    with pytest.raises(AssertionError):
        wait_until(lambda: lives_of(lives) != before, "it still hops", 1)
    assert not handler.processes(), handler.dump()


def test_what_a_tree_of_a_lost_session_starts_while_it_is_ended_does_not_get_away(handler):
    """Children without the marker, which only their parent tells from others': the tree stands still before any of it ends."""
    ident = script(handler, "breeds", r'''
deaf()
if os.fork() == 0:
    os.setsid()
    while True:
        if os.fork() == 0: os.execve("/bin/sleep", ["sleep", "20"], {"TEST_CASE_OF_HANDLER": os.environ["TEST_CASE_OF_HANDLER"]})
        pause(0.02)
put("ready")
stay()''')
    handler.wait_capture(ident, "ready")
    kill_both(handler, ident)
    handler.ok("stop", ident)
    assert not handler.processes(), handler.dump()


def test_resume_ends_first_what_a_lost_session_left(handler):
    ident = script(handler, "stay", r'''
for s in (1, 15): signal.signal(s, signal.SIG_IGN)
put("ready")
stay()''')
    handler.wait_capture(ident, "ready")
    leader = handler.record(ident)["leader"]
    kill_both(handler, ident)
    result = handler.run("resume", ident, check=0)
    assert "1 process" in result.err and not processes.is_alive(leader)
    assert handler.record(ident)["leader"] != leader
    assert handler.session(ident)["live"]


# -- a worker that dies or hangs of its input --------------------------------------------------------------------

def test_output_that_ends_every_worker_is_left_out(make_handler):
    handler = make_handler(env={"HANDLER_TEST_ABORT_ON": "BOO" + "M"})
    ident = script(handler, "once", r'''
tty.setraw(0)
put("before\r\n"); gate("go"); put("BOO" + "M\r\n"); gate("on"); put("after\r\n")
while True: log(os.read(0, 100)); put("key\r\n")''')
    handler.wait_capture(ident, "before")
    first = worker(handler, ident)
    opens(handler, "go")
    wait_until(lambda: [n for n in os.listdir(handler.session_folder(ident)) if n.startswith("crash-")], "the output is kept")
    opens(handler, "on")
    text = handler.wait_capture(ident, "after")
    assert "before" in text and "BOO" "M" not in text
    assert "could not be shown" in handler.capture(ident, "--history", "all")
    assert worker(handler, ident) != first
    crash = [n for n in os.listdir(handler.session_folder(ident)) if n.startswith("crash-")]
    with open(os.path.join(handler.session_folder(ident), crash[0]), "rb") as f:
        assert b"BOO" b"M" in f.read()
    handler.ok("keys", ident, "z")
    wait_until(lambda: log_of(handler) == b"z", "the key arrives")
    handler.wait_capture(ident, "key")


def test_output_that_cannot_be_parsed_at_all(make_handler):
    """Every piece ends the worker: the screen is given up, agent and stop work."""
    handler = make_handler(env={"HANDLER_TEST_ABORT_ON": "BOO" + "M"})
    ident = script(handler, "always", r'''
tty.setraw(0); gate("go")
import threading
def shout():
    while True: put("BOO" + "M\r\n"); pause(0.02)
threading.Thread(target=shout, daemon=True).start()
while True: log(os.read(0, 100))''')
    worker(handler, ident)
    opens(handler, "go")
    handler.wait_capture(ident, "no longer be shown", timeout=40)
    leader = handler.record(ident)["leader"]
    assert processes.is_alive(leader)
    handler.ok("keys", ident, "k")
    wait_until(lambda: log_of(handler) == b"k", "the key arrives")
    steady = worker(handler, ident)
    assert handler.json("stop", ident)["stopped"][0]["ended"] == 1
    assert not processes.is_alive(leader) and not processes.is_alive(steady)
    assert handler.state(ident) == "stopped"


def test_a_worker_that_hangs_is_replaced(make_handler):
    handler = make_handler(env={"HANDLER_TEST_HANG_ON": "HAN" + "G"})
    handler.expect_reports("ABRT")
    ident = script(handler, "hang", r'''
put("before\r\n"); gate("go"); put("HAN" + "G\r\n"); gate("on"); put("after\r\n"); input()''')
    handler.wait_capture(ident, "before")
    leader = handler.record(ident)["leader"]
    opens(handler, "go")
    handler.wait_capture(ident, "could not be shown", "--history", "all", timeout=60)
    opens(handler, "on")
    text = handler.wait_capture(ident, "after")
    assert "HAN" "G" not in text
    assert processes.is_alive(leader) and handler.record(ident)["leader"] == leader
    assert handler.json("stop", ident)["stopped"][0]["survivors"] == 0


def test_a_worker_that_grows_is_replaced(make_handler):
    """A worker has a limit of memory of its own: what makes it grow beyond is left out, as what ends it."""
    handler = make_handler(env={"HANDLER_TEST_GROW_ON": "GRO" + "W"})
    handler.expect_reports("ABRT|out of memory|failed to allocate")
    ident = script(handler, "grow", r'''
put("before\r\n"); gate("go"); put("GRO" + "W\r\n"); gate("on"); put("after\r\n"); input()''')
    handler.wait_capture(ident, "before")
    leader, first = handler.record(ident)["leader"], worker(handler, ident)
    with open("/proc/%d/limits" % first) as f:
        assert re.search(r"^Max data size +\d+ ", f.read(), re.M)
    with open("/proc/%d/limits" % leader) as f:
        assert re.search(r"^Max data size +unlimited ", f.read(), re.M)  # the program's own limits are untouched
    opens(handler, "go")
    handler.wait_capture(ident, "could not be shown", "--history", "all", timeout=60)
    opens(handler, "on")
    text = handler.wait_capture(ident, "after")
    assert "before" in text and "GRO" "W" not in text
    assert worker(handler, ident) != first and handler.record(ident)["leader"] == leader and processes.is_alive(leader)


def test_stop_works_while_the_worker_hangs(make_handler):
    handler = make_handler(env={"HANDLER_TEST_HANG_ON": "HAN" + "G"})
    handler.expect_reports("ABRT")
    ident = script(handler, "hang", r'''put("HAN" + "G\r\n"); log(b"x"); input()''')
    wait_until(lambda: log_of(handler), "the program is there")
    pid = worker(handler, ident)
    report = handler.json("stop", ident)["stopped"][0]
    assert report["survivors"] == 0 and report["ended"] >= 1 and report["seconds"] < 8
    assert handler.state(ident) == "stopped"
    assert not processes.is_alive(pid)


def test_a_suspended_worker_is_replaced(handler):
    ident = script(handler, "plain", r'''put("ready\r\n"); input()''')
    handler.wait_capture(ident, "ready")
    pid = worker(handler, ident)
    kill(pid, signal.SIGSTOP)
    assert "ready" in handler.capture(ident)
    assert worker(handler, ident) != pid
    wait_until(lambda: not processes.is_alive(pid), "the old one is gone")


# -- what disappears -------------------------------------------------------------------------------------------

@pytest.mark.parametrize("names", [["w.sock"], ["k.sock"], ["w.sock", "k.sock"], ["."]])
def test_removed_sockets_are_made_again(handler, names):
    ident = script(handler, "plain", r'''put("ready\r\n"); input()''')
    handler.wait_capture(ident, "ready")
    folder = os.path.join(handler.session_folder(ident), "ctl")
    for name in ["w.sock", "k.sock"] if names == ["."] else names:
        os.unlink(os.path.join(folder, name))
    if names == ["."]:
        os.rmdir(folder)
    assert "ready" in handler.capture(ident)
    handler.ok("keys", ident, "x", "Enter")
    handler.wait_state(ident, "exited")


def test_removed_sockets_do_not_save_anything_from_a_stop(handler):
    ident = script(handler, "plain", r'''put("ready\r\n"); input()''')
    handler.wait_capture(ident, "ready")
    folder = os.path.join(handler.session_folder(ident), "ctl")
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    assert handler.json("stop", ident)["stopped"][0]["ended"] == 1
    wait_until(lambda: not handler.processes(), "keeper and worker are gone", dump=handler.dump)


def test_other_logins_find_the_same_sessions(handler):
    """cron, su, a second login, a login whose runtime directory is gone."""
    state = os.path.join(handler.home, ".local/state")
    assert handler.state_home == state
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    bare = {"HOME": handler.home, "PATH": "/usr/bin:/bin"}
    for env in (bare, dict(bare, XDG_RUNTIME_DIR="/nonexistent"), dict(bare, XDG_RUNTIME_DIR=handler._folder("other", 0o700)),
                dict(bare, XDG_STATE_HOME=state, TMPDIR="/nonexistent"), dict(bare, XDG_STATE_HOME="", TERM="dumb")):
        env = dict(env, ASAN_OPTIONS=handler.env["ASAN_OPTIONS"])
        done = subprocess.run([handler.binary, "ls", "-q"], env=env, cwd="/", capture_output=True, text=True, timeout=30)
        assert (done.returncode, done.stdout.split()) == (0, [ident]), (env, done)
        done = subprocess.run([handler.binary, "keys", ident, "true", "Enter"], env=env, cwd="/", capture_output=True, timeout=30)
        assert done.returncode == 0, (env, done)
    os.rmdir(handler.env["XDG_RUNTIME_DIR"])
    assert handler.capture(ident)
    handler.ok("stop", ident)


def test_a_state_directory_whose_path_is_longer_than_a_socket_address(make_handler):
    handler = make_handler()
    deep = os.path.join(handler.base, *(["d" * 60] * 4))
    handler.state_home = handler.env["XDG_STATE_HOME"] = deep
    ident = handler.new("shell")
    assert len(handler.session_folder(ident)) > 200
    handler.wait_state(ident, "idle")
    handler.ok("keys", ident, "echo deep", "Enter")
    handler.wait_capture(ident, re.compile("^deep", re.M))
    kill_worker(handler, ident)
    assert "deep" in handler.capture(ident)
    with Client(handler, ident) as client:
        client.view(30, 100)
        client.wait(SCREEN)
    handler.ok("stop", ident)


def test_a_damaged_record_hides_no_other_session(handler):
    idents = [handler.new("shell") for _ in range(3)]
    for ident in idents:
        handler.wait_state(ident, "idle")
    handler.ok("stop", *idents[1:])
    for ident, name, content in ((idents[1], "session.json", "{\"id\": "), (idents[2], "state.json", "\0\0\0")):
        with open(os.path.join(handler.session_folder(ident), name), "w") as f:
            f.write(content)
    os.mkdir(handler.session_folder("zzzzzz"))
    os.symlink("/", handler.session_folder("aaaaab"))
    listed = [s["id"] for s in handler.sessions("-a")]
    assert idents[0] in listed and idents[2] in listed and "zzzzzz" not in listed
    new = handler.new("shell")
    assert new not in idents
    handler.ok("stop", idents[0], new)


def test_a_full_disk_ends_no_session(handler):
    """History and record cannot be written: the session goes on.  In a mount namespace with a small file system."""
    place = handler._folder("small")
    inner = r'''
mount -t tmpfs -o size=600k tmpfs "$1" || exit 77
export XDG_STATE_HOME="$1/state"
h=$2
id=$($h new full) || exit 1
for i in $(seq 200); do $h capture $id | grep -q END1 && break; sleep 0.05; done
dd if=/dev/zero of="$1/fill" bs=4k 2>/dev/null
touch go
for i in $(seq 400); do $h capture $id | grep -q END2 && break; sleep 0.05; done
$h capture $id | tail -3
$h keys $id x Enter
for i in $(seq 200); do [ -e ended ] && break; sleep 0.05; done
ls ended
rm -f "$1/fill"
$h note "there is room again" -s $id
$h ls --json | grep '"fault"'
$h stop --all --yes
'''
    write_script(handler, "full", r'''
put("END1\r\n"); gate("go")
for i in range(20000): put("line %d %s\r\n" % (i, "x" * (i % 97)))
put("END2\r\n"); input(); log(b"", "ended"); input()''')
    done = subprocess.run(["unshare", "-m", "/bin/bash", "-c", inner, "bash", place, handler.binary], env=handler.environment(),
                          cwd=handler.work, capture_output=True, text=True, timeout=120)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("no mount namespace here: %s" % done.stderr.strip())
    assert "line 19999" in done.stdout and "END2" in done.stdout and "ended" in done.stdout, done
    assert "its history is not kept on the disk any more: No space left on device" in done.stdout, done


def test_a_terminal_that_goes_changes_nothing(handler):
    """A client that is killed, or hangs, or talks nonsense: the session and other clients do not notice."""
    ident = script(handler, "flow", r'''
put("ready\r\n"); gate("go")
for i in range(5000): put("line %d\r\n" % i)
put("END"); input()''')
    handler.wait_capture(ident, "ready")
    lazy, good = Client(handler, ident), Client(handler, ident)
    lazy.acknowledge = False
    lazy.view(40, 120)
    good.view(40, 120)
    for nonsense in (b"\xff" * 64, b"\0" * 16, json.dumps({"a": 1}).encode() * 10, b"GET / HTTP/1.1\r\n\r\n"):
        bad = Client(handler, ident, hello=False)
        bad.socket.sendall(nonsense)
        bad.socket.shutdown(1)
        bad.wait_closed()
    opens(handler, "go")
    good.wait(SCREEN, lambda p: b"END" in p)
    frames = sum(k == SCREEN for k, _, _ in lazy.seen)
    lazy.pump(0.1)
    assert frames <= 3  # credit: two frames and no backlog
    lazy.close()
    assert lines_with_numbers(handler.capture(ident, "--history", "all")) == list(range(5000))


def test_what_is_fixed_here_is_for_this_user_only(handler):
    """Directories 0700, files 0600, sockets 0600."""
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    for folder, names, files in os.walk(handler.session_folder(ident)):
        assert os.stat(folder).st_mode & 0o777 == 0o700, folder
        for name in files:
            assert os.lstat(os.path.join(folder, name)).st_mode & 0o077 == 0, name


@pytest.mark.parametrize("command", ["rm", "resume", "stop"])
def test_nobody_comes_between_a_worker_and_the_end_it_writes_down(handler, command):
    """The keeper is gone and its worker has not ended everything yet: who wants to go on waits for it."""
    ident = script(handler, "between", r'''
deaf()
if os.fork() == 0:
    os.setsid(); stay()
put("ready\r\n"); stay()''')
    handler.wait_capture(ident, "ready")
    pid, leader = worker(handler, ident), handler.record(ident)["leader"]
    kill(handler.process_named("keeper", ident))  # the grace of two seconds begins
    handler.wait_state(ident, "lost")
    handler.ok(command, ident, *{"stop": ["--grace", "0"]}.get(command, []))
    assert not processes.is_alive(pid) and not processes.is_alive(leader)
    if command == "rm":
        assert handler.session(ident) is None and not os.path.exists(handler.session_folder(ident))
    elif command == "resume":
        handler.wait_capture(ident, "ready")
        assert handler.session(ident)["live"] and handler.state(ident) != "lost"
    else:
        assert handler.state(ident) == "lost"


def test_a_worker_that_hangs_without_a_keeper_is_ended_by_stop(handler):
    ident = script(handler, "hung", r'''
for s in (1, 15): signal.signal(s, signal.SIG_IGN)
put("ready"); stay()''')
    handler.wait_capture(ident, "ready")
    pid, leader = worker(handler, ident), handler.record(ident)["leader"]
    kill(pid, signal.SIGSTOP)
    kill(handler.process_named("keeper", ident))
    handler.wait_state(ident, "lost")
    assert handler.json("stop", ident)["stopped"][0]["ended"] == 1
    assert not processes.is_alive(pid) and not processes.is_alive(leader)
