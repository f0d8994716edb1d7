"""The core of a proof: the lemmas that it needs, and the hypotheses that are unused."""

from __future__ import annotations

from dataclasses import replace

from ackproof.lang.lemmas import Library
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.proof_core import hypothesis_core, leave_one_out, unused_hypotheses

from tests.proofs import spoiled
from tests.proofs.closet import LIBRARY, MODEL


def closet(**by: tuple[str, ...]) -> Obligations:
    """Return the closet's proof, with one lemma more, and properties proved with something else."""
    extra = {"SomebodyIsFree": spoiled.SomebodyIsFree.__ackproof_lemma__}  # type: ignore[attr-defined]
    library = Library({**LIBRARY.lemmas, **extra}, LIBRARY.assumptions, {**LIBRARY.proofs, **by})
    return Obligations(MODEL, library)


def entering(obligations: Obligations, *hypotheses: str) -> Obligation:
    """Return the obligation that whoever enters is alone."""
    found = next(o for o in obligations.of_one("AloneInside") if o.action == "enter")
    return replace(found, hypotheses=hypotheses)


def test_a_lemma_that_the_proof_fails_without_is_necessary() -> None:
    found = list(leave_one_out(closet(), ["AloneInside"], 5.0))
    assert [(n.lemma, n.in_core, n.status) for n in found] == [
        ("AloneInside", True, "refuted"),
        ("FreeIsEmpty", True, "refuted"),
    ]
    assert [n.failing.name for n in found if n.failing] == [
        "FreeIsEmpty/leave",
        "AloneInside/enter",
    ]


def test_a_lemma_that_says_nothing_is_not_necessary() -> None:
    obligations = closet(AloneInside=("SomebodyIsFree", "FreeIsEmpty", "TheDoorIsLocked"))
    found = {n.lemma: n.in_core for n in leave_one_out(obligations, ["AloneInside"], 5.0)}
    assert found == {"AloneInside": True, "FreeIsEmpty": True, "SomebodyIsFree": False}


def test_what_is_left_may_lean_on_all_of_the_rest() -> None:
    obligations = closet(NoPair=("FreeIsEmpty", "TheDoorIsLocked", "AloneInside"))
    found = {n.lemma: n.in_core for n in leave_one_out(obligations, ["NoPair"], 5.0)}
    assert found["AloneInside"] is False, "NoPair says the same"


def test_what_is_not_proved_in_time_is_called_necessary() -> None:
    found = list(leave_one_out(closet(), ["AloneInside"], 0.0))
    assert {n.status for n in found} == {"unknown"}
    assert all(n.in_core for n in found)


def test_only_hypotheses_that_are_needed_are_kept() -> None:
    obligations = closet()
    one = entering(obligations, "AloneInside", "SomebodyIsFree", "FreeIsEmpty", "TheDoorIsLocked")
    assert hypothesis_core(obligations, one, 5.0) == ("FreeIsEmpty", "TheDoorIsLocked")


def test_of_an_obligation_that_is_not_met_nothing_is_enough() -> None:
    obligations = closet()
    assert hypothesis_core(obligations, entering(obligations, "FreeIsEmpty"), 5.0) is None
    one = entering(obligations, "FreeIsEmpty", "TheDoorIsLocked")
    assert hypothesis_core(obligations, one, 0.0) is None


def test_hypotheses_that_nothing_leans_on_are_named() -> None:
    obligations = closet(AloneInside=("SomebodyIsFree", "FreeIsEmpty", "TheDoorIsLocked"))
    names = obligations.library.closure(["AloneInside", "EntersAnEmptyCloset"])
    assert unused_hypotheses(obligations, names, 5.0) == {
        "AloneInside": ("SomebodyIsFree",),
        "SomebodyIsFree": ("AloneInside", "TheDoorIsLocked"),
        "FreeIsEmpty": ("TheDoorIsLocked",),
    }


def test_in_doubt_a_hypothesis_is_not_called_superfluous() -> None:
    obligations = closet(AloneInside=("SomebodyIsFree", "FreeIsEmpty", "TheDoorIsLocked"))
    assert unused_hypotheses(obligations, ["AloneInside"], 0.0) == {}
