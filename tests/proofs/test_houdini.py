"""Houdini keeps the largest induction among its candidates, and says what each of it needs."""

from __future__ import annotations

import time

import pytest
from ackproof.lang.binding import Bound, bind
from ackproof.proofs import clause_text
from ackproof.proofs.houdini import Houdini
from ackproof.proofs.library import with_lemmas
from ackproof.proofs.templates import Clause, clauses_of
from ackproof.proofs.vocabulary import atoms_of

from tests.models import lock_server
from tests.proofs import closet


def clauses(bound: Bound) -> dict[str, Clause]:
    """Return all candidates of a model by their text."""
    return {clause_text.text(c): c for c in clauses_of(atoms_of(bound.program.variables))}


def houdini(bound: Bound, *assumed: str, limit: float = 60.0) -> Houdini:
    """Return Houdini for an instance, with some of them assumed."""
    known = {p.name: p for p in bound.properties}
    return Houdini(bound, [known[n] for n in assumed], time.perf_counter() + limit)


def texts(found: Houdini) -> set[str]:
    """Return what is left, as text."""
    return {clause_text.text(c) for c in found.remaining if isinstance(c, Clause)}


@pytest.fixture(scope="module")
def locks() -> Bound:
    """Return the lock server with two clients."""
    return bind(lock_server.MODEL, lock_server.MODEL.instances[0])


@pytest.fixture(scope="module")
def guests() -> Bound:
    """Return the closet with two guests, and what is assumed of its door."""
    model = with_lemmas(closet.MODEL, closet.LIBRARY)
    return bind(model, model.instances[0])


def test_what_is_false_at_first_is_taken_away_though_steps_preserve_it(guests: Bound) -> None:
    known = clauses(guests)
    found = houdini(guests, "TheDoorIsLocked")
    found.offer([known["not s.free"], known["not s.inside"]])
    assert found.run() == []


def test_what_a_step_breaks_is_taken_away_and_with_it_what_leans_on_it(locks: Bound) -> None:
    known = clauses(locks)
    found = houdini(locks)
    found.offer([known["not s.free or not s.grants"], known["not s.free or not s.releases"]])
    assert found.run() == []


def test_what_steps_preserve_together_is_left(guests: Bound) -> None:
    known = clauses(guests)
    found = houdini(guests, "TheDoorIsLocked")
    found.offer(
        [
            known["all(g1 == g2 for g1 in s.inside for g2 in s.inside)"],
            known["not s.free"],
            known["not s.free or not s.inside"],
        ]
    )
    found.run()
    assert texts(found) == {
        "all(g1 == g2 for g1 in s.inside for g2 in s.inside)",
        "not s.free or not s.inside",
    }


def test_constants_may_have_any_values_unless_something_is_assumed(guests: Bound) -> None:
    known = clauses(guests)
    found = houdini(guests)
    found.offer([known["all(g1 == g2 for g1 in s.inside for g2 in s.inside)"]])
    assert found.run() == []


def test_a_core_has_what_a_candidate_needs_and_not_more(guests: Bound) -> None:
    known = clauses(guests)
    alone = known["all(g1 == g2 for g1 in s.inside for g2 in s.inside)"]
    free = known["not s.free or not s.inside"]
    locked = next(p for p in guests.properties if p.name == "TheDoorIsLocked")
    found = houdini(guests, "TheDoorIsLocked")
    found.offer([alone, free])
    found.run()
    assert found.core(alone) == {free, locked}
    assert found.core(free) == {alone}


def test_candidates_that_exclude_each_other_save_nothing_from_the_first_state(
    locks: Bound,
) -> None:
    known = clauses(locks)
    found = houdini(locks)
    found.offer([known["s.free"], known["not s.free"]])
    assert found.run() == []


def test_a_property_of_steps_has_a_core_where_it_holds(guests: Bound) -> None:
    known = clauses(guests)
    enters = next(p for p in guests.properties if p.name == "EntersAnEmptyCloset")
    found = houdini(guests, "TheDoorIsLocked")
    assert found.core(enters) is None
    found.offer([known["not s.free or not s.inside"]])
    assert found.core(enters) is not None


def test_without_time_it_says_that_it_came_to_no_end(locks: Bound) -> None:
    found = houdini(locks, limit=0.0)
    found.offer(list(clauses(locks).values()))
    found.run()
    assert not found.complete
