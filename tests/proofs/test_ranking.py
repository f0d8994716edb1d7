"""What must happen in the end is proved by what gets smaller, and only where it does happen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ackproof.lang import Design, Ranking
from ackproof.lang.lemmas import Library
from ackproof.model.check import check
from ackproof.proofs.attempt import prepare
from ackproof.proofs.library import LibraryError
from ackproof.proofs.report import Proof, ProofVerdict

from tests.proofs import post
from tests.proofs.post import LIBRARY, MODEL

SETS = ("Unseen", "Waiting", "Loaded")


def ranked(measure: tuple[str, ...] = SETS, helpful: tuple[str, ...] = post.HELP) -> Library:
    """Return the library with another ranking for what is proved."""
    ranking = Ranking(measure, helpful, by=("NothingIsLost",))
    return replace(LIBRARY, rankings={"NothingIsLeft": ranking})


def proved(library: Library = LIBRARY, design: Design | None = None, *names: str) -> Proof:
    """Return what becomes of a proof about the post office."""
    return prepare(MODEL, library, names, design, "changed" if design else None).run(limit=5.0)


def violated(design: Design | None) -> set[str]:
    """Return which properties a search finds to be false."""
    found = check(MODEL, MODEL.instances[0], design).traces
    return {trace.property.partition("[")[0] for trace in found}


def failing(proof: Proof, name: str) -> set[str]:
    """Return the obligations of a property that are not proved."""
    return {o.obligation.name for o in proof.failed(name)}


def test_what_gets_smaller_until_it_happens_is_proved_for_any_sizes() -> None:
    proof = proved()
    assert proof.requested == ("NothingIsLeft", "ParcelArrives")
    assert {proof.verdict(name) for name in proof.requested} == {ProofVerdict.PROVED}
    assert violated(None) == {"BellRings"}


def test_a_proof_names_the_actions_on_whose_fairness_it_rests() -> None:
    assert proved().goals["NothingIsLeft"].fair == ("load", "deliver")


@pytest.mark.parametrize(
    ("design", "fails"),
    [
        (post.idle, {"NothingIsLeft/MayBeLoaded/fairness"}),
        (post.returning, {"NothingIsLeft/Waiting/ring"}),
        (post.distracted, {"NothingIsLeft/MayBeLoaded/enabling"}),
        (
            post.copying,
            {"NothingIsLeft/MayBeLoaded/descent", "NothingIsLeft/Loaded/load"},
        ),
        (post.locked, {"NothingIsLeft/MayBeDelivered/enabling"}),
        (post.losing, {"NothingIsLost/deliver"}),
    ],
    ids=lambda value: value.claim if isinstance(value, Design) else "",
)
def test_a_design_that_lets_it_not_happen_is_not_proved(design: Design, fails: set[str]) -> None:
    proof = proved(LIBRARY, design)
    assert failing(proof, "NothingIsLeft") == fails
    assert proof.exit_code == 1
    assert violated(design) >= {"NothingIsLeft", "ParcelArrives"}


@pytest.mark.parametrize(
    ("ranking", "design", "fails"),
    [
        # A step that is waited for may be impossible before it is taken, again and again.
        (
            ranked(helpful=("MayBeLoadedQuietly", "MayBeSilenced", "MayBeDelivered")),
            post.distracted,
            {"NothingIsLeft/MayBeLoadedQuietly/ring", "NothingIsLeft/MayBeSilenced/descent"},
        ),
        # Nobody says what becomes of what is loaded.
        (ranked(helpful=("MayBeLoaded",)), None, {"NothingIsLeft/progress"}),
        # What is loaded grows, and what pays for it counts less.
        (ranked(("Unseen", "Loaded", "Waiting")), None, {"NothingIsLeft/Loaded/load"}),
        # Nothing pays for new parcels.
        (ranked(("Waiting", "Loaded")), None, {"NothingIsLeft/Waiting/hand_in"}),
        # Nothing gets smaller when a parcel is delivered.
        (ranked(("Unseen", "Waiting")), None, {"NothingIsLeft/MayBeDelivered/descent"}),
    ],
)
def test_a_ranking_that_shows_too_little_is_no_proof(
    ranking: Library, design: Design | None, fails: set[str]
) -> None:
    proof = proved(ranking, design, "NothingIsLeft")
    assert failing(proof, "NothingIsLeft") == fails
    assert proof.verdict("NothingIsLeft") is ProofVerdict.REFUTED


@pytest.mark.parametrize(
    ("rankings", "said"),
    [
        (
            {"NothingIsLost": Ranking(SETS, post.HELP)},
            "NothingIsLost has a ranking, and is not marked with @eventually",
        ),
        (
            {"NothingIsLeft": Ranking(post.HELP, post.HELP)},
            "the ranking of NothingIsLeft names MayBeLoaded, which is not marked with @measure",
        ),
        (
            {"NothingIsLeft": Ranking(SETS, ("NothingIsLost",))},
            "the ranking of NothingIsLeft names NothingIsLost, which is not marked with @helpful",
        ),
    ],
)
def test_a_ranking_of_something_else_is_rejected(rankings: dict[str, Ranking], said: str) -> None:
    with pytest.raises(LibraryError, match=said):
        proved(replace(LIBRARY, rankings={**LIBRARY.rankings, **rankings}), None, "ParcelArrives")
