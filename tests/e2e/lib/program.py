"""The program under test: its commands, its files, the sessions it starts, in a home of their own."""
import json
import os
import re
import shutil
import subprocess
import tempfile

from . import processes
from .terminal import Terminal
from .wait import patience, wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
CASE = "TEST_CASE_OF_HANDLER"  # the variable that marks all processes of one test
RUN = "TEST_RUN_OF_HANDLER"    # and of one run of all tests


def binary_path():
    """$HANDLER_BINARY, else the newest of the sanitized and the released build."""
    named = os.environ.get("HANDLER_BINARY")
    if named:
        return os.path.abspath(named)
    built = [p for p in (os.path.join(ROOT, "build", v, "handler") for v in ("asan", "release")) if os.path.exists(p)]
    return max(built, key=os.path.getmtime) if built else None


class Result:
    """What a command printed and how it ended."""

    def __init__(self, argv, process, out, err):
        self.argv, self.code = argv, process.returncode
        self.out, self.err = out, err

    def json(self):
        try:
            return json.loads(self.out)
        except ValueError:
            raise AssertionError("no JSON on stdout\n%s" % self) from None

    def error(self):
        """The error object of a command that was given --json."""
        return self.json()["error"]

    def __str__(self):
        return "$ %s\nexit status %d\n--- stdout\n%s\n--- stderr\n%s" % (" ".join(self.argv), self.code, self.out, self.err)

    __repr__ = __str__


class Handler:
    """One user of the program: own HOME, configuration and state, all gone after close()."""

    count = 0

    def __init__(self, binary=None, env=None, base=None):
        self.binary = binary or binary_path()
        self.base = base or tempfile.mkdtemp(prefix="t-")
        Handler.count += 1
        self.case = "%d-%d" % (os.getpid(), Handler.count)
        self.home = self._folder("home")
        self.config_home, self.state_home = self._folder("home/.config"), self._folder("home/.local/state")
        self.work, self.reports = self._folder("work"), self._folder("reports")
        self.terminals = []
        self.expected_left_over = False
        self.expected_reports = None
        path = os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin")
        report = os.path.join(self.reports, "sanitizer")
        self.env = {
            "HOME": self.home, "XDG_CONFIG_HOME": self.config_home, "XDG_STATE_HOME": self.state_home,
            "XDG_RUNTIME_DIR": self._folder("run", 0o700), "XDG_CACHE_HOME": self._folder("home/.cache"),
            "TMPDIR": self._folder("tmp"), "PATH": path, "SHELL": "/bin/bash", "LANG": "C.UTF-8", "USER": "tester",
            "LOGNAME": "tester", "PS1": "$ ", CASE: self.case,
            "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=1:disable_coredump=1:detect_stack_use_after_return=1:"
                            "strict_string_checks=1:allocator_may_return_null=1:handle_abort=1:log_path=" + report,
            "UBSAN_OPTIONS": "print_stacktrace=1:abort_on_error=1:log_path=" + report,
        }
        if "HANDLER_TEST_ABORT_ON" in (env or {}):
            self.expect_reports("ABRT")
        if RUN in os.environ:
            self.env[RUN] = os.environ[RUN]
        if "LSAN_OPTIONS" in os.environ:
            self.env["LSAN_OPTIONS"] = os.environ["LSAN_OPTIONS"]
        self.env.update(env or {})
        with open(os.path.join(self.home, ".bashrc"), "w") as f:
            f.write("PS1='$ '\nunset PROMPT_COMMAND HISTFILE\nbind 'set enable-bracketed-paste on' 2>/dev/null\n")

    def _folder(self, name, mode=0o755):
        path = os.path.join(self.base, name)
        os.makedirs(path, exist_ok=True)
        os.chmod(path, mode)
        return path

    # -- files -----------------------------------------------------------------------------------------------

    def write_config(self, **keys):
        return self.write_json(os.path.join(self.config_home, "handler", "config.json"), keys)

    def write_agent(self, name, /, **keys):
        return self.write_json(os.path.join(self.config_home, "handler", "agents", name + ".json"), keys)

    def write_harness(self, name, /, **keys):
        return self.write_json(os.path.join(self.config_home, "handler", "harnesses", name + ".json"), keys)

    def write_shell_agent(self, name, script):
        """An agent that runs a script of the shell: a stand-in for whatever program a test needs."""
        return self.write_agent(name, harness="shell", args=["-c", script])

    @staticmethod
    def write_json(path, value):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            json.dump(value, f, ensure_ascii=False, indent=2)
        return path

    def write_program(self, name, text):
        """An executable on the PATH of this user."""
        folder = self._folder("bin")
        path = os.path.join(folder, name)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, 0o755)
        if not self.env["PATH"].startswith(folder + ":"):
            self.env["PATH"] = folder + ":" + self.env["PATH"]
        return path

    def session_folder(self, ident):
        return os.path.join(self.state_home, "handler", "sessions", ident)

    # -- commands --------------------------------------------------------------------------------------------

    def run(self, *args, input=None, timeout=None, env=None, cwd=None, check=None):
        """Runs `handler ARGS`; check: the exit status it must have.  env: changes, None removes a variable."""
        argv = [self.binary] + [str(a) for a in args]
        process = subprocess.Popen(argv, stdin=subprocess.PIPE if input is not None else subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment(env),
                                   cwd=cwd or self.work, text=True, errors="replace")
        try:
            out, err = process.communicate(input, timeout=patience(timeout or 60))
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise AssertionError("the command does not end\n%s" % Result(argv, process, out, err)) from None
        result = Result(argv, process, out, err)
        if check is not None:
            assert result.code == check, "exit status %d was expected\n%s" % (check, result)
        return result

    def environment(self, changes=None):
        env = dict(self.env)
        env.update(changes or {})
        return {k: v for k, v in env.items() if v is not None}

    def ok(self, *args, **options):
        """Runs a command that must succeed; returns its stdout."""
        return self.run(*args, check=0, **options).out

    def json(self, *args, **options):
        return self.run(*args, "--json", check=0, **options).json()

    def new(self, agent, *args, **options):
        """Starts a session; returns its id."""
        command = ["new", agent, "--json"] + list(args)
        if "--" in args:
            at = args.index("--")
            command = ["new", agent] + list(args[:at]) + ["--json"] + list(args[at:])
        return self.run(*command, check=0, **options).json()["id"]

    def sessions(self, *args):
        return self.json("ls", *args)["sessions"]

    def session(self, ident):
        """The record of one session as `ls` shows it, ended ones too; None if there is none."""
        found = [s for s in self.sessions("-a") if ident in (s["id"], s["name"], str(s["number"]))]
        return found[0] if found else None

    def state(self, ident):
        session = self.session(ident)
        return session and session["state"]

    def wait_state(self, ident, *states, timeout=None):
        """Waits until the session is in one of the states; returns its record."""
        def look():
            session = self.session(ident)
            return session if session and session["state"] in states else None
        return wait_until(look, "session %s is %s" % (ident, " or ".join(states)), timeout, self.dump, interval=0.1)

    def capture(self, ident, *args):
        return self.ok("capture", ident, *args)

    def wait_capture(self, ident, what, *args, timeout=None):
        """Waits until the session's screen (or history, with --history) shows a text or matches a regex."""
        def look():
            text = self.capture(ident, *args)
            return text if (what.search(text) if isinstance(what, re.Pattern) else what in text) else None
        return wait_until(look, "session %s shows %r" % (ident, what), timeout,
                          lambda: self.capture(ident, *args) + "\n" + self.dump(), interval=0.1)

    def terminal(self, *args, env=None, cwd=None, **options):
        """`handler ARGS` in a terminal of its own; closed with everything else."""
        terminal = Terminal([self.binary] + [str(a) for a in args], env=self.environment(env), cwd=cwd or self.work, **options)
        self.terminals.append(terminal)
        return terminal

    # -- processes -------------------------------------------------------------------------------------------

    def processes(self):
        """Pids of everything that this user has started."""
        return processes.with_variable(CASE, self.case)

    def record(self, ident):
        with open(os.path.join(self.session_folder(ident), "session.json")) as f:
            return json.load(f)

    def process_named(self, role, ident):
        """The pid of the keeper or worker of a session: they name themselves."""
        wanted = "handler %s %s" % (role, ident)
        for pid in self.processes():
            if processes.command_of(pid) == wanted:
                return pid
        return None

    def dump(self):
        """All that helps to understand a failure."""
        out = ["sessions:"]
        try:
            out.append(self.run("ls", "-a", timeout=10).out)
        except AssertionError as e:
            out.append(str(e))
        out.append("processes:")
        out += ["%d %s" % (p, processes.command_of(p)) for p in self.processes()]
        for folder, _, files in os.walk(os.path.join(self.state_home, "handler")):
            for name in files:
                if name.endswith(".log"):
                    with open(os.path.join(folder, name), errors="replace") as f:
                        out.append("%s/%s:\n%s" % (folder, name, f.read()[-3000:]))
        return "\n".join(out + self.sanitizer_reports())

    # -- the end ---------------------------------------------------------------------------------------------

    def expect_left_over(self):
        """The test leaves processes on purpose; they are ended without a complaint."""
        self.expected_left_over = True

    def expect_reports(self, pattern):
        """The test makes processes die in a way that a sanitizer reports ("SEGV", "ABRT"): those that match are no failure."""
        self.expected_reports = re.compile(pattern)

    def sanitizer_reports(self):
        out = []
        for name in sorted(os.listdir(self.reports)):
            with open(os.path.join(self.reports, name), errors="replace") as f:
                text = f.read()
            if text.strip() and not (self.expected_reports and self.expected_reports.search(text)):
                out.append("sanitizer report %s:\n%s" % (name, text))
        return out

    def close(self):
        """Ends everything and removes all files; returns what went wrong, as sentences."""
        faults = []
        for terminal in self.terminals:
            terminal.close()
        if self.binary and self.processes():
            try:
                self.run("stop", "--all", "--yes", "--grace", "1", timeout=60)
            except AssertionError as e:
                faults.append(str(e))
        try:
            wait_until(lambda: not self.processes(), "all processes have ended", 3)
        except AssertionError:
            pass
        left = processes.end_all(CASE, self.case)
        if left and not self.expected_left_over:
            faults.append("left-over processes:\n" + "\n".join(left))
        faults += self.sanitizer_reports()
        shutil.rmtree(self.base, ignore_errors=True)
        return faults
