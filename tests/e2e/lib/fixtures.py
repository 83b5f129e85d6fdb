"""Fixtures for every pytest suite (a conftest.py imports them all)."""
import os
import signal
import subprocess

import pytest

from .program import Handler, binary_path
from .terminal import Terminal
from .wait import FACTOR

PRELOAD = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "preload")
LIMIT = 240  # seconds a single test may take


@pytest.fixture(autouse=True)
def time_limit(request):
    """A test that hangs fails, with the place where it hung."""
    marker = request.node.get_closest_marker("limit")
    seconds = int((marker.args[0] if marker else LIMIT) * FACTOR)

    def expired(*_):
        raise TimeoutError("the test took more than %d s" % seconds)
    before = signal.signal(signal.SIGALRM, expired)
    signal.alarm(seconds)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def make_handler():
    """Makes users of the program: make_handler(env=...) -> Handler."""
    if not binary_path():
        pytest.skip("the program is not built")
    made = []

    def make(**options):
        made.append(Handler(**options))
        return made[-1]
    yield make
    faults = [fault for handler in made for fault in handler.close()]
    assert not faults, "\n\n".join(faults)


@pytest.fixture
def handler(make_handler):
    """The program, with a home of its own."""
    return make_handler()


@pytest.fixture
def preload(tmp_path):
    """A library from preload/NAME.c, to stand before libc; the sanitizers' own library does not mind being second."""
    def build(name):
        out = str(tmp_path / (name + ".so"))
        source = os.path.join(PRELOAD, name + ".c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", out, source, "-ldl"], check=True)
        return out
    return build


def preloaded(make_handler, library, **env):
    """A user whose programs all have it."""
    handler = make_handler(env=dict(env, LD_PRELOAD=library))
    handler.env["ASAN_OPTIONS"] += ":verify_asan_link_order=0"
    return handler


@pytest.fixture
def make_terminal(tmp_path):
    """Runs any program in a terminal: make_terminal(argv, rows=..., profile=...) -> Terminal."""
    made = []

    def make(argv, **options):
        options.setdefault("env", {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8", "PS1": "$ "})
        made.append(Terminal(argv, **options))
        return made[-1]
    yield make
    for terminal in made:
        terminal.close()


def configure(config):
    config.addinivalue_line("markers", "limit(seconds): how long this test may take")


def select(config, items):
    """`tests/run.py --only PATTERN` passes the pattern on in the environment."""
    import re
    pattern = os.environ.get("HANDLER_TEST_ONLY")
    if not pattern:
        return
    chosen = [i for i in items if re.search(pattern, "tests/" + i.nodeid.replace("::", " ")) or re.search(pattern, i.nodeid)]
    config.hook.pytest_deselected(items=[i for i in items if i not in chosen])
    items[:] = chosen
