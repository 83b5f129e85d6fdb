"""History across programs and sizes: pages of the alternate screen, screens that are cleared, rows of another width."""
import os
import re
import signal

import pytest

from lib.wait import wait_until
from puppets import prefix, puppets


def numbers(text):
    return [int(n) for n in re.findall(r"entry (\d+) of", text)]


def page(newest, rows, footer):
    """A frame of a conversation whose newest entry is at the bottom, above an input line; redrawn as a whole."""
    body = rows - 5
    lines = ["agent, %d tokens" % (newest * 17)]
    lines += ["entry %d of the conversation, %s" % (n, "abcdefgh"[n % 8] * (n % 23)) for n in range(max(0, newest - body + 1), newest + 1)]
    lines += [""] * (rows - 4 - len(lines))
    lines += ["-" * 20, "> what is typed", "-" * 20, footer]
    return "\x1b[?2026h\x1b[H" + "\r\n".join(l + "\x1b[K" for l in lines) + "\x1b[?2026l"


def opened(handler, one, cols):
    t = handler.terminal("terminal", "one", rows=24, cols=cols)
    t.wait_for("work-one")
    wait_until(lambda: one.sizes(), "it has started")
    t.settle()
    return t


@pytest.fixture
def full(handler):
    one, = puppets(handler, "one", draws=False)
    t = opened(handler, one, 80)
    one.write("\x1b[?1049h\x1b[2J")
    return handler, t, one, one.sizes()[-1][0]


def talk(one, rows, first, end, step=1):
    for newest in range(first, end, step):
        one.write(page(newest, rows, "%d%% left" % (newest % 100)))


def test_entries_that_leave_an_alternate_screen_are_kept_once_and_in_order(full):
    handler, t, one, rows = full
    talk(one, rows, 0, 90)
    talk(one, rows, 90, 130, 3)
    t.wait_for("entry 129 of")
    text = handler.capture(one.ident(), "--history", "all")
    assert numbers(text) == list(range(130)), text
    assert text.count("what is typed") == 1, "the input line is no text"
    prefix(t, "[")
    t.wait_for("HISTORY 0/")
    t.keys("g")
    t.wait_for("entry 0 of")
    t.keys("/")
    t.type("entry 57 of")
    t.keys("Enter")
    t.wait_for("entry 57 of")
    t.keys("q")
    t.wait_for("entry 129 of")


def test_looking_back_in_the_program_adds_nothing(full):
    handler, t, one, rows = full
    talk(one, rows, 0, 80)
    for newest in list(range(77, 40, -3)) + list(range(43, 80, 3)) + [79]:
        one.write(page(newest, rows, "looking back"))
    talk(one, rows, 80, 100)
    t.wait_for("entry 99 of")
    assert numbers(handler.capture(one.ident(), "--history", "all")) == list(range(100))


def test_a_program_that_does_not_say_where_a_frame_ends(full):
    handler, t, one, rows = full
    for newest in range(60):
        one.write(page(newest, rows, "plain").replace("\x1b[?2026h", "").replace("\x1b[?2026l", ""))
        t.wait_for("entry %d of" % newest)
    assert numbers(handler.capture(one.ident(), "--history", "all")) == list(range(60))


def test_the_history_says_that_nothing_was_seen(full):
    handler, t, one, rows = full
    one.write(page(3, rows, "new"))
    t.wait_for("entry 3 of")
    prefix(t, "[")
    t.wait_for("nothing has left this screen yet")
    said = handler.run("capture", one.ident(), "--history", "all", check=0)
    assert "nothing has left this screen yet" in said.err and "nothing has left" not in said.out
    assert handler.run("capture", one.ident(), check=0).err == ""  # no history was asked for
    t.keys("q")


def test_the_history_outlives_the_worker(full):
    handler, t, one, rows = full
    talk(one, rows, 0, 60)
    t.wait_for("entry 59 of")
    pid = wait_until(lambda: handler.process_named("worker", one.ident()), "a worker", dump=handler.dump)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: handler.process_named("worker", one.ident()) not in (None, pid), "a new worker", dump=handler.dump)
    talk(one, rows, 60, 90)
    t.wait_for("entry 89 of")
    assert numbers(handler.capture(one.ident(), "--history", "all")) == list(range(90))


@pytest.mark.parametrize("setting, kept", [("keep", True), ("drop", False)])
def test_what_clearing_the_history_does(handler, setting, kept):
    handler.write_config(clear_history=setting)
    one, = puppets(handler, "one", draws=False)
    t = opened(handler, one, 80)
    one.write("".join("entry %d of before\r\n" % n for n in range(100)) + "\x1b[H\x1b[2J\x1b[3J")
    one.write("".join("entry %d of after\r\n" % n for n in range(200, 260)) + "that is all")
    t.wait_for("that is all")
    text = handler.capture(one.ident(), "--history", "all")
    assert numbers(text) == (list(range(100)) if kept else []) + list(range(200, 260))
    assert ("[cleared]" in text) == kept
    prefix(t, "[")
    t.wait_for("HISTORY 0/")
    t.keys("?")
    t.type("cleared")
    t.keys("Enter")
    if kept:
        t.wait_for(lambda s: s.find("[cleared]"), why="the mark is shown")
    else:
        t.wait_for("cleared")


def test_rows_of_a_wider_screen_are_captured_whole(handler):
    one, = puppets(handler, "one", draws=False)
    t = opened(handler, one, 160)
    one.write("".join("entry %d of %s|end\r\n" % (n, "wide " * 20) for n in range(100)) + "that is all")
    t.wait_for("that is all")
    t.resize(24, 60)
    wait_until(lambda: one.sizes()[-1][1] < 70, "it is narrow")
    text = "".join(handler.capture(one.ident(), "--history", "all").split())
    assert [int(n) for n in re.findall(r"entry(\d+)of(?:wide)*\|end", text)] == list(range(100))
