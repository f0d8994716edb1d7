"""Beginnings: variables that may start with anything, and what is demanded of them."""

from __future__ import annotations

from ackproof.lang import (
    Each,
    Map,
    Model,
    Option,
    Process,
    Set,
    Sort,
    System,
    action,
    anything,
    initially,
    properties_in,
    require,
)


class Lamp(Sort, prefix="l"):
    """A lamp."""


class Switch(Process):
    """One for each lamp."""

    on: bool = anything()


class Street(System):
    """A street with lamps."""

    switches: Each[Lamp, Switch]
    broken: Set[Lamp] = anything()
    next_to: Map[Lamp, Option[Lamp]] = anything()
    watched: Lamp = anything()

    @action
    def turn_on(self, lamp: Lamp) -> None:
        """A lamp goes on."""
        require(lamp not in self.broken)
        self.switches[lamp].on = True


@initially
def WhatIsBrokenIsOff(s: Street) -> bool:
    """A broken lamp is off, and has a neighbour."""
    return all(not s.switches[x].on and s.next_to[x] is not None for x in s.broken)


MODEL = Model("street", Street, properties_in(WhatIsBrokenIsOff), ())
