#!/usr/bin/python3
"""Builds with the sanitizers and runs every test; the last line counts them.

  tests/run.py [--only PATTERN] [--jobs N] [--keep] [--real]

Suites: tests/unit (cmocka programs), tests/term (scripts for the emulator), tests/fuzz (the corpora of the fuzz targets),
tests/e2e, tests/golden, tests/harness (pytest), and tests/lint (checks).  --real runs tests/real instead: the real agents,
from the npm registry, against a model server of our own.

  --only PATTERN  a regular expression; runs the tests whose "FILE TEST" matches, e.g. --only unit/key_decode,
                  --only 'test_stop.py.*grace', --only lint
  --jobs N        how many test programs run at a time (default: the number of processors)
  --keep          leave the temporary folder of the run where it is

Everything that a test starts carries TEST_RUN_OF_HANDLER in its environment; what is still there at the end is ended by
its pid and counts as a failure, and so does a sanitizer report of any process, also one in the background.
"""
import argparse
import concurrent.futures
import glob
import itertools
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
from lib import processes  # noqa: E402
from lib.program import RUN  # noqa: E402

OUT = "build/asan"
PYTEST_SUITES = ("tests/e2e", "tests/golden", "tests/harness")
SKIP_STATUS = 77            # exit status of a check that cannot be done here
LIMITS = {"unit": 600, "term": 900, "fuzz": 900, "pytest": 2400, "lint": 1800, "real": 3600}  # seconds


class Outcome:
    """What became of one test."""

    def __init__(self, name, status, text=""):
        self.name, self.status, self.text = name, status, text  # status: passed, failed, skipped


class Unit:
    """One process to run: a test program, a file of tests, a check."""

    def __init__(self, kind, name, argv, parse):
        self.kind, self.name, self.argv, self.parse = kind, name, argv, parse
        self.seconds = 0.0


TAP = re.compile(r"(not )?ok\s+\d+\s*(?:-\s*)?(.*?)\s*(?:#\s*(SKIP)\b:?\s*(.*))?$", re.I)


def parse_tap(unit, status, output, _folder):
    """TAP of cmocka and of term-script: "ok N - NAME", "not ok N - NAME", '# SKIP'.

    cmocka prints why a test failed after its line and why it was skipped before it: both go with the test.
    """
    outcomes, before, last = [], [], None
    for line in output.splitlines():
        m = TAP.match(line)
        if not m:
            if last and line.startswith("#") and not line.startswith(("# not ok", "# ok")):
                last.text += "\n" + line
            else:
                before.append(line)
            continue
        failed, name, skipped, reason = m.groups()
        last = Outcome("%s %s" % (unit.name, name or reason), "skipped" if skipped else "failed" if failed else "passed")
        if skipped:
            last.text = (reason if name else "") or (before[-1] if before else "no reason given")
        elif failed:
            last.text = "\n".join(before)
        outcomes.append(last)
        before = []
        last = last if failed and not skipped else None
    planned = sum(int(n) for n in re.findall(r"^1\.\.(\d+)\s*$", output, re.M))  # a plan for each group of cmocka
    if planned and planned != len(outcomes):
        outcomes.append(Outcome(unit.name + " (number of tests)", "failed", "%d were planned, %d reported\n%s" % (
            planned, len(outcomes), output)))
    elif (status != 0 or not outcomes) and not any(o.status == "failed" for o in outcomes):
        outcomes.append(Outcome(unit.name + " (exit)", "failed", describe_end(status) + "\n" + output))
    return outcomes


def parse_junit(unit, status, output, folder):
    path = os.path.join(folder, "junit.xml")
    outcomes = []
    try:
        cases = xml.etree.ElementTree.parse(path).getroot().iter("testcase")
    except (OSError, xml.etree.ElementTree.ParseError):
        return [Outcome(unit.name, "failed", describe_end(status) + "\n" + output)]
    for case in cases:
        name = "%s %s" % (unit.name, case.get("name"))
        bad = [e for e in case if e.tag in ("failure", "error")]
        skipped = case.find("skipped")
        if bad:
            outcomes.append(Outcome(name, "failed", "\n".join((e.text or e.get("message") or "") for e in bad)))
        elif skipped is not None:
            outcomes.append(Outcome(name, "skipped", skipped.get("message") or "no reason given"))
        else:
            outcomes.append(Outcome(name, "passed"))
    if status not in (0, 1, 5) or (status == 1 and not any(o.status == "failed" for o in outcomes)):
        outcomes.append(Outcome(unit.name + " (exit)", "failed", describe_end(status) + "\n" + output))
    return outcomes


def parse_check(unit, status, output, _folder):
    if status == SKIP_STATUS:
        return [Outcome(unit.name, "skipped", output.strip().splitlines()[-1] if output.strip() else "no reason given")]
    return [Outcome(unit.name, "passed" if status == 0 else "failed", describe_end(status) + "\n" + output if status != 0 else "")]


def describe_end(status):
    if status is None:
        return "it took too long and was ended"
    return "it was ended by signal %d" % -status if status < 0 else "exit status %d" % status


class Run:
    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="hr-")  # short: paths are shown on screens that tests look at
        os.chmod(self.folder, 0o711)  # some tests act as another user, who must get through to what they open for him
        self.reports = os.path.join(self.folder, "reports")
        os.mkdir(self.reports)
        self.id = os.path.basename(self.folder)
        self.env = self.environment()
        self.outcomes = []
        self.lock = threading.Lock()
        self.homes = itertools.count(1)
        self.stopping = False
        self.running = set()  # leaders of the units' sessions
        self.wanted = re.compile(options.only) if options.only else None

    # Variables of the caller that tests must not see: the multiplexer or session they are run in, sanitizer settings.
    FOREIGN = re.compile(r"(TMUX|STY|ZELLIJ|HANDLER|XDG|ASAN|UBSAN|LSAN|MAKE|MFLAGS|KITTY|WT_|TERM_PROGRAM|PYTEST|CC$|CFLAGS$|"
                         r"LDFLAGS$|VARIANT$)")

    def environment(self):
        keep = ("HANDLER_REAL_DIR", "HANDLER_DEBOOTSTRAP", "HANDLER_TEST_PATIENCE", "XDG_DATA_DIRS")
        env = {k: v for k, v in os.environ.items() if k in keep or not self.FOREIGN.match(k)}
        report = os.path.join(self.reports, "report")
        suppressions = os.path.join(ROOT, "tests", "lsan.supp")
        env.update({
            RUN: self.id,
            "HANDLER_BINARY": os.path.join(ROOT, OUT, "handler"),
            "TMPDIR": self.folder,
            "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "CMOCKA_MESSAGE_OUTPUT": "TAP",
            "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=1:disable_coredump=1:detect_stack_use_after_return=1:"
                            "strict_string_checks=1:allocator_may_return_null=1:handle_abort=1:log_path=" + report,
            "UBSAN_OPTIONS": "print_stacktrace=1:abort_on_error=1:log_path=" + report,
        })
        env.pop("LC_ALL", None)
        if os.path.exists(suppressions):
            env["LSAN_OPTIONS"] = "print_suppressions=0:suppressions=" + suppressions
        if self.options.only:
            env["HANDLER_TEST_ONLY"] = self.options.only
        return env

    def home(self):
        """A place of its own for each process that is run: HOME and the XDG folders."""
        with self.lock:
            base = os.path.join(self.folder, str(next(self.homes)))
        env = dict(self.env, HOME=base)
        for variable, folder in (("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", "cache"),
                                 ("XDG_RUNTIME_DIR", "run"), ("TMPDIR", "tmp")):
            env[variable] = os.path.join(base, folder)
            os.makedirs(env[variable], mode=0o700, exist_ok=True)
        return base, env

    # -- building --------------------------------------------------------------------------------------------

    def build(self):
        """The program, the unit tests, the runner of emulator scripts and the fuzz targets, with the sanitizers."""
        targets = [OUT + "/handler", "unit", "fuzz-replay"]
        if os.path.exists(os.path.join(ROOT, "tests/term/runner.c")):
            targets.append(OUT + "/term-script")
        argv = ["make", "--no-print-directory", "-k", "-j%d" % self.options.jobs, "VARIANT=asan"] + targets
        print("$ " + " ".join(argv), flush=True)
        env = {k: v for k, v in self.env.items() if not k.startswith(("MAKE", "MFLAGS"))}
        p = subprocess.run(argv, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, errors="replace")
        if p.returncode:
            self.add([Outcome("build", "failed", p.stdout)])
            return False
        return True

    # -- what there is to run --------------------------------------------------------------------------------

    def chosen(self, name, path=None):
        """Whether anything in a file may match --only."""
        if not self.wanted or self.wanted.search(name):
            return True
        if not path:
            return False
        with open(path, errors="replace") as f:
            tests = re.findall(r"\b(test_\w+|\w+_test)\b", f.read())
        return any(self.wanted.search("%s %s" % (name, t)) for t in tests) or path.endswith(".py")

    def units(self):
        out = []
        for source in sorted(glob.glob(os.path.join(ROOT, "tests/unit/*_*.c"))):
            name = "tests/unit/" + os.path.basename(source)[:-2]
            program = os.path.join(ROOT, OUT, "unit", os.path.basename(name))
            if self.chosen(name, source):
                out.append(Unit("unit", name, [program], parse_tap))
        runner = os.path.join(ROOT, OUT, "term-script")
        for script in sorted(glob.glob(os.path.join(ROOT, "tests/term/*.test"))):
            name = os.path.relpath(script, ROOT)
            if self.chosen(name):
                out.append(Unit("term", name, [runner, script], parse_tap))
        for target in self.fuzz_targets():
            inputs = sorted(glob.glob(os.path.join(ROOT, "tests/fuzz/corpus", target, "*")))
            if target == "descriptor":
                inputs += sorted(glob.glob(os.path.join(ROOT, "harness-descriptors/*.json")))
            if self.chosen("tests/fuzz/" + target):
                program = os.path.join(ROOT, OUT, "fuzz", target + "-replay")
                out.append(Unit("fuzz", "tests/fuzz/" + target, [program] + inputs, parse_tap))
        for suite in PYTEST_SUITES:
            out += self.pytest_units(suite, "pytest")
        for check in sorted(glob.glob(os.path.join(ROOT, "tests/lint/check-*"))):
            name = os.path.relpath(check, ROOT)
            if self.chosen(name):
                out.append(Unit("lint", name, [check], parse_check))
        # what takes longest begins first, so that it is not what everything waits for at the end
        order = {"pytest": 0, "lint": 1, "unit": 2, "term": 3, "fuzz": 4}
        return sorted(out, key=lambda u: (order[u.kind], u.name))

    @staticmethod
    def fuzz_targets():
        sources = sorted(glob.glob(os.path.join(ROOT, "tests/fuzz/*.c")))
        return [name for name in (os.path.basename(s)[:-2] for s in sources) if name != "replay"]

    def pytest_units(self, suite, kind):
        files = sorted(glob.glob(os.path.join(ROOT, suite, "**", "test_*.py"), recursive=True))
        return [Unit(kind, os.path.relpath(f, ROOT), None, parse_junit) for f in files
                if self.chosen(os.path.relpath(f, ROOT), f)]

    # -- running ---------------------------------------------------------------------------------------------

    def run_unit(self, unit):
        if self.stopping:
            return
        folder, env = self.home()
        argv = unit.argv or ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short",
                             "--rootdir", ROOT, "--junitxml", os.path.join(folder, "junit.xml"), "-o",
                             "junit_family=xunit2", unit.name]
        began = time.monotonic()
        log = os.path.join(folder, "output")
        with open(log, "wb") as out:
            p = None
            try:
                p = subprocess.Popen(argv, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                     start_new_session=True)
                self.running.add(p)
                if self.stopping:  # the signal came before it was listed
                    p.kill()
                status = p.wait(LIMITS[unit.kind])
            except OSError as e:
                out.write(("cannot be run: %s\n" % e).encode())
                status = 127
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
                status = None
            finally:
                self.running.discard(p)
        unit.seconds = time.monotonic() - began
        with open(log, errors="replace") as f:
            output = f.read()
        outcomes = unit.parse(unit, status, output, folder)
        if self.wanted and not self.wanted.search(unit.name):
            outcomes = [o for o in outcomes if self.wanted.search(o.name)]
        if not self.options.keep:
            shutil.rmtree(folder, ignore_errors=True)
        self.report(unit, outcomes)

    def report(self, unit, outcomes):
        failed = sum(o.status == "failed" for o in outcomes)
        skipped = sum(o.status == "skipped" for o in outcomes)
        text = "%-6s %s: %d" % ("FAILED" if failed else "ok", unit.name, len(outcomes))
        text += ", %d failed" % failed if failed else ""
        text += ", %d skipped" % skipped if skipped else ""
        with self.lock:
            self.outcomes += outcomes
            if outcomes or not self.wanted:
                print("%s (%.1f s)" % (text, unit.seconds), flush=True)

    def add(self, outcomes):
        with self.lock:
            self.outcomes += outcomes

    def run(self):
        units = self.pytest_units("tests/real", "real") if self.options.real else self.units()
        jobs = 1 if self.options.real else self.options.jobs
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            futures = [pool.submit(self.run_unit, u) for u in units]
            # A signal may be delivered to a thread that waits for a test; Python's handler runs in this one, once it wakes up.
            while concurrent.futures.wait(futures, timeout=0.5).not_done:
                pass
            for future in futures:
                future.result()
        self.run_again(units)
        slow = sorted(units, key=lambda u: -u.seconds)[:5]
        print("slowest: " + ", ".join("%s %.0f s" % (u.name, u.seconds) for u in slow), flush=True)

    def run_again(self, units):
        """End-to-end tests that failed beside others get one more run, alone: a machine that is short of time is no fault of
        the program.  What failed at first is printed, so that nothing of it is hidden."""
        for unit in units:
            first = [o for o in self.outcomes if o.status == "failed" and o.name.startswith(unit.name + " ")]
            if unit.parse is not parse_junit or not first or self.stopping:
                continue
            self.outcomes = [o for o in self.outcomes if not o.name.startswith(unit.name + " ")]
            for o in first:
                print("\n--- failed beside others, run again alone: %s\n%s" % (o.name, o.text.rstrip()))
            self.run_unit(unit)

    def stop(self, number, _frame):
        """A signal ends the tests that run; what follows is left out, and the count is a failure."""
        if not self.stopping:
            self.stopping = True
            self.add([Outcome("the run", "failed", "it was ended by signal %d" % number)])
        for p in list(self.running):  # one that is in the middle of an exec has no environment to be found by
            p.kill()
        processes.end_all(RUN, self.id)

    # -- afterwards ------------------------------------------------------------------------------------------

    def check_reports(self):
        """Reports of sanitizers in processes that nobody waited for."""
        for name in sorted(os.listdir(self.reports)):
            with open(os.path.join(self.reports, name), errors="replace") as f:
                text = f.read()
            if text.strip():
                self.add([Outcome("sanitizer report of process " + name.rpartition(".")[2], "failed", text)])

    def check_left_over(self):
        left = processes.end_all(RUN, self.id)
        if left:
            self.add([Outcome("no process is left over", "failed", "these were, and have been ended:\n" + "\n".join(left))])

    def finish(self):
        self.check_left_over()
        self.check_reports()
        if self.options.keep:
            print("files of this run: " + self.folder)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
        groups = {s: [o for o in self.outcomes if o.status == s] for s in ("passed", "failed", "skipped")}
        for o in groups["failed"]:
            print("\n=== FAILED: %s\n%s" % (o.name, o.text.rstrip()))
        if groups["skipped"]:
            print("\n=== skipped")
        for o in groups["skipped"]:
            print("%s: %s" % (o.name, o.text))
        if not self.outcomes:
            print("\nno test matches" if self.wanted else "\nthere is no test")
        print("\n%d passed, %d failed, %d skipped" % tuple(len(groups[s]) for s in ("passed", "failed", "skipped")), flush=True)
        return 1 if groups["failed"] or not self.outcomes else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="PATTERN")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--real", action="store_true")
    run = Run(parser.parse_args())
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, run.stop)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    try:
        run.build()
        run.run()
    finally:
        status = run.finish()
    return status


if __name__ == "__main__":
    sys.exit(main())
