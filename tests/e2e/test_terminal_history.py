"""The history of a pane: scrolling, searching, selecting, copying to the outer terminal, pasting; and the same with the mouse."""
import base64
import os
import re

import pytest

from lib.wait import wait_until
from puppets import Puppet, focused, open_with, place, prefix, puppets, wait_place, wait_shown


def say(terminal, text):
    terminal.wait_for(lambda s: text in s.line(s.rows - 1), why="the bottom line says %r" % text)


def lines_of(n, first=1):
    return "".join("line %03d of the history\r\n" % i for i in range(first, first + n))


@pytest.fixture
def filled(handler):
    """A puppet whose history has 200 lines, alone on a screen of 24 rows: its pane has 22."""
    one, = puppets(handler, "one")
    t = open_with(handler, one, rows=24, cols=80)
    one.write(lines_of(200) + "the end")
    t.wait_for("the end")
    return handler, t, one


def wait_top(terminal, text):
    terminal.wait_for(lambda s: s.line(1).startswith(text), why="the first line of the pane is %r" % text)


def wait_clipboard(terminal, text):
    terminal.wait_for(lambda s: text in s.clipboard, why="the clipboard is %r" % text)


# -- scrolling -------------------------------------------------------------------------------------------------

def test_scrolling(filled):
    _, t, one = filled
    wait_top(t, "line 180")
    prefix(t, "[")
    t.wait_for("HISTORY")
    t.keys("PageUp")
    wait_top(t, "line 159")  # a page, less a line to go on reading from
    t.keys("PageDown")
    wait_top(t, "line 180")
    t.keys("C-u")
    top = t.wait_for(lambda s: re.match(r"line 1(6[89]|7\d)", s.line(1)), why="half a page up").group()
    t.keys("C-d")
    wait_top(t, "line 180")
    assert top != "line 180"
    t.keys("g")
    wait_top(t, "one 80x22")
    t.keys("Down", "Down")
    t.keys("G")
    wait_top(t, "line 180")
    t.keys("q")
    t.wait_gone("HISTORY")
    t.type("x")
    assert one.wait_given(b"x") == b"x", "no key of the history reached the program"


def test_page_up_goes_to_the_history_at_once(filled):
    _, t, _ = filled
    prefix(t, "PageUp")
    wait_top(t, "line 159")
    t.wait_for("HISTORY")
    t.keys("Escape")
    wait_top(t, "line 180")


def test_the_history_stands_still_while_the_program_goes_on(filled):
    _, t, one = filled
    prefix(t, "PageUp")
    wait_top(t, "line 159")
    before = t.text().split("\n")[1:23]
    one.write("\r\n" + lines_of(100, 201) + "new end")
    wait_until(lambda: "new end" in one.handler.capture(one.ident()), "the program has gone on")
    t.settle()
    assert t.text().split("\n")[1:23] == before
    t.keys("q")
    t.wait_for("new end")


def test_a_key_that_does_nothing_there_says_so(filled):
    _, t, one = filled
    prefix(t, "[")
    t.wait_for("HISTORY")
    t.keys("z")
    say(t, "z does nothing in the history")
    t.keys("G", "G")
    say(t, "already there")
    t.keys("y")
    say(t, "nothing is selected")
    t.keys("Escape")
    t.wait_gone("HISTORY")
    assert one.given() == b""


def test_the_history_of_a_program_on_the_alternate_screen(filled):
    """The alternate screen has no history: the one before it is shown."""
    _, t, one = filled
    one.write("\x1b[?1049h\x1b[2J\x1b[Hfull screen")
    t.wait_for("full screen")
    prefix(t, "[")
    t.wait_for("HISTORY")
    t.keys("PageUp")
    t.settle()
    t.keys("q")
    t.wait_for("full screen")


# -- searching -------------------------------------------------------------------------------------------------

def test_searching(filled):
    _, t, _ = filled
    prefix(t, "[")
    t.wait_for("HISTORY")
    t.keys("?")
    t.wait_for("search backward")
    t.type("line 07\n")

    def on(text):
        t.wait_for(lambda s: s.line(s.row).startswith(text), why="the cursor is on %r" % text)
    on("line 079")
    t.keys("n")
    on("line 078")
    t.keys("n", "n")
    on("line 076")
    t.keys("N")
    on("line 077")
    t.keys("/")
    t.wait_for("search forward")
    t.keys("C-u")
    t.type("line 150\n")
    on("line 150")
    t.keys("/")
    t.wait_for("search forward")
    t.keys("C-u")
    t.type("no such text\n")
    say(t, "not found: no such text")
    on("line 150")


def test_a_search_without_capitals_does_not_mind_them(filled):
    _, t, one = filled
    one.write("\r\nAn Error Happened\r\n" + lines_of(60, 300) + "later end")
    t.wait_for("later end")
    prefix(t, "[")
    t.keys("?")
    t.wait_for("search backward")
    t.type("error hap\n")
    t.wait_for("An Error Happened")


# -- copying ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("editor", ["vi", "nano"])
def test_a_copy_reaches_the_outer_terminal_with_its_text(handler, editor):
    """Through OSC 52, and the message says what is known."""
    one, = puppets(handler, "one")
    t = open_with(handler, one, rows=24, cols=80, env={"VISUAL": "", "EDITOR": "/usr/bin/" + editor})
    one.write("first \u4e16\u754c line  \r\nsecond line\r\nthird")
    t.wait_for("third")
    prefix(t, "[")
    t.wait_for("HISTORY")
    if editor == "vi":
        t.keys("k", "k", "0", "v", "j", "$", "y")
    else:
        t.keys("C-p", "C-p", "C-a", "C-Space", "C-n", "C-e", "M-w")
    wait_clipboard(t, "first \u4e16\u754c line\nsecond line")
    say(t, "2 lines sent to the terminal (OSC 52)")
    t.wait_gone("HISTORY")
    assert "copied" not in t.row(23)
    prefix(t, "]")
    one.wait_given("first \u4e16\u754c line\rsecond line".encode())


def test_keys_of_emacs(handler):
    one, = puppets(handler, "one")
    t = open_with(handler, one, rows=24, cols=80, env={"VISUAL": "emacs"})
    one.write(lines_of(100))
    t.wait_for("line 100")
    prefix(t, "[")
    t.wait_for("HISTORY")
    t.keys("M-v")
    t.wait_for("line 065")
    t.keys("C-v")
    t.wait_for("line 100")
    t.keys("M-<")
    wait_top(t, "one 80x22")
    t.keys("M->")
    t.wait_for("line 100")
    t.keys("C-r")
    t.wait_for("search backward")
    t.type("line 010\n")
    t.wait_for("line 010")
    t.keys("C-g")
    t.wait_gone("HISTORY")


def test_whole_lines_and_wrapped_ones(filled):
    _, t, one = filled
    long = "".join("%02d-" % i for i in range(40))  # 120 columns: wrapped once
    one.write("\r\n" + long + "\r\nlast")
    t.wait_for("last")
    prefix(t, "[")
    t.wait_for("HISTORY")
    t.keys("Up", "Up", "V", "Down", "Enter")
    t.wait_for(lambda s: s.clipboard, why="something was copied")
    assert t.screen.clipboard[-1].rstrip("\n") == long, "a wrapped line is one line"


def test_a_rectangle(handler):
    one, = puppets(handler, "one")
    t = open_with(handler, one, rows=24, cols=80, env={"VISUAL": "vim"})
    one.write("abcdef\r\nghijkl\r\nmnopqr")
    t.wait_for("mnopqr")
    prefix(t, "[")
    t.wait_for("HISTORY")
    t.keys("0", "k", "k", "l", "C-v", "j", "j", "l", "l", "y")
    wait_clipboard(t, "bcd\nhij\nnop")


def test_a_large_copy_out_of_the_history(filled):
    _, t, one = filled
    one.write("\r\n" + lines_of(3000, 1) + "big end")
    t.wait_for("big end")
    prefix(t, "[")
    t.wait_for("HISTORY")
    t.keys("V", "g", "y")
    t.wait_for(lambda s: s.clipboard, timeout=40, why="it was copied")
    got = t.screen.clipboard[-1].rstrip("\n").split("\n")
    assert got[0] == "one 80x22" and got[-1] == "big end"
    assert got[1:201] == lines_of(200).split("\r\n")[:200]
    assert got[202:-1] == lines_of(3000).split("\r\n")[:3000]


def test_a_copy_command(handler):
    out = os.path.join(handler.base, "copied")
    handler.write_config(terminal={"copy_command": ["/bin/sh", "-c", "cat > %s" % out]})
    one, = puppets(handler, "one")
    t = open_with(handler, one, rows=24, cols=80)
    one.write("some text")
    t.wait_for("some text")
    prefix(t, "[")
    t.wait_for("HISTORY")
    t.keys("V", "y")
    say(t, "taken by `/bin/sh`")
    with open(out) as f:
        assert f.read().rstrip("\n") == "some text"
    assert not t.screen.clipboard


def test_a_copy_command_that_fails_says_so(handler):
    handler.write_config(terminal={"copy_command": ["/bin/sh", "-c", "echo no display >&2; exit 1"]})
    one, = puppets(handler, "one")
    t = open_with(handler, one, rows=24, cols=80)
    prefix(t, "[")
    t.wait_for("HISTORY")
    t.keys("g", "V", "y")
    say(t, "did not take the copied text")


def test_inside_tmux_its_buffer_is_used(handler):
    out = os.path.join(handler.base, "tmux-got")
    handler.write_program("tmux", "#!/bin/sh\ncase $1 in\nload-buffer) cat > %s ;;\nshow) echo C-b ;;\nesac\n" % out)
    one, = puppets(handler, "one")
    t = open_with(handler, one, rows=24, cols=80, profile="tmux", env={"TMUX": "/tmp/tmux-0/default,1,0"})
    t.wait_for("C-a ?")
    t.keys("C-a", "[")
    t.wait_for("HISTORY")
    t.keys("g", "V", "y")
    say(t, "tmux's buffer")
    with open(out) as f:
        assert f.read().rstrip("\n") == "one 80x22"


def test_nothing_to_paste(filled):
    _, t, _ = filled
    prefix(t, "]")
    say(t, "nothing was copied here yet")
    prefix(t, "Insert")
    say(t, "nothing was copied here yet")


def test_paste_frames_what_was_copied(filled):
    _, t, one = filled
    one.write("\x1b[?2004h\r\nto paste")
    t.wait_for("to paste")
    prefix(t, "[")
    t.wait_for("HISTORY")
    t.keys("V", "Up", "y")
    t.wait_for(lambda s: s.clipboard, why="it was copied")
    prefix(t, "Insert")
    given = one.wait_given(b"\x1b[201~")
    assert re.fullmatch(rb"\x1b\[200~the end\rto paste\r?\x1b\[201~", given), given


# -- a program's own clipboard ---------------------------------------------------------------------------------

def osc52(text):
    return "\x1b]52;c;%s\x07" % base64.b64encode(text.encode()).decode()


def test_osc_52_of_a_program(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    left.write(osc52("from the left"))
    wait_clipboard(t, "from the left")
    left.write("\x1bPtmux;\x1b" + osc52("wrapped for tmux") + "\x1b\\")
    wait_clipboard(t, "wrapped for tmux")
    large = "0123456789" * 10000
    left.write(osc52(large))
    wait_clipboard(t, large)
    right.write(osc52("not in focus"))
    say(t, "wanted to set the clipboard")
    assert "not in focus" not in t.screen.clipboard
    left.write("\x1b]52;c;?\x07still there")
    t.wait_for("still there")
    assert left.given() == b"", "the clipboard is never read"
    assert t.screen.bells == 0, "the end of a string is no bell"


# -- the mouse -------------------------------------------------------------------------------------------------

def test_the_wheel_scrolls_the_history(filled):
    _, t, one = filled
    t.mouse("wheel-up", 10, 10)
    wait_top(t, "line 177")
    t.wait_for("HISTORY")
    t.mouse("wheel-up", 10, 10)
    wait_top(t, "line 174")
    t.mouse("wheel-down", 10, 10)
    t.mouse("wheel-down", 10, 10)
    wait_top(t, "line 180")
    t.wait_gone("HISTORY")
    assert one.given() == b""


def test_the_wheel_belongs_to_the_pane_below_it(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    for p in (left, right):
        p.write(lines_of(100) + p.name + " end")
        t.wait_for(p.name + " end")
    at = t.wait_for("right end")
    t.mouse("wheel-up", at[0] - 3, at[1] + 2)
    t.wait_for(lambda s: s.line(0).count("HISTORY") == 1 and s.line(0).index("HISTORY") > 90, why="the right one scrolls")
    assert focused(t, left, right) == "left", "the focus stays"


@pytest.mark.parametrize("start, wanted", [
    ("\x1b[?1000h\x1b[?1006h", b"\x1b[<64;11;10M"),
    ("\x1b[?1000h", b"\x1b[M\x60\x2b\x2a"),
    ("\x1b[?1002h\x1b[?1006h", b"\x1b[<64;11;10M"),
    ("\x1b[?1049h\x1b[?1007h", b"\x1b[A\x1b[A\x1b[A"),
    ("\x1b[?1049h\x1b[?1007h\x1b[?1h", b"\x1bOA\x1bOA\x1bOA"),
])
def test_the_wheel_of_a_program_that_asked_for_it(filled, start, wanted):
    _, t, one = filled
    one.write(start + "\x1b[Hasked")
    t.wait_for("asked")
    t.settle()
    t.mouse("wheel-up", 10, 10)  # row 9 of the pane, counted from 0
    assert one.wait_given(re.compile(b".+", re.S)) == wanted
    one.forget()
    t.mouse("wheel-down", 10, 10)
    one.wait_given(re.compile(b".+", re.S))
    assert "HISTORY" not in t.text()


def test_the_wheel_on_the_alternate_screen_without_1007_scrolls_nothing_of_it(filled):
    _, t, one = filled
    one.write("\x1b[?1049h\x1b[?1007l\x1b[2J\x1b[Hasked")
    t.wait_for("asked")
    t.mouse("wheel-up", 10, 10)
    t.settle()
    assert one.given() == b""


def test_presses_drags_and_motion_of_a_program_that_asked(filled):
    _, t, one = filled
    one.write("\x1b[?1002h\x1b[?1006h\x1b[Hasked")
    t.wait_for("asked")
    t.settle()
    t.mouse("press", 5, 3)
    t.mouse("drag", 6, 4)
    t.mouse("drag", 30, 200)  # beyond the pane: its last cell
    t.mouse("release", 6, 4)
    t.mouse("move", 8, 8)
    t.type("z")
    assert one.wait_given(b"z") == b"\x1b[<0;4;5M\x1b[<32;5;6M\x1b[<32;80;22M\x1b[<0;5;6mz"
    one.forget()
    t.mouse("click", 5, 3, "C")
    t.type("z")
    assert one.wait_given(b"z") == b"\x1b[<16;4;5M\x1b[<16;4;5mz"
    one.forget()
    one.write("\x1b[?1003hmore")
    t.wait_for(lambda s: s.modes[1003], why="motion is asked for")
    t.mouse("move", 8, 8)
    t.type("z")
    assert one.wait_given(b"z") == b"\x1b[<35;9;8Mz"
    one.write("\x1b[?1003l\x1b[?1002lless")
    t.wait_for(lambda s: not s.modes[1003], why="motion is not asked for any more")


def test_a_click_moves_the_focus_and_goes_to_the_program(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    right.write("\x1b[?1000h\x1b[?1006hasked")
    t.wait_for("asked")
    at = wait_place(t, "right")
    t.mouse("click", at.row + 4, at.col + 6)
    right.wait_given(b"\x1b[<0;7;5M\x1b[<0;7;5m")
    assert focused(t, left, right) == "right"
    t.mouse("click", 0, place(t, "left").col + 3)  # a title
    assert focused(t, left, right) == "left"


def test_a_click_in_the_sidebar_goes_there(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    third = Puppet(handler, "third")
    handler.new("third")
    t.mouse("click", t.wait_for("work-third")[0], 8)
    wait_shown(t, "third", "right", without=["left"])
    assert focused(t, left, right, third) == "third"


def test_dragging_a_divider(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    t.settle(0.3)  # the sizes are the final ones
    a, b = wait_place(t, "left"), wait_place(t, "right")
    col = a.col + a.cols
    assert t.screen.cell(5, col).text == "\u2502"
    t.mouse("press", 5, col)
    for step in range(1, 11):
        t.mouse("drag", 5, col - step)
    t.mouse("release", 5, col - 10)
    wait_place(t, "left", lambda p: p.cols == a.cols - 10)
    wait_place(t, "right", lambda p: p.cols == b.cols + 10 and p.col == b.col - 10)
    assert left.given() == right.given() == b""
    t.mouse("press", 5, col - 10)
    t.mouse("drag", 5, 0)
    t.mouse("release", 5, 0)
    wait_place(t, "left", lambda p: p.cols == 20, "at least 20 columns wide")


def test_dragging_selects_and_copies(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    left.write("the quick brown fox\r\njumps over")
    right.write("another pane")
    t.wait_for("another pane")
    row, col = t.wait_for("quick brown")
    t.mouse("press", row, col)
    t.mouse("drag", row, col + 6)
    t.wait_for(lambda s: s.cell(row, col).style != s.cell(row, col + 12).style, why="the selection is seen")
    t.mouse("drag", row + 1, col + 5)
    t.mouse("release", row + 1, col + 5)
    t.wait_for(lambda s: s.clipboard, why="something was copied")
    assert t.screen.clipboard == ["quick brown fox\njumps over"]
    say(t, "OSC 52")
    assert left.given() == b""


def test_two_clicks_select_a_word_and_three_a_line(filled):
    _, t, one = filled
    one.write("\r\nsome words/of.text here\r\n")
    row, col = t.wait_for("words")
    t.mouse("click", row, col + 1)
    t.mouse("click", row, col + 1)
    t.wait_for(lambda s: s.clipboard, why="a word was copied")
    assert t.screen.clipboard[-1].startswith("words")
    t.keys("q")
    t.mouse("click", row, col + 1)
    t.mouse("click", row, col + 1)
    t.mouse("click", row, col + 1)
    t.wait_for(lambda s: any(c.rstrip("\n") == "some words/of.text here" for c in s.clipboard), why="a line was copied")


def test_with_the_mouse_off_the_outer_terminal_has_it(handler):
    handler.write_config(mouse=False)
    one, = puppets(handler, "one")
    t = open_with(handler, one, rows=24, cols=80)
    one.write("\x1b[?1000h\x1b[?1006hasked")
    t.wait_for("asked")
    t.settle()
    assert not any(t.screen.modes[m] for m in (1000, 1002, 1003, 1006))
