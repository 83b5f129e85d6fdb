"""The start screen and the dialogs: starting sessions, finding them, and what is said when something cannot be."""
import os
import re

import pytest

from lib import processes
from lib.wait import wait_until
from puppets import Puppet, focused, open_with, place, prefix, puppets, wait_place, wait_shown
from standins import read_dump, write_dump


def say(terminal, text):
    terminal.wait_for(lambda s: text in s.line(s.rows - 1), why="the bottom line says %r" % text)


# -- the start screen ------------------------------------------------------------------------------------------

def test_with_no_agent_installed_the_start_screen_does_the_main_job(handler):
    """Drawn at once; the built-in agents; the directory; Enter starts one; a line teaches the first keys."""
    t = handler.terminal(rows=30, cols=100)
    t.wait_for("coding agents")
    t.wait_for(lambda s: re.search(r"Directory +%s\s*$" % re.escape(handler.work), s.text(), re.M), why="the directory is shown")
    for name in ("demo", "shell", "claude-code", "codex", "vibe"):
        assert re.search(r"\b%s\b" % name, t.text()), name
    assert "not installed" in t.text().lower()
    assert "Enter start" in t.text() and "C-b ?" in t.text()
    t.keys("Enter")
    t.wait_for("Type a prompt")
    assert [(s["agent"], s["dir"]) for s in handler.sessions()] == [("demo", handler.work)]


def test_it_is_drawn_before_the_terminal_answers(handler):
    t = handler.terminal(rows=30, cols=100, profile="plain")
    t.wait_for("coding agents", timeout=5)
    t.wait_for("demo", timeout=5)


def test_the_directory_can_be_edited_and_completed(handler):
    os.makedirs(os.path.join(handler.work, "project", "deep"))
    t = handler.terminal(rows=30, cols=100)
    t.wait_for("coding agents")
    t.keys("Tab", "C-e")
    t.type("/pro")
    t.keys("Tab")
    t.wait_for(handler.work + "/project")
    t.keys("Enter")
    wait_until(lambda: handler.sessions(), "a session was started")
    assert handler.sessions()[0]["dir"] == os.path.join(handler.work, "project")


def test_a_directory_that_is_not_there(handler):
    t = handler.terminal(rows=30, cols=100)
    t.wait_for("coding agents")
    t.keys("Tab", "C-e", "C-u")
    t.type("/nowhere/at/all")
    t.keys("Enter")
    t.wait_for("no directory /nowhere/at/all")
    assert handler.sessions("-a") == []


def test_versions_fill_in_behind(handler):
    handler.write_program("claude", "#!/bin/sh\n[ \"$1\" = --version ] && echo '2.1.332 (Claude Code)' && exit\nexec sleep 1000\n")
    handler.write_program("codex", "#!/bin/sh\nexec sleep 1000\n")  # says nothing: ended after its limit
    t = handler.terminal(rows=30, cols=100)
    t.wait_for(re.compile(r"claude-code.*2\.1\.332"))
    prefix(t, "d")
    assert t.wait_exit() == 0
    again = handler.terminal(rows=30, cols=100)
    again.wait_for(re.compile(r"claude-code.*2\.1\.332"))


def test_an_agent_that_is_not_installed_says_how_to_get_it(handler):
    t = handler.terminal(rows=30, cols=160)
    t.wait_for("coding agents")
    t.type("codex")
    t.wait_for(re.compile("x codex"))
    t.keys("Enter")
    t.wait_for("npm install -g @openai/codex")
    assert handler.sessions("-a") == []


def test_after_the_last_session_was_removed_it_is_there_again(handler):
    one, = puppets(handler, "one")
    t = open_with(handler, one, rows=30, cols=100)
    handler.ok("stop", "--all", "--yes")
    t.wait_for(lambda s: "stopped" in s.line(0), why="the title says stopped")
    handler.ok("rm", "work-one")
    t.wait_for("coding agents")
    t.type("demo")
    t.keys("Enter")
    t.wait_for("Type a prompt")


def test_keys_that_need_a_session_say_so_on_the_start_screen(handler):
    t = handler.terminal(rows=30, cols=100)
    t.wait_for("coding agents")
    for key in ("x", "z", "%", "[", ",", "X", "Enter", "q"):
        prefix(t, key)
        say(t, "needs a session in view")
        t.keys("Up")
        t.wait_gone("needs a session in view")
    for key in ("n", "p", "a", "l", "3"):
        prefix(t, key)
        t.wait_for(lambda s: re.search("no other session|no session|no going", s.line(s.rows - 1)), why="%s says something" % key)
        t.keys("Up")


# -- a new session ---------------------------------------------------------------------------------------------

def test_c_enter_is_one_more_like_this(handler):
    where = os.path.join(handler.work, "elsewhere")
    os.mkdir(where)
    one, = puppets(handler, "one")
    handler.new("one", "-C", where)
    t = handler.terminal(rows=30, cols=120)
    t.wait_for("elsewhere-one")
    t.keys("Enter")
    wait_shown(t, "one")
    prefix(t, "c")
    t.wait_for("new session")
    t.keys("Enter")
    wait_until(lambda: len(handler.sessions()) == 2, "there are two")
    assert {(s["agent"], s["dir"]) for s in handler.sessions()} == {("one", where)}
    t.wait_for("elsewhere-one-2")
    t.wait_gone("new session \u2500")


def test_the_dialog_shows_the_command(handler):
    t = handler.terminal(rows=40, cols=120)
    t.wait_for("coding agents")
    prefix(t, "c")
    t.wait_for("new session")
    t.type("demo")
    t.wait_for("$ handler new demo -C %s" % handler.work)
    t.keys("Tab", "Tab")
    t.type("my name")
    t.wait_for("-n 'my name'")
    t.keys("Tab")
    t.type("don't")
    t.keys("C-j")
    t.type("stop $HOME")
    t.wait_for(re.compile(r"""-p\W+don.*stop"""))  # it may go on in the next line
    t.keys("Escape")
    t.wait_gone("new session \u2500")
    assert handler.sessions("-a") == []


def test_a_first_prompt_of_several_lines_and_a_name(handler):
    t = handler.terminal(rows=40, cols=120)
    t.wait_for("coding agents")
    t.wait_for(lambda s: s.kitty_flags, why="Shift+Enter is told apart from Enter")
    prefix(t, "c")
    t.wait_for("new session")
    t.type("demo")
    t.keys("Tab", "Tab")
    t.type("api")
    t.keys("Tab")
    t.type("first line")
    t.keys("S-Enter")
    t.type("second line")
    t.keys("C-j")
    t.type("third $HOME `x`")
    t.keys("Enter")
    t.wait_for("third $HOME `x`")
    t.wait_for(lambda s: re.search(r"first line\s*\n.*second line\s*\n.*third", s.text()) and "new session \u2500" not in s.text(),
               why="the prompt was given as it is")
    assert handler.session("api")["agent"] == "demo"


def test_the_prompt_is_not_public_in_the_list_of_processes(handler):
    out = write_dump(handler, "claude")
    t = handler.terminal(rows=40, cols=120)
    t.wait_for("coding agents")
    prefix(t, "c")
    t.wait_for("new session")
    t.type("claude")
    t.keys("Tab", "Tab", "Tab")
    t.type("the secret prompt")
    t.keys("Enter")
    read_dump(out)
    for pid in handler.processes():
        words = processes.command_of(pid)
        assert not words.startswith(("handler", handler.binary)) or "secret" not in words, words
    t.wait_gone("new session \u2500")


def test_a_vibe_agent_with_instructions_is_refused_with_the_reason_and_the_way_out(handler):
    handler.write_program("vibe", "#!/bin/sh\nexec sleep 1000\n")
    handler.write_agent("reviewer", harness="vibe", description="reviews, never edits", instructions="You review changes.")
    t = handler.terminal(rows=40, cols=120)
    t.wait_for("coding agents")
    prefix(t, "c")
    t.wait_for("new session")
    t.type("reviewer")
    t.keys("Enter")
    t.wait_for(lambda s: "Mistral Vibe cannot take them" in s.text() and "handler run reviewer" in s.text(), why="reason and way out are shown")
    assert handler.sessions("-a") == []
    t.keys("C-u")
    t.type("vibe")  # without instructions it starts
    t.keys("Enter")
    wait_until(lambda: [s for s in handler.sessions() if s["agent"] == "vibe"], "vibe was started", dump=t.dump)


def test_the_same_on_the_start_screen_and_the_command_line(handler):
    handler.write_program("vibe", "#!/bin/sh\nexec sleep 1000\n")
    handler.write_agent("reviewer", harness="vibe", instructions="You review changes.")
    t = handler.terminal("terminal", "reviewer", rows=30, cols=120)
    assert t.wait_exit() == 3
    assert "handler run" in t.text() and "Vibe" in t.text()
    t = handler.terminal(rows=30, cols=120)
    t.wait_for("coding agents")
    t.type("reviewer")
    t.keys("Enter")
    prefix(t, "~")
    t.wait_for("handler run")
    assert handler.sessions("-a") == []


def test_a_start_that_fails_says_why_and_the_dialog_stays(handler):
    with open(handler.write_program("claude", ""), "wb") as f:
        f.write(b"\x7fELF broken")
    t = handler.terminal(rows=40, cols=120)
    t.wait_for("coding agents")
    prefix(t, "c")
    t.wait_for("new session")
    t.type("claude")
    t.keys("Enter")
    t.wait_for("Exec format error")
    t.wait_for("new session")
    assert handler.sessions("-a") == []
    t.keys("C-u")
    t.type("demo")
    t.wait_gone("Exec format error")
    t.keys("Enter")
    t.wait_for("Type a prompt")


def test_directories_are_completed_and_suggested(handler):
    for name in ("alpha", "alphabet", "beta"):
        os.mkdir(os.path.join(handler.work, name))
    t = handler.terminal(rows=40, cols=120)
    t.wait_for("coding agents")
    prefix(t, "c")
    t.wait_for("new session")
    t.type("demo")
    t.keys("Tab", "C-e")
    t.type("/al")
    t.wait_for("alphabet/")
    assert not t.find("beta/")
    t.keys("Tab")
    t.wait_for(re.compile(r"Directory +%s/alpha\b" % re.escape(handler.work)))
    t.type("b")
    t.keys("Tab")
    t.wait_for(re.compile(r"Directory +%s/alphabet" % re.escape(handler.work)))
    t.keys("Enter")
    wait_until(lambda: handler.sessions(), "a session was started")
    assert handler.sessions()[0]["dir"] == os.path.join(handler.work, "alphabet")


def test_recent_directories_are_offered(handler):
    where = os.path.join(handler.work, "some", "where")
    os.makedirs(where)
    puppets(handler, "one")
    handler.new("one", "-C", where)
    t = handler.terminal(rows=40, cols=120)
    t.wait_for("coding agents")
    prefix(t, "c")
    t.wait_for("new session")
    t.keys("Tab", "C-e", "C-u")
    t.wait_for(lambda s: s.text().count(where) >= 1, why="the directory of the session is offered")


# -- finding a session -----------------------------------------------------------------------------------------

@pytest.fixture
def three(handler):
    made = puppets(handler, "apple", "berry", "cherry")
    t = open_with(handler, made[0], made[1])
    handler.new("cherry")
    made[2].write("words of the cherry")
    prefix(t, "s")
    t.wait_for("find a session")
    return handler, t, made


def test_the_picker_filters_and_previews(three):
    handler, t, made = three
    t.wait_for(re.compile("1 +work-apple.*"))
    t.type("cher")
    t.wait_for("words of the cherry")
    assert made[2].sizes()[-1] == made[2].sizes()[0], "looking does not change its size"
    t.keys("C-u")
    t.type("berr")
    wait_shown(t, "berry")
    t.type("zzz")
    t.wait_for("no session matches")
    t.keys("Escape")
    t.wait_gone("find a session")
    assert focused(t, *made) == "apple"


def test_enter_in_the_picker_goes_there_and_l_comes_back(three):
    _, t, made = three
    t.type("cherry")
    t.wait_for("words of the cherry")
    t.keys("Enter")
    t.wait_gone("find a session")
    t.wait_for("work-cherry")
    assert focused(t, *made) == "cherry"
    prefix(t, "l")
    wait_shown(t, "apple", "berry")
    assert focused(t, *made) == "apple"


def test_tab_in_the_picker_sends_keys_to_the_preview(three):
    _, t, made = three
    cherry = made[2]
    t.type("cherry")
    t.wait_for("words of the cherry")
    cherry.forget()
    t.keys("Tab")
    t.wait_for("KEYS GO TO THE PREVIEW")
    t.type("hello\n")
    t.keys("Up", "Escape")
    cherry.wait_given(b"hello\r\x1b[A\x1b")
    cherry.write("\r\nan answer")
    t.wait_for("an answer")
    cherry.write("\x1b[?2004h\r\nready")
    t.wait_for("ready")
    cherry.forget()
    text = "word " * 30000
    t.paste(text)
    given = cherry.wait_given(b"\x1b[201~")
    assert given == b"\x1b[200~" + text.encode() + b"\x1b[201~", "one paste, however long"
    t.keys("C-b")
    t.wait_gone("KEYS GO TO THE PREVIEW")
    t.keys("Escape")
    t.wait_gone("find a session")
    assert focused(t, *made) == "apple"


def test_the_picker_follows_what_happens(three):
    handler, t, made = three
    t.type("cherry")
    t.wait_for("words of the cherry")
    handler.ok("stop", "work-cherry", "--yes")
    t.wait_for(re.compile("work-cherry.*"))
    handler.ok("rm", "work-cherry")
    t.wait_for("no session matches")
    t.keys("C-u", "Escape")
    t.wait_gone("find a session")


def test_the_picker_leads_to_a_new_session(three):
    _, t, _ = three
    t.wait_for("new session")
    t.type("new session")
    t.keys("Enter")
    t.wait_for("Directory")


def test_a_dialog_survives_any_size(three):
    _, t, made = three
    for rows, cols in ((10, 30), (3, 10), (1, 1), (24, 80), (40, 150)):
        t.resize(rows, cols)
        t.settle(0.1)
    t.wait_for("find a session")
    t.keys("Escape")
    t.wait_gone("find a session")
    prefix(t, "c")
    t.wait_for("new session")
    for rows, cols in ((10, 30), (3, 10), (1, 1), (24, 80), (40, 150)):
        t.resize(rows, cols)
        t.type("a")
        t.settle(0.1)
    t.wait_for("new session")


# -- the same agents again -------------------------------------------------------------------------------------

def test_the_same_agents_in_the_same_directory_are_asked_about(handler):
    one, = puppets(handler, "one")
    handler.new("one")
    t = handler.terminal("terminal", "one", rows=30, cols=100)
    t.wait_for(re.compile("already|running", re.I))
    t.settle()
    assert len(handler.sessions()) == 1


@pytest.mark.parametrize("option, count", [("--new", 2), ("--reuse", 1)])
def test_new_and_reuse(handler, option, count):
    one, = puppets(handler, "one")
    handler.new("one")
    t = handler.terminal("terminal", "one", option, rows=30, cols=130)
    t.wait_for("work-one-2" if count == 2 else "work-one")
    t.settle()
    assert len(handler.sessions()) == count


# -- what is shown of a session --------------------------------------------------------------------------------

HOSTILE = "a\x1b[31mb\x07c\u202ed\u200be\x9b31m\u4e16\u754c\U0001F469\U0001F3FD\u200D\U0001F52C end"


def test_titles_and_names_cannot_write_to_the_terminal(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right, rows=30, cols=140)
    mark = t.mark()
    left.write("\x1b]2;" + HOSTILE.replace("\x07", "") + "\x1b\\")
    t.wait_for("\u4e16\u754c")
    left.state("blocked", "permission", HOSTILE)
    t.wait_for(re.compile(r"work-left.*!|!.*work-left"))
    result = handler.run("rename", "work-right", "x\x1b[2Jy\x07")
    right_name = handler.session(right.ident())["name"]
    assert result.code == 2 or "\x1b" not in right_name
    t.settle()
    assert t.screen.unknown == []
    assert t.screen.bells == 0
    for row in range(t.screen.rows):
        for cell in t.screen.visible()[row]:
            assert all(ord(c) >= 0x20 and not 0x7f <= ord(c) < 0xa0 and c not in "\u202e\u200b" for c in cell.text), t.dump()
    assert b"\x9b" not in t.since(mark).decode(errors="replace").encode("latin-1", "ignore")
    assert "\x1b" not in t.screen.title
    prefix(t, "d")
    t.wait_exit()
    assert "\x1b" not in t.text()


def test_a_directory_with_control_bytes_in_its_name(handler):
    where = os.path.join(handler.work, "b\x1b[41mad\n\u202ename")
    os.mkdir(where)
    one, = puppets(handler, "one")
    handler.new("one", "-C", where)
    t = handler.terminal(rows=30, cols=140)
    t.wait_for("coding agents")
    t.keys("Enter")
    wait_shown(t, "one")
    prefix(t, "s")
    t.wait_for("find a session")
    t.keys("Escape")
    prefix(t, "c")
    t.wait_for("new session")
    t.settle()
    assert t.screen.unknown == []
    for row in t.screen.visible():
        for cell in row:
            assert cell.style.bg != 1 and "\u202e" not in cell.text


def test_wide_names_keep_the_columns_straight(handler):
    handler.write_config(sidebar="full")
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right, rows=30, cols=140)
    before = place(t, "left")
    for name in ("\u4e16\u754c" * 15, "e\u0301a\u0308" * 10, "\U0001F469\U0001F3FD\u200D\U0001F52C" * 4, "\U0001F1E9\U0001F1EA\U0001F1EB\U0001F1F7" * 5):
        handler.ok("rename", left.ident(), name)
        t.wait_for(lambda s: name[0] in s.line(1), why="the sidebar has the name")
        t.settle()
        assert wait_place(t, "left") == before
        dividers = [c for c in range(140) if t.cell(5, c).text == "\u2502"]
        assert all(t.cell(r, c).text in "\u2502\u258c" for r in range(0, 28) for c in dividers[:1]), t.dump()


def test_the_outer_title_follows_the_focus(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    left.write("\x1b]2;about the left\x1b\\")
    t.wait_for(lambda s: s.title == "work-left: about the left", why="the title of the window")
    prefix(t, "Right")
    t.wait_for(lambda s: s.title == "work-right (right)", why="the title of the window")


def test_other_places_show_bells_and_states(handler):
    left, = puppets(handler, "left")
    t = open_with(handler, left, rows=30, cols=140)
    hidden = Puppet(handler, "hidden")
    handler.new("hidden")
    t.wait_for("work-hidden")
    t.settle()
    hidden.write("\x1b]9;needs you\x07")
    t.wait_for(lambda s: any("needs you" in n for n in s.notifications), why="the notification is passed on")
    hidden.write("\x1b]777;notify;t;b\x1b[31m\x07")
    hidden.write("\x07")
    t.wait_for(lambda s: s.bells, why="the bell is passed on")
    assert all("\x1b" not in n for n in t.screen.notifications)
    hidden.state("working")
    hidden.state("blocked", "permission", "approve Bash: make")
    t.wait_for(re.compile("approve Bash: make"))
    assert focused(t, left, hidden) == "left"
