"""Dining philosophers who take their forks in a fixed order, so that they never starve together.

Dijkstra's solution: all but one reach for their own fork first, one for the neighbour's.  What it
shows: one process for each element of a sort, neighbours on a ring, and steps of a process that
change what the system holds.

Counts: 118 distinct and 301 generated states and 14 levels for four philosophers are stated by
`test/pcal/DiningPhilosophersTest.java` of github.com/tlaplus/tlaplus; the other sizes are
TLC 2.15's on the same module (`test-model/pcal/DiningPhilosophers.tla`).
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

    TAKE_FIRST = "take the first fork"
    TAKE_SECOND = "take the second fork"
    EAT = "eat"
    RETURN_OWN = "return the own fork"
    RETURN_NEXT = "return the neighbour's fork"


@helper
def next_to(seat: Seat) -> Seat:
    """Return the seat to the right; the last one sits beside the first."""
    after = Seat.succ(seat)
    return Seat.first() if after is None else after


class Table(System):
    """Philosophers, and the forks that lie on the table or are in somebody's hand."""

    doing: Map[Seat, Doing]
    taken: Set[Seat]

    @helper
    def first_fork(self, p: Seat) -> Seat:
        """Return the fork a philosopher takes first: one of them begins on the other side."""
        return next_to(p) if p == Seat.first() else p

    @helper
    def second_fork(self, p: Seat) -> Seat:
        """Return the other fork."""
        return p if p == Seat.first() else next_to(p)

    @action
    def take_first(self, p: Seat) -> None:
        """Take the first fork when it is on the table."""
        require(self.doing[p] == Doing.TAKE_FIRST and self.first_fork(p) not in self.taken)
        self.taken.add(self.first_fork(p))
        self.doing[p] = Doing.TAKE_SECOND

    @action
    def take_second(self, p: Seat) -> None:
        """Take the second fork when it is on the table; the first one stays in hand."""
        require(self.doing[p] == Doing.TAKE_SECOND and self.second_fork(p) not in self.taken)
        self.taken.add(self.second_fork(p))
        self.doing[p] = Doing.EAT

    @action
    def eat(self, p: Seat) -> None:
        """Eat with two forks."""
        require(self.doing[p] == Doing.EAT)
        self.doing[p] = Doing.RETURN_OWN

    @action
    def return_own(self, p: Seat) -> None:
        """Put the own fork back."""
        require(self.doing[p] == Doing.RETURN_OWN)
        self.taken.discard(p)
        self.doing[p] = Doing.RETURN_NEXT

    @action
    def return_next(self, p: Seat) -> None:
        """Put the neighbour's fork back, and think."""
        require(self.doing[p] == Doing.RETURN_NEXT)
        self.taken.discard(next_to(p))
        self.doing[p] = Doing.TAKE_FIRST


@invariant
def NeighboursDoNotEatTogether(s: Table) -> bool:
    """A fork is in one hand at a time."""
    return not any(s.doing[p] == Doing.EAT and s.doing[next_to(p)] == Doing.EAT for p in Seat)


@reachable
def EverybodyWants(s: Table) -> bool:
    """All but one have a fork and wait for another: the closest that this comes to a deadlock."""
    return all(s.doing[p] == Doing.TAKE_SECOND for p in Seat if p != Seat.first())


MODEL = Model(
    "dining philosophers",
    Table,
    properties_in(NeighboursDoNotEatTogether, EverybodyWants),
    tuple(
        Instance(f"seats{n}", f"{n} philosophers", sizes={Seat: n}, states=states)
        for n, states in {3: 35, 4: 118, 5: 392, 6: 1_297}.items()
    ),
    deadlock_free=True,
)
