"""Each real agent alone: its instructions arrive, a turn completes, its state follows, nothing is left of it."""
import os
import re
import signal

import pytest

from agents import AGENTS
from lib import processes
from lib.wait import wait_until

# What breaks on the way through shells, TOML, JSON and argv, if anything does.
AWKWARD = """-You answer "quietly" & don't use $HOME or `backticks`.
	A tab, a \\backslash\\, \u00e9\u4e2d\U0001f600, 100%s, ''' and \"\"\" and {braces}.

--the last line"""

EVERY = pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS.keys())
TELLING = [a for a in AGENTS.values() if a.signals]
START = 90  # seconds that the slowest of them takes to start on a busy machine


def start(user, agent, prompt=None, instructions=AWKWARD, **keys):
    """A session of an agent with instructions; returns its id."""
    user.write_agent("tester", harness=agent.harness, instructions=instructions, **keys)
    return user.new("tester", "-C", user.work, *(["-p", prompt] if prompt else []))


def with_tools(text):
    """The request of the conversation itself, not that for its title."""
    return lambda turn: text in turn.user and turn.tools


def instructions_of(agent, turn):
    return turn.user if agent.channel == "user" else turn.system


@EVERY
def test_instructions_and_first_prompt_arrive(user, model, agent):
    session = start(user, agent, "Hello. (say: good morning)")
    turn = model.wait_turn(with_tools("(say: good morning)"), START)
    assert turn.protocol == agent.protocol
    where = instructions_of(agent, turn) if agent.channel == "system" else turn.everything()
    if agent.channel == "user":
        assert all(line.strip() in str(turn.body) or line.strip() in turn.user for line in AWKWARD.split("\n") if line.strip()), turn.user
    else:
        assert AWKWARD in where, where[-3000:]
    user.wait_capture(session, "Model: good morning", timeout=START)
    record = user.session(session)
    assert record["harness"] == agent.harness and record["live"]


@EVERY
def test_a_second_prompt_is_sent(user, model, agent):
    session = start(user, agent, "First. (say: one)")
    user.wait_capture(session, "Model: one", timeout=START)
    if agent.signals:
        user.wait_state(session, "done", "idle")
    result = user.run("send", session, "Second line.\nAnd a third. (say: two)", timeout=90)
    assert result.code == 0, result
    turn = model.wait_turn(with_tools("(say: two)"))
    assert "Second line.\nAnd a third. (say: two)" in turn.user
    user.wait_capture(session, "Model: two")


@EVERY
def test_stop_ends_every_process(user, model, agent):
    session = start(user, agent, "Hello. (say: up)")
    user.wait_capture(session, "Model: up", timeout=START)
    tree = processes.descendants_of(user.process_named("keeper", session))
    assert len(tree) >= 2  # its worker and the agent
    user.ok("stop", session, timeout=90)
    wait_until(lambda: not [p for p in tree if processes.is_alive(p)], "all processes of the session have ended")
    assert user.state(session) == "stopped"
    assert user.processes() == []


@pytest.mark.parametrize("agent", TELLING, ids=[a.harness for a in TELLING])
def test_state_follows_a_turn(user, model, agent):
    session = start(user, agent, "Think about it. (hold: thinking aloud)")
    model.wait_turn(with_tools("(hold: thinking aloud)"), START)
    user.wait_state(session, "working", timeout=30)
    user.wait_capture(session, "Model: thinking aloud")
    assert user.state(session) == "working"
    model.release()
    assert user.wait_state(session, "done", "idle")["state"] == "done"
    model.hold_again()
    user.ok("send", session, "Once more. (hold: again)", timeout=90)
    user.wait_state(session, "working")
    model.release()
    user.ok("wait", session, "--for", "done,idle", "--timeout", "60", timeout=90)


APPROVALS = (("claude-code", ["--permission-mode", "manual"], "Enter", r"touch"),
             ("gemini", [], "Enter", r".*"), ("qwen", ["--approval-mode", "default"], "Enter", r".*"))


@pytest.mark.parametrize("harness,args,key,reason", APPROVALS, ids=[a[0] for a in APPROVALS])
def test_an_approval_is_seen_and_not_answered(user, model, harness, args, key, reason):
    session = start(user, AGENTS[harness], "Do it. (run: touch approved-file)", args=args)
    record = user.wait_state(session, "needs-input", timeout=START)
    assert re.search(reason, record["reason"]), record
    wanted = os.path.join(user.work, "approved-file")
    assert not os.path.exists(wanted)
    refused = user.run("send", session, "Something else", "--json")
    assert refused.code == 6, refused
    assert not os.path.exists(wanted)
    assert user.run("wait", session, "--for", "done", "--timeout", "30").code == 6
    user.ok("keys", session, key)
    wait_until(lambda: os.path.exists(wanted), "the approved command has run", dump=lambda: user.capture(session))
    user.wait_capture(session, "Model: it ran")
    user.wait_state(session, "done", "idle")


def test_large_instructions_reach_claude_whole(user, model):
    text = "".join("Rule %d: be \u00e9xact \U0001f600.\n" % n for n in range(40000))
    assert len(text.encode()) > 1 << 20
    session = start(user, AGENTS["claude-code"], "Hello. (say: read it)", instructions=text.split("\n"))
    turn = model.wait_turn(with_tools("(say: read it)"), START)
    assert text.rstrip("\n") in turn.system
    user.wait_capture(session, "Model: read it", timeout=START)
    command_line = processes.command_of(processes.children_of(user.process_named("keeper", session))[0])
    assert "Rule 17" not in command_line


def test_codex_refuses_what_no_argument_can_hold(user):
    user.write_agent("tester", harness="codex", instructions="x" * (130 * 1024))
    result = user.run("new", "tester", "-C", user.work, "--json")
    assert result.code == 3 and result.error()["code"] == "instructions-too-long"
    assert user.sessions("-a") == []


@pytest.mark.parametrize("harness", ["claude-code", "codex"])
def test_a_resumed_conversation_goes_on(user, model, harness):
    agent = AGENTS[harness]
    session = start(user, agent, "Remember the word walnut. (say: noted)", instructions="The old instructions.")
    user.wait_capture(session, "Model: noted", timeout=START)
    user.wait_state(session, "done", "idle")
    user.ok("keys", session, *["C-c"] * (2 if harness == "claude-code" else 1))
    user.wait_state(session, "exited")
    user.write_agent("tester", harness=harness, instructions="The new instructions.")
    user.ok("resume", session, timeout=90)
    user.wait_capture(session, "walnut", timeout=START)
    user.ok("send", session, "Go on. (say: going on)", "--when-idle", timeout=90)
    turn = model.wait_turn(with_tools("(say: going on)"))
    assert "walnut" in turn.everything()
    if harness == "claude-code":
        assert "The new instructions." in turn.system and "The old instructions." not in turn.system
    else:  # it keeps what it was started with: that must be said
        assert "instructions" in " ".join(user.session(session)["notes"])


def kill_session(user, session):
    """Keeper, worker and all that the session runs, at once and without a word."""
    keeper = user.process_named("keeper", session)
    tree = [keeper] + processes.descendants_of(keeper)
    for sig in (signal.SIGSTOP, signal.SIGKILL):
        for p in tree:
            os.kill(p, sig)
    wait_until(lambda: not [p for p in tree if processes.is_alive(p)], "all processes of the session have ended")


@pytest.mark.parametrize("harness", ["claude-code", "codex"])
def test_a_conversation_goes_on_after_everything_was_killed(user, model, harness):
    agent = AGENTS[harness]
    session = start(user, agent, "Remember the word walnut. (say: noted)")
    user.wait_capture(session, "Model: noted", timeout=START)
    user.wait_state(session, "done", "idle")
    wait_until(lambda: user.session(session)["conversation"], "the conversation's id is known")
    kill_session(user, session)
    assert user.state(session) == "lost"
    assert [r["how"] for r in user.json("resume", session, timeout=90)["resumed"]] == ["conversation"]
    user.wait_capture(session, "walnut", timeout=START)
    user.ok("send", session, "Go on. (say: going on)", "--when-idle", timeout=90)
    assert "walnut" in model.wait_turn(with_tools("(say: going on)")).everything()


def test_codex_goes_on_with_the_conversation_that_it_was_in_last(user, model):
    session = start(user, AGENTS["codex"], "Remember the word walnut. (say: noted)")
    user.wait_capture(session, "Model: noted", timeout=START)
    user.wait_state(session, "done", "idle")
    first = wait_until(lambda: user.session(session)["conversation"], "the conversation's id is known")
    user.ok("keys", session, *"/clear")
    user.wait_capture(session, "/clear")
    user.ok("keys", session, "Enter")
    wait_until(lambda: "walnut" not in user.capture(session), "the screen is cleared")
    user.ok("send", session, "Remember the word chestnut. (say: noted too)", "--when-idle", timeout=90)
    user.wait_capture(session, "Model: noted too", timeout=START)
    wait_until(lambda: user.session(session)["conversation"] != first, "the new conversation's id is known")
    kill_session(user, session)
    user.ok("resume", session, "--no-fresh", timeout=90)
    user.wait_capture(session, "chestnut", timeout=START)
    user.ok("send", session, "Go on. (say: going on)", "--when-idle", timeout=90)
    turn = model.wait_turn(with_tools("(say: going on)")).everything()
    assert "chestnut" in turn and "walnut" not in turn


def contents(*paths):
    """Every file below these paths, with what is in it."""
    found = {}
    for path in paths:
        for folder, _, names in [(os.path.dirname(path), [], [os.path.basename(path)])] if os.path.isfile(path) else os.walk(path):
            for name in names:
                with open(os.path.join(folder, name), "rb") as f:
                    found[os.path.join(folder, name)] = f.read()
    return found


# What its user has set up in each place, and where the program keeps what was said.
OWN = {"claude-code": (".claude.json", ".claude.json", ".claude", "projects"),
       "codex": (".codex/config.toml", "config.toml", ".codex", "sessions")}


@pytest.mark.parametrize("harness", OWN)
def test_a_configuration_directory_of_its_own(user, model, harness):
    """The program works in it, all it keeps is there, and the user's own is as it was."""
    shared, name, folder, conversations = OWN[harness]
    own = os.path.join(user.env.get("XDG_STATE_HOME") or os.path.join(user.home, ".local", "state"), "handler", "agents", "tester")
    os.makedirs(own, mode=0o700)
    with open(os.path.join(user.home, shared)) as f, open(os.path.join(own, name), "w") as to:
        to.write(f.read())
    before = contents(os.path.join(user.home, shared), os.path.join(user.home, folder))
    session = start(user, AGENTS[harness], "Hello. (say: at home)", config_dir="own")
    model.wait_turn(with_tools("(say: at home)"), START)
    user.wait_capture(session, "Model: at home", timeout=START)
    user.wait_state(session, "done", "idle")
    user.ok("keys", session, *["C-c"] * (2 if harness == "claude-code" else 1))
    user.wait_state(session, "exited")
    assert any(b"(say: at home)" in text for text in contents(os.path.join(own, conversations)).values())
    assert contents(os.path.join(user.home, shared), os.path.join(user.home, folder)) == before
    user.ok("resume", session, timeout=90)
    user.wait_capture(session, "at home", timeout=START)


def alternate(user, session):
    return user.json("capture", session)["alternate"]


@pytest.mark.parametrize("harness,screen,wanted", [("claude-code", "inline", False), ("claude-code", "full", True), ("codex", "inline", False),
                                                   ("codex", "full", True)])
def test_where_it_draws(user, model, harness, screen, wanted):
    session = start(user, AGENTS[harness], "Hello. (say: here)", screen=screen)
    user.wait_capture(session, "Model: here", timeout=START)
    assert alternate(user, session) == wanted


@EVERY
def test_a_headless_turn(user, model, agent):
    user.write_agent("tester", harness=agent.harness, instructions="Answer in one line.")
    result = user.run("run", "tester", "-C", user.work, "Hello. (say: from afar)", timeout=180)
    assert result.code == 0, result
    assert "Model: from afar" in result.out, result
    turn = model.wait_turn(with_tools("(say: from afar)"))
    assert "Answer in one line." in turn.everything()
