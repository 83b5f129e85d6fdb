"""The worker as its clients see it: who may speak, what a client is sent and when, what programs announce; by a client that speaks by hand."""
import base64
import json
import os
import re
import struct
import time

import pytest

from lib.wait import TimedOut, wait_until
from standins import log_of, opens, script
from wire_client import (BYE, EVENT, FOUND, HELLO, INPUT_DONE, OUTER, REPLY, ROWS, ROWS_GET, SCREEN, SEARCH, STATE, WELCOME, Client)


@pytest.fixture
def quiet(handler):
    ident = script(handler, "quiet", r'''
tty.setraw(0); put("ready")
while True: log(os.read(0, 4096))''')
    handler.wait_capture(ident, "ready")
    handler.ok("wait", ident, "--for", "quiet=0.3")
    return ident


# -- who may speak -----------------------------------------------------------------------------------------------

def test_versions_that_do_not_meet(handler, quiet):
    client = Client(handler, quiet, hello=False)
    client.send(HELLO, {"protocol": [77, 99], "features": [], "client": "terminal", "version": "99.0", "pid": 1})
    bye = client.wait(BYE)
    assert bye["reason"] == "version" and bye["message"]
    client.wait_closed()


def test_a_later_client_is_met_at_our_version(handler, quiet):
    client = Client(handler, quiet, hello=False)
    client.send(HELLO, {"protocol": [1, 99], "features": ["telepathy"], "client": "terminal", "version": "99.0", "pid": 1, "new": {"a": []}})
    assert client.wait(WELCOME)["protocol"] == 1
    client.send(999, b"a message of a later version")  # skipped
    client.ping()
    reply = client.ask("no-such-operation")
    assert reply["error"]["code"] == "protocol"
    client.ping()


@pytest.mark.parametrize("frame", [
    struct.pack("<IHHII", 0, 5, 0, 0, 1),                               # not HELLO first
    struct.pack("<IHHII", (1 << 20) + 1, HELLO, 0, 0, 1),               # longer than any may be
    struct.pack("<IHHII", 0xffffffff, 9999, 0, 0, 1),
    struct.pack("<IHHII", 7, HELLO, 0, 0, 1) + b"no json",
    struct.pack("<IHHII", 4, HELLO, 0, 0, 1) + b"[{}]",
    b"\0" * 64, b"\xff" * 64, b"HTTP/1.1 200 OK\r\n\r\n"])
def test_who_breaks_the_rules_is_dropped(handler, quiet, frame):
    client = Client(handler, quiet, hello=False)
    client.socket.sendall(frame)
    client.socket.shutdown(1)
    client.wait_closed()
    assert "ready" in handler.capture(quiet)


@pytest.mark.parametrize("kind, payload", [(3, b""), (3, b"\1" * 100), (6, b"\0"), (6, b"\0" * 19 + b"\xff"), (7, b"x"), (8, b""), (9, b""),
                                           (13, b"\0"), (15, b"{"), (17, b"null"), (19, b"\xff\xfe")])
def test_malformed_messages_drop_their_sender_only(handler, quiet, kind, payload):
    client, other = Client(handler, quiet), Client(handler, quiet)
    client.socket.sendall(struct.pack("<IHHII", len(payload), kind, 0, 0, 9) + payload)
    client.wait_closed()
    other.ping()
    assert handler.process_named("worker", quiet)


def test_more_clients_than_there_is_room_for(handler, quiet):
    clients = []
    for _ in range(80):
        clients.append(Client(handler, quiet, hello=False))
    for client in clients[:10]:
        client.send(HELLO, {"protocol": [1, 1], "client": "terminal", "pid": 1})
        client.wait(WELCOME)
    for client in clients:
        client.close()
    assert "ready" in handler.capture(quiet)


# -- frames ------------------------------------------------------------------------------------------------------

def frames(client):
    return sum(kind == SCREEN for kind, _, _ in client.seen)


def test_a_hidden_session_sends_no_screens(handler, quiet):
    ident = script(handler, "noise", r'''
put("ready"); gate("go")
for i in range(50): put("line %d\r\n" % i)
put("\x1b]2;ended\x07END"); stay()''')
    handler.wait_capture(ident, "ready")
    with Client(handler, ident) as client:
        opens(handler, "go")
        handler.wait_capture(ident, "END")
        client.wait(STATE, lambda s: s.get("title") == "ended")
        client.ping()
        assert frames(client) == 0
        client.view(40, 120)
        assert b"END" in client.wait(SCREEN)


def test_a_slow_client_gets_the_newest_state_not_every_state(handler):
    ident = script(handler, "flood", r'''
put("ready"); gate("go")
for i in range(20000): put("line %d\r\n" % i)
put("END"); stay()''')
    handler.wait_capture(ident, "ready")
    with Client(handler, ident) as client:
        client.acknowledge = False
        client.view(40, 120)
        client.wait(SCREEN)
        opens(handler, "go")
        handler.wait_capture(ident, "END", timeout=60)
        client.ping()
        assert frames(client) <= 2 and len(client.buffer) == 0
        client.acknowledge = True
        for kind, sequence, _ in list(client.seen):
            if kind == SCREEN:
                client.send(5, b"", sequence)
        client.send(5, b"", 1)
        client.wait(SCREEN, lambda p: b"END" in p)
        assert frames(client) < 20


def test_an_update_is_shown_when_it_is_finished(handler):
    """Mode 2026, its halves in different writes: nothing between clear and rewrite is ever sent."""
    ident = script(handler, "sync", r'''
tty.setraw(0)
put("\x1b[2J\x1b[Hold picture\r\n")
for n in range(5):
    gate("go%d" % n)
    put("\x1b[?2026h\x1b[H\x1b[2J"); pause(0.03)
    for i in range(30): put("%d\r\n" % i)
    pause(0.03); put("frame %d" % n); pause(0.03)
    put("\x1b[?2026l"); log(b"%d" % n)
stay()''')
    handler.wait_capture(ident, "old picture")
    with Client(handler, ident) as client:
        client.view(40, 120)
        client.wait(SCREEN)
        client.ping()
        client.seen.clear()
        for n in range(5):
            opens(handler, "go%d" % n)
            whole = client.wait(SCREEN)
            assert b"frame" in whole or b"%d" % n in whole
            wait_until(lambda: log_of(handler).endswith(b"%d" % n), "the update is over")
            client.ping()
            assert frames(client) <= 1, "an unfinished update was sent"
            client.seen.clear()
            assert "frame %d" % n in handler.capture(ident) and "29\n" in handler.capture(ident)


def test_an_update_that_is_never_finished_is_shown_all_the_same(handler):
    ident = script(handler, "stuck", r'''
tty.setraw(0); put("ready"); gate("go")
put("\x1b[?2026h\x1b[H\x1b[2Jinside the update"); stay()''')
    handler.wait_capture(ident, "ready")
    with Client(handler, ident) as client:
        client.view(40, 120)
        client.wait(SCREEN)
        opens(handler, "go")
        client.wait(SCREEN, lambda p: b"inside" in p, timeout=5)
        client.view(30, 100)
        client.wait(SCREEN, lambda p: struct.unpack_from("<HH", p, 1) == (30, 100), timeout=5)


def test_the_echo_of_a_key_is_not_kept_waiting(handler):
    ident = script(handler, "echo", r'''
tty.setraw(0); put("ready")
while True: put(os.read(0, 100))''')
    handler.wait_capture(ident, "ready")
    with Client(handler, ident) as client:
        client.view(40, 120)
        client.wait(SCREEN)
        times = []
        for i in range(20):
            began = time.monotonic()
            client.key("abcdefghij"[i % 10])
            client.wait(SCREEN)
            times.append(time.monotonic() - began)
        assert sorted(times)[len(times) // 2] < 0.1, times


# -- what programs announce ------------------------------------------------------------------------------------------

def test_announcements_reach_every_terminal_once(handler):
    ident = script(handler, "speaker", r'''
put("ready"); gate("go")
put("\a\x1b]9;hi\a\x1b]777;notify;title;body\a\x1b]99;;kitty\x1b\\")
put("\x1bPtmux;\x1b\x1b]9;wrapped\a\x1b\\\x1b]52;c;aGVsbG8=\a\x1b]9;4;1;50\a")
put("\x1b]7501;state=working:app=x:msg=aGk=\x1b\\END"); stay()''')
    handler.wait_capture(ident, "ready")
    one, two = Client(handler, ident), Client(handler, ident)
    command = Client(handler, ident, kind="command")
    one.view(40, 120)
    opens(handler, "go")
    handler.wait_capture(ident, "END")
    for client in (one, two):
        client.ping()
        assert len(client.events("bell")) == 1  # the BELs that end strings are none
        notes = [(e["text"], e.get("extra")) for e in client.events("notification")]
        assert notes == [("hi", None), ("body", "title"), ("kitty", None), ("wrapped", None)], notes
        clipboard, = client.events("clipboard")
        assert base64.b64decode(clipboard["base64"]) == b"hello"
    command.ping()
    assert command.events() == []
    assert "7501" not in handler.capture(ident) and "52;" not in handler.capture(ident)


def test_a_large_clipboard(handler):
    data = os.urandom(75000)
    ident = script(handler, "copier", r'''
put("ready"); gate("go")
import base64
data = base64.b64encode(open("data", "rb").read()).decode()
put("\x1b]52;c;" + data + "\x1b\\"); put("\x1bPtmux;\x1b\x1b]52;c;" + data + "\a\x1b\\"); put("END"); stay()''')
    with open(os.path.join(handler.work, "data"), "wb") as f:
        f.write(data)
    handler.wait_capture(ident, "ready")
    with Client(handler, ident) as client:
        opens(handler, "go")
        handler.wait_capture(ident, "END")
        client.ping()
        assert [base64.b64decode(e["base64"]) for e in client.events("clipboard")] == [data, data]


def test_nobody_reads_the_clipboard(handler):
    ident = script(handler, "thief", r'''
tty.setraw(0); put("\x1b]52;c;?\x1b\\\x1b[c")
log(os.read(0, 4096)); put("END"); stay()''')
    handler.wait_capture(ident, "END")
    assert b"52;" not in log_of(handler)


def test_queries_are_answered_from_the_outer_terminal(handler):
    ident = script(handler, "asker", r'''
tty.setraw(0); put("ready"); gate("go")
put("\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b]4;1;?\x1b\\\x1b[?996n\x1b[14t\x1b[16t\x1b[18t\x1b[>0q\x1bP+q524742\x1b\\\x1b[c")
while b"c" not in log_of[-1]: pass'''.replace("while b\"c\" not in log_of[-1]: pass", r'''
data = b""
while not data.endswith(b"c"): data += os.read(0, 4096)
log(data); put("END"); stay()'''), "--size", "90x25")
    handler.wait_capture(ident, "ready")
    with Client(handler, ident) as client:
        client.send(OUTER, {"fg": "#112233", "bg": "#f0f0f0", "cursor": "#ff0000", "palette": ["#%02x0000" % i for i in range(16)],
                            "cell": [9, 18], "dark": False})
        client.ping()
        opens(handler, "go")
        handler.wait_capture(ident, "END")
    answer = log_of(handler).decode()
    for expected in (r"\x1b\]10;rgb:1111/2222/3333", r"\x1b\]11;rgb:f0f0/f0f0/f0f0", r"\x1b\]4;1;rgb:0101/0000/0000", r"\x1b\[\?997;2n",
                     r"\x1b\[4;450;810t", r"\x1b\[6;18;9t", r"\x1b\[8;25;90t", r"\x1bP>\|handler\(", r"\x1bP[01]\+r524742"):
        assert re.search(expected, answer), (expected, answer)


# -- rows, search -------------------------------------------------------------------------------------------------

def test_rows_and_search(handler):
    ident = script(handler, "rows", r'''
for i in range(10000): put("line %d\r\n" % i)
put("END"); stay()''')
    handler.wait_capture(ident, "END")
    with Client(handler, ident) as client:
        client.send(ROWS_GET, struct.pack("<QI", 100, 5))
        payload = client.wait(ROWS)
        assert struct.unpack_from("<Q", payload)[0] == 100 and b"line 100" in payload and b"line 104" in payload and b"line 105" not in payload
        for pattern, regex, row, found in (("line 5000", False, 0, 5000), ("^line 70+$", True, 0, 70), ("line 9[89]99$", True, 9000, 9899)):
            client.send(SEARCH, {"pattern": pattern, "regex": regex, "forward": True, "row": row, "column": 0})
            answer = client.wait(FOUND)
            assert answer["found"] and answer["row"] == found, (pattern, answer)
        client.send(SEARCH, {"pattern": "line 77", "regex": False, "forward": False, "row": 9999, "column": 0})
        answer = client.wait(FOUND)
        assert answer["found"] and answer["row"] == 7799
        client.send(SEARCH, {"pattern": "nowhere", "regex": False, "forward": True, "row": 0, "column": 0})
        assert not client.wait(FOUND)["found"]
        client.send(SEARCH, {"pattern": "(", "regex": True, "forward": True, "row": 0, "column": 0})
        assert client.wait(FOUND)["error"]
        client.send(ROWS_GET, struct.pack("<QI", 1 << 60, 5))
        client.wait(ROWS)


def test_a_client_that_goes_in_the_middle_of_its_questions(handler):
    ident = script(handler, "rows", r'''
for i in range(30000): put("line %d\r\n" % i)
put("END"); stay()''')
    handler.wait_capture(ident, "END", timeout=60)
    for _ in range(20):
        client = Client(handler, ident)
        client.view(40, 120)
        client.send(SEARCH, {"pattern": "nowhere", "regex": True, "forward": True, "row": 0, "column": 0})
        client.request("wait", states=["done"], timeout=100)
        client.request("send", text="never", when_idle=True)
        client.send(ROWS_GET, struct.pack("<QI", 0, 4096))
        client.close()
    with Client(handler, ident) as client:
        client.ping()
        assert client.ask("state")["session"]["state"]


def test_another_terminal_is_asked_to_let_go(handler, quiet):
    one, two = Client(handler, quiet), Client(handler, quiet)
    assert two.ask("detach")["detached"] == 1
    one.wait(EVENT, lambda e: e["event"] == "detach")


def test_answers_are_to_their_questions(handler, quiet):
    with Client(handler, quiet) as client:
        sequences = [client.request("state") for _ in range(10)]
        client.ping()
        assert [s for k, s, _ in client.seen if k == REPLY] == sequences
        done = client.key("x")
        client.wait_done(done)
        assert [s for k, s, _ in client.seen if k == INPUT_DONE] == [done]
        for body in ({}, {"op": 5}, {"op": "keys", "keys": ["NoSuchKey"]}, {"op": "resize", "rows": 0, "cols": 0}, {"op": "wait", "states": ["x"]}):
            client.send(17, json.dumps(body).encode())
            assert client.wait(REPLY, lambda r: "error" in r)["error"]["message"]
    with pytest.raises(TimedOut):
        Client(handler, quiet).wait(SCREEN, timeout=0.1)
