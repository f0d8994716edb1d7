"""Everything that the specification has gets a page, and pages of what is gone go."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from specdoc.domain import location
from specdoc.library import build_library, library, split_doc
from specdoc.pages import FOLDER, pages_of, write_pages

from tests.docs.lighthouse import MODEL


def test_machines_have_their_steps_in_the_order_of_the_source() -> None:
    machine = build_library(MODEL).machine("Lighthouse")
    assert machine is not None
    assert [(s.name, s.kind, s.fair) for s in machine.steps] == [
        ("busy", "helper", None),
        ("sight", "action", "weak"),
        ("fog", "fault", None),
        ("hears", "observer", None),
    ]


def test_events_are_those_that_the_machines_speak_of() -> None:
    assert [e.__name__ for e in build_library(MODEL).events] == ["Flash"]


def test_a_chapter_opens_with_a_title_and_what_it_is_for() -> None:
    assert split_doc("The store: keeps\nthings.\n\nMore.") == (
        "The store",
        "Keeps things.",
        "More.",
    )
    assert split_doc("A title.") == ("A title", "", "")


def test_every_object_of_the_specification_has_a_page_that_is_written() -> None:
    lib = library()
    pages = {f"{FOLDER}/{name.removesuffix('.rst')}" for name in pages_of(lib)}
    objects = [("machine", x.name) for m in lib.machines for x in m.layers]
    objects += [("step", s.key) for m in lib.machines for s in m.steps]
    objects += [("step", s.place) for m in lib.machines for x in m.layers for s in x.steps]
    objects += [("property", c.name) for c in lib.claims]
    objects += [("property", "NoDeadlock"), ("rule", "A9.3")]
    objects += [("design", e.name) for e in lib.exhibits]
    objects += [("instance", i.name) for i in lib.model.instances]
    objects += [("event", e.__name__) for e in lib.events]
    objects += [("sort", c.__name__) for c in lib.sorts]
    for kind, name in objects:
        found = location(lib, kind, name)
        assert found is not None, f"{kind} {name}"
        assert found[0] in pages


def test_what_does_not_exist_has_no_page() -> None:
    lib = library()
    for kind in ("machine", "step", "property", "design", "instance", "event", "rule"):
        assert location(lib, kind, "Nonsense.at_all") is None


def test_pages_of_what_is_gone_are_removed_and_others_left_alone(tmp_path: Path) -> None:
    app = cast("Any", SimpleNamespace(srcdir=str(tmp_path)))
    write_pages(app)
    page = tmp_path / FOLDER / "machines" / "channel.rst"
    stale = tmp_path / FOLDER / "machines" / "gone.rst"
    stale.write_text("gone")
    before = page.stat().st_mtime_ns
    write_pages(app)
    assert not stale.exists()
    assert page.stat().st_mtime_ns == before
