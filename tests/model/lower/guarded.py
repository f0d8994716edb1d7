"""Conditions that ask first whether there is a number, and then where it is."""

from __future__ import annotations

from typing import Annotated

from ackproof.lang import Instance, Model, Option, Range, Set, System, action

N = Annotated[int, Range(0, 3)]


class Shelf(System):
    """Numbers on a shelf, and one that somebody looks for."""

    wanted: Option[N]
    here: Set[N]
    elsewhere: Set[N]  # nobody puts anything there
    found: bool

    @action
    def look(self) -> None:
        """See whether the number is here, if somebody looks for one."""
        self.found = any(self.wanted is not None and n in {self.wanted} for n in self.here)

    @action
    def look_twice(self) -> None:
        """See whether it is here, and anything elsewhere."""
        self.found = any(
            self.wanted is not None and {self.wanted} <= self.here
            for n in self.here
            for m in self.elsewhere
        )

    @action
    def take_others(self) -> None:
        """Leave what somebody looks for, and the one."""
        self.here = {n for n in self.here if self.wanted is not None and n in {self.wanted, 1}}

    @action
    def fill(self, more: bool) -> None:
        """Put numbers there."""
        self.here |= {1, 2} if more else {0}

    @action
    def want(self) -> None:
        """Look for a number."""
        self.wanted = 3


MODEL = Model("shelf", Shelf, (), (Instance("shelf", "one shelf", {}, {}),))
