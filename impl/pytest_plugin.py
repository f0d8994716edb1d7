"""A broker for every test that asks for one: the pytest fixture `ackproof_broker`.

    def test_that_a_nack_is_published_again(ackproof_broker):
        ackproof_broker.nack_next()
        my_publisher("127.0.0.1", ackproof_broker.port).publish("orders", b"hello")
        assert ackproof_broker.depth("orders") == 1

Each test has a broker of its own, on a port of its own, with everything in memory.  When the test
is over, the history is checked: should the broker have broken a promise, the test fails in its
teardown; and so it does if a fault was asked for that has never struck.  `--ackproof-seed N` draws
the order of steps, and `random` a seed too; it is shown at the top, to be given again.
`--ackproof-lockstep` compares each step with the specification's own.  What else a broker is to be,
a mark says: `@pytest.mark.ackproof(replicas=3)`, with what `ackproof.impl.options` has; a scenario
may be the name of a file beside the test.  A test that fails shows what has happened in the broker
last.

With `--ackproof-keep` a broker is kept for the next test that asks for the same, and is reset in
between: then its port stays what it was, for an application that is started once.

Every run of pytest where this is installed loads this module, so it imports nothing until a test
asks for a broker.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from ackproof.impl.running import RunningBroker

__all__ = [
    "ackproof_broker",
    "pytest_addoption",
    "pytest_report_header",
    "pytest_runtest_makereport",
    "pytest_unconfigure",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the seed."""
    group = parser.getgroup("ackproof", "a reference broker for tests")
    group.addoption(
        "--ackproof-seed",
        metavar="N",
        default=None,
        help="let the brokers of tests take steps in any order that the specification allows, "
        "drawn by this number, or by a new one if it is 'random'",
    )
    group.addoption(
        "--ackproof-lockstep",
        action="store_true",
        help="compare every step of the brokers with the specification's own system (slow)",
    )
    group.addoption(
        "--ackproof-keep",
        action="store_true",
        help="keep a broker and its port for the next test that asks for the same options, and "
        "reset it in between",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Settle the seed, once for the run."""
    said = config.getoption("--ackproof-seed")
    config.stash[_SEED] = _seed(said)
    config.stash[_KEPT] = []
    config.addinivalue_line(
        "markers",
        "ackproof(**options): what the broker of this test is to be, as in "
        "ackproof.impl.options.Options, for example replicas=3",
    )


_BROKER = pytest.StashKey["RunningBroker"]()
#: Entries of the history that a failing test shows.
_SHOWN = 30
_SEED = pytest.StashKey["int | None"]()
#: Brokers that run on for other tests, with the options that each was asked for with.
_KEPT = pytest.StashKey["list[tuple[dict[str, Any], RunningBroker]]"]()


def _seed(said: str | None) -> int | None:
    if said is None:
        return None
    if said == "random":
        import secrets

        return secrets.randbelow(2**32)
    try:
        return int(said)
    except ValueError:
        raise pytest.UsageError(
            f"--ackproof-seed is {said!r}; give an integer, or 'random'"
        ) from None


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say which seed is in use, to be given again."""
    seed = config.stash[_SEED]
    return None if seed is None else f"ackproof: --ackproof-seed {seed}"


@pytest.fixture
def ackproof_broker(request: pytest.FixtureRequest) -> Iterator[RunningBroker]:
    """Run a broker for this test; when it is over, check what has happened."""
    with _running(request) as broker:
        request.node.stash[_BROKER] = broker
        yield broker
        del request.node.stash[_BROKER]
        broker.check()
        unstruck = broker.unstruck()
        if unstruck:
            pytest.fail(
                f"asked for, and never struck: {', '.join(unstruck)}; publish what it is about, or "
                "call clear_faults() if that is right"
            )


@contextmanager
def _running(request: pytest.FixtureRequest) -> Iterator[RunningBroker]:
    """Give a broker that is new, or as new."""
    from ackproof.impl.running import RunningBroker

    options = _options(request)
    if not request.config.getoption("--ackproof-keep"):
        with RunningBroker(**options) as broker:
            yield broker
        return
    kept = request.config.stash[_KEPT]
    found = [broker for asked, broker in kept if asked == options]
    if not found:
        found = [RunningBroker(**options).__enter__()]
        kept.append((options, found[0]))
    try:
        yield found[0]
    finally:
        found[0].reset()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the brokers that were kept."""
    for _, broker in config.stash.get(_KEPT, []):
        broker.__exit__(None, None, None)


def _scenario(said: Any, request: pytest.FixtureRequest) -> Any:
    """Return a scenario; one that is named is in a file, beside the test if not elsewhere."""
    if not isinstance(said, str | PathLike):
        return said
    from ackproof.impl.node import known_faults
    from ackproof.impl.scenario.scenario import ScenarioError, read_scenario

    try:
        return read_scenario(request.path.parent / said, known_faults())
    except ScenarioError as error:
        _refuse(f": {error}")


def _refuse(what: str) -> NoReturn:
    """Fail a test whose mark is wrong; where in this file it was noticed is of no use to it."""
    pytest.fail(f"the mark ackproof{what}", pytrace=False)


def _options(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return what the broker of a test is to be: by options of the run, and by its mark."""
    from dataclasses import fields

    from ackproof.impl.options import Options

    options: dict[str, Any] = {
        "seed": request.config.stash[_SEED],
        "lockstep": request.config.getoption("--ackproof-lockstep"),
    }
    known = [one.name for one in fields(Options)]
    for mark in reversed(list(request.node.iter_markers("ackproof"))):
        wrong = [*map(repr, mark.args), *(name for name in mark.kwargs if name not in known)]
        if wrong:
            _refuse(f" does not take {', '.join(wrong)}; it takes, by name, {', '.join(known)}")
        options |= mark.kwargs
    if "scenario" in options:
        options["scenario"] = _scenario(options["scenario"], request)
        if "seed" in getattr(options["scenario"], "options", ()):
            del options["seed"]  # a run's seed is for those who have none of their own
    try:
        Options(**options)
    except ValueError as error:
        _refuse(f": {error}")
    return options


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show what has happened in the broker of a test that fails."""
    outcome: Any = yield
    report = outcome.get_result()
    broker = item.stash.get(_BROKER, None)
    if broker is None or report.when != "call" or not report.failed:
        return
    try:
        entries = broker.history
    except RuntimeError:  # it does not run any more
        return
    left_out = [f"({len(entries) - _SHOWN} entries before)"] if len(entries) > _SHOWN else []
    lines = [*left_out, *map(str, entries[-_SHOWN:])]
    report.sections.append(("ackproof: what has happened in the broker", "\n".join(lines)))
