"""A wharf with lines that number their crates, each line with what it knows of its own crates."""

from __future__ import annotations

import sys

from ackproof.lang import (
    Each,
    Instance,
    Map,
    Model,
    Option,
    OrderedSort,
    OwnedSort,
    Process,
    Set,
    Sort,
    System,
    action,
    handler,
    invariant,
    least,
    properties_in,
    require,
)


class Line(OrderedSort, prefix="l"):
    """Who ships."""


class Crate(OwnedSort[Line]):
    """What is shipped; a line numbers its own."""


class Guard(Sort, prefix="g"):
    """Who looks at crates."""


class Desk(Process):
    """What a guard has to do for a line."""

    expected: Option[Crate] = Crate.first()
    checked: Map[Crate, bool]

    @handler
    def check(self, crate: Crate) -> None:
        """Check crates in order."""
        require(self.expected == crate)
        self.checked[crate] = True
        self.expected = Crate.succ(crate)


class Office(Process):
    """What a line knows of its crates."""

    following: Option[Crate] = Crate.first()
    watched: Map[Crate, Set[Guard]]
    desks: Each[Guard, Desk]

    @handler
    def ship(self, crate: Crate, guards: Set[Guard]) -> None:
        """The next crate is watched by some guards."""
        require(self.following == crate)
        self.watched[crate] |= guards
        self.following = Crate.succ(crate)

    @handler
    def release(self, crate: Crate, guard: Guard) -> None:
        """A guard has seen the crate."""
        require(guard in self.watched[crate])
        self.desks[guard].check(crate)
        self.watched[crate].discard(guard)


class Wharf(System):
    """All lines, and the crates in the order of lines."""

    offices: Each[Line, Office]
    stored: Set[Crate]

    @action
    def ship(self, crate: Crate, guards: Set[Guard]) -> None:
        """A line ships its next crate."""
        self.offices[Crate.owner(crate)].ship(crate, guards)
        self.stored.add(crate)

    @action
    def release(self, crate: Crate, guard: Guard) -> None:
        """A guard sees a crate."""
        self.offices[Crate.owner(crate)].release(crate, guard)

    @action
    def lose(self) -> None:
        """The first of all crates is lost, whichever it is."""
        crate = least(self.stored)
        require(crate is not None)
        if crate is not None:
            self.stored.discard(crate)
            self.offices[Crate.owner(crate)].watched[crate].clear()

    @action
    def inspect(self, guard: Guard) -> None:
        """A guard watches the first of all crates, whichever it is."""
        crate = least(self.stored)
        require(crate is not None)
        if crate is not None:
            self.offices[Crate.owner(crate)].watched[crate].add(guard)

    @action
    def close(self, line: Line) -> None:
        """A line gives up all its crates."""
        self.stored -= Crate.of(line)
        for crate in Crate.of(line):
            self.offices[line].watched[crate].clear()

    @action
    def alarm(self, line: Line) -> None:
        """All guards watch what a line has stored."""
        for crate in Crate.of(line):
            if crate in self.stored:
                self.offices[line].watched[crate] |= set(Guard)


@invariant
def CratesAreWatchedByTheirOwnLine(s: Wharf) -> bool:
    """An office knows nothing of crates of other lines."""
    return all(Crate.owner(c) == x for x in Line for c in Crate if s.offices[x].watched[c])


@invariant
def DesksBeginWithTheirOwnLine(s: Wharf) -> bool:
    """What a desk expects is a crate of its line, and the first one unless it has checked some."""
    return all(
        any(s.offices[x].desks[g].checked[c] for c in Crate.of(x))
        or s.offices[x].desks[g].expected == Crate.first(x)
        for x in Line
        for g in Guard
    )


MODEL = Model(
    "wharf",
    Wharf,
    properties_in(sys.modules[__name__]),
    (
        Instance("two", "two lines", {Line: 2, Crate: 2, Guard: 1}),
        Instance("one", "one line", {Line: 1, Crate: 2, Guard: 2}),
        Instance("none", "no line", {Line: 0, Crate: 2, Guard: 1}),
    ),
)
