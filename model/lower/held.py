"""What the states and masks of a design have from its base.

A design changes some steps, and most code should stay what it is without the design, so that it
need not be written again: then every variable has to lie where it lies in the base, and every
property to have the bit that it has there.  So whatever may change without the design, or be false,
has its place or its bit with it, too, though it may now be known; and what comes of the design is
placed when all else has its place.

To know what may change in the base, that is analysed at the same sizes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ackproof.lang.binding import Bound, base_of
from ackproof.lang.errors import BindError
from ackproof.model.lower.fixed import Fixed, fixed
from ackproof.model.lower.leaves import Leaf
from ackproof.model.widths import refuse_wide_types

__all__ = ["Held", "held_by", "holding"]


@dataclass(frozen=True)
class Held:
    """What never changes without the design, and what has no part; see `Fixed`.

    Whatever it says, fewer things are taken for known with it, and never more.

    Args:
        places: how many locations the base has.
        leaves: those of the base that have one value in all its states.
        off: names of `@reachable` situations that cannot be.
        vacuous: names of other properties that nothing could make false.
    """

    places: int
    leaves: frozenset[Leaf]
    off: frozenset[str]
    vacuous: frozenset[str]

    def is_late(self, leaf: Leaf) -> bool:
        """Tell whether a leaf is placed after all that have a place in the base."""
        return leaf.location >= self.places or leaf in self.leaves

    def with_design(self, own: Fixed) -> Fixed:
        """Return what has no place and no bit, of what is off with the design."""
        return replace(
            own,
            leaves=frozenset(filter(self.is_late, own.leaves)),
            off=own.off & self.off,
            vacuous=own.vacuous & self.vacuous,
        )


def held_by(bound: Bound) -> Held | None:
    """Return what the base of a bound design holds; None if there is no design, or no such base.

    Where states are folded there is nothing to gain: that is decided for each design anew.
    """
    base = None if bound.folded else base_of(bound)
    if base is None:
        return None
    try:
        refuse_wide_types(base)
    except BindError:  # what has no room in the base may have some in the design
        return None
    return holding(base)


def holding(base: Bound) -> Held:
    """Return what a base holds for its designs."""
    off = fixed(base)
    return Held(len(base.locations), off.leaves, off.off, off.vacuous)
