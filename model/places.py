"""The places of a state as they are shown to readers: by name, and what is there.

A place has the name that traces give it, such as `queues[q1].store.level`.  Faults have no place:
what is left of each is counted behind the places, and named after the fault.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ackproof.lang.data import default_data
from ackproof.model.lanes import Lanes
from ackproof.model.plain import State
from ackproof.model.show import show_value

__all__ = ["Places"]


class Places:
    """The places of a bound program.

    Args:
        lanes: the lanes of that program, which know the names.
    """

    def __init__(self, lanes: Lanes) -> None:
        self._bound = lanes.bound
        self._lanes = lanes

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all places, in the order of a state."""
        return tuple(map(self._lanes.name, self._bound.locations))

    @cached_property
    def _defaults(self) -> list[Any]:
        elements = self._bound.elements
        return [default_data(loc.variable.type, elements) for loc in self._bound.locations]

    def texts(self, state: State) -> dict[str, str]:
        """Return what is in each place, as text."""
        values = zip(self.names, self._bound.locations, state, strict=False)
        return {name: show_value(value, loc.variable.type) for name, loc, value in values}

    def lines(self, state: State, part: str = "") -> list[str]:
        """Return places with their values: those whose name has a part.

        Without one, those are left out that have the default of their type.
        """
        known = zip(self.names, self._defaults, state, strict=False)
        wanted = {n for n, default, v in known if (part in n if part else v != default)}
        return [f"{name} = {text}" for name, text in self.texts(state).items() if name in wanted]

    def faults_left(self, state: State) -> dict[str, int]:
        """Return how often each fault may still happen."""
        return dict(zip(self._bound.budgets, state[len(self._bound.locations) :], strict=True))
