"""What is proved for all sizes is met at each one that is tried; what fails is never proved."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import pytest
import z3
from ackproof.lang import Model
from ackproof.lang.lemmas import Library
from ackproof.proofs.discharge import discharge
from ackproof.proofs.instance_query import InstanceQueries, InstanceQuery
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.sizes import decide_sizes
from ackproof.proofs.solving import PROVED
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL as CONFIRMS

from tests.exploring import sample
from tests.proofs import loops, office


def status(obligations: Obligations, obligation: Obligation) -> str:
    """Return what becomes of an obligation for all sizes."""
    (outcome,) = discharge(obligations, [obligation], 1, 2.0)
    return outcome.status


def with_any_hypotheses(model: Model, obligations: Obligations) -> Iterator[Obligation]:
    """Yield each obligation of a model with some invariants assumed, true ones or not."""
    library = obligations.library
    names = [p.name for p in obligations.program.properties if p.kind != "reachable"]
    invariants = [p.name for p in obligations.program.properties if p.kind == "invariant"]
    assert not library.lemmas
    for obligation in obligations.of(names):
        own = () if obligations.properties[obligation.goal].of_steps else (obligation.goal,)
        for other in ((), *itertools.combinations(invariants, 1)):
            yield replace(obligation, hypotheses=tuple(dict.fromkeys((*own, *other))))


@pytest.mark.parametrize("model", [office.MODEL, loops.MODEL], ids=lambda model: model.name)
def test_no_obligation_is_proved_that_has_a_counterexample(model: Model) -> None:
    obligations = Obligations(model, Library())
    proved = refuted = 0
    some = list(with_any_hypotheses(model, obligations))
    for obligation in sample(some, len(some) // 3):
        found = decide_sizes(
            model, None, Library(), obligation, most=2, program=obligations.program
        )
        if found.refuted is not None:
            refuted += 1
            assert status(obligations, obligation) != PROVED, obligation
        else:
            proved += 1
    assert min(proved, refuted) > 10


def test_what_holds_for_two_people_is_proved_for_all() -> None:
    obligations = Obligations(office.MODEL, Library())
    for goal, *more in (
        ("ServedIsNotWaiting",),
        ("NobodyComesBack", "ServedIsNotWaiting"),
    ):
        for obligation in obligations.of_one(goal):
            own = replace(obligation, hypotheses=(*obligation.hypotheses, *more))
            assert status(obligations, own) == PROVED, own


def queries_of(
    obligations: Obligations, names: list[str], size: int, share: int
) -> Iterator[tuple[Obligation, InstanceQuery]]:
    """Yield the queries of some goals that come up where all sorts have one size.

    What one case of an action has to do with all of them is asked together, of one in `share`; in
    a long run of all of them.
    """

    def about(obligation: Obligation) -> tuple[str, str, int]:
        return obligation.kind, obligation.action, obligation.case or 0

    todo = sorted(dict.fromkeys(obligations.of(names)), key=about)
    groups = [list(group) for _, group in itertools.groupby(todo, about)]
    for one, *others in sample(groups, len(groups) // share):
        queries = InstanceQueries(CONFIRMS, None, LIBRARY, one, obligations.program, 600.0)
        query = queries.at(dict.fromkeys(queries.sorts, size))
        if query is not None:
            yield one, query
            for other in others:
                yield other, queries.with_goal(query, other)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "share"), [(1, 4), (2, 24)])
def test_all_obligations_of_the_specification_are_met_at_small_sizes(size: int, share: int) -> None:
    obligations = Obligations(CONFIRMS, LIBRARY)
    all_names = [*LIBRARY.lemmas, *LIBRARY.proofs, *LIBRARY.follows]
    # What happens in the end is about runs, and no formula over one step at given sizes.
    names = [n for n in all_names if obligations.properties[n].kind != "eventually"]
    decided = 0
    for obligation, query in queries_of(obligations, names, size, share):
        assert query.answer() == z3.unsat, obligation.name
        decided += 1
    assert decided > 1500 / (2 * share)
