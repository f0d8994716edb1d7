"""The base specification passes every instance, and each instance is what it says."""

from __future__ import annotations

from functools import cache

import pytest
from ackproof.lang.binding import bind
from ackproof.model import plain_search
from ackproof.model.cache import Cache
from ackproof.model.check import check
from ackproof.model.report import Report
from ackproof.model.verdict import Verdict
from ackproof.spec.instances import INSTANCES
from ackproof.spec.model import MODEL

EACH = [
    pytest.param(i.name, marks=[pytest.mark.long] if i.name == "deep" else []) for i in INSTANCES
]
BY_NAME = {i.name: i for i in INSTANCES}


@cache
def report_on(name: str, kept: Cache | None) -> Report:
    return check(MODEL, BY_NAME[name], cache=kept)


@pytest.fixture
def report(name: str, shared_cache: Cache | None) -> Report:
    return report_on(name, shared_cache)


@pytest.mark.parametrize("name", EACH)
def test_the_base_specification_is_verified(name: str, report: Report) -> None:
    assert report.verdict == Verdict.VERIFIED
    assert report.outcome.states == BY_NAME[name].states


@pytest.mark.parametrize("name", EACH)
def test_an_instance_lacks_what_it_says_it_lacks(name: str, report: Report) -> None:
    outcome = report.outcome
    came_up = outcome.witnessed | {a for a, n in outcome.per_action.items() if n}
    assert not came_up & set(BY_NAME[name].lacks)


def test_the_default_instance_lacks_nothing() -> None:
    assert INSTANCES[0].name == "core"
    assert INSTANCES[0].lacks == ()


def test_plain_python_counts_the_same() -> None:
    tiny = MODEL.instance("tiny")
    assert tiny is not None
    outcome = plain_search.explore(bind(MODEL, tiny))
    assert outcome.states == tiny.states
    assert not outcome.violations
