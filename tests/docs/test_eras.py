"""The table of eras is read from a file, which must be of this specification."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest
from ackproof.model.era_table import EraTable, differences, schema
from ackproof.model.eras import Era, Surveyor, eras_of
from ackproof.spec.model import MODEL
from specdoc.domain import location
from specdoc.eras import FILE, REMEDY, columns_of
from specdoc.library import Exhibit, Library, build_library
from specdoc.pages import pages_of
from specdoc.traces import run_nodes

from tests.docs.test_build import build, text_of
from tests.model import harbour

KEPT = Path(__file__).parents[2] / "docs" / FILE


def kept() -> dict[str, Any]:
    assert KEPT.exists(), f"there is no table of eras; {REMEDY}"
    found: dict[str, Any] = json.loads(KEPT.read_text())
    return found


def test_the_kept_table_is_of_this_specification() -> None:
    assert differences(kept(), eras_of(MODEL)) == [], f"the table of eras is old; {REMEDY}"


def test_the_kept_table_is_a_document_that_is_as_the_eras_say() -> None:
    jsonschema.validate(kept(), schema())
    assert kept()["exit_code"] == 0


@pytest.fixture
def lib(monkeypatch: pytest.MonkeyPatch) -> Library:
    """Document a harbour in two eras."""
    shown = tuple(Exhibit(e.name, _module(e), e.design, "era") for e in harbour.ERAS if e.design)
    found = build_library(harbour.MODEL, (), shown)
    monkeypatch.setattr("specdoc.markup.library", lambda: found)
    monkeypatch.setattr("specdoc.domain.library", lambda: found)
    return found


def _module(era: Era) -> ModuleType:
    module = ModuleType(era.name, "A shed (A9).\n\nIt is worse.")
    module.__file__ = harbour.__file__
    return module


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    surveyor = Surveyor(engine="plain")
    runs = [surveyor.run(era, i) for era in harbour.ERAS for i in era.instances]
    judged = {era.name: surveyor.judge(era, runs) for era in harbour.ERAS}
    return EraTable(harbour.ERAS, tuple(runs), judged).document()


def drawn(folder: Path, document: dict[str, Any], page: str) -> tuple[str, str]:
    (folder / FILE).write_text(json.dumps(document))
    return build(folder, index=page)


@pytest.mark.usefixtures("lib")
def test_the_table_says_which_property_breaks_in_which_era(
    tmp_path: Path, document: dict[str, Any]
) -> None:
    html, _ = drawn(tmp_path, document, "Eras\n====\n\n.. era-table::\n")
    text = text_of(html)
    assert "Property documented shallow open_air" in text
    assert "ToldIsKept holds breaks 4 breaks 2" in text
    assert "TwoStored reached never –" in text


@pytest.mark.usefixtures("lib")
def test_the_page_of_an_era_shows_its_change_and_its_counterexamples(
    tmp_path: Path, document: dict[str, Any]
) -> None:
    html, warnings = drawn(tmp_path, document, ".. era:: open_air\n")
    text = text_of(html)
    assert "A shed needs no walls. Source: the year of 2" in text
    assert "+ self.stored.discard(crate)" in text
    assert "ToldIsInside breaks on single" in text
    assert "False on single after 3 steps; also on pair after 3 steps." in text
    assert "store(crate=\N{WORD JOINER}c1)" in text
    assert 'id="toldisinside"' in html
    assert "QuayEmpties breaks on pair" in text
    assert "And from there for ever:" in text
    assert "out of date" not in warnings


def test_a_run_that_stays_where_it_is_says_so() -> None:
    found = Surveyor(engine="plain").run(Era("lazy", harbour.MODEL, harbour.lazy), harbour.SINGLE)
    (trace,) = (t for t in found.report.traces if t.property == "QuayEmpties")
    assert run_nodes(trace)[-1].astext() == (
        "And there it stays: nothing is enabled that must happen."
    )


@pytest.mark.usefixtures("lib")
def test_a_table_of_another_specification_is_a_warning_and_its_runs_are_not_shown(
    tmp_path: Path, document: dict[str, Any]
) -> None:
    old = json.loads(json.dumps(document))
    for run in old["runs"]:
        run["digest"] = run["digest"][::-1]
    html, warnings = drawn(tmp_path, old, ".. era-table::\n\n.. era:: open_air\n")
    assert (
        "docs/eras.json is out of date: documented on pair has changed since, and 8 more; make it "
        "again: ackproof eras --json > docs/eras.json" in warnings
    )
    assert "ToldIsInside breaks on single" in text_of(html)
    assert "store(" not in text_of(html).partition("breaks on")[2]


@pytest.mark.usefixtures("lib")
def test_an_era_that_is_not_as_it_says_is_a_warning(
    tmp_path: Path, document: dict[str, Any]
) -> None:
    wrong = json.loads(json.dumps(document))
    wrong["eras"][1]["surprises"] = ["the moon breaks"]
    _, warnings = drawn(tmp_path, wrong, ".. era-table::\n")
    assert "the era shallow is not as it says: the moon breaks" in warnings


@pytest.mark.usefixtures("lib")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "docs/eras.json is not there; make it again"),
        ("{", "docs/eras.json is not JSON"),
        ('{"schema": "ackproof/eras/0"}', "docs/eras.json is not in the format ackproof/eras/1"),
    ],
)
def test_a_table_that_cannot_be_read_is_a_warning(
    tmp_path: Path, text: str | None, problem: str
) -> None:
    if text is not None:
        (tmp_path / FILE).write_text(text)
    _, warnings = build(tmp_path, index=".. era-table::\n")
    assert problem in warnings


@pytest.mark.usefixtures("lib")
def test_an_era_that_is_not_there_is_a_warning(tmp_path: Path) -> None:
    _, warnings = build(tmp_path, index=".. era:: medieval\n")
    assert "there is no era 'medieval'" in warnings


def test_every_era_has_a_page_and_a_place_for_what_it_breaks(lib: Library) -> None:
    assert {"eras/index.rst", "eras/open-air.rst", "eras/shallow.rst"} <= set(pages_of(lib))
    assert location(lib, "era", "open_air") == ("generated/eras/open-air", "")
    assert location(lib, "era", "open_air.ToldIsKept") == ("generated/eras/open-air", "toldiskept")
    assert location(lib, "era", "open_air.Unheard") is None
    assert location(lib, "era", "medieval") is None


def test_the_table_has_the_base_and_every_era(lib: Library) -> None:
    assert columns_of(lib) == harbour.ERAS
