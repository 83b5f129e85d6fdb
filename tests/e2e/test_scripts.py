"""What scripts rely on: prompts that arrive whole or not at all, turns with numbers that stay, waiting without a race."""
import json
import os
import re
import subprocess

import pytest

from lib.wait import wait_until
from standins import log_of, opens, script, submitted, wait_submitted, write_composer


def in_background(handler, *args, env=None):
    return subprocess.Popen([handler.binary] + [str(a) for a in args], env=handler.environment(env), cwd=handler.work,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process, timeout=30):
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out, err


@pytest.fixture
def stub(handler):
    """A session of the stand-in composer: (id, path of what was submitted)."""
    path = write_composer(handler, "paste")
    ident = handler.new("stub")
    handler.wait_state(ident, "idle")
    return ident, path


# -- several lines are one prompt ----------------------------------------------------------------------------------

@pytest.mark.parametrize("first", [True, False], ids=["first prompt", "send"])
def test_several_lines_wait_for_a_program_that_frames_pastes_late(handler, first):
    """It says that it is ready, and asks for bracketed paste only then: nothing is cut at the first newline."""
    path = write_composer(handler, "late")
    ident = handler.new("stub", *(["-p", "one\ntwo\nthree"] if first else []))
    handler.wait_state(ident, "idle")
    sending = None if first else in_background(handler, "send", ident, "one\ntwo\nthree")
    handler.wait_capture(ident, "composer ready")
    assert submitted(path) == []
    opens(handler, "frames")
    assert wait_submitted(path, 1) == [{"text": "one\ntwo\nthree", "pastes": 1}]
    if sending:
        assert finished(sending)[:2] == (0, "1\n")


def test_several_lines_are_refused_where_each_would_be_a_prompt(handler):
    path = write_composer(handler)  # never asks for bracketed paste
    ident = handler.new("stub")
    handler.wait_state(ident, "idle")
    result = handler.run("send", ident, "one\ntwo", "--json", check=6)
    assert result.error()["code"] == "not-ready" and "bracketed paste" in result.error()["message"]
    assert submitted(path) == [] and "one" not in handler.capture(ident)
    handler.ok("send", ident, "one line")
    assert [e["text"] for e in wait_submitted(path, 1)] == ["one line"]


def test_lines_that_were_typed_one_by_one_are_said_to_be(handler):
    """A shell that has bracketed paste off gets lines, and whoever sent them is told."""
    ident = script(handler, "reader", r'''
put("ready\r\n")
for line in sys.stdin:
    log(line.encode()); put("got\r\n")''')
    handler.wait_capture(ident, "ready")
    handler.wait_state(ident, "idle")
    result = handler.run("send", ident, "first\nsecond", check=0)
    assert "each line was typed as a line of its own" in result.err
    wait_until(lambda: log_of(handler) == b"first\nsecond\n", "both lines", dump=lambda: repr(log_of(handler)))
