"""Puppets: programs in panes that do what the test says and write down what they are given; and what a test asks of `handler terminal`.

A puppet draws its name and size ("left 59x37") in the corner of its screen, again after each change of size, unless it is told not
to.  What it reads goes to a file as it is, its sizes to another; what the test gives it, it writes to its terminal.
"""
import collections
import os
import re
import struct

from lib.wait import wait_until

PROGRAM = r'''#!/usr/bin/python3
import fcntl, os, select, signal, struct, sys, termios, time, tty
name, base, draws = sys.argv[1], sys.argv[2], sys.argv[3] == "draw"
tty.setraw(0, termios.TCSANOW)
wake, waker = os.pipe()
os.set_blocking(waker, False)
signal.set_wakeup_fd(waker)
signal.signal(signal.SIGWINCH, lambda *_: None)
orders = os.open(base + ".orders", os.O_RDWR)
given = os.open(base + ".given", os.O_WRONLY | os.O_APPEND)
sizes = os.open(base + ".sizes", os.O_WRONLY | os.O_APPEND)
def put(data):
    while data:
        data = data[os.write(1, data):]
size = None
def sized():
    global size
    rows, cols = struct.unpack("HHHH", fcntl.ioctl(0, termios.TIOCGWINSZ, b"\0" * 8))[:2]
    os.write(sizes, b"%d %d\n" % (rows, cols))
    before, size = size, (rows, cols)
    if draws and size != before:
        put(b"\x1b[H\x1b[2J%s %dx%d\r\n" % (name.encode(), cols, rows))
def exactly(n):
    data = b""
    while len(data) < n:
        data += os.read(orders, n - len(data))
    return data
def obey():
    kind, wait, n = struct.unpack("<BII", exactly(9))
    data = exactly(n)
    time.sleep(wait / 1000)
    if kind == 0:
        put(data)
    elif kind == 1:
        os.write(given, data)
    elif kind == 2:
        if os.fork() == 0:
            os.execl("/bin/sh", "sh", "-c", data.decode())
    elif kind == 3:
        termios.tcflush(0, termios.TCIFLUSH)
        sys.exit(int(data))
    elif kind == 4:
        os.kill(os.getpid(), int(data))
    elif kind == 5:
        signal.alarm(0)
        time.sleep(int(data) / 1000)
sized()
while True:
    ready = select.select([0, orders, wake], [], [])[0]
    if wake in ready:
        os.read(wake, 4096)
        sized()
    if orders in ready:
        obey()
    if 0 in ready:
        data = os.read(0, 65536)
        if not data:
            break
        os.write(given, data)
'''

Place = collections.namedtuple("Place", "row col rows cols")


class Puppet:
    """An agent of that name, of its own harness, whose one session is played by the test."""

    def __init__(self, handler, name, draws=True, newline=None):
        self.handler, self.name = handler, name
        self.base = os.path.join(handler.base, "puppet-" + name)
        for kind in (".given", ".sizes"):
            open(self.base + kind, "w").close()
        os.mkfifo(self.base + ".orders")
        self.orders = os.open(self.base + ".orders", os.O_RDWR)
        program = handler.write_program("puppet", PROGRAM)
        keys = {"keys": {"newline": newline}} if newline else {}
        handler.write_harness(name, format=1, name=name, title=name.capitalize(), description="a puppet", command=program,
                              args=[name, self.base, "draw" if draws else "blank"],
                              interactive={"instructions": {"way": "refuse", "reason": "It is a puppet.", "instead": "Nothing."},
                                           "prompt": {"way": "typed"}},
                              conversation={"id": "none"}, status={"osc7501": True}, **keys)

    # -- what the test makes it do -----------------------------------------------------------------------------

    def _order(self, kind, data, wait=0):
        order = struct.pack("<BII", kind, wait, len(data)) + data
        while order:
            order = order[os.write(self.orders, order):]

    def write(self, data, wait=0):
        """Writes to its terminal, in one write if the terminal takes it; `wait` ms later."""
        self._order(0, data.encode() if isinstance(data, str) else data, wait)

    def note(self, mark):
        """Writes a mark into what it was given: what stands before it came before everything written so far."""
        self._order(1, mark)

    def run(self, command):
        """Runs a command of the shell in its terminal, beside itself."""
        self._order(2, command.encode())

    def exit(self, status):
        self._order(3, b"%d" % status)

    def die(self, sig):
        self._order(4, b"%d" % sig)

    def sleep(self, ms):
        """Reads and writes nothing for so long."""
        self._order(5, b"%d" % ms)

    def state(self, state, kind=None, text=None):
        """Tells its state by OSC 7501."""
        import base64
        body = "state=%s:app=puppet" % state
        body += ":kind=" + kind if kind else ""
        body += ":msg=" + base64.b64encode(text.encode()).decode() if text else ""
        self.write("\x1b]7501;%s\x1b\\" % body)

    # -- what became of it -------------------------------------------------------------------------------------

    def given(self):
        with open(self.base + ".given", "rb") as f:
            return f.read()

    def wait_given(self, what, since=0, timeout=None):
        """Waits until it was given these bytes (or a match of a regex); returns everything."""
        regex = what if isinstance(what, re.Pattern) else re.compile(re.escape(what), re.S)
        wait_until(lambda: regex.search(self.given(), since), "%s was given %r" % (self.name, what), timeout,
                   lambda: "it was given %r" % self.given()[-300:])
        return self.given()

    def forget(self):
        """What it was given so far is forgotten."""
        os.truncate(self.base + ".given", 0)

    def sizes(self):
        """All sizes that its terminal had, as (rows, columns)."""
        with open(self.base + ".sizes") as f:
            return [tuple(int(n) for n in line.split()) for line in f]

    def wait_size(self, rows, cols, timeout=None):
        wait_until(lambda: self.sizes() and self.sizes()[-1] == (rows, cols), "%s has %d rows, %d columns" % (self.name, rows, cols),
                   timeout, lambda: "its sizes: %r" % self.sizes())

    def session(self):
        """Its session: the one of that agent."""
        return [s for s in self.handler.sessions("-a") if s["agent"] == self.name][-1]

    def ident(self):
        return self.session()["id"]


def puppets(handler, *names, **options):
    return [Puppet(handler, name, **options) for name in names]


def place(terminal, name):
    """Where the screen of a puppet is shown whole, or None."""
    def find(screen):
        for row, line in enumerate(screen.lines()):
            m = re.search(r"(?<!\S|│)?\b%s (\d+)x(\d+)" % re.escape(name), line)
            if m:
                at = screen.find(m.group(), row)
                return Place(at[0], at[1], int(m.group(2)), int(m.group(1)))
        return None
    with terminal.changed:
        return find(terminal.screen)


def wait_place(terminal, name, test=lambda p: True, why="", timeout=None):
    """Waits until a puppet is shown, at a place for which `test` holds; returns the place."""
    def look(_):
        p = place(terminal, name)
        return p if p and test(p) else None
    return terminal.wait_for(look, timeout, "%s is shown %s" % (name, why))


def is_shown(terminal, *names):
    return all(place(terminal, name) for name in names)


def wait_shown(terminal, *names, without=(), timeout=None):
    """Waits until these puppets are shown, and those are not."""
    def look(_):
        return is_shown(terminal, *names) and not any(place(terminal, name) for name in without)
    terminal.wait_for(look, timeout, "%s %s shown%s" % (", ".join(names), "is" if len(names) == 1 else "are",
                                                        ", without " + ", ".join(without) if without else ""))


PROBE = "\u00a4"  # a key that nothing is bound to


def focused(terminal, *all_puppets):
    """Which puppet a key reaches: asked by pressing one."""
    before = {p.name: len(p.given()) for p in all_puppets}
    terminal.type(PROBE)

    def look():
        return [p for p in all_puppets if PROBE.encode() in p.given()[before[p.name]:]]
    reached = wait_until(look, "a key reaches a puppet", dump=terminal.dump)
    assert len(reached) == 1, reached
    return reached[0].name


def prefix(terminal, *names):
    """A key of the table: the prefix, and then these."""
    terminal.keys("C-b", *names)


def open_with(handler, *agents, rows=40, cols=150, **options):
    """`handler terminal AGENT...` with all of these puppets shown side by side."""
    terminal = handler.terminal(*(["terminal"] + [a.name if isinstance(a, Puppet) else a for a in agents]), rows=rows, cols=cols,
                                **options)
    wait_shown(terminal, *[a.name for a in agents if isinstance(a, Puppet)])
    terminal.wait_for(lambda s: s.kitty_flags or not s.profile.kitty, why="keys have the form that the terminal can give them")
    return terminal
