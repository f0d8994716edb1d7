"""What every test takes for granted."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from ackproof.lang.collection import collect_seldom
from ackproof.model.cache import ANEW, OFF, VARIABLE, Cache, default_cache

from tests import exploring

#: Says to the processes of a test run which cache there was before it was switched off.
_SHARED = f"{VARIABLE}_SHARED"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that say how much is tried at random; see `exploring`."""
    group = parser.getgroup("exploring")
    group.addoption("--long", action="store_true", help="try more, from a new seed")
    group.addoption("--seed", type=int, metavar="N", help="draw what is random from this seed")


def pytest_configure(config: pytest.Config) -> None:
    """Settle the seed before any test is imported, have commands search, let interruptions through.

    What tests have read and compiled is kept in the user's cache, and what they have found is not.

    A shell without job control starts what is in the background with interruptions ignored, and
    whatever that starts inherits it; searches that a test interrupts would go on for minutes.
    """
    if hasattr(config, "workerinput"):
        config.option.seed = config.workerinput["seed"]
    config.option.seed = exploring.explore(config.option.seed, long=config.option.long)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if _SHARED not in os.environ:
        shared = default_cache()
        os.environ[_SHARED] = OFF if shared is None else str(shared.folder)
        os.environ[VARIABLE] = OFF if shared is None else f"{ANEW}{shared.folder}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave what takes minutes to the option --long."""
    if config.option.long:
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("long")]


def pytest_collection_finish() -> None:
    """Have the collector look seldom, and not at all at ten thousand tests and what they import."""
    collect_seldom()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Hand the seed to a process that takes a share of the tests."""
    node.workerinput["seed"] = node.config.option.seed


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let each test draw the same, whatever has run before it."""
    exploring.start_test(item.nodeid)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say which seed was drawn from, and how what failed is repeated."""
    options = f"{'--long ' if config.option.long else ''}--seed={config.option.seed}"
    failed = terminalreporter.stats.get("failed", [])
    if config.option.long:
        terminalreporter.write_line(f"drawn at random: {options}")
        for report in failed:
            terminalreporter.write_line(f"repeat: pytest {options} '{report.nodeid}'")


@pytest.fixture(scope="session")
def shared_cache() -> Cache | None:
    """Return the cache that commands and the documentation use, too.

    For tests of what the specification and its designs do, and not of how that is found out.
    """
    folder = os.environ[_SHARED]
    return None if folder == OFF else Cache(Path(folder))
