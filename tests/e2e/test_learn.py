"""The id of a conversation that the harness chose itself: learnt from the file that it keeps open, and from its last lines.

The stand-in is called codex and keeps its files as Codex does: one for each conversation, open for writing as long as it runs.
"""
import os
import re
import signal
import subprocess

import pytest

from lib.wait import wait_until
from standins import HELPERS, PYTHON
from test_journal import kill_all

FIRST, SECOND, OTHER = ("01a229a6-b7fa-7c83-b845-%012d" % n for n in (1, 2, 3))
CLI = '{"source":"cli"}'

# Each line that it reads is one thing to do: with "turn" it works and is done, with "open" it opens a file.
AGENT = "#!" + PYTHON + HELPERS + r'''
files = []
def opened(path, head, mode):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    f = open(path, "w", buffering=1)
    f.write(head + "\n" + '{"type":"other","source":"any"}\n')
    files.append(f if mode == "w" else open(path))
def state(s): put("\x1b]7501;state=%s:app=stub\x1b\\" % s)
def act(words):
    if words[0] == "open": opened(*words[1:4])
    elif words[0] == "child":
        if os.fork() == 0:
            for f in files: f.close()
            opened(*words[1:4])
            note("child")
            stay()
        gate("child")
    elif words[0] == "spin":  # a long turn that never rests
        state("working")
        put("spins\r\n")
        gate("open it")
        opened(*words[1:4])
        while not os.path.exists("stop it"):
            put(".")
            pause(0.02)
    elif words[0] == "say": put(" ".join(words[1:]) + "\r\n")
    elif words[0] == "exit": sys.exit(0)
    elif words[0] == "turn":
        state("working")
        if files: files[-1].write("turn\n")
        state("done")
for a in sys.argv[1:]: put("arg " + a + "\r\n")
state("idle")
put("ready\r\n")
for line in sys.stdin:
    act(line.split())
    put("did " + line.strip()[:50] + "\r\n")
'''


class Standin:
    def __init__(self, handler, harness="codex"):
        self.handler = handler
        handler.write_program(harness, AGENT)
        self.id = handler.new(harness)
        handler.wait_capture(self.id, "ready")

    def path(self, ident, home=None):
        return os.path.join(home or os.path.join(self.handler.home, ".codex"), "sessions/2026/01/02/rollout-2026-01-02T03-04-05-%s.jsonl" % ident)

    def tell(self, line):
        self.handler.ok("keys", self.id, line, "Enter")

    def do(self, line):
        """Tells it a line and waits until it has done that."""
        before = self.handler.capture(self.id, "--history", "all").count("did ")
        self.tell(line)
        wait_until(lambda: self.handler.capture(self.id, "--history", "all").count("did ") > before, "it did %r" % line, dump=self.handler.dump)

    def open(self, ident, head=CLI, home=None, mode="w", how="open"):
        self.do("%s %s %s %s" % (how, self.path(ident, home), head, mode))

    @property
    def conversation(self):
        return self.handler.session(self.id)["conversation"]

    def ends_saying(self, line):
        """It ends by itself, with this as its last words."""
        self.do("say " + line)
        self.tell("exit")
        self.handler.wait_state(self.id, "exited")

    def wait_conversation(self, ident):
        wait_until(lambda: self.conversation == ident, "the conversation %s is known" % ident, dump=self.handler.dump)


def resumed(handler, ident):
    answer, = handler.json("resume", ident)["resumed"]
    return answer["how"]


def wait_resumed_with(handler, ident, conversation):
    """Its arguments name the conversation: what it said in the life before had none."""
    handler.wait_capture(ident, re.compile(r"(?=.*^arg resume$)(?=.*^arg %s$)" % conversation, re.M | re.S), "--history", "all")


def test_killed_with_everything_it_goes_on(handler):
    agent = Standin(handler)
    assert agent.conversation is None
    agent.open(FIRST)
    agent.do("turn")
    agent.wait_conversation(FIRST)
    kill_all(handler, agent.id)
    assert resumed(handler, agent.id) == "conversation"
    wait_resumed_with(handler, agent.id, FIRST)


def test_in_the_midst_of_its_first_turn_it_is_known(handler):
    agent = Standin(handler)
    agent.tell("spin %s %s w" % (agent.path(FIRST), CLI))
    handler.wait_capture(agent.id, "spins")
    open(os.path.join(handler.work, "open it"), "w").close()
    agent.wait_conversation(FIRST)
    assert handler.state(agent.id) == "working"


def test_a_new_conversation_in_the_same_program(handler):
    agent = Standin(handler)
    agent.open(FIRST)
    agent.do("turn")
    agent.wait_conversation(FIRST)
    agent.open(SECOND)  # the first stays open
    agent.do("turn")
    agent.wait_conversation(SECOND)
    handler.ok("rename", agent.id, "renamed")
    kill_all(handler, agent.id)
    assert resumed(handler, agent.id) == "conversation"
    wait_resumed_with(handler, agent.id, SECOND)
    assert handler.session(agent.id)["name"] == "renamed"


def test_a_worker_that_follows_learns_on(handler):
    agent = Standin(handler)
    agent.open(FIRST)
    agent.wait_conversation(FIRST)
    worker = handler.process_named("worker", agent.id)
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: handler.process_named("worker", agent.id) not in (None, worker), "there is another worker", dump=handler.dump)
    agent.open(SECOND)
    agent.wait_conversation(SECOND)


OTHERS = {"of a helper": {"head": '{"source":{"subagent":1}}'},
          "read only": {"mode": "r"},
          "elsewhere": {"home": "elsewhere"},
          "of an agent that it started": {"how": "child"}}


@pytest.mark.parametrize("how", OTHERS)
def test_what_is_not_its_conversation(handler, how):
    agent = Standin(handler)
    agent.open(FIRST)
    agent.wait_conversation(FIRST)
    changes = dict(OTHERS[how])
    if "home" in changes:
        changes["home"] = os.path.join(handler.work, "elsewhere")
    agent.open(OTHER, **changes)
    agent.open(SECOND)  # what comes after it is taken: so it was looked at
    agent.do("turn")
    agent.wait_conversation(SECOND)


def test_a_file_of_a_process_outside_is_not_taken(handler):
    agent = Standin(handler)
    path = agent.path(OTHER)
    os.makedirs(os.path.dirname(path))
    with open(path, "w") as f:
        f.write(CLI + "\n")
        f.flush()
        other = subprocess.Popen(["/bin/sh", "-c", 'exec 9>>"$0"; echo ready; read x', path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 env=handler.environment(), text=True)
        try:
            assert other.stdout.readline() == "ready\n"
            agent.do("turn")
            agent.open(FIRST)
            agent.wait_conversation(FIRST)
        finally:
            other.communicate("\n")
    kill_all(handler, agent.id)
    assert resumed(handler, agent.id) == "conversation"


def test_the_directory_is_the_one_that_it_was_started_with(handler):
    home = os.path.join(handler.work, "own")
    os.mkdir(home)
    handler.env["CODEX_HOME"] = home
    agent = Standin(handler)
    agent.open(OTHER)
    agent.open(FIRST, home=home)
    agent.wait_conversation(FIRST)
    with open(os.path.join(handler.session_folder(agent.id), "session.json")) as f:
        assert home not in f.read()


def test_the_last_lines_of_one_that_ended_by_itself_count(handler):
    agent = Standin(handler)
    agent.open(FIRST)
    agent.do("turn")
    agent.wait_conversation(FIRST)
    agent.do("say codex resume " + OTHER)
    handler.ok("stop", agent.id)
    assert agent.conversation == FIRST
    assert resumed(handler, agent.id) == "conversation"
    handler.wait_capture(agent.id, "ready")
    agent.ends_saying("codex resume " + SECOND)
    agent.wait_conversation(SECOND)


def test_the_last_lines_of_one_that_was_resumed_count(handler):
    agent = Standin(handler, "gemini")
    agent.ends_saying("gemini --resume " + FIRST)
    agent.wait_conversation(FIRST)
    assert resumed(handler, agent.id) == "conversation"
    handler.wait_capture(agent.id, "ready")
    agent.ends_saying("gemini --resume " + SECOND)
    agent.wait_conversation(SECOND)
