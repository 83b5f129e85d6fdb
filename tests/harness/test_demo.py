"""The demo agent, in a terminal of its own: what it draws, tells and takes; other tests rely on it."""
import base64
import json
import os
import re
import signal
import subprocess

import pytest
from lib.program import binary_path


def told(terminal, mark=0):
    """The states that OSC 7501 told: (state, kind, message)."""
    found = []
    for body in re.findall(rb"\x1b\]7501;(state=[^\x1b\a]*)", terminal.since(mark)):
        fields = dict(f.split("=", 1) for f in body.decode().split(":"))
        message = base64.b64decode(fields["msg"]).decode() if "msg" in fields else None
        found.append((fields["state"], fields.get("kind"), message))
    return found


@pytest.fixture(name="demo")
def fixture_demo(make_terminal):
    if not binary_path():
        pytest.skip("the program is not built")

    def make(*args, **options):
        terminal = make_terminal([binary_path(), "demo-agent", *args], **options)
        terminal.wait_for("ready")
        return terminal
    return make


def wait_told(terminal, state, mark=0):
    terminal.wait_for(lambda s: told_now(terminal, state, mark), why="OSC 7501 told %s" % state)


def told_now(terminal, state, mark):
    return any(s == state for s, _, _ in told(terminal, mark))


def composer(terminal):
    """The rows of the composer."""
    rows = terminal.lines()
    first = max(n for n, row in enumerate(rows) if row.startswith(">"))
    last = max(n for n, row in enumerate(rows) if row.startswith("demo agent, offline"))
    return [row[2:].rstrip() for row in rows[first:last]]


def test_it_says_what_it_is(demo):
    t = demo()
    t.wait_for("Demo agent: an offline stand-in. It contacts nobody and runs nothing.")
    t.wait_for("No instructions.")
    assert told(t) == [("idle", None, None)]
    t.wait_bytes(rb"\x1b\]7501;\?\x1b\\")
    row, col, visible = t.cursor()
    assert t.row(row).startswith(">") and col == 2 and visible


def test_instructions_are_shown(demo, tmp_path):
    path = tmp_path / "instructions.md"
    path.write_text("You \"review\" $HOME\n--dash \N{GRINNING FACE}\n")
    t = demo("--instructions-file", str(path))
    t.wait_for("Instructions (%d bytes):" % path.stat().st_size)
    t.wait_for("  | You \"review\" $HOME")
    t.wait_for("  | --dash \N{GRINNING FACE}")
    t.wait_for("instructed")


def test_a_turn(demo):
    t = demo()
    t.type("say hello")
    t.wait_for("> say hello")
    mark = t.mark()
    t.keys("Enter")
    wait_told(t, "done", mark)
    t.wait_for("You said: say hello")
    t.wait_for("This answer is made up: the demo agent has no model behind it.")
    assert [s for s, _, _ in told(t, mark)] == ["working", "done"]
    t.wait_for("ready")
    assert composer(t) == [""]
    assert t.screen.title == "Demo"


def test_words_come_one_after_the_other(demo):
    t = demo("--prompt", "words 40")
    t.wait_for("word40")
    wait_told(t, "done")
    assert re.findall(r"word\d+", t.text()) == ["word%d" % n for n in range(1, 41)]
    assert t.since(0).count(b"\x1b[?2026h") > 10


def test_the_first_prompt_is_submitted(demo):
    t = demo("--prompt", "--not an option")
    t.wait_for("You said: --not an option")


def test_it_works_until_it_is_interrupted(demo):
    t = demo()
    t.type("slow words 1000\n")
    t.wait_for("working (Esc interrupts)")
    t.wait_for("word3")
    mark = t.mark()
    t.keys("Escape")
    wait_told(t, "idle", mark)
    t.wait_for("interrupted")
    t.wait_for("ready")


@pytest.mark.parametrize("key, verdict", [("1", "approved"), ("Enter", "approved"), ("y", "approved"), ("2", "declined"),
                                          ("Escape", "declined"), ("n", "declined")])
def test_an_approval(demo, key, verdict):
    t = demo()
    t.type("approve rm -rf build")
    t.keys("Enter")
    t.wait_for("2. No")
    assert told(t)[-1] == ("blocked", "permission", "approve Demo: rm -rf build")
    t.wait_for("waits for you")
    mark = t.mark()
    t.paste("not an answer")
    t.keys("x", key)
    t.wait_for("You %s it." % verdict)
    wait_told(t, "done", mark)
    assert composer(t) == [""]


@pytest.mark.parametrize("key", ["S-Enter", "C-j", "M-Enter", "C-Enter"])
def test_new_lines(demo, key):
    t = demo()
    t.type("one")
    t.keys(key)
    t.type("two")
    t.wait_for("  two")
    assert composer(t) == ["one", "two"]
    t.keys("Enter")
    t.wait_for("You said: one two")


@pytest.mark.parametrize("data", [b"\x1b[13;2u", b"\n", b"\x1b\r"])
def test_new_lines_as_bytes(demo, data):
    t = demo()
    t.send(b"one" + data + b"two")
    t.wait_for("  two")
    assert composer(t) == ["one", "two"]


def test_a_paste_is_not_submitted(demo):
    t = demo()
    t.paste("first\nsecond\n\nfourth")
    t.wait_for("fourth")
    assert composer(t) == ["first", "second", "", "fourth"]
    assert told(t) == [("idle", None, None)]


def test_a_large_paste_arrives_whole(demo):
    t = demo()
    text = "\n".join("line %d of a paste" % n for n in range(4000))
    t.paste(text)
    t.wait_for("line 3999 of a paste")
    t.keys("Enter")
    t.wait_for("You said: line 0 of a paste line 1 of a paste")


def test_editing(demo):
    t = demo()
    t.type("abcé\N{GRINNING FACE}")
    t.wait_for("é\N{GRINNING FACE}")
    t.keys("BSpace", "BSpace", "x")
    t.wait_for("> abcx")
    t.keys("C-u", "z")
    t.wait_for(re.compile(r"^> z *$", re.M))


def test_a_long_draft_wraps(demo):
    t = demo(rows=20, cols=40)
    t.type("x" * 60 + "end")
    t.wait_for("end")
    assert composer(t) == ["x" * 36, "x" * 24 + "end"]


def test_prompts_during_a_turn_are_queued(demo):
    t = demo()
    t.type("words 60\n")
    t.wait_for("working")
    t.type("and then\n")
    t.wait_for("prompts queued")
    t.wait_for("You said: and then")
    t.wait_for("ready")
    assert [s for s, _, _ in told(t)] == ["idle", "working", "done", "working", "done"]


def test_an_error(demo):
    t = demo()
    t.type("error please\n")
    t.wait_for("the demo agent was asked to fail")
    assert told(t)[-1] == ("error", None, "the demo agent was asked to fail")


def test_lines_go_into_history(demo):
    t = demo(rows=20, cols=60)
    t.type("lines 500\n")
    t.wait_for("line 500")
    wait_told(t, "done")
    printed = re.findall(rb"line (\d+)\r\n", t.since(0))
    assert [int(n) for n in printed] == list(range(1, 501))


def test_resizing_draws_the_footer_anew(demo):
    t = demo(rows=30, cols=100)
    t.type("draft")
    t.wait_for("> draft")
    t.resize(15, 50)
    t.type("ed")
    t.wait_for("> drafted")
    t.resize(40, 120)
    t.type(" again")
    t.wait_for("> drafted again")
    assert t.text().count("drafted again") == 1


def test_the_last_frame_has_one_footer(demo):
    t = demo(rows=20, cols=60)
    t.type("lines 100\n")
    t.wait_for("line 100")
    wait_told(t, "done")
    t.settle()
    assert t.text().count("demo agent, offline") == 1
    assert sum(row.startswith(">") for row in t.lines()) == 1


def test_interrupt_clears_and_twice_leaves(demo):
    t = demo()
    t.type("draft")
    t.wait_for("> draft")
    t.keys("C-c")
    t.wait_gone("> draft")
    t.keys("C-c")
    t.wait_for("press C-c again to leave")
    t.keys("x")
    t.wait_for("ready")
    t.keys("BSpace", "C-c")
    t.wait_for("press C-c again to leave")
    t.keys("C-c")
    assert t.wait_exit() == 0
    assert told(t)[-1][0] == "clear"
    assert not t.left_over()


@pytest.mark.parametrize("text, status", [("/exit", 0), ("/exit 3", 3)])
def test_exit(demo, text, status):
    t = demo()
    t.type(text + "\n")
    assert t.wait_exit() == status
    assert not t.left_over()


def test_end_of_input_leaves(demo):
    t = demo()
    t.keys("C-d")
    assert t.wait_exit() == 0


def test_help(demo):
    t = demo()
    t.type("/help\n")
    t.wait_for("approve   asks for approval first")
    assert told(t) == [("idle", None, None)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_restore_the_terminal(demo, number):
    t = demo()
    t.kill(number)
    assert t.wait_exit() == 128 + number
    assert not t.left_over()


def test_a_question_at_the_start_holds_the_prompt_back(demo, make_terminal):
    t = make_terminal([binary_path(), "demo-agent", "--ask-trust", "--prompt", "say hello"])
    t.wait_for("Do you trust this directory?")
    assert told(t)[-1] == ("blocked", "question", "trust this directory?")
    assert "say hello" not in t.text()
    t.keys("1")
    t.wait_for("You said: say hello")

    t = make_terminal([binary_path(), "demo-agent", "--ask-trust", "--prompt", "say hello"])
    t.wait_for("Do you trust this directory?")
    t.keys("2")
    assert t.wait_exit() == 0
    assert b"say hello" not in t.since(0)


def test_conversations(demo):
    demo("--conversation", "abc").wait_for("New conversation abc")
    demo("--resume", "abc").wait_for("Resumed conversation abc")


def test_answers_of_the_terminal_are_not_typed(demo):
    t = demo()
    t.send(b"\x1b]7501;?\x1b\\\x1b[?62;22c\x1b]11;rgb:0000/0000/0000\x1b\\x")
    t.wait_for(re.compile(r"^> x *$", re.M))


def headless(*args, text="", **options):
    if not binary_path():
        pytest.skip("the program is not built")
    return subprocess.run([binary_path(), "demo-agent", *args], input=text, capture_output=True, text=True, check=False, **options)


def test_headless(tmp_path):
    path = tmp_path / "instructions.md"
    path.write_text("Be brief.")
    result = headless("--print", "--instructions-file", str(path), text="words 3")
    assert (result.returncode, result.stdout) == (0, "Instructed: Be brief.\nword1 word2 word3 \n")
    result = headless("--print", "--json", "--instructions-file", str(path), text="words 1")
    assert json.loads(result.stdout) == {"type": "result", "result": "Instructed: Be brief.\nword1 ", "instructions": "Be brief."}
    result = headless("--print", text="approve this")
    assert result.returncode == 1 and "would need an approval" in result.stderr and not result.stdout


def test_what_it_does_not_know():
    assert headless("--frobnicate").returncode == 2
    assert headless("--prompt").returncode == 2
    assert headless("--instructions-file", "/nonexistent").returncode == 1
    result = headless(env={**os.environ, "TERM": "dumb"})
    assert result.returncode == 2 and "needs a terminal" in result.stderr
