#!/usr/bin/python3
"""Makes man/handler.png: a picture of a real run, Claude Code and Codex side by side on a fake model server.

  tests/real/screenshot.py [OUT.png]

Needs python3-pil and DejaVu Sans Mono (fonts-dejavu-core), and the agents as `make test-real` installs them.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests", "e2e"), HERE]

from PIL import Image, ImageDraw, ImageFont  # noqa: E402

import agents  # noqa: E402
from fake_model import FakeModel  # noqa: E402
from lib.program import Handler  # noqa: E402

ROWS, COLS, SIZE = 34, 150, 16
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono%s.ttf"
BACKGROUND, FOREGROUND = (0x16, 0x18, 0x1d), (0xd0, 0xd4, 0xdc)
ANSI = [0x16181d, 0xe06c75, 0x98c379, 0xe5c07b, 0x61afef, 0xc678dd, 0x56b6c2, 0xd0d4dc,
        0x5c6370, 0xff7b86, 0xb5e890, 0xffd68a, 0x7cc4ff, 0xe08cff, 0x6fd3e0, 0xffffff]


def split(value):
    return value >> 16 & 255, value >> 8 & 255, value & 255


def palette(index):
    if index < 16:
        return split(ANSI[index])
    if index < 232:
        index -= 16
        return tuple(0 if n == 0 else 55 + 40 * n for n in (index // 36, index // 6 % 6, index % 6))
    return (8 + 10 * (index - 232),) * 3


def colour(value, default):
    if value is None:
        return default
    return palette(value) if isinstance(value, int) else tuple(value)


def mix(a, b):
    return tuple((x * 6 + y * 4) // 10 for x, y in zip(a, b))


def draw(screen, path):
    fonts = {bold: ImageFont.truetype(FONT % ("-Bold" if bold else ""), SIZE) for bold in (False, True)}
    width, height = int(fonts[False].getlength("M")), SIZE + 4
    image = Image.new("RGB", (COLS * width + 16, ROWS * height + 16), BACKGROUND)
    pen = ImageDraw.Draw(image)
    for row in range(ROWS):
        for col in range(COLS):
            cell = screen.cell(row, col)
            style = cell.style
            fg, bg = colour(style.fg, FOREGROUND), colour(style.bg, BACKGROUND)
            if style.reverse:
                fg, bg = bg, fg
            if style.dim:
                fg = mix(fg, bg)
            x, y = 8 + col * width, 8 + row * height
            if bg != BACKGROUND:
                pen.rectangle((x, y, x + width * max(cell.width, 1) - 1, y + height - 1), fill=bg)
            if cell.text.strip():
                pen.text((x, y + 1), cell.text, font=fonts[bool(style.bold)], fill=fg)
            if style.underline:
                pen.line((x, y + height - 2, x + width, y + height - 2), fill=fg)
    image.save(path, optimize=True)


def say(t, text):
    """Types a prompt as a person does: when the program is at rest, with a look at the screen before Enter."""
    t.settle(1)
    t.type(text)
    t.wait_for(text[-12:], 30)
    t.settle(0.5)
    t.keys("Enter")


def play(h, model):
    """What the picture shows: two agents on one task, one of them asking for permission."""
    h.write_agent("reviewer", harness="claude-code", instructions="You review changes. You never edit files.",
                  args=["--permission-mode", "manual"])
    t = h.terminal("terminal", "reviewer", "codex", "-C", h.work, "--layout", "columns", rows=ROWS, cols=COLS)
    t.wait_for("❯", 90)
    t.wait_for("›", 90)
    say(t, "Run the test suite. (run: make test)")
    t.wait_for("1. Yes", 60)
    t.keys("C-b", "Right")
    say(t, "Summarise the change. (say: The parser keeps half-read sequences over two reads.)")
    t.wait_for("Model: The parser", 60)
    t.settle(1)
    return t


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "man", "handler.png")
    agents.install()
    folder = os.path.join(agents.FOLDER, "homes")
    os.makedirs(folder, exist_ok=True)
    with FakeModel() as model:
        h = Handler(base=os.path.join(folder, "picture"))
        try:
            h.work = os.path.join(h.home, "src", "api")  # agents show it as ~/src/api
            os.makedirs(h.work, exist_ok=True)
            h.env["PATH"] = agents.BIN + ":" + h.env["PATH"]
            for agent in agents.AGENTS.values():
                h.env.update(agent.prepare(h.home, h.work, model.url))
            draw(play(h, model).screen, out)
        finally:
            h.close()


if __name__ == "__main__":
    main()
