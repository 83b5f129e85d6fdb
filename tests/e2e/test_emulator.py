"""config.json's "emulator": a session with either engine runs, is shown, resized, captured, and survives its worker."""
import json
import os
import signal

import pytest

from lib.wait import wait_until

ENGINES = ("native", "libvterm")

# Colours, both screens, margins, erasing; then it says how many columns a family of two has (the engines differ: two by
# UAX 29; libvterm adds its members up), and from then on every size it gets.
PROGRAM = r'''
import os, re, shutil, signal, sys, time, tty
tty.setraw(0)
def put(text):
    os.write(1, text.encode())
for i in range(1, 101):
    put("\033[3%dmline %d\033[m\r\n" % (i % 8, i))
put("\033[?1049h\033[2J\033[5;5Hgone\033[?1049l")
put("\033[1;31mred\033[m \u6f22\u5b57 e\u0301\r\n\U0001f469\u200d\U0001f467\033[6n")
answer = b""
while not answer.endswith(b"R"):
    answer += os.read(0, 1)
put("\r\nfamily: %d\r\n" % (int(re.search(rb";(\d+)R", answer).group(1)) - 1))
signal.signal(signal.SIGWINCH, lambda *_: put("size %dx%d\r\n" % shutil.get_terminal_size()))
put("ready\r\n")
while True:
    typed = os.read(0, 100)
    put("typed %r\r\n" % typed.decode())
'''


@pytest.fixture(params=ENGINES)
def engine(request, handler):
    handler.write_config(emulator=request.param)
    return request.param


@pytest.fixture
def session(handler, engine):
    path = os.path.join(handler.work, "program.py")
    with open(path, "w") as f:
        f.write(PROGRAM)
    ident = handler.new("shell", "--size", "80x24", "--", "-c", "exec /usr/bin/python3 " + path)
    handler.wait_capture(ident, "ready")
    return ident


def everything(handler, ident):
    whole = handler.json("capture", ident, "--history", "all")
    return json.dumps({k: v for k, v in whole.items() if k != "id"}, indent=1)


def test_it_is_the_one_that_was_chosen(handler, engine, session):
    assert "family: %d" % {"native": 2, "libvterm": 4}[engine] in handler.capture(session)


def test_capture_and_history(handler, session):
    text = handler.capture(session, "--history", "all")
    lines = [line.rstrip() for line in text.splitlines()]
    assert [line for line in lines if line.startswith("line ")] == ["line %d" % i for i in range(1, 101)]
    assert "red \u6f22\u5b57 e\u0301" in lines and "gone" not in text
    assert "\x1b[0;1;31mred\x1b[" in handler.capture(session, "--ansi")


def test_it_is_shown_and_typed_into(handler, session):
    t = handler.terminal("attach", session, rows=30, cols=100)
    t.wait_for("red \u6f22\u5b57 e\u0301")
    assert t.cell(*t.find("red")).style.fg == 1 and t.cell(*t.find("red")).style.bold
    t.type("xyz")
    t.wait_for("typed 'x")
    t.resize(20, 70)
    t.wait_for("size ")
    t.keys("C-b", "d")
    t.wait_exit()


def test_resize(handler, session):
    before = handler.capture(session, "--history", "all")
    handler.ok("resize", session, "50x15")
    handler.wait_capture(session, "size 50x15")
    handler.ok("resize", session, "120x40")
    handler.wait_capture(session, "size 120x40")
    after = handler.capture(session, "--history", "all").splitlines()
    assert [line for line in after if line.startswith("line ")] == [line for line in before.splitlines() if line.startswith("line ")]


def test_its_worker_is_killed(handler, session):
    handler.ok("send", session, "first")
    handler.wait_capture(session, "typed")
    before = everything(handler, session)
    for _ in range(3):
        pid = wait_until(lambda: handler.process_named("worker", session), "a worker", dump=handler.dump)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: handler.process_named("worker", session) not in (None, pid), "a new worker", dump=handler.dump)
        assert everything(handler, session) == before
    handler.ok("keys", session, "Z")
    handler.wait_capture(session, "typed 'Z'")


def test_a_session_keeps_its_screen_when_the_choice_changes(handler, engine, session):
    """A worker that follows takes the setting of that time, and goes on from the checkpoint of the other engine."""
    before = handler.capture(session, "--history", "all")
    handler.write_config(emulator=ENGINES[1 - ENGINES.index(engine)])
    pid = handler.process_named("worker", session)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: handler.process_named("worker", session) not in (None, pid), "a new worker", dump=handler.dump)
    assert handler.capture(session, "--history", "all") == before
    handler.ok("keys", session, "Z")
    handler.wait_capture(session, "typed 'Z'")


def test_a_name_that_is_no_engine_is_said(handler):
    handler.write_config(emulator="vt52")
    checked = handler.run("config", "check")
    assert checked.code != 0
    assert '"emulator" must be "native" or "libvterm", not "vt52"' in checked.out + checked.err
