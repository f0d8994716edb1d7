"""What must happen in the end is proved by what gets smaller, and only where it does happen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ackproof.lang import Design, Ranking
from ackproof.lang.lemmas import Library
from ackproof.model.cache import Cache
from ackproof.model.check import check
from ackproof.proofs import recheck
from ackproof.proofs.attempt import prepare
from ackproof.proofs.certificate import write
from ackproof.proofs.document import document, schema
from ackproof.proofs.library import LibraryError
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.ranking import KINDS, meaning
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
    assert proof.requested == ("NothingIsLeft", "OfficeIsEmpty", "ParcelArrives")
    assert {proof.verdict(name) for name in proof.requested} == {ProofVerdict.PROVED}
    assert violated(None) == {"BellRings"}


def test_a_proof_names_the_actions_on_whose_fairness_it_rests() -> None:
    proof = proved()
    assert proof.goals["NothingIsLeft"].fair == ("load", "deliver")
    assert proof.goals["OfficeIsEmpty"].fair == ("load", "deliver")
    assert proof.goals["NothingIsLost"].fair == ()


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


# -- what follows ------------------------------------------------------------------------------


def test_what_is_true_whenever_something_else_is_follows_from_that() -> None:
    proof = proved(LIBRARY, None, "OfficeIsEmpty")
    assert proof.verdict("OfficeIsEmpty") is ProofVerdict.PROVED
    assert [o.obligation.name for o in proof.by_goal["OfficeIsEmpty"]] == ["OfficeIsEmpty/always"]
    assert proved(LIBRARY, post.idle, "OfficeIsEmpty").verdict("OfficeIsEmpty") is (
        ProofVerdict.REFUTED
    )


def test_what_may_be_false_then_does_not_follow() -> None:
    rankings = {"OfficeIsEmpty": LIBRARY.rankings["NothingIsLeft"]}
    library = replace(LIBRARY, rankings=rankings, follows={"NothingIsLeft": ("OfficeIsEmpty",)})
    assert "NothingIsLeft/always" in failing(
        proved(library, None, "NothingIsLeft"), "NothingIsLeft"
    )


@pytest.mark.parametrize(
    ("follows", "said"),
    [
        (
            {"BellRings": ("NothingIsLeft", "OfficeIsEmpty")},
            "BellRings is to follow from NothingIsLeft and OfficeIsEmpty, and two properties of",
        ),
        ({"BellRings": ("NothingIsLost",)}, "BellRings is to follow from invariants only"),
        ({"BellRings": ("ParcelArrives",)}, "BellRings is not about the same elements as what"),
    ],
)
def test_what_cannot_follow_is_rejected(follows: dict[str, tuple[str, ...]], said: str) -> None:
    library = replace(LIBRARY, follows={**LIBRARY.follows, **follows})
    with pytest.raises(LibraryError, match=said):
        proved(library, None, *follows)


def test_a_lemma_says_once_what_it_is_proved_with() -> None:
    [known] = LIBRARY.lemmas.values()
    lemmas = {"NothingIsLost": replace(known, by=("NothingIsLost",))}
    library = replace(LIBRARY, lemmas=lemmas, follows={"NothingIsLost": ("NothingIsLeft",)})
    with pytest.raises(LibraryError, match="NothingIsLost is a lemma, and FOLLOWS has it too"):
        proved(library, None, "NothingIsLost")


def test_no_state_property_is_proved_with_what_happens_in_the_end() -> None:
    [known] = LIBRARY.lemmas.values()
    library = replace(LIBRARY, lemmas={"NothingIsLost": replace(known, by=("NothingIsLeft",))})
    with pytest.raises(LibraryError, match="NothingIsLost is to be proved with NothingIsLeft, wh"):
        proved(library, None, "NothingIsLeft")


# -- what is written down ----------------------------------------------------------------------


@pytest.fixture
def manifest(tmp_path: Path) -> dict[str, Any]:
    """Return the manifest of a certificate, whose files are in a folder."""
    return write(tmp_path, prepare(MODEL, LIBRARY), (*MODEL.properties, *LIBRARY.claims()))


def test_each_file_of_a_certificate_is_shown_by_two_solvers(
    manifest: dict[str, Any], tmp_path: Path
) -> None:
    assert list(recheck.shape(manifest)) == []
    for one in manifest["obligations"]:
        text = (tmp_path / one["file"]).read_text()
        assert (recheck.by_z3(text, 5.0), recheck.by_cvc5(text, 5.0)) == ("unsat", "unsat")


def test_a_certificate_says_for_which_steps_nothing_has_to_be_shown(
    manifest: dict[str, Any],
) -> None:
    [goal] = [g for g in manifest["goals"] if g["name"] == "NothingIsLeft"]
    assert goal["rule"] == "ranking"
    assert manifest["faults"] == ["break_down"]
    said = {
        part["name"]: (part["kind"], part["action"], part["untouched"]) for part in goal["parts"]
    }
    assert said["Unseen"] == ("measure", None, ["ring", "load", "deliver"])
    assert said["MayBeLoaded"] == ("helpful", "load", ["ring", "deliver"])


def test_no_obligation_of_a_ranking_can_be_left_out(manifest: dict[str, Any]) -> None:
    for one in [o for o in manifest["obligations"] if o["goal"] == "NothingIsLeft"]:
        rest = [o for o in manifest["obligations"] if o is not one]
        [problem] = recheck.shape({**manifest, "obligations": rest})
        assert problem.startswith("nothing shows")


def test_nothing_is_proved_with_what_only_happens_in_the_end(manifest: dict[str, Any]) -> None:
    one = next(o for o in manifest["obligations"] if o["goal"] == "ParcelArrives")
    one["hypotheses"] = ["NothingIsLeft"]
    goal = next(g for g in manifest["goals"] if g["name"] == "ParcelArrives")
    goal["by"] = ["NothingIsLeft"]
    [problem] = recheck.shape(manifest)
    assert "assumes NothingIsLeft" in problem


def test_a_document_says_on_whose_fairness_a_proof_rests() -> None:
    made = document([proved()])
    jsonschema.validate(made, schema())
    [result] = made["results"]
    assert result["properties"][0]["fair"] == ["load", "deliver"]
    assert {o["kind"] for o in result["obligations"]} >= set(KINDS)


def test_another_order_of_the_measure_is_another_proof(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "kept")
    prepare(MODEL, LIBRARY, ["NothingIsLeft"]).run(limit=5.0, cache=cache)
    again = prepare(MODEL, LIBRARY, ["NothingIsLeft"]).run(limit=5.0, cache=cache)
    assert all(o.kept for o in again.outcomes)
    other = ranked(("Unseen", "Loaded", "Waiting"))
    changed = prepare(MODEL, other, ["NothingIsLeft"]).run(limit=5.0, cache=cache)
    assert failing(changed, "NothingIsLeft") == {"NothingIsLeft/Loaded/load"}
    assert changed.digest != again.digest


@pytest.mark.parametrize("kind", KINDS)
def test_each_way_to_fail_is_said_in_a_sentence(kind: str) -> None:
    assert "load" in meaning(Obligation("G", kind, "load", part="P")) or kind == "progress"
