"""The screen of the outer terminal: what a person would see, and what the terminal would answer.

Bytes go in with feed(); replies to queries come out of it.  It knows what current terminals know (ECMA-48, xterm's
control sequences, kitty's keyboard protocol, modes 2026, 2027, 2031, 2048) and writes down what it does not know in
`unknown`, so that a test can demand that nothing of that kind is sent.  It is written independently of the
emulator under test, and is compared with pyte where pyte is right (test_lib.py).

Rows and columns are 0-based.
"""
import base64
import collections
import re
import unicodedata

Style = collections.namedtuple(
    "Style", "fg bg underline_color bold dim italic underline blink reverse conceal strike overline link")
PLAIN = Style(None, None, None, False, False, False, 0, False, False, False, False, False, None)
Cell = collections.namedtuple("Cell", "text width style")  # width 0: right half of a wide character
BLANK = Cell(" ", 1, PLAIN)

SEQUENCE = re.compile(
    rb"\x1b\[(?P<csi>[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e])"
    rb"|\x1b\](?P<osc>[^\x07\x1b]*)(?:\x07|\x1b\\)"
    rb"|\x1b(?P<kind>[P_^X])(?P<string>(?:[^\x1b]|\x1b(?!\\))*)\x1b\\"
    rb"|\x1b(?P<esc>[\x20-\x2f]*[\x30-\x4f\x51-\x57\x59\x5a\x5c\x60-\x7e])", re.S)
PRINTABLE = re.compile(rb"[^\x00-\x1f\x7f]+")
CSI = re.compile(rb"([<=>?]?)([0-9;:]*)([\x20-\x2f]*)([\x40-\x7e])")

LINE_DRAWING = dict(zip("`afgjklmnopqrstuvwxyz{|}~",
                        "◆▒°±┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"))

# DEC private modes and whether they are set when a terminal starts.
MODES = {1: False, 5: False, 6: False, 7: True, 9: False, 12: False, 25: True, 45: False, 47: False, 66: False,
         69: False, 1000: False, 1002: False, 1003: False, 1004: False, 1005: False, 1006: False, 1007: False,
         1015: False, 1016: False, 1047: False, 1048: False, 1049: False, 2004: False, 2026: False, 2027: False,
         2031: False, 2048: False}
MOUSE_MODES = (9, 1000, 1002, 1003)


def char_width(c):
    """Columns of one character (UAX 11; marks and joiners take none)."""
    code = ord(c)
    if code < 0x7f:
        return 1
    if unicodedata.category(c) in ("Mn", "Me") or 0x1160 <= code <= 0x11ff or code in (0x200b, 0x200c, 0x200d, 0x2060):
        return 0
    if unicodedata.east_asian_width(c) in "WF" or 0x1f900 <= code <= 0x1faff:
        return 2
    return 1


def is_regional(c):
    return 0x1f1e6 <= ord(c) <= 0x1f1ff


class Profile:
    """What kind of terminal it is."""

    def __init__(self, name, term="xterm-256color", colorterm="truecolor", da1="62;22;52", xtversion="ghostty 1.2.0",
                 modes=tuple(MODES), kitty=True, modify_other_keys=True, colors=("d0d0/d0d0/d0d0", "1010/1010/1010"),
                 clusters=True, sizes=True, xtgettcap=True, answers=True, selector=None, widths=None):
        """selector: whether U+FE0F makes a character wide (with clusters it does).  widths: columns of characters by
        their code point, where they are others than char_width says."""
        self.name, self.term, self.colorterm, self.da1, self.xtversion = name, term, colorterm, da1, xtversion
        self.modes, self.kitty, self.modify_other_keys, self.colors = modes, kitty, modify_other_keys, colors
        self.clusters, self.sizes, self.xtgettcap, self.answers = clusters, sizes, xtgettcap, answers
        self.selector, self.widths = selector, widths or {}

    def but(self, **changes):
        new = Profile(self.name)
        new.__dict__.update(self.__dict__)
        new.__dict__.update(changes)
        return new


OLD_MODES = tuple(m for m in MODES if m < 2000) + (2004,)
PROFILES = {p.name: p for p in (
    Profile("modern"),
    Profile("light", colors=("1010/1010/1010", "fafa/fafa/fafa")),
    Profile("xterm", da1="64;1;2;6;9;15;16;17;18;21;22;28", xtversion="XTerm(379)", modes=OLD_MODES, kitty=False,
            clusters=False, colorterm=""),
    Profile("tmux", term="tmux-256color", colorterm="truecolor", da1="1;2;4", xtversion="tmux 3.5a",
            modes=OLD_MODES, kitty=False, xtgettcap=False, clusters=False, colors=None),
    Profile("plain", term="xterm", colorterm="", modes=(), kitty=False, modify_other_keys=False, colors=None,
            clusters=False, sizes=False, xtgettcap=False, answers=False),
    Profile("linux", term="linux", colorterm="", da1="?6", xtversion=None, modes=(), kitty=False,
            modify_other_keys=False, colors=None, clusters=False, sizes=False, xtgettcap=False),
)}


class Screen:
    def __init__(self, rows, cols, profile):
        self.rows, self.cols, self.profile = rows, cols, profile
        self.title = self.icon = ""
        self.titles = []            # XTWINOPS 22
        self.bells = 0
        self.clipboard = []         # what OSC 52 wrote
        self.notifications = []     # bodies of OSC 9, 99, 777
        self.progress = None        # OSC 9;4
        self.cwd = None             # OSC 7
        self.pointer = None         # OSC 22
        self.unknown = []           # sequences that this terminal does not know
        self.queries = []           # those it was asked
        self.cursor_hidden_count = 0
        self.sync_count = 0
        self.pending = b""          # the beginning of a sequence
        self.text_pending = b""     # the beginning of a UTF-8 character
        self.replies = []
        self.reset()

    # -- state -----------------------------------------------------------------------------------------------

    def reset(self):
        self.grid = [self.blank_row() for _ in range(self.rows)]
        self.other = [self.blank_row() for _ in range(self.rows)]
        self.history = []
        self.alternate = False
        self.modes = dict(MODES)
        self.insert = self.application_keypad = False
        self.kitty = {False: [0], True: [0]}
        self.other_keys = 0
        self.row = self.col = 0
        self.wrap = False
        self.style = PLAIN
        self.saved = {}
        self.top, self.bottom = 0, self.rows - 1
        self.left, self.right = 0, self.cols - 1
        self.tabs = set(range(8, self.cols, 8))
        self.charset, self.charsets = 0, ["B", "B"]
        self.cursor_shape = 0
        self.colors_set = {}        # OSC 4, 10, 11, 12: what was set and not reset
        self.last = None            # place of the character drawn last, while the cursor is right behind it
        self.shown = None           # the grid as it was when a synchronized update began

    def blank_row(self):
        return [BLANK] * self.cols

    def erased(self):
        """Erasing takes the background of the current style (xterm's BCE)."""
        return BLANK if self.style.bg is None else Cell(" ", 1, PLAIN._replace(bg=self.style.bg))

    @property
    def kitty_flags(self):
        return self.kitty[self.alternate][-1]

    def resize(self, rows, cols):
        def fit(grid):
            grid = [row[:cols] + [BLANK] * (cols - len(row)) for row in grid[:rows]]
            return grid + [[BLANK] * cols for _ in range(rows - len(grid))]
        self.rows, self.cols = rows, cols
        self.grid, self.other = fit(self.grid), fit(self.other)
        self.shown = fit(self.shown) if self.shown else None
        self.top, self.bottom, self.left, self.right = 0, rows - 1, 0, cols - 1
        self.row, self.col = min(self.row, rows - 1), min(self.col, cols - 1)
        self.tabs = set(range(8, cols, 8))
        self.wrap = False
        return self.resize_report() if self.modes[2048] else b""

    def left_over(self):
        """Names of what a program has switched on and not off again; empty after a clean exit."""
        out = ["mode %d is %s" % (m, "set" if on else "reset")
               for m, on in sorted(self.modes.items()) if on != MODES[m] and m not in (12, 1048)]
        for alternate, stack in self.kitty.items():
            if stack != [0]:
                out.append("kitty keyboard flags %r on the %s screen" % (stack, "alternate" if alternate else "main"))
        for name, is_set in (("modifyOtherKeys", self.other_keys), ("application keypad", self.application_keypad),
                             ("insert mode", self.insert), ("cursor shape", self.cursor_shape),
                             ("pointer shape", self.pointer not in (None, "", "default")),
                             ("style", self.style != PLAIN), ("title stack", self.titles),
                             ("scroll region", (self.top, self.bottom) != (0, self.rows - 1)),
                             ("line drawing", self.charset or self.charsets[0] != "B"),
                             ("an unfinished sequence", self.pending)):
            if is_set:
                out.append("%s (%r)" % (name, is_set))
        out += ["colour %s" % k for k in self.colors_set]
        return out

    # -- what is on it ---------------------------------------------------------------------------------------

    def visible(self):
        return self.shown if self.shown is not None else self.grid

    def line(self, row):
        return "".join(c.text for c in self.visible()[row] if c.width).rstrip()

    def lines(self):
        return [self.line(r) for r in range(self.rows)]

    def text(self):
        return "\n".join(self.lines())

    def cell(self, row, col):
        return self.visible()[row][col]

    def find(self, text, start_row=0):
        """(row, column) of the first place that shows `text`, or None."""
        for r in range(start_row, self.rows):
            cells = self.visible()[r]
            line = "".join(c.text for c in cells if c.width)
            at = line.find(text)
            if at >= 0:
                n = col = 0
                while n < at:
                    n += len(cells[col].text) if cells[col].width else 0
                    col += 1
                while not cells[col].width:
                    col += 1
                return r, col
        return None

    # -- input -----------------------------------------------------------------------------------------------

    def feed(self, data):
        """Takes output of the program; returns what the terminal answers."""
        self.replies = []
        data, self.pending = self.pending + data, b""
        pos, end = 0, len(data)
        while pos < end:
            m = PRINTABLE.match(data, pos)
            if m:
                self.print_bytes(m.group())
                pos = m.end()
                continue
            self.text_pending = b""
            if data[pos] != 0x1b:
                self.control(data[pos])
                pos += 1
                continue
            m = SEQUENCE.match(data, pos)
            if not m:
                if end - pos > 1 << 20:
                    raise ValueError("a string of more than 1 MiB was sent to the terminal")
                self.pending = data[pos:]
                break
            self.sequence(m)
            pos = m.end()
        return b"".join(self.replies) if self.profile.answers else b""

    def print_bytes(self, data):
        data, self.text_pending = self.text_pending + data, b""
        try:
            text = data.decode()
        except UnicodeDecodeError as e:
            if e.reason == "unexpected end of data" and e.end == len(data):
                text, self.text_pending = data[:e.start].decode(errors="replace"), data[e.start:]
            else:
                text = data.decode(errors="replace")
                self.unknown.append("invalid UTF-8 %r" % data[e.start:e.end])
        for c in text:
            if 0x80 <= ord(c) < 0xa0:
                self.unknown.append("C1 control %r" % c)
            else:
                self.draw(c)

    def control(self, c):
        self.last = None
        if c == 7:
            self.bells += 1
        elif c == 8:
            self.col, self.wrap = max(0, self.col - 1), False
        elif c == 9:
            self.col = min((t for t in self.tabs if t > self.col), default=self.cols - 1)
        elif c in (10, 11, 12):
            self.index()
        elif c == 13:
            self.col, self.wrap = 0, False
        elif c in (14, 15):
            self.charset = 1 if c == 14 else 0
        elif c:
            self.unknown.append("control %02x" % c)

    def sequence(self, m):
        raw = m.group()
        if m.lastgroup == "csi":
            last, self.last = self.last, None
            done = self.csi(m.group("csi"), last)
        elif m.lastgroup == "osc":
            done = self.osc(m.group("osc").decode(errors="replace"), raw)
        elif m.lastgroup == "string":
            done = self.string(m.group("kind"), m.group("string"))
        else:
            self.last = None
            done = self.escape(m.group("esc").decode())
        if not done:
            self.unknown.append(repr(raw)[2:-1])

    # -- drawing ---------------------------------------------------------------------------------------------

    def joins(self, c, width):
        """Whether `c` belongs to the character before it."""
        if not self.last:
            return False
        before = self.grid[self.last[0]][self.last[1]].text
        if width == 0 or ord(c) == 0xfe0f:
            return True
        if not self.profile.clusters:
            return False
        return (before.endswith("\u200d") or 0x1f3fb <= ord(c) <= 0x1f3ff
                or (is_regional(c) and len(before) == 1 and is_regional(before)))

    def draw(self, c):
        if self.charsets[self.charset] == "0":
            c = LINE_DRAWING.get(c, c)
        width = self.profile.widths.get(ord(c), char_width(c))
        if self.joins(c, width):
            self.extend(c)
            return
        if width == 0:
            return
        if self.wrap and self.modes[7]:
            self.col = 0
            self.index()
        elif self.col + width > self.cols and self.modes[7]:
            self.col = 0
            self.index()
        self.wrap = False
        if self.insert:
            self.insert_cells(width)
        self.place(Cell(c, width, self.style))
        self.last = (self.row, self.col)
        self.col += width
        if self.col >= self.cols:
            self.col, self.wrap = self.cols - 1, True

    def place(self, cell):
        row = self.grid[self.row]
        for col in range(self.col, min(self.col + cell.width, self.cols)):
            self.split_wide(row, col)
        row[self.col] = cell
        if cell.width == 2 and self.col + 1 < self.cols:
            row[self.col + 1] = Cell("", 0, cell.style)

    @staticmethod
    def split_wide(row, col):
        """Overwriting half of a wide character blanks its other half."""
        if row[col].width == 0 and col:
            row[col - 1] = Cell(" ", 1, row[col - 1].style)
        if row[col].width == 2 and col + 1 < len(row):
            row[col + 1] = Cell(" ", 1, row[col + 1].style)

    def extend(self, c):
        r, col = self.last
        cell = self.grid[r][col]
        selects = self.profile.clusters if self.profile.selector is None else self.profile.selector
        wider = cell.width == 1 and (selects if ord(c) == 0xfe0f else self.profile.clusters and is_regional(c))
        self.grid[r][col] = Cell(cell.text + c, 2 if wider else cell.width, cell.style)
        if wider and col + 1 < self.cols:
            self.split_wide(self.grid[r], col + 1)
            self.grid[r][col + 1] = Cell("", 0, cell.style)
            self.col, self.wrap = (col + 2, False) if col + 2 < self.cols else (self.cols - 1, True)

    # -- moving ----------------------------------------------------------------------------------------------

    def index(self):
        self.wrap = False
        if self.row == self.bottom:
            self.scroll(1)
        elif self.row < self.rows - 1:
            self.row += 1

    def scroll(self, n):
        """Rows of the region move up by n (down if negative)."""
        blank = self.erased()
        for _ in range(min(abs(n), self.bottom - self.top + 1)):
            if self.left == 0 and self.right == self.cols - 1:
                if n > 0:
                    gone = self.grid.pop(self.top)
                    self.grid.insert(self.bottom, [blank] * self.cols)
                    if self.top == 0 and not self.alternate:
                        self.history.append(gone)
                else:
                    self.grid.pop(self.bottom)
                    self.grid.insert(self.top, [blank] * self.cols)
                continue
            part = slice(self.left, self.right + 1)
            order = range(self.top, self.bottom) if n > 0 else range(self.bottom, self.top, -1)
            for r in order:
                self.grid[r][part] = self.grid[r + (1 if n > 0 else -1)][part]
            edge = self.bottom if n > 0 else self.top
            self.grid[edge][part] = [blank] * (self.right - self.left + 1)

    def move(self, row, col, origin=True):
        if origin and self.modes[6]:
            row, low, high = row + self.top, self.top, self.bottom
        else:
            low, high = 0, self.rows - 1
        self.row, self.col, self.wrap = max(low, min(row, high)), max(0, min(col, self.cols - 1)), False

    def step(self, rows, cols):
        low = self.top if self.row >= self.top else 0
        high = self.bottom if self.row <= self.bottom else self.rows - 1
        self.row = max(low, min(self.row + rows, high))
        self.col, self.wrap = max(0, min(self.col + cols, self.cols - 1)), False

    def erase(self, row, first, last):
        cells = self.grid[row]
        self.split_wide(cells, first)
        self.split_wide(cells, last)
        cells[first:last + 1] = [self.erased()] * (last + 1 - first)

    def insert_cells(self, n):
        row = self.grid[self.row]
        self.split_wide(row, self.col)
        n = min(n, self.right + 1 - self.col)
        row[self.col:self.right + 1] = ([self.erased()] * n + row[self.col:self.right + 1 - n])

    def delete_cells(self, n):
        row = self.grid[self.row]
        n = min(n, self.right + 1 - self.col)
        row[self.col:self.right + 1] = row[self.col + n:self.right + 1] + [self.erased()] * n

    def lines_in_region(self, n):
        if not self.top <= self.row <= self.bottom:
            return
        top, self.top = self.top, self.row
        history, self.history = self.history, []
        self.scroll(n)
        self.top, self.history, self.col, self.wrap = top, history, 0, False

    # -- CSI -------------------------------------------------------------------------------------------------

    def csi(self, body, last):
        m = CSI.fullmatch(body)
        if not m:
            return False
        mark, params, between, final = (g.decode() for g in m.groups())
        key = mark + between + final
        if key == "m":
            return self.sgr(params)
        groups = [p.split(":") for p in params.split(";")]
        args = [int(g[0]) if g[0] else None for g in groups]
        if key == "b":
            return self.repeat(args, last)
        handler = self.CSI_TABLE.get(key)
        return bool(handler) and handler(self, args) is not False

    @staticmethod
    def arg(args, i, default=1):
        value = args[i] if i < len(args) else None
        return default if value is None or (value == 0 and default == 1) else value

    def repeat(self, args, last):
        if last:
            text = self.grid[last[0]][last[1]].text
            self.last = last
            for _ in range(self.arg(args, 0)):
                self.draw(text[0])
        return True

    def erase_display(self, args):
        how = self.arg(args, 0, 0)
        if how == 3:
            self.history = []
            return
        first = self.row + 1 if how == 0 else 0
        last = self.row - 1 if how == 1 else self.rows - 1
        if how != 2:
            self.erase_line([how])
        for r in range(first, last + 1):
            self.erase(r, 0, self.cols - 1)

    def erase_line(self, args):
        how = self.arg(args, 0, 0)
        self.erase(self.row, 0 if how else self.col, self.col if how == 1 else self.cols - 1)
        self.wrap = False

    def set_region(self, args):
        top, bottom = self.arg(args, 0) - 1, min(self.arg(args, 1, self.rows) or self.rows, self.rows) - 1
        if top < bottom:
            self.top, self.bottom = top, bottom
            self.move(0, 0)

    def set_sides_or_save(self, args):
        if not self.modes[69]:
            self.save()
            return
        left, right = self.arg(args, 0) - 1, min(self.arg(args, 1, self.cols) or self.cols, self.cols) - 1
        if left < right:
            self.left, self.right = left, right
            self.move(0, 0)

    def save(self):
        self.saved[self.alternate] = (self.row, self.col, self.style, self.wrap, self.charset, list(self.charsets),
                                      self.modes[6])

    def restore(self):
        if self.alternate in self.saved:
            (self.row, self.col, self.style, self.wrap, self.charset, charsets, self.modes[6]) = self.saved[self.alternate]
            self.charsets = list(charsets)
            self.row, self.col = min(self.row, self.rows - 1), min(self.col, self.cols - 1)
        else:
            self.move(0, 0)
            self.style = PLAIN

    def set_modes(self, args, on):
        for mode in args:
            if mode not in MODES or (self.profile.answers and mode not in self.profile.modes):
                self.unknown.append("DEC mode %s" % mode)
                if mode not in MODES:
                    continue
            if mode == 25 and self.modes[25] and not on:
                self.cursor_hidden_count += 1
            if mode in (47, 1047, 1049):
                self.switch(mode, on)
            elif mode == 2026:
                if on and self.shown is None:
                    self.shown = [list(r) for r in self.grid]
                    self.sync_count += 1
                elif not on:
                    self.shown = None
            elif mode == 1048:
                (self.save if on else self.restore)()
            elif mode == 69 and not on:
                self.left, self.right = 0, self.cols - 1
            self.modes[mode] = on
            if mode == 2048 and on:
                self.replies.append(self.resize_report())
        return True

    def resize_report(self):
        return b"\x1b[48;%d;%d;%d;%dt" % (self.rows, self.cols, self.rows * 16, self.cols * 8)

    def switch(self, mode, on):
        if on == self.alternate:
            return
        if mode == 1049 and on:
            self.save()
        self.grid, self.other, self.alternate = self.other, self.grid, on
        if on:
            self.grid = [self.blank_row() for _ in range(self.rows)]
        elif mode == 1049:
            self.restore()

    def ansi_mode(self, args, on):
        for mode in args:
            if mode == 4:
                self.insert = on
            else:
                return False
        return True

    def report_mode(self, args):
        mode = args[0]
        self.queries.append("DECRQM %s" % mode)
        value = 0 if mode not in self.profile.modes else 1 if self.modes[mode] else 2
        self.replies.append(b"\x1b[?%d;%d$y" % (mode, value))

    def status(self, args):
        self.queries.append("DSR %s" % args[0])
        if args[0] == 6:
            self.replies.append(b"\x1b[%d;%dR" % (self.row + 1, self.col + 1))
        elif args[0] == 5:
            self.replies.append(b"\x1b[0n")
        else:
            return False
        return True

    def status_private(self, args):
        self.queries.append("DSR ?%s" % args[0])
        if args[0] == 996 and self.profile.colors:
            self.replies.append(b"\x1b[?997;%dn" % (1 if self.profile.colors[1] < "8" else 2))
        elif args[0] == 6:
            self.replies.append(b"\x1b[?%d;%dR" % (self.row + 1, self.col + 1))

    def window(self, args):
        op = args[0]
        if op == 22:
            self.titles.append(self.title)
        elif op == 23 and self.titles:
            self.title = self.titles.pop()
        elif op in (14, 16, 18):
            self.queries.append("XTWINOPS %d" % op)
            if self.profile.sizes:
                self.replies.append({14: b"\x1b[4;%d;%dt" % (self.rows * 16, self.cols * 8), 16: b"\x1b[6;16;8t",
                                     18: b"\x1b[8;%d;%dt" % (self.rows, self.cols)}[op])
        return op in (14, 16, 18, 22, 23)

    def attributes(self, kind, reply):
        self.queries.append(kind)
        if reply:
            self.replies.append(reply.encode())

    def kitty_push(self, args):
        if self.profile.kitty:
            self.kitty[self.alternate].append(self.arg(args, 0, 0))
        return self.known_keys("kitty keyboard push")

    def kitty_pop(self, args):
        stack = self.kitty[self.alternate]
        for _ in range(self.arg(args, 0)):
            if len(stack) > 1:
                stack.pop()
            else:
                stack[0] = 0
        return self.known_keys("kitty keyboard pop")

    def kitty_set(self, args):
        flags, how = self.arg(args, 0, 0), self.arg(args, 1, 1)
        stack = self.kitty[self.alternate]
        if self.profile.kitty:
            stack[-1] = {1: flags, 2: stack[-1] | flags, 3: stack[-1] & ~flags}[how]
        return self.known_keys("kitty keyboard set")

    def known_keys(self, what):
        if self.profile.answers and not self.profile.kitty:
            self.unknown.append(what)
        return True

    def kitty_query(self, _):
        self.queries.append("kitty keyboard")
        if self.profile.kitty:
            self.replies.append(b"\x1b[?%du" % self.kitty_flags)

    def key_options(self, args):
        if args[0] == 4 and self.profile.modify_other_keys:
            self.other_keys = self.arg(args, 1, 0) or 0
        return True

    def key_options_query(self, args):
        if args[0] != 4:
            return False
        self.queries.append("modifyOtherKeys")
        if self.profile.modify_other_keys:
            self.replies.append(b"\x1b[>4;%dm" % self.other_keys)
        return True

    def soft_reset(self, _):
        self.modes.update({6: False, 7: True, 25: True, 1: False})
        self.insert = False
        self.top, self.bottom, self.left, self.right = 0, self.rows - 1, 0, self.cols - 1
        self.style, self.charset, self.charsets = PLAIN, 0, ["B", "B"]

    def set_cursor_shape(self, args):
        self.cursor_shape = self.arg(args, 0, 0)

    def clear_tabs(self, args):
        if self.arg(args, 0, 0) == 3:
            self.tabs = set()
        else:
            self.tabs.discard(self.col)

    def tab(self, n):
        for _ in range(abs(n)):
            places = [t for t in self.tabs if (t > self.col if n > 0 else t < self.col)]
            self.col = (min if n > 0 else max)(places, default=self.cols - 1 if n > 0 else 0)

    CSI_TABLE = {
        "A": lambda s, a: s.step(-s.arg(a, 0), 0), "B": lambda s, a: s.step(s.arg(a, 0), 0),
        "C": lambda s, a: s.step(0, s.arg(a, 0)), "D": lambda s, a: s.step(0, -s.arg(a, 0)),
        "a": lambda s, a: s.step(0, s.arg(a, 0)), "e": lambda s, a: s.step(s.arg(a, 0), 0),
        "E": lambda s, a: (s.step(s.arg(a, 0), -s.col),), "F": lambda s, a: (s.step(-s.arg(a, 0), -s.col),),
        "G": lambda s, a: s.move(s.row, s.arg(a, 0) - 1, False), "`": lambda s, a: s.move(s.row, s.arg(a, 0) - 1, False),
        "d": lambda s, a: s.move(s.arg(a, 0) - 1, s.col),
        "H": lambda s, a: s.move(s.arg(a, 0) - 1, s.arg(a, 1) - 1),
        "f": lambda s, a: s.move(s.arg(a, 0) - 1, s.arg(a, 1) - 1),
        "J": erase_display, "K": erase_line, "X": lambda s, a: s.erase(s.row, s.col, min(s.col + s.arg(a, 0), s.cols) - 1),
        "@": lambda s, a: s.insert_cells(s.arg(a, 0)), "P": lambda s, a: s.delete_cells(s.arg(a, 0)),
        "L": lambda s, a: s.lines_in_region(-s.arg(a, 0)), "M": lambda s, a: s.lines_in_region(s.arg(a, 0)),
        "S": lambda s, a: s.scroll(s.arg(a, 0)), "T": lambda s, a: s.scroll(-s.arg(a, 0)),
        "I": lambda s, a: s.tab(s.arg(a, 0)), "Z": lambda s, a: s.tab(-s.arg(a, 0)), "g": clear_tabs,
        "r": set_region, "s": set_sides_or_save, "u": lambda s, a: s.restore(),
        "h": lambda s, a: s.ansi_mode(a, True), "l": lambda s, a: s.ansi_mode(a, False),
        "?h": lambda s, a: s.set_modes(a, True), "?l": lambda s, a: s.set_modes(a, False),
        "?$p": report_mode, "n": status, "?n": status_private, "t": window,
        "c": lambda s, a: s.attributes("DA1", s.profile.da1 and "\x1b[?%sc" % s.profile.da1.lstrip("?")),
        ">c": lambda s, a: s.attributes("DA2", "\x1b[>1;10;0c"),
        "=c": lambda s, a: s.attributes("DA3", "\x1bP!|00000000\x1b\\"),
        ">q": lambda s, a: s.attributes("XTVERSION", s.profile.xtversion and "\x1bP>|%s\x1b\\" % s.profile.xtversion),
        ">u": kitty_push, "<u": kitty_pop, "=u": kitty_set, "?u": kitty_query, ">m": key_options,
        "?m": lambda s, a: s.key_options_query(a), "!p": soft_reset, " q": set_cursor_shape,
    }

    # -- SGR -------------------------------------------------------------------------------------------------

    def sgr(self, params):
        parts, i = [p.split(":") for p in params.split(";")], 0
        while i < len(parts):
            part = parts[i]
            code = int(part[0] or 0)
            if code in (38, 48, 58):
                used = self.sgr_color(code, part, parts[i + 1:])
                if not used:
                    return False
                i += used
                continue
            if not self.sgr_one(code, int(part[1] or 0) if len(part) > 1 else None):
                return False
            i += 1
        return True

    def sgr_color(self, code, part, rest):
        """Sets an extended colour; returns how many parameters it took."""
        name = {38: "fg", 48: "bg", 58: "underline_color"}[code]
        if len(part) > 1:
            numbers, used = [int(p or 0) for p in part[1:]], 1
            if numbers[0] == 2 and len(numbers) >= 5:
                del numbers[1]
        else:
            numbers = [int(p[0] or 0) for p in rest[:4]]
            used = 1 + (4 if numbers[:1] == [2] else 2)
        if numbers[:1] == [5] and len(numbers) > 1:
            value = numbers[1]
        elif numbers[:1] == [2] and len(numbers) >= 4:
            value = tuple(numbers[1:4])
        else:
            return 0
        self.style = self.style._replace(**{name: value})
        return used

    SGR_SET = {1: ("bold", True), 2: ("dim", True), 3: ("italic", True), 5: ("blink", True), 6: ("blink", True),
               7: ("reverse", True), 8: ("conceal", True), 9: ("strike", True), 21: ("underline", 2),
               23: ("italic", False), 24: ("underline", 0), 25: ("blink", False), 27: ("reverse", False),
               28: ("conceal", False), 29: ("strike", False), 39: ("fg", None), 49: ("bg", None),
               53: ("overline", True), 55: ("overline", False), 59: ("underline_color", None)}

    def sgr_one(self, code, sub):
        s = self.style
        if code == 0:
            self.style = PLAIN._replace(link=s.link)
        elif code == 4:
            self.style = s._replace(underline=1 if sub is None else sub)
        elif code == 22:
            self.style = s._replace(bold=False, dim=False)
        elif code in self.SGR_SET:
            name, value = self.SGR_SET[code]
            self.style = s._replace(**{name: value})
        elif 30 <= code <= 37 or 90 <= code <= 97:
            self.style = s._replace(fg=code - 30 if code < 40 else code - 82)
        elif 40 <= code <= 47 or 100 <= code <= 107:
            self.style = s._replace(bg=code - 40 if code < 50 else code - 92)
        else:
            return False
        return True

    # -- ESC, OSC, other strings -----------------------------------------------------------------------------

    def escape(self, body):
        if body[0] in "()" and len(body) == 2:
            self.charsets["()".index(body[0])] = body[1]
            return body[1] in "0B"
        simple = {"7": self.save, "8": self.restore, "D": self.index, "c": self.reset,
                  "E": lambda: (setattr(self, "col", 0), self.index()), "H": lambda: self.tabs.add(self.col),
                  "M": self.reverse_index, "=": lambda: setattr(self, "application_keypad", True),
                  ">": lambda: setattr(self, "application_keypad", False), "\\": lambda: None,
                  "#8": self.alignment}
        if body not in simple:
            return False
        simple[body]()
        return True

    def alignment(self):
        self.grid = [[Cell("E", 1, PLAIN)] * self.cols for _ in range(self.rows)]

    def reverse_index(self):
        self.wrap = False
        if self.row == self.top:
            self.scroll(-1)
        elif self.row:
            self.row -= 1

    def osc(self, text, raw):
        number, _, rest = text.partition(";")
        end = "\x07" if raw.endswith(b"\x07") else "\x1b\\"
        if number in ("0", "1", "2"):
            if number != "1":
                self.title = rest
            if number != "2":
                self.icon = rest
        elif number == "4":
            return self.palette(rest, end)
        elif number in ("10", "11", "12"):
            return self.dynamic_color(number, rest, end)
        elif number in ("104", "110", "111", "112"):
            for key in [k for k in self.colors_set if k.split(";")[0] == str(int(number) - 100)]:
                del self.colors_set[key]
        elif number == "7":
            self.cwd = rest
        elif number == "8":
            uri = rest.partition(";")[2]
            self.style = self.style._replace(link=uri or None)
        elif number == "9" and rest.startswith("4;"):
            self.progress = rest[2:]
        elif number in ("9", "99", "777"):
            self.notifications.append(rest)
        elif number == "22":
            self.pointer = rest
        elif number == "52":
            where, _, data = rest.partition(";")
            if data == "?":
                self.queries.append("OSC 52")
            else:
                self.clipboard.append(base64.b64decode(data).decode(errors="replace"))
        else:
            return False
        return True

    def palette(self, rest, end):
        index, _, value = rest.partition(";")
        if value != "?":
            self.colors_set["4;" + index] = value
            return True
        self.queries.append("OSC 4;" + index)
        if self.profile.colors:
            self.replies.append(("\x1b]4;%s;rgb:8080/8080/8080%s" % (index, end)).encode())
        return True

    def dynamic_color(self, number, rest, end):
        if rest != "?":
            self.colors_set[number] = rest
            return True
        self.queries.append("OSC " + number)
        if self.profile.colors:
            color = self.profile.colors[1 if number == "11" else 0]
            self.replies.append(("\x1b]%s;rgb:%s%s" % (number, color, end)).encode())
        return True

    def string(self, kind, data):
        if kind != b"P":
            return False
        if data.startswith(b"+q"):
            self.queries.append("XTGETTCAP")
            if self.profile.xtgettcap:
                for name in data[2:].split(b";"):
                    value = {b"524742": b"=38", b"5463": b"", b"5375": b""}.get(name.upper())
                    self.replies.append(b"\x1bP%d+r%s%s\x1b\\" % (value is not None, name, value or b""))
            return True
        if data.startswith(b"$q"):
            self.queries.append("DECRQSS")
            answer = {b"m": b"1$r0m", b" q": b"1$r%d q" % self.cursor_shape,
                      b"r": b"1$r%d;%dr" % (self.top + 1, self.bottom + 1)}.get(data[2:], b"0$r")
            self.replies.append(b"\x1bP" + answer + b"\x1b\\")
            return True
        return False
