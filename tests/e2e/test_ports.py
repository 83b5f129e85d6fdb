"""Ports that sessions hold: in arguments and variables, one session each, free when the session is gone, and its own."""
import json
import os
import re
import signal
import socket
import subprocess

import pytest

from lib.wait import wait_until
from standins import log_of, opens, pid_in, write_script

# A server as most are: SO_REUSEADDR, one address.
SERVE = """
    import socket
    gate("serve")
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    port = int(os.environ["HANDLER_PORT"])
    try:
        s.bind(("127.0.0.1", port)); s.listen(); put("serving %d\\r\\n" % port)
    except OSError as e: put("cannot serve: %s\\r\\n" % e.strerror)
    note("server")
    stay()
"""


def listen(port):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("127.0.0.1", port))
    s.listen()
    return s


def leased(port):
    """Whether somebody holds the port: who does not say SO_REUSEADDR cannot have it."""
    with socket.socket() as s:
        try:
            s.bind(("0.0.0.0", port))
        except OSError:
            return True
    return False


def with_far_port(handler, agent):
    """A session whose port is from the end of the range: the lowest ones are anybody's as soon as they are free."""
    ident = handler.new(agent)
    handler.ok("stop", ident)
    path = os.path.join(handler.session_folder(ident), "session.json")
    with open(path, encoding="utf-8") as f:
        record = json.load(f)
    port = record["settings"]["port"] = next(p for p in range(23999, 23000, -1) if not leased(p))
    handler.write_json(path, record)
    handler.ok("resume", ident)
    assert ports_of(handler, ident)[0] == port
    return ident, port


def ports_of(handler, ident):
    session = handler.session(ident)
    return session["port"], session["ports"]


def test_every_session_has_a_port(handler):
    a, b = handler.new("shell"), handler.new("shell")
    one, two = ports_of(handler, a)[0], ports_of(handler, b)[0]
    assert one != two and leased(one) and leased(two)
    handler.wait_state(a, "idle")
    handler.ok("keys", a, *"echo port=$HANDLER_PORT".split(" ", 1)[0], "Space", *"port=$HANDLER_PORT", "Enter")
    handler.wait_capture(a, "port=%d" % one)


def test_ports_in_arguments_and_variables(handler):
    handler.write_agent("dev", harness="shell", args=["-c", "echo $URL ${port:web} $HANDLER_PORT '$${port}' ${HOME}; exec sleep 1000"],
                        env={"URL": "http://localhost:${port:api}/${port}"})
    ident = handler.new("dev")
    port, named = ports_of(handler, ident)
    assert sorted(named) == ["api", "web"] and len({port, *named.values()}) == 3
    handler.wait_capture(ident, "http://localhost:%d/%d %d %d ${port} %s" % (named["api"], port, named["web"], port, handler.home))


def test_a_name_that_is_none(handler):
    path = handler.write_agent("dev", harness="shell", args=["-c", "x ${port:Web}"])
    error = handler.run("new", "dev", "--json", check=1).error()
    assert error["code"] == "invalid-file" and '"Web"' in error["message"] and os.path.basename(path) in error["message"]


def test_a_port_in_what_is_shown_stays_a_name(handler):
    handler.write_agent("dev", harness="shell", args=["-c", "serve ${port:web}"])
    assert "${port:web}" in handler.ok("agent", "show", "dev")


def test_the_sessions_program_listens_on_it(handler):
    write_script(handler, "dev", SERVE)
    ident = handler.new("dev")
    port = ports_of(handler, ident)[0]
    opens(handler, "serve")
    handler.wait_capture(ident, "serving %d" % port)
    with socket.create_connection(("127.0.0.1", port), timeout=10):
        pass
    assert handler.session(ident)["fault"] is None


def test_a_listener_from_outside_is_a_fault_that_is_shown(handler):
    write_script(handler, "dev", SERVE)
    ident = handler.new("dev", "-n", "server")
    port = ports_of(handler, ident)[0]
    outside = listen(port)
    opens(handler, "serve")
    handler.wait_capture(ident, "cannot serve: Address already in use")
    fault = wait_until(lambda: handler.session(ident)["fault"], "the fault is told")
    assert str(port) in fault and "process %d" % os.getpid() in fault and "not of this session" in fault
    assert str(port) in handler.ok("ls")
    terminal = handler.terminal("attach", ident)
    terminal.wait_for("port %d" % port)
    outside.close()
    # the program goes on and tells it: another rest, another look
    handler.ok("keys", ident, "x")
    wait_until(lambda: handler.session(ident)["fault"] is None, "the fault is over")


@pytest.mark.parametrize("how", ["stop", "exit", "kill"])
def test_a_port_is_free_once_its_session_is_gone(handler, how):
    write_script(handler, "dev", SERVE)
    ident, port = with_far_port(handler, "dev")
    opens(handler, "serve")
    server = pid_in(handler, "server")
    assert leased(port)
    if how == "stop":
        handler.ok("stop", ident)
    elif how == "exit":
        os.kill(server, signal.SIGTERM)
        wait_until(lambda: not handler.session(ident)["live"], "the session has ended")
    else:
        keeper, worker = handler.process_named("keeper", ident), handler.process_named("worker", ident)
        for pid in (keeper, worker):
            os.kill(pid, signal.SIGSTOP)
        for pid in (server, worker, keeper):
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not leased(port), "the port is free")


def test_a_killed_keeper_frees_the_port(handler):
    ident, port = with_far_port(handler, "shell")
    os.kill(handler.process_named("keeper", ident), signal.SIGKILL)
    wait_until(lambda: handler.state(ident) == "lost", "the session is lost")
    wait_until(lambda: not leased(port), "the port is free")


def test_a_worker_that_dies_changes_nothing(handler):
    ident = handler.new("shell")
    port = ports_of(handler, ident)[0]
    worker = handler.process_named("worker", ident)
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: handler.process_named("worker", ident) not in (None, worker), "another worker is there")
    assert leased(port)


def sockets_of(pid):
    found = []
    for fd in os.listdir("/proc/%d/fd" % pid):
        try:
            found.append(os.readlink("/proc/%d/fd/%s" % (pid, fd)))
        except OSError:
            pass
    return [f for f in found if "/ports/" in f]


def test_nobody_but_the_keeper_holds_the_lease(handler):
    ident = handler.new("shell")
    assert len(sockets_of(handler.process_named("keeper", ident))) == 1
    assert sockets_of(handler.process_named("worker", ident)) == []
    assert sockets_of(handler.record(ident)["leader"]) == []


def test_a_resumed_session_has_its_port_again(handler):
    ident, port = with_far_port(handler, "shell")
    handler.ok("stop", ident)
    handler.ok("resume", ident)
    assert ports_of(handler, ident)[0] == port


def test_many_starts_at_once_get_ports_of_their_own(handler):
    starts = [subprocess.Popen([handler.binary, "new", "shell"], env=handler.environment(), cwd=handler.work, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True) for _ in range(8)]
    idents = [p.communicate(timeout=120)[0].strip() for p in starts]
    assert len({ports_of(handler, i)[0] for i in idents}) == 8


def test_a_headless_turn_has_one_too(handler):
    handler.write_program("one-turn", "#!/bin/sh\necho port=$HANDLER_PORT arg=$1\n")
    handler.write_harness("turn", format=1, name="turn", title="Turn", description="a stand-in", command="one-turn", status={},
                          interactive={"instructions": {"way": "refuse", "reason": "R.", "instead": "I."}, "prompt": {"way": "typed"}},
                          headless={"instructions": {"way": "refuse", "reason": "R.", "instead": "I."}, "prompt": {"way": "stdin"}})
    handler.write_agent("t", harness="turn", args=["${port}"])
    m = re.fullmatch(r"port=(\d+) arg=(\d+)\n", handler.ok("run", "t", "x"))
    assert m and m.group(1) == m.group(2)
