"""Whatever a step makes possible is told, however the step is written.

The model has one of every way in which a step may be written that changes something: the language
allows them all, and a translation that reads Python has to know each.  After every step the
specification as it stands says what is possible now and was not before, and the translated system
must have told of it.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Annotated, Any, get_type_hints

import pytest
from ackproof.lang import (
    Each,
    Instance,
    Map,
    Model,
    Option,
    OrderedSort,
    OwnedSort,
    Process,
    Range,
    Seq,
    Set,
    System,
    action,
    handler,
    require,
)
from ackproof.lang.binding import bind
from ackproof.lang.data import from_data
from ackproof.lang.frontend import compile_model
from ackproof.lang.sorts import Owned
from ackproof.model.native.classes import Layout
from ackproof.model.native.families import assemble
from ackproof.model.native.guards import Guard
from ackproof.model.native.inlining import Method
from ackproof.model.native.normal import in_normal_form
from ackproof.model.native.translate import translate
from ackproof.model.native.triggers import Handle, waking
from ackproof.model.native.writes import Writes
from ackproof.model.plain import PlainMachine, State

from tests.exploring import seeds


class Parcel(OrderedSort):
    """Something that is sent."""


class Gate(OrderedSort, prefix="g"):
    """Where parcels leave."""


class Note(OwnedSort[Gate]):
    """What somebody has written at a gate."""


class Light(Enum):
    """Whether a gate is open."""

    RED = "red"
    GREEN = "green"


class Cellar(Process):
    """What lies below a gate."""

    stored: Set[Parcel]

    @handler
    def keep(self, parcel: Parcel) -> None:
        """Keep a parcel."""
        self.stored.add(parcel)


class Post(Process):
    """A gate."""

    light: Light = Light.RED
    waiting: Set[Parcel]
    line: Annotated[Seq[Parcel], 2]
    cellar: Cellar
    next_one: Option[Parcel]
    seen: Map[Parcel, bool]

    @handler
    def see(self, which: Parcel) -> None:
        """See a parcel that is not waiting."""
        if which in self.waiting:
            return
        self.seen[which] = True

    @handler
    def take(self, parcel: Parcel) -> None:
        """Take a parcel, unless it is here, and open."""
        self.waiting.add(parcel)
        if parcel in self.cellar.stored:
            return
        self.light = Light.GREEN


class Yard(System):
    """Gates, and parcels on their way."""

    posts: Each[Gate, Post]
    loose: Set[Parcel]
    banned: Set[Parcel]
    last: Parcel
    busy: Map[Gate, bool]
    count: Annotated[int, Range(0, 3)]
    lost: Set[Parcel]
    here: Map[Parcel, Gate]
    corner: Gate
    notes: Set[Note]

    # -- what changes something -----------------------------------------------------------------

    @action
    def arrive(self, parcel: Parcel) -> None:
        """A parcel arrives, and the way out is before the end."""
        self.loose.add(parcel)
        if parcel in self.banned:
            return
        self.lost.discard(parcel)

    @action
    def ban(self, parcel: Parcel) -> None:
        """A parcel may not stay, and a set becomes another one."""
        found = {p for p in self.loose if p != parcel}
        if found:
            self.banned = set(found)

    @action
    def pardon(self, parcel: Parcel) -> None:
        """What is loose is not banned any more."""
        self.banned.difference_update({p for p in self.loose if p <= parcel})

    @action
    def narrow(self, parcel: Parcel) -> None:
        """Only some are loose."""
        self.loose.intersection_update({parcel})

    @action
    def enter(self, parcel: Parcel, gate: Gate) -> None:
        """A parcel comes to a gate, which has a short name."""
        require(parcel in self.loose)
        post = self.posts[gate]
        post.take(parcel)
        post.cellar.stored.discard(parcel)
        self.last = parcel

    @action
    def sink(self, parcel: Parcel, gate: Gate) -> None:
        """A parcel goes down."""
        require(parcel in self.posts[gate].waiting)
        self.posts[gate].cellar.keep(parcel)
        self.posts[gate].waiting -= {parcel}

    @action
    def ban_all(self, gate: Gate) -> None:
        """All that waits is banned, one by one."""
        for parcel in set(self.posts[gate].waiting):
            self.banned.add(parcel)

    @action
    def pardon_all(self) -> None:
        """Nobody is banned."""
        self.banned = set()

    @action
    def change(self, parcel: Parcel) -> None:
        """What is lost is found, or the other way round."""
        self.lost ^= {parcel}

    @action
    def ban_another(self, parcel: Parcel) -> None:
        """A parcel is banned if it is not loose."""
        if parcel in self.loose:
            self.lost.discard(parcel)
        else:
            self.banned.add(parcel)

    @action
    def look(self, parcel: Parcel, gate: Gate) -> None:
        """A gate sees a parcel."""
        self.posts[gate].see(parcel)

    @action
    def write_elsewhere(self, gate: Gate) -> None:
        """Something is written at all other gates."""
        self.notes |= {note for note in Note if Note.owner(note) != gate}

    @action
    def write_here(self, gate: Gate) -> None:
        """Something is written at a gate."""
        found = {note for note in Note if Note.owner(note) == gate}
        self.notes |= found

    @action
    def wipe(self) -> None:
        """Nothing is written anywhere."""
        self.notes.clear()

    @action
    def turn(self, gate: Gate) -> None:
        """A gate is not busy, and then it is another one that is meant."""
        self.busy[self.corner] = False
        self.corner = gate

    @action
    def stop(self, gate: Gate) -> None:
        """A gate shuts; its line is as it was."""
        post = self.posts[gate]
        post.light = Light.RED

    @action
    def line_up(self, parcel: Parcel, gate: Gate) -> None:
        """A parcel joins the line."""
        require(len(self.posts[gate].line) < 2)
        self.posts[gate].line.append(parcel)

    @action
    def go_on(self, gate: Gate) -> None:
        """The head of the line leaves it."""
        require(len(self.posts[gate].line) > 0)
        self.posts[gate].line.pop(0)

    @action
    def be_busy(self, gate: Gate) -> None:
        """A gate is busy, and what is said has a type."""
        self.busy[gate]: bool = True

    @action
    def fill(self) -> None:
        """There is no room."""
        self.count: int = 3

    @action
    def all_idle(self) -> None:
        """No gate is busy."""
        self.busy.clear()
        self.count -= 1 if self.count > 0 else 0

    @action
    def move(self, parcel: Parcel, gate: Gate) -> None:
        """The key on the way to what is written is written afterwards."""
        post = self.posts[self.here[self.last]]
        post.next_one = parcel
        self.busy[self.here[self.last]] = False
        self.here[parcel] = gate
        self.last = parcel

    @action
    def lose_all(self, gate: Gate) -> None:
        """Each of several parcels is lost, and one is asked for on the way."""
        for parcel in set(self.posts[gate].waiting):
            if parcel in self.banned:
                self.lost.add(parcel)
                self.posts[gate].waiting.discard(parcel)
        if self.busy[gate]:
            if self.count == 3:
                self.banned.clear()
                if not self.lost:
                    return
            self.lost.clear()
            self.banned -= self.loose

    # -- what waits -----------------------------------------------------------------------------

    @action
    def wait_loose(self, parcel: Parcel) -> None:
        """A parcel is loose and not banned."""
        require(parcel in self.loose and parcel not in self.banned)

    @action
    def wait_banned(self, parcel: Parcel) -> None:
        """A parcel is banned."""
        require(parcel in self.banned)

    @action
    def wait_not_banned(self, parcel: Parcel) -> None:
        """A parcel is not banned."""
        require(parcel not in self.banned)

    @action
    def wait_green(self, gate: Gate) -> None:
        """A gate is open."""
        require(self.posts[gate].light == Light.GREEN)

    @action
    def wait_red(self, gate: Gate) -> None:
        """A gate is shut."""
        require(self.posts[gate].light != Light.GREEN)

    @action
    def wait_cellar(self, gate: Gate, parcel: Parcel) -> None:
        """Something lies below."""
        require(min(self.posts[gate].cellar.stored, default=None) == parcel)

    @action
    def wait_absent(self, gate: Gate, parcel: Parcel) -> None:
        """A parcel is not below."""
        require(parcel not in self.posts[gate].cellar.stored)

    @action
    def wait_line(self, gate: Gate, parcel: Parcel) -> None:
        """A parcel is not in the line."""
        require(parcel not in self.posts[gate].line)

    @action
    def wait_head(self, gate: Gate, parcel: Parcel) -> None:
        """A parcel is the head of the line."""
        require(len(self.posts[gate].line) > 0)
        require(self.posts[gate].line[0] == parcel)

    @action
    def wait_front(self, gate: Gate, parcel: Parcel) -> None:
        """The head of a line is loose, and another parcel is not banned."""
        require(len(self.posts[gate].line) > 0)
        head = self.posts[gate].line[0]
        require(head in self.loose and parcel not in self.banned)

    @action
    def wait_behind(self, gate: Gate, parcel: Parcel) -> None:
        """A parcel is in the line, whose head is not lost."""
        require(parcel in self.posts[gate].line)
        require(self.posts[gate].line[0] not in self.lost)

    @action
    def wait_earlier(self, gate: Gate, parcel: Parcel) -> None:
        """A parcel is next at a gate, and another one comes before it."""
        require(self.posts[gate].next_one is not None)
        assert self.posts[gate].next_one is not None
        require(self.posts[gate].next_one < parcel)

    @action
    def wait_idle(self, gate: Gate) -> None:
        """A gate is not busy."""
        require(not self.busy[gate])

    @action
    def wait_busy(self, gate: Gate) -> None:
        """A gate is busy."""
        require(self.busy[gate] and self.count == 3)

    @action
    def wait_count(self) -> None:
        """There are fewer than two."""
        require(self.count < 2)

    @action
    def wait_next(self, gate: Gate, parcel: Parcel) -> None:
        """A parcel is next at a gate."""
        require(self.posts[gate].next_one == parcel)

    @action
    def wait_seen(self, gate: Gate, parcel: Parcel) -> None:
        """A gate has seen a parcel."""
        require(self.posts[gate].seen[parcel])

    @action
    def wait_note(self, note: Note) -> None:
        """Something is written."""
        require(note in self.notes)

    @action
    def wait_nobody(self) -> None:
        """Nothing is lost."""
        require(not self.lost)

    @action
    def wait_all(self, gate: Gate) -> None:
        """All that waits is lost or banned."""
        require(self.posts[gate].waiting <= self.lost | self.banned)


MODEL = Model("yard", Yard, (), (Instance("small", "two of each", {Parcel: 2, Gate: 2, Note: 1}),))
WAITING = [name for name in vars(Yard) if name.startswith("wait_")]


def by(*known: str) -> dict[str, tuple[str, ...]]:
    """Return what waits, known by these arguments where it has them."""
    return {n: tuple(a for a in known if a in vars(Yard)[n].__annotations__) for n in WAITING}


HANDLES = {
    "all arguments": by("parcel", "gate"),
    "the gate": {**by("gate"), "wait_note": ("Note.owner(note)",)},
    "the parcel": by("parcel"),
    "nothing": by(),
}


#: What is told of with all handles, and only where it is possible: variables alone say whether.
CHEAP = ("wait_count", "wait_green", "wait_nobody", "wait_red")

LAYOUT = Layout(Yard, {})


class Told:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.heard: list[tuple[object, ...]] = []

    def __getattr__(self, action: str) -> Callable[..., None]:
        return lambda *handles: self.heard.append((action, *handles))

    def of(self, name: str, handles: tuple[object, ...]) -> bool:
        """Tell whether it was told of an action with these handles; None is any."""
        return any(
            one[0] == name and all(a in (None, b) for a, b in zip(one[1:], handles, strict=True))
            for one in self.heard
        )


def arguments(machine: PlainMachine, number: int) -> dict[str, Any]:
    """Return the arguments of an action instance, as a program gives them."""
    instance = machine.instances[number]
    hints = get_type_hints(getattr(Yard, instance.action.name), include_extras=True)
    named = zip((p.name for p in instance.action.params), instance.args, strict=True)
    return {name: from_data(value, hints[name]) for name, value in named}


def owners(args: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the owners of those of some arguments that have one, as handles are written."""
    return {f"Note.owner({n})": Note.owner(v) for n, v in args if isinstance(v, Owned)}


Waiting = tuple[str, tuple[tuple[str, Any], ...]]


def bare(waiting: Iterable[Waiting]) -> set[tuple[str, tuple[Any, ...]]]:
    """Return actions with the values of their arguments."""
    return {(name, tuple(value for _, value in args)) for name, args in waiting}


def possible(machine: PlainMachine, state: State) -> set[Waiting]:
    """Return what waits and is possible in a state, with its arguments."""
    return {
        (step.instance.action.name, tuple(arguments(machine, step.number).items()))
        for step in machine.steps(state)
        if step.instance.action.name in WAITING
    }


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("known", HANDLES)
def test_whatever_a_step_makes_possible_is_told(known: str, seed: int) -> None:
    handles, drawn = HANDLES[known], random.Random(seed)
    bound = bind(MODEL, MODEL.instances[0])
    yard = translate(Yard, waking=waking(compile_model(MODEL), handles), bounded=True)
    assert not yard.impossible
    missed: set[tuple[str, str]] = set()
    vain: set[tuple[str, str]] = set()
    with PlainMachine(bound) as machine:
        for _ in range(6):
            system: Any = assemble(Yard, yard.classes)
            state = machine.initial()
            before = possible(machine, state)
            for _ in range(60):
                steps = [s for s in machine.steps(state) if s.instance.action.name not in WAITING]
                step = drawn.choice([s for s in steps if s.after is not None])
                name = step.instance.action.name
                vars(system)["wake"] = told = Told()
                getattr(system, name)(**arguments(machine, step.number))
                assert step.after is not None
                state, after = step.after, possible(machine, step.after)
                for waiting, args in after - before:
                    named = {**dict(args), **owners(args)}
                    given = tuple(named[handle] for handle in handles[waiting])
                    if not told.of(waiting, given):
                        missed.add((name, waiting))
                    assert getattr(system, f"may_{waiting}")(*given)
                for waiting, *heard in told.heard if known == "all arguments" else ():
                    if waiting in CHEAP and (waiting, tuple(heard)) not in bare(after):
                        vain.add((name, waiting))
                before = after
    assert not missed
    assert not vain


def test_what_the_program_does_in_the_place_of_a_class_may_change_its_parts() -> None:
    writes = Writes({}, LAYOUT)  # nothing is known of the methods that are called
    (stmt,) = ast.parse("self.posts[gate].take(parcel)").body
    method = Method(ast.parse("def step(self, parcel, gate): pass").body[0], {})  # type: ignore[arg-type]
    paths = {write.path for write in writes.of(stmt, Yard, method)}
    assert ("posts", "light") in paths
    assert ("posts", "cellar", "stored") in paths


def test_what_has_a_value_only_where_the_rest_holds_is_asked_behind_all_of_that() -> None:
    (tree,) = ast.parse(
        "def step(self, gate, parcel):\n"
        "    require(self.serves(gate) and self.fits(gate, parcel))\n"
        "    head = self.posts[gate].line[0]\n"
        "    require(head in self.loose and self.posts[gate].light == Light.RED)\n"
    ).body
    assert isinstance(tree, ast.FunctionDef)
    method = Method(tree, {"Light": Light})
    of_both = Guard("step", [Handle("gate", False), Handle("parcel", False)], method, LAYOUT)
    assert "line[0]" in ast.unparse(of_both.whole())
    of_gate = ast.unparse(Guard("step", [Handle("gate", False)], method, LAYOUT).whole())
    assert "serves" in of_gate
    assert "line[0]" not in of_gate
    assert "Light.RED" in of_gate


def test_a_statement_that_nobody_translates_is_an_error() -> None:
    (tree,) = ast.parse("def step(self, parcel): self.last, self.count = parcel, 1").body
    assert isinstance(tree, ast.FunctionDef)
    with pytest.raises(LookupError, match=r"Yard.step says .*, and no rule translates that"):
        in_normal_form(tree, Yard, LAYOUT)


def test_so_is_a_change_of_which_nobody_knows_what_it_does() -> None:
    (tree,) = ast.parse("def step(self, parcel): self.loose.toggle(parcel)").body
    assert isinstance(tree, ast.FunctionDef)
    with pytest.raises(LookupError, match=r"Yard.step calls .toggle\(\) on self.loose"):
        in_normal_form(tree, Yard, LAYOUT)
