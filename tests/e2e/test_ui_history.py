"""The history of a pane: scrolling, searching, copying, by keys and by mouse; and what leaves a pane for the outer terminal."""
import os
import re

import pytest

from lib.screen import PLAIN
from lib.wait import wait_until
from puppets import focused, open_with, prefix, puppets, wait_place, wait_shown


def fill(puppet, t, count=300):
    puppet.write("\r\n".join("line %d of text" % i for i in range(count)) + "\r\nlast")
    t.wait_for("last")


@pytest.fixture
def one(handler):
    puppet, = puppets(handler, "one", draws=False)
    t = handler.terminal("terminal", "one", rows=24, cols=100)
    t.wait_for("work-one")
    wait_until(lambda: puppet.sizes(), "it runs")
    fill(puppet, t)
    return handler, t, puppet


def shown_lines(t):
    return [int(n) for n in re.findall(r"^line (\d+) of text", t.text(), re.M)]


def copied(t, text, count=1):
    wait_until(lambda: len(t.screen.clipboard) >= count and t.screen.clipboard[-1] == text, "copied %r" % text,
               dump=lambda: "%r\n%s" % (t.screen.clipboard, t.dump()))


def test_keys_scroll_and_the_program_goes_on(one):
    _, t, puppet = one
    top = shown_lines(t)[0]
    prefix(t, "[")
    t.wait_for("HISTORY 0/")
    t.keys("PageUp")
    t.wait_for("line %d of text" % (top - 21))
    frozen = t.text()
    puppet.write("\r\nmore\r\nand more")
    t.settle()
    assert t.text() == frozen, "what is looked at stands still"
    t.keys("g")
    t.wait_for("line 0 of text")
    t.keys("g")
    t.wait_for("already there")
    t.keys("C-d")
    t.wait_for("line 11 of text")
    t.keys("G")
    t.wait_for("HISTORY 0/")
    t.keys("q")
    t.wait_for("and more")
    assert puppet.given() == b"", "nothing of it reached the program"


def test_prefix_page_up(one):
    _, t, puppet = one
    top = shown_lines(t)[0]
    prefix(t, "PageUp")
    t.wait_for("line %d of text" % (top - 21))
    t.keys("Escape")
    t.wait_for("last")


def test_search_forward_backward_and_around(one):
    _, t, puppet = one
    prefix(t, "[")
    t.keys("?")
    t.wait_for("search backward")
    t.type("line 42 of\n")
    t.wait_for("line 42 of text")
    t.wait_for(lambda s: s.cell(s.row, 0).text == "l" and "line 42 of" in s.line(s.row), why="the cursor is there")
    t.keys("/")
    t.type("line 7\n")
    t.wait_for(lambda s: "line 70 of" in s.line(s.row), why="the next one")
    t.keys("n")
    t.wait_for(lambda s: "line 71 of" in s.line(s.row))
    t.keys("n", "n", "N", "N", "N")
    t.wait_for(lambda s: "line 70 of" in s.line(s.row), why="keys typed ahead keep their order")
    t.keys("N")
    t.wait_for(lambda s: "line 7 of" in s.line(s.row))
    t.keys("N")
    t.wait_for("search went on from the other end")
    t.wait_for(lambda s: "line 79 of" in s.line(s.row))
    t.keys("/")
    t.type("no such text\n")
    t.wait_for("not found: no such text")


def test_every_match_in_view_is_marked(one):
    _, t, puppet = one
    prefix(t, "[")
    t.keys("?")
    t.type("of text\n")
    t.wait_for(lambda s: all(s.cell(r, 9).style != PLAIN and s.cell(r, 5).style == PLAIN for r in range(1, 20)),
               why="marks are drawn")


def test_selecting_and_copying_with_vi_keys(handler):
    handler.env["EDITOR"] = "/usr/bin/vim"
    puppet, = puppets(handler, "one", draws=False)
    t = handler.terminal("terminal", "one", rows=24, cols=100)
    t.wait_for("work-one")
    fill(puppet, t)
    prefix(t, "[")
    t.keys("k", "0", "v", "e", "e", "y")
    copied(t, "line 299")
    t.wait_for("OSC 52")
    t.wait_gone("HISTORY")
    prefix(t, "[")
    t.keys("k", "V", "k", "y")
    copied(t, "line 298 of text\nline 299 of text", 2)
    prefix(t, "[")
    t.keys("k", "0", "w", "C-v", "k", "e", "y")
    copied(t, "298\n299", 3)
    prefix(t, "]")
    puppet.wait_given(b"298\r299")


def test_emacs_keys_where_the_editor_is_none_of_vi(handler):
    handler.env["EDITOR"] = "nano"
    puppet, = puppets(handler, "one", draws=False)
    t = handler.terminal("terminal", "one", rows=24, cols=100)
    t.wait_for("work-one")
    fill(puppet, t)
    prefix(t, "[")
    t.keys("C-p", "C-a", "C-Space", "M-f", "C-f", "C-f", "M-w")
    copied(t, "line 299")
    prefix(t, "[")
    t.keys("j")
    t.wait_for("j does nothing in the history")
    t.keys("C-g")
    t.wait_gone("HISTORY")


def test_copying_without_a_selection_says_so(one):
    _, t, _ = one
    prefix(t, "]")
    t.wait_for("nothing was copied here yet")
    prefix(t, "[")
    t.keys("y")
    t.wait_for("nothing is selected")


def test_a_selection_longer_than_what_is_here(one):
    handler, t, puppet = one
    fill(puppet, t, 6000)
    t.wait_for("line 5999 of text")
    prefix(t, "[")
    t.keys("g")
    t.wait_for("line 0 of text")
    t.keys("V", "G", "Up", "y")
    text = wait_until(lambda: t.screen.clipboard and t.screen.clipboard[-1], "copied", dump=t.dump)
    assert text.startswith("line 0 of text\nline 1 of text\n")
    assert text.endswith("line 5999 of text")
    assert text.count("\n") > 6200


def test_a_configured_command_takes_the_copied_text(handler):
    out = os.path.join(handler.base, "taken")
    handler.write_config(terminal={"copy_command": ["tee", out]})
    puppet, = puppets(handler, "one", draws=False)
    t = handler.terminal("terminal", "one", rows=24, cols=100)
    t.wait_for("work-one")
    fill(puppet, t)
    prefix(t, "[")
    t.keys("Up", "V", "y")
    t.wait_for("taken by `tee`")
    assert open(out).read() == "line 299 of text"
    assert t.screen.clipboard == []


def test_a_command_that_fails_is_said(handler):
    handler.write_config(terminal={"copy_command": ["false"]})
    puppet, = puppets(handler, "one", draws=False)
    t = handler.terminal("terminal", "one", rows=24, cols=100)
    t.wait_for("work-one")
    fill(puppet, t)
    prefix(t, "[")
    t.keys("Up", "V", "y")
    t.wait_for("`false` did not take the copied text")


# -- the mouse -------------------------------------------------------------------------------------------------

def test_the_wheel_scrolls_and_leaves_at_the_end(one):
    _, t, puppet = one
    top = shown_lines(t)[0]
    t.mouse("wheel-up", 5, 10)
    t.wait_for("line %d of text" % (top - 3))
    t.wait_for("HISTORY 3/")
    t.mouse("wheel-down", 5, 10)
    t.wait_gone("HISTORY")
    assert puppet.given() == b""


def test_the_wheel_goes_to_a_program_that_asked_for_it(one):
    _, t, puppet = one
    puppet.write("\x1b[?1000h\x1b[?1006h")
    t.settle()
    t.mouse("wheel-up", 5, 10)
    puppet.wait_given(b"\x1b[<64;11;5M")
    t.mouse("click", 7, 20)
    puppet.wait_given(b"\x1b[<0;21;7M\x1b[<0;21;7m")
    puppet.write("\x1b[?1000l\x1b[?1049h\x1b[?1007h")
    t.settle()
    puppet.forget()
    t.mouse("wheel-up", 5, 10)
    puppet.wait_given(re.compile(rb"\x1b(\[|O)A"))
    assert "HISTORY" not in t.text()


def test_dragging_copies(one):
    _, t, puppet = one
    row, col = t.find("line 290 of text")
    t.mouse("press", row, col)
    t.mouse("drag", row + 1, col + 4)
    t.mouse("drag", row + 1, col + 7)
    t.mouse("release", row + 1, col + 7)
    copied(t, "line 290 of text\nline 291")
    t.wait_gone("HISTORY")


def test_double_and_triple_clicks(one):
    _, t, puppet = one
    row, col = t.find("line 290 of text")
    t.mouse("click", row, col + 6)
    t.mouse("click", row, col + 6)
    copied(t, "290")
    t.mouse("click", row, col + 6)
    copied(t, "line 290 of text", 2)


def test_dragging_beyond_the_edge_scrolls(one):
    _, t, puppet = one
    row, col = t.find("last")
    t.mouse("press", row, col)
    for _ in range(10):
        t.mouse("drag", 0, 0)
    t.mouse("release", 0, 0)
    wait_until(lambda: t.screen.clipboard, "copied")
    assert t.screen.clipboard[-1].count("\n") > 28


def test_clicks_and_dividers(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    # their final sizes: 150 columns without the sidebar and the line between them
    a, b = wait_place(t, "left", lambda p: p.cols == 61), wait_place(t, "right", lambda p: p.cols == 60)
    t.mouse("click", 10, b.col + 5)
    assert focused(t, left, right) == "right"
    t.mouse("click", 0, a.col + 5)  # a title
    assert focused(t, left, right) == "left"
    t.mouse("click", 3, 5)  # the sidebar
    assert focused(t, left, right) == "right"
    divider = b.col - 1
    t.mouse("press", 10, divider)
    t.mouse("drag", 10, divider - 3)
    t.mouse("drag", 10, divider - 9)
    t.mouse("release", 10, divider - 9)
    wait_place(t, "left", lambda p: p.cols == a.cols - 9)
    wait_place(t, "right", lambda p: p.cols == b.cols + 9)
    right.wait_size(38, b.cols + 9)
    assert len(right.sizes()) <= 4, "a gesture is one change of size: %r" % right.sizes()


# -- what leaves a pane ----------------------------------------------------------------------------------------

@pytest.fixture
def two(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    assert focused(t, left, right) == "left"
    return handler, t, left, right


@pytest.mark.parametrize("sequence", ["\x1b]9;hi there\a", "\x1b]777;notify;Build;hi there\a", "\x1b]99;;hi there\x1b\\",
                                      "\x1bPtmux;\x1b\x1b]9;hi there\a\x1b\\"])
def test_notifications_mark_the_session_and_go_on(two, sequence):
    _, t, left, right = two
    right.write(sequence)
    wait_until(lambda: t.screen.notifications, "a notification", dump=t.dump)
    assert re.fullmatch("work-right: (Build: )?hi there", t.screen.notifications[-1])
    t.wait_for("♪")
    prefix(t, "n")
    t.wait_gone("♪")


def test_a_bell_marks_the_session_and_rings(two):
    _, t, left, right = two
    right.write("\a")
    wait_until(lambda: t.screen.bells == 1, "it rang")
    t.wait_for("♪")


def test_a_title_with_controls_reaches_nobody(two):
    _, t, left, right = two
    left.write("\x1b]2;evil\x1b[31m\u202etitle\x07")
    left.write("\x1b]2;good title\x07")
    wait_until(lambda: "good title" in t.screen.title, "the window has the title", dump=lambda: t.screen.title)
    t.wait_for("good title")
    assert t.screen.unknown == []


def test_a_session_that_begins_to_wait_rings_once(two):
    _, t, left, right = two
    right.state("blocked", "permission", "approve it")
    wait_until(lambda: t.screen.bells == 1, "it rang")
    left.state("blocked", "permission", "approve this")
    t.wait_for("approve this")
    t.settle()
    assert t.screen.bells == 1, "what has the focus does not ring"


def test_only_the_pane_with_the_focus_sets_the_clipboard(two):
    _, t, left, right = two
    right.write("\x1b]52;c;aGlkZGVu\x07")
    t.wait_for("wanted to set the clipboard: not done")
    left.write("\x1b]52;c;c2hvd24=\x07")
    copied(t, "shown")
    assert t.screen.clipboard == ["shown"]


def test_the_clipboard_of_all_panes_or_of_none(handler):
    for setting, expected in (("all", ["hidden"]), ("off", [])):
        handler.write_config(terminal={"clipboard": setting})
        name = "p" + setting
        left, right = puppets(handler, name + "l", name + "r")
        t = open_with(handler, left, right)
        right.write("\x1b]52;c;aGlkZGVu\x07")
        t.wait_for("clipboard")
        t.settle()
        assert t.screen.clipboard == expected


def test_nothing_ticks_when_nothing_happens(two):
    handler, t, left, right = two
    for session in handler.sessions():
        handler.wait_state(session["id"], "unknown")  # the last thing that time alone does to it
    t.settle(1)
    with open("/proc/%d/status" % t.pid) as f:
        before = [line for line in f if "ctxt" in line]
    mark = t.mark()
    t.settle(3)
    with open("/proc/%d/status" % t.pid) as f:
        after = [line for line in f if "ctxt" in line]
    assert t.since(mark) == b""
    assert before == after, "the terminal does not wake up"


def test_a_slow_terminal_sees_the_newest_state(two):
    handler, t, left, right = two
    t.pause()
    for i in range(2000):
        left.write("\x1b[Hnumber %d \x1b[K\r\n%s" % (i, "x" * 50))
    wait_until(lambda: "number 1999" in handler.capture("work-left"), "the session is far ahead", 60)
    mark = t.mark()
    t.resume()
    t.wait_for("number 1999")
    assert t.mark() - mark < 200000, "a backlog was sent"
    wait_shown(t, "right")
