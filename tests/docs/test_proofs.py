"""What is proved is read from a file, which must be of this specification and its lemmas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ackproof.model.era_table import EraTable
from ackproof.model.eras import DOCUMENTED, Era, Surveyor
from ackproof.proofs.document import document, schema
from ackproof.proofs.lemmas import LIBRARY
from ackproof.proofs.prove import differences, prepare
from ackproof.spec.model import MODEL
from specdoc.eras import FILE as ERAS
from specdoc.library import Library, build_library
from specdoc.proofs import FILE, REMEDY

from tests.docs.test_build import build, text_of
from tests.proofs import closet

KEPT = Path(__file__).parents[2] / "docs" / FILE

PAGE = "Proofs\n======\n\n.. proof-table::\n\n.. lemmas::\n\n.. suppositions::\n"


def kept() -> dict[str, Any]:
    assert KEPT.exists(), f"there are no proofs; {REMEDY}"
    found: dict[str, Any] = json.loads(KEPT.read_text())
    return found


def test_the_kept_proofs_are_of_this_specification() -> None:
    assert differences(kept(), MODEL, LIBRARY) == [], f"the proofs are old; {REMEDY}"


def test_the_kept_proofs_are_a_document_in_which_nothing_is_refuted() -> None:
    jsonschema.validate(kept(), schema())
    assert kept()["exit_code"] in (0, 3)
    assert not kept()["results"][0]["interrupted"]


@pytest.fixture
def lib(monkeypatch: pytest.MonkeyPatch) -> Library:
    """Document the closet."""
    found = build_library(closet.MODEL, (), ())
    monkeypatch.setattr("specdoc.markup.library", lambda: found)
    monkeypatch.setattr("specdoc.domain.library", lambda: found)
    monkeypatch.setattr("specdoc.proofs.known_lemmas", lambda: closet.LIBRARY)
    return found


@pytest.fixture(scope="module")
def proof() -> dict[str, Any]:
    return document([prepare(closet.MODEL, closet.LIBRARY).run(limit=5.0)])


def drawn(folder: Path, proof: dict[str, Any]) -> tuple[str, str]:
    """Return the page and the warnings, where the closet has been searched and proved."""
    era, surveyor = Era(DOCUMENTED, closet.MODEL), Surveyor(engine="plain")
    runs = [surveyor.run(era, i) for i in era.instances]
    table = EraTable((era,), tuple(runs), {DOCUMENTED: ()})
    (folder / ERAS).write_text(json.dumps(table.document()))
    (folder / FILE).write_text(json.dumps(proof))
    html, warnings = build(folder, index=PAGE)
    return text_of(html), warnings


@pytest.mark.usefixtures("lib")
def test_the_table_says_how_each_property_is_known(tmp_path: Path, proof: dict[str, Any]) -> None:
    text, warnings = drawn(tmp_path, proof)
    assert "Property Searched on Proved for Obligations Fails in" in text
    assert "AloneInside 1 instance any sizes 6 of 6 –" in text
    assert "FreeIsEmpty Where the key hangs, nobody is inside. AloneInside, TheDoor" in text
    assert "Supposed of the constants: TheDoorIsLocked: There is a lock." in text
    assert "Sizes: any number of Guest, any constants, any number of faults." in text
    assert "out of date" not in warnings


@pytest.mark.usefixtures("lib")
def test_what_is_not_proved_names_where_it_fails(tmp_path: Path, proof: dict[str, Any]) -> None:
    other = json.loads(json.dumps(proof))
    other["results"][0]["properties"][0] |= {"verdict": "unknown", "fails": ["FreeIsEmpty/enter"]}
    other["results"][0]["properties"].pop(1)
    text, warnings = drawn(tmp_path, other)
    assert (
        "AloneInside 1 instance the sizes of these; for all unknown at FreeIsEmpty/enter 6" in text
    )
    assert "NoPair 1 instance the sizes of these – –" in text
    assert f"docs/proofs.json is out of date: NoPair is not in it; {REMEDY}" in warnings


@pytest.mark.usefixtures("lib")
def test_without_a_file_there_is_a_warning_and_no_table(tmp_path: Path) -> None:
    html, warnings = build(tmp_path, index=PAGE)
    assert f"docs/proofs.json is not there; {REMEDY}" in warnings
    assert "Proved for" not in text_of(html)
