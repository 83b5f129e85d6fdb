"""After a restart of the machine, a crash, an upgrade: sessions come back, each by the way that it can, and say which it was."""
import json
import os
import re
import signal
import subprocess
import time

import pytest

from lib import processes
from lib.wait import wait_until
from standins import DUMP, PYTHON, script
from test_journal import kill_all, wait_written

BOOT = "00000000-1111-2222-3333-444444444444"


def edit_record(handler, ident, name="session.json", **changes):
    path = os.path.join(handler.session_folder(ident), name)
    with open(path) as f:
        record = json.load(f)
    record.update(changes)
    with open(path, "w") as f:
        json.dump(record, f)


def restart_machine(handler, *idents):
    """Every process is killed at once, and what the records say of the boot is not this one."""
    for ident in idents:
        kill_all(handler, ident)
        edit_record(handler, ident, boot_id=BOOT)


def agent_that_shows(handler, name, harness="claude"):
    """A stand-in for a harness: shows its arguments and stays."""
    handler.write_program(harness, "#!/bin/sh\nfor a; do echo \"arg $a\"; done\necho shown\nread x\n")
    return name


# -- which way ---------------------------------------------------------------------------------------------------

def test_a_restart_of_the_machine_is_named_and_each_session_resumed(handler):
    agent_that_shows(handler, "claude")
    claude = handler.new("claude")
    shell = handler.new("shell")
    handler.wait_capture(claude, "shown")
    stopped = script(handler, "over", 'put("over"); input()')
    handler.wait_capture(stopped, "over")
    handler.ok("stop", stopped)
    handler.wait_state(shell, "idle")
    conversation = handler.session(claude)["conversation"]
    assert conversation
    restart_machine(handler, claude, shell)
    assert {handler.session(i)["reason"] for i in (claude, shell)} == {"the machine was restarted"}
    answer = handler.json("resume", "--lost")
    assert answer["failed"] == []
    assert {(r["id"], r["how"]) for r in answer["resumed"]} == {(claude, "conversation"), (shell, "fresh")}
    text = handler.wait_capture(claude, "arg --resume", "--history", "all")
    assert "arg " + conversation in text
    assert text.count("shown") == 2  # history goes on: the former screen is a part of it
    assert handler.session(claude)["live"] and handler.session(shell)["live"] and not handler.session(stopped)["live"]
    assert handler.json("resume", claude)["resumed"][0]["how"] == "attached"


def test_sessions_that_the_shutdown_ended_count_too(handler):
    """An orderly shutdown sends SIGTERM to every process; nobody asked for the sessions to stop."""
    first, second = handler.new("shell"), handler.new("shell")
    for ident in (first, second):
        handler.wait_state(ident, "idle")
    handler.ok("stop", second)
    keeper, worker = handler.process_named("keeper", first), handler.process_named("worker", first)
    os.kill(keeper, signal.SIGTERM)
    os.kill(worker, signal.SIGTERM)
    wait_until(lambda: not handler.session(first)["live"], "the session is over", dump=handler.dump)
    assert [r["id"] for r in handler.json("resume", "--lost")["resumed"]] == [first]


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_shutdown_that_ends_the_program_before_its_keeper_hears_of_it(handler, sig):
    """Everybody is sent the same signals, in whatever order: an end by one of them just before is no end of the program's own."""
    ident = script(handler, "agent", 'put("ready"); stay()')
    handler.wait_capture(ident, "ready")
    leader = handler.record(ident)["leader"]
    keeper, worker = handler.process_named("keeper", ident), handler.process_named("worker", ident)
    os.kill(worker, signal.SIGSTOP)  # the end is not written before
    os.kill(leader, sig)
    wait_until(lambda: processes.state_of(leader) is None, "the keeper has seen the end of its program")
    os.kill(keeper, signal.SIGTERM)
    os.kill(worker, signal.SIGCONT)
    wait_until(lambda: not handler.session(ident)["live"], "the session is over", dump=handler.dump)
    assert [r["id"] for r in handler.json("resume", "--lost")["resumed"]] == [ident]


def test_a_crash_is_not_taken_for_a_shutdown(handler):
    ident = script(handler, "agent", 'put("ready"); stay()')
    handler.wait_capture(ident, "ready")
    os.kill(handler.record(ident)["leader"], signal.SIGKILL)
    assert handler.wait_state(ident, "crashed")["reason"]
    wait_until(lambda: not handler.session(ident)["live"], "the session is over", dump=handler.dump)
    assert handler.json("resume", "--lost")["resumed"] == []


def test_a_fresh_start_says_why(handler):
    handler.write_program("codex", "#!/bin/sh\necho shown\nread x\n")
    codex, shell = handler.new("codex"), handler.new("shell")
    handler.wait_capture(codex, "shown")
    handler.wait_state(shell, "idle")
    restart_machine(handler, codex, shell)
    said = handler.run("resume", codex, shell, check=0)
    assert said.out.count("started afresh in the same directory") == 2
    assert "conversation of the former run is not known" in said.err and "cannot resume a conversation" in said.err


def test_three_different_errors(handler):
    handler.write_program("codex", "#!/bin/sh\necho shown\nread x\n")
    codex, shell = handler.new("codex"), handler.new("shell")
    for ident in (codex, shell):
        handler.ok("stop", ident)
    codes = [(r.code, r.error()["code"]) for r in (handler.run("resume", "nobody", "--json"),
                                                   handler.run("resume", codex, "--no-fresh", "--json"),
                                                   handler.run("resume", shell, "--no-fresh", "--json"))]
    assert codes == [(4, "no-such-session"), (3, "no-conversation"), (3, "resume-unsupported")]
    assert not handler.session(codex)["live"] and not handler.session(shell)["live"]


@pytest.mark.parametrize("how", ["argument", "option", "file"])
def test_a_conversation_that_is_open_elsewhere_is_refused_with_its_pid(handler, how):
    agent_that_shows(handler, "claude")
    ident = handler.new("claude")
    handler.wait_capture(ident, "shown")
    conversation = handler.session(ident)["conversation"]
    restart_machine(handler, ident)
    argument = {"argument": conversation, "option": "--resume=" + conversation, "file": "x"}[how]
    path = os.path.join(handler.work, conversation + ".jsonl")
    other = subprocess.Popen(["/bin/sh", "-c", 'exec 9>"$0"; echo ready; read x', path if how == "file" else "/dev/null", argument],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=handler.environment(), text=True)
    try:
        assert other.stdout.readline() == "ready\n"
        error = handler.run("resume", ident, "--json", check=3).error()
        assert error["code"] == "conversation-open" and "process %d (" % other.pid in error["message"]
        assert not handler.session(ident)["live"]
        if how == "file":  # looking at it is allowed
            reader = subprocess.Popen(["/bin/sh", "-c", 'exec 9<"$0"; echo ready; read x', path], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, env=handler.environment(), text=True)
            reader.stdout.readline()
            other.communicate("\n")
            handler.ok("resume", ident)
            reader.communicate("\n")
    finally:
        other.communicate()
    if how != "file":
        assert handler.json("resume", ident)["resumed"][0]["how"] == "conversation"


def test_one_that_fails_keeps_none_of_the_others(handler):
    agent_that_shows(handler, "claude")
    bad, good = handler.new("claude"), handler.new("shell")
    handler.wait_capture(bad, "shown")
    handler.wait_state(good, "idle")
    restart_machine(handler, bad, good)
    os.remove(os.path.join(handler.base, "bin", "claude"))
    result = handler.run("resume", "--all", "--json", check=1)
    answer = result.json()
    assert [r["id"] for r in answer["resumed"]] == [good]
    assert answer["failed"][0]["id"] == bad and answer["failed"][0]["error"]["code"] == "not-installed"
    assert "claude" in result.err
    assert handler.state(bad) == "lost"  # as it was


def test_three_at_a_time(handler):
    """A program that is slow to start: never more than three of them are."""
    handler.write_program("claude", r'''#!/usr/bin/python3
import os, select, sys
here = os.environ["PWD"] + "/starting/"
os.makedirs(here, exist_ok=True)
open(here + str(os.getpid()), "w").close()
open(here + "../counts", "a").write("%d\n" % len(os.listdir(here)))
while not os.path.exists(here + "../go"): select.select([], [], [], 0.01)
select.select([], [], [], 0.1)  # a slow program
os.remove(here + str(os.getpid()))
sys.stdout.write("\x1b]7501;state=idle:app=x\x1b\\shown"); sys.stdout.flush()
sys.stdin.readline()
''')
    open(os.path.join(handler.work, "go"), "w").close()
    idents = [handler.new("claude") for _ in range(5)]
    for ident in idents:
        handler.wait_state(ident, "idle", "unknown", "done")
    os.remove(os.path.join(handler.work, "counts"))
    restart_machine(handler, *idents)
    for name in os.listdir(os.path.join(handler.work, "starting")):
        os.remove(os.path.join(handler.work, "starting", name))
    resumed = handler.json("resume", "--lost")["resumed"]
    assert len(resumed) == 5
    for ident in idents:
        handler.wait_capture(ident, "shown")
    with open(os.path.join(handler.work, "counts")) as f:
        counts = [int(n) for n in f]
    assert len(counts) == 5 and max(counts) <= 3


# -- forgetting --------------------------------------------------------------------------------------------------

def long_ago(handler, ident, days):
    edit_record(handler, ident, "state.json", since=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - days * 86400)))


def ended_session(handler, days=0):
    ident = handler.new("shell")
    handler.wait_state(ident, "idle")
    handler.ok("stop", ident)
    if days:
        long_ago(handler, ident, days)
    return ident


def test_prune(handler):
    old, older, new = ended_session(handler, 3), ended_session(handler, 10), ended_session(handler)
    live = handler.new("shell")
    long_ago(handler, live, 100)
    answer = handler.json("prune", "--older", "2d", "--dry-run")
    assert answer["dry_run"] and {r["id"] for r in answer["removed"]} == {old, older}
    assert all(r["bytes"] > 0 and r["state"] == "stopped" for r in answer["removed"])
    assert handler.session(old)
    assert [r["id"] for r in handler.json("prune", "--older", "1w")["removed"]] == [older]
    assert handler.session(old) and not handler.session(older) and not os.path.exists(handler.session_folder(older))
    assert "removed" in handler.ok("prune", "--older", "48h")
    assert not handler.session(old) and handler.session(new) and handler.session(live)["live"]
    assert handler.ok("prune") == "nothing to remove\n"
    assert handler.run("prune", "--older", "soon").code == 2
    handler.write_config(keep_ended=0)
    assert "--older" in handler.run("prune", check=2).err


def test_prune_leaves_what_still_runs(handler):
    ident = script(handler, "stay", 'signal.signal(1, signal.SIG_IGN); put("ready"); stay()')
    handler.wait_capture(ident, "ready")
    leader = handler.record(ident)["leader"]
    keeper, worker = handler.process_named("keeper", ident), handler.process_named("worker", ident)
    os.kill(worker, signal.SIGSTOP)
    os.kill(keeper, signal.SIGKILL)
    os.kill(worker, signal.SIGKILL)
    handler.wait_state(ident, "lost")
    assert handler.json("prune", "--older", "0s")["removed"] == []
    handler.ok("stop", ident)
    assert not processes.is_alive(leader)
    assert [r["id"] for r in handler.json("prune", "--older", "0s")["removed"]] == [ident]


def test_sessions_that_ended_long_ago_are_forgotten_at_the_next_start(handler):
    old, kept = ended_session(handler, 15), ended_session(handler, 13)
    handler.new("shell")
    assert not handler.session(old) and handler.session(kept)
    handler.write_config(keep_ended=0)
    long_ago(handler, kept, 1000)
    handler.new("shell")
    assert handler.session(kept)


def test_all_sessions_together_have_a_limit(handler):
    """The oldest part of the journals goes first; what runs and the newest part of a lost one stay."""
    handler.write_config(state_limit=16)
    lost, first, second = handler.new("shell"), ended_session(handler), ended_session(handler)
    handler.wait_state(lost, "idle")
    wait_written(handler, lost, b"$ ")
    kill_all(handler, lost)
    for n, ident in enumerate((first, second, lost)):
        folder = os.path.join(handler.session_folder(ident), "journal")
        for number in range(2, 5):
            path = os.path.join(folder, "%08d" % number)
            with open(path, "wb") as f:
                f.write(b"x" * (2 << 20))
            os.utime(path, (1e9 + 1000 * number + n, 1e9 + 1000 * number + n))
    handler.new("shell")
    left = {ident: sorted(os.listdir(os.path.join(handler.session_folder(ident), "journal"))) for ident in (first, second, lost)}
    assert sum(len(names) for names in left.values()) < 12
    assert left[lost][-1] == "00000004" and "00000004" in left[first]
    total = sum(os.path.getsize(os.path.join(handler.session_folder(i), "journal", n)) for i in left for n in left[i])
    assert total <= 16 << 20
    assert "00000002" not in left[first]  # the oldest of all went first


def test_rm_takes_a_damaged_record_by_force_only(handler):
    ident = ended_session(handler)
    with open(os.path.join(handler.session_folder(ident), "session.json"), "w") as f:
        f.write("{")
    assert handler.run("rm", ident).code == 4
    assert os.path.exists(handler.session_folder(ident))
    assert handler.json("rm", "-f", ident)["removed"] == [ident]
    assert not os.path.exists(handler.session_folder(ident))
    handler.ok("rm", "-f", "nobody")


# -- the offer at the start of the terminal ------------------------------------------------------------------------

def two_side_by_side(handler):
    """A view of two sessions, left by its terminal; then the machine restarts."""
    agent_that_shows(handler, "claude")
    claude = handler.new("claude", "-n", "left")
    shell = handler.new("shell", "-n", "right", "--", "-c", "echo the last screen; for i in $(seq 50); do echo line $i; done; read x")
    handler.wait_capture(claude, "shown")
    handler.wait_capture(shell, "line 50")
    t = handler.terminal("attach", "left")
    t.wait_for("shown")
    t.keys("C-b", "d")
    t.wait_exit()
    t = handler.terminal()
    t.wait_for("left")
    if not t.find("shown"):
        t.keys("Enter")
    t.wait_for("shown")
    t.keys("C-b", ":")
    t.type("split-right right")
    t.keys("Enter")
    t.wait_for("line 50")
    t.wait_for("shown")
    t.keys("C-b", "d")
    t.wait_exit()
    wait_written(handler, claude, b"shown")
    wait_written(handler, shell, b"line 50")
    restart_machine(handler, claude, shell)
    return claude, shell


def test_the_offer_resumes_all_in_their_places(handler):
    claude, shell = two_side_by_side(handler)
    t = handler.terminal()
    t.wait_for(re.compile(r"2 sessions ran when the machine restarted \((\d{4}-\d\d-\d\d )?\d\d:\d\d\)"))
    t.wait_for("its conversation, claude")
    t.keys("Down")
    t.wait_for("afresh, shell")
    t.wait_for("line 50")  # the last screen of the one that is marked
    t.keys("Enter")
    t.wait_for("1 resumed with their conversation, 1 started afresh, 0 failed")
    t.wait_for("arg --resume")
    t.wait_for("line 50")
    assert t.find("arg --resume")[1] < 60 < t.find("line 50")[1]  # where they were
    assert handler.session(claude)["live"] and handler.session(shell)["live"]
    t.keys("C-b", "d")
    t.wait_exit()


def test_the_offer_lets_choose_look_and_leave(handler):
    claude, shell = two_side_by_side(handler)
    t = handler.terminal()
    t.wait_for("2 sessions ran when the machine restarted")
    t.keys("s", "Down", "Space", "Enter")
    t.wait_for("0 resumed with their conversation, 1 started afresh, 0 failed")
    handler.wait_capture(shell, "line 50")
    assert handler.session(shell)["live"] and not handler.session(claude)["live"]
    t.keys("C-b", "d")
    t.wait_exit()
    t = handler.terminal()
    t.wait_for("1 session ran when the machine restarted")
    t.keys("Escape")
    t.wait_gone("1 session ran")
    t.wait_for("handler resume --lost")
    assert not handler.session(claude)["live"]
    t.keys("C-b", "d")
    t.wait_exit()
    t = handler.terminal()
    t.wait_for("1 session ran")
    t.keys("v")
    t.wait_gone("1 session ran")
    t.wait_for("lost, the machine")
    t.wait_for("shown")
    t.keys("C-b", "r")
    t.wait_for("arg --resume")
    t.keys("C-b", "d")
    t.wait_exit()


def test_nothing_is_offered_where_nothing_was_cut_off(handler):
    handler.ok("stop", handler.new("shell"))
    live = handler.new("shell", "-n", "alive")
    handler.wait_state(live, "idle")
    t = handler.terminal()
    t.wait_for("alive")
    assert "ran when" not in t.text() and "resume the marked" not in t.text()
    t.keys("C-b", "d")
    t.wait_exit()


def test_ended_sessions_fold_into_one_line_of_the_sidebar(handler):
    over = [ended_session(handler) for _ in range(3)]
    for name in ("alive", "other"):
        handler.wait_state(handler.new("shell", "-n", name), "idle")
    names = [handler.session(ident)["name"] for ident in over]
    t = handler.terminal("attach", "alive")
    t.wait_for("$ ")
    t.keys("C-b", "d")
    t.wait_exit()
    t = handler.terminal()
    t.wait_for("alive")
    t.keys("C-b", "'")
    t.type("alive")
    t.keys("Enter")
    row, col = t.wait_for("+ 3 ended")
    for name in names:
        t.wait_gone(name + " ")
    t.keys("C-b", "e")
    t.wait_for("- 3 ended")
    for name in names:
        t.wait_for(name)
    t.mouse("press", row, col)
    t.mouse("release", row, col)
    t.wait_for("+ 3 ended")
    t.wait_gone(names[0] + " ")
    handler.ok("rm", *over[:2])
    t.wait_gone("ended")
    t.wait_for(names[2])  # one alone is listed
    t.keys("C-b", "d")
    t.wait_exit()
