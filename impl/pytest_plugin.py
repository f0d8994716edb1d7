"""A broker for every test that asks for one: the pytest fixture `ackproof_broker`.

    def test_that_a_nack_is_published_again(ackproof_broker):
        ackproof_broker.nack_next()
        my_publisher("127.0.0.1", ackproof_broker.port).publish("orders", b"hello")
        assert ackproof_broker.depth("orders") == 1

Each test has a broker of its own, on a port of its own, with everything in memory.  When the test
is over, the history is checked: should the broker have broken a promise, the test fails in its
teardown.  `--ackproof-seed N` draws the order of steps, and `random` a seed too; it is shown at the
top, to be given again.  `--ackproof-lockstep` compares each step with the specification's own.

Every run of pytest where this is installed loads this module, so it imports nothing until a test
asks for a broker.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ackproof.impl.running import RunningBroker

__all__ = ["ackproof_broker", "pytest_addoption", "pytest_report_header"]


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


def pytest_configure(config: pytest.Config) -> None:
    """Settle the seed, once for the run."""
    said = config.getoption("--ackproof-seed")
    config.stash[_SEED] = _seed(said)


_SEED = pytest.StashKey["int | None"]()


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
    from ackproof.impl.running import RunningBroker

    seed = request.config.stash[_SEED]
    lockstep = request.config.getoption("--ackproof-lockstep")
    with RunningBroker(seed=seed, lockstep=lockstep) as broker:
        yield broker
        broker.check()
