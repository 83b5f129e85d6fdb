"""A terminal with a program in it: a pty whose other end is played by this process.

A thread reads what the program writes, keeps the screen and answers queries at once, as a terminal does; the test waits
for conditions on the screen.  Everything that was written is kept in `raw`.
"""
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time

from . import keys as key_codec
from .screen import PROFILES, Screen
from .wait import TimedOut, patience


class Terminal:
    def __init__(self, argv, env=None, cwd=None, rows=40, cols=120, profile="modern", on_reply=None, record=False):
        """argv runs with the pty as its controlling terminal.

        profile: a name of PROFILES or a Profile.  on_reply(bytes) may return a list of pieces in which the
        terminal's answer is sent, each piece written on its own, None standing for a wait of 30 ms.
        record: keep the text of each finished frame in `frames`.
        """
        self.profile = PROFILES[profile] if isinstance(profile, str) else profile
        self.screen = Screen(rows, cols, self.profile)
        self.argv, self.on_reply = list(argv), on_reply
        self.raw, self.frames, self.record = bytearray(), [], record
        self.changed = threading.Condition()
        self.eof = False
        self.last_activity = time.monotonic()
        self.readable = threading.Event()
        self.readable.set()
        self.error = None

        self.fd, slave = os.openpty()
        os.set_inheritable(self.fd, False)
        self._set_size(rows, cols)
        env = dict(os.environ if env is None else env)
        env["TERM"] = self.profile.term
        env.pop("COLORTERM", None)
        if self.profile.colorterm:
            env["COLORTERM"] = self.profile.colorterm
        try:
            # setsid --ctty is not a group leader here, so it becomes the program without another fork; whatever started
            # the tests, signals are as a login leaves them
            self.process = subprocess.Popen(["env", "--default-signal", "setsid", "--ctty"] + self.argv, stdin=slave, stdout=slave, stderr=slave,
                                            env=env, cwd=cwd)
        finally:
            os.close(slave)
        self.pid = self.process.pid
        self.wake_read, self.wake_write = os.pipe()
        self.lock_write = threading.Lock()
        self.thread = threading.Thread(target=self._read_loop, daemon=True)
        self.thread.start()

    # -- the other end of the pty ----------------------------------------------------------------------------

    def _set_size(self, rows, cols):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, cols * 8, rows * 16))

    def _read_loop(self):
        try:
            while True:
                ready = select.select([self.fd, self.wake_read], [], [])[0]
                if self.wake_read in ready:
                    return
                self.readable.wait()
                try:
                    data = os.read(self.fd, 65536)
                except OSError:
                    data = b""
                if not data:
                    return
                with self.changed:
                    self.raw += data
                    reply = self.screen.feed(data)
                    self.last_activity = time.monotonic()
                    if self.record and self.screen.shown is None:
                        text = self.screen.text()
                        if not self.frames or self.frames[-1] != text:
                            self.frames.append(text)
                    self.changed.notify_all()
                if reply:
                    self._answer(reply)
        except Exception as e:  # shown by the next wait
            self.error = e
        finally:
            with self.changed:
                self.eof = True
                self.changed.notify_all()

    def _answer(self, reply):
        for piece in self.on_reply(reply) if self.on_reply else [reply]:
            if piece is None:
                time.sleep(0.03)
            else:
                self.send(piece)

    def pause(self):
        """Stops reading: a terminal that is slow, or behind a dead connection."""
        self.readable.clear()

    def resume(self):
        self.readable.set()

    def send(self, data):
        """Writes bytes as they are (a str as UTF-8)."""
        data = data.encode() if isinstance(data, str) else data
        self.last_activity = time.monotonic()
        with self.lock_write:
            while data:
                data = data[os.write(self.fd, data):]

    # -- what a person does ----------------------------------------------------------------------------------

    def keys(self, *names):
        """Presses keys by name, encoded as the program has asked for."""
        for name in names:
            with self.changed:
                data = key_codec.encode(name, self.screen)
            self.send(data)

    def type(self, text):
        self.keys(*["Space" if c == " " else "Enter" if c == "\n" else c for c in text])

    def paste(self, text):
        """What a terminal sends for a paste: framed when mode 2004 is on, newlines as CR."""
        data = text.replace("\n", "\r").encode()
        with self.changed:
            framed = self.screen.modes[2004]
        self.send(b"\x1b[200~" + data + b"\x1b[201~" if framed else data)

    def focus(self, focused):
        with self.changed:
            wanted = self.screen.modes[1004]
        if wanted:
            self.send(b"\x1b[I" if focused else b"\x1b[O")

    def mouse(self, what, row, col, modifiers=""):
        """what: press, release, click, drag, move, wheel-up, wheel-down; of the left button.  Row and column 0-based.

        Sends nothing if the program has not asked for the mouse, as a terminal would.
        """
        with self.changed:
            modes = {m for m in (9, 1000, 1002, 1003) if self.screen.modes[m]}
            sgr = self.screen.modes[1006]
        if not modes or (what == "move" and 1003 not in modes) or (what == "drag" and not modes & {1002, 1003}):
            return
        if what == "click":
            self.mouse("press", row, col, modifiers)
            self.mouse("release", row, col, modifiers)
            return
        button = {"press": 0, "release": 0, "drag": 32, "move": 35, "wheel-up": 64, "wheel-down": 65}[what]
        button += sum({"S": 4, "M": 8, "C": 16}[m] for m in modifiers)
        if sgr:
            self.send("\x1b[<%d;%d;%d%s" % (button, col + 1, row + 1, "m" if what == "release" else "M"))
        else:
            if what == "release":
                button = 3
            self.send(b"\x1b[M" + bytes((32 + button, min(33 + col, 255), min(33 + row, 255))))

    def resize(self, rows, cols):
        with self.changed:
            report = self.screen.resize(rows, cols)
            self._set_size(rows, cols)
        if report:
            self.send(report)

    # -- what there is to see --------------------------------------------------------------------------------

    def text(self):
        with self.changed:
            return self.screen.text()

    def lines(self):
        with self.changed:
            return self.screen.lines()

    def row(self, n):
        with self.changed:
            return self.screen.line(n)

    def find(self, text):
        with self.changed:
            return self.screen.find(text)

    def cell(self, row, col):
        with self.changed:
            return self.screen.cell(row, col)

    def cursor(self):
        """(row, column, visible)"""
        with self.changed:
            return self.screen.row, self.screen.col, self.screen.modes[25]

    def mark(self):
        """A place in the output, for since()."""
        with self.changed:
            return len(self.raw)

    def since(self, mark):
        with self.changed:
            return bytes(self.raw[mark:])

    def left_over(self):
        with self.changed:
            return self.screen.left_over()

    # -- waiting ---------------------------------------------------------------------------------------------

    def wait_for(self, what, timeout=None, why=None):
        """Waits until `what` is on the screen (a str or compiled regex) or true (called with the screen).

        Returns what the regex or predicate returned, or the place of the text.
        """
        def look():
            if isinstance(what, str):
                return self.screen.find(what)
            if isinstance(what, re.Pattern):
                return what.search(self.screen.text())
            return what(self.screen)
        return self._wait(look, why or self._describe(what), timeout)

    def wait_gone(self, what, timeout=None):
        def look():
            if isinstance(what, re.Pattern):
                return not what.search(self.screen.text())
            return not self.screen.find(what)
        self._wait(look, "%s is gone" % self._describe(what), timeout)

    def wait_bytes(self, pattern, mark=0, timeout=None):
        """Waits until the program has written something that matches a bytes regex, after `mark`."""
        regex = re.compile(pattern, re.S)
        return self._wait(lambda: regex.search(self.raw, mark), "output matches %r" % pattern, timeout)

    def settle(self, quiet=0.2, timeout=None, at_most=None):
        """Waits until nothing has been written, by the program or to it, for `quiet` seconds.

        at_most: seconds after which that is enough, for programs that never rest.
        """
        end = time.monotonic() + patience(timeout)
        enough = None if at_most is None else time.monotonic() + at_most
        with self.changed:
            while not self.eof:
                left = quiet - (time.monotonic() - self.last_activity)
                if left <= 0 or (enough and time.monotonic() >= enough):
                    return
                if time.monotonic() > end:
                    raise TimedOut("the output does not come to rest\n" + self.dump())
                self.changed.wait(left)

    def wait_exit(self, timeout=None):
        """Waits for the end of the program and of its output; returns its exit status (negative: a signal)."""
        try:
            status = self.process.wait(patience(timeout))
        except subprocess.TimeoutExpired:
            raise TimedOut("the program does not end\n" + self.dump()) from None
        self.thread.join(2)
        return status

    @staticmethod
    def _describe(what):
        if isinstance(what, str):
            return "%r on the screen" % what
        if isinstance(what, re.Pattern):
            return "the screen matches %r" % what.pattern
        return getattr(what, "__doc__", None) or getattr(what, "__name__", repr(what))

    def _wait(self, look, what, timeout):
        limit = patience(timeout)
        end = time.monotonic() + limit
        with self.changed:
            while True:
                value = look()
                if value:
                    return value
                left = end - time.monotonic()
                if self.error:
                    raise self.error
                if self.eof and self.process.poll() is not None:
                    raise TimedOut("the program has ended; never: %s\n%s" % (what, self.dump()))
                if left <= 0:
                    raise TimedOut("after %.0f s still not: %s\n%s" % (limit, what, self.dump()))
                self.changed.wait(min(left, 0.5))

    def dump(self):
        """All that helps to understand a failure."""
        s = self.screen
        status = self.process.poll()
        out = ["$ %s" % " ".join(self.argv),
               "pid %d, %s; %dx%d %s, cursor %d,%d %s, title %r, kitty %d%s" % (
                   self.pid, "running" if status is None else "ended with %d" % status, s.cols, s.rows, self.profile.name,
                   s.row, s.col, "shown" if s.modes[25] else "hidden", s.title, s.kitty_flags,
                   ", inside a synchronized update" if s.shown else ""),
               "+" + "-" * s.cols + "+"]
        for row in s.visible():
            out.append("|" + "".join(c.text for c in row if c.width) + "|")
        out += ["+" + "-" * s.cols + "+", "last output: %r" % bytes(self.raw[-300:])]
        if s.unknown:
            out.append("unknown sequences: %r" % s.unknown[-20:])
        return "\n".join(out)

    # -- the end ---------------------------------------------------------------------------------------------

    def kill(self, sig=signal.SIGKILL):
        self.process.send_signal(sig)

    def hang_up(self):
        """The terminal's window is closed: the program gets SIGHUP and a tty that gives EIO."""
        self._stop_thread()
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def _stop_thread(self):
        self.readable.set()
        if self.wake_write >= 0:
            os.close(self.wake_write)
            self.wake_write = -1
        self.thread.join(5)

    def close(self):
        """Hangs up; ends the program if that was not enough."""
        self.hang_up()
        try:
            self.process.wait(patience(5))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.wake_read >= 0:
            os.close(self.wake_read)
            self.wake_read = -1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
