"""Recordings of the real agents, replayed in the emulator and in xterm.js (@xterm/headless): text and colours are the same.

Each agent is recorded in a terminal of its own, without the program, at three sizes: its start, a prompt, an answer of
several screens. The screens are compared at places spread over the recording, between its synchronized updates.

A second test feeds both what agents, editors and pagers use, one feature after the other; DIFFERENT says where xterm.js
shows something else, what is right, and by which source.
"""
import json
import os
import re
import subprocess

import pytest

import agents
from lib.terminal import Terminal
from lib.wait import wait_until

SIZES = ((24, 80), (40, 120), (55, 190))
START, PLACES, SECTIONS = 90, 10, 6
HERE = os.path.dirname(os.path.abspath(__file__))
VISIBLE_ON_BLANKS = ("bg", "reverse", "underline", "strike", "overline")

# Writes the recording into its terminal: with each line that it reads from a fifo up to the offset there, and a title.
PLAYER = r'''
import os, sys, tty
tty.setraw(0)
data, at = open(sys.argv[1], "rb").read(), 0
for line in open(sys.argv[2]):
    end, title = line.rstrip("\n").split(" ", 1)
    while at < int(end):
        at += os.write(1, data[at:min(int(end), at + 4096)])
    os.write(1, b"\33]2;%s\33\\" % title.encode())
'''


def record(user, agent, size):
    """What an agent writes to a terminal of that size; bytes."""
    program = os.path.join(agents.BIN, agent.program)
    argv = [program] + [a for a in agent.direct if "INSTRUCTIONS" not in a and a not in ("-c", "--append-system-prompt")]
    t = Terminal(argv, env=user.environment(), cwd=user.work, rows=size[0], cols=size[1])
    try:
        t.wait_for(agent.ready, START)
        t.settle(1, at_most=5)
        prompt = "Write. (essay: %d)" % SECTIONS
        t.type(prompt)
        t.wait_for("(essay: %d)" % SECTIONS, START)
        t.settle(0.6, at_most=2)
        t.keys("Enter")
        t.wait_for("Model: the end", START)
        t.settle(1, at_most=3)
        with t.changed:
            return bytes(t.raw)
    finally:
        t.close()


def places(data):
    """Offsets outside of synchronized updates, between sequences, spread over the recording; the last is its end."""
    ends = [m.end() for m in re.finditer(rb"\x1b\[\?2026l|\r\n", data)]
    outside = [at for at in ends if data.rfind(b"\x1b[?2026h", 0, at) <= data.rfind(b"\x1b[?2026l", 0, at)]
    step = max(1, len(outside) // PLACES)
    return sorted(set(outside[step - 1::step]) | {len(data)})


def in_xterm(path, size, offsets):
    env = dict(os.environ, NODE_PATH=os.path.join(agents.FOLDER, "node_modules"), PATH=agents.BIN + ":" + os.environ["PATH"])
    out = subprocess.run(["node", os.path.join(HERE, "xterm.js"), path, *map(str, size), *map(str, offsets)], env=env, check=True,
                         stdout=subprocess.PIPE, timeout=120).stdout
    return json.loads(out)


def columns(runs, width):
    """Runs of text as cells: one style for each column, and the text of the whole row."""
    styles, text = [], ""
    for run in runs:
        styles += [run["style"]] * run["columns"]
        text += run["text"]
    return text, styles + [{}] * (width - len(styles))


def seen(style, blank):
    """What of a style can be seen, and both tell."""
    out = {k: v for k, v in style.items() if k not in ("link", "underline_color", "blink")}
    if "underline" in out:
        out["underline"] = True
    return {k: v for k, v in out.items() if not blank or k in VISIBLE_ON_BLANKS or (k == "fg" and "reverse" in out)}


def ours(screen, size):
    """The screen as rows of (text, styles by column, which columns are linked)."""
    rows = {line["number"] - screen["top"]: line["runs"] for line in screen["lines"] if line["number"] >= screen["top"]}
    return [columns(rows.get(y, []), size[1]) for y in range(size[0])]


def differences(screen, other, size):
    out = []
    for y, ((text, styles), line) in enumerate(zip(ours(screen, size), other["lines"])):
        cells = line["cells"]
        theirs = re.sub(r"[\s\u200b]+$", "", "".join(c[0] for c in cells))  # where Qwen draws its cursor; DIFFERENT says why
        if text.rstrip() != theirs:
            out.append("row %d: %r\nxterm.js: %r" % (y, text.rstrip(), theirs))
            continue
        for x, (cell, style) in enumerate(zip(cells, styles)):
            linked = "link" in style
            blank = cell[0] == " "
            a, b = seen(style, blank), seen(cell[1], blank)
            if linked:  # xterm.js underlines links by itself; the OSC 8 convention leaves that to the terminal
                a.pop("underline", None), b.pop("underline", None)
            if a != b:
                out.append("row %d, column %d, %r: %r\nxterm.js: %r" % (y, x, cell[0], a, b))
                break
    if (screen["cursor"]["row"], min(screen["cursor"]["col"], size[1] - 1)) != (other["row"], min(other["col"], size[1] - 1)):
        out.append("cursor: %r\nxterm.js: %r" % (screen["cursor"], (other["row"], other["col"])))
    if screen["alternate"] != other["alternate"]:
        out.append("alternate screen: %r" % screen["alternate"])
    return out


def replay(user, path, size, offsets, others):
    """What differs at each offset: a list of lists."""
    fifo = path + ".fifo"
    os.mkfifo(fifo)
    program = user.write_program("player", "#!/usr/bin/python3\n" + PLAYER)
    ident = user.new("shell", "--size", "%dx%d" % (size[1], size[0]), "--", "-c", "exec %s %s %s" % (program, path, fifo))
    out = []
    with open(fifo, "w") as orders:
        for n, other in enumerate(others):
            # the title tells that it has all arrived: it is no part of what is compared
            print(offsets[n], "at %d" % n, file=orders, flush=True)
            wait_until(lambda n=n: user.session(ident)["title"] == "at %d" % n, "byte %d is reached" % offsets[n])
            out.append(differences(user.json("capture", ident), other, size))
    user.ok("stop", ident, "--grace", "0")
    return out


@pytest.mark.limit(400)
@pytest.mark.parametrize("size", SIZES, ids=["%dx%d" % (c, r) for r, c in SIZES])
@pytest.mark.parametrize("agent", agents.AGENTS.values(), ids=agents.AGENTS.keys())
def test_xterm_shows_the_same(user, agent, size, tmp_path):
    path = str(tmp_path / "recording")
    with open(path, "wb") as f:
        f.write(record(user, agent, size))
    with open(path, "rb") as f:
        offsets = places(f.read())
    assert len(offsets) >= 2, "nothing was recorded"
    found = replay(user, path, size, offsets, in_xterm(path, size, offsets))
    assert not any(found), "\n".join("at byte %d: %s" % (at, line) for at, lines in zip(offsets, found) for line in lines[:4])


FEATURES = {
    "a family": "\U0001f468\u200d\U0001f469\u200d\U0001f467>", "VS16": "\u2764\ufe0f>", "a flag": "\U0001f1e9\U0001f1ea>",
    "a skin tone": "\U0001f44d\U0001f3fd>", "a keycap": "1\ufe0f\u20e3>", "jamo": "\u1112\u1161\u11ab>", "marks": "e\u0301a\u0308>",
    "a vowel sign": "\u0ba4\u0bbf>", "Thai": "\u0e17\u0e35\u0e48>", "icons": "\uf09b\U000f02d4>", "joined emoji": "\U0001f642\u200d\u2194\ufe0f>",
    "a soft hyphen": "a\u00adb>", "a conjunct": "\u0915\u094d\u0937\u093f>", "VS15": "\u231a\ufe0e>", "SARA AM": "\u0e01\u0e33>",
    "an emoji of Unicode 16": "\U0001fae9>", "a hexagram": "\u4dc0>", "half a flag": "\U0001f1e9>", "U+200B": "a\u200bb>",
    "background erase": "\x1b[44mab\x1b[K\x1b[m\r\nx", "ED with a background": "\x1b[44m\x1b[2J\x1b[m\x1b[Hx", "REP": "ab\x1b[3b>",
    "a scroll region": "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\n\nX\x1b[r", "ICH": "abcdef\x1b[3G\x1b[2@X", "DCH": "abcdef\x1b[3G\x1b[2P",
    "IL": "1\r\n2\r\n3\x1b[2;2H\x1b[LX", "DL": "1\r\n2\r\n3\x1b[2;2H\x1b[MX", "ECH": "abcdef\x1b[2G\x1b[41m\x1b[3X",
    "SU": "1\r\n2\r\n3\x1b[41m\x1b[2S", "SD": "1\r\n2\r\n3\x1b[T", "ED 0": "abc\r\ndef\x1b[1;2H\x1b[J", "ED 1": "abc\r\ndef\x1b[2;2H\x1b[1J",
    "EL 1": "abc\x1b[2G\x1b[1Kx", "ED 3": "x\x1b[3Jy", "a wrap": "x" * 80 + "y", "BS after a full row": "x" * 80 + "\by",
    "CR after a full row": "x" * 80 + "\r\ny", "a wide character that does not fit": "x" * 79 + "\u6f22", "half of one": "\u6f22\u6f22\x1b[2GX",
    "no autowrap": "a\x1b[?7l" + "z" * 100 + "\x1b[?7h", "EL after a full row": "x" * 80 + "\x1b[K", "DECSC": "\x1b[31ma\x1b7\x1b[m\r\nb\x1b8c",
    "the alternate screen": "main\x1b[?1049h\x1b[Halt\x1b[?1049lback",
    "SGR": "\x1b[1mb\x1b[2md\x1b[22;3mi\x1b[23;4mu\x1b[24;7mr\x1b[27;9ms\x1b[29;53mo\x1b[55;8mh\x1b[28m>",
    "kinds of underline": "\x1b[4:3;58:2::1:2:3mx\x1b[4:0my\x1b[4;24mz", "colours": "\x1b[38;5;200;48;5;17mx\x1b[38:2::4:5:6mz\x1b[91;102my",
    "SGR 38:2:R:G:B": "\x1b[38:2:1:2:3my", "dim and colour": "\x1b[2;38;2;9;9;9mx", "a link": "\x1b]8;;http://example.org\x1b\\ab\x1b]8;;\x1b\\c",
    "tabs": "a\tb\x1b[3g\tc", "CHT, CBT": "\x1b[2Ix\x1b[Zy", "origin mode": "\x1b[3;10r\x1b[?6h\x1b[1;1HX\x1b[?6l\x1b[r",
    "IND at the end": "1\x1b[24;1H2\x1bD3", "RI at the top": "1\x1bM2", "NEL": "1\x1bE2", "DECALN": "\x1b#8", "CUB": "abc\x1b[99DX",
    "VPA, VPR": "\x1b[5dx\x1b[3ey", "HPA, HPR": "\x1b[5`x\x1b[3ay", "insert mode": "abc\x1b[G\x1b[4hX\x1b[4l", "LNM": "\x1b[20ha\nb\x1b[20l",
    "line drawing": "\x1b(0lqk\x1b(Bx", "SO, SI": "\x1b)0\x0elqk\x0fx", "SL": "abc\x1b[ @", "DECIC": "abcd\x1b[2G\x1b[2'}",
    "SCOSC": "a\x1b[sb\x1b[uc", "DECSTR": "\x1b[1;4mx\x1b[!py", "margins at the sides": "\x1b[?69h\x1b[3;6s\x1b[1;3Habcdefg\x1b[?69l",
    "no UTF-8": b"a\xff\xc2b",
}
DIFFERENT = {
    "a conjunct": "one cluster with the width of its base: UAX 29 GB9c (xterm.js has Unicode 15.0, which lacks the rule)",
    "VS15": "U+FE0E asks for the text form, which is narrow: UTS 51 section 2; xterm.js gives it two columns",
    "SARA AM": "U+0E33 takes a column of its own: UAX 11; xterm.js counts the cluster's first character",
    "an emoji of Unicode 16": "U+1FAE9 is wide: EastAsianWidth-16.0.0",
    "a hexagram": "U+4DC0 is wide: EastAsianWidth-16.0.0",
    "half a flag": "a regional indicator alone is drawn as a wide letter: Emoji_Presentation, UTS 51 section 1.4.1",
    "U+200B": "takes no column: Default_Ignorable_Code_Point, UAX 44; xterm.js gives it one",
    "EL after a full row": "the cursor stands in the last column, which is erased: ECMA-48 8.3.41, xterm; xterm.js erases nothing",
    "SGR 38:2:R:G:B": "without a colour space the three are red, green, blue: xterm ctlseqs, SGR 38; xterm.js leaves the red out",
    "margins at the sides": "DECLRMM is of the VT420: xterm ctlseqs; xterm.js does not have it",
    "no UTF-8": "U+FFFD for each maximal part: Unicode 3.9, D93b; xterm.js shows nothing",
}


def test_xterm_shows_the_same_of_each_feature(user, tmp_path):
    data, offsets, path = b"", [], str(tmp_path / "features")
    for feature in FEATURES.values():
        data += b"\x1bc" + (feature if isinstance(feature, bytes) else feature.encode())
        offsets.append(len(data))
    with open(path, "wb") as f:
        f.write(data)
    found = dict(zip(FEATURES, replay(user, path, (24, 80), offsets, in_xterm(path, (24, 80), offsets))))
    assert {name: lines for name, lines in found.items() if lines and name not in DIFFERENT} == {}
    assert [name for name in DIFFERENT if not found[name]] == [], "these are the same now"
