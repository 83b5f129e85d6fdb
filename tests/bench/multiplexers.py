"""How each multiplexer is told to run programs: one class each.

start(front, back, shown, beside, folder) -> (argv, environment) for the outer terminal.
front: the shell script that is shown and has the focus; back: those of further sessions, shown beside it in a tiling
or not shown at all.  beside: something narrow stands to its left, handler's sidebar or a pane.  folder: an empty one
for sockets and configuration.
"""
import json
import os
import shlex

HISTORY = 10000
BESIDE = 27     # columns, about those of the sidebar


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    return path


class Tmux:
    name, executables = "tmux", ("tmux",)

    def start(self, front, back, shown, beside, folder):
        conf = write(os.path.join(folder, "tmux.conf"), "set -g history-limit %d\nset -g default-terminal tmux-256color\n"
                     "set -as terminal-features ',xterm-256color:RGB'\nset -s escape-time 0\n" % HISTORY)
        argv = ["tmux", "-S", os.path.join(folder, "socket"), "-f", conf, "new-session", "sh", "-c", front]
        if beside:
            argv += [";", "split-window", "-h", "-b", "-d", "-l", str(BESIDE), "exec cat"]
        for script in back:
            argv += [";", "split-window" if shown else "new-window", "-d", "sh", "-c", script]
            argv += [";", "select-layout", "tiled"] if shown else []
        return argv, {}


class Handler:
    name, executables = "handler", ("handler",)

    def __init__(self, binary):
        self.binary = os.path.abspath(binary)

    def start(self, front, back, shown, beside, folder):
        config = os.path.join(folder, "config")
        write(os.path.join(config, "handler", "config.json"), json.dumps({"history_lines": HISTORY, "sidebar": "full" if beside else "off"}))
        names = []
        for n, script in enumerate([front] + list(back)):
            names.append("bench-%d" % n)
            write(os.path.join(config, "handler", "agents", names[-1] + ".json"),
                  json.dumps({"harness": "shell", "args": ["-c", script]}))
        exe = shlex.quote(self.binary)
        if shown and back:
            script = "exec %s terminal --new --layout tiled %s" % (exe, " ".join(names))
        else:
            script = "".join("%s new %s >/dev/null && " % (exe, n) for n in names[1:])
            script += "exec %s terminal --new %s" % (exe, names[0])
        for name in ("state", "run"):
            os.makedirs(os.path.join(folder, name), mode=0o700, exist_ok=True)
        return ["sh", "-c", script], {
            "XDG_CONFIG_HOME": config, "XDG_STATE_HOME": os.path.join(folder, "state"),
            "XDG_RUNTIME_DIR": os.path.join(folder, "run")}
