"""The base specification passes every instance, and each instance is what it says."""

from __future__ import annotations

import pytest
from ackproof.model import plain_search
from ackproof.model.check import check
from ackproof.model.verdict import Verdict
from ackproof.spec.instances import INSTANCES
from ackproof.spec.lang.binding import bind
from ackproof.spec.model import MODEL

EACH = [
    pytest.param(i, id=i.name, marks=[pytest.mark.slow] if i.name == "deep" else [])
    for i in INSTANCES
]


@pytest.mark.parametrize("instance", EACH)
def test_the_base_specification_is_verified(instance) -> None:  # type: ignore[no-untyped-def]
    report = check(MODEL, instance)
    assert report.verdict == Verdict.VERIFIED
    assert report.outcome.states == instance.states


@pytest.mark.parametrize("instance", EACH)
def test_an_instance_lacks_what_it_says_it_lacks(instance) -> None:  # type: ignore[no-untyped-def]
    outcome = check(MODEL, instance).outcome
    came_up = outcome.witnessed | {a for a, n in outcome.per_action.items() if n}
    assert not came_up & set(instance.lacks)


def test_the_default_instance_lacks_nothing() -> None:
    assert INSTANCES[0].name == "core"
    assert INSTANCES[0].lacks == ()


def test_plain_python_counts_the_same() -> None:
    tiny = MODEL.instance("tiny")
    assert tiny is not None
    outcome = plain_search.explore(bind(MODEL, tiny))
    assert outcome.states == tiny.states
    assert not outcome.violations
