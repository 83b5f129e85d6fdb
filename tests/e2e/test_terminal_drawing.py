"""What reaches the outer terminal: whole frames, at the right time, in colours it has; in any size."""
import re
import time

import pytest

from lib.screen import PROFILES
from lib.wait import wait_until
from puppets import Puppet, focused, open_with, place, prefix, puppets, wait_place, wait_shown

BSU, ESU = "\x1b[?2026h", "\x1b[?2026l"


def panes_text(frame):
    """A recorded frame without the title above and the line below."""
    return "\n".join(frame.split("\n")[1:-1])


@pytest.fixture
def one(handler):
    return puppets(handler, "one", draws=False)[0]


def open_one(handler, one, mark="\u2588 ready", **options):
    options = {"rows": 45, "cols": 100, **options}
    t = handler.terminal("terminal", one.name, **options)
    wait_until(lambda: one.sizes(), "the puppet has started")
    one.write("\x1b[H\x1b[2J" + mark)
    t.wait_for(mark)
    t.settle()
    return t


# -- synchronized updates (mode 2026) --------------------------------------------------------------------------

@pytest.mark.parametrize("split", [False, True], ids=["one-write", "two-writes"])
def test_no_frame_between_clear_and_rewrite(handler, one, split):
    t = open_one(handler, one, record=True)
    t.frames.clear()
    for n in range(40):
        clear, rows = BSU + "\x1b[H\x1b[2J", "".join("frame %d row %d\r\n" % (n, r) for r in range(40)) + ESU
        if split:
            one.write(clear, wait=5)
            one.write(rows, wait=5)
        else:
            one.write(clear + rows, wait=10)
    t.wait_for("frame 39 row 39")
    seen = [panes_text(f) for f in t.frames]
    assert len(seen) > 5
    for text in seen:
        numbers = set(re.findall(r"frame (\d+) row", text))
        rows = len(re.findall(r"frame \d+ row", text))
        assert "ready" in text or (len(numbers) == 1 and rows == 40), "a frame that the program did not finish:\n" + text


def test_the_exact_bytes_of_tmux_5340(handler, one):
    t = open_one(handler, one)
    one.write("\x1b[?2026h\x1b[H\x1b[2J" + "".join("%d\r\n" % i for i in range(1, 31)) + "frame 0\r\n\x1b[?2026l")
    t.wait_for("frame 0")
    lines = [line.strip() for line in t.lines()[1:]]
    assert lines[:31] == [str(i) for i in range(1, 31)] + ["frame 0"]


def test_an_update_that_is_never_ended_is_shown_all_the_same(handler, one):
    t = open_one(handler, one)
    begin = time.monotonic()
    one.write(BSU + "\x1b[H\x1b[2Jnever ended")
    t.wait_for("never ended")
    assert time.monotonic() - begin < 1.5
    one.write("\x1b[5;1Hand it goes on")
    t.wait_for("and it goes on")


def test_a_resize_within_an_update(handler, one):
    t = open_one(handler, one)
    one.write(BSU + "\x1b[H\x1b[2Jhalf of it")
    t.resize(30, 90)
    one.wait_size(28, 90)
    one.write("\x1b[3;1Hthe other half" + ESU)
    t.wait_for("the other half")
    assert t.find("half of it")


def test_nothing_leaks_out_of_a_long_update(handler, one):
    """tmux#4983: scrolling and erasing over several reads of the pty."""
    t = open_one(handler, one, record=True)
    t.frames.clear()
    mark = t.mark()
    chunk = "".join("long update line %d\r\n" % i for i in range(1200))
    one.write(BSU)
    for _ in range(3):
        one.write(chunk, wait=3)
    one.write("\x1b[2J\x1b[Hthe end of it" + ESU)
    t.wait_for("the end of it")
    # it may be shown early once its time is over, never in pieces of what was erased since
    assert t.frames and all("ready" in panes_text(f) or "long update" in panes_text(f) or "the end" in panes_text(f) for f in t.frames)
    if len([f for f in t.frames if "long update" in f]) == 0:
        assert b"long update" not in t.since(mark)


def test_each_frame_is_one_synchronized_update(handler, one):
    t = open_one(handler, one)
    mark = t.mark()
    for n in range(30):
        one.write("\x1b[H\x1b[2J" + "".join("%d line %d\r\n" % (n, i) for i in range(30)), wait=10)
    t.wait_for("29 line 29")
    t.settle()
    out = t.since(mark)
    outside = re.sub(rb"\x1b\[\?2026h.*?\x1b\[\?2026l", b"", out, flags=re.S)
    assert len(outside) < 60, outside


# -- flicker ---------------------------------------------------------------------------------------------------

def test_the_cursor_does_not_flicker(handler, one):
    """cc#73944: the program hides and shows its cursor around each key's echo."""
    t = open_one(handler, one)
    one.write("\x1b[10;1H> ")
    t.wait_for("> ")
    t.settle()
    before = t.screen.cursor_hidden_count
    for c in "cursor stays still while somebody types":
        one.write("\x1b[?25l\x1b[s\x1b[20;1Hstatus %s\x1b[u%s\x1b[?25h" % (c, c), wait=5)
    t.wait_for("> cursor stays still while somebody types")
    t.settle()
    assert t.screen.cursor_hidden_count == before
    assert t.cursor() == (10, 2 + len("cursor stays still while somebody types"), True)


def test_a_key_sends_little(handler, one):
    t = open_one(handler, one)
    one.write("\x1b[10;1H> ")
    t.settle()
    for c in "abc":
        mark = t.mark()
        one.write(c)
        t.wait_bytes(c.encode(), mark)
        t.settle(0.1)
        assert len(t.since(mark)) < 80, t.since(mark)


def test_nothing_is_sent_while_nothing_changes(handler, one):
    t = open_one(handler, one)
    t.settle(0.5)
    mark = t.mark()
    one.write("\x1b[?2026h\x1b[H\u2588 ready\x1b[?2026l")  # the same again
    wait_until(lambda: "ready" in handler.capture(one.ident()), "it was written")
    t.settle(0.3)
    assert t.since(mark) == b""


def test_no_frame_is_blank_on_the_way_from_view_to_view(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right, record=True)
    prefix(t, "!")
    wait_shown(t, "left", without=["right"])
    t.frames.clear()
    for key in "21212":
        prefix(t, key)
        t.settle(0.1)
    assert t.frames
    for f in t.frames:
        assert "left" in panes_text(f) or "right" in panes_text(f), f


# -- colours ---------------------------------------------------------------------------------------------------

SAMPLE = "\x1b[38;2;200;100;50mrgb\x1b[m \x1b[38;5;202mpal\x1b[m \x1b[31mred\x1b[m \x1b[1;91mbold\x1b[m \x1b[48;2;0;0;120mback\x1b[m"


def styles(t):
    return {word: t.cell(*t.find(word)).style for word in ("rgb", "pal", "red", "bold", "back")}


@pytest.mark.parametrize("mode", ["truecolor", "256", "16", "mono"])
def test_colours_as_deep_as_they_are_wanted(handler, one, mode):
    t = open_one(handler, one, rows=24, cols=120)
    prefix(t, "d")
    t.wait_exit()
    t = handler.terminal("terminal", one.name, "--reuse", "--color", mode, rows=24, cols=120)
    one.write("\x1b[3;1H" + SAMPLE)
    t.wait_for("back")
    t.settle()
    s = styles(t)
    used = [c for row in t.screen.visible() for cell in row for c in (cell.style.fg, cell.style.bg) if c is not None]
    if mode == "truecolor":
        assert s["rgb"].fg == (200, 100, 50) and s["pal"].fg == 202 and s["back"].bg == (0, 0, 120)
    elif mode == "256":
        assert all(isinstance(c, int) for c in used)
        assert s["rgb"].fg in (167, 173, 137) and s["pal"].fg == 202 and s["back"].bg in (18, 17)
    elif mode == "16":
        assert all(isinstance(c, int) and c < 16 for c in used)
        assert s["red"].fg == 1 and s["back"].bg in (4, 12)
    else:
        assert used == []
        assert s["bold"].bold
    if mode != "mono":
        assert s["red"].fg == 1 and s["bold"].bold and s["bold"].fg == 9


OLDER = PROFILES["xterm"].but(name="older", xtversion=None, xtgettcap=False)


@pytest.mark.parametrize("profile, deepest", [("modern", tuple), ("xterm", tuple), (OLDER, int), ("linux", int)],
                         ids=["modern", "xterm", "older", "linux"])
def test_the_depth_is_found_out(handler, one, profile, deepest):
    t = open_one(handler, one, rows=24, cols=100, profile=profile, mark="# ready")
    one.write("\x1b[3;1H" + SAMPLE)
    t.wait_for("back")
    t.settle()
    assert isinstance(styles(t)["rgb"].fg, deepest)
    if profile == "linux":
        assert all(c is None or c < 16 for row in t.screen.visible() for cell in row for c in (cell.style.fg, cell.style.bg))
    assert t.screen.unknown == [] or profile == "linux", t.screen.unknown


def test_no_color_is_for_what_handler_draws(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right, rows=24, cols=140, env={"NO_COLOR": "1"})
    right.write("\x1b[31mred words")
    at = t.wait_for("red words")
    t.settle()
    assert t.cell(*at).style.fg == 1, "a program's colours are its own"
    for row, col in [(0, c) for c in range(140)] + [(r, 3) for r in range(23)] + [(23, c) for c in range(140)]:
        style = t.cell(row, col).style
        assert style.fg is None and style.bg is None, (row, col, style)


def test_underlines_links_and_the_rest(handler, one):
    t = open_one(handler, one, rows=24, cols=100)
    one.write("\x1b[3;1H\x1b[4:3;58:2::255:0:0mcurly\x1b[m \x1b[3;9mitalic\x1b[m \x1b[2mdim\x1b[m \x1b[53mover\x1b[m \x1b[7minverse\x1b[m "
              "\x1b]8;;http://example.org/\x1b\\link\x1b]8;;\x1b\\ plain")
    t.wait_for("plain")
    t.settle()

    def style(word):
        return t.cell(*t.find(word)).style
    assert style("curly").underline == 3 and style("curly").underline_color == (255, 0, 0)
    assert style("italic").italic and style("italic").strike
    assert style("dim").dim and style("over").overline and style("inverse").reverse
    assert style("link").link == "http://example.org/"
    assert style("plain")._replace(fg=None, bg=None) == t.cell(22, 99).style._replace(fg=None, bg=None)
    prefix(t, "d")
    t.wait_exit()
    assert t.left_over() == []


def test_a_terminal_that_knows_little_gets_nothing_it_does_not_know(handler, one):
    t = open_one(handler, one, rows=24, cols=100, profile="xterm")
    one.write("\x1b[3;1H\x1b[4:3;58:2::255:0:0mcurly\x1b[m\x1b]8;;http://example.org/\x1b\\link\x1b]8;;\x1b\\ \U0001F469\U0001F3FD\u200D\U0001F52C e\u0301 end")
    t.wait_for("end")
    assert t.cell(*t.find("curly")).style.underline in (1, 3)
    assert t.screen.unknown == []


# -- characters ------------------------------------------------------------------------------------------------

def test_wide_characters_at_the_edges(handler):
    left, right = puppets(handler, "left", "right", draws=False)
    t = handler.terminal("terminal", "left", "right", rows=24, cols=150)
    for p in (left, right):
        wait_until(lambda p=p: p.sizes(), "it has started")
    t.wait_for("work-right")
    t.settle()
    rows, cols = left.sizes()[-1]
    wide = "\u4e16\u754c" * (cols // 4 + 1)
    left.write("\x1b[H" + wide + "\x1b[3;1H\x1b[?7l" + "x" + wide + "\x1b[5;%dH\u4e16\x1b[5;%dHz" % (cols - 1, cols) + "\x1b[7;1Hdone")
    t.wait_for("done")
    t.settle()
    dividers = [c for c in range(t.screen.cols) if t.cell(1, c).text == "\u2502"]
    assert dividers
    for col in dividers:
        assert all(t.cell(r, col).text == "\u2502" for r in range(1, 22)), t.dump()
    assert t.cell(5, dividers[-1] - 1).text == "z" and t.cell(5, dividers[-1] - 2).text == " "


# Terminals that count columns in ways of their own: joined emoji as the sum of their parts and flags as two letters;
# U+FE0F without effect; icons of fonts two columns wide; boxes two columns wide, as is usual in East Asia.
WIDTHS = {
    "parts": PROFILES["xterm"],
    "parts, nothing answered": PROFILES["plain"],
    "selector": PROFILES["modern"].but(selector=False),
    "selector, no mode 2027": PROFILES["xterm"].but(clusters=True, selector=False),
    "icons": PROFILES["modern"].but(widths={0xf09b: 2, 0xf02d4: 2}),
    "boxes": PROFILES["modern"].but(widths=dict.fromkeys(range(0x2500, 0x25a0), 2)),
}
CLUSTERS = {  # and their columns by Unicode 16
    "family": ("\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", 2),
    "heart": ("\u2764\ufe0f", 2),
    "flag": ("\U0001f1e9\U0001f1ea", 2),
    "tone": ("\U0001f44d\U0001f3fd", 2),
    "keycap": ("1\ufe0f\u20e3", 2),
    "jamo": ("\u1112\u1161\u11ab", 2),
    "conjunct": ("\u0915\u094d\u0937\u093f", 1),
    "icon": ("\uf09b", 1),
    "icon of the last planes": ("\U000f02d4", 1),
    "line": ("\u2500", 1),
}


@pytest.mark.parametrize("kind", WIDTHS)
def test_columns_after_clusters_that_the_terminal_counts_otherwise(handler, kind):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right, profile=WIDTHS[kind])
    t.settle()
    ours, theirs = place(t, "left"), place(t, "right")
    right.write("".join("\x1b[%d;1H<%d>" % (row, row) for row in range(3, 25)))
    for around in ("=", " "):  # what stands there before: text, then nothing
        left.write("\x1b[H\x1b[2J" + "".join("\x1b[%d;1H%s" % (row, around * ours.cols) for row in range(3, 25)))
        for row, (cluster, width) in enumerate(CLUSTERS.values(), 4):
            left.write("\x1b[%d;1Ha%s>b\x1b[%d;%dHc\x1b[%d;%dH%s" % (row, cluster, row, 30, row, ours.cols - width + 1, cluster))
        left.write("\x1b[20;1Hdone %r" % around)
        t.wait_for("done %r" % around)
        t.settle()
        for row, (name, (cluster, width)) in enumerate(CLUSTERS.items(), 3):
            cells = [t.screen.cell(ours.row + row, ours.col + col).text for col in range(ours.cols)]
            assert (cells[0], cells[1 + width], cells[2 + width], cells[29]) == ("a", ">", "b", "c"), (name, cells)
            if WIDTHS[kind].widths.get(ord(cluster[0])) == 2:  # there is one column for it: a line in ASCII, or nothing
                assert cells[1] == ("-" if name == "line" else " "), (name, cells)
            else:
                assert cells[1].startswith(cluster[0]), (name, cells)
            assert set(cells[4 + width:29]) == {around}, (name, cells)
        with t.changed:
            beside = [t.screen.line(theirs.row + row - 1) for row in range(3, 25)]
        assert [("<%d>" % row) in line for row, line in enumerate(beside, 3)] == [True] * 22, t.dump()
        for row in range(3, 25):
            assert t.screen.cell(theirs.row + row - 1, theirs.col).text == "<", (row, t.dump())


@pytest.mark.parametrize("profile", ["modern", "xterm"])
def test_the_widths_are_measured_unseen(handler, one, profile):
    """Hidden, erased before the first frame; again with mode 2027 on, in one synchronized update with a whole frame."""
    t = handler.terminal("terminal", one.name, record=True, profile=profile)
    one.write("\x1b[H\x1b[2J\U0001f1e9\U0001f1ea> shown")
    t.wait_for("> shown")
    t.settle()
    raw = bytes(t.raw).decode()
    asked = [m.start() for m in re.finditer(r"\x1b\[8m", raw)]
    assert len(asked) == (2 if profile == "modern" else 1)
    for at in asked:
        end = raw.index("\x1b[m\x1b[2H\x1b[2K", at)
        assert raw.count("\x1b[6n", at, end) == 14 and raw.count("\x1b[2H", at, end) == 14
    if profile == "modern":
        assert raw.rindex("\x1b[?2027h", 0, asked[1]) and raw[:asked[1]].endswith("\x1b[?2026h")
        assert "work-one" in raw[asked[1]:raw.index("\x1b[?2026l", asked[1])]
        # what a person can see between two synchronized updates has nothing of it
        assert not any("\u0e17" in frame or "\U0001f642" in frame for frame in t.frames[1:])


def test_the_first_frame_does_not_wait_for_answers(handler, one):
    t = handler.terminal("terminal", one.name, profile="modern", on_reply=lambda reply: [])
    one.write("\x1b[H\x1b[2J\U0001f1e9\U0001f1ea> shown")
    t.wait_for("> shown")


def test_clusters_are_drawn_whole(handler, one):
    t = open_one(handler, one, rows=24, cols=100)
    text = "\U0001F469\U0001F3FD\u200D\U0001F52C|\U0001F1E9\U0001F1EA|e\u0301|\u2764\uFE0F|\u0e01\u0e49|end"
    one.write("\x1b[3;1H" + text)
    t.wait_for("|end")
    row = "".join(c.text for c in t.screen.visible()[3] if c.width).rstrip()
    assert row == text


def test_the_last_cell_of_the_screen(handler, one):
    t = open_one(handler, one, rows=24, cols=100)
    rows, cols = one.sizes()[-1]
    one.write("\x1b[%d;%dH#\x1b[H" % (rows, cols))
    t.wait_for(lambda s: s.cell(rows, 99).text == "#", why="the last cell of the pane is drawn")
    assert "work-one" in t.row(0), "nothing has scrolled"


# -- sizes -----------------------------------------------------------------------------------------------------

def test_a_storm_of_sizes(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    before = len(left.sizes())
    for n in range(60):
        t.resize(10 + n % 35, 40 + (n * 7) % 120)
    t.resize(40, 150)
    b = wait_place(t, "right", lambda p: p.rows == 38 and p.col + p.cols == 150)
    a = wait_place(t, "left", lambda p: p.rows == 38 and p.col + p.cols + 1 == b.col)
    wait_until(lambda: left.sizes()[-1] == (a.rows, a.cols), "the program knows its size")
    assert len(left.sizes()) - before < 30, "a gesture is not passed on step by step: %r" % left.sizes()
    assert focused(t, left, right) == "left"


@pytest.mark.parametrize("rows, cols", [(5, 20), (3, 10), (2, 5), (1, 1), (1, 200), (200, 1), (100, 300)])
def test_sizes_that_nobody_has(handler, rows, cols):
    left, right = puppets(handler, "left", "right")
    t = handler.terminal("terminal", "left", "right", rows=rows, cols=cols)
    t.wait_for(lambda s: s.alternate and s.kitty_flags, why="the terminal is set up")
    t.settle()
    for key in ("[", "q", "c", "s", "?", ":", "w", "~", ",", "X", "S", "z", "E", "Space", "!", "%", "b", "b", "C-Right", "o"):
        prefix(t, key)
        t.keys("Escape")
    t.resize(40, 150)
    t.wait_for("work-left")
    assert t.process.poll() is None
    prefix(t, "d")
    assert t.wait_exit() == 0
    assert t.left_over() == []


def test_in_a_tiny_window_a_pane_says_that_it_is_too_small(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    t.resize(12, 30)
    t.wait_for("too small")
    size = left.sizes()[-1]
    assert size[0] >= 2 and size[1] >= 10
    t.resize(40, 150)
    wait_shown(t, "left", "right")


def test_layouts_make_no_pane_too_small_and_say_what_did_not_fit(handler):
    made = puppets(handler, *["p%d" % n for n in range(6)])
    t = handler.terminal("terminal", *[p.name for p in made], rows=24, cols=125)
    t.wait_for("no room for")
    wait_shown(t, "p0")
    t.settle()
    shown = [p for p in made if place(t, p.name)]
    assert 1 <= len(shown) < 6
    for p in shown:
        at = wait_place(t, p.name)
        assert at.cols >= 60 or at.rows >= 10, at
    missing = [p.name for p in made if p not in shown]
    prefix(t, "~")
    for name in missing:
        t.wait_for(lambda s: re.search(r"no room for.*work-%s" % name, s.text(), re.S), why="%s is named" % name)
    assert len(handler.sessions()) == 6, "all of them run"


def test_narrow_it_has_one_line_with_those_that_wait_first(handler):
    names = ("api", "web", "docs")
    made = puppets(handler, *names)
    for p in made:
        handler.new(p.name, "-n", p.name)
    t = handler.terminal(rows=24, cols=80)
    t.wait_for("coding agents")
    t.keys("Enter")
    wait_shown(t, "api")
    made[2].state("blocked", "permission", "approve it")
    made[1].state("working")
    t.wait_for(lambda s: re.search(r"3!docs.*1.api.*2.web.*C-b \?", s.line(23)), why="one line, those that wait first")
    t.mouse("click", 23, t.find("3!docs")[1] + 2)
    wait_shown(t, "docs")
    t.resize(24, 120)
    t.wait_for(lambda s: re.search(r"^.?\s*1 . api", s.line(1)), why="the sidebar is there")


def test_history_of_a_program_with_a_scroll_region(handler):
    """codex#2558, zellij#4568: what leaves a region that starts at the top goes to the history, at any width."""
    left, right = puppets(handler, "left", "right", draws=False)
    t = handler.terminal("terminal", "left", "right", rows=24, cols=140)
    wait_until(lambda: left.sizes() and right.sizes(), "both have started")
    t.wait_for("work-right")
    t.settle()
    rows = left.sizes()[-1][0]
    left.write("\x1b[%d;1Hcomposer" % rows)
    for n in range(100):
        left.write("\x1b[1;%dr\x1b[%d;1H\r\nhistory line %03d\x1b[r\x1b[%d;1Hcomposer" % (rows - 2, rows - 2, n, rows))
    t.wait_for("history line 099")
    prefix(t, "[")
    t.wait_for("HISTORY")
    t.keys("g")
    t.wait_for("history line 001")
    t.keys("q")
    text = handler.capture(left.ident(), "--history", "all")
    assert re.findall(r"history line (\d+)", text) == ["%03d" % n for n in range(100)]


# -- floods ----------------------------------------------------------------------------------------------------

def test_keys_are_echoed_while_another_pane_floods(handler):
    quiet = Puppet(handler, "quiet")
    handler.write_shell_agent("flood", "trap '' INT; while :; do seq 1 2000; done")
    t = handler.terminal("terminal", "quiet", "flood", rows=40, cols=150)
    wait_shown(t, "quiet")
    t.wait_for("2000")
    waits = []
    for n in range(10):
        begin = time.monotonic()
        t.keys("x")
        quiet.wait_given(b"x" * (n + 1))
        quiet.write("\x1b[5;1Hecho %d " % n)
        t.wait_for("echo %d " % n)
        waits.append(time.monotonic() - begin)
    assert sorted(waits)[5] < 0.5, waits


def rss(pid):
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))


def test_a_slow_terminal_costs_frames_not_memory(handler):
    """The reader stops for a while under flood: nothing piles up, and then the newest state is shown."""
    one = Puppet(handler, "one", draws=False)
    t = handler.terminal("terminal", "one", rows=50, cols=150)
    wait_until(lambda: one.sizes(), "it has started")
    row = "\x1b[3%dm" + "0123456789" * 14 + "\r\n"
    one.write("".join(row % (n % 8) for n in range(2000)))
    t.wait_for("0123456789")
    t.settle()
    worker = wait_until(lambda: handler.process_named("worker", one.ident()), "the worker has its name")
    t.pause()
    before = rss(t.pid), rss(worker)
    mark = t.mark()
    for n in range(40):
        one.write("".join(row % ((n + i) % 8) for i in range(1000)))
    one.write("\x1b[m\r\nthe newest state")
    one.note(b"written")
    one.wait_given(b"written", timeout=60)
    after = rss(t.pid), rss(worker)
    t.resume()
    t.wait_for("the newest state")
    assert after[0] - before[0] < 20000, "the terminal grew by %d kB" % (after[0] - before[0])
    sent = len(t.since(mark))
    assert sent < 2000000, "%d bytes were sent for 6 MB of output" % sent
    t.keys("x")
    one.wait_given(b"x")
