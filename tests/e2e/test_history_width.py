"""The history of a session whose terminal has become wider or narrower: shown, searched, copied and captured in lines of the width
that it has now; with the old width the old lines come back."""
import re

import pytest

from lib.wait import wait_until
from puppets import prefix, puppets

LINES = 70
ROWS = 24


def line(n):
    """Some need one row of 80 columns, some three."""
    return "line %03d begins " % n + "".join("%03d.%02d " % (n, i) for i in range(n % 40)) + "line %03d ends" % n


def broken(texts, cols):
    """What a terminal of that width makes of lines; blanks at the end of a row do not show."""
    return [text[i:i + cols].rstrip() for text in texts for i in range(0, max(len(text), 1), cols)]


class Session:
    """A pane as wide as the terminal, whose program prints what the test says."""

    def __init__(self, handler, cols):
        self.handler = handler
        self.one, = puppets(handler, "one", draws=False)
        self.t = handler.terminal("terminal", "one", rows=ROWS, cols=cols)
        self.t.wait_for("work-one")
        wait_until(lambda: self.one.sizes() and self.one.sizes()[-1][1] == cols, "it has started")

    def to(self, cols, rows=ROWS):
        self.t.resize(rows, cols)
        wait_until(lambda: self.one.sizes()[-1] == (rows - 2, cols), "it has the size", dump=self.t.dump)
        self.t.settle()

    def pane(self):
        """The rows of the pane, without its title and the line at the bottom."""
        return [row.rstrip() for row in self.t.lines()[1:-1]]

    def captured(self, *more):
        text = self.handler.capture(self.one.ident(), "--history", "all", *more)
        return text.rstrip("\n").split("\n")

    def history(self):
        prefix(self.t, "[")
        self.t.wait_for("HISTORY 0/")

    def wait_pane(self, test, what):
        return wait_until(lambda: test(self.pane()), what, dump=self.t.dump)

    def walk(self):
        """All lines of the history mode, from the first to the last, page by page."""
        def at_top(pane):
            return pane[0].startswith("line 000 begins")
        self.t.keys("g")
        self.wait_pane(at_top, "the oldest line on top")
        self.t.settle()
        seen = self.pane()
        while "HISTORY 0/" not in self.t.text():
            self.t.keys("C-Down")
            last = seen[-(ROWS - 2):]
            pane = self.wait_pane(lambda now: now[:-1] == last[1:] and now, "one line further")
            seen.append(pane[-1])
        while not seen[-1]:
            seen.pop()
        return seen


@pytest.fixture
def session(handler):
    s = Session(handler, 120)
    s.texts = [line(n) for n in range(LINES)] + ["that is all"]
    s.one.write("\r\n".join(s.texts))
    s.t.wait_for("that is all")
    return s


@pytest.mark.parametrize("cols", [80, 134])
def test_lines_are_those_of_the_width_that_there_is_now(session, cols):
    s = session
    assert s.captured() == broken(s.texts, 120)
    s.to(cols)
    assert s.captured() == broken(s.texts, cols)
    s.history()
    assert s.walk() == broken(s.texts, cols)
    s.t.keys("q")
    s.to(120)
    assert s.captured() == broken(s.texts, 120)
    s.history()
    assert s.walk() == broken(s.texts, 120)


def test_what_is_looked_at_follows_the_width(session):
    """The mode stays open: its screen was the program's at 120 columns."""
    s = session
    s.history()
    s.t.settle()
    for cols in (80, 134, 120):
        s.to(cols)
        assert s.walk() == broken(s.texts, cols)
    s.t.keys("g")
    s.wait_pane(lambda p: p[0].startswith("line 000 begins"), "the oldest line")
    s.t.settle()
    before = s.pane()
    s.to(80)
    assert s.pane() == broken(s.texts, 80)[:ROWS - 2]
    s.to(120)
    assert s.pane() == before


def copied(s, text):
    wait_until(lambda: s.t.screen.clipboard and s.t.screen.clipboard[-1] == text, "copied %r" % text,
               dump=lambda: "%r\n%s" % (s.t.screen.clipboard, s.t.dump()))


def cursor_at(s, text):
    """Waits until the cursor stands where the text begins."""
    def look():
        row, col, visible = s.t.cursor()
        return visible and s.t.row(row)[col:].startswith(text)
    wait_until(look, "the cursor is at %r" % text, dump=s.t.dump)


@pytest.mark.parametrize("cols", [80, 134])
def test_search_selection_and_copy_over_broken_lines(session, cols):
    s = session
    s.to(cols)
    s.history()
    s.t.keys("?")
    s.t.type("038.36 038.37 line 038 ends")
    s.t.keys("Enter")
    cursor_at(s, "038.36")
    s.t.keys("?")
    s.t.type("line 038 begins")
    s.t.keys("Enter")
    cursor_at(s, "line 038 begins")
    s.t.keys("Space")
    s.t.keys("/")
    s.t.type("ends")
    s.t.keys("Enter")
    cursor_at(s, "ends")
    s.t.keys("Right", "Right", "Right", "y")
    copied(s, line(38))


def test_whole_lines_and_blocks_are_those_shown(session):
    s = session
    s.to(80)
    s.history()
    s.t.keys("?")
    s.t.type("line 038 begins")
    s.t.keys("Enter")
    cursor_at(s, "line 038 begins")
    shown = broken([line(38)], 80)
    s.t.keys("Down", "V", "Down", "y")
    copied(s, line(38)[80:240].rstrip())
    s.history()
    s.t.keys("?")
    s.t.type("line 038 begins")
    s.t.keys("Enter")
    cursor_at(s, "line 038 begins")
    s.t.keys("Right", "Right", "R", "Down", "Down", "Right", "Right", "Right", "y")
    copied(s, "\n".join(row[2:6].rstrip() for row in shown[:3]))


def test_the_mouse_marks_what_is_shown(session):
    s = session
    s.to(80)
    s.history()
    s.t.keys("?")
    s.t.type("line 038 begins")
    s.t.keys("Enter")
    cursor_at(s, "line 038 begins")
    row, col, _ = s.t.cursor()
    s.t.mouse("press", row + 1, col + 4)
    s.t.mouse("drag", row + 2, col + 9)
    s.t.mouse("release", row + 2, col + 9)
    copied(s, line(38)[84:170].rstrip())


def test_wide_characters_and_colours(handler):
    s = Session(handler, 120)
    text = "".join("\x1b[3%dm%s" % (1 + i % 6, "日本語x"[i % 4]) for i in range(200))
    plain = re.sub(r"\x1b\[\d+m", "", text)
    s.one.write("".join(text + "\x1b[m\r\n" for _ in range(40)) + "that is all")
    s.t.wait_for("that is all")
    for cols in (80, 81, 134, 120):
        s.to(cols)
        assert "".join(s.captured()) == plain * 40 + "that is all"
        data = handler.json("capture", s.one.ident(), "--history", "all")
        assert all(sum(run["columns"] for run in row["runs"]) <= cols for row in data["lines"])
        places = [(row["number"], row["column"]) for row in data["lines"]]
        assert places == sorted(set(places))
        colours = [run["style"].get("fg") for row in data["lines"] for run in row["runs"] for _ in run["text"]]
        assert colours[:8000] == [1 + i % 6 for i in range(200)] * 40


def test_lines_of_history_are_counted_as_they_are_printed(session):
    s = session
    s.to(80)
    everything = s.captured()
    screen = s.handler.capture(s.one.ident()).rstrip("\n").split("\n")
    for n in (1, 7, 30):
        some = s.handler.capture(s.one.ident(), "--history", str(n)).rstrip("\n").split("\n")
        assert some == everything[-(len(screen) + n):]


def test_an_ended_session_prints_the_same(session):
    s = session
    s.to(80)
    live = s.captured()
    s.one.exit(0)
    wait_until(lambda: not s.handler.session(s.one.ident())["live"], "it is over")
    assert s.captured()[:len(live)] == live


# -- reported against other programs ---------------------------------------------------------------------------


def footer(rows):
    return "".join("\r\n| footer %d" % i for i in range(rows))


def test_numbered_lines_stay_once_each_at_any_size(handler):
    """80 lines and a footer that is drawn again; widths and heights as reported."""
    s = Session(handler, 134)
    s.to(134, 42)
    s.one.write("".join("\r\n%s" % ("unique %02d %s" % (n, "text " * (n % 23))) for n in range(80)))
    s.one.write(footer(4))
    s.t.wait_for("footer 3")
    for rows, cols in [(42, c) for c in (118, 108, 90, 128)] + [(r, 128) for r in (32, 26, 52, 38)]:
        s.to(cols, rows)
        s.one.write("\x1b[3A\r\x1b[J" + footer(4)[2:])
        s.t.settle()
        found = [int(n) for n in re.findall(r"unique (\d\d)", "\n".join(s.captured()))]
        assert found == list(range(80)), (rows, cols)


def test_turns_above_a_footer_that_is_drawn_again(handler):
    """300 turns, each a numbered line above ten rows that are gone over with CUU and ED."""
    s = Session(handler, 120)
    s.texts = ["line 000 begins"] + ["turn %03d %s" % (n, "said " * (n % 30)) for n in range(300)]
    s.one.write(s.texts[0] + footer(10))
    for n, text in enumerate(s.texts[1:]):
        s.one.write("\x1b[9A\r\x1b[J" + text + footer(10))
        for _ in range(n % 3):
            s.one.write("\x1b[9A\r\x1b[J| footer 0" + footer(10)[12:])
    s.t.wait_for("turn 299")
    for cols in (120, 80, 134, 120):
        s.to(cols)
        found = [int(n) for n in re.findall(r"^turn (\d+)", "\n".join(s.captured()), re.M)]
        assert found == list(range(300)), cols
        s.history()
        found = [int(m.group(1)) for m in (re.match(r"turn (\d+)", row) for row in s.walk()) if m]
        assert found == list(range(300)), cols
        s.t.keys("q")
