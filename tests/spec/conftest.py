"""Machines are tested alone, for one channel unless a test has more; designs one after the other.

To read a design takes longer than most of what is then asked of it, and what was read last is kept:
so the tests of one design come one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ackproof.lang import bound
from ackproof.spec.sorts import Born, ChannelId

from tests.spec.scenario import Scenario, mirrored

_TESTS = "tests/spec/test_museum.py"


@pytest.fixture(autouse=True)
def one_channel() -> Iterator[None]:
    with bound({ChannelId: 1}):
        yield


@pytest.fixture
def three() -> Iterator[Scenario]:
    """A master with two mirrors from the beginning."""
    with mirrored((Born.MASTER, Born.MIRROR, Born.MIRROR)) as scenario:
        yield scenario


@pytest.fixture
def late() -> Iterator[Scenario]:
    """A master, and a second process that joins later."""
    with mirrored((Born.MASTER, Born.LATER)) as scenario:
        yield scenario


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the tests by the design that their parameter `name` names."""
    places = [n for n, item in enumerate(items) if item.nodeid.startswith(_TESTS)]
    ordered = sorted((items[n] for n in places), key=_design)
    for place, item in zip(places, ordered, strict=True):
        items[place] = item


def _design(item: Any) -> str:
    callspec = getattr(item, "callspec", None)
    return str(callspec.params.get("name", "")) if callspec else ""
