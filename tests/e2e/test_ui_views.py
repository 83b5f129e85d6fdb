"""Views: one per repository, saved, given back, shown by one terminal at a time; and what happens elsewhere meanwhile."""
import json
import os
import re
import signal

import pytest

from lib.wait import wait_until
from puppets import Puppet, focused, open_with, prefix, puppets, wait_place, wait_shown


def view_file(handler, name):
    return os.path.join(handler.state_home, "handler", "views", name + ".json")


def read_view(handler, name):
    with open(view_file(handler, name)) as f:
        return json.load(f)


@pytest.fixture
def two(handler):
    left, right = puppets(handler, "left", "right")
    return handler, open_with(handler, left, right), left, right


def ended_how(t, how):
    if how == "left":
        prefix(t, "d")
        assert t.wait_exit() == 0
    elif how == "killed":
        os.kill(t.pid, signal.SIGKILL)
        t.wait_exit()
    elif how == "terminated":
        os.kill(t.pid, signal.SIGTERM)
        t.wait_exit()
        assert t.left_over() == []
    else:
        t.close()


@pytest.mark.parametrize("how", ["left", "killed", "terminated", "hung up"])
def test_the_same_screen_comes_back(two, how):
    handler, t, left, right = two
    prefix(t, "C-Right", "C-Right")
    prefix(t, "Right")
    a, b = wait_place(t, "left", lambda p: p.cols == 63), wait_place(t, "right", lambda p: p.cols == 58)
    wait_until(lambda: read_view(handler, "work")["focus"] != read_view(handler, "work")["panes"][0]["id"], "the view is saved")
    ended_how(t, how)
    assert all(s["state"] not in ("stopped", "exited", "lost") for s in handler.sessions())
    again = handler.terminal(rows=40, cols=150)
    assert wait_place(again, "left", lambda p: p == a)
    assert wait_place(again, "right") == b
    assert focused(again, left, right) == "right"


def test_a_zoomed_view_comes_back_zoomed(two):
    handler, t, left, right = two
    prefix(t, "z")
    wait_shown(t, "left", without=["right"])
    ended_how(t, "left")
    again = handler.terminal(rows=40, cols=150)
    wait_shown(again, "left", without=["right"])
    prefix(again, "z")
    wait_shown(again, "left", "right")


def test_a_view_is_shown_by_one_terminal_at_a_time(two):
    handler, t, left, right = two
    second = handler.terminal(rows=40, cols=150)
    second.wait_for("coding agents")  # nothing else to return to
    prefix(second, "w")
    second.wait_for("another terminal shows it")
    second.keys("Escape")
    prefix(second, "1")
    wait_shown(second, "left")
    second.wait_for(lambda s: re.search(r"\bwork-2\b", s.line(39)), why="a view of its own")
    wait_shown(t, "left", "right")
    ended_how(t, "left")
    prefix(second, ":")
    second.type("views work\n")
    wait_shown(second, "left", "right")


def test_a_broken_file_keeps_nobody_from_working(two):
    handler, t, left, right = two
    ended_how(t, "left")
    with open(view_file(handler, "work"), "w") as f:
        f.write('{"name": "work", "panes": [')
    t = handler.terminal(rows=40, cols=150)
    t.wait_for("work-left")
    t.keys("Enter")
    wait_shown(t, "left")


def test_sessions_that_are_removed_leave_the_view(two):
    handler, t, left, right = two
    left.exit(0)
    handler.wait_state("work-left", "exited")
    t.wait_for(re.compile("exited.*C-b r resumes"))
    handler.ok("rm", "work-left")
    t.wait_for("work-left was removed")
    wait_place(t, "right", lambda p: p.cols == 150)
    right.exit(3)
    handler.wait_state("work-right", "failed")
    handler.ok("rm", "work-right")
    t.wait_for("coding agents")
    wait_until(lambda: not os.path.exists(view_file(handler, "work")), "an empty view is forgotten")


def test_an_ended_session_keeps_its_screen_and_history_and_says_how_it_ended(two):
    handler, t, left, right = two
    left.write("\r\n".join("row %d" % i for i in range(200)) + "\r\nthe end")
    t.wait_for("the end")
    left.exit(7)
    t.wait_for(re.compile("failed, exit code 7"))
    t.wait_for("the end")
    prefix(t, "[")
    t.keys("g")
    t.wait_for("row 3")
    t.keys("q")
    t.type("x")
    t.wait_for("has ended (failed)")
    ended_how(t, "left")
    again = handler.terminal(rows=40, cols=150)
    again.wait_for("the end")
    prefix(again, "[")
    again.keys("g")
    again.wait_for("row 3")


# -- what others do --------------------------------------------------------------------------------------------

def test_what_happens_elsewhere_is_seen(two):
    handler, t, left, right = two
    third = Puppet(handler, "third")
    ident = handler.new("third")
    t.wait_for(re.compile("3 . work-third"))
    handler.ok("rename", "work-third", "elsewhere")
    t.wait_for(re.compile("3 . elsewhere"))
    third.state("working")
    t.wait_for(re.compile(r"3 . elsewhere\s+<1m"))
    third.state("blocked", "permission", "approve Bash: rm -rf build")
    t.wait_for("approve Bash: rm")
    handler.ok("stop", ident)
    t.wait_for("elsewhere: stopped")
    handler.ok("rm", ident)
    t.wait_gone("elsewhere")
    assert focused(t, left, right) == "left", "nothing but a key or click moves the focus"


def test_a_killed_worker_is_replaced_and_keys_go_on(two):
    handler, t, left, right = two
    left.write("before")
    t.wait_for("before")
    ident = left.ident()
    os.kill(handler.process_named("worker", ident), signal.SIGKILL)
    t.type("typed meanwhile")
    left.wait_given(b"typed meanwhile")
    left.write(" and after")
    t.wait_for("before and after")
    assert left.given() == b"typed meanwhile"


def test_two_terminals_of_different_sizes(handler):
    one, = puppets(handler, "one")
    big = open_with(handler, one, rows=40, cols=150)
    small = handler.terminal("attach", "work-one", rows=20, cols=60)
    small.wait_for("one 150x38")
    one.wait_size(38, 150)
    small.type("x")  # now it owns the size
    one.wait_size(18, 60)
    wait_place(big, "one", lambda p: p.cols == 60)
    big.wait_for("sized elsewhere")
    big.focus(True)
    prefix(big, "q", "Escape")
    big.settle()
    one.wait_size(18, 60)
    big.type("y")
    one.wait_size(38, 150)
    prefix(small, "d")
    assert small.wait_exit() == 0
    one.wait_size(38, 150)


def test_attach_d_makes_others_let_go(handler):
    one, = puppets(handler, "one")
    first = open_with(handler, one)
    second = handler.terminal("attach", "work-one", "-d", rows=20, cols=60)
    wait_shown(second, "one")
    assert first.wait_exit() == 0
    assert "another terminal" in first.text()
    assert first.left_over() == []


def test_attach_ends_with_its_session(handler):
    one, = puppets(handler, "one")
    handler.new("one")
    t = handler.terminal("attach", "work-one", rows=20, cols=60)
    wait_shown(t, "one")
    assert t.row(19).strip().endswith("C-b ? keys"), "the prefix is shown here too"
    one.exit(0)
    assert t.wait_exit() == 0
    assert "work-one: exited" in t.text()
    assert t.left_over() == []


def test_a_session_inside_a_session_is_not_shown_in_itself(handler):
    t = handler.terminal("terminal", "shell", rows=30, cols=120)
    t.wait_for("$ ")
    t.type("%s terminal\n" % handler.binary)
    t.wait_for("already inside a session")
    t.type("clear; %s terminal --nested\n" % handler.binary)
    t.wait_for("work-shell is left out")
    t.wait_for("C-a ?", why="the inner terminal has another prefix")
    t.keys("C-a", "1")
    t.wait_for("would show itself")
    t.keys("C-a", "d")
    t.wait_for("Return with: handler")


# -- small terminals -------------------------------------------------------------------------------------------

def test_below_110_columns_the_sessions_stand_in_one_line(two):
    handler, t, left, right = two
    assert wait_place(t, "left").col == 28
    t.resize(30, 109)
    wait_place(t, "left", lambda p: p.col == 0)
    t.wait_for(lambda s: re.search(r"1\Dwork-left 2\Dwork-right", s.line(29)) and s.line(29).rstrip().endswith("C-b ?"),
               why="they stand in the bottom line")
    right.state("blocked", "question", "which one?")
    t.wait_for(lambda s: re.search(r"2!work-right 1\Dwork-left", s.line(29)), why="who waits comes first")
    t.resize(40, 150)
    wait_place(t, "left", lambda p: p.col == 28)


def test_what_does_not_fit_is_named(handler):
    made = puppets(handler, "one", "two", "three")
    t = handler.terminal("terminal", "one", "two", "three", rows=12, cols=100)
    wait_shown(t, "one")
    t.wait_for(re.compile("no room for .*work-three"))
    assert "two" not in t.row(0)
    prefix(t, "3")
    wait_shown(t, "three")
    assert made[2].sizes()[-1] == (10, 100)


def test_a_pane_that_is_too_small_says_so(two):
    handler, t, left, right = two
    t.resize(12, 36)
    t.wait_for("too small")
    t.resize(40, 150)
    wait_shown(t, "left", "right")


def test_a_tiny_terminal_harms_nothing(two):
    handler, t, left, right = two
    for rows, cols in ((1, 1), (2, 3), (5, 20), (3, 200), (60, 12)):
        t.resize(rows, cols)
        prefix(t, "?")
        t.keys("Escape")
        prefix(t, "c")
        t.keys("Escape")
        prefix(t, "s")
        t.keys("Escape")
    t.resize(40, 150)
    wait_shown(t, "left", "right")


def test_an_accessible_screen_says_states_in_words_and_draws_nothing(handler):
    """config.json's "accessible": what the front-end adds around the panes is ASCII, and a state is a word."""
    handler.write_config(accessible=True)
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    t.wait_for(lambda s: re.search(r"1 \w+ work-left", s.line(0)) and "|" in s.line(0), why="a title that begins with a state")
    t.wait_for(lambda s: re.search(r"^ +(unknown|idle|working|done): ", "\n".join(s.lines()), re.M), why="a state in the sidebar")
    prefix(t, "s")
    t.wait_for(re.compile(r"(unknown|idle|working|done), left"))
    assert all(ord(c) < 0x80 or c == "…" for c in t.text()), t.text()


@pytest.mark.parametrize("config", [{}, {"sidebar": "full"}, {"sidebar": "off"}], ids=["auto", "full", "off"])
@pytest.mark.parametrize("before", [0, 1], ids=["first", "beside another"])
@pytest.mark.parametrize("cols", [149, 241])
def test_a_session_starts_with_the_size_that_it_keeps(handler, config, before, cols):
    """Agents draw their first screen for the size they find: there must be no second one a moment later."""
    handler.write_config(**config)
    others = puppets(handler, "other")[:before]
    for other in others:
        handler.new(other.name, "-C", handler.work)
    names = puppets(handler, "a", "b", "c") if cols > 200 else puppets(handler, "a")
    t = open_with(handler, *names, rows=40, cols=cols)
    for puppet in names:
        wait_place(t, puppet.name)
    assert focused(t, *names) == "a"  # a key makes this terminal the owner of the size
    for puppet in names:
        assert len(puppet.sizes()) == 1, (puppet.name, puppet.sizes())
