"""Proofs say what is proved, what that stands on, and name what is not proved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from ackproof.lang.binding import bind
from ackproof.lang.lemmas import Library
from ackproof.lang.model import Design, Instance
from ackproof.lang.properties import Lemma
from ackproof.proofs import attempt as attempts
from ackproof.proofs.attempt import Progress, differences, prepare, provable
from ackproof.proofs.discharge import Outcome
from ackproof.proofs.document import document, schema
from ackproof.proofs.library import LibraryError
from ackproof.proofs.report import Proof, ProofVerdict
from ackproof.proofs.solving import UNKNOWN

from tests.models import alternating_bit
from tests.proofs import spoiled
from tests.proofs.closet import LIBRARY, MODEL, Guest, bricked, forgetful


def changed(
    *by: str, lemmas: tuple[Any, ...] = (), follows: dict[str, tuple[str, ...]] | None = None
) -> Library:
    """Return the closet's library, with AloneInside proved with something else."""
    extra: dict[str, Lemma] = {f.__name__: f.__ackproof_lemma__ for f in lemmas}
    return Library(
        {**LIBRARY.lemmas, **extra},
        LIBRARY.assumptions,
        {**LIBRARY.proofs, **({"AloneInside": by} if by else {})},
        follows if follows is not None else LIBRARY.follows,
    )


def proved(library: Library = LIBRARY, *requested: str, design: Design | None = None) -> Proof:
    """Return what becomes of a proof about the closet."""
    return prepare(MODEL, library, requested, design, "changed" if design else None).run(limit=5.0)


def failing(proof: Proof) -> set[str]:
    """Return the names of what is not proved, and what became of it."""
    return {f"{o.obligation.name} {o.status}" for o in proof.unproved}


@pytest.fixture(scope="module")
def proof() -> Proof:
    """Return the proof of everything."""
    return proved()


def test_each_property_with_lemmas_is_proved(proof: Proof) -> None:
    assert proof.requested == (
        "AloneInside",
        "NoPair",
        "EntersAnEmptyCloset",
        "WhoLeavesIsOutside",
    )
    assert {proof.verdict(name) for name in proof.requested} == {ProofVerdict.PROVED}
    assert (proof.exit_code, proof.vacuities, proof.unproved) == (0, (), ())


def test_a_property_stands_on_what_it_is_proved_with(proof: Proof) -> None:
    assert proof.needs["NoPair"] == ("NoPair", "AloneInside", "FreeIsEmpty", "TheDoorIsLocked")
    assert [o.obligation.name for o in proof.of("NoPair")] == [
        "NoPair/always",
        "AloneInside/initially",
        "AloneInside/enter",
        "AloneInside/leave",
        "FreeIsEmpty/initially",
        "FreeIsEmpty/enter",
        "FreeIsEmpty/leave",
    ]


def test_what_is_assumed_is_said_and_not_proved(proof: Proof) -> None:
    assert proof.assumptions == (("TheDoorIsLocked", "There is a lock."),)
    assert "TheDoorIsLocked" not in proof.goals


def test_the_document_keeps_to_its_schema(proof: Proof) -> None:
    for one in (proof, proved(LIBRARY, "AloneInside", design=forgetful)):
        reported = json.loads(json.dumps(document([one])))
        jsonschema.validate(reported, schema())
    assert reported["results"][0]["properties"][0]["verdict"] == "refuted"
    assert reported["exit_code"] == 1


def test_a_wrong_step_is_named_as_what_fails() -> None:
    proof = proved(LIBRARY, "NoPair", design=forgetful)
    assert failing(proof) == {"FreeIsEmpty/enter refuted"}
    assert proof.verdict("NoPair") is ProofVerdict.REFUTED
    assert proof.exit_code == 1


def test_a_lemma_that_says_too_little_makes_what_it_is_for_fail() -> None:
    library = changed("SomebodyIsFree", "TheDoorIsLocked", lemmas=(spoiled.SomebodyIsFree,))
    proof = proved(library, "AloneInside")
    assert failing(proof) == {"AloneInside/enter refuted"}
    assert proof.verdict("SomebodyIsFree") is ProofVerdict.REFUTED


def test_without_what_it_assumes_a_property_is_not_proved() -> None:
    proof = proved(changed("FreeIsEmpty"), "AloneInside")
    assert failing(proof) == {"AloneInside/enter refuted"}


def test_a_step_that_has_no_formula_is_unknown_and_says_why() -> None:
    name = next(n for n in provable(alternating_bit.MODEL))
    proof = prepare(alternating_bit.MODEL, Library(), [name]).run(limit=2.0)
    assert proof.exit_code == 3
    assert "no formula says `require(" in proof.unproved[0].reason


def test_a_property_of_which_nothing_is_said_is_tried_by_itself() -> None:
    alone = Library(LIBRARY.lemmas, LIBRARY.assumptions)
    assert failing(proved(alone, "AloneInside")) == {"AloneInside/enter refuted"}


def test_a_timeout_is_unknown_and_never_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(_: Any, chosen: Any, *__: Any) -> Iterator[Outcome]:
        for number, one in enumerate(chosen):
            yield Outcome(one, UNKNOWN if number == 0 else "proved", 1.0, "timeout")

    monkeypatch.setattr(attempts, "discharge", late)
    proof = proved()
    assert failing(proof) == {"AloneInside/initially unknown"}
    assert proof.verdict("NoPair") is ProofVerdict.UNKNOWN
    assert proof.exit_code == 3


def test_what_was_not_decided_before_an_interruption_is_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped(_: Any, chosen: Any, *__: Any) -> Iterator[Outcome]:
        yield Outcome(chosen[0], "proved", 0.1)
        raise KeyboardInterrupt

    monkeypatch.setattr(attempts, "discharge", stopped)
    proof = proved()
    assert proof.interrupted
    assert proof.exit_code == 3
    assert len(proof.unproved) == len(proof.outcomes) - 1


def test_what_has_a_counterexample_after_all_is_refuted(proof: Proof) -> None:
    other = proof.refuting(["FreeIsEmpty/enter"])
    assert failing(other) == {"FreeIsEmpty/enter refuted"}
    assert proof.unproved == ()


def test_progress_tells_of_each_obligation() -> None:
    reported: list[Progress] = []
    prepare(MODEL, LIBRARY, ["NoPair"]).run(limit=5.0, progress=reported.append)
    assert [p.done for p in reported[:7]] == [1, 2, 3, 4, 5, 6, 7]
    assert reported[0].total == 7
    assert reported[-1].proved == 7


def test_two_workers_find_the_same(proof: Proof) -> None:
    other = prepare(MODEL, LIBRARY).run(workers=2, limit=5.0)
    assert [(o.obligation, o.status) for o in other.outcomes] == [
        (o.obligation, o.status) for o in proof.outcomes
    ]


def test_the_digest_changes_with_the_lemmas_and_with_the_design() -> None:
    digests = {
        prepare(MODEL, library, ["AloneInside"], design).digest()
        for library, design in (
            (LIBRARY, None),
            (LIBRARY, forgetful),
            (changed("FreeIsEmpty"), None),
        )
    }
    assert len(digests) == 3
    assert prepare(MODEL, LIBRARY, ["AloneInside"]).digest() in digests


def test_a_kept_document_that_is_of_something_else_is_found_out(proof: Proof) -> None:
    kept = document([proof])
    assert differences(kept, MODEL, LIBRARY) == []
    assert differences(kept, MODEL, changed("FreeIsEmpty")) == [
        "the specification or its lemmas have changed since"
    ]
    assert differences(document([proved(LIBRARY, "NoPair")]), MODEL, LIBRARY) == [
        "AloneInside is not in it",
        "EntersAnEmptyCloset is not in it",
        "WhoLeavesIsOutside is not in it",
    ]
    fewer = replace(LIBRARY, follows={})
    assert differences(kept, MODEL, fewer) == ["NoPair is in it, and is not proved"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("EverybodyLeaves", "EverybodyLeaves is of the kind 'eventually', and has no ranking to "),
        ("Nothing", "Nothing is not there: what can be proved is true of states or of steps\n"),
    ],
)
def test_what_cannot_be_proved_is_rejected(name: str, said: str) -> None:
    with pytest.raises(LibraryError) as error:
        prepare(MODEL, LIBRARY, [name])
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("library", "said"),
    [
        (changed("Nobody"), "AloneInside is to be proved with Nobody, which is not there\n"),
        (
            changed("EntersAnEmptyCloset"),
            "AloneInside is to be proved with EntersAnEmptyCloset, which says nothing of a state\n",
        ),
        (
            changed(follows={"NoPair": ("AloneInside",), "AloneInside": ("NoPair",)}),
            "properties are said to follow from each other in a circle: "
            "NoPair follows from AloneInside follows from NoPair\n",
        ),
        (
            replace(LIBRARY, assumptions=spoiled.ASSUMED),
            "TheKeyIsFree is an assumption, and reads free, which steps change\n",
        ),
        (
            changed(follows={"AloneInside": ("FreeIsEmpty",), "FreeIsEmpty": ("NoPair",)}),
            "FreeIsEmpty is a lemma, and FOLLOWS has it too\n",
        ),
        (Library(), "there is nothing to prove of closet: nothing says what its properties are "),
    ],
)
def test_a_library_that_would_prove_anything_is_rejected(library: Library, said: str) -> None:
    with pytest.raises(LibraryError) as error:
        prepare(MODEL, library)
    assert str(error.value).startswith(said)
    assert "\n  instead: " in str(error.value)


def test_a_step_that_is_never_taken_is_no_success() -> None:
    proof = proved(LIBRARY, "NoPair", design=bricked)
    assert {proof.verdict(n) for n in proof.requested} == {ProofVerdict.PROVED}
    assert [v.name for v in proof.vacuities] == ["enter"]
    assert proof.exit_code == 3


def test_an_assumption_that_an_instance_does_not_meet_restricts_what_is_proved() -> None:
    unlocked = Instance("open", "no lock", {Guest: 2}, constants={"Closet.locked": False})
    model = replace(MODEL, instances=(*MODEL.instances, unlocked))
    assert bind(model, unlocked).constants["locked", ()] is False
    proof = prepare(model, LIBRARY, ["AloneInside"]).run(limit=5.0)
    assert proof.verdict("AloneInside") is ProofVerdict.RESTRICTED
    assert proof.restricted("AloneInside") == ("TheDoorIsLocked",)
    assert prepare(MODEL, LIBRARY, ["AloneInside"]).unmet() == set()
