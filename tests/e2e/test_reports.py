"""What users of other multiplexers have reported, tried here: history, sizes and ends of sessions."""
import re

import pytest

from lib.wait import wait_until
from standins import opens, script

NUMBERED = r'''
def footer(): put("\r\x1b[J" + "-" * (os.get_terminal_size().columns - 1) + "\r\n> \r\n" + "-" * 20 + "\x1b[1A")
def changed(*_): put("\x1b[1A"); footer()
for i in range(80): put("unique line %03d\r\n" % i)
footer()
if "redraw" in sys.argv: signal.signal(signal.SIGWINCH, changed)
gate("leave")'''


def unique_lines(handler, ident):
    return [int(n) for n in re.findall(r"^unique line (\d+)$", handler.capture(ident, "--history", "all"), re.M)]


@pytest.mark.parametrize("sizes", [["134x40", "118x40", "108x40", "90x40", "128x40"], ["120x40", "120x30", "120x24", "120x50", "120x36"],
                                   ["120x40", "20x10", "200x60", "61x7", "120x40"]])
def test_resizing_neither_loses_nor_doubles_lines(handler, sizes):
    """80 unique lines through the sizes at which others had 74 to 90 of them."""
    ident = script(handler, "numbered", NUMBERED, "--size", sizes[0])
    handler.wait_capture(ident, "unique line 079")
    for size in sizes[1:]:
        handler.ok("resize", ident, size)
        assert unique_lines(handler, ident) == list(range(80)), size


def test_lines_scrolled_out_of_a_region_enter_history(handler):
    """A program that inserts history above its composer by a region and reverse index, at any width."""
    ident = script(handler, "region", r'''
rows = os.get_terminal_size().lines
put("\x1b[2J\x1b[%d;1H> composer" % rows)
for i in range(200):
    put("\x1b7\x1b[1;%dr\x1b[%d;1H\r\nunique line %03d\x1b[r\x1b8" % (rows - 2, rows - 2, i))
put("\x1b[%d;1HEND" % (rows - 1)); stay()''', "--size", "60x20")
    handler.wait_capture(ident, "END")
    assert unique_lines(handler, ident) == list(range(200))
    assert "> composer" in handler.capture(ident)


def test_a_first_paint_inside_of_one_update(handler):
    ident = script(handler, "paint", r'''
put("\x1b[?2026h\x1b[H\x1b[2J" + "".join("%d\r\n" % i for i in range(1, 31)) + "frame 0\r\n\x1b[?2026l"); stay()''')
    text = handler.wait_capture(ident, "frame 0")
    assert [line for line in text.split("\n") if line] == [str(i) for i in range(1, 31)] + ["frame 0"]


def test_an_ended_session_keeps_its_screen_and_history_and_says_how(handler):
    ident = script(handler, "ender", r'''
for i in range(2000): put("unique line %03d\r\n" % i)
put("\x1b[?1049h\x1b[2J\x1b[Hsplash\x1b[?1000h\x1b[>5u"); gate("leave"); sys.exit(3)''')
    handler.wait_capture(ident, "splash")
    opens(handler, "leave")
    session = handler.wait_state(ident, "failed")
    assert session["reason"] == "exit code 3"
    wait_until(lambda: not handler.session(ident)["live"], "the session is over")
    assert unique_lines(handler, ident) == list(range(2000))
    text = handler.capture(ident)
    assert "unique line 1999" in text and "status 3" in text
    data = handler.json("capture", ident)
    assert not data["alternate"] and not data["mouse"] and not data["bracketed_paste"]


def test_modes_that_a_program_left_on_do_not_outlive_it(handler):
    """In a shell: the program dies in the alternate screen with the mouse and a keyboard mode on; the next keys are plain."""
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    handler.ok("send", ident, "printf '\\e[?1049h\\e[?1003h\\e[>1u'; kill -9 $BASHPID", "--timeout", "20")
    handler.wait_state(ident, "crashed", "exited", "failed")
    wait_until(lambda: not handler.session(ident)["live"], "the session is over")
    assert not handler.json("capture", ident)["alternate"]
