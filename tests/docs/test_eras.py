"""The table of eras is made when the pages are built, and so are the runs that it leads to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from ackproof.lang import Breaks
from ackproof.model.cache import Cache
from ackproof.model.eras import Era, Surveyor
from specdoc.domain import location
from specdoc.evidence import Evidence
from specdoc.library import Exhibit, Library, build_library
from specdoc.pages import pages_of
from specdoc.traces import run_nodes

from tests.docs.test_build import build, text_of
from tests.model import harbour


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


@pytest.mark.usefixtures("lib")
def test_the_table_says_which_property_breaks_in_which_era(tmp_path: Path) -> None:
    html, warnings = build(tmp_path, index="Eras\n====\n\n.. era-table::\n")
    text = text_of(html)
    assert "Property documented shallow open_air" in text
    assert "ToldIsKept holds breaks 4 breaks 2" in text
    assert "TwoStored reached never –" in text
    assert "not as it says" not in warnings


@pytest.mark.usefixtures("lib")
def test_the_page_of_an_era_shows_its_change_and_its_counterexamples(tmp_path: Path) -> None:
    html, _ = build(tmp_path, index=".. era:: open_air\n")
    text = text_of(html)
    assert "A shed needs no walls. Source: the year of 2" in text
    assert "+ self.stored.discard(crate)" in text
    assert "ToldIsInside breaks on single" in text
    assert "False on single after 3 steps; also on pair after 3 steps." in text
    assert "store(crate=\N{WORD JOINER}c1)" in text
    assert 'id="toldisinside"' in html
    assert "QuayEmpties breaks on pair" in text
    assert "And from there for ever:" in text


def test_a_run_that_stays_where_it_is_says_so() -> None:
    found = Surveyor(engine="plain").run(Era("lazy", harbour.MODEL, harbour.lazy), harbour.SINGLE)
    (trace,) = (t for t in found.report.traces if t.property == "QuayEmpties")
    assert run_nodes(trace)[-1].astext() == (
        "And there it stays: nothing is enabled that must happen."
    )


def test_an_era_that_is_not_as_it_says_is_a_warning(
    tmp_path: Path, lib: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = lib.eras
    wrong = replace(first.design, expect=(Breaks("ToldIsKept", "pair", 3),))
    other = replace(lib, eras=(replace(first, design=wrong), second))
    monkeypatch.setattr("specdoc.markup.library", lambda: other)
    _, warnings = build(tmp_path, index=".. era-table::\n")
    assert (
        "the era shallow is not as it says: ToldIsKept breaks on pair after 3 steps, but it breaks "
        "after 4 steps" in warnings
    )
    assert (
        "the era shallow is not as it says: ToldIsInside breaks on pair after 5 steps, and no "
        "expectation says so" in warnings
    )


def test_an_instance_that_says_another_number_of_states_is_a_warning(
    tmp_path: Path, lib: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair, *others = lib.model.instances
    wrong = replace(lib, model=replace(lib.model, instances=(replace(pair, states=7), *others)))
    monkeypatch.setattr("specdoc.markup.library", lambda: wrong)
    _, warnings = build(tmp_path, index=".. era-table::\n")
    assert warnings.count("states, and says 7") == 1
    assert "the instance pair has" in warnings


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


def test_the_table_has_the_base_and_every_era(lib: Library, tmp_path: Path) -> None:
    assert Evidence(lib, Cache(tmp_path)).eras == harbour.ERAS
