"""Looking at processes, and ending those that a test has left behind.

A process belongs to a test by a variable of its environment.  A zombie counts as ended: who reaps it is not the test's
affair (pid 1 of a container may take its time).
"""
import os
import signal


def environ_of(pid):
    try:
        with open("/proc/%d/environ" % pid, "rb") as f:
            return f.read().split(b"\0")
    except OSError:
        return []


def state_of(pid):
    """The state letter of a process ('R', 'S', 'Z' ...), or None if there is none."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as f:
            return chr(f.read().rpartition(b")")[2].split()[0][0])
    except (OSError, IndexError):
        return None


def is_alive(pid):
    return state_of(pid) not in (None, "Z", "X")


def command_of(pid):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as f:
            return f.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def with_variable(name, value):
    """Pids of living processes that have NAME=value in their environment, without this one."""
    wanted = ("%s=%s" % (name, value)).encode()
    pids = [int(p) for p in os.listdir("/proc") if p.isdigit()]
    return [p for p in pids if p != os.getpid() and wanted in environ_of(p) and is_alive(p)]


def memory_of(pid):
    """PSS in kB."""
    with open("/proc/%d/smaps_rollup" % pid) as f:
        return next(int(line.split()[1]) for line in f if line.startswith("Pss:"))


def children_of(pid):
    """Pids of the direct children, of every thread."""
    out = []
    try:
        for task in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/children" % (pid, task)) as f:
                out += [int(p) for p in f.read().split()]
    except OSError:
        pass
    return out


def descendants_of(pid):
    out, todo = [], [pid]
    while todo:
        found = children_of(todo.pop())
        out += found
        todo += found
    return out


def end(pid):
    """SIGKILL through a pidfd, if the process is still there."""
    try:
        fd = os.pidfd_open(pid)
    except OSError:
        return
    try:
        signal.pidfd_send_signal(fd, signal.SIGKILL)
    except OSError:
        pass
    finally:
        os.close(fd)


def end_all(name, value):
    """Ends all processes that carry the variable; returns "PID COMMAND" of each that was there."""
    found = {}
    for _ in range(20):
        pids = with_variable(name, value)
        if not pids:
            break
        for pid in pids:
            found.setdefault(pid, command_of(pid))
            end(pid)
    return ["%d %s" % item for item in found.items()]
