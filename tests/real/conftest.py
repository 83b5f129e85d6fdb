"""The real agents, driven through the program against a model server of our own.

`make test-real` installs them from the npm registry (package.json pins the versions) into build/real, or
$HANDLER_REAL_DIR.  Where that cannot be done every test here is skipped with the reason.
"""
import os
import subprocess
import sys
import tempfile

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "e2e"), HERE]

import agents  # noqa: E402
from fake_model import FakeModel  # noqa: E402
from lib.fixtures import configure, make_handler, make_terminal, select, time_limit  # noqa: E402,F401
from lib.program import binary_path  # noqa: E402


def pytest_configure(config):
    configure(config)


def pytest_collection_modifyitems(config, items):
    select(config, items)


@pytest.fixture(scope="session")
def installed():
    if not binary_path():
        pytest.skip("the program is not built")
    try:
        agents.install()
    except agents.Unavailable as e:
        pytest.skip("the agents cannot be installed: %s" % e)


@pytest.fixture
def model():
    with FakeModel() as server:
        yield server


@pytest.fixture
def user(installed, make_handler, model):
    """A user who has set up all agents: user() -> Handler.

    The home is not below /tmp: Codex warns about a home there.
    """
    folder = os.path.join(agents.FOLDER, "homes")
    os.makedirs(folder, exist_ok=True)
    base = tempfile.mkdtemp(dir=folder)
    h = make_handler(base=base)
    h.env["PATH"] = agents.BIN + ":" + h.env["PATH"]
    subprocess.run(["git", "init", "-q", h.work], check=True)  # Codex's headless mode wants a repository
    for agent in agents.AGENTS.values():
        h.env.update(agent.prepare(h.home, h.work, model.url))
    yield h
    model.release()
