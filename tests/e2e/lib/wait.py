"""Waiting for a condition.  The one place of the Python tests that lets time pass."""
import os
import time

FACTOR = float(os.environ.get("HANDLER_TEST_PATIENCE", "1"))
PATIENCE = 20.0  # seconds a condition may take on a loaded machine with sanitizers


class TimedOut(AssertionError):
    """The condition did not come true; the message says what was there instead."""


def patience(seconds=None):
    return (PATIENCE if seconds is None else seconds) * FACTOR


def wait_until(condition, what, timeout=None, dump=None, interval=0.02):
    """Calls `condition` until it returns something true, and returns that.

    what: a sentence for the failure; dump: called for more text to put behind it.
    """
    limit = patience(timeout)
    end = time.monotonic() + limit
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= end:
            more = "\n" + dump() if dump else ""
            raise TimedOut("after %.0f s still not: %s%s" % (limit, what, more))
        time.sleep(interval)
