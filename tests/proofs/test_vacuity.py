"""What proves everything proves nothing: void hypotheses are reported as what they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ackproof.proofs.lemma import Library
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.vacuity import Vacuity, vacuities
from ackproof.spec.lang.model import Design

from tests.proofs import spoiled
from tests.proofs.closet import LIBRARY, MODEL, bricked


def void(
    *claims: Any, design: Design | None = None, suppositions: tuple[Any, ...] = ()
) -> list[Vacuity]:
    """Return what is void where the closet's library has other lemmas and suppositions, too."""
    lemmas = {f.__name__: f.__ackproof_lemma__ for f in claims}
    supposed = {f.__name__: f.__ackproof_assumption__ for f in suppositions}
    library = replace(
        LIBRARY,
        lemmas={**LIBRARY.lemmas, **lemmas},
        assumptions={**LIBRARY.assumptions, **supposed},
        proofs={**LIBRARY.proofs, "NoPair": (*lemmas, *supposed)},
        follows={},
    )
    names = library.closure(["AloneInside", "NoPair"])
    return list(vacuities(Obligations(MODEL, library, design), names, 2.0))


def test_a_sound_proof_has_nothing_void() -> None:
    assert void() == []


def test_suppositions_that_exclude_each_other() -> None:
    assert void(suppositions=(spoiled.ThereIsNoLock,)) == [
        Vacuity(
            "suppositions",
            "",
            "no constants meet what is supposed of them together: TheDoorIsLocked, ThereIsNoLock",
        )
    ]


def test_an_invariant_that_excludes_every_initial_state() -> None:
    first, *_ = void(spoiled.NeverFree)
    assert first == Vacuity(
        "initial",
        "NeverFree",
        "NeverFree excludes every initial state: it is false of each, whatever the sizes",
    )


def test_a_guard_that_can_never_hold() -> None:
    assert [(v.kind, v.name) for v in void(design=bricked)] == [("guard", "enter")]


def test_an_invariant_under_which_steps_are_impossible() -> None:
    found = void(spoiled.NobodyEverEnters)
    assert [(v.kind, v.name) for v in found] == [
        ("initial", "NobodyEverEnters"),
        ("excluded", "enter"),
        ("excluded", "leave"),
    ]


def test_what_is_void_empties_only_what_stands_on_it() -> None:
    initial, *_ = void(spoiled.NeverFree)
    assert initial.concerns(["NoPair", "NeverFree"])
    assert not initial.concerns(["AloneInside"])
    assert Vacuity("suppositions", "", "").concerns(["AloneInside"])
    assert not Vacuity("guard", "enter", "").concerns(["AloneInside", "enter"])


def test_a_library_without_suppositions_has_none_that_exclude_each_other() -> None:
    library = Library(proofs={"AloneInside": ()})
    found = list(vacuities(Obligations(MODEL, library), ["AloneInside"], 2.0))
    assert found == []
