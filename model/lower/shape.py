"""Shapes: what the code of any action hangs on besides the action.

Two programs of the same shape have the same leaves, of the same types, and the same constants.
So what was found out about an action of one is true of the same action of the other.
"""

from __future__ import annotations

from collections.abc import Hashable

from ackproof.lang.binding import Bound
from ackproof.lang.kept import interned

__all__ = ["shape_of"]


def shape_of(bound: Bound) -> Hashable:
    """Return the shape of a bound program: the same object for equal ones, as long as it is kept.

    That is the variables, the elements of sorts, constants, and the budgets of faults.
    """
    return interned(
        (
            bound.program.variables,
            tuple(bound.elements.items()),
            tuple(bound.constants.items()),
            tuple(bound.budgets.items()),
        )
    )
