"""The terminal that the other tests trust: its screen against pyte, its keys against the protocols' own examples."""
import os
import random
import re

import pytest

from lib import keys, processes
from lib.screen import PROFILES, Screen
from lib.wait import TimedOut, wait_until

pyte = pytest.importorskip("pyte")


def screen(rows=6, cols=20, profile="modern"):
    return Screen(rows, cols, PROFILES[profile])


def feed(data, **options):
    s = screen(**options)
    s.feed(data.encode() if isinstance(data, str) else data)
    return s


def random_output(rng, rows, cols):
    """Output out of what pyte does as the standard says."""
    pieces = []
    for _ in range(rng.randint(20, 80)):
        n = rng.randint(1, max(rows, cols) + 2)
        pieces.append(rng.choice([
            lambda: "".join(rng.choice("abc XYZ.") for _ in range(rng.randint(1, cols + 4))),
            lambda: "\r\n", lambda: "\b", lambda: "\t", lambda: "\x1b[%dA" % n, lambda: "\x1b[%dB" % n,
            lambda: "\x1b[%dC" % n, lambda: "\x1b[%dD" % n, lambda: "\x1b[%dG" % n, lambda: "\x1b[%dd" % n,
            lambda: "\x1b[%d;%dH" % (rng.randint(1, rows), rng.randint(1, cols)), lambda: "\x1b[%dK" % rng.randint(0, 2),
            lambda: "\x1b[%dJ" % rng.randint(0, 2), lambda: "\x1b[%dX" % n, lambda: "\x1b[%dP" % n, lambda: "\x1b[%d@" % n,
            lambda: "\x1b[%dL" % n, lambda: "\x1b[%dM" % n, lambda: "\x1bM", lambda: "\x1bD",
            lambda: "\x1b[%dm" % rng.choice((0, 1, 3, 4, 7, 31, 42, 39, 49)),
        ])())
    return "".join(pieces)


@pytest.mark.parametrize("seed", range(60))
def test_text_and_cursor_agree_with_pyte(seed):
    rng = random.Random(seed)
    rows, cols = rng.randint(3, 12), rng.randint(10, 40)
    data = random_output(rng, rows, cols)
    ours, theirs = screen(rows, cols), pyte.Screen(cols, rows)
    stream = pyte.Stream(theirs)
    for i in range(0, len(data), 7):
        ours.feed(data[i:i + 7].encode())
    stream.feed(data)
    assert ours.lines() == [line.rstrip() for line in theirs.display], repr(data)
    assert (ours.row, ours.col) == (theirs.cursor.y, min(theirs.cursor.x, cols - 1)), repr(data)
    assert ours.unknown == []


def test_every_split_gives_the_same_screen():
    data = "a\x1b[1;38;2;1;2;3;4:3;58:2::255:0:0mbé\u0301👩‍💻\x1b]8;;http://x/\x1b\\l\x1b]8;;\x1b\\\x1b[0m\x1b]0;t\x07z".encode()
    whole = feed(data)
    for cut in range(len(data)):
        s = screen()
        s.feed(data[:cut])
        s.feed(data[cut:])
        assert (s.grid, s.title, s.col) == (whole.grid, whole.title, whole.col), cut
    assert whole.line(0) == "abé\u0301👩‍💻lz"
    assert whole.cell(0, 1).style.underline == 3 and whole.cell(0, 1).style.underline_color == (255, 0, 0)
    assert whole.cell(0, 5).style.link == "http://x/" and whole.cell(0, 6).style.link is None


def test_wide_characters_and_clusters():
    assert feed("漢字x").find("x") == (0, 4)
    assert feed("👩‍💻x").find("x") == (0, 2)
    assert feed("🇫🇷x").find("x") == (0, 2)
    assert feed("e\u0301x").find("x") == (0, 1)
    assert feed("漢\x1b[1;2Hx").line(0) == " x"
    assert feed("漢\x1b[1;1Hx").line(0) == "x"
    s = feed("x" * 19 + "漢")
    assert s.line(1) == "漢"


def test_synchronized_update_hides_what_is_unfinished():
    s = feed("old")
    s.feed(b"\x1b[?2026h\x1b[2J\x1b[Hnew")
    assert s.line(0) == "old"
    s.feed(b"\x1b[?2026l")
    assert s.line(0) == "new" and s.sync_count == 1


def test_scrolling_region_and_history():
    s = feed("".join("%d\r\n" % i for i in range(8)))
    assert s.lines() == ["3", "4", "5", "6", "7", ""]
    assert ["".join(c.text for c in row).rstrip() for row in s.history] == ["0", "1", "2"]
    s = feed("1\r\n2\r\n3\r\n4\r\n5\x1b[2;4r\x1b[4;1H\n\n")
    assert s.lines() == ["1", "4", "", "", "5", ""]
    s = feed("1\r\n2\r\n3\x1b[1;2r\x1b[1;1H\x1bM")
    assert s.lines() == ["", "1", "3", "", "", ""]


def test_left_over_names_what_is_still_on():
    s = feed("\x1b[?1049h\x1b[?2004h\x1b[>5u\x1b[?25l\x1b[?1003h\x1b]12;red\x07\x1b[1m")
    left = "\n".join(s.left_over())
    for what in ("mode 25 is reset", "mode 1003 is set", "mode 1049 is set", "mode 2004 is set", "kitty", "colour 12", "style"):
        assert what in left
    s.feed(b"\x1b[0m\x1b]112\x07\x1b[?1003l\x1b[?25h\x1b[<u\x1b[?2004l\x1b[?1049l")
    assert s.left_over() == []


def test_answers():
    s = screen()
    assert s.feed(b"\x1b[c") == b"\x1b[?62;22;52c"
    assert s.feed(b"\x1b[?2026$p") == b"\x1b[?2026;2$y"
    assert s.feed(b"\x1b[?u") == b"\x1b[?0u"
    assert s.feed(b"\x1b[>5u\x1b[?u") == b"\x1b[?5u"
    assert s.feed(b"\x1b[3;4H\x1b[6n") == b"\x1b[3;4R"
    assert s.feed(b"\x1b]11;?\x07") == b"\x1b]11;rgb:1010/1010/1010\x07"
    assert screen(profile="plain").feed(b"\x1b[c\x1b[>q\x1b[?u") == b""


LEGACY = {"C-b": "\x02", "M-x": "\x1bx", "Enter": "\r", "S-Enter": "\r", "M-Enter": "\x1b\r", "Up": "\x1b[A",
          "C-Up": "\x1b[1;5A", "F1": "\x1bOP", "S-F5": "\x1b[15;2~", "BTab": "\x1b[Z", "Space": " ", "C-Space": "\0",
          "BSpace": "\x7f", "Delete": "\x1b[3~", "é": "é", "%": "%", "Escape": "\x1b"}
KITTY = {"C-b": "\x1b[98;5u", "M-x": "\x1b[120;3u", "Enter": "\r", "S-Enter": "\x1b[13;2u", "Escape": "\x1b[27u", "Up": "\x1b[A",
         "C-Up": "\x1b[1;5A", "F1": "\x1b[P", "F3": "\x1b[13~", "a": "a", "%": "%", "A": "A", "C-S-a": "\x1b[97;6u",
         "C-%": "\x1b[53;6u"}
OTHER = {"S-Enter": "\x1b[27;2;13~", "C-Enter": "\x1b[27;5;13~", "M-Enter": "\x1b[27;3;13~", "a": "a", "A": "A", "Enter": "\r",
         "C-b": "\x1b[27;5;98~", "Up": "\x1b[A"}


@pytest.mark.parametrize("name", LEGACY)
def test_legacy_keys(name):
    assert keys.encode(name, screen()) == LEGACY[name].encode()


@pytest.mark.parametrize("name", KITTY)
def test_kitty_keys(name):
    assert keys.encode(name, feed("\x1b[>1u")) == KITTY[name].encode()


@pytest.mark.parametrize("name", OTHER)
def test_modify_other_keys(name):
    assert keys.encode(name, feed("\x1b[>4;2m")) == OTHER[name].encode()


def test_a_shell_in_the_terminal(make_terminal):
    t = make_terminal(["bash", "--norc", "-i"], rows=8, cols=50)
    t.wait_for("$ ")
    t.type("echo $((6*7)) $(stty size)\n")
    t.wait_for("42 8 50")
    t.resize(10, 60)
    t.type("stty size\n")
    t.wait_for("10 60")
    t.type("exit 3\n")
    assert t.wait_exit() == 3
    assert t.left_over() == []


def test_keys_follow_what_the_program_asks_for(make_terminal):
    t = make_terminal(["bash", "-c", "stty raw -echo; printf '\\e[>1u\\e[?1004h'; echo on; cat -v"])
    t.wait_for("on")
    t.keys("S-Enter", "C-b")
    t.focus(True)
    t.wait_for("^[[13;2u^[[98;5u^[[I")


def test_a_paused_terminal_reads_nothing(make_terminal):
    t = make_terminal(["bash", "-c", "read -r; yes | head -c 300000; echo; echo END; read -r"], rows=5, cols=20)
    t.pause()
    t.send("\n")
    mark = t.mark()
    wait_until(lambda: processes.children_of(t.pid), "the writer hangs in its write")
    assert t.mark() - mark < 70000
    t.resume()
    t.wait_for("END")


def test_waiting_in_vain_shows_the_screen(make_terminal):
    t = make_terminal(["sh", "-c", "echo here; read -r x"])
    t.wait_for("here")
    with pytest.raises(TimedOut) as e:
        t.wait_for("there", timeout=0.1)
    assert re.search(r"'there' on the screen(.|\n)*\|here ", str(e.value))


def test_hanging_up_ends_the_program(make_terminal):
    t = make_terminal(["bash", "-c", "echo up; sleep 1000"])
    t.wait_for("up")
    t.close()
    assert not os.path.exists("/proc/%d" % t.pid)
