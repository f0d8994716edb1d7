"""The museum: every design breaks what it says, as early as it says, and nowhere smaller."""

from __future__ import annotations

import importlib

import pytest
from ackproof.lang import Breaks, Design, Holds, Instance
from ackproof.model.cache import Cache
from ackproof.model.check import check
from ackproof.model.museum import judge, museum
from ackproof.spec.instances import INSTANCES
from ackproof.spec.model import MODEL

from tests.exploring import sample

MUSEUM = museum(MODEL)
EXPECTATIONS = [
    pytest.param(name, expectation, id=f"{name}-{number}")
    for name, design in MUSEUM.items()
    for number, expectation in enumerate(design.expect)
]
BREAKS = [p for p in EXPECTATIONS if isinstance(p.values[1], Breaks)]


@pytest.mark.parametrize(("name", "expectation"), EXPECTATIONS)
def test_a_design_does_what_it_is_expected_to_do(
    name: str, expectation: Breaks | Holds, shared_cache: Cache | None
) -> None:
    judgement = judge(MODEL, MUSEUM[name], expectation, name=name, cache=shared_cache)
    assert judgement.came_true, judgement.found


@pytest.mark.parametrize(("name", "expectation"), sample(BREAKS, 10))
def test_no_smaller_instance_would_have_shown_it(
    name: str, expectation: Breaks, shared_cache: Cache | None
) -> None:
    instance = MODEL.instance(expectation.instance)
    assert instance is not None
    for smaller in INSTANCES:
        if not _smaller(smaller, instance):
            continue
        wanted = [expectation.property]
        report = check(MODEL, smaller, MUSEUM[name], properties=wanted, cache=shared_cache)
        assert not report.outcome.violations, smaller.name


def _smaller(one: Instance, other: Instance) -> bool:
    """Whether one instance has no more elements of any sort than another, and fewer of some."""
    pairs = [(n, other.sizes[sort]) for sort, n in one.sizes.items()]
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


@pytest.mark.parametrize("name", MUSEUM)
def test_a_design_says_what_it_claims_and_where_it_comes_from(name: str) -> None:
    design: Design = MUSEUM[name]
    assert design.claim.endswith(".")
    assert design.source
    assert any(isinstance(e, Breaks) for e in design.expect)
    assert importlib.import_module(f"ackproof.spec.designs.{name}").__doc__


def test_every_bug_that_can_be_stated_here_is_shown() -> None:
    shown = {name.split("_")[0] for name in MUSEUM}
    bugs = (*range(1, 14), 15, 16, *range(18, 22), 23, 24)
    assert {f"b{number:02}" for number in bugs} <= shown
    assert {f"d{number:02}" for number in range(1, 8)} <= shown
    assert {"l01", "l02"} <= shown
    assert {"ack_on_channel", "ack_on_queue", "ack_after_write", "ack_before_fsync"} <= set(MUSEUM)
