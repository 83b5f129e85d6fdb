"""Every key of the table of `handler terminal`: what it does, and what it says when there is nothing to do."""
import re

import pytest

from lib.wait import wait_until
from puppets import Puppet, focused, open_with, place, prefix, puppets, wait_place, wait_shown


def say(terminal, text):
    """Waits for a message in the bottom line."""
    terminal.wait_for(lambda s: text in s.line(s.rows - 1), why="the bottom line says %r" % text)


@pytest.fixture
def two(handler):
    """Two puppets side by side; the left one has the focus."""
    left, right = puppets(handler, "left", "right")
    return handler, open_with(handler, left, right), left, right


# -- going to a session ----------------------------------------------------------------------------------------

def test_next_and_previous_in_the_view_move_the_focus_and_l_moves_it_back(two):
    _, t, left, right = two
    assert focused(t, left, right) == "left"
    prefix(t, "n")
    assert focused(t, left, right) == "right"
    prefix(t, "l")
    assert focused(t, left, right) == "left"
    prefix(t, "l")
    assert focused(t, left, right) == "right"
    prefix(t, "p")
    assert focused(t, left, right) == "left"
    prefix(t, "p")
    assert focused(t, left, right) == "right", "from the first it goes to the last"
    wait_shown(t, "left", "right")


def test_a_session_that_is_not_shown_takes_the_pane_with_the_focus_and_l_gives_it_back(two):
    handler, t, left, right = two
    third = Puppet(handler, "third")
    handler.new("third")
    prefix(t, "Right")
    before = wait_place(t, "right")
    prefix(t, "3")
    wait_shown(t, "left", "third", without=["right"])
    assert wait_place(t, "third") == before
    assert focused(t, left, right, third) == "third"
    assert handler.state("work-right") not in ("stopped", "exited", "failed", "crashed", "lost")
    prefix(t, "l")
    wait_shown(t, "left", "right", without=["third"])
    assert focused(t, left, right, third) == "right"


def test_a_session_in_another_view_brings_that_view_up_and_l_goes_back_with_the_layout(two):
    handler, t, left, right = two
    third = Puppet(handler, "third")
    handler.new("third")
    prefix(t, "3")
    wait_shown(t, "third", "right", without=["left"])
    prefix(t, "!")
    say(t, "has the view work-third of its own")
    wait_shown(t, "third", without=["right", "left"])
    prefix(t, "2")
    wait_shown(t, "right", without=["third"])
    prefix(t, "1")
    wait_shown(t, "left", without=["third", "right"])
    prefix(t, "3")
    wait_shown(t, "third", without=["left"])
    assert focused(t, left, right, third) == "third"
    prefix(t, "l")
    wait_shown(t, "left", without=["third"])
    assert focused(t, left, right, third) == "left"


def test_l_restores_zoom_and_layout(two):
    handler, t, left, right = two
    third = Puppet(handler, "third")
    handler.new("third")
    prefix(t, "E")
    prefix(t, "C-Right", "C-Right", "C-Right")
    small = wait_place(t, "left", lambda p: p.cols > 61, "wider")
    prefix(t, "z")
    wait_shown(t, "left", without=["right"])
    prefix(t, "3")
    wait_shown(t, "third", without=["left"])
    prefix(t, "l")
    wait_shown(t, "left", without=["right", "third"])
    prefix(t, "z")
    wait_shown(t, "left", "right")
    wait_place(t, "left", lambda p: p == small, "as wide as before")
    assert focused(t, left, right, third) == "left"


def test_by_number_and_by_name(two):
    handler, t, left, right = two
    prefix(t, "2")
    assert focused(t, left, right) == "right"
    prefix(t, "2")
    say(t, "work-right has the focus")
    prefix(t, "7")
    say(t, "no session")
    prefix(t, "0")
    say(t, "no session")
    prefix(t, "'")
    t.wait_for("go to session")
    t.type("work-left\n")
    t.wait_gone("go to session")
    assert focused(t, left, right) == "left"
    prefix(t, "'")
    t.wait_for("go to session")
    t.type("nobody\n")
    say(t, "nobody")
    for n in range(3, 11):
        handler.new("left", "-n", "number%d" % n)
    prefix(t, "'")
    t.wait_for("go to session")
    t.type("10\n")
    t.wait_for(re.compile(r"10 . number10"))


def test_l_with_nothing_to_undo_says_so(handler):
    first, = puppets(handler, "first")
    t = open_with(handler, first)
    prefix(t, "d")
    t.wait_exit()
    t = handler.terminal(rows=30, cols=100)
    wait_shown(t, "first")
    prefix(t, "l")
    say(t, "there is no going to a session to undo")


def test_a_goes_to_the_session_that_has_waited_longest(two):
    handler, t, left, right = two
    third = Puppet(handler, "third")
    third_id = handler.new("third")
    prefix(t, "a")
    say(t, "no session waits for you")
    third.state("blocked", "permission", "approve Bash: rm -rf build")
    handler.wait_state(third_id, "needs-input")
    wait_until(lambda: handler.session(third_id)["seconds"] >= 1, "it has waited for a second")
    right.state("blocked", "permission", "approve Edit")
    handler.wait_state("work-right", "needs-input")
    wait_shown(t, "left", "right")
    assert focused(t, left, right, third) == "left", "nothing but a key or click moves the focus"
    prefix(t, "a")
    wait_shown(t, "third", "right", without=["left"])
    assert focused(t, left, right, third) == "third"
    t.wait_for(re.compile("work-third +approve Bash: rm"))
    prefix(t, "a")
    say(t, "has waited longest")
    third.state("working")
    handler.wait_state(third_id, "working")
    prefix(t, "a")
    t.settle()
    assert focused(t, left, right, third) == "right"


# -- panes -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("key, right_of", [("%", True), ("v", True), ('"', False), ("-", False)])
def test_splits(handler, key, right_of):
    first, second = puppets(handler, "first", "second")
    t = open_with(handler, first)
    handler.new("second")
    prefix(t, key)
    t.wait_for("new session, to the right" if right_of else "new session, below")
    t.keys("C-s")
    t.wait_for("find a session")
    t.type("second")
    t.keys("Enter")
    wait_shown(t, "first", "second")
    a, b = wait_place(t, "first", lambda p: p.cols < 100 or p.rows < 36), wait_place(t, "second")
    if right_of:
        assert a.row == b.row and b.col == a.col + a.cols + 1 and abs(a.cols - b.cols) <= 1
    else:
        assert a.col == b.col and b.row == a.row + a.rows + 2 and abs(a.rows - b.rows) <= 1
    assert focused(t, first, second) == "second"


def test_a_split_starts_another_session_at_its_final_size(handler):
    first, second = puppets(handler, "first", "second")
    t = open_with(handler, first)
    prefix(t, "%")
    t.wait_for("new session, to the right")
    t.type("second")
    t.keys("Enter")
    wait_shown(t, "first", "second")
    p = wait_place(t, "second")
    wait_place(t, "first", lambda q: q.col + q.cols + 1 == p.col)
    assert len(second.sizes()) <= 2, second.sizes()  # the sidebar comes with the second session


def test_a_split_without_room_says_so(handler):
    first, = puppets(handler, "first")
    t = open_with(handler, first, rows=10, cols=38)
    prefix(t, "%")
    say(t, "no room to split")
    prefix(t, '"')
    say(t, "no room to split")


@pytest.fixture
def four(handler):
    """Four puppets: a b / c d, and the focus in a."""
    made = puppets(handler, "alpha", "beta", "gamma", "delta")
    t = open_with(handler, *made, "--layout", "tiled", rows=50, cols=170)
    return handler, t, made


def test_arrows_o_and_last_pane(four):
    _, t, made = four
    at = {p.name: wait_place(t, p.name) for p in made}
    assert at["alpha"].row == at["beta"].row < at["gamma"].row == at["delta"].row
    assert at["alpha"].col == at["gamma"].col < at["beta"].col == at["delta"].col
    for key, name in (("Right", "beta"), ("Down", "delta"), ("Left", "gamma"), ("Up", "alpha"), ("o", "beta"), ("o", "gamma"),
                      ("o", "delta"), ("o", "alpha"), (";", "delta"), (";", "alpha")):
        prefix(t, key)
        assert focused(t, *made) == name, key


def test_arrows_with_nowhere_to_go(handler):
    first, = puppets(handler, "first")
    t = open_with(handler, first)
    for key in ("Left", "o", "z", "E", "{", "}", "C-Up", "Space"):
        prefix(t, key)
        say(t, "there is only one pane")
        t.type("x")  # the next key takes the message away
        t.wait_gone("there is only one pane")
    prefix(t, ";")
    say(t, "no other pane had the focus before")
    prefix(t, "!")
    say(t, "alone in its view already")
    prefix(t, "S")
    say(t, "only one pane is shown")


def test_resizing_repeats_without_the_prefix_and_E_makes_equal(two):
    _, t, left, right = two
    t.settle(0.3)  # the sizes are the final ones
    a, b = wait_place(t, "left"), wait_place(t, "right")
    prefix(t, "C-Right", "C-Right", "C-Right")
    c = wait_place(t, "left", lambda p: p.cols == a.cols + 3, "3 columns wider")
    d = wait_place(t, "right", lambda p: p.cols == b.cols - 3)
    assert d.col == c.col + c.cols + 1
    prefix(t, "C-Left")
    wait_place(t, "left", lambda p: p.cols == a.cols + 2)
    prefix(t, "M-Right")
    wait_place(t, "left", lambda p: p.cols == a.cols + 7)
    prefix(t, "C-Left", "x")  # x is no key that repeats: it goes to the pane
    left.wait_given(b"x")
    wait_place(t, "left", lambda p: p.cols == a.cols + 6)
    prefix(t, "E")
    wait_place(t, "left", lambda p: p == a)
    wait_place(t, "right", lambda p: p == b)
    prefix(t, "C-Up")
    say(t, "that border does not move")


def test_a_gesture_of_resizing_reaches_the_programs_once(two):
    _, t, left, right = two
    t.settle(0.3)
    before = len(left.sizes())
    prefix(t, *["C-Right"] * 10)
    wait_place(t, "left", lambda p: p.cols == 71)
    wait_until(lambda: left.sizes()[-1][1] == 71, "the program knows its size")
    assert len(left.sizes()) - before <= 3, left.sizes()


def test_swapping(four):
    _, t, made = four
    at = {p.name: wait_place(t, p.name) for p in made}
    prefix(t, "}")
    wait_place(t, "alpha", lambda p: (p.row, p.col) == (at["beta"].row, at["beta"].col))
    wait_place(t, "beta", lambda p: (p.row, p.col) == (at["alpha"].row, at["alpha"].col))
    assert focused(t, *made) == "alpha", "the focus goes along"
    prefix(t, "{")
    wait_place(t, "alpha", lambda p: p == at["alpha"])
    wait_place(t, "beta", lambda p: p == at["beta"])


def test_zoom(two):
    _, t, left, right = two
    a = wait_place(t, "left")
    prefix(t, "z")
    wait_place(t, "left", lambda p: p.cols >= 2 * a.cols and place(t, "right") is None)
    prefix(t, "z")
    wait_place(t, "left", lambda p: p == a)
    wait_shown(t, "left", "right")
    prefix(t, "z")
    wait_place(t, "left", lambda p: p.cols >= 2 * a.cols)
    prefix(t, "Right")
    wait_shown(t, "left", "right")
    assert focused(t, left, right) == "right"


def test_layouts(four):
    _, t, made = four
    seen = set()
    for _ in range(5):
        prefix(t, "Space")
        t.wait_for(re.compile(r"layout: \S+"))
        t.settle(0.3)
        at = [wait_place(t, p.name) for p in made]
        assert all(p.cols >= 60 and p.rows >= 10 for p in at), "by itself a layout makes no pane below 60x10"
        seen.add(tuple((p.row, p.col) for p in at))
        t.type("x")
    assert len(seen) >= 2


def test_a_pane_that_is_closed_lets_its_session_go_on(two):
    handler, t, left, right = two
    prefix(t, "x")
    say(t, "closed the pane; work-left goes on")
    wait_shown(t, "right", without=["left"])
    assert focused(t, left, right) == "right"
    assert handler.state("work-left") not in ("stopped", "exited", "lost")
    prefix(t, "x")
    say(t, "work-right goes on")
    t.wait_for("coding agents")  # the start screen
    prefix(t, "1")
    wait_shown(t, "left")


def test_pane_numbers(four):
    _, t, made = four
    before = t.text()
    prefix(t, "q")
    t.wait_for(lambda s: s.text() != before, why="numbers are shown")
    t.keys("2")
    assert focused(t, *made) == "gamma", "they are counted from 0, as in tmux"
    t.wait_for(lambda s: s.line(2) == before.split("\n")[2], why="the numbers are gone")
    prefix(t, "q", "9")
    say(t, "there is no pane 9")


# -- sessions --------------------------------------------------------------------------------------------------

def test_stopping_asks_first(two):
    handler, t, left, right = two
    prefix(t, "X")
    t.wait_for("Stop work-left")
    t.wait_for(re.compile(r"\d+ process(es)? of it will be ended"))
    t.keys("n")
    say(t, "work-left was not stopped")
    assert handler.state("work-left") != "stopped"
    prefix(t, "X")
    t.wait_for("Stop work-left")
    t.keys("Escape")
    say(t, "work-left was not stopped")
    prefix(t, "X")
    t.wait_for("Stop work-left")
    t.keys("y")
    say(t, "stopped work-left: 1 process ended")
    assert handler.state("work-left") == "stopped"
    wait_shown(t, "left", "right")  # its last screen stays
    t.type("x")
    say(t, "work-left has ended (stopped)")
    prefix(t, "X")
    say(t, "work-left has ended already")


def test_resume(two):
    handler, t, left, right = two
    prefix(t, "r")
    say(t, "work-left is running: there is nothing to resume")
    left.write("before the end")
    t.wait_for("before the end")
    left.exit(0)
    handler.wait_state("work-left", "exited")
    t.wait_for(re.compile(r"exited.*C-b r resumes"))
    count = len(left.sizes())
    prefix(t, "r")
    say(t, "work-left goes on")
    wait_until(lambda: len(left.sizes()) > count, "the program runs again")
    left.note(b"started")
    left.wait_given(b"started")
    assert focused(t, left, right) == "left"
    t.wait_gone("before the end")


def test_rename(two):
    handler, t, *_ = two
    prefix(t, ",")
    t.wait_for("work-left", why="the name can be edited")
    t.wait_for("rename")
    t.keys("C-u")
    t.type("api\n")
    say(t, "work-left is called api now")
    t.wait_for(re.compile(r"1 . api\b"))
    assert handler.session("api")["number"] == 1
    prefix(t, ",")
    t.wait_for("rename")
    t.keys("C-u")
    t.type("work-right\n")
    t.wait_for(re.compile("work-right.*(taken|already|another)|(taken|already|another).*work-right"))
    t.keys("Escape")
    t.wait_gone("rename")
    assert handler.session("api")


def test_typing_into_all(four):
    handler, t, made = four
    alpha, beta, gamma, delta = made
    prefix(t, "S")
    t.wait_for("type into all")
    t.keys("n")
    say(t, "typing goes to one pane, as before")
    assert focused(t, *made) == "alpha"
    gamma.state("blocked", "permission", "approve it")
    handler.wait_state("work-gamma", "needs-input")
    prefix(t, "S")
    t.wait_for("type into all")
    t.keys("y")
    t.wait_for("TYPING INTO ALL 4 PANES")
    for p in made:
        p.forget()
    t.type("hello")
    for p in (alpha, beta, delta):
        p.wait_given(b"hello")
    say(t, "1 pane is left out: a question is open there")
    t.paste("some text")
    for p in (alpha, beta, delta):
        p.wait_given(b"some text")
    assert gamma.given() == b""
    gamma.state("working")
    handler.wait_state("work-gamma", "working")
    t.type("again")
    for p in made:
        p.wait_given(b"again")
    t.wait_for("TYPING INTO ALL 4 PANES")
    prefix(t, "S")
    t.wait_gone("TYPING INTO ALL")
    assert focused(t, *made) == "alpha"


def test_typing_into_all_ends_when_what_is_shown_changes(two):
    handler, t, left, right = two
    third = Puppet(handler, "third")
    handler.new("third")
    prefix(t, "S")
    t.wait_for("type into all")
    t.keys("y")
    t.wait_for("TYPING INTO ALL 2 PANES")
    prefix(t, "3")
    wait_shown(t, "third", "right")
    t.wait_gone("TYPING INTO ALL")
    assert focused(t, left, right, third) == "third"


def test_prefix_enter_is_a_newline_and_prefix_prefix_is_the_prefix(two):
    _, t, left, _ = two
    prefix(t, "Enter")
    left.wait_given(b"\n")
    prefix(t, "C-b")
    left.wait_given(b"\x02")


# -- the rest of the table -------------------------------------------------------------------------------------

def test_sidebar(two):
    _, t, *_ = two
    assert wait_place(t, "left").col > 10
    prefix(t, "b")
    wait_place(t, "left", lambda p: p.col == 0)
    say(t, "sidebar: line")
    t.type("x")
    t.wait_for(lambda s: re.search(r"1.work-left.*2.work-right", s.line(s.rows - 1)), why="the sessions are in one line")
    prefix(t, "b")
    say(t, "sidebar: off")
    t.type("x")
    t.wait_for(lambda s: "work-left" not in s.line(s.rows - 1), why="there is no list of sessions")
    prefix(t, "b")
    wait_place(t, "left", lambda p: p.col > 10)


def test_views(two):
    _, t, left, right = two
    prefix(t, "w")
    t.wait_for("views")
    t.keys("Escape")
    prefix(t, "!")
    wait_shown(t, "left", without=["right"])
    prefix(t, "w")
    t.wait_for(lambda s: s.find("work-left") and re.search(r"\bwork\b", s.text()), why="both views are listed")
    t.keys("Enter")  # the other one is chosen at first
    wait_shown(t, "right", without=["left"])
    prefix(t, ":")
    t.type("views work-left")
    t.keys("Enter")
    wait_shown(t, "left", without=["right"])


def test_messages_are_kept(two):
    _, t, *_ = two
    prefix(t, "7")
    say(t, "no session")
    prefix(t, "F7")
    say(t, "C-b F7 does nothing")
    prefix(t, "~")
    t.wait_for("messages")
    t.wait_for("C-b F7 does nothing")
    t.wait_for("no session")
    t.keys("Escape")
    t.wait_gone("messages")


def test_mouse(two):
    _, t, left, right = two
    at = wait_place(t, "right")
    assert t.screen.modes[1006]
    prefix(t, "m")
    say(t, "the mouse is the outer terminal's")
    assert not any(t.screen.modes[m] for m in (1000, 1002, 1003, 1006))
    prefix(t, "m")
    say(t, "the mouse is handler's")
    t.mouse("click", at.row + 2, at.col + 2)
    assert focused(t, left, right) == "right"


def test_help_is_the_table(two):
    _, t, *_ = two
    prefix(t, "?")
    t.wait_for("keys, after C-b")
    t.type("undo")
    t.wait_for(re.compile(r"\bl\b.*undo the last going to a session"))
    t.keys("Escape")
    t.wait_gone("keys, after C-b")


def test_palette(two):
    _, t, left, right = two
    prefix(t, ":")
    t.type("focus-right")
    t.keys("Enter")
    assert focused(t, left, right) == "right"
    prefix(t, ":")
    t.type("fly")
    t.keys("Enter")
    t.wait_for('no command "fly"')
    t.keys("Escape")


def test_a_key_without_a_binding_says_so(two):
    _, t, left, _ = two
    for key in ("F7", "k", "D", "=", "/", "M-z", "C-x"):
        prefix(t, key)
        say(t, "C-b %s does nothing" % key)
    prefix(t, "Escape")
    t.settle()
    assert "does nothing" not in t.row(39)
    assert left.given() == b""


def test_a_pending_prefix_shows_the_keys(two):
    _, t, left, right = two
    mark = t.mark()
    t.keys("C-b")
    t.wait_for("next session", timeout=5)
    assert mark
    t.keys("n")
    t.wait_gone("next session")
    assert focused(t, left, right) == "right"
    t.keys("C-b")
    t.wait_for("next session")
    t.keys("Escape")
    t.wait_gone("next session")
    assert b"\x1b" not in right.given()


def test_leaving_says_what_goes_on(two):
    handler, t, left, right = two
    right.state("blocked", "question")
    handler.wait_state("work-right", "needs-input")
    prefix(t, "d")
    assert t.wait_exit() == 0
    text = t.text()
    assert "2 sessions go on, 1 of them waits for you. Return with: handler" in text
    assert t.left_over() == []
    again = handler.terminal(rows=40, cols=150)
    wait_shown(again, "left", "right")
    prefix(again, "d")
    again.wait_exit()


# -- configuration ---------------------------------------------------------------------------------------------

def test_another_prefix_and_other_keys(handler):
    handler.write_config(prefix="C-a", keys={"g": "go-next", "n": None}, direct_keys={"M-n": "go-next"})
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    assert "C-a ?" in t.row(39)
    t.keys("C-a", "g")
    assert focused(t, left, right) == "right"
    t.keys("C-a", "n")
    say(t, "C-a n does nothing")
    t.keys("M-n")
    assert focused(t, left, right) == "left"
    t.keys("C-b")
    left.wait_given(b"\x02")
    t.keys("C-a", "C-a")
    left.wait_given(b"\x01")


def test_the_vi_preset(handler):
    handler.write_config(preset="vi")
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    prefix(t, "l")
    assert focused(t, left, right) == "right"
    prefix(t, "h")
    assert focused(t, left, right) == "left"


def test_a_faulty_configuration_is_said_and_keeps_nobody_from_working(handler):
    with open(handler.write_config(), "w") as f:
        f.write('{"prefix": "C-a", "mose": true, "sidebar": "wide"}\n')
    left, = puppets(handler, "left")
    t = open_with(handler, left)
    t.keys("C-a", "~")
    t.wait_for("mose")
    t.wait_for("sidebar")


def test_inside_a_multiplexer_with_the_same_prefix(handler):
    left, = puppets(handler, "left")
    t = open_with(handler, left, profile="tmux")
    t.wait_for("C-a ?")
    t.keys("C-a", "F7")
    say(t, "C-a F7 does nothing")


def test_the_prefix_is_recognized_in_every_form_of_keys(handler):
    left, right = puppets(handler, "left", "right")
    for profile in ("modern", "xterm", "plain", "linux"):
        t = open_with(handler, left, right, profile=profile)
        prefix(t, "1")
        prefix(t, "o")
        assert focused(t, left, right) == "right", profile
        prefix(t, "d")
        t.wait_exit()
        handler.ok("stop", "--all", "--yes")
        handler.ok("rm", *[s["id"] for s in handler.sessions("-a")])
