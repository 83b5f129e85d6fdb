"""How `handler terminal` ends, and what goes on: the terminal is as it was found, sessions are as they were, ended ones say how they ended."""
import os
import re
import signal

import pytest

from lib import processes
from lib.terminal import Terminal
from lib.wait import wait_until
from puppets import Puppet, focused, open_with, prefix, puppets, wait_place, wait_shown


def say(terminal, text):
    terminal.wait_for(lambda s: text in s.line(s.rows - 1), why="the bottom line says %r" % text)


def shell_in(handler, profile="modern", rows=30, cols=100):
    """A shell as people have it, to start the program from."""
    t = Terminal(["/bin/bash", "--noprofile", "-i"], env=handler.environment({"PATH": os.path.dirname(handler.binary) + ":" +
                 handler.env["PATH"]}), cwd=handler.work, rows=rows, cols=cols, profile=profile)
    handler.terminals.append(t)
    t.wait_for("$ ")
    return t


def start_in_shell(t, command="handler terminal one", shown="one"):
    t.type("echo before; %s\n" % command)
    wait_shown(t, shown)
    t.wait_for(lambda s: s.modes[1006] and (s.kitty_flags or not s.profile.kitty), why="the terminal is set up")


def client_of(t, handler):
    """The process that plays the terminal inside of that shell."""
    def look():
        return [p for p in processes.children_of(t.pid) if processes.command_of(p).startswith("handler")]
    return wait_until(look, "the program runs in the shell")[0]


def is_as_found(t, allow=()):
    t.wait_for(lambda s: not s.alternate, why="the main screen is back")
    t.wait_for(lambda s: [x for x in s.left_over() if x not in allow] == [], why="nothing of %r is left over" % t.left_over())


# -- the ends of the program -----------------------------------------------------------------------------------

SHELL_MODES = ("mode 2004 is set",)  # of the shell's own line editor


@pytest.mark.parametrize("profile", ["modern", "xterm", "plain"])
def test_after_leaving_the_shell_is_as_it_was(handler, profile):
    puppets(handler, "one")
    t = shell_in(handler, profile)
    start_in_shell(t)
    prefix(t, "d")
    t.wait_for("Return with: handler")
    is_as_found(t, SHELL_MODES)
    assert t.find("before"), "what stood there before stands there again"
    t.type("stty -a | grep -c -- '-icanon' ; cat -v\n")
    t.wait_for(re.compile(r"^0$", re.M))
    t.keys("C-x", "Up")
    t.wait_for(re.compile(r"\^X\^\[\[A"), why="keys are plain")
    t.keys("C-c")


@pytest.mark.parametrize("sig", ["TERM", "HUP", "INT", "SEGV", "ABRT", "BUS", "QUIT"])
def test_a_signal_restores_the_terminal(handler, sig):
    if sig in ("SEGV", "ABRT", "BUS"):
        handler.expect_reports("SEGV|ABRT|BUS")
    one, = puppets(handler, "one")
    t = shell_in(handler)
    start_in_shell(t)
    os.kill(client_of(t, handler), getattr(signal, "SIG" + sig))
    is_as_found(t, SHELL_MODES)
    t.wait_for("before")
    t.wait_for(lambda s: s.line(s.row).endswith("$"), why="the shell's prompt is back")
    t.type("echo re''ady; cat -v\n")
    t.wait_for(re.compile(r"^ready", re.M))  # the shell has given the terminal's modes back for what it runs
    t.keys("C-x", "Up")
    t.wait_for(re.compile(r"\^X\^\[\[A"), why="keys are plain")
    t.keys("Enter", "C-d")  # a C-c that comes before cat has the terminal would be lost
    t.wait_for(lambda s: s.line(s.row).endswith("$"), why="the shell's prompt is back")
    assert handler.state(one.ident()) not in ("exited", "failed", "crashed", "stopped", "lost")
    t.type("clear; handler\n")
    wait_shown(t, "one")
    prefix(t, "d")
    is_as_found(t, SHELL_MODES)


def test_a_signal_that_is_ignored_stays_ignored(handler):
    """What a script starts with "&" ignores SIGQUIT: it neither ends the program nor takes the terminal from it."""
    one, = puppets(handler, "one")
    t = shell_in(handler)
    t.type("trap '' QUIT\n")
    start_in_shell(t)
    os.kill(client_of(t, handler), signal.SIGQUIT)
    one.write("still here")
    t.wait_for("still here")
    assert t.screen.alternate and t.screen.modes[1006]
    prefix(t, "d")
    is_as_found(t, SHELL_MODES)


@pytest.mark.parametrize("sig", ["TERM", "HUP", "INT", "SEGV", "QUIT"])
def test_answers_that_come_after_a_signal_are_not_typed_into_the_shell(handler, sig):
    """Over a slow line the terminal's answers are still on their way when the program ends."""
    if sig == "SEGV":
        handler.expect_reports("SEGV")
    puppets(handler, "one")
    t = shell_in(handler)
    ended = []

    def answer(reply):
        if not ended:
            ended.append(reply)
            os.kill(client_of(t, handler), getattr(signal, "SIG" + sig))
        return [None, reply]  # 30 ms later

    t.on_reply = answer
    t.type("handler terminal one; echo le''ft\n")
    t.wait_for(re.compile(r"^left", re.M))
    assert ended and b"?62" in ended[0], "the answer that is the last was awaited"
    is_as_found(t, SHELL_MODES)
    t.wait_for(lambda s: s.line(s.row).endswith("$"), why="the shell's prompt is back")
    t.type("echo re''ady\n")
    t.wait_for(re.compile(r"^ready", re.M))
    assert not re.search(r"\dR|\dc|\^\[", t.text()), t.dump()


def test_killed_the_sessions_go_on_and_are_found_again_as_they_were(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    prefix(t, "C-Right", "C-Right")
    a = wait_place(t, "left", lambda p: p.cols == 63)
    prefix(t, "Right")
    assert focused(t, left, right) == "right"
    t.kill()
    t.wait_exit()
    left.write("drawn while nobody looked")
    again = handler.terminal(rows=40, cols=150)
    again.wait_for("drawn while nobody looked")
    wait_place(again, "left", lambda p: p == a)
    assert focused(again, left, right) == "right"
    prefix(again, "d")
    again.wait_exit()
    assert again.left_over() == []


@pytest.mark.parametrize("sig", ["HUP", None])
def test_a_connection_that_drops_returns_to_the_same_screen(handler, sig):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    prefix(t, "Space")
    a = wait_place(t, "left", lambda p: p.row > 0 and p.cols > 100, "above the other")
    prefix(t, "z")
    wait_shown(t, "left", without=["right"])
    pid = t.pid
    if sig:
        t.kill(signal.SIGHUP)
        t.wait_exit()
    else:
        t.hang_up()
    wait_until(lambda: not processes.is_alive(pid), "the client has ended", dump=handler.dump)
    for p in (left, right):
        assert handler.state(p.ident()) not in ("exited", "failed", "crashed", "stopped", "lost")
    again = handler.terminal(rows=40, cols=150)
    wait_shown(again, "left", without=["right"])
    prefix(again, "z")
    wait_place(again, "left", lambda p: p == a)


def test_suspended_and_continued(handler):
    """kill -TSTP (C-z goes to the program in the pane): the shell has its terminal, and fg brings everything back."""
    one, = puppets(handler, "one")
    t = shell_in(handler)
    start_in_shell(t)
    os.kill(client_of(t, handler), signal.SIGTSTP)
    t.wait_for("Stopped")
    is_as_found(t, SHELL_MODES)
    one.write("while it was stopped")
    t.type("fg\n")
    t.wait_for("while it was stopped")
    t.wait_for(lambda s: s.alternate and s.modes[1006] and s.kitty_flags, why="the terminal is set up again")
    one.forget()
    t.keys("C-z")
    one.wait_given(b"\x1a")
    prefix(t, "d")
    is_as_found(t, SHELL_MODES)


def test_the_process_leaves_no_helper_behind(handler):
    one, = puppets(handler, "one")
    t = open_with(handler, one)
    before = set(handler.processes()) - {t.pid}
    prefix(t, "c")
    t.wait_for("new session")
    prefix(t, "d")  # the prefix is a key of the dialog's line
    t.keys("Escape")
    t.wait_gone("new session")
    prefix(t, "d")
    assert t.wait_exit() == 0
    wait_until(lambda: set(handler.processes()) <= before, "nothing but the session is left")


def test_without_a_terminal_it_says_so(handler):
    puppets(handler, "one")
    for args in (["terminal", "one"], []):
        result = handler.run(*args)
        assert result.code in (1, 2) and "terminal" in result.err, result
    assert handler.sessions("-a") == []


# -- sessions that end -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("how, said", [(0, "exited"), (3, "failed"), (-signal.SIGKILL, "crashed"), (-signal.SIGSEGV, "crashed")])
def test_an_ended_session_keeps_its_screen_and_history_and_says_how(handler, how, said):
    one, = puppets(handler, "one")
    t = open_with(handler, one, rows=24, cols=100)
    one.write("".join("line %04d\r\n" % i for i in range(2000)) + "the last words")
    t.wait_for("the last words")
    one.write("\x1b[31;44mcoloured\x1b[m")
    t.wait_for("coloured")
    style = t.cell(*t.find("coloured")).style
    if how < 0:
        one.die(-how)
    else:
        one.exit(how)
    title = "exit code 3" if how == 3 else said
    t.wait_for(lambda s: title in s.line(0), why="the title says %s" % title)
    t.wait_for("the last words")
    assert t.cell(*t.find("coloured")).style.fg == style.fg
    assert t.find("line 1999")
    prefix(t, "[")
    t.wait_for("HISTORY")
    t.keys("g")
    t.wait_for("line 0000")
    t.keys("q")
    t.type("x")
    say(t, "work-one has ended (%s)" % said)
    prefix(t, "d")
    t.wait_exit()
    assert "No session is running." in t.text()
    again = handler.terminal(rows=24, cols=100)
    again.wait_for("the last words")
    again.wait_for(lambda s: title in s.line(0), why="the title says %s" % title)


def test_the_last_screen_of_a_program_that_leaves_the_alternate_screen_on(handler):
    """Killed in the middle of it all: modes are undone, what it drew stays."""
    one, = puppets(handler, "one")
    t = open_with(handler, one, rows=24, cols=100)
    one.write("\x1b[?1049h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[>7u\x1b[?25l\x1b[2J\x1b[5;5Hfull screen")
    t.wait_for("full screen")
    t.wait_for(lambda s: s.modes[1003], why="motion is asked for")
    one.die(signal.SIGKILL)
    t.wait_for(lambda s: "crashed" in s.line(0), why="the title says so")
    t.wait_for("full screen")
    t.wait_for(lambda s: not s.modes[1003], why="motion is not asked for any more")
    prefix(t, "d")
    t.wait_exit()
    assert t.left_over() == []


def test_a_session_that_is_removed_leaves_its_pane(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    handler.ok("stop", "work-right", "--yes")
    t.wait_for(re.compile("work-right +stopped"))
    handler.ok("rm", "work-right")
    wait_shown(t, "left", without=["right"])
    handler.ok("stop", "work-left", "--yes")
    handler.ok("rm", "work-left")
    t.wait_for("coding agents")


def test_a_session_that_ends_at_once_is_seen(handler):
    """Its words are the reason why it ended."""
    handler.write_shell_agent("brief", "echo the reason is this; exit 7")
    t = handler.terminal("terminal", "brief", rows=24, cols=100)
    t.wait_for("the reason is this")
    t.wait_for(lambda s: "exit code 7" in s.line(0), why="the title says how it ended")


# -- workers that end ------------------------------------------------------------------------------------------

def test_a_killed_worker_is_replaced_and_the_screen_comes_back(handler):
    one, = puppets(handler, "one")
    t = open_with(handler, one, rows=24, cols=100)
    one.write("".join("line %04d\r\n" % i for i in range(500)) + "\x1b[1;32mgreen\x1b[m still here")
    t.wait_for("still here")
    style = t.cell(*t.find("green")).style
    one.forget()
    worker = wait_until(lambda: handler.process_named("worker", one.ident()), "the worker has its name")
    os.kill(worker, signal.SIGKILL)
    t.type("typed meanwhile")
    one.wait_given(b"typed meanwhile")
    assert one.given() == b"typed meanwhile"
    new = wait_until(lambda: handler.process_named("worker", one.ident()), "there is another worker")
    assert new != worker
    one.write("\r\nand it goes on")
    t.wait_for("and it goes on")
    assert t.find("line 0499") and t.cell(*t.find("green")).style == style
    prefix(t, "~")
    t.wait_for("work-one: its worker ended and was replaced; the agent goes on")
    t.keys("Escape")
    prefix(t, "[")
    t.wait_for("HISTORY")
    t.keys("g")
    t.wait_for("line 0000")


def test_a_stopped_worker_is_replaced_when_somebody_types(handler):
    one, = puppets(handler, "one")
    t = open_with(handler, one, rows=24, cols=100)
    t.settle()
    one.forget()
    worker = wait_until(lambda: handler.process_named("worker", one.ident()), "the worker has its name")
    os.kill(worker, signal.SIGSTOP)
    t.type("hello")
    one.wait_given(b"hello")
    wait_until(lambda: not processes.is_alive(worker), "the hung worker is gone")
    one.write("\r\nit is back")
    t.wait_for("it is back")
    assert one.given() == b"hello"


def test_a_killed_keeper_is_said(handler):
    one, = puppets(handler, "one")
    t = open_with(handler, one, rows=24, cols=100)
    one.write("what it showed")
    t.wait_for("what it showed")
    keeper = wait_until(lambda: handler.process_named("keeper", one.ident()), "the keeper has its name")
    os.kill(keeper, signal.SIGKILL)
    t.wait_for(lambda s: "lost" in s.line(0), why="the title says lost")
    t.wait_for("what it showed")
    assert handler.state(one.ident()) == "lost"


# -- inside of a session ---------------------------------------------------------------------------------------

def test_inside_a_session_it_is_refused(handler):
    t = handler.terminal("terminal", "shell", rows=30, cols=100, env={"PATH": os.path.dirname(handler.binary) + ":" + handler.env["PATH"]})
    t.wait_for("$")
    t.type("handler; echo status $?\n")
    t.wait_for("--nested")
    t.wait_for("status 3")
    t.type("clear; handler terminal demo; echo status $?\n")
    t.wait_for("status 3")
    assert len(handler.sessions()) == 1, "nothing was started"


def test_nested_leaves_out_the_session_it_runs_in(handler):
    other = Puppet(handler, "other")
    t = handler.terminal("terminal", "shell", rows=30, cols=120, env={"PATH": os.path.dirname(handler.binary) + ":" + handler.env["PATH"]})
    t.wait_for("$")
    t.type("handler terminal other --nested\n")
    wait_shown(t, "other")
    t.wait_for("C-a ?", why="the inner one has another prefix: the outer one's is taken")
    t.keys("C-a", "1")
    t.wait_for("is left out")
    assert focused(t, other) == "other"
    t.keys("C-a", "d")
    t.wait_for("Return with")
    t.wait_for(lambda s: re.search(r"\$\s*$", s.line(s.row)), why="the shell's prompt is back")


# -- attach ----------------------------------------------------------------------------------------------------

def test_attach_shows_one_session_full_size(handler):
    one, two = puppets(handler, "one", "two")
    handler.new("one")
    handler.new("two")
    t = handler.terminal("attach", "work-two", rows=30, cols=120)
    p = wait_place(t, "two", lambda p: p.cols == 120)
    assert p.rows >= 28
    assert focused(t, one, two) == "two"
    prefix(t, "d")
    assert t.wait_exit() == 0
    assert "Return with" in t.text() or "go on" in t.text()


def test_attach_without_a_name_takes_the_last_one(handler):
    one, = puppets(handler, "one")
    handler.new("one")
    t = handler.terminal("attach", rows=30, cols=120)
    wait_shown(t, "one")


def test_attach_ends_with_the_session(handler):
    one, = puppets(handler, "one")
    handler.new("one")
    t = handler.terminal("attach", "work-one", rows=30, cols=120)
    wait_shown(t, "one")
    one.exit(0)
    assert t.wait_exit() == 0
    assert "work-one: exited" in t.text()
    assert t.left_over() == []


def test_attach_to_nobody(handler):
    for args in (["attach", "nobody"], ["attach"]):
        t = handler.terminal(*args, rows=30, cols=120)
        assert t.wait_exit() == 4, t.dump()
        assert t.left_over() == []


def test_attach_d_detaches_the_others(handler):
    one, = puppets(handler, "one")
    first = open_with(handler, one, rows=30, cols=100)
    second = handler.terminal("attach", "work-one", rows=24, cols=80)
    wait_shown(second, "one")
    third = handler.terminal("attach", "work-one", "-d", rows=40, cols=130)
    for t in (first, second):
        assert t.wait_exit() == 0
        assert "shown by another terminal now" in t.text()
        assert t.left_over() == []
    wait_place(third, "one", lambda p: p.cols == 130)
