"""Programs that stand in for agents: scripts that are told what to do by files, and say what happened to them in files."""
import json
import os
import textwrap

from lib.wait import wait_until

PYTHON = "/usr/bin/python3"

# What the scripts of tests share: waiting for files, staying, writing down what they read and who they are.
HELPERS = r'''
import os, random, select, signal, subprocess, sys, termios, time, tty
def pause(seconds): time.sleep(seconds)
def gate(*names):
    """Goes on once there are files of these names."""
    while not all(os.path.exists(n) for n in names): pause(0.005)
def stay():
    while True: pause(1000)
def put(s):
    data = s if isinstance(s, bytes) else s.encode()
    while data: data = data[os.write(1, data):]
def log(data, name="log"):
    with open(name, "ab", buffering=0) as f: f.write(data)
def note(name):
    """Writes the own pid down."""
    with open(name + ".new", "w") as f: f.write(str(os.getpid()))
    os.rename(name + ".new", name)
def deaf():
    for s in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE): signal.signal(s, signal.SIG_IGN)
def child(what, name):
    """Forks; the child does `what`, writes its pid down and stays."""
    if os.fork() == 0:
        what()
        note(name)
        stay()
def daemon():
    """Away by the book: two forks, a session of its own, no terminal, deaf."""
    if os.fork(): os._exit(0)
    os.setsid()
    if os.fork(): os._exit(0)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2): os.dup2(null, fd)
    deaf()
'''

# Writes down with what it was started, and lives until its terminal is gone or it is told to end.
DUMP = r'''
import json, os, sys
out = {"argv": sys.argv, "env": dict(os.environ), "cwd": os.getcwd(), "files": {}, "stdin": None}
def note(path):
    if os.path.isfile(path):
        with open(path, "rb") as f:
            out["files"][path] = {"hex": f.read().hex(), "mode": os.stat(path).st_mode & 0o7777}
    elif os.path.isdir(path) and "/handler/" in path:
        for folder, _, names in os.walk(path):
            for name in names:
                note(os.path.join(folder, name))
for word in sys.argv[1:] + list(os.environ.values()):
    for part in [word] + word.split("=")[1:] + word.replace('"', " ").split():
        if part.startswith("/"):
            note(part)
if not sys.stdin.isatty():
    out["stdin"] = sys.stdin.read()
new = "@OUT@.%d" % os.getpid()  # it may be asked for its version at the same time
with open(new, "w") as f:
    json.dump(out, f)
os.rename(new, "@OUT@")
print("READY", flush=True)
if sys.stdin.isatty():
    sys.stdin.readline()
'''

# A composer as agents have them: raw mode, its text shown, Enter submits, OSC 7501 tells the state.  Each submitted text is
# a line of JSON in a file.  What it does then, its first word says.
COMPOSER = r'''
import json, os, re, select, sys, termios, time, tty
options = set(sys.argv[1:])
tty.setraw(0, termios.TCSANOW)
text, inside, log, pasted = "", False, open("@OUT@", "a", buffering=1), 0
def put(s):
    os.write(1, s.encode())
def state(s, kind=None, msg=None):
    import base64
    body = "state=%s:app=stub" % s
    if kind: body += ":kind=" + kind
    if msg: body += ":msg=" + base64.b64encode(msg.encode()).decode()
    put("\x1b]7501;%s\x1b\\" % body)
def draw():
    put("\r\x1b[J> " + text.replace("\n", "\r\n  "))
def say(line):
    put("\r\x1b[J" + line + "\r\n")
def submit(t):
    global text
    log.write(json.dumps({"text": t, "pastes": pasted}) + "\n")
    text = ""
    say("you: " + t.replace("\n", "\\n")[:60])
    word = t.split()[0] if t.split() else ""
    if word == "work":       # works until its file appears
        state("working")
        name = t.split()[1]
        say("working on " + name)
        while not os.path.exists(name): time.sleep(0.01)
        say("finished " + name)
        state("done")
    elif word == "ask":      # a question, answered by one key
        state("working")
        state("blocked", "permission", "approve Bash: rm -rf build")
        say("1. Yes 2. No")
        answer = os.read(0, 64).decode()
        log.write(json.dumps({"answer": answer}) + "\n")
        say("answered " + repr(answer))
        state("done")
    elif word == "exit":
        sys.exit(int(t.split()[1]))
    elif word == "/help":    # no turn
        say("no help")
    elif "mute" not in options:
        state("working"); say("quickly"); state("done")
    draw()
if "paste" in options: put("\x1b[?2004h")
say("composer ready")
if "dialog" in options:
    state("blocked", "question", "trust this folder?")
    say("trust? 1. Yes 2. No")
    log.write(json.dumps({"answer": os.read(0, 64).decode()}) + "\n")
if "mute" not in options: state("idle")
draw()
if "late" in options:      # asks for the frame of a paste some time after it says that it is ready
    while not os.path.exists("frames"): time.sleep(0.01)
    put("\x1b[?2004h")
buffer = b""
while True:
    data = os.read(0, 65536)
    if not data: break
    buffer += data
    while buffer:
        if buffer.startswith(b"\x1b[200~"): inside = True; pasted += 1; buffer = buffer[6:]; continue
        if buffer.startswith(b"\x1b[201~"):
            inside, buffer = False, buffer[6:]
            if "nervous" in options:  # asks something as soon as a text was pasted
                draw()
                state("blocked", "question", "really?")
                log.write(json.dumps({"answer": os.read(0, 64).decode()}) + "\n")
                state("idle")
            continue
        if buffer[:1] == b"\x1b" and len(buffer) < 6 and b"\x1b[20".startswith(buffer[:4]): break
        n = 1
        while n < len(buffer) and buffer[n] & 0xc0 == 0x80: n += 1
        c, buffer = buffer[:n], buffer[n:]
        if c == b"\r" and not inside:
            if "deaf" in options: continue
            submit(text)
        elif c in (b"\r", b"\n"): text += "\n"
        elif c == b"\x15": text = ""
        elif c == b"\x7f": text = text[:-1]
        elif c == b"\x03": sys.exit(0)
        elif c >= b" " or c == b"\t": text += c.decode(errors="replace")
    if "blind" not in options: draw()
'''


def write_dump(handler, name):
    """A program `name` on the PATH of the user; returns the path of what it writes."""
    out = os.path.join(handler.base, "dump-" + name)
    handler.write_program(name, "#!%s\n%s" % (PYTHON, DUMP.replace("@OUT@", out)))
    return out


def read_dump(path):
    wait_until(lambda: os.path.exists(path), "the stand-in has written %s" % path)
    with open(path) as f:
        return json.load(f)


def file_of(dump, name):
    """(bytes, mode) of the one file that the stand-in was pointed to and whose path ends so."""
    found = [v for k, v in dump["files"].items() if k.endswith(name)]
    assert len(found) == 1, list(dump["files"])
    return bytes.fromhex(found[0]["hex"]), found[0]["mode"]


def write_composer(handler, *options, name="stub"):
    """An agent `name` whose harness tells its state by OSC 7501; returns the path of what was submitted to it."""
    out = os.path.join(handler.base, "submitted-" + name)
    open(out, "w").close()
    handler.write_program(name + "-agent", "#!%s\n%s" % (PYTHON, COMPOSER.replace("@OUT@", out)))
    handler.write_harness(name, format=1, name=name, title=name.capitalize(), description="a stand-in", command=name + "-agent", args=list(options),
                          interactive={"instructions": {"way": "refuse", "reason": "It is a stand-in.", "instead": "Nothing."},
                                       "prompt": {"way": "typed"}},
                          conversation={"id": "none"}, status={"osc7501": "mute" not in options})
    return out


def submitted(path):
    """What the composer was given, and the answers to its questions."""
    with open(path) as f:
        return [json.loads(line) for line in f if line.endswith("\n")]


def wait_submitted(path, count):
    return wait_until(lambda: len(submitted(path)) >= count and submitted(path), "%d submissions in %s" % (count, path))


def write_script(handler, name, text):
    """An agent of the harness `shell` that runs a Python program of the test's own, after HELPERS."""
    program = handler.write_program(name + "-script", "#!%s\n%s\n%s" % (PYTHON, HELPERS, textwrap.dedent(text)))
    handler.write_agent(name, harness="shell", args=["-c", "exec " + program])
    return program


def script(handler, name, text, *args):
    """Starts a session with such a program."""
    write_script(handler, name, text)
    return handler.new(name, *args)


def opens(handler, name):
    """Lets a script go on that waits at gate(name)."""
    open(os.path.join(handler.work, name), "w").close()


def log_of(handler, name="log"):
    """What a script has given to log()."""
    path = os.path.join(handler.work, name)
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as f:
        return f.read()


def pid_in(handler, name):
    """The pid of who has called note(name) in a script."""
    path = os.path.join(handler.work, name)
    wait_until(lambda: os.path.exists(path), "process %s has noted its pid" % name)
    with open(path) as f:
        return int(f.read())
