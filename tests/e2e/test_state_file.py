"""state.json is written beside everything else: nobody who looks waits for the disk, and no script finds an older state than it was told."""
import json
import os
import signal
import subprocess

import pytest

from lib.fixtures import preloaded
from lib.wait import wait_until
from standins import opens, write_composer
from wire_client import EVENT, REPLY, SCREEN, STATE, Client


def state_file(handler, ident):
    with open(os.path.join(handler.session_folder(ident), "state.json")) as f:
        return json.load(f)


class Disk:
    """Holds each write of state.json while it is told to."""

    def __init__(self, handler):
        self.held, self.log = os.path.join(handler.base, "held"), os.path.join(handler.base, "writes")
        handler.env.update(HOLD_WHILE=self.held, HOLD_LOG=self.log)

    def hold(self):
        open(self.held, "w").close()

    def release(self):
        os.unlink(self.held)

    def writes(self):
        """How many have begun."""
        if not os.path.exists(self.log):
            return 0
        with open(self.log) as f:
            return len(f.readlines())

    def wait_begun(self, count):
        wait_until(lambda: self.writes() >= count, "write %d of state.json has begun" % count, dump=lambda: str(self.writes()))


@pytest.fixture
def held(make_handler, preload):
    """(handler, id of a session of the composer that is idle, its disk)"""
    handler = preloaded(make_handler, preload("hold"))
    disk = Disk(handler)
    write_composer(handler, "paste")
    ident = handler.new("stub")
    handler.wait_state(ident, "idle")
    return handler, ident, disk


def background(handler, *args):
    return subprocess.Popen([handler.binary] + [str(a) for a in args], env=handler.environment(), cwd=handler.work,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def begin_work(client, name="f"):
    """Types what makes the composer work until there is a file of that name."""
    for c in "work " + name:
        client.key(c)
    client.key("\r", code=13)
    return client.wait(STATE, lambda s: s["state"] == "working")


# -- a disk that does not come back --------------------------------------------------------------------------------

def test_a_front_end_waits_for_no_disk_and_a_script_does(held):
    handler, ident, disk = held
    with Client(handler, ident) as terminal, Client(handler, ident, kind="command") as command, \
            Client(handler, ident, kind="watcher") as watcher:
        command.request("wait", states=["working"])
        command.ping()
        disk.hold()
        before = disk.writes()
        terminal.view(rows=30, cols=100)
        terminal.wait(SCREEN)
        begin_work(terminal)
        terminal.wait(SCREEN, lambda data: b"working on f" in data)
        disk.wait_begun(before + 1)
        command.ping()  # it was answered after the one who waits would have been
        watcher.ping()
        assert not [k for k, _, _ in command.seen if k == REPLY] and not [k for k, _, _ in watcher.seen if k in (STATE, EVENT)]
        assert state_file(handler, ident)["state"] == "idle"
        disk.release()
        assert command.wait(REPLY)["state"] == state_file(handler, ident)["state"] == "working"
        watcher.wait(STATE, lambda s: s["state"] == "working")
        opens(handler, "f")


def test_what_changes_during_a_write_is_written_once(held):
    handler, ident, disk = held
    with Client(handler, ident) as terminal, Client(handler, ident, kind="command") as command:
        command.request("wait", states=["done"], turn=1)
        command.ping()
        disk.hold()
        before = disk.writes()
        begin_work(terminal)
        disk.wait_begun(before + 1)
        opens(handler, "f")
        terminal.wait(STATE, lambda s: s["state"] == "done")
        for i in range(20):  # each of them is told, and written down
            terminal.ask("note", text="note %d" % i)
        assert disk.writes() == before + 1
        command.ping()
        assert not [k for k, _, _ in command.seen if k == REPLY]
        disk.release()
        assert command.wait(REPLY)["state"] == "done"
        state = state_file(handler, ident)
        assert state["state"] == "done" and state["note"]["text"] == "note 19" and disk.writes() == before + 2


@pytest.mark.parametrize("way", ["stop", "end", "restart"])
def test_the_last_state_is_there_before_anybody_hears_of_the_end(held, way):
    handler, ident, disk = held
    expected = {"stop": "stopped", "end": "crashed", "restart": "working"}[way]
    with Client(handler, ident) as terminal:
        disk.hold()
        before = disk.writes()
        begin_work(terminal)
        disk.wait_begun(before + 1)
        if way == "stop":
            process = background(handler, "stop", ident)
        elif way == "end":
            process = background(handler, "wait", ident, "--for", "done")
            os.kill(handler.record(ident)["leader"], signal.SIGUSR1)
        else:
            process = background(handler, "restart-workers", ident)
        if way != "restart":
            terminal.wait(STATE, lambda s: s["state"] == expected)
        assert state_file(handler, ident)["state"] == "idle"
        disk.release()
        out, err = process.communicate(timeout=60)
        assert process.returncode == (1 if way == "end" else 0), (out, err)
        state = state_file(handler, ident)
        assert state["state"] == expected, state
        opens(handler, "f")


def test_a_worker_that_is_killed_while_it_writes_leaves_a_whole_file(held):
    handler, ident, disk = held
    with Client(handler, ident) as terminal:
        disk.hold()
        before = disk.writes()
        begin_work(terminal)
        disk.wait_begun(before + 1)
        worker = handler.process_named("worker", ident)
        os.kill(worker, signal.SIGKILL)
        assert state_file(handler, ident)["state"] == "idle"
        disk.wait_begun(before + 2)  # of the next one, which knows what the file does not say
        assert state_file(handler, ident)["state"] == "idle"
        disk.release()
        wait_until(lambda: state_file(handler, ident)["state"] == "working", "the next one writes it", dump=handler.dump)
        assert state_file(handler, ident)["worker"] == handler.process_named("worker", ident) != worker
        opens(handler, "f")


# -- any disk ------------------------------------------------------------------------------------------------------

def test_what_was_waited_for_stands_in_the_record(handler):
    """A hundred turns: whoever waited for one finds it in state.json, at once."""
    write_composer(handler, "paste")
    ident = handler.new("stub")
    handler.wait_state(ident, "idle")
    for turn in range(1, 101):
        handler.ok("keys", ident, "x", "Enter")
        told = json.loads(handler.ok("wait", ident, "--turn", turn, "--json"))
        state = state_file(handler, ident)
        assert told["turn"] == turn and state["turn"] == turn and state["state"] == told["state"] == "done", (told, state)


def test_what_a_watcher_hears_stands_in_the_record(handler):
    write_composer(handler, "paste")
    ident = handler.new("stub")
    handler.wait_state(ident, "idle")
    with Client(handler, ident, kind="watcher") as watcher, Client(handler, ident) as terminal:
        for turn in range(1, 101):
            for key, code in (("x", ord("x")), ("\r", 13)):
                terminal.key(key, code=code)
            watcher.wait(STATE, lambda s: s["turn"] == turn and s["state"] == "done")
            state = state_file(handler, ident)
            assert (state["turn"], state["state"]) == (turn, "done"), state
