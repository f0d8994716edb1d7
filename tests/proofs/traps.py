"""Small systems with properties that are nearly true: what a prover overlooks, it proves.

`CLOCK` has steps that write nothing that a property reads.  `TWICE` has loops over sets that are
written out, whose members may be one.  `QUEUES` has sets inside of sets.  `HOMES` has options of
what there may be none of.  `NAMES` has variables, constants, parts, sorts and arguments that are
called like symbols of formulas.
"""

from __future__ import annotations

from enum import Enum

from ackproof.lang import (
    Const,
    Each,
    Event,
    Instance,
    Map,
    Model,
    Option,
    OrderedSort,
    Process,
    Record,
    Set,
    Sort,
    System,
    action,
    invariant,
    properties_in,
    require,
    step_property,
)

# -- steps that leave alone what a property reads -----------------------------------------------


class Clock(System):
    """A clock with a hand, and a light beside it."""

    late: bool
    light: bool

    @action
    def tick(self) -> None:
        """It gets late."""
        require(not self.late)
        self.late = True

    @action
    def shine(self) -> None:
        """The light goes on and off, once it is late."""
        require(self.late)
        self.light = not self.light


class Busy(Clock):
    """Somebody plays with the light at any time."""

    @action
    def shine(self) -> None:
        """The light goes on and off."""
        self.light = not self.light


@step_property
def AlwaysLater(before: Clock, after: Clock) -> bool:
    """Each step makes it later; this is false where the clock stands still."""
    return not before.late and after.late


@step_property
def NeverEarlier(before: Clock, after: Clock) -> bool:
    """No step makes it earlier."""
    return after.late or not before.late


@step_property
def ThenLate(before: Clock, after: Clock) -> bool:
    """After each step it is late; it is false where the light goes on early."""
    return after.late


CLOCK = Model(
    "clock",
    Clock,
    properties_in(AlwaysLater, NeverEarlier, ThenLate),
    (Instance("one", "a clock", {}),),
)

# -- loops over sets that are written out -------------------------------------------------------


class Lamp(OrderedSort):
    """A lamp."""


class Pressed(Event):
    """Two switches were pressed, or one with two hands."""

    one: Lamp
    other: Lamp


class Hall(System):
    """Lamps."""

    on: Map[Lamp, bool]

    @action
    def press(self, one: Lamp, other: Lamp) -> None:
        """Each of the lamps is switched."""
        self.emit(Pressed(one, other))
        for lamp in {one, other}:
            self.on[lamp] = not self.on[lamp]


@step_property
def BothAreSwitched(before: Hall, after: Hall, pressed: Pressed) -> bool:
    """Each is switched, and it does not matter whether they are one."""
    return all(after.on[x] != before.on[x] for x in {pressed.one, pressed.other})


@step_property
def OneIsNotSwitched(before: Hall, after: Hall, pressed: Pressed) -> bool:
    """A lamp that is switched by both hands stays as it is; this is false."""
    return pressed.one != pressed.other or after.on[pressed.one] == before.on[pressed.one]


TWICE = Model(
    "hall",
    Hall,
    properties_in(BothAreSwitched, OneIsNotSwitched),
    (Instance("two", "two lamps", {Lamp: 2}),),
)

# -- sets inside of sets ------------------------------------------------------------------------


class Msg(OrderedSort):
    """A message."""


class Queue(OrderedSort):
    """A queue, which has a number."""


class Box(System):
    """Messages in queues, some of them urgent."""

    there: Set[Msg]
    has: Map[Queue, Set[Msg]]
    urgent: Set[Msg]

    @action
    def put(self, msg: Msg, queue: Queue) -> None:
        """A message comes."""
        self.there.add(msg)
        self.has[queue].add(msg)

    @action
    def hurry(self, msg: Msg) -> None:
        """A message is urgent."""
        self.urgent.add(msg)


@invariant
def NothingHasALater(s: Box) -> bool:
    """No message has a later one; this is false as soon as there are two."""
    followed = {m for m in s.there if min({n for n in s.there if n > m}, default=None) is not None}
    return min(followed, default=None) is None


@invariant
def TheFirstHasALater(s: Box) -> bool:
    """Where there are two messages, some message has a later one."""
    return all(
        min(
            {m for m in s.there if min({n for n in s.there if n > m}, default=None) is not None},
            default=None,
        )
        is not None
        for x in s.there
        for y in s.there
        if x != y
    )


@invariant
def UrgentQueueIsFound(s: Box) -> bool:
    """The least queue whose oldest message is urgent comes before no other such queue."""
    hurried = {
        q for q in Queue if any(min(s.has[q], default=None) == m for m in s.has[q] & s.urgent)
    }
    least = min(hurried, default=None)
    return all(least is not None and least <= q for q in hurried)


@invariant
def AllOrNoneAreFull(s: Box) -> bool:
    """Where one queue has messages, all have; this is false with two queues."""
    full = {q for q in Queue if len({m for m in s.has[q] if m in s.there}) > 0}
    return len({q for q in full if len(s.has[q]) > 0}) == 0 or all(q in full for q in Queue)


@invariant
def FirstIsFull(s: Box) -> bool:
    """The least queue that has messages is the first; this is false where another gets one."""
    least = min({q for q in Queue if len(s.has[q]) + 1 > 1}, default=None)
    return least is None or least == Queue.first()


QUEUES = Model(
    "box",
    Box,
    properties_in(
        NothingHasALater, TheFirstHasALater, UrgentQueueIsFound, AllOrNoneAreFull, FirstIsFull
    ),
    (Instance("two", "two of each", {Msg: 2, Queue: 2}),),
)

# -- options of what there may be none of -------------------------------------------------------


class Cat(Sort):
    """A cat."""


class House(Sort):
    """A house, if there is one."""


class Shelf(OrderedSort):
    """A shelf, if there is one."""


class Pet(Process):
    """A cat, which may live somewhere and may sleep somewhere."""

    home: Const[Option[House]] = None
    bed: Option[Shelf]


class Village(System):
    """Cats that are fed."""

    pets: Each[Cat, Pet]
    fed: Set[Cat]

    @action
    def feed(self, cat: Cat) -> None:
        """A cat is fed, wherever it lives."""
        self.fed.add(cat)


@invariant
def FedCatsHaveHouses(s: Village) -> bool:
    """Where a cat is fed there is a house; this is false where there is none."""
    return not s.fed or any(
        s.pets[c].home == h or s.pets[c].home != h for c in s.fed for h in House
    )


@invariant
def FedCatsHaveShelves(s: Village) -> bool:
    """Where a cat is fed there is a shelf; this is false where there is none."""
    return not s.fed or any(s.pets[c].bed == x or s.pets[c].bed != x for c in s.fed for x in Shelf)


@invariant
def HomesAreHouses(s: Village) -> bool:
    """A cat that lives somewhere lives in a house."""
    return all(s.pets[c].home is None or any(s.pets[c].home == h for h in House) for c in Cat)


HOMES = Model(
    "homes",
    Village,
    properties_in(FedCatsHaveHouses, FedCatsHaveShelves, HomesAreHouses),
    (Instance("stray", "a cat and nothing else", {Cat: 1, House: 0, Shelf: 0}),),
)

# -- names --------------------------------------------------------------------------------------


class Int(Sort, prefix="i"):
    """Somebody who is called like numbers are."""


class Bool(OrderedSort):
    """Somebody who is called like truth is."""


class Pair(Record):
    """Two of them."""

    one: Bool
    two: Bool


class s(Enum):  # noqa: N801
    """An enum that is called like a state is."""

    flag = 1
    other = 2


class Part(Process):
    """A part that any name may be given to."""

    flag: Const[bool] = False
    Bool: Const[int] = 3
    m: Const[Int]


class Odd(System):
    """Parts and constants that are called like symbols of formulas are."""

    s: Part
    initial: Part
    const: Part
    size: Part
    add: Part
    x0: Const[Pair]
    flag: bool
    kind: s
    members: Set[Int]
    chosen: Option[Bool]

    @action
    def put(self, m: Int, n: Bool) -> None:
        """Somebody comes."""
        require(not self.flag)
        self.flag = True
        self.kind = s.other
        self.members.add(m)
        self.chosen = n


@step_property
def FlagIsThatOfS(before: Odd, after: Odd) -> bool:
    """The flag was that of the part; this is false where that is set."""
    return before.flag == before.s.flag or (
        after.flag != before.flag and before.s.m in after.members
    )


@invariant
def AllAreTheFirst(state: Odd) -> bool:
    """Only one may come; this is false where another comes."""
    return all(m == state.s.m for m in state.members)


@invariant
def TheLastIsChosen(state: Odd) -> bool:
    """Nobody but the first is chosen; this is false where there are two."""
    return all(n == state.chosen or n > state.x0.one for n in Bool if state.flag)


@invariant
def KindFollowsFlag(state: Odd) -> bool:
    """The kind says what the flag says."""
    return state.flag == (state.kind == s.other)


NAMES = Model(
    "odd",
    Odd,
    properties_in(FlagIsThatOfS, AllAreTheFirst, TheLastIsChosen, KindFollowsFlag),
    (
        Instance(
            "two",
            "two of each",
            {Int: 2, Bool: 2},
            constants={
                "Part.flag": True,
                "Part.m": "i1",
                "Odd.x0": (1, 1),
            },
        ),
    ),
)
