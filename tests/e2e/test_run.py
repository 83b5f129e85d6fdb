"""The runner itself: what counts as passed, failed and skipped, and that it finds what nobody waited for."""
import argparse
import importlib.util
import os
import subprocess

import pytest

from lib import processes
from lib.program import ROOT, RUN
from lib.wait import wait_until

spec = importlib.util.spec_from_file_location("run_tests", os.path.join(ROOT, "tests", "run.py"))
runner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(runner)
UNIT = runner.Unit("unit", "tests/unit/x", ["x"], runner.parse_tap)


def tap(output, status=0):
    return [(o.name, o.status, o.text) for o in runner.parse_tap(UNIT, status, output, "")]


def test_tap_of_cmocka():
    output = "1..3\nok 1 - good\nnot ok 2 - bad\n# 0x1 != 0x2\n# x.c:8: error: Failure!\nno tty here\nnot ok 3 # SKIP lazy\n# not ok - x\n"
    assert tap(output, 1) == [("tests/unit/x good", "passed", ""),
                              ("tests/unit/x bad", "failed", "\n# 0x1 != 0x2\n# x.c:8: error: Failure!"),
                              ("tests/unit/x lazy", "skipped", "no tty here")]


def test_tap_of_two_groups_and_of_a_program_that_dies():
    assert [s for _, s, _ in tap("1..1\nok 1 - a\n1..1\nok 1 - b\n")] == ["passed", "passed"]
    assert [s for _, s, _ in tap("1..2\nok 1 - a\n", -6)] == ["passed", "failed"]
    assert [s for _, s, _ in tap("", 0)] == ["failed"]
    assert [s for _, s, _ in tap("1..1\nok 1 - a\n", 1)] == ["passed", "failed"]
    assert [s for _, s, _ in tap("1..1\nok 1 - a\n", None)] == ["passed", "failed"]


def test_skips_of_tap_keep_their_reason():
    assert tap("1..1\nok 1 - the name # SKIP no locale\n") == [("tests/unit/x the name", "skipped", "no locale")]


def test_junit(tmp_path):
    (tmp_path / "test_x.py").write_text("import pytest\ndef test_a(): pass\ndef test_b(): assert 1 == 2\n"
                                        "@pytest.mark.skip(reason='because')\ndef test_c(): pass\n")
    p = subprocess.run(["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml", str(tmp_path / "junit.xml"),
                        str(tmp_path / "test_x.py")], capture_output=True, text=True)
    outcomes = runner.parse_junit(UNIT, p.returncode, p.stdout, str(tmp_path))
    assert [(o.name, o.status) for o in outcomes] == [("tests/unit/x test_a", "passed"), ("tests/unit/x test_b", "failed"),
                                                      ("tests/unit/x test_c", "skipped")]
    assert "assert 1 == 2" in outcomes[1].text and outcomes[2].text == "because"


def test_a_check_that_cannot_be_done_is_skipped():
    check = runner.Unit("lint", "tests/lint/check-x", ["x"], runner.parse_check)
    assert runner.parse_check(check, 77, "first\nno mandoc\n", "")[0].text == "no mandoc"
    assert runner.parse_check(check, 1, "a fault", "")[0].status == "failed"
    assert runner.parse_check(check, None, "", "")[0].status == "failed"


@pytest.fixture
def run():
    r = runner.Run(argparse.Namespace(only=None, keep=False, jobs=1, real=False))
    yield r
    processes.end_all(RUN, r.id)


def test_left_over_processes_are_ended_and_fail_the_run(run, capsys):
    code = "import os\nif os.fork() == 0:\n    os.setsid()\n    __import__('signal').pause()\n"
    subprocess.run(["/usr/bin/python3", "-c", code], env=run.env, check=True)
    wait_until(lambda: processes.with_variable(RUN, run.id), "the process is there")
    assert run.finish() == 1
    assert processes.with_variable(RUN, run.id) == []
    assert capsys.readouterr().out.endswith("\n0 passed, 1 failed, 0 skipped\n")


def test_a_sanitizer_report_of_any_process_fails_the_run(run, tmp_path, capsys):
    source = tmp_path / "x.c"
    source.write_text("#include <stdlib.h>\nint main(int c, char **v) { (void)v; int *p = malloc(4); p[c] = 1; return 0; }\n")
    subprocess.run(["gcc", "-g", "-fsanitize=address", "-o", tmp_path / "x", source], check=True)
    subprocess.run([tmp_path / "x"], env=run.env, stderr=subprocess.DEVNULL)
    assert run.finish() == 1
    out = capsys.readouterr().out
    assert "heap-buffer-overflow" in out and out.endswith("\n0 passed, 1 failed, 0 skipped\n")


def test_nothing_to_run_is_a_failure(run, capsys):
    assert run.finish() == 1
    assert capsys.readouterr().out.endswith("\n0 passed, 0 failed, 0 skipped\n")


def test_tests_do_not_see_the_callers_session(monkeypatch):
    for name in ("TMUX", "HANDLER_SESSION", "XDG_STATE_HOME", "MAKEFLAGS", "LC_ALL"):
        monkeypatch.setenv(name, "x")
    r = runner.Run(argparse.Namespace(only=None, keep=False, jobs=1, real=False))
    try:
        for name in ("TMUX", "HANDLER_SESSION", "XDG_STATE_HOME", "MAKEFLAGS", "LC_ALL"):
            assert r.env.get(name) != "x"
    finally:
        os.rmdir(r.reports)
        os.rmdir(r.folder)


def test_a_signal_ends_the_run_and_all_that_it_started(tmp_path):
    code = ("import argparse, importlib.util, signal, sys\n"
            "spec = importlib.util.spec_from_file_location('r', sys.argv[1])\n"
            "r = importlib.util.module_from_spec(spec)\n"
            "spec.loader.exec_module(r)\n"
            "run = r.Run(argparse.Namespace(only=None, keep=False, jobs=1, real=False))\n"
            "signal.signal(signal.SIGTERM, run.stop)\n"
            "run.units = lambda: [r.Unit('lint', 'waits', ['sh', '-c', 'kill -TERM %d; sleep 1000' % r.os.getpid()], r.parse_check)] * 3\n"
            "run.run()\n"
            "sys.exit(run.finish())\n")
    p = subprocess.run(["/usr/bin/python3", "-c", code, os.path.join(ROOT, "tests", "run.py")], capture_output=True, text=True, timeout=60)
    assert p.returncode == 1, p.stderr
    assert "ended by signal 15" in p.stdout and p.stdout.endswith("0 passed, 2 failed, 0 skipped\n"), p.stdout
