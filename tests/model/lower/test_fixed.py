"""What an instance switches off is found, costs no bits, and changes no count."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ackproof.lang import (
    Const,
    Design,
    Event,
    Instance,
    Model,
    System,
    action,
    properties_in,
    reachable,
    require,
    step_property,
)
from ackproof.lang.binding import Bound, bind
from ackproof.lang.kept import anew
from ackproof.lang.program import PropertyDecl
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.lower.codec import Codec
from ackproof.model.lower.fixed import Fixed, fixed
from ackproof.model.lower.generate import generate
from ackproof.model.lower.layout import Layout
from ackproof.model.lower.leaves import Leaves
from ackproof.model.lower.ops import Emitter
from ackproof.model.plain import PlainMachine, State, Step
from ackproof.model.plain_search import explore as explore_plain
from hypothesis import HealthCheck, given, settings

from tests.exploring import examples
from tests.model import random_specs
from tests.model.lower import wharf
from tests.model.lower.depot import BARE, MODEL, OFF, Parcel, Van

#: The parts that no instance here switches on.
NEVER = {"ringing", "answering", "door"}
INSURED = {"insured", "claimed"}


def depot(
    vans: int = 0, faults: dict[str, int] | None = None, constants: dict[str, Any] | None = None
) -> Bound:
    """A depot with some parts."""
    sizes = {Parcel: 2, Van: vans}
    return bind(MODEL, Instance("some", "some parts", sizes, faults or {}, constants or {}))


def names(bound: Bound) -> set[str]:
    """The variables, members and faults of which something is fixed."""
    leaves = Leaves(bound, Codec(bound.elements, Emitter()))
    return {leaves.name(leaf) for leaf in fixed(bound).leaves}


# -- what is found --------------------------------------------------------------------------------


def test_a_part_behind_a_constant_is_off() -> None:
    assert names(depot()) == {"burnt", *INSURED, *NEVER}
    assert names(depot(constants={"Depot.insuring": True})) == {"burnt", *NEVER}


def test_a_part_that_only_a_dead_part_enables_is_dead() -> None:
    assert {"insure", "claim"} <= fixed(depot()).dead
    assert not {"insure", "claim"} & fixed(depot(constants={"Depot.insuring": True})).dead


def test_an_action_on_an_empty_sort_is_dead() -> None:
    assert "load" in fixed(depot()).dead
    assert "load" not in fixed(depot(vans=1)).dead


def test_what_only_a_fault_without_budget_changes_is_fixed() -> None:
    assert "burnt" in names(depot())
    assert not {"burnt", "fire"} & names(depot(faults={"fire": 1}))


def test_the_budget_of_a_fault_that_cannot_happen_is_fixed() -> None:
    bound = depot(faults={"fraud": 2})
    assert "fraud" in names(bound)
    assert "fraud" in fixed(bound).dead


def test_parts_that_only_enable_each_other_are_off() -> None:
    assert {"ring", "answer"} <= fixed(depot()).dead
    assert {"ringing", "answering"} <= names(depot())


def test_a_write_of_what_is_there_already_is_none() -> None:
    assert "door" in names(depot())


def test_guards_that_exclude_each_other_are_seen_together() -> None:
    everything = depot(1, {"fire": 1, "fraud": 1}, {"Depot.insuring": True})
    assert fixed(everything).dead == {"ring", "answer", "break_in", "count"}


class Flag(System):
    """A flag that somebody looks at, said in the wrong order."""

    up: bool
    seen: bool

    @action
    def look(self) -> None:
        """It is seen when it is up."""
        require(self.up)
        self.seen = True

    @action
    def lift(self) -> None:
        """It is up."""
        self.up = True


@step_property
def WasUp(before: Flag, after: Flag) -> bool:
    """False: of the step that lifts it."""
    return before.up


FLAG = Model("flag", Flag, properties_in(WasUp), (Instance("one", "a flag", {}),))


def test_what_a_later_action_enables_is_on() -> None:
    assert fixed(bind(FLAG, FLAG.instances[0])).leaves == frozenset()


def test_what_one_step_requires_is_not_assumed_of_others() -> None:
    assert fixed(bind(FLAG, FLAG.instances[0])).vacuous == frozenset()


def test_members_of_a_family_are_told_apart_by_their_constants() -> None:
    bound = depot(vans=2, constants={"Tour.large": {"v1": False, "v2": True}})
    assert "tours[v1].double" in names(bound)
    assert not {"tours[v1].loaded", "tours[v2].double"} & names(bound)


def lines(count: int) -> Bound:
    """A wharf with some lines, of two crates each."""
    sizes = {wharf.Line: count, wharf.Crate: 2, wharf.Guard: 1}
    return bind(wharf.MODEL, Instance("some", "some lines", sizes))


# A bit says of each crate whether it is stored.  For each line there are two numbers, each one of
# all crates or None, and for each of its own two crates two bits, that of its guard and its desk's.
@pytest.mark.parametrize(
    ("count", "bits"),
    [(1, 2 + 1 * (2 * 2 + 4)), (2, 4 + 2 * (2 * 3 + 4)), (3, 6 + 3 * (2 * 3 + 4))],
)
def test_a_line_costs_nothing_for_crates_of_other_lines(count: int, bits: int) -> None:
    bound = lines(count)
    assert Layout(bound, fixed(bound).leaves).bits == bits


def test_entries_of_other_owners_are_what_is_fixed() -> None:
    bound = lines(2)
    leaves = Leaves(bound, Codec(bound.elements, Emitter()))
    found = {(leaves.name(leaf), leaf.keys[0]) for leaf in fixed(bound).leaves}
    others = {"l1": (2, 3), "l2": (0, 1)}
    assert found == {
        (f"offices[{line}].{name}", key)
        for line, keys in others.items()
        for key in keys
        for name in ("watched", "desks[g1].checked")
    }


def test_situations_and_claims_about_what_is_off_are_named() -> None:
    off = fixed(depot())
    assert (off.off, off.vacuous) == (
        {"Burnt", "PaidSomething"},
        {"ClaimedIsInsured", "PaidOnce", "StoredCameIn"},
    )
    on = fixed(depot(faults={"fire": 1}, constants={"Depot.insuring": True}))
    assert (on.off, on.vacuous) == (frozenset(), {"StoredCameIn"})


def test_the_analysis_of_one_program_is_made_once() -> None:
    bound = depot()
    assert fixed(bound) is fixed(bound)
    assert fixed(bound) is not fixed(depot())


# -- what it saves --------------------------------------------------------------------------------


def test_parts_that_are_off_cost_no_bits_and_no_code() -> None:
    text, layout, _, fanout = generate(bind(MODEL, OFF, properties=()))
    bare_text, bare, _, bare_fanout = generate(bind(BARE, BARE.instances[0]))
    assert (layout.bits, layout.words, fanout) == (bare.bits, bare.words, bare_fanout)
    assert text.count("\n") == bare_text.count("\n")


@pytest.mark.parametrize(
    "bound",
    [
        depot(),
        depot(vans=1, faults={"fire": 1}),
        depot(faults={"fraud": 1}, constants={"Depot.insuring": True}),
        depot(vans=2, constants={"Tour.large": {"v1": False}}),
        lines(1),
        lines(2),
    ],
    ids=["off", "vans and fire", "insured", "one large van", "one line", "two lines"],
)
def test_counts_and_witnesses_stay_as_they_were(bound: Bound) -> None:
    plain, compiled = explore_plain(bound), explore_compiled(bound, memory=1 << 26)
    assert plain.level_sizes == compiled.level_sizes
    assert (plain.generated, plain.per_action) == (compiled.generated, compiled.per_action)
    assert (plain.witnessed, plain.violations) == (compiled.witnessed, compiled.violations)


def test_packing_forgets_what_is_fixed_and_unpacking_puts_it_back() -> None:
    bound = depot(vans=1)
    layout = Layout(bound, fixed(bound).leaves)
    assert layout.bits < Layout(bound).bits
    for state in reached(bound, 4):
        assert layout.unpack(layout.pack(state)) == state


# -- programs that nobody chose -------------------------------------------------------------------


def reached(bound: Bound, levels: int) -> list[State]:
    """Some states, those of the first levels."""
    with PlainMachine(bound) as machine:
        known = dict.fromkeys([bound.initial()])
        frontier = list(known)
        for _ in range(levels):
            after = [step.after for state in frontier for step in machine.steps(state)]
            frontier = [s for s in dict.fromkeys(after) if s is not None and s not in known][:50]
            known.update(dict.fromkeys(frontier))
    return list(known)


_NUMBERS = itertools.count()


def bound_of(source: str, folder: Path) -> Bound:
    """Write a specification to a file, import and bind it."""
    name = f"random_parts_{next(_NUMBERS)}"
    path = folder / f"{name}.py"
    path.write_text(source)
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module: Any = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return bind(module.MODEL, module.MODEL.instances[0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the files of this module's tests."""
    return tmp_path_factory.mktemp("parts")


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(source=random_specs.specs(depth=2))
def test_what_is_called_fixed_never_changes(folder: Path, source: str) -> None:
    bound = bound_of(source, folder)
    off = fixed(bound)
    leaves = Leaves(bound, Codec(bound.elements, Emitter()))
    initial = leaves.values(bound.initial())
    states = reached(bound, 3)
    with PlainMachine(bound) as machine:
        for state in states:
            values = leaves.values(state)
            assert all(values[leaf] == initial[leaf] for leaf in off.leaves)
            for prop in (p for p in bound.properties if not p.of_steps):
                allowed(off, prop, [machine.holds(prop, state)])
            for step in machine.steps(state):
                assert step.instance.action.name not in off.dead
                for prop in (p for p in bound.properties if p.of_steps):
                    allowed(off, prop, on_step(machine, prop, state, step))


def on_step(machine: PlainMachine, prop: PropertyDecl, before: State, step: Step) -> list[bool]:
    """What a property says of a step, for each event it asks about."""
    if step.after is None:
        return []
    return machine.holds_on_step(prop, before, step)


def allowed(off: Fixed, prop: PropertyDecl, results: list[bool]) -> None:
    """Check what a property came to against what was said of it."""
    assert not (prop.name in off.off and any(results))
    assert not (prop.name in off.vacuous and not all(results))


class Lamp(System):
    """A lamp without a switch, and a clock that has nothing to do with it."""

    lit: bool
    warm: bool
    late: bool

    @action
    def wait(self) -> None:
        """Time goes by."""
        self.late = not self.late

    @action
    def press(self) -> None:
        """Nothing happens."""


class Switched(Lamp):
    """A lamp with a switch."""

    @action
    def press(self) -> None:
        """It goes on."""
        self.lit = True
        self.warm = True


@step_property
def LitIsWarm(before: Lamp, after: Lamp) -> bool:
    """A lamp that was lit is warm."""
    return after.warm or not before.lit


def test_what_is_not_asked_of_a_step_of_one_design_is_asked_of_it_in_the_next() -> None:
    one = Instance("one", "a lamp", {})
    model = Model("lamp", Lamp, (LitIsWarm.__ackproof_property__,), (one,))  # type: ignore[attr-defined]
    switched = bind(model, one, Design("switched", replace=(Switched,)))
    with anew():
        alone = fixed(switched)
    assert fixed(bind(model, one)).vacuous == {"LitIsWarm"}
    assert fixed(replace(switched)) == alone
    assert alone.vacuous == set()


class Note(Event):
    """Something is copied."""

    said: bool


class Copier(System):
    """Copies what is there, or what a constant says."""

    there: bool
    copied: bool
    kept: bool
    constant: Const[bool] = False

    @action
    def copy(self) -> None:
        """It is copied, and that is told."""
        self.copied = self.there
        self.emit(Note(True))

    @action
    def keep(self) -> None:
        """What the constant says is kept."""
        self.kept = self.constant


class Raiser(Copier):
    """Lets something be there."""

    @action
    def put(self) -> None:
        """It is there."""
        self.there = True


@step_property
def NothingIsCopied(before: Copier, after: Copier, note: Note) -> bool:
    """False: where there is something."""
    return not after.copied


@step_property
def NothingIsKept(before: Copier, after: Copier) -> bool:
    """False: where the constant says so."""
    return before.kept or not after.kept


COPIER = Model(
    "copier",
    Copier,
    properties_in(NothingIsCopied, NothingIsKept),
    (
        Instance("no", "the constant is false", {}),
        Instance("yes", "the constant is true", {}, constants={"Copier.constant": True}),
    ),
)


def test_what_an_execution_has_asked_for_counts_for_what_is_judged_of_it() -> None:
    no, yes = (bind(COPIER, instance) for instance in COPIER.instances)
    raised = bind(COPIER, COPIER.instances[0], Design("It is there.", "test", replace=(Raiser,)))
    for bounds in itertools.permutations([no, yes, raised]):
        with anew():
            vacuous = {id(bound): fixed(bound).vacuous for bound in bounds}
        assert vacuous[id(no)] == {"NothingIsCopied", "NothingIsKept"}
        assert vacuous[id(yes)] == {"NothingIsCopied"}
        assert vacuous[id(raised)] == {"NothingIsKept"}


class Flickering(Lamp):
    """Is warm now and then."""

    @action
    def press(self) -> None:
        """It is cold again, or warm."""
        self.warm = not self.warm


@step_property
def OnTimeNothingChanges(before: Lamp, after: Lamp) -> bool:
    """False of who flickers."""
    return after.late or before.warm == after.warm


@reachable
def ChangesOnTime(before: Lamp, after: Lamp) -> bool:
    """Who flickers comes to it."""
    return not after.late and before.warm != after.warm


def test_what_a_design_has_changed_is_judged_by_what_is_left_as_it_is_by_all() -> None:
    one = Instance("one", "a lamp", {})
    model = Model("lamp", Lamp, properties_in(OnTimeNothingChanges, ChangesOnTime), (one,))
    bound = bind(model, one, Design("some", "test", replace=(Flickering,)))
    with anew():
        by_what_is_left = fixed(bound)
    with anew():
        assert by_what_is_left == fixed(replace(bound, design=None))
    assert not by_what_is_left.vacuous | by_what_is_left.off
