"""A client of one session that speaks the wire by hand: what the front-end does, without a screen (src/wire/wire.h, message.h)."""
import json
import os
import select
import socket
import struct
import time

from lib.wait import TimedOut, patience

(HELLO, WELCOME, VIEW, SCREEN, ACK, KEY, MOUSE, PASTE, FOCUS, INPUT_DONE, STATE, EVENT, ROWS_GET, ROWS, SEARCH, FOUND, REQUEST, REPLY,
 OUTER, PING, PONG, BYE) = range(1, 23)
JSON_TYPES = {HELLO, WELCOME, STATE, EVENT, SEARCH, FOUND, REQUEST, REPLY, OUTER, BYE}


class Client:
    """Connects and says HELLO.  Frames that nobody waited for are kept in `seen`, as (type, sequence, payload)."""

    def __init__(self, handler, ident, token=None, kind="terminal", hello=True):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        record = handler.record(ident)
        folder = record.get("sockets") or os.path.join(handler.session_folder(ident), "ctl")
        fd = os.open(folder, os.O_PATH | os.O_DIRECTORY)
        try:
            self.socket.connect("/proc/self/fd/%d/w.sock" % fd)
        finally:
            os.close(fd)
        self.buffer, self.seen, self.sequence = b"", [], 0
        self.acknowledge = True
        if hello:
            body = {"protocol": [1, 1], "features": [], "client": kind, "pid": os.getpid(), "version": "test"}
            if token:
                body["token"] = token
            self.send(HELLO, body)
            self.welcome = self.wait(WELCOME)

    # -- sending ---------------------------------------------------------------------------------------------

    def send(self, kind, payload=b"", sequence=None):
        if sequence is None:
            self.sequence += 1
            sequence = self.sequence
        if isinstance(payload, dict):
            payload = json.dumps(payload).encode()
        self.socket.sendall(struct.pack("<IHHII", len(payload), kind, 0, 0, sequence) + payload)
        return sequence

    def view(self, rows=0, cols=0, visible=True, preview=False, readonly=False, refresh=False):
        flags = visible | preview << 1 | readonly << 2 | refresh << 3
        self.send(VIEW, struct.pack("<BHHHH", flags, rows, cols, 8, 16))

    def key(self, text, code=None, mods=0, sequence=None):
        data = text.encode()
        return self.send(KEY, struct.pack("<IIIIHBB", code or ord(text), 0, 0, 0, mods, 1, len(data)) + data, sequence)

    def paste(self, text, first=True, last=True, sequence=None):
        data = text.encode()
        return self.send(PASTE, bytes([first | last << 1]) + data, sequence)

    def request(self, op, **body):
        return self.send(REQUEST, dict(body, op=op))

    # -- receiving -------------------------------------------------------------------------------------------

    def pump(self, seconds=0.0):
        """Takes what has come, waiting for it at most so long.  False: the connection is closed."""
        ready = select.select([self.socket], [], [], seconds)[0]
        if not ready:
            return True
        try:
            data = self.socket.recv(1 << 20)
        except ConnectionError:
            return False
        self.buffer += data
        while len(self.buffer) >= 16:
            length, kind, _, _, sequence = struct.unpack_from("<IHHII", self.buffer)
            if len(self.buffer) < 16 + length:
                break
            payload, self.buffer = self.buffer[16:16 + length], self.buffer[16 + length:]
            self.seen.append((kind, sequence, json.loads(payload) if kind in JSON_TYPES else payload))
            if kind == SCREEN and self.acknowledge:
                self.send(ACK, b"", sequence)
        return bool(data)

    def wait(self, kind, match=None, timeout=None):
        """The payload of the first frame of a type (for which `match` is true); it is taken out of `seen`."""
        end = time.monotonic() + patience(timeout)
        while True:
            for i, frame in enumerate(self.seen):
                if frame[0] == kind and (match is None or match(frame[2])):
                    del self.seen[i]
                    return frame[2]
            if time.monotonic() > end:
                raise TimedOut("no frame of type %d; seen: %r" % (kind, self.seen[-20:]))
            if not self.pump(0.2):
                raise TimedOut("closed before a frame of type %d; seen: %r" % (kind, self.seen[-20:]))

    def wait_done(self, sequence):
        """Waits until the input of that sequence number has reached the program."""
        end = time.monotonic() + patience()
        while not any(k == INPUT_DONE and s >= sequence for k, s, _ in self.seen):
            if time.monotonic() > end or not self.pump(0.2):
                raise TimedOut("input %d was not done; seen: %r" % (sequence, self.seen[-20:]))

    def wait_closed(self, timeout=None):
        end = time.monotonic() + patience(timeout)
        while self.pump(0.2):
            if time.monotonic() > end:
                raise TimedOut("the connection is still open")

    def ask(self, op, **body):
        """A request and its answer."""
        sequence = self.request(op, **body)
        end = time.monotonic() + patience()
        while True:
            for i, frame in enumerate(self.seen):
                if frame[0] == REPLY and frame[1] == sequence:
                    del self.seen[i]
                    return frame[2]
            if time.monotonic() > end or not self.pump(0.2):
                raise TimedOut("no answer to %s" % op)

    def ping(self):
        """Returns when the worker has taken everything that was sent before."""
        self.send(PING, b"x")
        self.wait(PONG)

    def events(self, name=None):
        return [p for k, _, p in self.seen if k == EVENT and (name is None or p["event"] == name)]

    def size(self):
        """(rows, cols) of the newest SCREEN that was seen, or None."""
        for kind, _, payload in reversed(self.seen):
            if kind == SCREEN:
                return struct.unpack_from("<HH", payload, 1)
        return None

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
