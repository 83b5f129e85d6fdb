"""The start screen, the dialog for a new session, the picker: what they show, refuse and start."""
import os
import re

import pytest

from lib.wait import wait_until
from puppets import Puppet, focused, open_with, prefix, puppets, wait_place, wait_shown

FAKE_HARNESS = """#!/bin/sh
echo "$@" >> %s
[ "$1" = --version ] && { %s; exit 0; }
exec cat
"""


def write_harness(handler, name, version="echo 'Fake 4.5.6'", **more):
    """A harness whose program is on the PATH, and can say its version."""
    asked = os.path.join(handler.base, name + ".asked")
    program = handler.write_program(name + "-program", FAKE_HARNESS % (asked, version))
    handler.write_harness(name, format=1, name=name, title=name.capitalize(), description="the harness " + name,
                          command=os.path.basename(program), version={"args": ["--version"], "pattern": "([0-9.]+)"},
                          interactive={"instructions": {"way": "refuse", "reason": "It takes none.",
                                                        "instead": "Use `handler run ${agent}`."},
                                       "prompt": {"way": "typed"}}, status={}, **more)
    return asked


# -- the start screen ------------------------------------------------------------------------------------------

def test_the_start_screen_lists_what_is_there_with_versions(handler):
    asked = write_harness(handler, "fake")
    t = handler.terminal(rows=30, cols=100)
    t.wait_for("coding agents")
    t.wait_for(re.compile(r"fake\s+the harness fake\s+4\.5\.6"))
    t.wait_for("demo")
    t.wait_for("shell")
    t.wait_for("Not installed")
    t.wait_for(handler.work)
    t.wait_for("C-b ? all keys")
    assert open(asked).read() == "--version\n"
    t.keys("C-b", "d")
    assert t.wait_exit() == 0
    assert "No session is running." in t.text()
    # the second time it is known
    t = handler.terminal(rows=30, cols=100)
    t.wait_for("4.5.6")
    assert open(asked).read() == "--version\n"


def test_a_program_that_does_not_answer_has_no_version_and_is_ended(handler):
    write_harness(handler, "fake", version="echo $$ > %s/pid; exec sleep 1000" % handler.base)
    t = handler.terminal(rows=30, cols=100)
    t.wait_for("the harness fake")
    pid = wait_until(lambda: os.path.exists(handler.base + "/pid") and open(handler.base + "/pid").read().strip(), "it was asked")
    wait_until(lambda: not os.path.exists("/proc/" + pid), "it was ended", 10)
    assert "the harness fake" in t.text()


def test_enter_starts_what_is_selected_in_the_directory_shown(handler):
    there = os.path.join(handler.work, "elsewhere")
    os.makedirs(there)
    t = handler.terminal(rows=30, cols=100)
    t.wait_for("coding agents")
    t.keys("Tab")
    t.type("/elsew")
    t.keys("Tab", "Tab")  # completes; then back to the list
    t.wait_for("elsewhere/")
    t.type("shell")
    t.keys("Enter")
    t.wait_for(re.compile(r"1 . elsewhere-shell"))
    assert [s["dir"] for s in handler.sessions()] == [there]


def test_a_directory_that_is_not_there_is_said(handler):
    t = handler.terminal(rows=30, cols=100)
    t.wait_for("coding agents")
    t.keys("Tab")
    t.type("/nowhere")
    t.keys("Enter")
    t.wait_for("there is no directory")
    assert handler.sessions() == []


def test_what_is_not_installed_says_so_and_what_to_do(handler):
    t = handler.terminal(rows=30, cols=100)
    t.wait_for("coding agents")
    t.type("gemini")
    t.wait_for(re.compile("npm install"))
    t.keys("Enter")
    t.wait_for(lambda s: "not installed" in s.line(29), why="Enter says it too")
    assert handler.sessions() == []


def test_sessions_that_run_are_offered_first(handler):
    first, = puppets(handler, "first")
    handler.new("first")
    t = handler.terminal(rows=30, cols=150)
    t.wait_for("work-first")
    t.keys("Enter")
    wait_shown(t, "first")
    assert focused(t, first) == "first"


# -- the dialog for a new session ------------------------------------------------------------------------------

def test_enter_at_once_makes_one_more_like_this(handler):
    first, = puppets(handler, "first")
    t = open_with(handler, first)
    prefix(t, "c")
    t.wait_for("new session")
    t.wait_for("$ handler new first -C " + handler.work)
    t.keys("Enter")
    t.wait_for(re.compile("2 . work-first-2"))
    assert [s["agent"] for s in handler.sessions()] == ["first", "first"]


def test_all_fields(handler):
    there = os.path.join(handler.work, "api")
    os.makedirs(there)
    first, = puppets(handler, "first")
    t = open_with(handler, first)
    prefix(t, "c")
    t.wait_for("new session")
    t.type("shell")
    t.keys("Tab", "C-u")
    t.type(handler.work + "/a")
    t.keys("Tab")
    t.wait_for(there + "/")
    t.keys("Down", "Down") if "api/" not in t.text() else None
    t.keys("Tab")  # nothing more to complete: the next field
    t.type("server")
    t.keys("Tab")
    t.paste("echo one\necho two")
    t.wait_for("echo two")
    t.wait_for("-n server -p")
    t.keys("Enter")
    t.wait_for(re.compile("2 . server"))
    session = handler.session("server")
    assert (session["dir"], session["agent"]) == (there, "shell")


def test_escape_closes_and_starts_nothing(handler):
    first, = puppets(handler, "first")
    t = open_with(handler, first)
    prefix(t, "c")
    t.wait_for("new session")
    t.keys("Escape")
    t.wait_gone("new session")
    t.type("x")
    first.wait_given(b"x")
    assert len(handler.sessions()) == 1


def test_instructions_that_a_harness_cannot_take_are_refused_with_the_reason(handler):
    write_harness(handler, "fake")
    handler.write_agent("careful", harness="fake", instructions="Be careful.")
    first, = puppets(handler, "first")
    t = open_with(handler, first)
    prefix(t, "c")
    t.wait_for("new session")
    t.type("careful")
    t.wait_for(re.compile("handler run careful"))
    t.keys("Enter")
    t.settle()
    assert "handler run careful" in t.text()
    assert [s["agent"] for s in handler.sessions()] == ["first"]
    refused = handler.run("new", "careful", "--json")
    assert refused.code == 3 and refused.error()["code"] == "instructions-unsupported"


def test_a_faulty_agent_says_why_and_the_others_start(handler):
    with open(handler.write_agent("broken"), "w") as f:
        f.write('{"harness": "shell",\n "modle": "x"}\n')
    first, = puppets(handler, "first")
    t = open_with(handler, first)
    prefix(t, "c")
    t.type("broken")
    t.wait_for(re.compile("broken.json:2"))
    t.keys("Enter")
    t.settle()
    assert len(handler.sessions()) == 1


def test_a_refusal_of_handler_new_is_shown_in_the_dialog(handler):
    first, = puppets(handler, "first")
    t = open_with(handler, first)
    prefix(t, "c")
    t.wait_for("new session")
    t.keys("Tab", "Tab")
    t.type("work-first")  # a name that is taken
    t.keys("Enter")
    t.wait_for('another session is called "work-first"')
    t.keys("C-u")
    t.type("second")
    t.keys("Enter")
    t.wait_for(re.compile("2 . second"))


def test_a_session_of_another_repository_has_a_view_of_its_own(handler):
    for name in ("api", "web"):
        os.makedirs(os.path.join(handler.work, name, ".git"))
    first, = puppets(handler, "first")
    t = open_with(handler, first, cwd=os.path.join(handler.work, "api"))
    prefix(t, "c")
    t.wait_for("new session")
    t.keys("Tab", "C-u")
    t.type(os.path.join(handler.work, "web"))
    t.keys("Enter")
    t.wait_for(re.compile("2 . web-first"))
    t.wait_for(lambda s: re.search(r"\bweb\b +C-b", s.line(s.rows - 1)), why="the view is called after the repository")
    prefix(t, "l")
    t.wait_for(lambda s: re.search(r"\bapi\b +C-b", s.line(s.rows - 1)), why="l goes back to the other view")


# -- the picker ------------------------------------------------------------------------------------------------

@pytest.fixture
def three(handler):
    made = puppets(handler, "alpha", "beta", "gamma")
    t = open_with(handler, *made[:1])
    for p in made[1:]:
        handler.new(p.name)
    t.wait_for(re.compile("3 . work-gamma"))
    return handler, t, made


def test_the_picker_filters_and_previews(three):
    handler, t, made = three
    made[1].write("what beta shows")
    size = made[1].sizes()
    prefix(t, "s")
    t.wait_for("find a session")
    t.type("bet")
    t.wait_for("what beta shows")
    made[1].write("\r\nand goes on")
    t.wait_for("and goes on")
    t.keys("Escape")
    t.wait_gone("what beta shows")
    assert made[1].sizes() == size, "looking changes no size"
    prefix(t, "s")
    t.type("gam")
    t.keys("Enter")
    wait_place(t, "gamma", lambda p: p.cols > 100)
    assert focused(t, *made) == "gamma"


def test_keys_can_go_to_the_preview(three):
    handler, t, made = three
    prefix(t, "s")
    t.type("beta")
    wait_shown(t, "beta")
    size = made[1].sizes()
    t.keys("Tab")
    t.wait_for("KEYS GO TO THE PREVIEW")
    t.type("hello")
    t.keys("Enter", "Escape")
    made[1].wait_given(re.compile(b"hello\r\x1b"))
    t.keys("C-b")
    t.wait_gone("KEYS GO TO THE PREVIEW")
    t.keys("Escape")
    t.wait_gone("find a session")
    assert made[1].sizes() == size
    assert focused(t, *made) == "alpha"


def test_the_picker_follows_what_happens(three):
    handler, t, made = three
    prefix(t, "s")
    t.wait_for("find a session")
    made[1].state("blocked", "permission", "approve Bash: make")
    t.wait_for("approve Bash: make")
    fourth = Puppet(handler, "delta")
    handler.new("delta")
    t.wait_for(re.compile("4 work-delta"))
    handler.ok("stop", "work-delta")
    handler.ok("rm", "work-delta")
    t.wait_gone("4 work-delta")
    assert fourth.name == "delta"


def test_the_picker_on_a_small_screen(handler):
    made = puppets(handler, "alpha", "beta")
    t = open_with(handler, *made[:1], rows=10, cols=40)
    handler.new("beta")
    prefix(t, "s")
    t.wait_for("work-beta")
    t.type("beta")
    t.keys("Enter")
    wait_shown(t, "beta")
