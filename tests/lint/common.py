"""What the checks share: the files of the tree, the layers as the Makefile states them, how a fault is reported."""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIP_STATUS = 77


def files(*patterns):
    """Files of the tree that git knows or would add, as paths below ROOT, that match one of the regular expressions."""
    argv = ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"]
    try:
        names = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):  # a tree that was unpacked from an archive
        names = []
        for folder, folders, found in os.walk(ROOT):
            folders[:] = [f for f in folders if f not in (".git", "build", "__pycache__")]
            names += [os.path.relpath(os.path.join(folder, f), ROOT) for f in found]
    chosen = sorted(set(n for n in names if not patterns or any(re.search(p, n) for p in patterns)))
    return [n for n in chosen if os.path.isfile(os.path.join(ROOT, n))]


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8", errors="replace") as f:
        return f.read()


def layer_of(name):
    """The layer that a source file belongs to, or None."""
    m = re.match(r"(?:src/(\w+)|(ui))/", name)
    return m and (m.group(1) or m.group(2))


def links():
    """{layer: layers it may use}, in the order of the layers, from the Makefile."""
    makefile = read("Makefile")
    order = re.search(r"^LAYERS\s*:=\s*(.*)$", makefile, re.M).group(1).split()
    stated = {m.group(1): m.group(2).split() for m in re.finditer(r"^LINK_(\w+)\s*:=\s*(.*)$", makefile, re.M)}
    return {layer: stated[layer] for layer in order}


def skip(reason):
    print(reason)
    sys.exit(SKIP_STATUS)


def finish(faults):
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)
