"""What proves everything proves nothing: inconsistent hypotheses are reported as what they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ackproof.lang.lemmas import Library
from ackproof.lang.model import Design
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.vacuity import Vacuity, vacuities

from tests.proofs import spoiled
from tests.proofs.closet import LIBRARY, MODEL, bricked


def inconsistencies(
    *more: Any, design: Design | None = None, assumptions: tuple[Any, ...] = ()
) -> list[Vacuity]:
    """Return what is inconsistent where the closet's library has more lemmas and assumptions."""
    lemmas = {f.__name__: f.__ackproof_lemma__ for f in more}
    new = {f.__name__: f.__ackproof_assumption__ for f in assumptions}
    library = replace(
        LIBRARY,
        lemmas={**LIBRARY.lemmas, **lemmas},
        assumptions={**LIBRARY.assumptions, **new},
        proofs={**LIBRARY.proofs, "NoPair": (*lemmas, *new)},
        follows={},
    )
    names = library.closure(["AloneInside", "NoPair"])
    return list(vacuities(Obligations(MODEL, library, design), names, 2.0))


def test_a_sound_proof_has_nothing_inconsistent() -> None:
    assert inconsistencies() == []


def test_assumptions_that_exclude_each_other() -> None:
    assert inconsistencies(assumptions=(spoiled.ThereIsNoLock,)) == [
        Vacuity(
            "assumptions",
            "",
            "the assumptions are inconsistent, no constants meet them together: "
            "TheDoorIsLocked, ThereIsNoLock",
        )
    ]


def test_an_invariant_that_excludes_every_initial_state() -> None:
    first, *_ = inconsistencies(spoiled.NeverFree)
    assert first == Vacuity(
        "initial",
        "NeverFree",
        "NeverFree excludes every initial state: it is false of each, whatever the sizes",
    )


def test_a_guard_that_can_never_hold() -> None:
    assert [(v.kind, v.name) for v in inconsistencies(design=bricked)] == [("guard", "enter")]


def test_an_invariant_under_which_steps_are_impossible() -> None:
    found = inconsistencies(spoiled.NobodyEverEnters)
    assert [(v.kind, v.name) for v in found] == [
        ("initial", "NobodyEverEnters"),
        ("excluded", "enter"),
        ("excluded", "leave"),
    ]


def test_what_is_inconsistent_empties_only_what_stands_on_it() -> None:
    initial, *_ = inconsistencies(spoiled.NeverFree)
    assert initial.concerns(["NoPair", "NeverFree"])
    assert not initial.concerns(["AloneInside"])
    assert Vacuity("assumptions", "", "").concerns(["AloneInside"])
    assert not Vacuity("guard", "enter", "").concerns(["AloneInside", "enter"])


def test_a_library_without_assumptions_has_none_that_exclude_each_other() -> None:
    library = Library(proofs={"AloneInside": ()})
    found = list(vacuities(Obligations(MODEL, library), ["AloneInside"], 2.0))
    assert found == []
