"""The journal: what was on screen, with times, on disk; bounded, private, never in the way; read after everything was killed."""
import json
import os
import re
import signal
import stat
import struct
import subprocess

import pytest

from lib import processes
from lib.wait import wait_until
from standins import opens, script, write_script

START, SCREEN, STATE, GAP = 1, 2, 3, 4


def folder(handler, ident):
    return os.path.join(handler.session_folder(ident), "journal")


def segments(handler, ident):
    place = folder(handler, ident)
    return sorted(os.path.join(place, n) for n in os.listdir(place)) if os.path.isdir(place) else []


def read(path):
    """The records of a segment (src/client/journal.h), read independently: [(type, flags, ms, payload)]."""
    with open(path, "rb") as f:
        data = f.read()
    if not data:  # it is being made
        return []
    magic, version, size, _, _ = struct.unpack_from("<8sIIQQ", data)
    assert magic == b"hndrjrnl" and version == 1
    records, at = [], size
    while at < len(data):
        length, kind, flags, ms, checksum = struct.unpack_from("<IHHQI", data, at)
        payload = data[at + 20:at + 20 + length]
        assert len(payload) == length, "a torn record"
        total = 2166136261
        for byte in data[at:at + 16] + payload:
            total = (total ^ byte) * 16777619 & 0xffffffff
        assert total == checksum
        records.append((kind, flags, ms, payload))
        at += 20 + length
    return records


def records(handler, ident):
    return [r for path in segments(handler, ident) for r in read(path)]


def kill_all(handler, ident):
    """What a restart of the machine does to a session: everything gone at once, nobody writes anything down."""
    keeper, worker = handler.process_named("keeper", ident), handler.process_named("worker", ident)
    leader = handler.record(ident)["leader"]
    for pid in (keeper, worker):
        os.kill(pid, signal.SIGSTOP)
    for pid in (leader, keeper, worker):  # the leader's terminal goes with the keeper: it would end on its own
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not any(processes.is_alive(p) for p in (keeper, worker, leader)), "all are gone", dump=handler.dump)
    handler.wait_state(ident, "lost")


def wait_written(handler, ident, what):
    """Until a segment holds the text: what rests is written."""
    wait_until(lambda: any(what in r[3] for r in records(handler, ident)), "%r is in the journal" % what, dump=handler.dump)


def test_it_is_private_and_begins_whole(handler):
    ident = script(handler, "agent", 'put("first thing"); input()')
    wait_written(handler, ident, b"first thing")
    assert stat.S_IMODE(os.stat(folder(handler, ident)).st_mode) == 0o700
    path, = segments(handler, ident)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    found = read(path)
    assert found[0][0] == START and json.loads(found[0][3])["id"] == ident
    assert [r[2] for r in found] == sorted(r[2] for r in found)
    session = handler.session(ident)
    assert session["journal"] == "on" and session["journal_error"] is None
    handler.ok("keys", ident, "Enter")
    handler.wait_state(ident, "exited")
    wait_until(lambda: not handler.session(ident)["live"], "the keeper is gone")
    states = [json.loads(r[3])["state"] for r in records(handler, ident) if r[0] == STATE]
    assert states[-1] == "exited"
    assert b"[exited with status 0]" in records(handler, ident)[-1][3]


@pytest.mark.parametrize("how", ["agent", "configuration"])
def test_it_can_be_switched_off(handler, how):
    if how == "configuration":
        handler.write_config(journal=False)
    handler.write_agent("quiet", harness="shell", args=["-c", "echo shown; read x"], **({"journal": False} if how == "agent" else {}))
    ident = handler.new("quiet")
    handler.wait_capture(ident, "shown")
    assert handler.session(ident)["journal"] == "off"
    handler.ok("stop", ident)
    assert not os.path.exists(folder(handler, ident))
    assert "shown" in handler.capture(ident)


def test_the_last_screen_survives_the_death_of_everything(handler):
    ident = script(handler, "agent", r'''
for i in range(60): put("line %d\r\n" % i)
put("\x1b[31mat the end\x1b[0m"); gate("rest"); input()''')
    handler.wait_capture(ident, "at the end")
    wait_written(handler, ident, b"at the end")
    before = {how: handler.capture(ident, *how) for how in ((), ("--history", "all"), ("--ansi",))}
    kill_all(handler, ident)
    assert {how: handler.capture(ident, *how) for how in before} == before
    numbers = [int(line.split()[1]) for line in before["--history", "all"].splitlines() if line.startswith("line")]
    assert numbers == list(range(60))


def test_a_journal_that_breaks_off_anywhere_is_read_up_to_there(handler):
    """The power failed: of the last segment any number of bytes may be on the disk.  (Each of them: tests/unit/client_journal.c.)"""
    ident = script(handler, "steps", r'''
for i in range(4):
    put("step %d\r\n" % i)
    gate("on%d" % i)
input()''')
    for i in range(4):
        handler.wait_capture(ident, "step %d" % i)
        wait_written(handler, ident, b"step %d" % i)
        if i < 3:
            opens(handler, "on%d" % i)
    kill_all(handler, ident)
    last = segments(handler, ident)[-1]
    with open(last, "rb") as f:
        whole = f.read()
    ends, screens, at = [], [], 32
    while at < len(whole):
        length, kind = struct.unpack_from("<IH", whole, at)
        at += 20 + length
        ends.append(at)
        screens += [at] if kind == SCREEN else []
    cuts = sorted({0, 1, 31, 32, 33} | {e + d for e in ends for d in (-1, 0, 1) if e + d <= len(whole)})
    shown = []
    for cut in cuts:
        for tail in (b"", bytes(100)):  # what was not written yet may be missing, or zeros
            data = whole[:cut] + tail
            with open(last, "wb") as f:
                f.write(data)
            result = handler.run("export", ident, "--format", "cast")
            known = sum(data[:e] == whole[:e] for e in screens)
            assert result.code == (0 if known else 1), (cut, result.err)
            if data not in [whole[:e] for e in [0, 32] + ends]:
                assert re.search("(damaged|not whole)$", result.err.strip()), (cut, result.err)
            else:
                assert not known or result.err == "", (cut, result.err)
            if not tail:
                shown.append(len(set(re.findall(r"step \d", result.out))))
    assert shown == sorted(shown) and shown[-1] == 4
    with open(last, "wb") as f:
        f.write(whole[:ends[-1] - 1])
    handler.ok("resume", ident)
    handler.wait_capture(ident, "step 0")
    assert handler.session(ident)["live"]


def test_a_second_run_goes_on_in_a_segment_of_its_own(handler):
    ident = script(handler, "agent", 'put("run %d" % os.getpid()); input()')
    wait_written(handler, ident, b"run ")
    kill_all(handler, ident)
    old, = segments(handler, ident)
    with open(old, "r+b") as f:  # what a machine that lost its power leaves
        f.truncate(os.path.getsize(old) - 3)
    handler.ok("resume", ident)
    wait_until(lambda: len(segments(handler, ident)) == 2 and any(b"run " in r[3] for r in read(segments(handler, ident)[1])),
               "the second run writes", dump=handler.dump)


def test_a_worker_that_is_replaced_begins_a_segment(handler):
    ident = script(handler, "agent", 'put("before"); gate("later"); put(" after"); input()')
    wait_written(handler, ident, b"before")
    old = handler.process_named("worker", ident)
    os.kill(old, signal.SIGKILL)
    wait_until(lambda: handler.process_named("worker", ident) not in (None, old), "a new worker", dump=handler.dump)
    opens(handler, "later")
    handler.wait_capture(ident, "before after")
    wait_until(lambda: len(segments(handler, ident)) == 2, "a second segment", dump=handler.dump)
    wait_until(lambda: any(b"after" in r[3] for r in read(segments(handler, ident)[1])), "the rest is written", dump=handler.dump)


def test_a_flood_is_bounded_and_what_is_over_the_limit_goes_from_the_front(handler):
    """20 screens a second at most, few when they are large: the journal of 20 MiB of output is small, and 1 MiB stays 1 MiB."""
    handler.write_config(journal_limit=1, history_lines=100)
    ident = script(handler, "flood", r'''
row = 0
while not os.path.exists("enough"):
    put(b"".join(b"\x1b[%d;1H\x1b[38;2;%d;%d;%dm%s" % (r % 40 + 1, random.randrange(256), r % 256, row % 256, bytes(random.choices(range(33, 127), k=119)))
                 for r in range(400)))
    row += 1
put("\x1b[2J\x1b[HEND"); input()''')
    wait_until(lambda: segments(handler, ident) and not segments(handler, ident)[0].endswith("00000001"), "the first segment has gone",
               timeout=120, dump=handler.dump)
    assert sum(os.path.getsize(p) for p in segments(handler, ident)) <= (1 << 20) + (64 << 10)
    opens(handler, "enough")
    handler.wait_capture(ident, "END")
    wait_written(handler, ident, b"END")
    sizes = [os.path.getsize(p) for p in segments(handler, ident)]
    assert sum(sizes) <= (1 << 20) + (64 << 10) and len(sizes) > 2
    for path in segments(handler, ident):  # each of them can be the first
        kinds = [r[0] for r in read(path)]
        assert kinds[:3] == [START, STATE, SCREEN]


def test_a_new_part_of_a_running_journal_makes_room_for_all_of_them(handler):
    """Where all sessions together are over their limit, what one that runs adds takes the oldest part of those that ended."""
    handler.write_config(journal_limit=1, state_limit=16, history_lines=100)
    ended = handler.new("shell")
    handler.wait_state(ended, "idle")
    handler.ok("stop", ended)
    running = script(handler, "painter", r'''
while not os.path.exists("enough"):
    put(b"".join(b"\x1b[%d;1H\x1b[38;2;%d;%d;0m%s" % (r % 40 + 1, random.randrange(256), r % 256, bytes(random.choices(range(33, 127), k=119)))
                 for r in range(400)))
input()''')
    folder = os.path.join(handler.session_folder(ended), "journal")
    oldest = os.path.join(folder, "%08d" % 2)
    for number in range(2, 12):
        path = os.path.join(folder, "%08d" % number)
        with open(path, "wb") as f:
            f.write(b"x" * (2 << 20))
        os.utime(path, (1e9 + number, 1e9 + number))
    wait_until(lambda: not os.path.exists(oldest), "the oldest part has gone", timeout=120, dump=handler.dump)
    assert os.path.exists(os.path.join(folder, "%08d" % 11)) and len(segments(handler, running)) > 0
    opens(handler, "enough")


def in_namespace(handler, inner, *args, limit=150):
    done = subprocess.run(["unshare", "-m", "/bin/bash", "-c", inner, "bash", handler.binary, *args], env=handler.environment(),
                          cwd=handler.work, capture_output=True, text=True, timeout=limit)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("no mount namespace here: %s" % done.stderr.strip())
    return done


AWAIT = r'''
await() { for i in $(seq 600); do eval "$1" && return; sleep 0.05; done; echo "never: $1"; $h ls -a; $h capture $id; $h stop --all --yes; exit 1; }
h=$1
'''


def test_a_full_disk_stops_the_journal_and_nothing_else(handler):
    write_script(handler, "full", r'''
put("END1\r\n"); gate("go")
for i in range(300): put("line %d\r\n" % i); pause(0.002)
put("END2\r\n"); input(); log(b"", "ended")''')
    done = in_namespace(handler, AWAIT + r'''
mkdir small; mount -t tmpfs -o size=2m tmpfs small || exit 77
id=$($h new full) || exit 1
await '$h capture $id | grep -q END1'
dir=$XDG_STATE_HOME/handler/sessions/$id/journal
await '[ -s $dir/00000001 ]'
$h stop --all --yes >/dev/null
mount --bind small $dir || exit 77
dd if=/dev/zero of=small/fill bs=4k 2>/dev/null
rm -f go; $h resume $id >/dev/null || exit 1
touch go
await '$h capture $id | grep -q END2'
await '$h ls --json | grep -q "\"journal\": \"stopped\""'
$h ls
$h ls --json
$h keys $id x Enter
await '[ -e ended ]'
$h stop --all --yes
''')
    assert "goes on, but the journal stopped: No space left on device" in done.stderr, done
    assert '"journal_error": "the journal stopped: No space left on device"' in done.stdout, done


def test_a_read_only_disk_stops_the_journal_and_nothing_else(handler):
    write_script(handler, "full", 'put("shown\\r\\n"); input(); log(b"", "ended")')
    done = in_namespace(handler, AWAIT + r'''
id=$($h new full) || exit 1
dir=$XDG_STATE_HOME/handler/sessions/$id/journal
await '[ -s $dir/00000001 ]'
$h stop --all --yes >/dev/null
mount --bind $dir $dir && mount -o remount,bind,ro $dir || exit 77
$h resume $id >/dev/null || exit 1
await '$h capture $id | grep -q shown'
await '$h ls --json | grep -q "\"journal\": \"stopped\""'
$h ls
$h keys $id x Enter
await '[ -e ended ]'
$h stop --all --yes
''')
    assert "goes on, but the journal stopped: Read-only file system" in done.stderr, done
