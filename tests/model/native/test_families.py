"""Processes come one by one, and those with a constant of some value are found at once."""

from __future__ import annotations

from typing import Any

from ackproof.lang import Each
from ackproof.model.native.families import GrowingFamily, assemble, having
from ackproof.model.native.translate import translate

from tests.model.native.test_translate import Bench, Workshop


def workshop() -> Any:
    """Return a workshop whose benches come one by one."""
    return assemble(Workshop, translate(Workshop).classes)


def test_a_member_that_is_added_has_its_constants_and_is_found_by_them() -> None:
    system = workshop()
    bench = system.benches.add("w1", of="ann", wide=False)
    system.benches.add("w2", of="bob")
    assert (bench.of, bench.wide) == ("ann", False)
    assert list(having(system.benches, "of", "ann")) == ["w1"]
    assert list(having(system.benches, "of", "cleo")) == []


def test_a_member_that_nobody_added_is_as_its_class_declares_it() -> None:
    system = workshop()
    assert system.benches["w7"].wide is True
    assert list(system.benches) == ["w7"]


def test_a_member_that_is_removed_is_not_found_any_more() -> None:
    system = workshop()
    system.benches.add("w1", of="ann")
    system.benches.remove("w1")
    assert list(having(system.benches, "of", "ann")) == []
    assert "w1" not in system.benches


def test_steps_are_taken_on_members_that_came_later() -> None:
    system = workshop()
    for worker in ("w1", "w2"):
        system.benches.add(worker, of="ann")
        system.work(worker, "t1")
    system.benches.add("w3", of="bob")
    system.work("w3", "t2")
    system.tidy("ann")
    assert [sorted(system.benches[w].tools) for w in ("w1", "w2", "w3")] == [[], [], ["t2"]]


def test_a_family_of_an_instance_is_searched() -> None:
    fixed: Each[str, Bench] = Each({w: Bench(of=of) for w, of in (("w1", "ann"), ("w2", "bob"))})
    assert having(fixed, "of", "bob") == ["w2"]


def test_the_members_of_a_family_are_of_the_translated_class() -> None:
    classes = translate(Workshop).classes
    family = assemble(Workshop, classes).benches
    assert isinstance(family, GrowingFamily)
    assert type(family["w1"]) is classes[Bench]


def test_a_member_may_have_an_ear_of_its_own_for_its_events() -> None:
    heard: list[object] = []
    others: list[object] = []
    system: Any = assemble(Workshop, translate(Workshop).classes, others.append)
    mine = system.benches.add("w1", heard.append, of="ann")
    mine.emit("knock")
    system.benches.add("w2", of="ann").emit("bang")
    assert (heard, others) == (["knock"], ["bang"])
