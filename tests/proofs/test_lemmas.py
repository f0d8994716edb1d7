"""The lemmas of publisher confirms: the model checker has nothing against them either."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from ackproof.lang.binding import bind
from ackproof.lang.model import Instance
from ackproof.model.check import check
from ackproof.model.plain import PlainMachine
from ackproof.proofs.library import with_lemmas
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL

WHOLE = with_lemmas(MODEL, LIBRARY)
MOST = 60  # as many as the checker watches at once


def _false_at_first(instance: Instance, names: Iterable[str]) -> set[str]:
    bound = bind(WHOLE, instance, properties=sorted(names))
    with PlainMachine(bound) as machine:
        return {p.name for p in bound.properties if not machine.holds(p, bound.initial())}


@pytest.mark.parametrize("name", sorted(LIBRARY.restrictions))
def test_some_instance_meets_a_restriction_with_mirrors_if_it_allows_them(name: str) -> None:
    instance = MODEL.instance("small" if name == "QueuesAreAlone" else "mirrors")
    assert instance is not None
    assert _false_at_first(instance, [name]) == set()


@pytest.mark.parametrize("instance", MODEL.instances, ids=lambda i: i.name)
def test_every_instance_meets_what_the_proofs_assume(instance: Instance) -> None:
    usual = [name for name in LIBRARY.assumptions if name not in LIBRARY.restrictions]
    bound = bind(WHOLE, instance, properties=usual)
    with PlainMachine(bound) as machine:
        false = [p.name for p in bound.properties if not machine.holds(p, bound.initial())]
    assert false == []


@pytest.mark.parametrize(
    "name",
    [
        "small",
        "power",
        "mixed",
        "redeclared",
        "mirrors",
        "promotion",
        "limits",
        "divided",
        "redelivery",
        "channels",
        "channels_close",
        "channels_commit",
        "channels_alarm",
    ],
)
def test_no_run_of_an_instance_breaks_a_lemma(name: str) -> None:
    instance = MODEL.instance(name)
    assert instance is not None
    unmet = _false_at_first(instance, LIBRARY.restrictions)
    lemmas = [name for name in LIBRARY.lemmas if not unmet & set(LIBRARY.restricted(name))]
    for first in range(0, len(lemmas), MOST):
        report = check(WHOLE, instance, properties=lemmas[first : first + MOST])
        assert [t.property for t in report.traces] == []
        assert report.complete
