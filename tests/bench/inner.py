#!/usr/bin/python3
"""What runs in a pane where a shell's words do not suffice.

  inner.py print FILE READY DONE         shows READY (octal), waits for a carriage return, writes FILE, shows DONE
  inner.py frames FILE RATE READY DONE   shows READY (octal), waits for a carriage return, writes one frame of FILE after the other,
                                         RATE a second, shows DONE
  inner.py burst FOLDER NUMBER FILE      says ready.NUMBER in FOLDER, waits until somebody opens the FIFO `go` there for writing, writes
                                         FILE, asks for the cursor's place, and on the answer, when all of it was parsed, says done.NUMBER
"""
import os
import sys
import time
import tty

import workloads


def put(data):
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(1, rest):]


def wait_for(byte):
    while os.read(0, 1) != byte:
        pass


def say(path):
    """The file appears at once with the time in it."""
    with open(path + ".part", "w") as f:
        f.write("%r" % time.monotonic())
    os.rename(path + ".part", path)


def marker(octal):
    return bytes(int(digits, 8) for digits in octal.split("\\")[1:])


def print_file(path, ready, done):
    with open(path, "rb") as f:
        data = f.read()
    put(b"\x1b[2J\x1b[H" + marker(ready))
    wait_for(b"\r")
    put(data)
    put(b"\x1b[0m\r\n" + marker(done))


def frames(path, rate, ready, done):
    with open(path, "rb") as f:
        parts = f.read().split(workloads.FRAME_END)[:-1]
    put(b"\x1b[2J\x1b[H" + marker(ready))
    wait_for(b"\r")
    due = time.monotonic()
    for part in parts:
        put(part + workloads.FRAME_END)
        due += 1.0 / float(rate)
        time.sleep(max(0.0, due - time.monotonic()))
    put(b"\x1b[0m\r\n" + marker(done))


def burst(folder, number, path):
    with open(path, "rb") as f:
        data = f.read()
    say(os.path.join(folder, "ready." + number))
    go = os.open(os.path.join(folder, "go"), os.O_RDONLY)
    put(data + b"\x1b[0m\x1b[6n")
    wait_for(b"R")
    say(os.path.join(folder, "done." + number))
    os.close(go)


def main():
    tty.setraw(0)
    {"print": print_file, "frames": frames, "burst": burst}[sys.argv[1]](*sys.argv[2:])
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
