"""Prompts, keys and waiting from scripts: what is given arrives as it was written, once, and is reported as taken only if it was."""
import hashlib
import json
import os
import re
import subprocess
import time

import pytest

from lib.wait import wait_until
from standins import log_of, opens, script, submitted, wait_submitted, write_composer
from wire_client import Client

HARD_TEXT = "first 'line' \"quoted\"\n  second $HOME `id` \\ %s\n\nlast: \U0001F469‍\U0001F52C é é 漢字"


@pytest.fixture
def stub(handler):
    """A session of the stand-in composer that asks for bracketed paste: (id, path of what was submitted)."""
    path = write_composer(handler, "paste")
    ident = handler.new("stub")
    handler.wait_state(ident, "idle")
    return ident, path


def in_background(handler, *args):
    return subprocess.Popen([handler.binary] + list(args), env=handler.environment(), cwd=handler.work, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def finished(process, timeout=30):
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out, err


# -- send ------------------------------------------------------------------------------------------------------

def test_a_prompt_arrives_whole_in_one_paste(handler, stub):
    ident, path = stub
    assert handler.ok("send", ident, HARD_TEXT).strip() == "1"
    got, = wait_submitted(path, 1)
    assert got == {"text": HARD_TEXT, "pastes": 1}


@pytest.mark.parametrize("text", ["one line", "two\nlines", "ends with a newline\n", "\nbegins with one", "tab\tinside", "-p --json", "@file",
                                  "x" * 3000], ids=lambda text: repr(text[:10]))
def test_prompts_of_all_kinds(handler, stub, text):
    ident, path = stub
    handler.ok("send", ident, "-", input=text)
    assert wait_submitted(path, 1)[0]["text"].strip("\n") == text.strip("\n")
    with open(os.path.join(handler.work, "prompt"), "w") as f:
        f.write(text)
    handler.ok("send", ident, "@prompt")
    assert wait_submitted(path, 2)[1]["text"].strip("\n") == text.strip("\n")


def test_a_word_that_looks_like_an_option_can_be_given(handler, stub):
    ident, path = stub
    handler.ok("send", ident, "--", "--help")
    assert wait_submitted(path, 1)[0]["text"] == "--help"
    handler.ok("keys", ident, "--", "-", "-x", "Enter")
    assert wait_submitted(path, 2)[1]["text"] == "--x"


def test_control_characters_do_not_leave_the_paste(handler, stub):
    ident, path = stub
    handler.ok("send", ident, "-", input="a\x1b[201~\r\x03b\x9b\x7fc\x00d"[:-2])
    got, = wait_submitted(path, 1)
    assert "\x1b" not in got["text"] and "\x03" not in got["text"] and got["pastes"] == 1
    assert re.sub(r"[^abc]", "", got["text"]).startswith("a") and got["text"].rstrip().endswith("c")
    assert handler.run("send", ident, "-", input="a\0b").code == 2
    assert handler.run("send", ident, "").code == 2
    assert handler.run("send", ident, "@/no/such/file").code in (1, 2)


def test_without_bracketed_paste_lines_are_typed(handler):
    """A shell that has it off: each line is a line."""
    ident = script(handler, "reader", r'''
put("ready\r\n")
for line in sys.stdin:
    log(line.encode()); put("got\r\n")''')
    handler.wait_capture(ident, "ready")
    handler.wait_state(ident, "idle")
    handler.ok("send", ident, "first\nsecond")
    wait_until(lambda: log_of(handler) == b"first\nsecond\n", "both lines", dump=lambda: repr(log_of(handler)))


def test_a_shell_with_bracketed_paste_gets_one_paste(handler):
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    handler.wait_capture(ident, "$")
    handler.ok("send", ident, "echo one\necho two", "--wait", "--timeout", "20")
    text = handler.capture(ident)
    assert re.search(r"^one\ntwo$", text, re.M), text


def test_turns_are_counted_and_waited_for(handler, stub):
    ident, path = stub
    first = handler.json("send", ident, "quick one", "--wait", "--timeout", "20")
    assert (first["turn"], first["submitted"]) == (1, True) and first["state"] in ("done", "idle")
    second = handler.json("send", ident, "quick two", "--wait", "--timeout", "20")
    assert second["turn"] == 2
    third = handler.json("send", ident, "work flag")
    assert third["turn"] == 3 and third["submitted"]
    handler.wait_state(ident, "working")
    assert handler.run("wait", ident, "--for", "done", "--turn", "3", "--timeout", "0.2").code == 5
    waiting = in_background(handler, "wait", ident, "--turn", "3")
    opens(handler, "flag")
    assert finished(waiting)[0] == 0
    assert handler.session(ident)["turn"] == 3
    assert [e["text"] for e in submitted(path)] == ["quick one", "quick two", "work flag"]


def test_send_and_wait_returns_when_the_turn_has_ended(handler, stub):
    ident, path = stub
    sending = in_background(handler, "send", ident, "work flag", "--wait", "--json")
    handler.wait_state(ident, "working")
    assert sending.poll() is None
    opens(handler, "flag")
    code, out, err = finished(sending)
    assert code == 0 and json.loads(out)["turn"] == 1 and json.loads(out)["state"] == "done", out + err
    assert handler.run("send", ident, "work never", "--wait", "--timeout", "1", "--json").error()["code"] == "timeout"


def test_what_makes_no_turn_is_waited_for_no_longer(handler, stub):
    ident, path = stub
    result = handler.json("send", ident, "/help", "--wait", "--timeout", "20")
    assert result["state"] == "idle" and result["turn"] == 0
    assert handler.json("send", ident, "hello", "--wait", "--timeout", "20")["turn"] == 1


def test_a_question_ends_the_waiting_with_its_own_status(handler, stub):
    ident, path = stub
    result = handler.run("send", ident, "ask", "--wait", "--json", "--timeout", "20")
    assert result.code == 6, result
    assert "approve Bash: rm -rf build" in result.error()["message"]
    session = handler.session(ident)
    assert session["state"] == "needs-input" and session["waits"] and "rm -rf build" in session["reason"]
    assert handler.run("wait", ident).code == 6
    assert handler.run("wait", ident, "--for", "needs-input").code == 0
    assert handler.run("ls", "--short").code == 10


@pytest.mark.parametrize("options", [[], ["--over-draft"], ["--no-submit"], ["--over-draft", "--no-submit"]])
def test_nothing_overrides_a_dialog(handler, stub, options):
    ident, path = stub
    handler.ok("send", ident, "ask")
    handler.wait_state(ident, "needs-input")
    error = handler.run("send", ident, "yes please", "--json", *options, check=6).error()
    assert error["code"] == "dialog-open" and "rm -rf" in error["message"]
    assert handler.wait_capture(ident, "1. Yes 2. No")
    handler.ok("keys", ident, "2")
    got = wait_submitted(path, 2)
    assert [e.get("answer") for e in got] == [None, "2"]  # the dialog got the key and nothing else


def test_when_idle_waits_for_the_dialog_and_the_turn(handler, stub):
    ident, path = stub
    handler.ok("send", ident, "ask")
    handler.wait_state(ident, "needs-input")
    later = in_background(handler, "send", ident, "afterwards", "--when-idle")
    last = in_background(handler, "send", ident, "given up", "--when-idle", "--timeout", "0.3", "--json")
    code, out, _ = finished(last)
    assert code == 5 and json.loads(out)["error"]["code"] == "timeout"
    assert later.poll() is None and len(submitted(path)) == 1
    handler.ok("keys", ident, "1")
    assert finished(later)[0] == 0
    got = wait_submitted(path, 3)
    assert [e.get("text", e.get("answer")) for e in got] == ["ask", "1", "afterwards"]
    handler.ok("send", ident, "the end")  # what was given up is not given later
    assert [e.get("text", e.get("answer")) for e in wait_submitted(path, 4)] == ["ask", "1", "afterwards", "the end"]


def test_a_draft_is_not_merged(handler, stub):
    """Somebody has typed half a sentence."""
    ident, path = stub
    handler.ok("keys", ident, "HALF")
    handler.wait_capture(ident, "> HALF")
    error = handler.run("send", ident, "whole prompt", "--json", check=6).error()
    assert error["code"] == "draft" and error["hint"]
    waiting = in_background(handler, "send", ident, "second", "--when-idle")
    assert handler.wait_capture(ident, "> HALF") and submitted(path) == []
    handler.ok("keys", ident, "C-u")
    assert finished(waiting)[0] == 0
    assert [e["text"] for e in wait_submitted(path, 1)] == ["second"]


def test_a_draft_may_be_overridden(handler, stub):
    ident, path = stub
    handler.ok("keys", ident, "HALF ")
    handler.wait_capture(ident, "> HALF")
    handler.ok("send", ident, "and whole", "--over-draft")
    assert [e["text"] for e in wait_submitted(path, 1)] == ["HALF and whole"]


def test_a_draft_that_was_erased_or_submitted_is_none(handler, stub):
    ident, path = stub
    handler.ok("keys", ident, "ab", "BSpace", "BSpace")
    handler.ok("send", ident, "one")
    handler.ok("keys", ident, "typed", "Enter")
    wait_submitted(path, 2)
    handler.ok("send", ident, "two")
    assert [e["text"] for e in wait_submitted(path, 3)] == ["one", "typed", "two"]


def test_a_draft_of_a_terminal_counts(handler, stub):
    ident, path = stub
    with Client(handler, ident) as client:
        client.view(40, 120)
        client.wait_done(client.key("H"))
        assert handler.run("send", ident, "x", "--json", check=6).error()["code"] == "draft"
        client.wait_done(client.paste("pasted"))
        assert handler.run("send", ident, "x", check=6)
        client.key("u", mods=4)
        client.ping()
    handler.ok("send", ident, "x")
    assert [e["text"] for e in wait_submitted(path, 1)] == ["x"]


def test_no_submit_leaves_the_text_standing(handler, stub):
    ident, path = stub
    result = handler.json("send", ident, "not yet", "--no-submit")
    assert result["submitted"] is False
    assert "> not yet" in handler.capture(ident) and submitted(path) == []
    assert handler.run("send", ident, "more", "--json", check=6).error()["code"] == "draft"
    handler.ok("keys", ident, "Enter")
    assert [e["text"] for e in wait_submitted(path, 1)] == ["not yet"]
    assert handler.run("send", ident, "x", "--no-submit", "--wait", check=2)


@pytest.mark.parametrize("option", ["deaf", "blind"])
def test_what_is_not_taken_is_not_reported_as_given(handler, option):
    """A composer that swallows Enter; one that shows nothing of what is pasted."""
    path = write_composer(handler, "paste", option)
    ident = handler.new("stub")
    handler.wait_state(ident, "idle")
    result = handler.run("send", ident, "hello there", "--json", check=6)
    assert result.error()["code"] == "not-ready" and "capture" in result.error()["hint"]
    assert submitted(path) == []


def test_an_agent_that_tells_nothing_can_be_sent_to(handler):
    """Its state is unknown and it is never called idle; the composer that empties is the sign."""
    path = write_composer(handler, "paste", "mute")
    ident = handler.new("stub")
    handler.wait_capture(ident, "composer ready")
    session = handler.wait_state(ident, "unknown")
    assert handler.ok("send", ident, "hello").strip() == "1"
    assert [e["text"] for e in wait_submitted(path, 1)] == ["hello"]
    assert handler.session(ident)["state"] == "unknown" and handler.session(ident)["turn"] == 1
    assert session["turn"] == 0


def test_two_prompts_at_once_are_given_one_after_the_other(handler, stub):
    ident, path = stub
    both = [in_background(handler, "send", ident, "prompt %d\nwith two lines" % i) for i in range(4)]
    turns = sorted(int(finished(p)[1]) for p in both)
    got = wait_submitted(path, 4)
    assert sorted(e["text"] for e in got) == ["prompt %d\nwith two lines" % i for i in range(4)]
    assert all(e["pastes"] == i + 1 for i, e in enumerate(got)) and len(turns) == 4


def test_a_prompt_to_a_session_that_starts_waits_for_it(handler):
    """Also the first prompt of a harness that has it typed: not before it is ready, not into a dialog at start."""
    path = write_composer(handler, "paste", "dialog")
    ident = handler.new("stub", "-p", "first\nprompt")
    handler.wait_state(ident, "needs-input")
    assert submitted(path) == []
    handler.ok("keys", ident, "1")
    assert [e.get("text") for e in wait_submitted(path, 2)] == [None, "first\nprompt"]
    assert handler.session(ident)["turn"] >= 1


def test_a_prompt_to_an_ended_session(handler, stub):
    ident, path = stub
    handler.ok("send", ident, "exit 0")
    handler.wait_state(ident, "exited")
    assert handler.run("send", ident, "x", "--json", check=1).error()["code"] == "session-ended"
    assert handler.run("send", "nobody", "x", check=4)


def test_a_program_that_ends_on_its_prompt(handler, stub):
    """The prompt was taken: its end is no failure of the command, its failure is one of waiting."""
    ident, path = stub
    result = handler.run("send", ident, "exit 3", "--wait", "--json")
    assert result.code in (0, 1)
    assert [e["text"] for e in wait_submitted(path, 1)] == ["exit 3"]
    handler.wait_state(ident, "failed")


# -- large pastes ----------------------------------------------------------------------------------------------

LARGE = "".join("%07d %s\n" % (i, "x" * (i % 71)) for i in range(2300))[:100000].rsplit("\n", 1)[0] + "\n"


def test_a_large_paste_into_a_slow_reader(handler):
    """100 KB, into a program that reads seldom and little: whole, and nobody else is held up meanwhile."""
    ident = script(handler, "slow", r'''
tty.setraw(0); put("ready")
total = b""
gate("read")
while not total.endswith(b"\x04"):
    total += os.read(0, 1500); pause(0.002)
import hashlib
put("\r\nsum " + hashlib.sha256(total[:-1]).hexdigest() + " %d\r\n" % len(total)); stay()''')
    handler.wait_capture(ident, "ready")
    assert len(LARGE) > 99000
    with Client(handler, ident) as client:
        sequence = client.paste(LARGE)
        client.key("\x04", code=ord("d"), mods=4)
        client.ping()
        assert "ready" in handler.capture(ident)
        assert handler.run("wait", ident, "--for", "quiet=0.1").code == 0
        opens(handler, "read")
        client.wait_done(sequence)
    wanted = hashlib.sha256(LARGE.replace("\n", "\r").encode()).hexdigest()
    text = handler.wait_capture(ident, "sum ")
    assert wanted in text or hashlib.sha256(LARGE.encode()).hexdigest() in text, text


def test_a_large_prompt_to_sha256sum(handler):
    """The classic: a program in the terminal's line mode."""
    handler.write_shell_agent("sum", "echo ready; sha256sum; read x")
    ident = handler.new("sum")
    handler.wait_capture(ident, "ready")
    handler.wait_state(ident, "idle", "working")
    handler.ok("send", ident, "-", "--no-submit", input=LARGE, timeout=60)
    handler.ok("keys", ident, "C-d")
    handler.wait_capture(ident, hashlib.sha256(LARGE.encode()).hexdigest())


def test_a_large_prompt_arrives_whole(handler, stub):
    ident, path = stub
    text = LARGE.rstrip("\n")
    handler.ok("send", ident, "-", input=text, timeout=60)
    got, = wait_submitted(path, 1)
    assert got["pastes"] == 1 and got["text"] == text


def test_a_prompt_that_is_too_large_is_refused_whole(handler, stub):
    ident, path = stub
    result = handler.run("send", ident, "-", "--json", input="y" * (5 << 20))
    assert result.code in (1, 2) and result.error()["message"]
    result = handler.run("send", ident, "-", "--json", input="y" * (2 << 20), timeout=60)
    assert result.code in (0, 1, 2)
    if result.code:
        assert result.error()["message"]
        handler.ok("send", ident, "still works")
        assert [e["text"] for e in wait_submitted(path, 1)] == ["still works"]


def test_a_program_that_never_reads_holds_up_only_its_prompt(handler):
    ident = script(handler, "mute", r'''tty.setraw(0); put("ready"); stay()''')
    handler.wait_capture(ident, "ready")
    handler.wait_state(ident, "idle")
    with open(os.path.join(handler.work, "large"), "w") as f:
        f.write(LARGE)
    result = handler.run("send", ident, "@large", "--timeout", "1", "--json")
    assert result.code == 5, result
    assert "ready" in handler.capture(ident)
    assert handler.run("stop", ident, "--grace", "0.2", check=0)


# -- keys ------------------------------------------------------------------------------------------------------

KEYS = {"C-c": b"\x03", "Enter": b"\r", "M-x": b"\x1bx", "Up": b"\x1b[A", "F5": b"\x1b[15~", "S-Enter": b"\r", "Escape": b"\x1b", "Tab": b"\t",
        "BTab": b"\x1b[Z", "BSpace": b"\x7f", "Space": b" ", "C-Space": b"\0", "PageUp": b"\x1b[5~", "C-Left": b"\x1b[1;5D", "M-Enter": b"\x1b\r",
        "Home": b"\x1b[H", "DC": b"\x1b[3~", "F1": b"\x1bOP", "hello": b"hello", "é": "é".encode(), "漢字": "漢字".encode(), "a b": b"a b",
        "C-M-a": b"\x1b\x01", "-": b"-", "\U0001F600": "\U0001F600".encode()}


def test_keys_by_name(handler):
    ident = script(handler, "raw", r'''
tty.setraw(0); put("ready")
while True: log(os.read(0, 4096))''')
    handler.wait_capture(ident, "ready")
    handler.ok("keys", ident, *KEYS)
    wanted = b"".join(KEYS.values())
    wait_until(lambda: len(log_of(handler)) >= len(wanted), "the keys", dump=lambda: repr(log_of(handler)))
    assert log_of(handler) == wanted


def test_keys_in_the_form_that_the_program_asked_for(handler):
    ident = script(handler, "kitty", r'''
tty.setraw(0); put("\x1b[>1u\x1b[?1hready")
while True: log(os.read(0, 4096))''')
    handler.wait_capture(ident, "ready")
    handler.ok("keys", ident, "S-Enter", "C-Enter", "Escape", "C-i", "Tab", "a")
    wanted = b"\x1b[13;2u\x1b[13;5u\x1b[27u\x1b[105;5u\ta"
    wait_until(lambda: len(log_of(handler)) >= len(wanted), "the keys", dump=lambda: repr(log_of(handler)))
    assert log_of(handler) == wanted


def test_keys_are_all_or_nothing(handler, stub):
    ident, path = stub
    assert handler.run("keys", ident, check=2)
    assert handler.run("keys", "nobody", "x", check=4)
    result = handler.json("keys", ident, "ab", "Enter")
    assert result["keys"] == 3 and result["version"] == 1


# -- wait ------------------------------------------------------------------------------------------------------

def test_waiting_for_states(handler, stub):
    ident, path = stub
    assert handler.ok("wait", ident).startswith("work-stub idle")
    result = handler.json("wait", ident, "--for", "working,idle")
    assert result["state"] == "idle" and result["id"] == ident and re.match(r"\d{4}-\d\d-\d\dT", result["since"])
    began = time.monotonic()
    error = handler.run("wait", ident, "--for", "working", "--timeout", "0.5", "--json", check=5).error()
    assert error["code"] == "timeout" and 0.4 < time.monotonic() - began < 10
    assert handler.run("wait", ident, "--for", "sleeping", check=2)
    assert handler.run("wait", ident, "--for", "text=(", check=2)
    assert handler.run("wait", ident, "--for", "quiet=x", check=2)
    assert handler.run("wait", ident, "--turn", "x", check=2)
    assert handler.run("wait", "nobody", check=4)


def test_waiting_for_an_end(handler, stub):
    ident, path = stub
    ended = in_background(handler, "wait", ident, "--for", "exited,failed")
    instead = in_background(handler, "wait", ident, "--for", "working")
    text = in_background(handler, "wait", ident, "--for", "text=never")
    handler.ok("send", ident, "exit 0")
    assert finished(ended)[:2] == (0, "work-stub exited\n")
    assert finished(instead)[0] == 1 and finished(text)[0] == 1
    assert handler.run("wait", ident, "--for", "exited").code == 0
    assert handler.run("wait", ident, "--for", "stopped", "--json", check=1).error()["code"] == "session-ended"


def test_waiting_for_a_text(handler):
    ident = script(handler, "text", r'''
put("ready\r\n"); gate("go"); put("Listening on port 1234\r\n"); stay()''')
    assert handler.run("wait", ident, "--for", "text=^ready$").code == 0
    waiting = in_background(handler, "wait", ident, "--for", "text=port [0-9]+")
    assert handler.run("wait", ident, "--for", "text=port", "--timeout", "0.2").code == 5
    opens(handler, "go")
    assert finished(waiting)[0] == 0


def test_waiting_for_quiet(handler):
    ident = script(handler, "noise", r'''
put("begin\r\n")
while not os.path.exists("enough"): put("."); pause(0.05)
stay()''')
    handler.wait_capture(ident, "begin")
    assert handler.run("wait", ident, "--for", "quiet=0.5", "--timeout", "1").code == 5
    opens(handler, "enough")
    began = time.monotonic()
    assert handler.run("wait", ident, "--for", "quiet=0.5", "--timeout", "20").code == 0
    assert time.monotonic() - began < 10
    silent = script(handler, "silent", "stay()")
    assert handler.run("wait", silent, "--for", "quiet=0.3", "--timeout", "20").code == 0


def test_waiting_for_any_and_for_all(handler):
    write_composer(handler, "paste")
    idents = [handler.new("stub") for _ in range(3)]
    for i, ident in enumerate(idents):
        handler.wait_state(ident, "idle")
        handler.ok("send", ident, "work flag%d" % i)
    for ident in idents:
        handler.wait_state(ident, "working")
    first = in_background(handler, "wait", *idents, "--any", "--json")
    every = in_background(handler, "wait", *idents)
    opens(handler, "flag1")
    code, out, err = finished(first)
    assert code == 0 and json.loads(out)["id"] == idents[1], out + err
    assert every.poll() is None
    began = time.monotonic()
    assert handler.run("wait", idents[0], idents[2], "--timeout", "0.6").code == 5
    assert handler.run("wait", idents[0], idents[2], "--any", "--timeout", "0.6").code == 5
    assert time.monotonic() - began < 8
    opens(handler, "flag0")
    opens(handler, "flag2")
    code, out, err = finished(every)
    assert code == 0 and out.count("\n") == 3, out + err


# -- a shell as agent ----------------------------------------------------------------------------------------------

def test_a_shell_counts_lines_as_turns(handler):
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    for n in range(1, 4):
        assert handler.json("send", ident, "echo turn$((%d))" % n, "--wait", "--timeout", "20")["turn"] == n
        assert "turn%d" % n in handler.capture(ident)
    sending = in_background(handler, "send", ident, "until [ -e flag ]; do sleep 0.05; done", "--wait", "--json")
    handler.wait_state(ident, "working")
    assert sending.poll() is None
    opens(handler, "flag")
    code, out, err = finished(sending)
    assert code == 0 and json.loads(out)["turn"] == 4, out + err
    handler.ok("send", ident, "cat", "--timeout", "20")
    session = handler.wait_state(ident, "working")
    wait_until(lambda: handler.session(ident)["reason"] == "cat", "the command is named")
    assert session["turn"] == 5
    handler.ok("keys", ident, "C-d")
    assert handler.run("wait", ident, "--timeout", "20").code == 0
    assert "foreground" in handler.ok("ls", "--explain", ident)


def test_a_prompt_for_a_shell_that_is_busy_waits_if_told_so(handler):
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    handler.ok("send", ident, "until [ -e flag ]; do sleep 0.05; done")
    handler.wait_state(ident, "working")
    later = in_background(handler, "send", ident, "echo la''ter", "--when-idle", "--wait")
    assert later.poll() is None
    opens(handler, "flag")
    assert finished(later)[0] == 0
    assert re.search("^later$", handler.capture(ident), re.M)


def test_the_demo_agent_can_be_driven(handler):
    """The offline stand-in that everybody has: its states, its question, its answer."""
    ident = handler.new("demo")
    handler.wait_state(ident, "idle")
    result = handler.run("send", ident, "hello", "--wait", "--json", "--timeout", "30")
    assert result.code in (0, 6), result
    assert handler.session(ident)["turn"] == 1
    handler.ok("stop", ident)


def test_scripts_end_when_their_session_is_stopped(handler, stub):
    ident, path = stub
    waiting = [in_background(handler, "wait", ident, "--for", "working"), in_background(handler, "wait", ident, "--for", "stopped"),
               in_background(handler, "send", ident, "work never", "--wait")]
    handler.wait_state(ident, "working")
    handler.ok("stop", ident)
    codes = [finished(p)[0] for p in waiting]
    assert codes == [0, 0, 1]
