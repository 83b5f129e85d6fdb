"""What handler doctor says of Remote Control, beside what Claude Code's own doctor says, in the same environment."""
import re
import subprocess

import pytest

import agents

TOKEN = {"CLAUDE_CODE_OAUTH_TOKEN": "x"}
QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
ENDPOINT = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
# The first sentence of claude doctor's section, and the cause that it stands for.
HEADLINES = (("only available when using Claude via api.anthropic.com", "ANTHROPIC_BASE_URL"),
             ("requires a full-scope login token", "CLAUDE_CODE_OAUTH_TOKEN"), ("requires a claude.ai subscription", "login"))


def claude_says(handler):
    """(first cause, variables that it says switch feature flags off)"""
    out = subprocess.run(["claude", "doctor"], env=handler.environment(), cwd=handler.work, stdin=subprocess.DEVNULL, capture_output=True,
                         text=True, timeout=120, check=False).stdout
    section = out.split("Remote Control\n", 1)[1]
    first = [cause for text, cause in HEADLINES if text in section.split("\n- ")[0]]
    flags = re.search(r"disabled by ([A-Z_, ]+)\)", section)
    return first, re.findall(r"[A-Z_]+", flags.group(1)) if flags else []


@pytest.mark.parametrize("variables", [{**TOKEN, **QUIET}, TOKEN, QUIET, {"DISABLE_TELEMETRY": "1"}, {"DO_NOT_TRACK": "1"},
                                       {"DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1"}, {**ENDPOINT, **TOKEN, **QUIET}],
                         ids=lambda v: "+".join(v))
def test_the_causes_are_claudes_in_claudes_order(installed, make_handler, variables):
    handler = make_handler()
    handler.env["PATH"] = agents.BIN + ":" + handler.env["PATH"]
    handler.env.update(variables)
    handler.write_agent("mine", harness="claude", privacy="off")  # the environment is the test's own
    first, flags = claude_says(handler)
    findings = handler.run("doctor", "mine", "--json", timeout=120).json()["findings"]
    causes = [f["name"] for f in findings if f["section"] == "Remote Control" and f["level"] == "block"]
    assert causes[:1] == first
    assert [c for c in causes if c in flags] == flags
    assert set(causes[1:]) <= set(flags) | {"CLAUDE_CODE_OAUTH_TOKEN", "login"}
