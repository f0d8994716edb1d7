"""A machine that extends another class is shown class by class, each with what it adds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from ackproof.lang import (
    Design,
    Ghost,
    Instance,
    Model,
    OrderedSort,
    Set,
    System,
    action,
    handler,
    invariant,
    properties_in,
)
from specdoc.calls import callers
from specdoc.domain import location
from specdoc.exhibits import changes_of
from specdoc.library import Exhibit, Library, build_library
from specdoc.pages import pages_of
from specdoc.rules import citations
from specdoc.traces import step_node

from tests.docs.test_build import build, text_of


class Guest(OrderedSort):
    """A guest (F1)."""


class House(System):
    """A house (A1)."""

    inside: Set[Guest]

    @action
    def enter(self, guest: Guest) -> None:
        """A guest enters (A1.1)."""
        self.inside.add(guest)

    @action
    def leave(self, guest: Guest) -> None:
        """A guest leaves (A1.2)."""
        self.see_off(guest)

    @handler
    def see_off(self, guest: Guest) -> None:
        """Somebody sees a guest to the door (A1.3)."""
        self.inside.discard(guest)


class Hotel(House):
    """A house that keeps a book (B1)."""

    book: Ghost[Set[Guest]]  # who was ever here

    @action
    def enter(self, guest: Guest) -> None:
        """A guest enters, and signs the book (B1.2)."""
        super().enter(guest)
        self.book.add(guest)


class Palace(Hotel):
    """A hotel with a butler (C1)."""

    @handler
    def see_off(self, guest: Guest) -> None:
        """The butler does it (C1.1)."""
        super().see_off(guest)


@invariant
def Signed(s: House) -> bool:
    """There is somebody, or nobody."""
    return len(s.inside) >= 0


class Ruin(Palace):
    """A palace nobody leaves."""

    @handler
    def see_off(self, guest: Guest) -> None:
        """Nobody does."""

    @action
    def leave(self, guest: Guest) -> None:
        """Nobody leaves."""


MODEL = Model(
    "palace",
    Palace,
    properties_in(sys.modules[__name__]),
    (Instance("two", "two guests", {Guest: 2}),),
)


@pytest.fixture
def lib(monkeypatch: pytest.MonkeyPatch) -> Library:
    """Document a palace."""
    found = build_library(MODEL)
    for module in ("markup", "domain"):
        monkeypatch.setattr(f"specdoc.{module}.library", lambda: found)
    return found


def test_the_layers_of_a_machine_are_the_classes_it_extends_and_itself(lib: Library) -> None:
    (machine,) = lib.machines
    assert [layer.name for layer in machine.layers] == ["House", "Hotel", "Palace"]
    assert [s.place for s in machine.layers[1].steps] == ["Hotel.enter"]
    assert [s.place for s in machine.steps] == ["House.leave", "Hotel.enter", "Palace.see_off"]


def test_each_layer_has_a_page(lib: Library) -> None:
    pages = set(pages_of(lib))
    assert {f"machines/{name}.rst" for name in ("house", "hotel", "palace")} <= pages


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("Palace.leave", "house"),
        ("Palace.enter", "hotel"),
        ("House.enter", "house"),
        ("Hotel.see_off", "house"),
        ("Palace.see_off", "palace"),
    ],
)
def test_a_step_is_found_where_it_is_written(lib: Library, name: str, page: str) -> None:
    fragment = name.partition(".")[2].replace("_", "-")
    assert location(lib, "step", name) == (f"generated/machines/{page}", fragment)


def test_a_page_shows_what_its_layer_adds_and_leads_to_the_others(
    tmp_path: Path, lib: Library
) -> None:
    assert lib.layer("Hotel") is not None
    html, _ = build(tmp_path, index=".. machine:: Hotel\n")
    text = text_of(html)
    assert "extends House, extended by Palace" in text
    assert "self.book.add(guest)" in text
    assert "House.enter" in text
    assert "who was ever here" in text
    assert "see_off" not in text
    assert "inside" not in text.partition("Steps")[0]


def test_a_step_is_not_called_by_those_that_extend_it(lib: Library) -> None:
    assert callers(lib.program) == {("Palace", "see_off"): ("House.leave",)}


def test_every_layer_is_searched_for_citations(lib: Library) -> None:
    found = {(c.rule, c.kind, c.target) for c in citations(lib)}
    assert {
        ("A1.1", "step", "House.enter"),
        ("B1.2", "step", "Hotel.enter"),
        ("C1.1", "step", "Palace.see_off"),
        ("B1", "machine", "Hotel"),
        ("F1", "sort", "Guest"),
    } <= found


def test_a_design_is_compared_with_the_layer_that_it_overrides() -> None:
    ruin = Exhibit("ruin", sys.modules[__name__], Design(claim="Stay.", replace=(Ruin,)))
    assert [place for place, _ in changes_of(ruin)] == ["Palace.see_off", "House.leave"]


def test_a_step_of_a_run_leads_to_what_a_design_overrides_or_nowhere(lib: Library) -> None:
    assert lib.machine("Palace") is not None
    shown = [
        step_node(owner, "Palace", method, "it")
        for owner, method in [("Hotel", "enter"), ("Ruin", "leave"), ("Ruin", "collapse")]
    ]
    assert [node.get("reftarget") for node in shown] == ["Hotel.enter", "Palace.leave", None]
