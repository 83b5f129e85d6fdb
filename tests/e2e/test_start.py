"""Starting sessions: what cannot start says why and leaves nothing; what must be refused is refused before anything exists; what a
program is given is exactly what was written."""
import json
import os
import shutil
import subprocess

import pytest

from lib import processes
from lib.wait import wait_until
from standins import file_of, read_dump, write_dump, write_script

HARD_TEXT = "\n".join([
    "-- a line that begins with dashes", "--model evil", "quotes \" ' ` and \\ backslashes \\n \\\\", "$HOME ${HOME} $(id) `id` %s %d",
    "a\ttab, trailing blanks   ", "four bytes: \U0001F469\U0001F3FD‍\U0001F52C \U00020000 and é é ﷽", "; & | < > * ? [a] {b,c} ! # ~",
    "@file ${instructions} ${prompt} ${session_dir}", "", "last line"])


def nothing_is_left(handler):
    """No record, no directory of a session, no process."""
    assert handler.sessions("-a") == []
    folder = os.path.join(handler.state_home, "handler", "sessions")
    assert [n for n in os.listdir(folder) if not n.startswith(".")] == [] if os.path.isdir(folder) else True
    wait_until(lambda: not handler.processes(), "no process is left", dump=handler.dump)


# -- what cannot start -----------------------------------------------------------------------------------------

def test_a_program_that_is_not_there(handler):
    result = handler.run("new", "claude", "--json", check=1)
    error = result.error()
    assert error["code"] == "not-installed"
    assert "claude" in error["message"]
    assert "npm install -g @anthropic-ai/claude-code" in error["message"] + error["hint"]
    assert error["message"] in result.err
    nothing_is_left(handler)


def test_a_directory_that_is_not_there(handler):
    error = handler.run("new", "shell", "-C", "/no/such/place", "--json", check=1).error()
    assert error["code"] == "start-failed" and "/no/such/place" in error["message"]
    file = handler.write_program("plain", "")
    assert handler.run("new", "shell", "-C", file, "--json", check=1).error()["code"] == "start-failed"
    nothing_is_left(handler)


def test_a_working_directory_that_was_deleted(handler):
    script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" new shell'
    done = subprocess.run(["/bin/bash", "-c", script, handler.binary], env=handler.environment(), cwd=handler.work,
                          capture_output=True, text=True, timeout=30)
    assert done.returncode == 1, done
    assert done.stdout == "" and "director" in done.stderr
    nothing_is_left(handler)


@pytest.mark.parametrize("content, reason", [
    (b"\x7fELF broken", "Exec format error"), (b"#!/no/such/interpreter\n", "/no/such/interpreter"), (b"\0\1\2", "Exec format error"),
    (b"", "Exec format error")])
def test_a_program_that_cannot_be_executed(handler, content, reason):
    path = handler.write_program("claude", "")
    with open(path, "wb") as f:
        f.write(content)
    error = handler.run("new", "claude", "--json", check=1).error()
    assert error["code"] == "start-failed"
    assert path in error["message"] and reason in error["message"] + error["hint"]
    nothing_is_left(handler)


@pytest.mark.parametrize("agents", [("claude",), ("shell", "claude"), ("claude", "shell")])
def test_the_terminal_is_not_touched_by_a_start_that_fails(handler, agents):
    """That it cannot be executed turns out when the front-end is ready already; those that did start end again."""
    path = handler.write_program("claude", "")
    with open(path, "wb") as f:
        f.write(b"#!/no/such/interpreter\n")
    terminal = handler.terminal("terminal", "--new", *agents)
    assert terminal.wait_exit() == 1, terminal.dump()
    assert b"\x1b" not in terminal.raw
    assert path in terminal.text() and "/no/such/interpreter" in terminal.text(), terminal.dump()
    nothing_is_left(handler)


def test_a_file_that_is_not_executable_is_no_program(handler):
    os.chmod(handler.write_program("claude", "#!/bin/sh\n"), 0o644)
    assert handler.run("new", "claude", "--json", check=1).error()["code"] == "not-installed"


def test_relative_and_empty_entries_of_path_are_not_searched(handler):
    program = os.path.join(handler.work, "claude")
    with open(program, "w") as f:
        f.write("#!/bin/sh\ntouch started\n")
    os.chmod(program, 0o755)
    for path in ("", ".", ":" + handler.env["PATH"], handler.env["PATH"] + ":.", "../work:" + handler.env["PATH"]):
        assert handler.run("new", "claude", "--json", env={"PATH": path}, check=1).error()["code"] == "not-installed", path
    assert not os.path.exists(os.path.join(handler.work, "started"))


@pytest.mark.parametrize("where", ["env", "args"])
def test_more_than_the_kernel_takes(handler, where):
    big = "x" * 200000
    handler.write_agent("big", harness="shell", **({"env": {"BIG": big}} if where == "env" else {"args": ["-c", big]}))
    error = handler.run("new", "big", "--json", check=1).error()
    assert error["code"] in ("start-failed", "invalid-file"), error
    assert "200000" in error["message"] or "200004" in error["message"], error
    nothing_is_left(handler)


def test_no_pty_left(handler):
    """A devpts of its own that has none to give, in a mount namespace."""
    script = ('mount -t devpts -o newinstance,ptmxmode=0666,max=1 devpts /dev/pts && mount --bind /dev/pts/ptmx /dev/ptmx && '
              'exec 9<>/dev/ptmx && exec "$0" new shell --json')
    done = subprocess.run(["unshare", "-m", "/bin/bash", "-c", script, handler.binary], env=handler.environment(), cwd=handler.work,
                          capture_output=True, text=True, timeout=60)
    if done.returncode != 0 and not done.stdout:
        pytest.skip("no mount namespace here: %s" % done.stderr.strip())
    assert done.returncode == 1, done
    error = json.loads(done.stdout)["error"]
    assert "pseudo-terminal" in error["message"] and error["hint"]
    nothing_is_left(handler)


def test_few_descriptors(handler):
    """Whatever is missing at whatever step: a session that runs, or an error; nothing half."""
    failed = 0
    for limit in range(4, 30, 2):
        done = subprocess.run(["/bin/bash", "-c", 'ulimit -n $1; exec "$0" new shell --json', handler.binary, str(limit)],
                              env=handler.environment(), cwd=handler.work, capture_output=True, text=True, timeout=60)
        if done.returncode == 0:
            ident = json.loads(done.stdout)["id"]  # its program may end at once: it has few descriptors too
            handler.ok("stop", ident)
            wait_until(lambda: handler.run("rm", ident).code == 0, "session %s can be removed" % ident)
        else:
            failed += 1
            assert done.returncode == 1 and done.stderr, (limit, done)
    assert failed and handler.sessions("-a") == []
    wait_until(lambda: not handler.processes(), "no process is left", dump=handler.dump)


def test_a_state_directory_that_cannot_be(handler):
    for place in ("/dev/null", "/proc/nowhere"):
        result = handler.run("new", "shell", "--json", env={"XDG_STATE_HOME": place}, check=1)
        assert place in result.error()["message"], result
    assert not handler.processes()


def test_faulty_files_stop_only_what_they_are_about(handler):
    handler.write_agent("bad", harness="shell", instructons=["x"])
    handler.write_agent("good", harness="shell")
    with open(os.path.join(handler.config_home, "handler", "agents", "worse.json"), "w") as f:
        f.write('{\n  // comment\n  "harness": "shell",\n  "env": {"A": }\n}\n')
    handler.write_json(os.path.join(handler.config_home, "handler", "harnesses", "codex.json"),
                       {"format": 1, "name": "codex", "titel": "x"})
    handler.write_config(mouse="yes", nonsense=1)

    error = handler.run("new", "bad", "--json", check=1).error()
    assert error["code"] == "invalid-file"
    assert "bad.json" in error["message"] and "instructons" in error["message"]
    assert "instructions" in error["message"] + error["hint"]
    error = handler.run("new", "worse", "--json", check=1).error()
    assert "worse.json:4" in error["message"], error
    error = handler.run("new", "codex", "--json", check=1).error()
    assert "codex.json" in error["message"] and "titel" in error["message"]
    for agent in ("good", "shell"):
        handler.new(agent)
    assert len(handler.sessions()) == 2
    check = handler.run("config", "check", check=1)
    assert "mouse" in check.out + check.err and "nonsense" in check.out + check.err


def test_unknown_names(handler):
    error = handler.run("new", "coedx", "--json", check=4).error()
    assert error["code"] == "no-such-agent" and "codex" in error["message"] + error["hint"]
    handler.write_agent("lost", harness="nowhere")
    assert handler.run("new", "lost", "--json", check=4).error()["code"] == "no-such-harness"
    for name in ("", "12", ".", "@x", "a\nb", "x" * 65, "-n"):
        assert handler.run("new", "shell", "--name=" + name, "--json", check=2).error()["code"] == "usage", name
    assert handler.run("new", "shell", "--env", "novalue", check=2).out == ""
    assert handler.run("new", "shell", "--size", "1x1", check=2).out == ""
    assert handler.run("new", "shell", "-p", "@/no/such/file").code in (1, 2)
    nothing_is_left(handler)


# -- refusals --------------------------------------------------------------------------------------------------

def write_sentinel(handler, name):
    """A program that leaves a file if it is ever run."""
    sentinel = os.path.join(handler.base, "ran-" + name)
    handler.write_program(name, "#!/bin/sh\necho \"$@\" >>%s\nread x\n" % sentinel)
    return sentinel


@pytest.mark.parametrize("command", ["new", "terminal"])
def test_vibe_with_instructions_is_refused_before_anything_exists(handler, command):
    ran = write_sentinel(handler, "vibe")
    handler.write_agent("reviewer", harness="vibe", instructions=["You review changes."])
    if command == "new":
        result = handler.run("new", "reviewer", "-p", "x", "--json", check=3)
        error = result.error()
        assert error["code"] == "instructions-unsupported"
        text = error["message"] + " " + error["hint"]
        assert text.replace("\n", " ") and error["message"] in result.err
    else:
        terminal = handler.terminal("terminal", "reviewer")
        assert terminal.wait_exit() == 3
        text = terminal.text()
    assert "Vibe" in text and "system prompt" in text and "handler run reviewer" in " ".join(text.split())
    nothing_is_left(handler)
    assert not os.path.exists(ran)


def test_vibe_without_instructions_starts(handler):
    ran = write_sentinel(handler, "vibe")
    handler.write_agent("plain", harness="vibe")
    for agent in ("vibe", "plain"):
        ident = handler.new(agent)
        assert handler.session(ident)["harness"] == "vibe"
    wait_until(lambda: os.path.exists(ran) and len(open(ran).readlines()) == 2, "both run")


def test_the_way_out_of_the_refusal_works(handler):
    """The command that the refusal names: one headless turn, the instructions before the first prompt."""
    out = write_dump(handler, "vibe")
    handler.write_agent("reviewer", harness="vibe", instructions=HARD_TEXT)
    result = handler.run("run", "reviewer", "What is\nthis \"$HOME\"?", check=0)
    assert result.out.strip() == "READY"
    dump = read_dump(out)
    given = dump["stdin"] or "\n".join(dump["argv"])
    assert HARD_TEXT in given and "What is\nthis \"$HOME\"?" in given
    assert given.index(HARD_TEXT) < given.index("What is")


def test_every_harness_that_takes_no_instructions_refuses_them(handler):
    for harness in ("shell", "vibe"):
        handler.write_agent("with-" + harness, harness=harness, instructions="x")
        write_sentinel(handler, "vibe")
        assert handler.run("new", "with-" + harness, "--json", check=3).error()["code"] == "instructions-unsupported"
    nothing_is_left(handler)


@pytest.mark.parametrize("policy", [{"sandbox": "bwrap"}, {"sandbox": "podman"}, {"network": "none"}, {"network": {"allow": ["x.org"]}}])
def test_policies_that_cannot_be_enforced_are_refused(handler, policy):
    ran = write_sentinel(handler, "claude")
    handler.write_agent("caged", harness="claude-code", **policy)
    result = handler.run("new", "caged", "--json", check=3)
    assert result.error()["code"] == "policy-unsupported"
    assert list(policy)[0] in result.err.lower() or list(policy.values())[0] in result.err
    nothing_is_left(handler)
    assert not os.path.exists(ran)


@pytest.mark.parametrize("sandbox", ["none", "local"])
def test_no_isolation_is_said_once_per_agent_and_when_the_list_grows(handler, sandbox):
    write_sentinel(handler, "claude")
    handler.write_agent("free", harness="claude-code", sandbox=sandbox)
    first = handler.run("new", "free", env={"ANTHROPIC_API_KEY": "sk-secret"}, check=0)
    assert "no sandbox" in first.err and "ANTHROPIC_API_KEY" in first.err and "sk-secret" not in first.err + first.out
    second = handler.run("new", "free", env={"ANTHROPIC_API_KEY": "sk-secret"}, check=0)
    assert "no sandbox" not in second.err
    third = handler.run("new", "free", env={"ANTHROPIC_API_KEY": "sk-secret", "CLAUDE_CODE_OAUTH_TOKEN": "t0p"}, check=0)
    assert "no sandbox" in third.err and "CLAUDE_CODE_OAUTH_TOKEN" in third.err and "t0p" not in third.err
    assert [s["sandbox"] for s in handler.sessions()] == ["none"] * 3
    for folder, _, names in os.walk(os.path.join(handler.state_home, "handler")):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    assert b"sk-secret" not in f.read(), path


# -- what a program is given -----------------------------------------------------------------------------------

def toml_value(dump):
    import tomllib
    word = [w for w in dump["argv"] if w.startswith("developer_instructions=")]
    assert len(word) == 1, dump["argv"]
    return tomllib.loads(word[0])["developer_instructions"].encode(), None


def opencode_file(dump):
    path, = json.loads(dump["env"]["OPENCODE_CONFIG_CONTENT"])["instructions"]
    return file_of(dump, path)


def after_option(option):
    def find(dump):
        return file_of(dump, dump["argv"][dump["argv"].index(option) + 1])
    return find


def qwen_text(dump):
    word, = [w for w in dump["argv"] if w.startswith("--append-system-prompt=")]
    value = word.split("=", 1)[1]
    assert value[0] == value[-1] == '"'  # the pair that its parser takes away
    return value[1:-1].encode(), None


def gemini_file(dump):
    folder = dump["argv"][dump["argv"].index("--include-directories") + 1]
    return file_of(dump, folder + "/GEMINI.md")


def copilot_file(dump):
    folder = dump["env"]["COPILOT_CUSTOM_INSTRUCTIONS_DIRS"].split(",")[-1]
    data, mode = file_of(dump, ".instructions.md")
    assert any(k.startswith(folder + "/.github/instructions/") for k in dump["files"])
    head = b'---\napplyTo: "**"\n---\n'
    assert data.startswith(head)
    return data[len(head):], mode


WAYS = {"claude": ("claude-code", after_option("--append-system-prompt-file"), True), "codex": ("codex", toml_value, False),
        "opencode": ("opencode", opencode_file, True), "pi": ("pi", after_option("--append-system-prompt"), True),
        "gemini": ("gemini", gemini_file, True), "qwen": ("qwen", qwen_text, False), "copilot": ("copilot", copilot_file, True)}


@pytest.mark.parametrize("program", WAYS)
def test_instructions_reach_the_program_exactly(handler, program):
    harness, find, by_file = WAYS[program]
    out = write_dump(handler, program)
    handler.write_agent("exact", harness=harness, instructions=HARD_TEXT)
    ident = handler.new("exact")
    dump = read_dump(out)
    data, mode = find(dump)
    assert data.decode() == HARD_TEXT
    if by_file:
        assert mode == 0o600
        assert HARD_TEXT not in "\0".join(dump["argv"])  # argv is public
        assert all(k.startswith(handler.session_folder(ident) + "/") for k in dump["files"] if k.endswith(".md"))
    if program == "codex":
        assert "--no-daemon" in dump["argv"]
    assert dump["cwd"] == handler.work


@pytest.mark.parametrize("program", WAYS)
def test_a_megabyte_of_instructions(handler, program):
    harness, find, by_file = WAYS[program]
    out = write_dump(handler, program)
    text = ("0123456789abcdef é\U0001F600$'\"\\\n" * 40000)[:1 << 20]
    path = os.path.join(handler.config_home, "handler", "agents", "large.md")
    handler.write_agent("large", harness=harness)
    with open(path, "w", newline="") as f:
        f.write(text)
    if by_file:
        handler.new("large")
        assert find(read_dump(out))[0] == text.encode()
    else:
        assert handler.run("new", "large", "--json", check=3).error()["code"] == "instructions-too-long"
        nothing_is_left(handler)
        assert not os.path.exists(out)


@pytest.mark.parametrize("data, offset", [(b"ok\0no", 2), (b"abc\xff", 3), (b"\xc3", 0), (b"\xed\xa0\x80", 0)])
def test_instructions_that_are_no_text_are_refused_with_the_offset(handler, data, offset):
    ran = write_sentinel(handler, "claude")
    handler.write_agent("binary", harness="claude-code", instructions_file="text.md")
    with open(os.path.join(handler.config_home, "handler", "agents", "text.md"), "wb") as f:
        f.write(data)
    error = handler.run("new", "binary", "--json", check=3).error()
    assert error["code"] == "instructions-invalid"
    assert str(offset) in error["message"], error
    assert not os.path.exists(ran)


@pytest.mark.parametrize("program", ["claude", "codex", "pi"])
def test_the_first_prompt_is_an_argument_where_that_is_safe(handler, program):
    out = write_dump(handler, program)
    prompt = "Fix \"it\" & $HOME\n\n  `now` \U0001F600"
    handler.new(program, "-p", prompt)
    assert read_dump(out)["argv"][-1] == prompt


def test_what_stands_after_the_dashes_is_handed_on(handler):
    out = write_dump(handler, "claude")
    words = ["--verbose", "two words", "$HOME", "", "-x=\"y\"", "--"]
    handler.new("claude", "--", *words)
    argv = read_dump(out)["argv"]
    assert argv[-len(words):] == words or argv[argv.index("--verbose"):argv.index("--verbose") + len(words)] == words


OUTER = {"TMUX": "/tmp/x,1,0", "TMUX_PANE": "%1", "STY": "1.x", "ZELLIJ": "0", "ZELLIJ_SESSION_NAME": "z", "TERM_PROGRAM": "iTerm.app",
         "TERM_PROGRAM_VERSION": "3", "KITTY_WINDOW_ID": "1", "KITTY_PID": "2", "WT_SESSION": "u", "WEZTERM_PANE": "0",
         "ITERM_SESSION_ID": "i", "VTE_VERSION": "7000", "LC_TERMINAL": "iTerm2", "GHOSTTY_RESOURCES_DIR": "/x", "COLUMNS": "10",
         "LINES": "5", "KONSOLE_VERSION": "1", "ALACRITTY_WINDOW_ID": "1", "HANDLER_SESSION": "zzzzzz", "WINDOWID": "7",
         "TERM_SESSION_ID": "x"}


def test_the_environment_of_a_program(handler):
    out = write_dump(handler, "claude")
    handler.write_agent("own", harness="claude-code", env={"FROM_AGENT": "a \"b\"\n$c", "LANG": "C"}, unset_env=["DROPPED"])
    ident = handler.new("own", "--env", "FROM_OPTION=x=y z", "-C", "/usr", env=dict(
        OUTER, TERM="xterm-kitty", COLORTERM="24bit", DROPPED="1", KEPT="é\n'", EMPTY="", PWD=handler.work))
    env = read_dump(out)["env"]
    assert {k: v for k, v in env.items() if k in OUTER} == {"HANDLER_SESSION": ident}
    assert env["TERM"] == "xterm-256color" and env["COLORTERM"] == "truecolor"
    assert env["KEPT"] == "é\n'" and env["EMPTY"] == "" and "DROPPED" not in env
    assert env["FROM_AGENT"] == "a \"b\"\n$c" and env["FROM_OPTION"] == "x=y z" and env["LANG"] == "C"
    assert env.get("PWD") in (None, "/usr")
    assert read_dump(out)["cwd"] == "/usr"


def test_a_program_has_its_terminal_and_nothing_else(handler):
    write_script(handler, "look", """
        import os, signal
        print("fds", sorted(os.listdir("/proc/self/fd"), key=int)[:-1], {os.readlink("/proc/self/fd/%d" % n) == os.ttyname(0) for n in (0, 1, 2)})
        print("size", tuple(os.get_terminal_size()), "foreground", os.tcgetpgrp(0) == os.getpgrp() == os.getsid(0) == os.getpid())
        print("blocked", signal.pthread_sigmask(signal.SIG_BLOCK, []))
        print("ignored", [s for s in (1, 2, 3, 13, 15, 17, 20, 22) if signal.getsignal(s) == signal.SIG_IGN and s != 13])
        print("umask %04o" % os.umask(0), "END")
        input()""")
    old = os.umask(0o27)
    try:
        ident = handler.new("look", "--size", "100x33")
    finally:
        os.umask(old)
    text = handler.wait_capture(ident, "END")
    assert "fds ['0', '1', '2'] {True}" in text and "size (100, 33) foreground True" in text, text
    assert "blocked set()" in text and "ignored []" in text and "umask 0027" in text, text


def test_a_session_runs_with_the_size_it_was_asked_for(handler):
    handler.write_shell_agent("size", "stty size; read x")
    for given, seen in (("80x24", "24 80"), ("200x60", "60 200")):
        ident = handler.new("size", "--size", given)
        handler.wait_capture(ident, seen)
        session = handler.session(ident)
        assert "%(cols)dx%(rows)d" % session == given
    assert handler.wait_capture(handler.new("size"), "60 200")  # the last pane's
    handler.ok("stop", "--all", "--yes")
    assert handler.wait_capture(handler.new("size"), "40 120")


def test_nothing_of_the_starter_is_held_open(handler):
    """A pipe that reads the id must see its end, and the starter's files must not stay open."""
    done = subprocess.run(["/bin/bash", "-c", 'exec 7>marker; id=$("$0" new shell | cat); echo "$id"', handler.binary],
                          env=handler.environment(), cwd=handler.work, capture_output=True, text=True, timeout=30)
    ident = done.stdout.strip()
    assert len(ident) == 6 and done.returncode == 0
    for pid in handler.processes():
        for fd in os.listdir("/proc/%d/fd" % pid):
            try:
                target = os.readlink("/proc/%d/fd/%s" % (pid, fd))
            except OSError:
                continue
            assert "marker" not in target, (pid, processes.command_of(pid), fd, target)


def test_headless_run(handler):
    """The answer on standard output, all else on standard error, the program's failure as ours."""
    handler.write_program("claude", "#!/bin/bash\ncat >got\necho \"$#:$1\" >args\necho answer\necho noise >&2\nexit $(cat code)\n")
    code = os.path.join(handler.work, "code")
    for status, expected in ((0, 0), (3, 1)):
        with open(code, "w") as f:
            f.write(str(status))
        result = handler.run("run", "claude", "-", input=HARD_TEXT, check=expected)
        assert result.out == "answer\n"
        assert "noise" in result.err
        with open(os.path.join(handler.work, "got")) as f:
            assert f.read() == HARD_TEXT
    assert handler.sessions("-a") == [] and not handler.processes()
    runs = os.path.join(handler.state_home, "handler", "runs")
    assert not os.path.isdir(runs) or os.listdir(runs) == []
    assert handler.run("run", "claude", "-", input="from a pipe", check=1).out == "answer\n"
    with open(os.path.join(handler.work, "got")) as f:
        assert f.read() == "from a pipe"


def test_the_programs_own_descriptors_are_gone_or_closed(make_handler, tmp_path):
    """Whose installation is broken is told what is missing and where, not that there are no agents."""
    broken = str(tmp_path / "broken" / "build" / "handler")
    os.makedirs(os.path.dirname(broken))
    shutil.copy(make_handler().binary, broken)
    handler = make_handler(binary=broken)
    said = handler.run("new", "shell", check=4).err
    assert 'There is no agent "shell"' in said and "harness-descriptors" in said, said
    listed = handler.run("harness", "list")
    assert "harness-descriptors" in listed.out + listed.err, listed
