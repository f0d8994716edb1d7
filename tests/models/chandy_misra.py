"""Dining philosophers who hand their forks on: nobody starves, and nobody is in charge.

Chandy and Misra, "The Drinking Philosophers Problem", TOPLAS 6(4), 1984.  A fork is dirty once it
has been eaten with; a dirty fork is cleaned and handed to the neighbour, a clean one is kept until
its holder has eaten.  What it shows: state that is written down as the difference from how it
begins, so that the natural default of a set, empty, is the right start.

Counts: the manifest of `specifications/DiningPhilosophers` in github.com/tlaplus/Examples states
67 distinct and 336 generated states and 29 levels for five philosophers; the other sizes are
TLC 2.15's on the same module.
"""

from enum import Enum

from ackproof.lang import (
    Instance,
    Map,
    Model,
    OrderedSort,
    Set,
    System,
    action,
    helper,
    invariant,
    properties_in,
    reachable,
    require,
)


class Seat(OrderedSort):
    """A place at the table: a philosopher, and the fork to the left of the plate."""


class Doing(Enum):
    """What a philosopher does next."""

    ASK = "look for forks"
    EAT = "eat"
    THINK = "think"


@helper
def next_to(seat: Seat) -> Seat:
    """Return the seat to the right; the last one sits beside the first."""
    after = Seat.succ(seat)
    return Seat.first() if after is None else after


class Table(System):
    """Philosophers, and forks that are always in somebody's hand."""

    doing: Map[Seat, Doing]
    sated: Set[Seat]  # not hungry
    clean: Set[Seat]  # forks that have not been eaten with since they changed hands
    moved: Set[Seat]  # forks that are not where they began

    @helper
    def with_owner(self, fork: Seat) -> bool:
        """Whether a fork is at its own seat.

        All begin there but the first philosopher's right one, which he has: a table that begins
        all alike can go round in a circle for ever.
        """
        return (fork == next_to(Seat.first())) == (fork in self.moved)

    @helper
    def has_left(self, p: Seat) -> bool:
        """Whether a philosopher holds the fork to the left."""
        return self.with_owner(p)

    @helper
    def has_right(self, p: Seat) -> bool:
        """Whether a philosopher holds the fork to the right."""
        return not self.with_owner(next_to(p))

    @action(fair="weak")
    def ask(self, p: Seat) -> None:
        """Hand on one dirty fork; go on if there is nothing to wait for."""
        require(self.doing[p] == Doing.ASK)
        right = next_to(p)
        ready = self.has_left(p) and self.has_right(p) and {p, right} <= self.clean
        if self.has_left(p) and p not in self.clean:
            self.clean.add(p)
            self.moved ^= {p}
        elif self.has_right(p) and right not in self.clean:
            self.clean.add(right)
            self.moved ^= {right}
        if p in self.sated:
            self.doing[p] = Doing.THINK
        elif ready:
            self.doing[p] = Doing.EAT

    @action(fair="weak")
    def eat(self, p: Seat) -> None:
        """Eat, and dirty both forks."""
        require(self.doing[p] == Doing.EAT)
        self.sated.add(p)
        self.clean -= {p, next_to(p)}
        self.doing[p] = Doing.ASK

    @action(fair="weak")
    def think(self, p: Seat) -> None:
        """Think until hungry."""
        require(self.doing[p] == Doing.THINK)
        self.sated.discard(p)
        self.doing[p] = Doing.ASK


@invariant
def NeighboursDoNotEatTogether(s: Table) -> bool:
    """A fork is in one hand at a time."""
    return not any(s.doing[p] == Doing.EAT and s.doing[next_to(p)] == Doing.EAT for p in Seat)


@reachable
def LastOneEats(s: Table) -> bool:
    """The forks come round to the last seat."""
    return any(s.doing[p] == Doing.EAT for p in Seat if next_to(p) == Seat.first())


MODEL = Model(
    "chandy and misra's philosophers",
    Table,
    properties_in(NeighboursDoNotEatTogether, LastOneEats),
    tuple(
        Instance(f"seats{n}", f"{n} philosophers", sizes={Seat: n}, states=states)
        for n, states in {3: 19, 4: 35, 5: 67, 6: 131, 7: 259}.items()
    ),
    deadlock_free=True,
)
