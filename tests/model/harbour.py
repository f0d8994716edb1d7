"""A harbour with a shed, and two worse sheds: a small model for tables of eras.

Crates are landed on a quay, where a storm may take them, and stored in a shed, where they are safe.
The owner is told of what is stored.  On one instance no shed was ever built, so there all sheds
are alike.
"""

from __future__ import annotations

from ackproof.lang import (
    Breaks,
    Const,
    Design,
    Holds,
    Instance,
    Model,
    Process,
    Set,
    Sort,
    System,
    action,
    eventually,
    fault,
    handler,
    invariant,
    properties_in,
    reachable,
    require,
    step_property,
)
from ackproof.model.eras import DOCUMENTED, Era


class Crate(Sort, prefix="c"):
    """A crate."""


class Shed(Process):
    """Where crates are safe."""

    built: Const[bool] = True
    stored: Set[Crate]

    @handler
    def take(self, crate: Crate) -> None:
        """A crate is brought in."""
        self.stored.add(crate)


class Harbour(System):
    """A quay and a shed."""

    quay: Set[Crate]
    told: Set[Crate]
    shed: Shed

    @action
    def land(self, crate: Crate) -> None:
        """A crate comes from a ship."""
        require(crate not in self.quay and crate not in self.shed.stored)
        self.quay.add(crate)

    @action(fair="weak")
    def store(self, crate: Crate) -> None:
        """A crate is brought into the shed, and its owner is told."""
        require(self.shed.built and crate in self.quay)
        self.quay.discard(crate)
        self.shed.take(crate)
        self.told.add(crate)

    @fault
    def storm(self) -> None:
        """What is on the quay is swept away."""
        require(bool(self.quay))
        self.quay.clear()


@invariant
def ToldIsKept(s: Harbour) -> bool:
    """What its owner was told of is in the harbour."""
    return s.told <= s.shed.stored | s.quay


@invariant
def ToldIsInside(s: Harbour) -> bool:
    """What its owner was told of never lies on the quay again."""
    return not s.told & s.quay


@step_property
def NothingIsUntold(before: Harbour, after: Harbour) -> bool:
    """Nobody forgets that an owner was told."""
    return before.told <= after.told


@eventually
def QuayEmpties(s: Harbour) -> bool:
    """The quay is empty again and again, where there is a shed to empty it into."""
    return not s.quay or not s.shed.built


@reachable
def TwoStored(s: Harbour) -> bool:
    """Two crates are in the shed."""
    return len(s.shed.stored) == 2


@reachable
def ToldYetGone(s: Harbour) -> bool:
    """More owners were told than crates are in the shed; no table of a good shed has this."""
    return len(s.told) > len(s.shed.stored)


class ShallowShed(Shed):
    """A shed for one crate."""

    @handler
    def take(self, crate: Crate) -> None:
        """The newest crate pushes out what was there."""
        self.stored.clear()
        self.stored.add(crate)


class OpenShed(Shed):
    """A shed without walls."""

    @handler
    def take(self, crate: Crate) -> None:
        """The crate is gone."""
        self.stored.discard(crate)


class LazyHarbour(Harbour):
    """A harbour that waits until it is worth the while."""

    @action(fair="weak")
    def store(self, crate: Crate) -> None:
        """Two crates are stored after one another, and one is not stored at all."""
        require(len(self.quay) == 2)
        super().store(crate)


SINGLE = Instance("single", "one crate, one storm", {Crate: 1}, {"storm": 1}, lacks=("TwoStored",))
PAIR = Instance("pair", "two crates, one storm", {Crate: 2}, {"storm": 1})
UNBUILT = Instance(
    "unbuilt",
    "two crates and no shed",
    {Crate: 2},
    {"storm": 1},
    {"Shed.built": False},
    lacks=("TwoStored", "store"),
)
TRIO = Instance("trio", "three crates, for which nobody has the time", {Crate: 3}, table=False)

MODEL = Model(
    "harbour",
    Harbour,
    properties_in(TwoStored, ToldIsKept, QuayEmpties, NothingIsUntold, ToldIsInside),
    (PAIR, SINGLE, UNBUILT, TRIO),
)

shallow = Design(
    claim="A shed for one crate is enough.",
    source="the year of 1",
    replace=(ShallowShed,),
    expect=(
        Breaks("ToldIsKept", "pair", 4),
        Breaks("ToldIsInside", "pair", 5),
        Holds("single"),
        Breaks("ToldIsKept", "trio", 4),
    ),
)

open_air = Design(
    claim="A shed needs no walls.",
    source="the year of 2",
    replace=(OpenShed,),
    expect=(
        Breaks("ToldIsKept", "single", 2),
        Breaks("ToldIsInside", "single", 3),
        Breaks("QuayEmpties", "pair", 5),
    ),
)

#: Not one of the eras: here what must happen does not, since nothing happens any more.
lazy = Design(
    claim="One crate is not worth the while.",
    source="the year of 3",
    replace=(LazyHarbour,),
    expect=(Breaks("QuayEmpties", "single", 1),),
)

ERAS = (
    Era(DOCUMENTED, MODEL),
    Era("shallow", MODEL, shallow),
    Era("open_air", MODEL, open_air),
)
