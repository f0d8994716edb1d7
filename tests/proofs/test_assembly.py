"""What holds at small sizes is proved for any sizes before it is called a lemma."""

from __future__ import annotations

import time

from ackproof.lang.lemmas import Library
from ackproof.proofs import clause_text
from ackproof.proofs.assembly import Assembly
from ackproof.proofs.templates import Clause, clauses_of
from ackproof.proofs.vocabulary import atoms_of

from tests.proofs import closet


def assembly(limit: float = 60.0) -> Assembly:
    """Return a proof in the making that the closet has one guest at most."""
    given = Library({}, closet.LIBRARY.assumptions)
    until = time.perf_counter() + limit
    return Assembly(closet.MODEL, None, given, ["AloneInside"], ("TheDoorIsLocked",), 5.0, until)


def clause(made: Assembly, text: str) -> Clause:
    """Return the candidate that is written so."""
    atoms = atoms_of(made.obligations.program.variables)
    return next(c for c in clauses_of(atoms) if clause_text.text(c) == text)


def test_candidates_are_proved_with_each_other() -> None:
    made = assembly()
    alone = made.obligations.properties["AloneInside"]
    free = clause(made, "not s.free or not s.inside")
    locked = made.obligations.properties["TheDoorIsLocked"]
    assert made.take({alone: {free, locked}, free: {alone}}) is None
    assert list(made.best.proofs) == ["AloneInside"]
    assert made.library.proofs == {"AloneInside": ("FreeExcludesInside", "TheDoorIsLocked")}


def test_a_candidate_that_needs_more_than_it_did_at_small_sizes_gets_it() -> None:
    made = assembly()
    alone = made.obligations.properties["AloneInside"]
    free = clause(made, "not s.free or not s.inside")
    assert made.take({alone: set(), free: set()}) is None
    assert made.library.by("AloneInside") == ("FreeExcludesInside", "TheDoorIsLocked")
    assert made.library.by("FreeExcludesInside") == ("AloneInside",)


def test_what_is_not_proved_for_any_sizes_is_handed_back() -> None:
    made = assembly()
    alone = made.obligations.properties["AloneInside"]
    never = clause(made, "not s.inside")
    assert made.take({never: set(), alone: {never}}) == never
    assert made.best.proofs == {}


def test_a_property_that_is_not_proved_is_handed_back_and_said_to_be_missing() -> None:
    made = assembly()
    alone = made.obligations.properties["AloneInside"]
    assert made.take({alone: set()}) == alone
    assert made.missing == {"AloneInside": "AloneInside/enter is not proved for any sizes"}


def test_without_time_nothing_is_called_proved() -> None:
    made = assembly(limit=0.0)
    alone = made.obligations.properties["AloneInside"]
    assert made.take({alone: set()}) == alone
