"""handler doctor: what it finds of the machine, of an agent, of the terminal, and how it ends."""
import os
import signal

import pytest

from lib.wait import wait_until
from standins import pid_in, script

LEVELS = {"ok", "info", "warn", "block"}
PROGRAMS = ("claude", "codex", "opencode", "pi", "gemini", "qwen", "copilot", "vibe")


@pytest.fixture(name="user")
def fixture_user(handler):
    """Programs of the real names that are in the tests' own PATH must not answer."""
    handler.env["PATH"] = "/usr/bin:/bin"
    return handler


def version(handler, program, text):
    handler.write_program(program, "#!/bin/sh\necho '%s'\n" % text)


def diagnose(handler, *words, status=None):
    """{(section, name): finding}, in order; what is said twice under one name is a list's."""
    result = handler.run("doctor", *words, "--json")
    report = result.json()
    assert report["version"] == 1
    blocks = [f for f in report["findings"] if f["level"] == "block"]
    assert report["blocks"] == len(blocks) and result.code == (1 if blocks else 0), result
    if status is not None:
        assert result.code == status, result
    for f in report["findings"]:
        assert f["level"] in LEVELS and f["message"] and (f["hint"] is None or f["hint"])
        assert f["level"] != "block" or f["hint"], f
    return report["findings"]


def find(findings, name, section=None):
    found = [f for f in findings if f["name"] == name and section in (None, f["section"])]
    assert found, (name, [f["name"] for f in findings])
    return found[0]


# -- the machine -----------------------------------------------------------------------------------------------

def test_a_machine_on_which_nothing_blocks(user):
    findings = diagnose(user, status=0)
    for name in ("state directory", "space", "sockets", "config.json", "logout", "user namespaces", "Landlock", "cgroups", "podman", "bwrap",
                 "credentials", "sessions"):
        find(findings, name)
    text = user.run("doctor", check=0).out
    assert "machine\n" in text and "  ok     state directory: ~/" in text and "\x1b" not in text
    assert os.listdir(os.path.join(user.state_home, "handler")) == ["sessions"]  # nothing of ours stays


def test_versions_beside_those_that_were_checked(user):
    version(user, "claude", "2.1.332 (Claude Code)")
    version(user, "codex", "codex-cli 9.9.9")
    version(user, "pi", "no number")
    user.write_program("qwen", "#!/bin/sh\nsleep 1000 & exit 0\n")  # what it leaves behind holds its output open
    user.write_program("gemini", "#!/bin/sh\necho 0.61.0\n")
    os.chmod(os.path.join(user.base, "bin", "qwen"), 0o644)
    findings = diagnose(user, status=0)
    claude, codex, pi = (find(findings, n, "harnesses") for n in ("claude-code", "codex", "pi"))
    assert claude["level"] == "ok" and "2.1.332, as checked" in claude["message"]
    assert codex["level"] == "info" and "9.9.9" in codex["message"] and "0.171.0" in codex["message"] and codex["hint"]
    assert pi["level"] == "warn" and "does not say its version" in pi["message"]
    for missing in ("vibe", "qwen"):
        f = find(findings, missing, "harnesses")
        assert f["level"] == "info" and "not installed" in f["message"] and f["hint"].startswith("Install it")
    assert not [f for f in findings if f["name"] in ("shell", "demo") and f["section"] == "harnesses"]


def test_own_agents_that_cannot_start_block(user):
    user.write_agent("good", harness="shell")
    user.write_agent("bad", harness="shell", screen="big")
    findings = diagnose(user, status=1)
    assert find(findings, "good", "agents")["level"] == "ok"
    bad = find(findings, "bad", "agents")
    assert bad["level"] == "block" and "bad.json" in bad["message"] and "inline" in bad["message"]
    assert "BLOCK  bad: " in user.run("doctor", check=1).out


def test_faults_of_descriptors_and_configuration(user):
    user.write_harness("toy", format=1, name="toy")
    user.write_config(moose=True)
    findings = diagnose(user, status=1)
    assert "toy.json" in find(findings, "descriptor")["message"]
    assert find(findings, "config.json")["level"] == "warn" and "moose" in find(findings, "config.json")["message"]


def test_a_state_directory_that_cannot_be_used(user):
    blocked = os.path.join(user.base, "file")
    with open(blocked, "w"):
        pass
    result = user.run("doctor", "--json", env={"XDG_STATE_HOME": blocked})
    state = find(result.json()["findings"], "state directory")
    assert result.code == 1 and state["level"] == "block" and "XDG_STATE_HOME" in state["hint"]


def test_credentials_are_named_and_their_values_are_not(user):
    user.env.update({"GITHUB_TOKEN": "hush-hush", "ANTHROPIC_API_KEY": "hush-hush"})
    os.makedirs(os.path.join(user.home, ".aws"))
    with open(os.path.join(user.home, ".aws", "credentials"), "w") as f:
        f.write("hush-hush")
    version(user, "claude", "2.1.332")
    for words in ((), ("claude",)):
        said = user.run("doctor", *words, "--json").out
        assert "GITHUB_TOKEN" in said and "~/.aws/credentials" in said and "hush-hush" not in said


# -- sessions --------------------------------------------------------------------------------------------------

def test_what_still_runs_after_keeper_and_worker_died(user):
    user.expect_left_over()
    ident = script(user, "dev", "deaf(); note('me'); stay()")
    pid = pid_in(user, "me")
    name = user.session(ident)["name"]
    worker, keeper = user.process_named("worker", ident), user.process_named("keeper", ident)
    os.kill(worker, signal.SIGSTOP)  # so that it does not end the tree as its last deed
    os.kill(keeper, signal.SIGKILL)
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: user.state(ident) == "lost", "the session is lost")
    found = find(diagnose(user, status=0), name, "sessions")
    assert found["level"] == "warn" and "handler stop " + name in found["hint"]
    assert "%d " % pid in found["message"]
    user.ok("stop", ident)
    wait_until(lambda: not os.path.exists("/proc/%d" % pid), "it is ended")
    assert not [f for f in diagnose(user) if f["name"] == name]


def test_one_login_that_two_sessions_use(user):
    user.write_program("claude", "#!/bin/sh\ncase $1 in --version) echo 2.1.332;; *) sleep 1000;; esac\n")
    os.makedirs(os.path.join(user.home, ".claude"))
    with open(os.path.join(user.home, ".claude", ".credentials.json"), "w") as f:
        f.write("{}")
    user.write_agent("own", harness="claude", config_dir="own")
    user.new("claude", "-n", "one")
    user.new("own", "-n", "mine")
    assert not [f for f in diagnose(user) if f["name"] == "login"]
    user.new("claude", "-n", "two")
    for words in ((), ("claude",)):
        found = find(diagnose(user, *words), "login")
        assert found["level"] == "warn" and "(one, two)" in found["message"] and ".credentials.json" in found["message"]
        assert '"config_dir": "own"' in found["hint"]


# -- an agent --------------------------------------------------------------------------------------------------

def remote(findings):
    return [f for f in findings if f["section"] == "Remote Control"]


def causes(findings):
    return [f["name"] for f in remote(findings) if f["level"] == "block"]


def sign_in(handler):
    os.makedirs(os.path.join(handler.home, ".claude"), exist_ok=True)
    with open(os.path.join(handler.home, ".claude", ".credentials.json"), "w") as f:
        f.write("{}")


def test_causes_that_block_remote_control_in_claudes_own_order(user):
    version(user, "claude", "2.1.332")
    user.env["CLAUDE_CODE_OAUTH_TOKEN"] = "x"
    findings = diagnose(user, "claude", status=1)
    assert causes(findings) == ["CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"]
    assert "full-scope" in find(findings, "CLAUDE_CODE_OAUTH_TOKEN", "Remote Control")["message"]
    assert "claude auth login" in find(findings, "CLAUDE_CODE_OAUTH_TOKEN", "Remote Control")["hint"]
    second = find(findings, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC")
    assert '"privacy": "reduced"' in second["hint"] and "handler agent new" in second["hint"]
    order, = [f for f in remote(findings) if "changes nothing" in f["message"]]
    assert "as long as CLAUDE_CODE_OAUTH_TOKEN" in order["message"]
    # only the second one removed: the first still blocks
    user.write_agent("reduced", harness="claude", privacy="reduced")
    assert causes(diagnose(user, "reduced", status=1)) == ["CLAUDE_CODE_OAUTH_TOKEN"]
    user.write_agent("free", harness="claude", privacy="reduced", unset_env=["CLAUDE_CODE_OAUTH_TOKEN"])
    assert causes(diagnose(user, "free", status=1)) == ["login"]
    sign_in(user)
    findings = diagnose(user, "free", status=0)
    assert causes(findings) == [] and "nothing known blocks it" in remote(findings)[0]["message"]


def test_variables_that_switch_feature_flags_off(user):
    version(user, "claude", "2.1.332")
    sign_in(user)
    user.env.update({"DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"})
    findings = diagnose(user, "claude", status=1)
    assert causes(findings) == ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DO_NOT_TRACK"]
    user.write_agent("off", harness="claude", privacy="off", unset_env=["DISABLE_TELEMETRY"])
    assert causes(diagnose(user, "off", status=1)) == ["DO_NOT_TRACK"]


def test_an_agent_of_another_harness(user):
    version(user, "codex", "codex-cli 0.171.0")
    user.write_agent("mine", harness="codex", instructions="You review.", privacy="reduced")
    findings = diagnose(user, "mine", status=0)
    assert "can start" in find(findings, "mine")["message"]
    assert "developer message" in find(findings, "instructions")["message"]
    assert "privacy reduced" in find(findings, "usage data")["message"]
    assert "check_for_update_on_startup=false" in find(findings, "usage data")["message"]
    assert find(findings, "login")["level"] == "warn"
    assert not remote(findings)


def test_an_agent_that_cannot_start(user):
    findings = diagnose(user, "vibe", status=1)
    assert find(findings, "vibe")["level"] == "block" and "Install it" in find(findings, "vibe")["hint"]
    user.write_agent("bad", harness="shell", grace=-1)
    assert find(diagnose(user, "bad", status=1), "bad")["level"] == "block"
    assert user.run("doctor", "cluade", "--json", check=4).error()["code"] == "no-such-agent"
    assert user.run("doctor", "a", "b", check=2)


@pytest.mark.parametrize("harness", PROGRAMS)
def test_every_harness_can_be_examined(user, harness):
    version(user, harness, "1.2.3")
    assert diagnose(user, harness)


# -- the terminal ----------------------------------------------------------------------------------------------

def test_the_terminal_is_asked(user):
    terminal = user.terminal("doctor", "terminal", rows=110)
    terminal.wait_exit()
    text = terminal.text()
    for word in ("answers (DA1): it answers questions", "synchronized updates (DECRQM 2026): yes", "kitty keyboard (CSI ? u): yes",
                 "all (24 bits)", "its colours (OSC 10, 11): text #"):
        assert word in text, text
    assert "1049" not in text


def test_a_terminal_that_does_not_answer(user):
    terminal = user.terminal("doctor", "terminal", rows=110, profile="plain")
    terminal.wait_exit()
    text = terminal.text()
    assert "warn   answers (DA1): no answer within 5 s" in text, text
    assert "synchronized updates (DECRQM 2026): no: a frame may be seen half drawn" in text


def test_without_a_terminal(user):
    assert user.run("doctor", "terminal", "--json", check=2).error()["code"] == "usage"
