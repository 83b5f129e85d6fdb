"""Turns: numbers that stay, who gave them, their rows; events of all sessions; notes."""
import json
import os
import re
import signal
import subprocess

import pytest

from lib.wait import wait_until
from standins import opens, submitted, wait_submitted, write_composer, write_script
from test_scripts import finished, in_background


@pytest.fixture
def stub(handler):
    path = write_composer(handler, "paste")
    ident = handler.new("stub")
    handler.wait_state(ident, "idle")
    return ident, path


class Events:
    """`handler events --json` in the background."""

    def __init__(self, handler, *args):
        self.path = os.path.join(handler.base, "events-%d" % len(os.listdir(handler.base)))
        self.process = subprocess.Popen([handler.binary, "events"] + list(args), env=handler.environment(), cwd=handler.work,
                                        stdin=subprocess.DEVNULL, stdout=open(self.path, "w"), stderr=subprocess.PIPE, text=True)

    def lines(self):
        with open(self.path) as f:
            return [line for line in f.read().split("\n")[:-1]]

    def all(self):
        return [json.loads(line) for line in self.lines()]

    def wait(self, **wanted):
        """Waits for an event whose members have these values; returns it."""
        def look():
            return [e for e in self.all() if all(e.get(k) == v for k, v in wanted.items())]
        return wait_until(look, "an event with %r" % wanted, dump=lambda: "\n".join(self.lines()))[0]

    def end(self, sig=signal.SIGINT):
        self.process.send_signal(sig)
        return finished(self.process)


# -- numbers -------------------------------------------------------------------------------------------------------

def test_numbers_of_turns_go_on_after_a_resume_and_a_new_worker(handler, stub):
    ident, path = stub
    assert handler.ok("send", ident, "one", "--wait").strip() == "1"
    os.kill(handler.process_named("worker", ident), signal.SIGKILL)
    assert handler.ok("send", ident, "two", "--wait").strip() == "2"
    handler.ok("stop", ident)
    assert handler.session(ident)["turn"] == 2
    handler.ok("resume", ident)
    handler.wait_state(ident, "idle")
    assert handler.ok("send", ident, "three", "--wait").strip() == "3"
    for n, word in enumerate(["one", "two", "three"], 1):
        assert "you: " + word in handler.capture(ident, "--turn", str(n))
    assert handler.run("wait", ident, "--turn", "2", check=0)


def test_a_turn_that_ended_before_anybody_waited_is_seen(handler, stub):
    """Also after it was looked at, and while a later one is in progress or asks something."""
    ident, path = stub
    handler.ok("send", ident, "one", "--wait")
    handler.ok("send", ident, "ask")
    handler.wait_state(ident, "needs-input")
    result = handler.json("wait", ident, "--for", "done", "--turn", "1")
    assert (result["state"], result["turn"]) == ("done", 1)
    assert handler.run("wait", ident, "--turn", "2", check=6)
    handler.ok("keys", ident, "1")
    handler.ok("wait", ident, "--turn", "2")
    handler.ok("keys", ident, "x", "BSpace")  # looked at: idle now
    handler.wait_state(ident, "idle")
    assert handler.json("wait", ident, "--for", "done", "--turn", "2", "--timeout", "20")["state"] == "done"
    handler.ok("send", ident, "work flag")
    handler.wait_state(ident, "working")
    assert handler.json("wait", ident, "--turn", "2", "--timeout", "20")["turn"] == 2
    opens(handler, "flag")


def test_a_turn_that_fails_is_no_end_in_idle(handler, stub):
    ident, path = stub
    handler.ok("send", ident, "exit 3")
    handler.wait_state(ident, "failed")
    assert handler.run("wait", ident, "--turn", "1", check=1)


def test_waiting_for_idle_does_not_need_somebody_who_looks(handler, stub):
    ident, path = stub
    handler.ok("send", ident, "work flag")
    handler.wait_state(ident, "working")
    waiting = in_background(handler, "wait", ident, "--for", "idle")
    opens(handler, "flag")
    assert finished(waiting)[:2] == (0, "work-stub done\n")
    assert handler.run("wait", ident, "--for", "idle", check=0)


# -- who -----------------------------------------------------------------------------------------------------------

def test_who_gave_a_prompt_is_recorded(handler, stub):
    ident, path = stub
    handler.write_agent("boss", harness="shell", may=["send"])
    boss = handler.new("boss", "-n", "boss")
    handler.wait_state(boss, "idle")
    handler.ok("send", ident, "from a script", "--wait")
    assert handler.session(ident)["from"] == {"kind": "script"}
    handler.ok("send", boss, "%s send %s 'from the boss' --wait" % (handler.binary, ident), "--wait")
    assert handler.session(ident)["from"] == {"kind": "session", "id": boss, "name": "boss"}
    terminal = handler.terminal("attach", ident)
    terminal.wait_for("from the boss")
    terminal.type("by hand\n")
    wait_submitted(path, 3)
    wait_until(lambda: handler.session(ident)["turn"] == 3, "the third turn")
    assert handler.session(ident)["from"] == {"kind": "terminal"}
    whos = [handler.json("capture", ident, "--turn", n)["turn"]["from"]["kind"] for n in (1, 2, 3)]
    assert whos == ["script", "session", "terminal"]


def test_the_first_prompt_is_of_who_started_the_session(handler):
    write_composer(handler, "paste")
    ident = handler.new("stub", "-p", "begin")
    handler.wait_state(ident, "done")
    assert handler.session(ident)["from"] == {"kind": "start"}
    outer = handler.new("shell", "-n", "outer")
    handler.wait_state(outer, "idle")
    handler.ok("send", outer, "%s new stub -n inner -p begin" % handler.binary, "--wait")
    handler.wait_state("inner", "done")
    assert handler.session("inner")["from"] == {"kind": "session", "id": outer, "name": "outer"}


# -- rows ----------------------------------------------------------------------------------------------------------

def test_the_rows_of_a_turn(handler, stub):
    ident, path = stub
    for word in ("alpha", "beta\ngamma", "delta"):
        handler.ok("send", ident, word, "--wait")
    first, second = handler.capture(ident, "--turn", "1"), handler.capture(ident, "--turn", "2")
    assert first.split("\n")[:2] == ["you: alpha", "quickly"] and "beta" not in first
    assert second.split("\n")[:2] == ["> beta", "you: beta\\ngamma"] and "alpha" not in second and "delta" not in second
    as_json = handler.json("capture", ident, "--turn", "2")
    assert as_json["turn"]["number"] == 2 and as_json["turn"]["state"] == "done" and as_json["turn"]["ended"]
    assert as_json["lines"][0]["runs"][0]["text"].startswith("> beta")
    handler.ok("stop", ident)
    assert handler.capture(ident, "--turn", "1") == first and handler.capture(ident, "--turn", "2") == second
    error = handler.run("capture", ident, "--turn", "4", "--json", check=1).error()
    assert "no turn 4" in error["message"] and "1 to 3" in error["hint"]
    assert handler.run("capture", ident, "--turn", "0", check=2)
    assert handler.run("capture", ident, "--turn", "1", "--history", "all", check=2)


def test_the_prompt_belongs_to_its_turn_where_the_composer_moves(handler):
    """The demo agent puts what was in its composer into what it has printed, a row higher."""
    ident = handler.new("demo")
    handler.wait_state(ident, "idle")
    for word in ("alpha", "beta"):
        handler.ok("send", ident, word, "--wait")
    first, second = handler.capture(ident, "--turn", "1"), handler.capture(ident, "--turn", "2")
    assert first.startswith("> alpha\n") and "You said: alpha" in first and "beta" not in first
    assert second.startswith("> beta\n") and "You said: beta" in second


def test_the_rows_of_a_turn_when_lines_are_broken_anew(handler):
    ident = handler.new("shell", "--size", "120x12")
    handler.wait_state(ident, "idle")
    for n in range(1, 7):
        handler.ok("send", ident, "printf 'answer %d %%0100d end\\n' 0" % n, "--wait")
    words = {n: handler.capture(ident, "--turn", n).split() for n in range(1, 6)}
    assert all(("answer %d" % n) in " ".join(words[n]) and words[n].count("end") == 1 for n in words), words
    for size in ("50x12", "200x30", "33x8", "120x12"):
        handler.ok("resize", ident, size)
        for n in words:
            text = handler.capture(ident, "--turn", n).replace("\n", "")
            assert text.count("answer") == 2 and ("answer %d 0" % n).replace(" ", "") in text.replace(" ", ""), (size, n, text)


# -- rows on the alternate screen ----------------------------------------------------------------------------------

# An agent that draws pages: a title, its conversation, an input line with a border and a footer.  A first word `lines N` makes
# it answer with so many, `flip` with a page that has nothing in common with the one before.
PAGES = r'''
import fcntl, struct
tty.setraw(0, termios.TCSANOW)
said, text = ["welcome to pages", "a new conversation"], ""
def draw():
    rows, cols = struct.unpack("hh", fcntl.ioctl(1, termios.TIOCGWINSZ, b"    "))
    body = rows - 5
    shown = said[-body:]
    lines = ["pages, %d lines" % len(said)] + shown + [""] * (body - len(shown)) + ["\u2500" * 40, "> " + text, "\u2500" * 40, "model: none"]
    put("\x1b[?2026h\x1b[?25l\x1b[H" + "\r\n".join(l[:cols] + "\x1b[K" for l in lines) + "\x1b[%d;%dH\x1b[?25h\x1b[?2026l" % (rows - 2, 3 + len(text)))
def state(s):
    if "mute" not in sys.argv: put("\x1b]7501;state=%s:app=pages\x1b\\" % s)
def submit(t):
    global said
    state("working")
    if t.startswith("flip"): said = []
    said += ["", "> " + t, ""]
    words = t.split()
    for n in range(int(words[1]) if words[0] == "lines" else 1):
        said.append("answer %d, %s" % (n, "abcdefgh"[n % 8] * (n % 23 + 1)))
        draw()
    state("done")
put("\x1b[?1049h\x1b[2J\x1b[?2004h")
draw()
state("idle")
while True:
    data = os.read(0, 65536).decode()
    for c in data.replace("\x1b[200~", "").replace("\x1b[201~", ""):
        if c == "\r":
            t, text = text, ""
            submit(t)
        elif c == "\x04": put("\x1b[?1049l"); sys.exit(0)
        else: text += c
    draw()
'''


@pytest.fixture
def pages(handler):
    write_script(handler, "pages", PAGES)
    ident = handler.new("pages", "--size", "80x20")
    handler.wait_state(ident, "idle")
    return ident


def answers(n, t):
    return ["> " + t] + ["answer %d, %s" % (i, "abcdefgh"[i % 8] * (i % 23 + 1)) for i in range(n)]


def turn_lines(handler, ident, n):
    result = handler.run("capture", ident, "--turn", str(n), check=0)
    return [line for line in result.out.split("\n") if line], result.err


@pytest.mark.parametrize("end", ["lives", "stopped", "leaves"])
def test_the_rows_of_turns_on_the_alternate_screen(handler, pages, end):
    """One that fits the page, one that is longer, one that has just ended: each whole, and nothing of the page around it."""
    wanted = {1: answers(1, "alpha"), 2: answers(60, "lines 60"), 3: answers(3, "lines 3"), 4: answers(1, "alpha")}
    for n in sorted(wanted):
        handler.ok("send", pages, wanted[n][0][2:], "--wait")
        assert turn_lines(handler, pages, n) == (wanted[n], "")
    if end == "stopped":
        handler.ok("stop", pages)
    elif end == "leaves":
        handler.ok("keys", pages, "C-d")
        handler.wait_state(pages, "exited")
    for n in sorted(wanted):
        assert turn_lines(handler, pages, n) == (wanted[n], ""), n
    data = handler.json("capture", pages, "--turn", "2")
    assert data["turn"]["number"] == 2 and data["gaps"] is False
    texts = ["".join(r["text"] for r in l["runs"]).rstrip() for l in data["lines"]]
    assert [text for text in texts if text] == wanted[2]


def test_turns_of_a_program_that_does_not_tell_its_state(handler):
    """They go on until the next one: where its prompt stands is looked for then, and when it is asked for."""
    write_script(handler, "pages", PAGES)
    handler.write_harness("mute", format=1, name="mute", title="Mute", description="a stand-in", command="pages-script", args=["mute"],
                          interactive={"instructions": {"way": "refuse", "reason": "It is a stand-in.", "instead": "Nothing."},
                                       "prompt": {"way": "typed"}},
                          conversation={"id": "none"}, status={})
    ident = handler.new("mute", "--size", "80x20")
    wanted = {1: answers(1, "alpha"), 2: answers(30, "lines 30"), 3: answers(2, "lines 2")}
    handler.wait_capture(ident, "a new conversation")
    for n in sorted(wanted):
        handler.ok("send", ident, wanted[n][0][2:])
        handler.wait_capture(ident, wanted[n][-1])
        wait_until(lambda: turn_lines(handler, ident, n) == (wanted[n], ""), "turn %d" % n,
                   dump=lambda: repr(turn_lines(handler, ident, n)))
    handler.ok("stop", ident)
    for n in sorted(wanted):
        assert turn_lines(handler, ident, n) == (wanted[n], "")


def test_a_turn_in_whose_rows_something_may_be_missing_says_so(handler, pages):
    handler.ok("send", pages, "lines 30", "--wait")
    handler.ok("send", pages, "flip to something else", "--wait")
    assert turn_lines(handler, pages, 1) == (answers(30, "lines 30"), "")
    lines, said = turn_lines(handler, pages, 2)
    assert lines == answers(1, "flip to something else") and "may be missing" in said
    assert handler.json("capture", pages, "--turn", "2")["gaps"]


# -- events --------------------------------------------------------------------------------------------------------

def test_events_of_sessions_that_are_there_and_that_come(handler, stub):
    ident, path = stub
    events = Events(handler, "--json")
    present = events.wait(event="present", id=ident)
    assert present["state"] == "idle" and present["version"] == 1
    later = handler.new("stub", "-n", "later")
    assert events.wait(event="started", id=later)["name"] == "later"
    handler.wait_state(later, "idle")
    handler.ok("send", later, "hello", "--wait")
    events.wait(event="state", id=later, state="done")
    states = [e["state"] for e in events.all() if e["id"] == later and e["event"] == "state"]
    assert states[-2:] == ["working", "done"]
    working = events.wait(event="state", id=later, state="working")
    assert working["turn"] == 1 and working["from"] == {"kind": "script"} and working["before"] == "idle"
    handler.ok("send", ident, "ask")
    assert "rm -rf" in events.wait(event="state", id=ident, state="needs-input")["reason"]
    handler.ok("rename", later, "other")
    assert events.wait(event="renamed", id=later)["before"] == "later"
    handler.ok("stop", later)
    events.wait(event="state", id=later, state="stopped")
    handler.ok("rm", later)
    events.wait(event="removed", id=later)
    code, _, err = events.end()
    assert (code, err) == (0, "")


def test_every_change_is_told_however_short(handler, stub):
    """Twenty turns of no duration: each begins and ends, in order; nothing is read now and then."""
    ident, path = stub
    events = Events(handler, "--json")
    events.wait(event="present", id=ident)
    for n in range(20):
        handler.ok("send", ident, "quick %d" % n, "--wait")
    events.wait(event="state", state="done", turn=20)
    got = [(e["state"], e["turn"]) for e in events.all() if e["event"] == "state" and e["state"] in ("working", "done")]
    assert got == [(s, n) for n in range(1, 21) for s in ("working", "done")]
    assert events.end(signal.SIGTERM)[0] == 0


def test_events_as_sentences(handler, stub):
    ident, path = stub
    events = Events(handler)
    wait_until(lambda: any("work-stub is idle" in line for line in events.lines()), "the session that is there")
    handler.ok("send", ident, "ask")
    wait_until(lambda: any("needs-input" in line for line in events.lines()), "the question", dump=lambda: repr(events.lines()))
    handler.ok("note", "looks odd", "--session", ident)
    wait_until(lambda: any("odd" in line for line in events.lines()), "the note")
    lines = [re.sub(r"^\d\d:\d\d:\d\d ", "", line) for line in events.lines()]
    assert lines == ["work-stub is idle", "work-stub is working (turn 1, from a script)",
                     "work-stub is needs-input: approve Bash: rm -rf build (turn 1)", "work-stub: note from a script: looks odd"]
    events.end()


def test_events_survive_a_new_worker_and_tell_of_a_lost_session(handler, stub):
    ident, path = stub
    events = Events(handler, "--json")
    events.wait(event="present", id=ident)
    os.kill(handler.process_named("worker", ident), signal.SIGKILL)
    handler.ok("send", ident, "hello", "--wait")
    events.wait(event="state", state="done", turn=1)
    os.kill(handler.process_named("keeper", ident), signal.SIGKILL)
    events.wait(event="state", id=ident, state="lost")
    events.end()


def test_events_end_when_nobody_reads(handler, stub):
    process = subprocess.Popen("%s events; echo status $? >&2" % handler.binary, shell=True, env=handler.environment(), cwd=handler.work,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert "work-stub is idle" in process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read().strip() == "status 0"  # without another event
    process.wait()


# -- notes ---------------------------------------------------------------------------------------------------------

def test_a_note_from_inside_a_session(handler):
    ident = handler.new("shell", "-n", "writer")
    handler.wait_state(ident, "idle")
    events = Events(handler, "--json")
    events.wait(event="present", id=ident)
    terminal = handler.terminal("terminal", rows=30, cols=130)
    terminal.wait_for("writer")
    handler.ok("send", ident, "%s note 'half of it   is ported\x1b[31m'" % handler.binary, "--wait")
    note = handler.session(ident)["note"]
    assert note["text"] == "half of it is ported[31m" or note["text"].startswith("half of it is ported")
    assert note["from"] == {"kind": "session", "id": ident, "name": "writer"} and re.match(r"\d{4}-", note["time"])
    assert events.wait(event="note", id=ident)["note"] == note
    terminal.wait_for("writer: half of it is ported")
    os.kill(handler.process_named("worker", ident), signal.SIGKILL)
    handler.ok("send", ident, "true", "--wait")
    assert handler.session(ident)["note"] == note
    handler.ok("stop", ident)
    assert handler.session(ident)["note"] == note
    handler.ok("resume", ident)
    handler.wait_state(ident, "idle")
    assert handler.session(ident)["note"] == note
    events.end()


def test_a_note_needs_a_session_and_a_text(handler, stub):
    ident, path = stub
    assert "which one" in handler.run("note", "x", "--json", check=2).error()["message"]
    assert handler.run("note", "", "-s", ident, check=2)
    assert handler.run("note", "x", "-s", "nobody", check=4)
    result = handler.json("note", "x" * 5000, "-s", ident)
    assert result["id"] == ident and len(result["note"]["text"]) <= 210
