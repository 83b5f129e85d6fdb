"""handler export and replay: what a session showed, as text, page, picture and recording, and played in a terminal."""
import html.parser
import json
import re
import shutil
import xml.etree.ElementTree

import pytest

from lib.screen import PROFILES, Screen
from lib.terminal import Terminal
from lib.wait import wait_until
from standins import opens, script

HARMFUL = r'''<script>alert("&x")</script>'''


def ended(handler, ident):
    """The session has ended and everything of it is written."""
    return wait_until(lambda: (lambda s: s if not s["live"] else None)(handler.session(ident)), "the keeper is gone", dump=handler.dump)


def colourful(handler):
    """A session that has ended, with history, colours, wide characters, links and things that must not get out."""
    ident = script(handler, "agent", r'''
tty.setraw(0)  # no echo of the answers
put("\x1b]2;a title\x07\x1b]52;c;c2VjcmV0\x07\x1b[c\x1b[6n")
for i in range(60): put("line %d\r\n" % i)
put('<script>alert("&x")</script>\r\n')
put("\x1b[1;38;2;1;2;3;48;5;17mcoloured\x1b[0m \x1b[7mreversed\x1b[0m \x1b[4:3;9mwavy\x1b[0m\r\n")
put("\x1b]8;;https://example.org/?a=1&b=\x22\x1b\\good\x1b]8;;\x1b\\ \x1b]8;;javascript:alert(1)\x1b\\bad\x1b]8;;\x1b\\\r\n")
put("e\u0301 \u6f22\u5b57 \U0001F469\u200d\U0001F52C|\r\n")
''')
    handler.wait_state(ident, "exited", "failed")
    ended(handler, ident)
    return ident


# -- text, ansi, html, svg ---------------------------------------------------------------------------------------

def test_text_is_all_of_it(handler):
    ident = colourful(handler)
    text = handler.ok("export", ident)
    assert text == handler.capture(ident, "--history", "all")
    assert [int(n) for n in re.findall(r"^line (\d+)$", text, re.M)] == list(range(60))
    assert handler.ok("export", ident, "--history", "0") == handler.capture(ident)
    assert handler.ok("export", ident, "--format", "ansi") == handler.capture(ident, "--history", "all", "--ansi")
    assert "\x1b[0;1;38;2;1;2;3;48;5;17mcoloured\x1b[0m" in handler.ok("export", ident, "-f", "ansi")


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.text, self.styles = [], [], "", {}
        self.style = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append(tag)
        self.style = attrs.get("style")
        if tag == "a":
            self.links.append(attrs["href"])
        assert not set(attrs) & {"src", "onclick", "onload"}

    def handle_endtag(self, tag):
        self.style = None

    def handle_data(self, data):
        self.text += data
        if self.style:
            self.styles[data] = self.style


def test_a_page_is_complete_and_escaped(handler):
    ident = colourful(handler)
    path = "%s/page.html" % handler.base
    assert handler.ok("export", ident, "-o", path) == ""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    page = Page(text)
    assert set(page.tags) <= {"html", "head", "meta", "title", "style", "body", "h1", "p", "pre", "span", "a"}
    assert HARMFUL in page.text and "<script" not in text
    assert page.links == ['https://example.org/?a=1&b="']
    assert page.styles["coloured"] == "color:#010203;background:#00005f;font-weight:bold;"
    assert "underline line-through wavy" in page.styles["wavy"]
    assert [int(n) for n in re.findall(r"^line (\d+)$", page.text, re.M)] == list(range(60))
    assert "url(" not in text and "@import" not in text


def test_a_picture_is_xml_with_every_run_at_its_column(handler):
    ident = colourful(handler)
    text = handler.ok("export", ident, "--format", "svg")
    root = xml.etree.ElementTree.fromstring(text)
    svg = "{http://www.w3.org/2000/svg}"
    assert {e.tag for e in root.iter()} <= {svg + "svg", svg + "title", svg + "rect", svg + "text"}
    runs = {e.text: e for e in root.iter(svg + "text")}
    assert HARMFUL in runs
    assert runs["coloured"].get("fill") == "#010203" and int(runs["coloured"].get("textLength")) == 8 * 9
    assert int(runs["reversed"].get("x")) - int(runs["coloured"].get("x")) == 9 * 9
    assert "line 0" not in runs  # the screen alone
    both = handler.ok("export", ident, "--format", "svg", "--history", "all")
    assert "line 0" in {e.text for e in xml.etree.ElementTree.fromstring(both).iter(svg + "text")}


def test_a_running_session_is_exported_too(handler):
    ident = script(handler, "agent", 'put("\\x1b[31mhere\\x1b[0m"); input()')
    handler.wait_capture(ident, "here")
    assert "here" in handler.ok("export", ident)
    assert Page(handler.ok("export", ident, "--format", "html")).styles["here"] == "color:#cd0000;"


def test_what_cannot_be_exported_says_why(handler):
    handler.write_config(journal=False)
    ident = script(handler, "agent", 'put("here"); input()')
    handler.wait_capture(ident, "here")
    result = handler.run("export", ident, "--format", "cast", check=1)
    assert "has no journal" in result.err and not result.out
    assert handler.run("replay", ident).code == 1
    assert handler.run("export", "nobody").code == 4
    assert handler.run("export", ident, "--format", "gif").code == 2
    assert handler.run("replay", ident, "--speed", "0").code == 2
    assert handler.run("export", ident, "-o", "/nowhere/x.txt").code == 1


# -- recordings --------------------------------------------------------------------------------------------------

def cast_of(handler, ident):
    lines = handler.ok("export", ident, "--format", "cast").splitlines()
    return json.loads(lines[0]), [json.loads(line) for line in lines[1:]]


def blank(rows, cols):
    return Screen(rows, cols, PROFILES["modern"])


def recorded(handler, ident, text):
    """The journal has a screen that shows `text`: it takes one in 50 ms, so a step that is shorter may be missing in it."""
    def shown():
        if handler.run("export", ident, "--format", "cast").code:
            return False  # nothing is written yet
        screen = blank(40, 120)
        for _, code, data in cast_of(handler, ident)[1]:
            screen.feed(data.encode())
            if text in screen.text():
                return True
        return False
    wait_until(shown, "%r is in the journal" % text, dump=handler.dump)


def test_a_recording_replays_to_the_same_screens(handler):
    ident = script(handler, "agent", r'''
tty.setraw(0)  # no echo of the answers
put("\x1b]52;c;c2VjcmV0\x07\x1b[c\x1b[>q")
for i in range(5): put("\x1b[2J\x1b[Hstep %d \x1b[1;38;2;9;8;%dmred\x1b[0m \u6f22" % (i, i)); gate("go%d" % i)
''')
    for i in range(5):
        recorded(handler, ident, "step %d" % i)
        opens(handler, "go%d" % i)
    handler.wait_state(ident, "exited")
    ended(handler, ident)
    header, events = cast_of(handler, ident)
    assert header["version"] == 2 and header["width"] == 120 and header["height"] == 40
    times = [e[0] for e in events]
    assert times == sorted(times) and times[0] == 0 and header["duration"] >= times[-1]
    assert {e[1] for e in events} <= {"o", "r"}
    whole = "".join(e[2] for e in events)
    assert "]52" not in whole and "\x1b]" not in whole and "\x1b[c" not in whole
    steps = []
    screen = blank(40, 120)
    for _, code, data in events:
        screen.feed(data.encode())
        found = re.search(r"step (\d) red \u6f22", screen.text())
        if found and found.group(1) not in steps:
            steps.append(found.group(1))
    assert steps == ["0", "1", "2", "3", "4"]
    last = [line.rstrip() for line in handler.capture(ident).rstrip("\n").split("\n")]
    assert [line.rstrip() for line in screen.text().rstrip("\n").split("\n")][:len(last)] == last


def test_a_recording_has_the_changes_of_size(handler):
    ident = script(handler, "agent", 'put("one"); gate("a"); put(" two"); input()')
    handler.wait_capture(ident, "one")
    handler.ok("resize", ident, "60x10")
    opens(handler, "a")
    handler.wait_capture(ident, "one two")
    handler.ok("stop", ident)
    header, events = cast_of(handler, ident)
    assert (header["width"], header["height"]) == (120, 40)
    assert "60x10" in [e[2] for e in events if e[1] == "r"]


def test_asciinema_plays_it(handler):
    if not shutil.which("asciinema"):
        pytest.skip("asciinema is not installed")
    ident = script(handler, "agent", 'put("first"); pause(0.2); put(" second"); input()')
    handler.wait_capture(ident, "first second")
    handler.ok("stop", ident)
    path = "%s/x.cast" % handler.base
    handler.ok("export", ident, "-o", path)
    terminal = make(handler, ["asciinema", "play", "-s", "20", path])
    terminal.wait_for("first second")
    assert terminal.wait_exit() == 0


def make(handler, argv, **options):
    terminal = Terminal(argv, env=handler.environment(), cwd=handler.work, **options)
    handler.terminals.append(terminal)
    return terminal


# -- replay ------------------------------------------------------------------------------------------------------

def three_steps(handler):
    ident = script(handler, "agent", r'''
for i in range(3): put("\x1b[2J\x1b[Hstep %d\x1b[5;5H\x1b[31mred\x1b[0m" % i); gate("go%d" % i)
''')
    for i in range(3):
        recorded(handler, ident, "step %d" % i)
        opens(handler, "go%d" % i)
    handler.wait_state(ident, "exited")
    ended(handler, ident)
    return ident


def test_replay_plays_and_gives_the_terminal_back(handler):
    ident = three_steps(handler)
    terminal = handler.terminal("replay", ident, "--speed", "4")
    terminal.wait_for("step 2")
    terminal.wait_for("[exited with status 0]")
    terminal.wait_for("end 0:0")
    row, col = terminal.find("red")
    assert terminal.cell(row, col).style.fg is not None
    terminal.keys("q")
    assert terminal.wait_exit() == 0
    assert not terminal.left_over()


def test_replay_pauses_seeks_and_steps(handler):
    ident = three_steps(handler)
    terminal = handler.terminal("replay", ident, "--idle", "0.1")
    terminal.wait_for("end 0:0")
    terminal.keys("Home")
    terminal.keys("Space")
    terminal.wait_for("paused 0:00")
    for i in range(3):
        for _ in range(20):  # screens, not only steps: each is a press of a key
            if terminal.find("step %d" % i):
                break
            before = terminal.text()
            terminal.keys(".")
            wait_until(lambda: terminal.text() != before, "another screen or time", dump=terminal.dump)
        terminal.wait_for("step %d" % i)
    terminal.keys("Left")
    terminal.wait_gone("step 2")
    terminal.keys("End")
    terminal.wait_for("[exited with status 0]")
    terminal.keys("Left", "+")
    terminal.wait_for("x2")
    terminal.resize(20, 60)
    terminal.wait_for("x2")
    terminal.keys("Space")
    terminal.wait_for("[exited with status 0]")
    terminal.keys("C-c")
    assert terminal.wait_exit() == 0


def test_replay_sends_nothing_of_the_program(handler):
    """What a program asks, titles and puts into the clipboard is not in its screens; a terminal that is smaller sees a part."""
    ident = colourful(handler)
    terminal = handler.terminal("replay", ident, "--speed", "64", rows=12, cols=50)
    terminal.wait_for("[exited with status 0]")
    terminal.keys("Escape")
    assert terminal.wait_exit() == 0
    assert not terminal.screen.clipboard and "a title" not in terminal.screen.title


def test_replay_needs_a_terminal(handler):
    ident = three_steps(handler)
    assert handler.run("replay", ident).code == 2


def test_a_synchronized_update_is_never_cut_in_two(handler):
    ident = script(handler, "agent", r'''
for i in range(300): put("\x1b[?2026h\x1b[H\x1b[2Jhalf %d" % i); pause(0.002); put("\r\nother %d\x1b[?2026l" % i)
put("\r\nEND"); input()''')
    handler.wait_capture(ident, "END")
    handler.ok("stop", ident)
    _, events = cast_of(handler, ident)
    screen, seen = blank(40, 120), 0
    for _, code, data in events:
        screen.feed(data.encode())
        half, other = re.search(r"half (\d+)", screen.text()), re.search(r"other (\d+)", screen.text())
        if half:
            assert other and other.group(1) == half.group(1), screen.text()
            seen += 1
    assert seen >= 1
