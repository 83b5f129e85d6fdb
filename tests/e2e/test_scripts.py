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


# -- a program that tells nothing ----------------------------------------------------------------------------------

def test_where_nothing_tells_waiting_says_so_instead_of_hanging(handler):
    path = write_composer(handler, "paste", "mute")
    ident = handler.new("stub")
    handler.wait_state(ident, "unknown")
    error = handler.run("send", ident, "hello", "--wait", "--json", check=6).error()
    assert error["code"] == "state-unknown" and "submitted (turn 1)" in error["message"] and "quiet=" in error["hint"]
    assert [e["text"] for e in wait_submitted(path, 1)] == ["hello"]
    assert handler.run("wait", ident, "--json", check=6).error()["code"] == "state-unknown"
    assert handler.run("wait", ident, "--timeout", "0.3", check=5)
    assert handler.run("wait", ident, "--for", "quiet=0.2", check=0)
    assert handler.run("wait", ident, "--for", "text=hello", check=0)


# -- the queue -----------------------------------------------------------------------------------------------------

def queued(handler, ident, count):
    return wait_until(lambda: handler.session(ident)["queued"] == count and handler.session(ident), "%d prompts wait" % count,
                      dump=handler.dump)


def test_prompts_that_wait_are_shown(handler, stub):
    ident, path = stub
    handler.ok("send", ident, "work flag")
    handler.wait_state(ident, "working")
    handler.write_config(sidebar="full")
    terminal = handler.terminal("terminal", "stub", "--reuse", rows=30, cols=130)
    terminal.wait_for(re.compile(r"1 . work-stub"))
    first = in_background(handler, "send", ident, "first", "--when-idle")
    queued(handler, ident, 1)
    assert re.search(r"working \+1", handler.ok("ls"))
    terminal.wait_for(re.compile(r"1 . work-stub +\+1"))
    second = in_background(handler, "send", ident, "second", "--when-idle")
    queued(handler, ident, 2)
    terminal.wait_for(re.compile(r"1 . work-stub +\+2"))
    second.terminate()
    second.wait()
    queued(handler, ident, 1)
    opens(handler, "flag")
    assert finished(first)[:2] == (0, "2\n")
    queued(handler, ident, 0)
    assert "+" not in handler.ok("ls").split("/")[0]
    assert [e["text"] for e in wait_submitted(path, 2)] == ["work flag", "first"]


def test_a_prompt_that_waits_outlives_its_worker_and_is_given_once(handler, stub):
    ident, path = stub
    handler.ok("send", ident, "work flag")
    handler.wait_state(ident, "working")
    later = in_background(handler, "send", ident, "later", "--when-idle", "--wait")
    for _ in range(2):
        queued(handler, ident, 1)
        os.kill(handler.process_named("worker", ident), 9)
        wait_until(lambda: handler.process_named("worker", ident), "another worker")
        handler.capture(ident)  # that serves
    queued(handler, ident, 1)
    opens(handler, "flag")
    assert finished(later)[:2] == (0, "2\n")
    assert [e["text"] for e in wait_submitted(path, 2)] == ["work flag", "later"]


def test_a_prompt_of_a_session_that_ends_fails(handler, stub):
    ident, path = stub
    handler.ok("send", ident, "work flag")
    handler.wait_state(ident, "working")
    later = in_background(handler, "send", ident, "later", "--when-idle", "--json")
    queued(handler, ident, 1)
    handler.ok("stop", ident)
    code, out, _ = finished(later)
    assert code == 1 and json.loads(out)["error"]["code"] == "session-ended"
    assert handler.session(ident)["queued"] == 0


# -- limits --------------------------------------------------------------------------------------------------------

LIMITED = r'''
tty.setraw(0, termios.TCSANOW)
put("\x1b[?2004h\x1b]0;ready\x07> ")
text = b""
while True:
    data = os.read(0, 4096)
    if data == b"L":    # runs into a limit
        put("\x1b]0;limited %s\x07\r\nyou have reached your limit\r\n> " % open("until").read())
        continue
    if data == b"D":    # a dialog that shows nothing of what is typed, and takes Enter
        put("\r\nwait or upgrade?"); log(b"dialog\n"); text = None
        continue
    for c in data.replace(b"\x1b[200~", b"").replace(b"\x1b[201~", b""):
        if text is None:
            log(b"dialog took %d\n" % c if c == 13 else b"")
        elif c == 13:
            log(text + b"\n"); text = b""
            put("\x1b]0;working\x07\r\nworks"); pause(0.1); put("\x1b]0;ready\x07\r\n> ")
        else:
            text += bytes([c]); put(bytes([c]))
'''


@pytest.fixture
def limited(handler):
    """A session whose title says when it is limited."""
    program = handler.write_program("limited-agent", "#!/usr/bin/python3\n" + __import__("standins").HELPERS + LIMITED)
    rules = [{"match": "^limited (.*)", "state": "limited", "reason": "${1}"}, {"match": "^working", "state": "working"},
             {"match": "^ready", "state": "ready"}]
    handler.write_harness("limits", format=1, name="limits", title="Limits", description="a stand-in", command=program,
                          interactive={"instructions": {"way": "refuse", "reason": "It is a stand-in.", "instead": "Nothing."},
                                       "prompt": {"way": "typed"}}, conversation={"id": "none"}, status={"title": rules})
    ident = handler.new("limits")
    handler.wait_state(ident, "idle")

    def limit(until):
        with open(os.path.join(handler.work, "until"), "w") as f:
            f.write(until)
        handler.ok("keys", ident, "L")
        return handler.wait_state(ident, "limited")
    return ident, limit


def moment(seconds):
    import datetime
    then = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return then.strftime("until %Y-%m-%dT%H:%M:%SZ")


def test_a_limit_refuses_and_ends_waiting(handler, limited):
    ident, limit = limited
    limit("until 19:00")
    error = handler.run("send", ident, "hello", "--json", check=6).error()
    assert error["code"] == "not-ready" and "until 19:00" in error["message"]
    assert handler.run("wait", ident, check=6)


def test_a_prompt_is_given_when_the_limit_is_over(handler, limited):
    ident, limit = limited
    assert handler.ok("send", ident, "zero", "--at-reset", "--wait").strip() == "1"  # no limit: as ever
    limit(moment(3))
    sending = in_background(handler, "send", ident, "hello", "--at-reset")
    queued(handler, ident, 1)
    assert log_of(handler) == b"zero\n"
    assert finished(sending)[:2] == (0, "2\n")
    assert log_of(handler) == b"zero\nhello\n" and handler.session(ident)["queued"] == 0


def test_a_limit_that_says_no_time(handler, limited):
    ident, limit = limited
    limit("for some time")
    error = handler.run("send", ident, "hello", "--at-reset", "--json", check=6).error()
    assert "does not say until when" in error["message"]


def test_after_a_limit_a_dialog_gets_no_enter(handler, limited):
    ident, limit = limited
    limit(moment(-5))
    handler.ok("keys", ident, "D")
    handler.wait_capture(ident, "upgrade?")
    error = handler.run("send", ident, "hello", "--at-reset", "--json", "--over-draft", check=6).error()
    assert "did not show the text" in error["message"]
    assert log_of(handler) == b"dialog\n"


# -- several sessions ----------------------------------------------------------------------------------------------

def test_one_that_needs_its_user_ends_the_waiting_for_all(handler):
    write_composer(handler, "paste")
    works, asks = handler.new("stub"), handler.new("stub", "-n", "asks")
    for ident in (works, asks):
        handler.wait_state(ident, "idle")
    handler.ok("send", works, "work flag")
    handler.wait_state(works, "working")
    every = in_background(handler, "wait", works, asks, "--for", "done", "--json")
    either = in_background(handler, "wait", works, asks, "--for", "done", "--any", "--json")
    handler.ok("send", asks, "ask")
    for process in (every, either):
        code, out, err = finished(process)
        assert code == 6 and "asks is needs-input: approve Bash" in err, err
    opens(handler, "flag")
    assert handler.run("wait", works, asks, "--any", "--for", "needs-input,done", check=0)


def test_one_that_ends_does_not_end_the_waiting_for_any(handler):
    write_composer(handler, "paste")
    ends, works = handler.new("stub"), handler.new("stub", "-n", "works")
    for ident in (ends, works):
        handler.wait_state(ident, "idle")
    handler.ok("send", works, "work flag")
    handler.wait_state(works, "working")
    either = in_background(handler, "wait", ends, works, "--for", "done", "--any")
    every = in_background(handler, "wait", ends, works, "--for", "done")
    handler.ok("send", ends, "exit 0")
    assert finished(every)[0] == 1
    opens(handler, "flag")
    assert finished(either)[:2] == (0, "works done\n")


def test_groups_are_refused_clearly(handler, stub):
    error = handler.run("send", "@tests", "x", "--json", check=4).error()
    assert "no group" in error["message"] and error["hint"]


# -- fifty sessions ------------------------------------------------------------------------------------------------

@pytest.mark.limit(400)
def test_fifty_sessions_are_driven_at_once(handler):
    names = ["s%02d" % n for n in range(50)]
    for name in names:
        handler.ok("new", "demo", "-n", name)
    handler.ok("wait", *names, "--timeout", "120", timeout=130)
    sending = [in_background(handler, "send", name, "hello " + name, "--wait", "--json") for name in names]
    for name, process in zip(names, sending):
        code, out, err = finished(process, 120)
        assert code == 0 and json.loads(out)["turn"] == 1, err
    assert len(handler.sessions()) == 50
    for name in names[::10]:
        assert "You said: hello " + name in handler.capture(name, "--turn", "1")


# -- one headless turn ---------------------------------------------------------------------------------------------

def test_a_turn_that_would_need_an_approval(handler):
    result = handler.run("run", "demo", "please approve this", check=6)
    assert "would have needed an approval" in result.err and "`handler demo`" in result.err
    assert "You said: hello" in handler.ok("run", "demo", "hello")


def test_what_a_headless_turn_prints_passes_through_whole(handler):
    """Standard output and error as they are, at once, also of one that leaves something running behind."""
    program = handler.write_program("quiet-agent", r'''#!/bin/bash
prompt=$(cat)
printf 'one\ntwo without an end'; echo "on error" >&2
[ "$prompt" = ask ] && { sleep 1000 & printf '\n{"permission_denials":[{"tool":"Bash"}]}'; }
[ "$prompt" = fail ] && exit 3
exit 0
''')
    none = {"way": "refuse", "reason": "It is a stand-in.", "instead": "Nothing."}
    handler.write_harness("quiet", format=1, name="quiet", title="Quiet", description="a stand-in", command=program,
                          interactive={"instructions": none, "prompt": {"way": "typed"}},
                          headless={"instructions": none, "prompt": {"way": "stdin"}, "approval": ['"permission_denials":\\[\\{']},
                          conversation={"id": "none"}, status={"osc7501": True})
    result = handler.run("run", "quiet", "go", check=0)
    assert (result.out, result.err.count("on error")) == ("one\ntwo without an end", 1)
    handler.expect_left_over()
    result = handler.run("run", "quiet", "ask", check=6)
    assert result.out.startswith("one\ntwo without an end\n{") and "approval" in result.err
    assert "status 3" in handler.run("run", "quiet", "fail", check=1).err


# -- success is said for what was submitted only -------------------------------------------------------------------

def test_a_session_that_nobody_looks_at_and_that_ignores_keys_then(handler):
    """It takes keys only while it was told that it has the focus: text that is not taken is no success."""
    ident = script(handler, "shy", r"""
tty.setraw(0, termios.TCSANOW)
put("\x1b[?2004h\x1b[?1004h\x1b]7501;state=idle:app=shy\x1b\\> ")
focus = False
while True:
    data = os.read(0, 4096)
    if data == b"\x1b[I": focus = True; continue
    if data == b"\x1b[O": focus = False; continue
    data = data.replace(b"\x1b[200~", b"").replace(b"\x1b[201~", b"")
    if data == b"\r" and not focus: continue
    if data == b"\r": log(b"submitted\n"); put("\x1b]7501;state=working:app=shy\x1b\\\x1b]7501;state=done:app=shy\x1b\\\r\n> ")
    else: put(data)""")
    handler.wait_state(ident, "idle")
    error = handler.run("send", ident, "hello", "--json", check=6).error()
    assert error["code"] == "not-ready" and log_of(handler) == b""
    assert "> hello" in handler.capture(ident)


def test_what_was_not_taken_stands_in_the_composer_as_a_draft(handler):
    """Nothing is written behind it, by nobody, also after the worker was replaced."""
    path = write_composer(handler, "paste", "deaf")
    ident = handler.new("stub")
    handler.wait_state(ident, "idle")
    sending = in_background(handler, "send", ident, "half done", "--json")
    handler.wait_capture(ident, "> half done")
    os.kill(handler.process_named("worker", ident), 9)
    code, out, _ = finished(sending)
    assert code == 6 and "is not known" in json.loads(out)["error"]["message"]
    assert handler.run("send", ident, "more", "--json", check=6).error()["code"] == "draft"
    handler.ok("keys", ident, "C-u")
    assert handler.run("send", ident, "again", "--json", check=6).error()["code"] == "not-ready"
    assert handler.run("send", ident, "more", "--json", check=6).error()["code"] == "draft"
    assert "> again\n" in handler.capture(ident) and submitted(path) == []


def test_a_dialog_that_comes_up_while_a_prompt_is_given_gets_no_enter(handler):
    path = write_composer(handler, "paste", "nervous")
    ident = handler.new("stub")
    handler.wait_state(ident, "idle")
    error = handler.run("send", ident, "hello", "--json", check=6).error()
    assert error["code"] == "dialog-open" and "not submitted" in error["message"]
    handler.ok("keys", ident, "2")
    assert wait_submitted(path, 1) == [{"answer": "2"}]
    handler.wait_state(ident, "idle")
    assert handler.run("send", ident, "more", "--json", check=6).error()["code"] == "draft"


def test_a_draft_outlives_the_worker(handler, stub):
    ident, path = stub
    handler.ok("keys", ident, "HALF")
    handler.wait_capture(ident, "> HALF")
    os.kill(handler.process_named("worker", ident), 9)
    assert handler.run("send", ident, "whole", "--json", check=6).error()["code"] == "draft"
    handler.ok("keys", ident, "C-u")
    handler.ok("send", ident, "whole")
    assert [e["text"] for e in wait_submitted(path, 1)] == ["whole"]


def test_one_session_types_into_another_only_if_it_may(handler, stub):
    ident, path = stub
    for name, may in (("mute", []), ("sender", ["send"])):
        handler.write_agent(name, harness="shell", may=may)
        handler.new(name, "-n", name)
        handler.wait_state(name, "idle")
    refused = "send %s x --json; %s keys %s x; %s note x -s %s; %s stop %s; echo status $?" % (
        ident, handler.binary, ident, handler.binary, ident, handler.binary, ident)
    handler.ok("send", "mute", "%s %s" % (handler.binary, refused), "--wait", "--timeout", "60")
    text = handler.capture("mute", "--history", "all")
    assert "not-from-a-session" in text and text.count("runs inside session mute") >= 4 and "status 3" in text
    handler.ok("send", "sender", "%s send %s allowed --wait; %s stop %s; echo status $?" % (handler.binary, ident, handler.binary, ident),
               "--wait", "--timeout", "60")
    text = handler.capture("sender", "--history", "all")
    assert [e["text"] for e in submitted(path)] == ["allowed"] and "status 3" in text
    assert handler.state(ident) in ("done", "idle")
