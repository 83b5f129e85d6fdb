"""What the programs in the panes print: the same bytes in each run, from fixed seeds.

None of it contains ^ & or @: markers and keys are made of those, so that seeing them in the output means that the
screen shows them.
"""
import os
import random

NAMES = ("log", "truecolor", "repaint", "utf8")     # printed as fast as can be; `spinner` is not among them
FRAME_END = b"\x1b[?25h"                            # of repaint and spinner
VOCABULARY = ("GET POST 200 404 503 worker started session closed request took ms cache miss src/main.c:42 warning error "
              "retry upstream connected bytes flush queue commit merge test passed failed deploy token model stream").split()
SCRIPTS = "端末画面描画速度測定中文字符显示效率测试한국어터미널성능"
MARKED = ("e\u0301", "a\u0308", "naïve", "Ωμέγα", "привет", "o\u0302")
EMOJI = "🚀🔥✅🎉🤖📦🧪🔧💡🐛"


def sentence(rng, width):
    out, used = [], 0
    while True:
        word = rng.choice(VOCABULARY)
        used += len(word) + 1
        if used > width:
            return " ".join(out)
        out.append(word)


def log(rng):
    """A line of a server's log: text alone."""
    return "%02d:%02d:%02d.%03d %s\r\n" % (rng.randrange(24), rng.randrange(60), rng.randrange(60), rng.randrange(1000),
                                           sentence(rng, rng.randint(40, 100)))


def truecolor(rng):
    """A line with a 24-bit colour for each word, as agents' diffs and highlighted code have."""
    def paint(word):
        color = ";".join(str(rng.randrange(256)) for _ in range(3))
        return rng.choice(("\x1b[38;2;%sm%s\x1b[39m", "\x1b[1;38;2;%sm%s\x1b[0m", "\x1b[48;2;%sm%s\x1b[49m")) % (color, word)
    return " ".join(map(paint, sentence(rng, 80).split())) + "\r\n"


def repaint(rng):
    """One frame of an agent's interface: its text is new, the box of its input stays; every line erased to its end."""
    rows = ["\x1b[38;5;%dm%s\x1b[0m" % (rng.randrange(16, 256), sentence(rng, 98)) for _ in range(26)]
    rows += ["╭" + "─" * 96 + "╮", "│ > " + " " * 93 + "│", "╰" + "─" * 96 + "╯"]
    return "\x1b[?25l" + "".join("\x1b[%d;1H%s\x1b[K" % line for line in enumerate(rows, 1)) + "\x1b[28;5H" + FRAME_END.decode()


def utf8(rng):
    """A line of wide, marked and composed characters."""
    out, used = [], 0
    while used < 90:
        kind = rng.randrange(4)
        text = ("".join(rng.choice(SCRIPTS) for _ in range(4)) if kind < 2 else rng.choice(EMOJI) if kind == 2
                else rng.choice(MARKED))
        out.append(text)
        used += 9 if kind < 2 else 3 if kind == 2 else len(text) + 1
    return " ".join(out) + "\r\n"


class Spinner:
    """An agent at work: every frame paints the whole screen, but only a spinner and a clock change; now and then comes a new line."""

    def __init__(self):
        self.count, self.rows = 0, None

    def __call__(self, rng):
        self.rows = self.rows or [sentence(rng, 80) for _ in range(26)]
        if self.count % 10 == 9:
            self.rows = self.rows[1:] + [sentence(rng, 80)]
        status = "%s Working (%d.%d s, %d tokens)" % ("⠋⠙⠹⠸⠼⠴⠦⠧"[self.count % 8], self.count // 10, self.count % 10, self.count * 37)
        rows = self.rows + ["─" * 80, "> ", "─" * 80, "\x1b[38;2;215;119;87m%s\x1b[0m" % status]
        self.count += 1
        return "\x1b[?25l\x1b[H" + "".join("%s\x1b[K\r\n" % row for row in rows) + FRAME_END.decode()


def lines(count, folder):
    """The path of a file of so many lines of the log."""
    path = os.path.join(folder, "lines-%d" % count)
    if not os.path.exists(path):
        rng = random.Random(count)
        with open(path, "wb") as f:
            f.write("".join(log(rng) for _ in range(count)).encode())
    return path


def make(name, size, folder):
    """The path of a file of at least `size` bytes of a workload."""
    path = os.path.join(folder, "%s-%d" % (name, size))
    if not os.path.exists(path):
        rng, maker, total = random.Random(name), Spinner() if name == "spinner" else globals()[name], 0
        with open(path + ".part", "wb") as f:
            while total < size:
                total += f.write(maker(rng).encode())
        os.rename(path + ".part", path)
    return path
