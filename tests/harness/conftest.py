"""Tests of descriptors and of the demo agent; the fixtures are those of the end-to-end tests."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))

from lib.fixtures import configure, handler, make_handler, make_terminal, select, time_limit  # noqa: E402,F401


def pytest_configure(config):
    configure(config)


def pytest_collection_modifyitems(config, items):
    select(config, items)
