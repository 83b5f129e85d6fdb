"""Real agents in the front-end: side by side, left and found again, and the newline key on every terminal."""
import pytest

from agents import AGENTS
from lib import processes
from lib.wait import wait_until

START = 90


def model_turn(model, text):
    return model.wait_turn(lambda turn: text in turn.user and turn.tools)


def part(terminal, first, last):
    """What stands in some columns of the screen."""
    return "\n".join(line[first:last].rstrip() for line in terminal.lines())


def open_two(user, model, rows=50, cols=180):
    user.write_agent("left", harness="claude-code", instructions="You are on the left.")
    user.write_agent("right", harness="codex", instructions="You are on the right.")
    t = user.terminal("terminal", "left", "right", "-C", user.work, "--layout", "columns", rows=rows, cols=cols)
    t.wait_for("❯", START)
    t.wait_for("›", START)
    return t


def rest(t):
    """A person's pause: some take an Enter that comes at once for a part of a paste.  Copilot's mascot never rests."""
    t.settle(0.6, at_most=1.5)


def say(t, text):
    """Types a prompt as a person does: the text, a look at the screen, then Enter."""
    t.type(text)
    t.wait_for(text)
    rest(t)
    t.keys("Enter")


def test_two_side_by_side_left_and_found_again(user, model):
    t = open_two(user, model)
    left, right = user.sessions()
    assert (left["harness"], right["harness"]) == ("claude-code", "codex")
    say(t, "Hello left. (say: I am Claude)")
    t.wait_for("Model: I am Claude")
    t.keys("C-b", "Right")
    t.settle()
    say(t, "Hello right. (say: I am Codex)")
    t.wait_for("Model: I am Codex")
    assert "You are on the left." in model_turn(model, "(say: I am Claude)").system
    assert "You are on the right." in model_turn(model, "(say: I am Codex)").system
    t.wait_for("a title")  # Codex asks the model for one
    t.wait_gone("/effort")  # Claude's hint goes by itself
    t.settle(1)
    before = t.text()
    screens = [user.capture(s["id"]) for s in (left, right)]

    t.keys("C-b", "d")
    assert t.wait_exit() == 0
    assert t.left_over() == []
    assert [s["live"] for s in user.sessions()] == [True, True]

    t = user.terminal(rows=50, cols=180)
    t.wait_for("Model: I am Claude")
    t.wait_for("Model: I am Codex")
    wait_until(lambda: t.text() == before, "the screen is as it was", dump=lambda: before + "\n" + t.dump())
    assert [user.capture(s["id"]) for s in (left, right)] == screens
    say(t, "Still there? (say: still here)")  # the focus is where it was
    t.wait_for("Model: still here")
    assert model_turn(model, "(say: still here)").protocol == "responses"


def test_killed_terminal_and_worker_cost_nothing(user, model):
    t = open_two(user, model)
    left, right = user.sessions()
    say(t, "Hello. (say: before the crash)")
    t.wait_for("Model: before the crash")
    t.kill()
    t.wait_exit()
    worker = user.process_named("worker", left["id"])
    leaders = [processes.children_of(user.process_named("keeper", s["id"])) for s in (left, right)]
    processes.end(worker)
    wait_until(lambda: user.process_named("worker", left["id"]) not in (None, worker), "the worker has been replaced")
    t = user.terminal(rows=50, cols=180)
    t.wait_for("Model: before the crash")
    assert all(any(processes.is_alive(p) for p in tree) for tree in leaders)
    t.keys("C-b", "Left")
    t.settle()
    say(t, "And now? (say: after the crash)")
    t.wait_for("Model: after the crash")


# Every agent on a terminal that can tell nothing, and two of them on those that can.
@pytest.mark.parametrize("harness,profile", [(a, "plain") for a in AGENTS] + [
    (a, p) for a in ("claude-code", "codex") for p in ("modern", "xterm")])
def test_newline_by_the_prefix_on_every_terminal(user, model, harness, profile):
    agent = AGENTS[harness]
    user.write_agent("tester", harness=harness)
    t = user.terminal("terminal", "tester", "-C", user.work, profile=profile)
    t.wait_for(agent.ready, START)
    rest(t)
    t.type("first row")
    t.wait_for("first row")
    t.keys("C-b", "Enter")
    rest(t)
    say(t, "second row (say: two rows)")
    assert "first row\nsecond row" in model_turn(model, "(say: two rows)").user


@pytest.mark.parametrize("harness,key", [(a, "S-Enter") for a in AGENTS] + [
    (a, k) for a in ("claude-code", "codex") for k in ("M-Enter", "C-j")])
def test_newline_keys_that_the_agent_knows(user, model, harness, key):
    user.write_agent("tester", harness=harness)
    t = user.terminal("terminal", "tester", "-C", user.work, profile="modern")
    t.wait_for(AGENTS[harness].ready, START)
    rest(t)
    t.type("first row")
    t.wait_for("first row")
    t.keys(key)
    rest(t)
    say(t, "second row (say: two rows)")
    assert "first row\nsecond row" in model_turn(model, "(say: two rows)").user


def test_a_paste_is_one_paste(user, model):
    user.write_agent("tester", harness="claude-code")
    t = user.terminal("terminal", "tester", "-C", user.work)
    t.wait_for("❯", START)
    t.settle(1)
    t.paste("line one\nline two (say: pasted)")
    t.wait_for("line two")
    t.settle(0.5)
    assert not model.turns
    t.keys("Enter")
    assert "line one\nline two (say: pasted)" in model_turn(model, "(say: pasted)").user
