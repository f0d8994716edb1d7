"""What is proved is shown as it was proved, and proved once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ackproof.model.cache import Cache
from ackproof.proofs import attempt
from ackproof.proofs.attempt import prepare, provable
from ackproof.proofs.document import document, schema
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL
from specdoc.library import Library, build_library
from specdoc.proving import proof_document

from tests.docs.test_build import build, text_of
from tests.proofs import closet
from tests.proofs.noticed import BEYOND, NOTICED

#: The section of the page that says what has no proof.
_LEFT = (Path(__file__).parents[2] / "docs/proofs.rst").read_text()
_LEFT = _LEFT.partition("What has no proof\n")[2].partition("How a proof is read\n")[0]

PAGE = "Proofs\n======\n\n.. proof-table::\n\n.. lemmas::\n\n.. assumptions::\n"


@pytest.fixture
def lib(monkeypatch: pytest.MonkeyPatch) -> Library:
    """Document the closet."""
    found = build_library(closet.MODEL, (), ())
    monkeypatch.setattr("specdoc.markup.library", lambda: found)
    monkeypatch.setattr("specdoc.domain.library", lambda: found)
    monkeypatch.setattr("specdoc.proving.lemma_library", lambda _: closet.LIBRARY)
    return found


@pytest.fixture(scope="module")
def proof() -> dict[str, Any]:
    return document([prepare(closet.MODEL, closet.LIBRARY).run(limit=5.0)])


@pytest.mark.usefixtures("lib")
def test_the_table_says_how_each_property_is_known(
    tmp_path: Path, proof: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("specdoc.evidence.proof_document", lambda *_: proof)
    html, _ = build(tmp_path, index=PAGE)
    text = text_of(html)
    assert "Property Searched on Proved for Obligations Fails in" in text
    assert "AloneInside 1 instance any sizes 6 of 6 –" in text
    assert "FreeIsEmpty Where the key hangs, nobody is inside. AloneInside, TheDoor" in text
    assert "Assumed of the constants: TheDoorIsLocked: There is a lock." in text
    assert "Sizes: any number of Guest, any constants, any number of faults." in text


@pytest.mark.usefixtures("lib")
def test_what_is_not_proved_names_where_it_fails(
    tmp_path: Path, proof: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = json.loads(json.dumps(proof))
    other["results"][0]["properties"][0] |= {"verdict": "unknown", "fails": ["FreeIsEmpty/enter"]}
    other["results"][0]["properties"].pop(1)
    monkeypatch.setattr("specdoc.evidence.proof_document", lambda *_: other)
    html, _ = build(tmp_path, index=PAGE)
    text = text_of(html)
    assert (
        "AloneInside 1 instance the sizes of these; for all unknown at FreeIsEmpty/enter 6" in text
    )
    assert "NoPair 1 instance the sizes of these – –" in text


@pytest.mark.usefixtures("lib")
def test_what_was_proved_is_not_proved_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = proof_document(closet.MODEL, Cache(tmp_path))
    jsonschema.validate(first, schema())
    assert {p["verdict"] for p in first["results"][0]["properties"]} <= {"proved", "restricted"}
    monkeypatch.setattr(attempt, "discharge", lambda _, left, *__: map(pytest.fail, map(str, left)))
    again = proof_document(closet.MODEL, Cache(tmp_path))
    assert again["results"][0]["properties"] == first["results"][0]["properties"]


def test_the_page_says_by_which_obligation_each_mistake_is_noticed(tmp_path: Path) -> None:
    html, _ = build(tmp_path, index="Mistakes\n========\n\n.. noticed::\n")
    text = text_of(html)
    assert "Property Mistake that breaks it Seen on Noticed by" in text
    assert (
        "AckMeansEveryMirror TrustingChannel: Releases a queue at the first confirm, whichever of "
        "its processes sends it (A8.3). mirrors OwingIsAsked/confirm_arrives:1"
    ) in text
    assert "limits nothing: it is beyond RefusersAreAlone" in text
    assert html.count("<tr") == 1 + len({*NOTICED, *BEYOND})


def test_the_page_names_what_has_no_proof() -> None:
    properties = set(provable(MODEL))
    named = {name for name in re.findall(r"`(\w+)`", _LEFT) if name in properties}
    proved = {*LIBRARY.proofs, *LIBRARY.follows, *LIBRARY.rankings}
    assert named - proved == properties - proved
