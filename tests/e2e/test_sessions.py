"""Sessions as the list shows them: names, numbers, finding, capture, sizes, ending and resuming, many at once."""
import json
import os
import re
import shutil
import subprocess
import tempfile

import pytest

from lib import processes
from lib.wait import wait_until
from standins import log_of, opens, read_dump, script, write_composer, write_dump
from wire_client import FOCUS, SCREEN, STATE, Client


def is_time(text):
    return re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", text) is not None


# -- ids, names, numbers ---------------------------------------------------------------------------------------

def test_a_session_in_the_list(handler):
    result = handler.run("new", "shell", "-n", "api", "--json", check=0).json()
    assert re.fullmatch(r"[a-z][a-z0-9]{5}", result["id"])
    assert (result["name"], result["number"], result["version"]) == ("api", 1, 1)
    handler.wait_state("api", "idle")
    listed = handler.json("ls")
    assert listed["version"] == 1
    session, = listed["sessions"]
    for key in ("id number name agent harness state reason waits since seconds turn dir cwd title sandbox created parent conversation "
                "live left rows cols notes").split():
        assert key in session, key
    assert session["agent"] == session["harness"] == "shell" and session["dir"] == handler.work
    assert is_time(session["created"]) and is_time(session["since"]) and session["seconds"] >= 0
    line = handler.ok("ls")
    assert re.match(r"\s*1\s+api\s+shell\s+idle\s+<1m\s+\S+", line), line
    assert "\x1b" not in line
    assert handler.ok("ls", "-q") == session["id"] + "\n"
    assert handler.ok("new", "shell").strip() in handler.ok("ls", "-q").split()


def test_default_names_are_directory_and_agent_with_numbers_for_twins(handler):
    names = [handler.session(handler.new("shell"))["name"] for _ in range(3)]
    assert names == ["work-shell", "work-shell-2", "work-shell-3"]
    odd = os.path.join(handler.base, "-@ odd \u202edir\n\U0001F600")
    os.mkdir(odd)
    name = handler.session(handler.new("shell", "-C", odd))["name"]
    assert name.endswith("-shell") and not re.search(r"[\n\u202e]|^[-@.]", name), name
    assert handler.session(handler.new("shell", "-C", "/"))["name"] == "root-shell"
    handler.write_agent("reviewer", harness="shell")
    assert handler.session(handler.new("reviewer"))["name"] == "work-reviewer"


def test_names_are_unique_and_numbers_are_reused(handler):
    a, b, c = (handler.new("shell", "-n", name) for name in "abc")
    assert [s["number"] for s in handler.sessions()] == [1, 2, 3]
    error = handler.run("new", "shell", "-n", "b", "--json", check=2).error()
    assert '"b"' in error["message"]
    handler.ok("stop", b)
    assert handler.run("new", "shell", "-n", "b", check=2)  # not yet removed
    assert handler.session(handler.new("shell"))["number"] == 4
    handler.ok("rm", b)
    d = handler.new("shell", "-n", "b")
    assert handler.session(d)["number"] == 2
    assert [s["id"] for s in handler.sessions()][:3] == [a, d, c]


def test_many_starts_at_once_get_names_and_numbers_of_their_own(handler):
    starts = [subprocess.Popen([handler.binary, "new", "shell"], env=handler.environment(), cwd=handler.work, stdout=subprocess.PIPE, text=True)
              for _ in range(8)]
    idents = [p.communicate(timeout=60)[0].strip() for p in starts]
    sessions = handler.sessions()
    assert sorted(s["id"] for s in sessions) == sorted(idents)
    assert [s["number"] for s in sessions] == list(range(1, 9))
    assert len({s["name"] for s in sessions}) == 8


def test_finding_a_session(handler):
    one, two = handler.new("shell", "-n", "backend"), handler.new("shell", "-n", "backup")
    for word in (one, "backend", "1", "backe", one[:5]):
        assert handler.run("capture", word).code == 0, word
    error = handler.run("capture", "back", "--json", check=4).error()
    assert error["code"] == "ambiguous-session" and "backend" in error["message"] and "backup" in error["message"]
    error = handler.run("capture", "bakend", "--json", check=4).error()
    assert error["code"] == "no-such-session" and "backend" in error["hint"]
    for word in ("3", "0", "01x", "", "zzz"):
        assert handler.run("capture", word, check=4).out == "", word
    for command in (["stop", "backe"], ["keys", "backe", "x"], ["send", "backe", "x"], ["rename", "backe", "y"], ["rm", "backe"],
                    ["resize", "backe", "80x24"]):
        assert handler.run(*command, check=4), command  # what changes something takes no beginnings
    assert handler.run("capture", ".", "--json", check=4).error()["code"] == "no-such-session"
    assert handler.run("capture", ".", env={"HANDLER_SESSION": two}).code == 0
    assert handler.session(two)["live"]


def test_renaming(handler):
    ident = handler.new("shell", "-n", "before")
    handler.new("shell", "-n", "other")
    with Client(handler, ident) as client:
        assert client.welcome["session"]["name"] == "before"
        handler.ok("rename", ident, "näch-ste Ü")
        assert client.wait(STATE, lambda s: s.get("name") != "before")["name"] == "näch-ste Ü"
    assert handler.session(ident)["name"] == "näch-ste Ü"
    assert handler.run("capture", "näch").code == 0
    for name in ("other", "", "7", ".", "@x", "-x", "a\tb", "x" * 65, "a\x1b[1m"):
        assert handler.run("rename", ident, "--", name, check=2), name
    assert handler.session(ident)["name"] == "näch-ste Ü"
    assert handler.run("rename", "before", "x", check=4)
    handler.ok("stop", ident)
    assert handler.json("rename", ident, "ended")["name"] == "ended"


# -- the list ---------------------------------------------------------------------------------------------------

def test_short_form_and_its_status(handler):
    assert handler.run("ls", "--short", check=0).out == "no sessions\n"
    write_composer(handler, "paste")
    one, two = handler.new("stub"), handler.new("stub")
    for ident in (one, two):
        handler.wait_state(ident, "idle")
    assert handler.run("ls", "--short", check=0).out == "2 idle\n"
    handler.ok("send", one, "work flag")
    handler.wait_state(one, "working")
    assert handler.run("ls", "--short", check=0).out == "1 working, 1 idle\n"
    handler.ok("send", two, "ask")
    handler.wait_state(two, "needs-input")
    result = handler.run("ls", "--short", check=10)
    assert result.out == "1 needs you, 1 working\n"
    assert handler.run("ls", "--short", "--json", check=10).json()["waiting"] == 1
    assert "approve Bash: rm -rf build" in handler.ok("ls")
    opens(handler, "flag")
    handler.wait_state(one, "done")
    assert handler.run("ls", "--short", check=10).out == "2 need you\n"


def test_done_becomes_idle_when_it_was_looked_at(handler):
    """In view for two seconds, or a key; a preview and a mere connection are not looking."""
    write_composer(handler, "paste")
    ident = handler.new("stub")
    handler.wait_state(ident, "idle")
    handler.ok("send", ident, "quick", "--wait")
    assert handler.state(ident) == "done"
    with Client(handler, ident) as client:
        client.view(40, 120, preview=True)
        client.wait(SCREEN)
        client.view(0, 0, visible=False)
        client.ping()
        assert handler.state(ident) == "done"
        client.view(40, 120)
        handler.wait_state(ident, "idle", timeout=10)
    handler.ok("send", ident, "quick", "--wait")
    handler.ok("keys", ident, "x")
    handler.wait_state(ident, "idle")


def test_explaining_a_state(handler):
    write_composer(handler, "paste")
    ident = handler.new("stub")
    handler.wait_state(ident, "idle")
    assert "OSC 7501" in handler.ok("ls", "--explain", ident)
    assert "OSC 7501" in handler.json("ls", "--explain", ident)["explain"]
    assert handler.run("ls", "--explain", "nobody", check=4)


def test_ages_are_those_of_states(handler):
    """A state's age begins with it, not with its session."""
    ident = handler.new("shell")
    session = handler.wait_state(ident, "idle")
    record = os.path.join(handler.session_folder(ident), "session.json")
    changed = json.load(open(record))
    changed["created"] = "2020-01-01T00:00:00Z"
    handler.write_json(record, changed)
    assert handler.session(ident)["since"] == session["since"] and handler.session(ident)["seconds"] < 60
    assert "<1m" in handler.ok("ls")


def test_titles_and_directories_of_programs(handler):
    ident = script(handler, "titled", r'''
put("\x1b]2;plain \u00fc\x07\x1b]7;file://localhost/usr/share\x1b\\one"); gate("evil")
put("\x1b]2;a\u009bb\u202e\nc" + "x" * 1500 + "\x1b\\two"); stay()''')
    handler.wait_capture(ident, "one")
    wait_until(lambda: handler.session(ident)["title"] == "plain ü", "the title", dump=handler.dump)
    assert handler.session(ident)["cwd"] == "/usr/share"
    opens(handler, "evil")
    handler.wait_capture(ident, "two")
    wait_until(lambda: handler.session(ident)["title"].startswith("a"), "the other title")
    title = handler.session(ident)["title"]
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202e]", title) and len(title) < 3000
    assert all(len(line) < 300 and not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", line) for line in handler.ok("ls").split("\n"))


# -- capture ----------------------------------------------------------------------------------------------------

SHOWN = r'''
for i in range(60): put("line %d\r\n" % i)
put("\x1b[1;31mred\x1b[0m \x1b[4:3;58:2::1:2:3mcurly\x1b[0m \x1b]8;;http://x.org/\x1b\\link\x1b]8;;\x1b\\ \u6f22\u5b57 e\u0301 END")
gate("leave")'''


@pytest.mark.parametrize("ended", [False, True])
def test_capture_in_all_forms(handler, ended):
    ident = script(handler, "shown", SHOWN, "--size", "80x20")
    handler.wait_capture(ident, "END")
    if ended:
        opens(handler, "leave")
        handler.wait_state(ident, "exited")
        wait_until(lambda: not handler.session(ident)["live"], "the session is over")
    text = handler.capture(ident)
    lines = text.rstrip("\n").split("\n")
    assert "red curly link 漢字 e\u0301 END" in lines and lines[0].startswith("line ")
    numbers = [int(n) for n in re.findall(r"^line (\d+)$", text, re.M)]
    assert numbers == list(range(numbers[0], 60)) and len(lines) <= 20
    whole = handler.capture(ident, "--history", "all")
    assert [int(n) for n in re.findall(r"^line (\d+)$", whole, re.M)] == list(range(60))
    some = handler.capture(ident, "--history", "5").split("\n")
    assert some[0] == "line %d" % (numbers[0] - 5) and "\n".join(some[5:]) == text
    assert handler.capture(ident, "--history", "0") == text
    assert handler.capture(ident, "--history", "999999") == whole
    ansi = handler.capture(ident, "--ansi")
    assert re.search(r"\x1b\[[0-9;:]*1[0-9;:]*mred", ansi) and "4:3" in ansi and re.sub(r"\x1b\[[0-9;:]*m|\x1b\]8;[^\x1b\x07]*(\x1b\\|\x07)", "", ansi) == text
    data = handler.json("capture", ident)
    assert (data["version"], data["rows"], data["cols"], data["id"]) == (1, 20, 80, ident)
    runs = {run["text"].strip(): run["style"] for line in data["lines"] for run in line["runs"]}
    assert runs["red"] == {"fg": 1, "bold": True}
    assert runs["curly"] == {"underline": "curly", "underline_color": "#010203"}
    assert runs["link"]["link"] == "http://x.org/"
    assert [line["number"] for line in data["lines"]] == list(range(data["top"], data["top"] + len(data["lines"])))
    deep = handler.json("capture", ident, "--history", "all")
    assert len(deep["lines"]) == len(whole.rstrip("\n").split("\n")) and deep["lines"][0]["number"] == 0
    assert all(sum(r["columns"] for r in line["runs"]) <= 80 for line in deep["lines"])
    assert handler.run("capture", ident, "--history", "x", check=2)
    assert handler.run("capture", ident, "--ansi", "--json", check=2)
    if not ended:
        assert data["cursor"]["row"] == len(lines) - 1 and data["cursor"]["visible"]


def test_a_long_history_comes_whole(handler):
    """More than one answer holds; live and ended give the same."""
    ident = script(handler, "long", r'''
for i in range(30000): put("line %d %s\r\n" % (i, "\u00e9" * (i % 60)))
put("END"); gate("leave")''')
    handler.wait_capture(ident, "END", timeout=60)
    live = handler.capture(ident, "--history", "all")
    assert [int(n) for n in re.findall(r"^line (\d+)", live, re.M)] == list(range(30000))
    assert len(handler.json("capture", ident, "--history", "all")["lines"]) >= 30000
    opens(handler, "leave")
    wait_until(lambda: not handler.session(ident)["live"], "the session is over")
    ended = handler.capture(ident, "--history", "all")
    assert ended.startswith(live.rstrip("\n"))


def test_history_is_cut_at_the_limit(handler):
    handler.write_config(history_lines=500)
    ident = script(handler, "long", r'''
for i in range(5000): put("line %d\r\n" % i)
put("END"); stay()''')
    handler.wait_capture(ident, "END")
    numbers = [int(n) for n in re.findall(r"^line (\d+)$", handler.capture(ident, "--history", "all"), re.M)]
    assert numbers == list(range(numbers[0], 5000))
    assert 500 <= len(numbers) <= 5000


def test_a_session_that_showed_nothing(handler):
    ident = script(handler, "nothing", "stay()")
    handler.wait_state(ident, "idle", "unknown")
    assert handler.capture(ident) == ""
    assert handler.json("capture", ident)["lines"] == []
    handler.ok("stop", ident)
    assert "stopped" in handler.capture(ident)


# -- sizes -----------------------------------------------------------------------------------------------------

SIZED = r'''
def changed(*_): log(b"%dx%d\n" % tuple(os.get_terminal_size()))
signal.signal(signal.SIGWINCH, changed)
changed(); put("ready")
gate("leave")'''


def sizes(handler):
    return log_of(handler).decode().split()


def test_resizing_by_hand_pins(handler):
    ident = script(handler, "sized", SIZED, "--size", "100x30")
    handler.wait_capture(ident, "ready")
    handler.ok("resize", ident, "90x25")
    wait_until(lambda: sizes(handler) == ["100x30", "90x25"], "the program has its size", dump=lambda: str(sizes(handler)))
    handler.ok("resize", ident, "90x25")
    with Client(handler, ident) as client:
        client.view(50, 150)
        client.wait(SCREEN)
        client.wait_done(client.key("x"))
        client.ping()
        assert sizes(handler) == ["100x30", "90x25"]
        assert (handler.session(ident)["cols"], handler.session(ident)["rows"]) == (90, 25)
        handler.ok("resize", ident, "--unpin")
        client.view(51, 150)
        wait_until(lambda: sizes(handler)[-1] == "150x51", "the terminal decides again", dump=lambda: str(sizes(handler)))
    for size in ("0x0", "5", "x", "100x", "axb", "100000x100", "-80x24", "80x24x2"):
        assert handler.run("resize", ident, "--", size, check=2), size
    assert handler.run("resize", ident, check=2) and handler.run("resize", ident, "80x24", "--unpin", check=2)


def test_a_gesture_is_one_change(handler):
    ident = script(handler, "sized", SIZED, "--size", "100x30")
    handler.wait_capture(ident, "ready")
    with Client(handler, ident) as client:
        client.view(30, 100)
        client.wait(SCREEN)
        for cols in range(101, 140):
            client.view(30, cols)
        wait_until(lambda: sizes(handler)[-1] == "139x30", "the last size", dump=lambda: str(sizes(handler)))
    assert len(sizes(handler)) <= 4, sizes(handler)


def test_the_size_belongs_to_who_typed_last(handler):
    """Looking, previews and focus never change it; a key does; it moves only after the former owner was quiet."""
    ident = script(handler, "sized", SIZED, "--size", "100x30")
    handler.wait_capture(ident, "ready")
    large, small = Client(handler, ident), Client(handler, ident)
    large.view(40, 140)
    wait_until(lambda: sizes(handler)[-1] == "140x40", "the first to look owns")
    small.view(20, 70)
    small.wait(SCREEN)
    small.send(FOCUS, b"\1")
    small.ping()
    preview = Client(handler, ident)
    preview.view(10, 40, preview=True)
    preview.wait(SCREEN)
    preview.key("p")
    preview.ping()
    reader = Client(handler, ident)
    reader.view(11, 41, readonly=True)
    reader.wait(SCREEN)
    assert sizes(handler)[-1] == "140x40"
    large.wait_done(large.key("a"))
    small.wait_done(small.key("b"))  # within 300 ms of the other: the owner stays, or it moves once, later
    wait_until(lambda: small.wait_done(small.key("c")) or sizes(handler)[-1] == "70x20", "the one who types owns", dump=lambda: str(sizes(handler)))
    large.close()
    small.view(0, 0, visible=False)
    small.ping()
    assert sizes(handler)[-1] == "70x20"  # hidden sessions keep their size
    small.close()
    preview.ping()
    assert sizes(handler)[-1] == "70x20"
    assert sizes(handler).count("140x40") == 1


def test_a_mouse_press_counts_as_typing_a_motion_does_not(handler):
    ident = script(handler, "sized", SIZED, "--size", "100x30")
    handler.wait_capture(ident, "ready")
    one, two = Client(handler, ident), Client(handler, ident)
    one.view(40, 140)
    wait_until(lambda: sizes(handler)[-1] == "140x40", "the first to look owns")
    two.view(20, 70)
    two.wait(SCREEN)
    two.wait_done(two.paste("x"))
    wait_until(lambda: sizes(handler)[-1] == "70x20", "a paste owns", dump=lambda: str(sizes(handler)))


# -- ended ones: resume, rm --------------------------------------------------------------------------------------

def test_resuming_afresh_keeps_what_is_the_sessions(handler):
    ident = script(handler, "again", r'''
put("run %d\r\n" % (log_count() + 1)); log(b"x"); gate("leave")'''.replace("log_count()", "(os.path.getsize('log') if os.path.exists('log') else 0)"),
                   "-n", "keepsme", "--size", "90x25")
    handler.wait_capture(ident, "run 1")
    before = handler.session(ident)
    handler.ok("stop", ident)
    result = handler.json("resume", "keepsme")["resumed"][0]
    assert result["id"] == ident and "afresh" in result["way"]
    handler.wait_capture(ident, "run 2")
    after = handler.session(ident)
    for key in ("id", "name", "number", "dir", "agent", "rows", "cols"):
        assert after[key] == before[key], key
    assert after["live"] and after["state"] not in ("stopped", "lost")
    assert "run 1" in handler.capture(ident, "--history", "all")
    assert "running" in handler.ok("resume", ident)
    assert handler.run("resume", "nobody", check=4)


def test_resuming_by_the_harness_itself(handler):
    """Claude Code's conversation has an id of ours: the second start names it."""
    out = write_dump(handler, "claude")
    handler.write_agent("own", harness="claude-code", instructions="first")
    ident = handler.new("own", "--", "--verbose")
    argv = read_dump(out)["argv"]
    conversation = argv[argv.index("--session-id") + 1]
    assert handler.session(ident)["conversation"] == conversation
    handler.ok("stop", ident)
    os.unlink(out)
    handler.write_agent("own", harness="claude-code", instructions="changed")
    assert "resumed" in handler.json("resume", ident)["resumed"][0]["way"]
    again = read_dump(out)["argv"]
    assert again[again.index("--resume") + 1] == conversation and "--session-id" not in again and "--verbose" in again
    assert again[again.index("--system-prompt-snapshot") + 1] == "off"
    with open(again[again.index("--append-system-prompt-file") + 1]) as f:
        assert f.read() == "changed"


def test_resuming_all(handler):
    idents = [handler.new("shell") for _ in range(3)]
    for ident in idents:
        handler.wait_state(ident, "idle")
    handler.ok("stop", *idents[:2])
    assert sorted(r["id"] for r in handler.json("resume", "--all")["resumed"]) == sorted(idents[:2])
    assert all(s["live"] for s in handler.sessions())
    assert handler.run("resume", check=2) and handler.run("resume", idents[0], "--all", check=2)


def test_a_resume_that_fails_leaves_the_session_as_it_was(handler):
    handler.write_program("claude", "#!/bin/bash\necho here\nread x\n")
    ident = handler.new("claude")
    handler.wait_capture(ident, "here")
    handler.ok("stop", ident)
    os.unlink(os.path.join(handler.base, "bin", "claude"))
    assert handler.run("resume", ident, "--json", check=1).error()["code"] == "not-installed"
    session = handler.session(ident)
    assert session["state"] == "stopped" and not session["live"]
    assert "here" in handler.capture(ident)
    handler.write_program("claude", "\x7fELF garbage")
    assert handler.run("resume", ident, "--json", check=1).error()["code"] == "start-failed"
    session = handler.session(ident)
    assert session and session["state"] in ("stopped", "lost") and not session["live"]
    assert "here" in handler.capture(ident, "--history", "all")


def test_values_of_given_variables_are_asked_for_again(handler):
    ident = handler.new("shell", "--env", "SECRET=hidden-value")
    handler.wait_state(ident, "idle")
    handler.ok("stop", ident)
    assert "hidden-value" not in open(os.path.join(handler.session_folder(ident), "session.json")).read()
    result = handler.run("resume", ident, check=1)
    assert "SECRET" in result.err and "hidden-value" not in result.err
    handler.ok("resume", ident, env={"SECRET": "other"})
    handler.wait_state(ident, "idle")
    handler.ok("send", ident, "echo $SECRET", "--wait")
    assert "other" in handler.capture(ident)


def test_removing(handler):
    live, ended = handler.new("shell"), handler.new("shell")
    handler.wait_state(ended, "idle")
    handler.ok("stop", ended)
    error = handler.run("rm", live, "--json", check=3).error()
    assert error["code"] == "session-live" and "stop" in error["hint"]
    assert handler.run("rm", "-f", live, check=3) and handler.session(live)["live"]
    kept = os.path.join(handler.work, "kept")
    open(kept, "w").close()
    wait_until(lambda: handler.run("rm", ended).code == 0, "it can be removed")
    assert not os.path.exists(handler.session_folder(ended)) and os.path.exists(kept)
    assert handler.run("rm", ended, check=4)
    assert handler.run("rm", "-f", ended, check=0)
    assert handler.run("rm", check=2)
    assert handler.run("capture", ended, check=4)


def test_removing_follows_no_link(handler):
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    handler.ok("stop", ident)
    outside = os.path.join(handler.base, "outside")
    os.mkdir(outside)
    open(os.path.join(outside, "precious"), "w").close()
    os.symlink(outside, os.path.join(handler.session_folder(ident), "link"))
    wait_until(lambda: handler.run("rm", ident).code == 0, "it can be removed")
    assert os.path.exists(os.path.join(outside, "precious"))


# -- from inside -------------------------------------------------------------------------------------------------

def inside(handler, ident, *command):
    """Runs `handler COMMAND` as a program of the session would; returns (status, what it printed)."""
    env = dict(handler.environment({"HANDLER_SESSION": ident}))
    done = subprocess.run([handler.binary] + list(command), env=env, cwd=handler.work, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def test_commands_from_inside_a_session(handler):
    write_composer(handler, "paste")
    me, other = handler.new("stub"), handler.new("stub", "-n", "other")
    for ident in (me, other):
        handler.wait_state(ident, "idle")
    for command in (["send", "other", "x"], ["keys", "other", "x"], ["stop", "other"], ["rename", "other", "y"], ["resize", "other", "80x24"],
                    ["new", "shell"], ["stop", "--all", "--yes"], ["send", ".", "x"], ["keys", me, "1", "Enter"], ["rm", "other"],
                    ["resume", "other"]):
        code, text = inside(handler, me, *command, "--json")
        assert code == 3 and "not-from-a-session" in text, (command, code, text)
    assert handler.session(other)["live"] and handler.session(other)["name"] == "other" and len(handler.sessions()) == 2
    for command in (["ls"], ["capture", "."], ["capture", "other"], ["wait", "other"], ["rename", ".", "mine"], ["resize", ".", "100x30"]):
        assert inside(handler, me, *command)[0] == 0, command
    assert handler.session(me)["name"] == "mine"


def test_an_agent_that_may_do_more(handler):
    write_composer(handler, "paste")
    handler.write_agent("boss", harness="stub", may=["send", "stop", "new"])
    boss, other = handler.new("boss"), handler.new("stub", "-n", "other")
    for ident in (boss, other):
        handler.wait_state(ident, "idle")
    assert inside(handler, boss, "send", "other", "hello")[0] == 0
    code, text = inside(handler, boss, "new", "stub", "-n", "child")
    assert code == 0, text
    assert handler.session("child")["parent"] == boss
    assert inside(handler, boss, "stop", "other")[0] == 0


def test_what_a_session_has_started_is_its_own(handler):
    """A person's shell may start sessions, and do with them what it likes; not with others."""
    shell, other = handler.new("shell"), handler.new("shell", "-n", "other")
    handler.wait_state(shell, "idle")
    handler.wait_state(other, "idle")
    code, text = inside(handler, shell, "new", "shell", "-n", "child")
    assert code == 0, text
    handler.wait_state("child", "idle")
    assert inside(handler, shell, "send", "child", "echo from above")[0] == 0
    assert inside(handler, shell, "keys", "child", "x")[0] == 0
    assert inside(handler, shell, "stop", "child")[0] == 0
    assert inside(handler, shell, "stop", "other")[0] == 3


def test_a_marker_of_a_session_that_is_gone_guards_nothing(handler):
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    assert inside(handler, "zzzzzz", "keys", ident, "x")[0] == 0
    assert inside(handler, "", "keys", ident, "x")[0] == 0


# -- many --------------------------------------------------------------------------------------------------------

@pytest.mark.limit(300)
def test_thirty_sessions_under_load(handler):
    """No state flips because the machine is busy: what is idle stays idle, what works stays working."""
    write_composer(handler, "paste")
    idents = [handler.new("stub", "-n", "s%02d" % i) for i in range(30)]
    load = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(os.cpu_count() or 2)]
    try:
        for ident in idents:
            handler.wait_state(ident, "idle", timeout=60)
        for ident in idents[:5]:
            handler.ok("send", ident, "work flag")
        for ident in idents[:5]:
            handler.wait_state(ident, "working")
        late = handler.new("stub", "-n", "late")
        for _ in range(5):
            states = {s["name"]: s["state"] for s in handler.sessions()}
            assert [states["s%02d" % i] for i in range(5)] == ["working"] * 5
            assert [states["s%02d" % i] for i in range(5, 30)] == ["idle"] * 25
        handler.wait_state(late, "idle")
        opens(handler, "flag")
        for ident in idents[:5]:
            handler.wait_state(ident, "done")
        assert [s["number"] for s in handler.sessions()] == list(range(1, 32))
    finally:
        for p in load:
            p.kill()
            p.wait()
    report = handler.json("stop", "--all", "--yes", timeout=120)["stopped"]
    assert len(report) == 31 and all(r["survivors"] == 0 for r in report)
    wait_until(lambda: not handler.processes(), "nothing is left", dump=handler.dump)


def test_sixty_four_descriptors_are_enough(handler):
    """For a start, a session and its replacement; and 20 clients of one worker that has no more are served or told."""
    done = subprocess.run(["/bin/bash", "-c", 'ulimit -n 64; exec "$0" new shell', handler.binary], env=handler.environment(), cwd=handler.work,
                          capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done
    ident = done.stdout.strip()
    handler.wait_state(ident, "idle")
    handler.ok("send", ident, "echo fine", "--wait")
    clients = []
    try:
        for _ in range(60):
            clients.append(Client(handler, ident, hello=False))
        old = handler.process_named("worker", ident)
    finally:
        for c in clients:
            c.close()
    assert re.search("^fine$", handler.capture(ident), re.M)
    os.kill(old, 9)
    wait_until(lambda: handler.process_named("worker", ident) not in (None, old), "another worker")
    assert "fine" in handler.capture(ident)


def test_attaching_and_detaching_many_times_leaks_nothing(handler):
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    handler.ok("send", ident, "seq 200", "--wait")
    pids = [handler.process_named(role, ident) for role in ("keeper", "worker")]

    def usage():
        return [len(os.listdir("/proc/%d/fd" % p)) for p in pids], len(processes.children_of(pids[0]))

    def visit():
        with Client(handler, ident) as client:
            client.view(40, 120)
            client.wait(SCREEN)
            client.key("x")
            client.request("state")
    visit()
    before = usage()
    for _ in range(200):
        visit()
    handler.ok("capture", ident)
    wait_until(lambda: usage()[0][0] <= before[0][0] and usage()[0][1] <= before[0][1] and usage()[1] == before[1],
               "descriptors and children are as before: %r" % (before,), dump=lambda: repr(usage()))
    assert handler.process_named("worker", ident) == pids[1]


def test_idle_sessions_do_nothing(handler):
    """No context switch of keeper or worker in a while: nothing polls, no timer repeats."""
    write_composer(handler, "paste")
    idents = [handler.new("stub") for _ in range(3)]
    for ident in idents:
        handler.wait_state(ident, "idle")
        handler.ok("wait", ident, "--for", "quiet=0.5")
    pids = [handler.process_named(role, ident) for ident in idents for role in ("keeper", "worker")]

    def switches():
        total = 0
        for pid in pids:
            with open("/proc/%d/status" % pid) as f:
                total += sum(int(n) for n in re.findall(r"^(?:non)?voluntary_ctxt_switches:\s+(\d+)", f.read(), re.M))
        return total
    # A worker may still finish what the waiting above has begun: the first quiet stretch of two seconds counts.
    seen = []

    def unchanged():
        seen.append(switches())
        return len(seen) >= 21 and seen[-1] == seen[-21]
    wait_until(unchanged, "two seconds without a switch", timeout=15, dump=lambda: str(seen), interval=0.1)


# -- where the files are -------------------------------------------------------------------------------------------

def test_a_file_system_of_a_kind_that_has_no_locks_or_sockets_is_said(handler):
    """Where none can be made at all the error names the place."""
    place = tempfile.mkdtemp(dir=handler.base)
    shutil.rmtree(place)
    with open(place, "w") as f:
        f.write("a file")
    result = handler.run("new", "shell", "--json", env={"XDG_STATE_HOME": place}, check=1)
    assert place in result.error()["message"]


def test_help_and_unknown_words(handler):
    out = handler.ok("--help")
    assert len(out.rstrip("\n").split("\n")) <= 24 and all(len(line) <= 100 for line in out.split("\n"))
    for command in "terminal attach new ls send keys capture wait events note replay export resize rename stop resume rm run agent harness config doctor prune restart-workers help".split():
        assert command in out
        assert "xamples" in handler.ok("help", command) or "handler " + command in handler.ok("help", command)
        assert handler.run(command, "--help").code == 0
    for command in "worktree compare diff keep discard".split():
        assert not re.search(r"\b%s\b" % command, out), command
    assert re.fullmatch(r"handler \d+\.\d+\.\d+\n", handler.ok("--version"))
    for word, hint in (("kill", "stop"), ("ps", "ls"), ("list", "ls"), ("logs", "capture"), ("start", "new"), ("stopp", "stop"), ("ls-all", "help")):
        result = handler.run(word, check=2)
        assert "handler " + hint in result.err, result
    assert handler.run("ls", "--nonsense", check=2) and handler.run("ls", "extra", check=2) and handler.run("new", check=2)
    error = handler.run("ls", "--nonsense", "--json", check=2).error()
    assert error["code"] == "usage" and "--nonsense" in error["message"]


def test_output_that_nobody_reads(handler):
    """A pipe that is closed: no complaint of the sanitizers, no endless run."""
    ident = script(handler, "long", 'put("x" * 70 + "\\r\\n"); [put("line %d\\r\\n" % i) for i in range(20000)]; put("END"); stay()')
    handler.wait_capture(ident, "END")
    done = subprocess.run(["/bin/bash", "-c", '"$0" capture $1 --history all | head -1', handler.binary, ident], env=handler.environment(),
                          capture_output=True, text=True, timeout=30)
    assert done.stdout.startswith("x" * 70) and done.returncode == 0
