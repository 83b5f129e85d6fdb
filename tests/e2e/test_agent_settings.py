"""What an agent's file says of how its sessions are kept: variables and arguments that reach the program, its end, its SSH agent."""
import json
import os
import socket

import pytest

from lib.wait import wait_until
from standins import opens, pid_in, read_dump, write_dump, write_script


def started(handler, name="claude", **keys):
    """(what the program was started with, what was said) of an agent of that harness."""
    out = write_dump(handler, name)
    handler.write_agent("mine", harness=name, **keys)
    result = handler.run("new", "mine", check=0)
    return read_dump(out), result.err


def refused(handler, harness, code="refused", status=3, **keys):
    path = handler.write_agent("mine", harness=harness, **keys)
    error = handler.run("new", "mine", "--json", check=status).error()
    assert error["code"] == code, error
    word, value = list(keys.items())[-1]
    word = value[0] if isinstance(value, list) else next(iter(value)) if isinstance(value, dict) else word
    with open(path, encoding="utf-8") as f:
        line = next(n for n, text in enumerate(f, 1) if '"%s"' % word in text)
    assert "agents/mine.json:%d:" % line in error["message"], error
    assert handler.json("ls", "-a")["sessions"] == []
    return error


@pytest.mark.parametrize("key, value, allowed", [
    ("config_dir", "mine", ["shared", "own"]), ("privacy", "some", ["full", "reduced", "off"]),
    ("screen", "big", ["harness", "inline", "full"]), ("resume", "never", ["auto", "conversation", "fresh"]),
    ("on_exit", "kill", ["stop", "keep"]), ("grace", -1, ["0", "3600"]), ("grace", "5", ["number"]), ("journal", "off", ["true or false"]),
    ("forward_agent", 1, ["true or false"]), ("unset_env", ["A B"], ["names of variables"]), ("unset_env", ["A*B"], ["names of variables"]),
    ("unset_env", ["HANDLER_SESSION"], ["set for every session"])])
def test_an_unknown_value_is_an_error_that_names_what_may_be_said(handler, key, value, allowed):
    error = refused(handler, "claude", "invalid-file", 1, **{key: value})
    for word in allowed:
        assert word in error["message"], error
    assert "mine" in handler.run("agent", "check", check=1).out


def test_a_configuration_directory_of_its_own(handler):
    got, said = started(handler, config_dir="own")
    folder = os.path.join(handler.state_home, "handler", "agents", "mine")
    assert got["env"]["CLAUDE_CONFIG_DIR"] == folder
    assert os.stat(folder).st_mode & 0o777 == 0o700
    assert "it asks for a login once" in said
    again = handler.run("new", "mine", check=0)
    assert "login once" not in again.err
    for session in handler.sessions():
        handler.ok("stop", session["id"])
        handler.ok("rm", session["id"])
    assert os.path.isdir(folder)


def test_the_shared_configuration_directory_is_the_users(handler):
    got, _ = started(handler, config_dir="shared")
    assert "CLAUDE_CONFIG_DIR" not in got["env"]
    handler.env["CLAUDE_CONFIG_DIR"] = "/elsewhere"
    os.unlink(os.path.join(handler.base, "dump-claude"))
    got, _ = started(handler)
    assert got["env"]["CLAUDE_CONFIG_DIR"] == "/elsewhere"


def test_what_a_configuration_directory_does_not_hold_is_said(handler):
    got, said = started(handler, "opencode", config_dir="own")
    assert got["env"]["OPENCODE_CONFIG_DIR"].endswith("/agents/mine")
    assert "its login and its conversations elsewhere" in said


def test_two_values_for_one_variable_are_refused(handler):
    refused(handler, "claude", "invalid-file", 1, config_dir="own", env={"CLAUDE_CONFIG_DIR": "/x"})
    refused(handler, "claude", "invalid-file", 1, forward_agent=True, env={"SSH_AUTH_SOCK": "/x"})
    write_dump(handler, "claude")
    handler.write_agent("mine", harness="claude", config_dir="own", forward_agent=True)
    assert "CLAUDE_CONFIG_DIR" in handler.run("new", "mine", "--env", "CLAUDE_CONFIG_DIR=/x", check=2).err
    assert "SSH_AUTH_SOCK" in handler.run("new", "mine", "--env", "SSH_AUTH_SOCK=/x", check=2).err


@pytest.mark.parametrize("level, there, missing", [
    (None, {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}, ["DISABLE_ERROR_REPORTING"]),
    ("full", {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}, ["DISABLE_ERROR_REPORTING"]),
    ("reduced", {"DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1"}, ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY"]),
    ("off", {}, ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_ERROR_REPORTING", "DISABLE_AUTOUPDATER"])])
def test_privacy(handler, level, there, missing):
    got, said = started(handler, **({"privacy": level} if level else {}))
    for name, value in there.items():
        assert got["env"][name] == value
    for name in missing:
        assert name not in got["env"], name
    assert ("may send usage data" in said) == (level == "off")


def test_privacy_by_arguments(handler):
    got, _ = started(handler, "codex", privacy="full")
    assert "analytics.enabled=false" in got["argv"]


@pytest.mark.parametrize("harness, screen, env, args", [
    ("claude", "inline", {"CLAUDE_CODE_NO_FLICKER": "0"}, []), ("claude", "full", {"CLAUDE_CODE_NO_FLICKER": "1"}, []),
    ("codex", "inline", {}, ["--no-alt-screen"]), ("codex", "full", {}, []), ("pi", "inline", {}, ["--tui-mode", "regular"]),
    ("pi", "full", {}, ["--tui-mode", "fullscreen"]), ("gemini", "inline", {}, [])])
def test_screen(handler, harness, screen, env, args):
    got, _ = started(handler, harness, screen=screen)
    for name, value in env.items():
        assert got["env"][name] == value
    assert not args or " ".join(args) in " ".join(got["argv"])


def test_the_harnesss_own_screen_sets_nothing(handler):
    got, _ = started(handler, screen="harness")
    assert "CLAUDE_CODE_NO_FLICKER" not in got["env"]


@pytest.mark.parametrize("harness, key, value, word", [
    ("shell", "config_dir", "own", "configuration directory"), ("demo", "config_dir", "own", "configuration directory"),
    ("gemini", "privacy", "full", "usageStatisticsEnabled"), ("shell", "privacy", "reduced", "privacy"),
    ("gemini", "screen", "full", "screen"), ("opencode", "screen", "inline", "screen"), ("demo", "screen", "full", "screen"),
    ("shell", "resume", "conversation", "resume a conversation")])
def test_what_a_harness_cannot_do_is_refused(handler, harness, key, value, word):
    error = refused(handler, harness, **{key: value})
    assert word in error["message"] and key in error["hint"], error


def test_unset_variables(handler):
    handler.env.update({"AWS_PROFILE": "x", "AWS_REGION": "y", "AWSX": "z"})
    got, _ = started(handler, unset_env=["AWS_*", "USER"])
    assert {"AWS_PROFILE", "AWS_REGION", "USER"} & set(got["env"]) == set()
    assert got["env"]["AWSX"] == "z"


def test_a_conversation_begins_anew_where_the_agent_says_so(handler):
    out = write_dump(handler, "claude")
    handler.write_agent("mine", harness="claude", resume="fresh")
    ident = handler.new("mine")
    first = read_dump(out)["argv"]
    assert "--session-id" in first
    handler.ok("stop", ident)
    os.unlink(out)
    said = handler.run("resume", ident, check=0)
    second = read_dump(out)["argv"]
    assert "--resume" not in second and second != first
    assert "afresh" in said.out and "fresh" in said.err


def test_a_conversation_that_is_not_known_starts_nothing_where_the_agent_says_so(handler):
    write_dump(handler, "codex")
    handler.write_agent("mine", harness="codex", resume="conversation")
    ident = handler.new("mine")
    handler.ok("stop", ident)
    error = handler.run("resume", ident, "--json", check=3).error()
    assert error["code"] == "no-conversation" and "not known" in error["message"]
    handler.write_agent("mine", harness="codex")
    assert "is not known: this is a new one" in handler.run("resume", ident, check=0).err


LEAVES_ONE = """
    child(deaf, "left")
    gate("end")
    sys.exit(0)
"""


def test_what_outlives_the_program_is_kept_or_ended(handler):
    def run(name, **keys):
        write_script(handler, name, LEAVES_ONE)
        path = os.path.join(handler.config_home, "handler", "agents", name + ".json")
        with open(path) as f:
            handler.write_agent(name, **{**json.load(f), **keys})
        ident = handler.new(name)
        pid = pid_in(handler, "left")
        opens(handler, "end")
        return ident, pid
    ident, pid = run("keeps")  # the shell's own is keep
    handler.wait_state(ident, "exited")
    assert handler.session(ident)["left"] == 1 and os.path.exists("/proc/%d" % pid)
    handler.ok("stop", ident, "--grace", "0")
    for name in ("left", "end"):
        os.unlink(os.path.join(handler.work, name))
    ident, pid = run("ends", on_exit="stop", grace=0.1)
    wait_until(lambda: not handler.session(ident)["live"], "the rest of the session is ended")
    assert not os.path.exists("/proc/%d" % pid)


def test_the_agents_own_grace_is_the_sessions(handler):
    write_script(handler, "deaf", "deaf(); note('me'); stay()")
    path = os.path.join(handler.config_home, "handler", "agents", "deaf.json")
    with open(path) as f:
        handler.write_agent("deaf", **{**json.load(f), "grace": 0})
    handler.write_config(grace=3600)
    ident = handler.new("deaf")
    pid_in(handler, "me")
    handler.run("stop", ident, timeout=60, check=0)


def test_the_journal_can_be_switched_off(handler):
    handler.write_agent("quiet", harness="demo", journal=False)
    ident = handler.new("quiet")
    with open(os.path.join(handler.session_folder(ident), "session.json")) as f:
        assert json.load(f)["settings"]["journal"] is False


# -- the SSH agent ---------------------------------------------------------------------------------------------

WHO = r"""
    import socket
    def ask():
        s = socket.socket(socket.AF_UNIX)
        try: s.connect(os.environ["SSH_AUTH_SOCK"]); return s.recv(64).decode()
        except OSError as e: return "none"
    while True:
        line = sys.stdin.readline()
        if not line: break
        log((ask() + "\n").encode())
"""


class Agent:
    """A socket that says who it is: a stand-in for ssh-agent."""

    def __init__(self, path, name):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(path)
        self.socket.listen()
        self.path, self.name = path, name

    def serve(self):
        s, _ = self.socket.accept()
        s.sendall(self.name.encode())
        s.close()


def test_the_ssh_agent_follows_the_terminal_used_last(handler):
    one, two = (Agent(os.path.join(handler.base, name), name) for name in ("one", "two"))
    handler.env["SSH_AUTH_SOCK"] = one.path
    program = write_script(handler, "git", WHO)
    handler.write_agent("git", harness="shell", args=["-c", "exec " + program], forward_agent=True)
    ident = handler.new("git")
    link = os.path.join(handler.session_folder(ident), "ssh-agent")
    assert os.readlink(link) == one.path
    handler.ok("keys", ident, "Enter")
    one.serve()
    handler.env["SSH_AUTH_SOCK"] = two.path
    terminal = handler.terminal("attach", ident)
    wait_until(lambda: os.readlink(link) == two.path, "the link leads to the terminal's agent")
    terminal.send("\r")
    two.serve()
    wait_until(lambda: open(os.path.join(handler.work, "log")).read() == "one\ntwo\n", "the program has asked both")
    terminal.send("\x02d")
    terminal.wait_exit()
    assert os.readlink(link) == two.path
    handler.env.pop("SSH_AUTH_SOCK")
    with_none = handler.terminal("attach", ident)
    with_none.send("\x02d")
    with_none.wait_exit()
    assert os.readlink(link) == two.path
    with open(os.path.join(handler.session_folder(ident), "session.json")) as f:
        assert one.path not in f.read()


def test_without_an_ssh_agent_the_session_says_so(handler):
    handler.env.pop("SSH_AUTH_SOCK", None)
    handler.write_agent("git", harness="shell", forward_agent=True)
    assert "There is no SSH agent here" in handler.run("new", "git", check=0).err


def test_a_name_that_is_too_long_for_a_socket_is_refused(handler):
    handler.write_agent("git", harness="shell", forward_agent=True)
    deep = os.path.join(handler.base, "d" * 100)
    os.mkdir(deep)
    error = handler.run("new", "git", "--json", env={"XDG_STATE_HOME": deep}, check=3).error()
    assert error["code"] == "refused" and "107" in error["message"]


# -- names -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("word, near", [("cluade", "claude"), ("codxe", "codex"), ("reviewr", "reviewer"), ("claude-cod", "claude-code"),
                                        ("attahc", "attach")])
def test_a_mistyped_agent(handler, word, near):
    handler.write_agent("reviewer", harness="shell")
    assert "`handler %s`" % near in handler.run(word, check=2).err
    if near != "attach":
        assert '"%s"' % near in handler.run("new", word, "--json", check=4).error()["hint"]
