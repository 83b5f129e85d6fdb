"""The outer terminal of a measurement: drains what the multiplexer writes, counts it, looks for markers in it.

It keeps no screen, so that it costs next to nothing; queries are answered as xterm answers them.
"""
import os
import re
import select
import subprocess
import time

import fcntl
import struct
import termios

QUERY = re.compile(rb"\x1b\[(c|0c|>c|>0c|>q|>0q|6n|5n|14t|16t|18t|\?u|\?\d+\$p)|\x1b\](1[0-2]);\?(?:\x07|\x1b\\)")
KNOWN_MODES = (b"1", b"7", b"25", b"1000", b"1002", b"1003", b"1004", b"1006", b"1049", b"2004")
REPLIES = {b"c": b"\x1b[?64;1;2;6;9;15;16;17;18;21;22;28c", b">c": b"\x1b[>41;379;0c", b">q": b"\x1bP>|XTerm(379)\x1b\\",
           b"6n": b"\x1b[1;1R", b"5n": b"\x1b[0n", b"16t": b"\x1b[6;16;8t"}


class Closed(Exception):
    pass


class Outer:
    def __init__(self, argv, env, rows=40, cols=120):
        self.rows, self.cols, self.count, self.rest = rows, cols, 0, b""
        self.fd, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, cols * 8, rows * 16))
        self.began = time.monotonic()
        self.process = subprocess.Popen(["setsid", "--ctty"] + argv, stdin=slave, stdout=slave, stderr=slave, env=env, cwd="/")
        os.close(slave)
        self.poll = select.poll()
        self.poll.register(self.fd, select.POLLIN)

    def read(self, seconds):
        """What comes next, b"" after `seconds` of nothing."""
        if not self.poll.poll(max(0.0, seconds * 1000)):
            return b""
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            data = b""
        if not data:
            raise Closed("the multiplexer has ended")
        self.count += len(data)
        if b"\x1b" in data or self.rest:
            self.answer(data)
        return data

    def answer(self, data):
        data = self.rest + data
        end = 0
        for m in QUERY.finditer(data):
            end = m.end()
            reply = self.reply(m.group(1), m.group(2))
            if reply:
                os.write(self.fd, reply)
        last = data.rfind(b"\x1b", end)
        self.rest = data[last:] if last >= 0 and len(data) - last < 16 else b""

    def reply(self, csi, osc):
        if osc:
            return b"\x1b]%s;rgb:%s\x1b\\" % (osc, b"1010/1010/1010" if osc == b"11" else b"d0d0/d0d0/d0d0")
        if csi.endswith(b"$p"):
            return b"\x1b[?%s;%d$y" % (csi[1:-2], 2 if csi[1:-2] in KNOWN_MODES else 0)
        if csi in (b"14t", b"18t"):
            unit = (16, 8) if csi == b"14t" else (1, 1)
            return b"\x1b[%d;%d;%dt" % (4 if csi == b"14t" else 8, self.rows * unit[0], self.cols * unit[1])
        return REPLIES.get(csi.replace(b"0", b"") if csi[-1:] in b"cq" else csi)

    def wait(self, marker, limit):
        """Drains until the marker has come; returns the time of that."""
        end, tail = time.monotonic() + limit, b""
        while True:
            data = self.read(end - time.monotonic())
            now = time.monotonic()
            if marker in tail + data:
                return now
            if now >= end:
                raise TimeoutError("%r did not come within %d s" % (marker, limit))
            tail = (tail + data)[-len(marker):]

    def drain(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.read(left)

    def settle(self, quiet=0.3, limit=15):
        end = time.monotonic() + limit
        while self.read(quiet) and time.monotonic() < end:
            pass

    def write(self, data):
        os.write(self.fd, data)

    def close(self):
        os.close(self.fd)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
