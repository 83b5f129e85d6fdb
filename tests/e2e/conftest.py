"""End-to-end tests: the built program in a real pty.  See lib/ for what they are made of."""
from lib.fixtures import configure, handler, make_handler, make_terminal, preload, select, time_limit  # noqa: F401


def pytest_configure(config):
    configure(config)


def pytest_collection_modifyitems(config, items):
    select(config, items)
