"""The JSON schemas: every descriptor and every example of the manual is valid, faulty ones are not, and the program says the same."""
import copy
import glob
import json
import os
import re
import subprocess

import jsonschema
import pytest

import jsonc

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DESCRIPTORS = os.path.join(ROOT, "harness-descriptors")
FILES = sorted(f for f in glob.glob(DESCRIPTORS + "/*.json") if not f.endswith(".schema.json"))
HANDLER = os.environ.get("HANDLER_BINARY", os.path.join(ROOT, "build", "asan", "handler"))


def schema(name):
    with open(os.path.join(DESCRIPTORS, name + ".schema.json"), encoding="utf-8") as f:
        loaded = json.load(f)
    jsonschema.Draft202012Validator.check_schema(loaded)
    return jsonschema.Draft202012Validator(loaded)


def examples(page):
    """JSON objects that stand between .Bd -literal and .Ed in a man page."""
    with open(os.path.join(ROOT, "man", page), encoding="utf-8") as f:
        blocks = re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed$", f.read(), re.S | re.M)
    texts = [b.replace("\\&", "").replace("\\e", "\\").replace("\\-", "-") for b in blocks if b.lstrip().startswith("{")]
    return [jsonc.loads(t) for t in texts]


@pytest.fixture(name="handler")
def fixture_handler():
    if not os.access(HANDLER, os.X_OK):
        pytest.skip("%s is not built" % HANDLER)

    def run(*args, **env):
        return subprocess.run([HANDLER, *args], env={**os.environ, **env}, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
    return run


def test_there_are_ten():
    assert [os.path.basename(f)[:-5] for f in FILES] == [
        "claude-code", "codex", "copilot", "demo", "gemini", "opencode", "pi", "qwen", "shell", "vibe"]


@pytest.mark.parametrize("path", FILES, ids=os.path.basename)
def test_descriptor_is_valid(path):
    errors = list(schema("descriptor").iter_errors(jsonc.load(path)))
    assert not errors, "\n".join("%s: %s" % (e.json_path, e.message) for e in errors)


@pytest.mark.parametrize("path", FILES, ids=os.path.basename)
def test_descriptor_says_what_was_checked(path):
    """What runs a program of others names the version and how far it was tried; ours are part of the release."""
    d = jsonc.load(path)
    assert d["name"] == os.path.basename(path)[:-5]
    assert ("checked" in d) == (d["name"] not in ("demo", "shell"))
    assert ("install" in d) == ("checked" in d)
    assert ("version" in d) == ("checked" in d)


@pytest.mark.parametrize("path", FILES, ids=os.path.basename)
def test_descriptor_is_read_by_the_program(path, handler):
    result = handler("harness", "check", path)
    assert result.returncode == 0, result.stderr


def toy(**changes):
    d = {
        "format": 1, "name": "toy", "title": "Toy", "description": "a toy", "command": "toy", "status": {},
        "interactive": {
            "instructions": {"way": "file", "channel": "system", "args": ["-f", "${instructions_file}"]},
            "prompt": {"way": "typed"},
        },
    }
    d.update(changes)
    return d


def instructed(**instructions):
    d = toy()
    d["interactive"]["instructions"] = instructions
    return d


def prompted(**prompt):
    d = toy()
    d["interactive"]["prompt"] = prompt
    return d


ANSWERING = ["--trust", "--trust-folder", "--yolo", "-y", "-a", "--dangerously-skip-permissions", "--dangerously-bypass-hook-trust",
             "--allow-dangerously-skip-permissions", "--skip-trust", "--allow-all-tools", "--full-auto", "--auto",
             "--auto-approve", "--approve", "--approval-mode=yolo", "--permission-mode", "--skip-git-repo-check",
             "hasTrustDialogAccepted=true", "projects.x.trust_level=trusted", "approval_policy=never"]

FAULTY = {
    "unknown key": toy(comand="x"),
    "format": toy(format=2),
    "name": toy(name="../toy"),
    "no interactive": {k: v for k, v in toy().items() if k != "interactive"},
    "args of another type": toy(args=[1]),
    "unknown value": toy(args=["${promt}"]),
    "unknown level": toy(checked={"version": "1", "level": "perhaps", "how": "run"}),
    "signal": toy(stop={"signal": "KILL", "to": "group"}),
    "state": toy(status={"title": [{"match": "x", "state": "stopped"}]}),
    "rule without a state": toy(status={"title": [{"match": "x"}]}),
    "variable": toy(environment={"set": {"A B": "1"}}),
    "trust in a variable": toy(environment={"set": {"GEMINI_CLI_TRUST_WORKSPACE": "true"}}),
    "permission in a variable": toy(privacy={"full": {"env": {"COPILOT_ALLOW_ALL": "1"}}}),
    "unknown screen": toy(screens={"alternate": {}}),
    "permission in a screen": toy(screens={"full": {"args": ["--yolo"]}}),
    "a level of something else": toy(screens={"full": {"flags": []}}),
    "no name of a configuration directory": toy(config_dir={"default": "${home}", "note": "x"}),
    "a feature without causes": toy(features=[{"name": "Flight"}]),
    "a cause without a way out": toy(features=[{"name": "Flight", "causes": [{"variable": "X", "says": "it is heavy"}]}]),
    "an unknown cause": toy(features=[{"name": "Flight", "causes": [{"weight": 1, "says": "s", "do": "d"}]}]),
    "trust in JSON": instructed(way="env", channel="system", env_json={"OPENCODE_PERMISSION": {}}),
    "file without args": instructed(way="file", channel="system"),
    "no channel": instructed(way="argv", args=["${instructions}"]),
    "refuse without a reason": instructed(way="refuse", instead="Use another one."),
    "refuse without a way out": instructed(way="refuse", reason="It cannot."),
    "first prompt in a terminal": instructed(way="first-prompt", channel="user"),
    "generated without files": instructed(way="generated", channel="user", args=[]),
    "file outside": instructed(way="generated", channel="user", files=[{"path": "/etc/x", "text": ""}]),
    "file above": instructed(way="generated", channel="user", files=[{"path": "a/../../x", "text": ""}]),
    "standard input of a terminal": prompted(way="stdin"),
    "typed without a terminal": toy(headless={"instructions": {"way": "refuse", "reason": "R.", "instead": "I."},
                                              "prompt": {"way": "typed"}}),
    **{"answers " + a: toy(args=[a]) for a in ANSWERING},
    **{"answers headless " + a: toy(headless={"args": [a], "instructions": {"way": "refuse", "reason": "R.", "instead": "I."},
                                              "prompt": {"way": "stdin"}}) for a in ANSWERING},
}


def test_the_toy_is_valid():
    assert schema("descriptor").is_valid(toy())


@pytest.mark.parametrize("name", FAULTY)
def test_faulty_descriptor(name):
    assert not schema("descriptor").is_valid(FAULTY[name])


def test_program_and_schema_agree_on_faults(handler, tmp_path):
    said = {}
    for name, d in FAULTY.items():
        path = tmp_path / "toy.json"
        path.write_text(json.dumps(d))
        said[name] = handler("harness", "check", str(path)).returncode
    assert {name for name, status in said.items() if status == 0} == set()
    path.write_text(json.dumps(toy()))
    assert handler("harness", "check", str(path)).returncode == 0


@pytest.mark.parametrize("path", FILES, ids=os.path.basename)
def test_nothing_answers_for_the_user(path):
    """Whatever the schema's patterns: none of these words is anywhere in what is passed to a program."""
    d = copy.deepcopy(jsonc.load(path))
    for prose in ("notes", "description", "install", "checked", "status"):
        d.pop(prose, None)
    text = json.dumps(d).lower()
    for word in ("yolo", "dangerous", "hastrustdialogaccepted", "trust_workspace", "skip-trust", "allow-all", "--trust", "bypass",
                 "auto-approve", "skip-permissions", "skip-git-repo-check"):
        assert word not in text


AGENT = {"harness": "claude-code", "description": "reviews", "instructions": ["You review changes."], "model": "opus", "args": [],
         "env": {"LANG": "C.UTF-8"}, "unset_env": [], "sandbox": "none"}


def test_agent_is_valid():
    for change in ({}, {"instructions": "one text"}, {"may": ["send"]}, {"privacy": "off"}, {"sandbox": "local"}, {"config_dir": "own"},
                   {"screen": "full"}, {"resume": "fresh"}, {"on_exit": "keep"}, {"grace": 0.5}, {"journal": False}, {"forward_agent": True},
                   {"unset_env": ["AWS_*"]}):
        assert schema("agent").is_valid({**AGENT, **change})
    assert schema("agent").is_valid({"harness": "codex", "instructions_file": "x.md"})


def test_faulty_agents():
    for change in ({"modle": "x"}, {"instructions_file": "x"}, {"env": {"A": 1}}, {"env": {"HANDLER_SESSION": "x"}}, {"may": ["kill"]},
                   {"sandbox": "jail"}, {"args": "x"}, {"config_dir": "mine"}, {"screen": "big"}, {"resume": "never"}, {"on_exit": "kill"},
                   {"grace": -1}, {"grace": 3601}, {"journal": "off"}, {"forward_agent": 1}, {"unset_env": ["A*B"]},
                   {"unset_env": ["HANDLER_PORT"]}, {"env": {"HANDLER_PORT": "1"}}):
        assert not schema("agent").is_valid({**AGENT, **change})
    assert not schema("agent").is_valid({"model": "opus"})


@pytest.mark.parametrize("page, kind", [("handler-agent.5", "agent"), ("handler-descriptor.5", "descriptor")])
def test_examples_of_the_manual(page, kind):
    found = examples(page)
    assert found
    for example in found:
        errors = list(schema(kind).iter_errors(example))
        assert not errors, "%s: %s: %s" % (page, json.dumps(example), errors[0].message)


def test_agents_of_the_manual_are_read_by_the_program(handler, tmp_path):
    folder = tmp_path / "handler" / "agents"
    folder.mkdir(parents=True)
    (folder / "architect.md").write_text("You design.\n")
    for n, example in enumerate(examples("handler-agent.5")):
        (folder / ("example%d.json" % n)).write_text(json.dumps(example))
        result = handler("agent", "show", "example%d" % n, XDG_CONFIG_HOME=str(tmp_path))
        assert result.returncode == 0, result.stderr


def flat_keys(properties, prefix=""):
    for name, value in properties.items():
        if name == "$schema":
            continue
        if "properties" in value:
            yield from flat_keys(value["properties"], prefix + name + ".")
        else:
            yield prefix + name, value


def test_config_schema_is_the_programs_table(handler, tmp_path):
    shown = json.loads(handler("config", "show", "--json", XDG_CONFIG_HOME=str(tmp_path)).stdout)
    table = {k["key"]: k for k in shown["keys"]}
    keys = dict(flat_keys(schema("config").schema["properties"]))
    assert list(keys) == list(table)
    for name, value in keys.items():
        assert value["default"] == table[name]["value"], name
        assert value["description"] == table[name]["help"], name


def test_config_schema_and_program_agree(handler, tmp_path):
    (tmp_path / "handler").mkdir()
    path = tmp_path / "handler" / "config.json"
    for text, good in (('{"mouse": false, "terminal": {"color": "256"}}', True), ('{"mouse": 1}', False), ('{"moose": true}', False),
                       ('{"sidebar": "left"}', False), ('{"history_lines": -1}', False), ('{"terminal": {"colour": "16"}}', False),
                       ('{"terminal": 1}', False), ('{"terminal.color": "16"}', False), ('{"history_lines": 1.5}', False)):
        path.write_text(text)
        assert schema("config").is_valid(json.loads(text)) == good, text
        status = handler("config", "check", XDG_CONFIG_HOME=str(tmp_path)).returncode
        assert (status == 0) == good, text
