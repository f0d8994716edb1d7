"""A design is read as if nothing had been read before it."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ackproof.lang import (
    Const,
    Design,
    Event,
    Instance,
    Model,
    Process,
    Record,
    System,
    action,
    handler,
    helper,
    invariant,
    on,
    properties_in,
    require,
)
from ackproof.lang.errors import SpecError
from ackproof.lang.frontend import compile_anew
from ackproof.lang.ir import Node, Span, walk
from ackproof.lang.kept import ById, Latest, Store, anew, given, kept, once, used
from ackproof.lang.program import Program
from ackproof.lang.scope import Registry
from ackproof.spec.model import MODEL

from tests.exploring import seeds


class Note(Record):
    urgent: bool


class Rang(Event):
    loud: bool


class Bell(Process):
    struck: bool
    silent: bool
    heavy: Const[bool] = False

    @helper
    def may_ring(self) -> bool:
        return not self.struck

    @handler
    def strike(self) -> None:
        self.struck = True


class Tower(System):
    bell: Bell
    open: bool
    urgent: bool
    heard: bool

    @action
    def ring(self) -> None:
        require(self.bell.may_ring())
        self.bell.strike()
        self.emit(Rang(loud=True))

    @action
    def unlock(self) -> None:
        note = Note(urgent=True)
        self.urgent = note.urgent
        self.open = True

    @on(Rang)
    def hear(self, event: Rang) -> None:
        self.heard = event.loud


@invariant
def MayRing(s: Tower) -> bool:
    """The bell may be rung, or was."""
    return s.bell.may_ring() or s.bell.struck


TOWER = Model("tower", Tower, (), (Instance("one", "the only one", {}),))


class Twice(Bell):
    @helper
    def may_ring(self) -> bool:
        return True


class Muffled(Bell):
    @handler
    def strike(self) -> None:
        self.silent = True


class Deaf(Tower):
    @on(Rang)
    def hear(self, event: Rang) -> None:
        self.heard = False


class Locked(Tower):
    @action
    def ring(self) -> None:
        require(self.open)
        super().ring()


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    """Let each test begin with nothing read."""
    with anew():
        yield


def bodies(program: Program) -> dict[str, Any]:
    """Return what each action does, by name."""
    return {a.name: a.body for a in program.actions}


def changed(design: Design) -> set[str]:
    """Return the actions that are made anew for a design, once the base was read."""
    base, found = bodies(compile_anew(TOWER, None)), bodies(compile_anew(TOWER, design))
    assert base.keys() == found.keys()
    return {name for name in base if base[name] is not found[name]}


def designs() -> Iterator[Design]:
    """Yield the designs and eras of the specification."""
    for package in (MODEL.designs, MODEL.eras):
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            design = getattr(importlib.import_module(f"{package}.{module.name}"), "design", None)
            if isinstance(design, Design):
                yield design


def places(program: Program) -> list[Span]:
    """Return the places that a program tells of."""
    claims = (*program.properties, *program.constraints)
    trees: list[Node] = [s for a in program.actions for s in a.body]
    trees += [p.body for p in claims]
    methods = [m for p in program.processes for m in p.methods]
    trees += [s for m in methods for s in m.body]
    inside = [node.span for tree in trees for node in walk(tree)]
    return inside + [x.span for x in (*program.processes, *methods, *program.actions, *claims)]


def test_whatever_was_read_before_a_design_is_read_as_it_is_alone() -> None:
    known: list[Design | None] = [None, *designs()]
    for seed in seeds(1):
        order = random.Random(seed).sample(known, 6)
        with anew():
            after_others = [compile_anew(MODEL, design) for design in order]
        for design, program in zip(order, after_others, strict=True):
            with anew():
                alone = compile_anew(MODEL, design)
            assert program == alone
            assert repr(program) == repr(alone)
            assert places(program) == places(alone)


def test_what_calls_a_changed_helper_is_read_anew_and_nothing_else() -> None:
    assert changed(Design("it rings twice", replace=(Twice,))) == {"ring"}


def test_an_action_that_is_overridden_keeps_its_place() -> None:
    locked = compile_anew(TOWER, Design("it is locked", replace=(Locked,)))
    assert [a.name for a in locked.actions] == [a.name for a in compile_anew(TOWER, None).actions]


def test_what_calls_a_changed_handler_is_made_anew() -> None:
    assert changed(Design("it is muffled", replace=(Muffled,))) == {"ring"}


def test_what_emits_an_event_with_a_changed_observer_is_made_anew() -> None:
    assert changed(Design("nobody hears", replace=(Deaf,))) == {"ring"}


def test_constants_alone_change_nothing_that_was_read() -> None:
    assert changed(Design("it is heavy", constants={"Bell.heavy": True})) == set()


def test_a_property_that_asks_what_a_design_brings_is_rejected_after_the_base_was_read() -> None:
    model = Model("tower", Tower, properties_in(MayRing), TOWER.instances)
    compile_anew(model, None)
    with pytest.raises(SpecError, match="would judge itself"):
        compile_anew(model, Design("it rings twice", replace=(Twice,)))
    compile_anew(model, None)


def test_a_second_class_of_a_name_is_noticed_where_the_first_was_kept() -> None:
    compile_anew(TOWER, None)
    with pytest.raises(SpecError, match="two classes are called `Note`"):
        compile_anew(TOWER, other_note())


def other_note() -> Design:
    """Return a design with a class of a name that another step of the base uses."""
    from tests.lang import kept_note

    class Noting(Tower):
        @action
        def ring(self) -> None:
            note = kept_note.Note(loud=True)
            self.heard = note.loud

    return Design("it notes", replace=(Noting,))


def test_places_are_told_from_where_one_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    here = compile_anew(TOWER, None).actions[0].span.file
    monkeypatch.chdir(tmp_path)
    there = compile_anew(TOWER, None).actions[0].span.file
    monkeypatch.chdir(Path(__file__).parent)
    assert Path(here).name == Path(there).name == compile_anew(TOWER, None).actions[0].span.file
    assert here != compile_anew(TOWER, None).actions[0].span.file


def test_what_fails_fails_again() -> None:
    made = []

    def make() -> None:
        made.append(1)
        raise ValueError

    for _ in range(2):
        with pytest.raises(ValueError):  # noqa: PT011
            kept(Registry({}), ("it fails",), make)
    assert len(made) == 2


def test_of_an_object_something_is_made_once_and_of_an_equal_one_again() -> None:
    one, equal = [1], [1]
    assert once(list, one) is once(list, one)
    assert once(list, one) is not once(list, equal)
    assert ById(one) != ById(equal)


def test_what_was_not_asked_for_the_longest_goes_first() -> None:
    table: Latest[str, int] = Latest(2)
    table.put("first", 1)
    table.put("second", 2)
    assert table.get("first") == 1
    table.put("third", 3)
    assert [table.get(name) for name in ("first", "second", "third")] == [1, None, 3]


def test_what_weighs_more_leaves_room_for_less() -> None:
    table: Latest[str, str] = Latest(10, len)
    table.put("short", "abc")
    table.put("long", "abcdefg")
    table.put("short", "abcd")
    assert table.get("long") is None
    assert table.get("short") == "abcd"


def test_in_between_nothing_is_kept_and_afterwards_what_was() -> None:
    one = [1]
    made: list[int] = once(list, one)
    with anew():
        assert once(list, one) is not made
    assert once(list, one) is made


def test_what_is_used_of_a_table_is_noted_and_can_be_given_to_another_process() -> None:
    table: Store = Latest(10)
    made: list[str] = []

    def make(name: str) -> str:
        return kept(Registry({}), (name,), lambda: made.append(name) or name, table)

    make("before")
    with used(table) as uses:
        make("before")
        make("now")
    make("after")
    assert [one.result for _, one in uses] == ["before", "now"]
    with anew():
        given(uses, table)
        for name in ("before", "now", "after"):
            assert make(name) == name
    assert made == ["before", "now", "after", "after"]


def test_what_is_made_for_others_is_no_use_of_a_table() -> None:
    table, other = Latest[Any, Any](10), Latest[Any, Any](10)
    with used(table) as uses:
        kept(Registry({}), ("it",), lambda: 1, other)
    assert uses == []
