"""A worker that is killed at any moment is succeeded by one that shows the same: cell for cell, row for row of history."""
import json
import os
import random
import signal

from lib.wait import wait_until

# Output of all kinds, the same each time: colours, wide and combined characters, regions, an alternate screen in
# between, a footer that is drawn again, sequences that are cut anywhere by the size of the writes.
PROGRAM = r'''
import os, random, sys
r = random.Random(int(sys.argv[1]))
def text():
    return "".join(r.choice(["a", "word ", "\u00e9", "e\u0301", "\u6f22", "\U0001f469\u200d\U0001f4bb", "-", "12 "]) for _ in range(r.randrange(1, 30)))
out = []
for i in range(int(sys.argv[2])):
    kind = r.randrange(9)
    if kind < 5:
        out.append("\033[38;2;%d;%d;%dm%06d %s\033[0m\r\n" % (r.randrange(256), r.randrange(256), r.randrange(256), i, text()))
    elif kind == 5:
        out.append("\033[4:3;58:2::%d:0:0m%s\033[m\033[K\r\n" % (r.randrange(256), text()))
    elif kind == 6:
        out.append("\033[?2026h\033[2A\033[J%s\r\nfooter %d\r\n\033[?2026l" % (text(), i))
    elif kind == 7:
        out.append("\0337\033[3;10r\033[10;1H\n%s\033[r\0338" % text())
    else:
        out.append("\033[?1049h\033[2J\033[H%s\033[?1049l\033]8;;http://example.org/%d\033\\link\033]8;;\033\\\r\n" % (text(), i))
data = ("".join(out) + "\033[0mEND\r\n").encode()
while data:
    n = os.write(1, data[:r.randrange(1, 4000)])
    data = data[n:]
sys.stdin.read()
'''


def start(handler, seed, count):
    path = os.path.join(handler.work, "program.py")
    with open(path, "w") as f:
        f.write(PROGRAM)
    return handler.new("shell", "--size", "80x24", "--", "-c",
                       "stty raw -echo; exec /usr/bin/python3 %s %d %d" % (path, seed, count))


def everything(handler, ident):
    """All rows with their styles, the cursor and the modes."""
    whole = handler.json("capture", ident, "--history", "all")
    return {k: v for k, v in whole.items() if k != "id"}


def ended(handler, ident):
    handler.ok("wait", ident, "--for", "text=^END", "--timeout", "60")
    return everything(handler, ident)


def test_kills_at_random_moments_change_nothing(handler):
    r = random.Random(7)
    for seed in range(3):
        undisturbed = ended(handler, start(handler, seed, 20000))
        ident = start(handler, seed, 20000)
        kills = 0
        while True:
            pid = handler.process_named("worker", ident)
            done = handler.run("wait", ident, "--for", "text=^END", "--timeout", "%.3f" % r.uniform(0.01, 0.08)).code == 0
            if done and kills >= 3:
                break
            if pid:
                os.kill(pid, signal.SIGKILL)
                kills += 1
                wait_until(lambda: handler.process_named("worker", ident) not in (None, pid), "a new worker",
                           dump=handler.dump)
        assert json.dumps(ended(handler, ident), indent=1) == json.dumps(undisturbed, indent=1), \
            "seed %d, %d kills" % (seed, kills)
        handler.ok("stop", ident, "--grace", "0")


def test_a_resize_and_a_kill(handler):
    """Changes of size are part of what is fed again."""
    both = []
    for disturbed in (False, True):
        ident = start(handler, 5, 2000)
        ended(handler, ident)
        handler.ok("resize", ident, "61x17")
        handler.ok("resize", ident, "100x30")
        if disturbed:
            pid = handler.process_named("worker", ident)
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda: handler.process_named("worker", ident) not in (None, pid), "a new worker", dump=handler.dump)
        both.append(everything(handler, ident))
    assert both[0] == both[1]
