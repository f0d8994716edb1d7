"""The lighthouse: shines for ships, and tells the harbour.

It turns its lamp on when a ship is near (A4.1), and the harbour writes that down.  Two keepers
share the work.

Nothing else happens here (INV-A8).
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ackproof.lang import (
    Const,
    Design,
    Each,
    Event,
    Ghost,
    Instance,
    Map,
    Model,
    Option,
    OrderedSort,
    Process,
    Range,
    Set,
    System,
    action,
    fault,
    handler,
    helper,
    invariant,
    on,
    reachable,
    require,
    step_property,
)


class Ship(OrderedSort):
    """A ship."""


class Keeper(OrderedSort):
    """A keeper."""


class Colour(Enum):
    """What the lamp shows."""

    DARK = "dark"
    WHITE = "white"


class Flash(Event):
    """The lamp is seen."""

    ship: Ship
    last: bool


class Watch(Process):
    """One keeper's watch (B1)."""

    strict: Const[bool] = True
    seen: Set[Ship]
    #: how often this keeper
    #: was woken
    woken: Annotated[int, Range(0, 2)] = 1

    @handler
    def note(self, ship: Ship) -> None:
        """Write a ship down, once (B1.2)."""
        require(ship not in self.seen)
        self.seen.add(ship)
        self.emit(Flash(ship, last=False))


class Lighthouse(System):
    """A tower with keepers."""

    lamp: Colour = Colour.DARK  # what ships see
    next_ship: Option[Ship] = Ship.first()
    near: Map[Ship, Set[Keeper]]
    told: Ghost[Set[Ship]]
    watches: Each[Keeper, Watch]

    # -- by night -------------------------------------------------------------------------------

    @helper
    def busy(self) -> bool:
        """Tell whether the lamp is on."""
        return self.lamp == Colour.WHITE

    @action(fair="weak")
    def sight(self, ship: Ship, keepers: Set[Keeper]) -> None:
        """Some keepers see a ship (A4)."""
        nobody = not keepers
        require(self.next_ship == ship and not nobody)
        self.next_ship = Ship.succ(ship)
        self.near[ship] = set(keepers)
        for keeper in sorted(keepers):
            self.watches[keeper].note(ship)
        if not self.busy():
            self.lamp = Colour.WHITE

    # -- by day ---------------------------------------------------------------------------------

    @fault
    def fog(self) -> None:
        """The lamp cannot be seen."""
        self.lamp = Colour.DARK

    @on(Flash)
    def hears(self, flash: Flash) -> None:
        """The harbour hears of a ship."""
        self.told.add(flash.ship)


# -- what is claimed ---------------------------------------------------------------------------


@invariant
def ToldIsNear(s: Lighthouse) -> bool:
    """Only a ship that is near is told of (A4.1).

    The harbour would wait in vain.
    """
    return all(bool(s.near[ship]) for ship in s.told)


@step_property
def FlashIsNew(before: Lighthouse, after: Lighthouse, flash: Flash) -> bool:
    """A ship is told of once."""
    return flash.ship not in before.told


@reachable
def AllTold(s: Lighthouse) -> bool:
    """All ships are told of."""
    return all(ship in s.told for ship in Ship)


class Sleepy(Watch):
    """A keeper who forgets."""

    @handler
    def note(self, ship: Ship) -> None:
        """Tell, and write nothing down."""
        self.emit(Flash(ship, last=False))


sleepy = Design(claim="Nobody needs to write ships down.", replace=(Sleepy,))

MODEL = Model(
    "lighthouse",
    Lighthouse,
    tuple(f.__ackproof_property__ for f in (ToldIsNear, FlashIsNew, AllTold)),
    (Instance("bay", "two ships", {Ship: 2, Keeper: 1}, faults={"fog": 1}, states=5),),
)
