"""Limits: how large an instance may be that a search is asked for, and what is said beyond.

Plain Python computes with values of any size.  What bounds it is time: each action is tried with
every choice of its arguments in every state.  What the compiled engine has no room for is refused
by `ackproof.model.widths`.
"""

from __future__ import annotations

import math

from ackproof.lang.binding import Bound
from ackproof.lang.data import domain_size
from ackproof.lang.errors import BindError
from ackproof.lang.model import Instance

__all__ = [
    "CODE_BITS",
    "MOST_BEGINNINGS",
    "MOST_CHOICES",
    "MOST_ELEMENTS",
    "MOST_OF_RUNS",
    "MOST_PLACES",
    "MOST_PROPERTIES",
    "MOST_RENAMINGS",
    "MOST_WORDS",
    "STATE_BITS",
    "refuse_large_sorts",
    "refuse_too_many_choices",
]

#: Elements of a sort, elements that a set may have, keys of a map, elements of a sequence.
MOST_ELEMENTS = 1 << 12

#: Choices of an action with its arguments, all actions together.
MOST_CHOICES = 1 << 16

#: Choices of values to begin with that are tried, whether they are initial states or not.
MOST_BEGINNINGS = 1 << 20

#: Entries of a variable, of all members of its family and for all keys of its maps.
MOST_PLACES = 1 << 16

#: Bits of an integer but for its sign, and of the code of an option or a record.
CODE_BITS = 62

#: Properties of one kind: of states, or of steps.
MOST_PROPERTIES = 256

#: Properties of runs; one of what leads to something counts twice.
MOST_OF_RUNS = 64

#: Orders of elements that are tried to name a state, where states are folded; see `columns`.
MOST_RENAMINGS = 5_040

#: Words of a state.  More, and a search would not end; a slip in a size is more likely.
MOST_WORDS = 16

#: Bits of a state; one of all its words is always 1.
STATE_BITS = MOST_WORDS * 64 - 1


def refuse_large_sorts(instance: Instance) -> None:
    """Refuse an instance with a sort of very many elements, before they are named.

    Raises:
        BindError: there is one.
    """
    for sort, size in instance.sizes.items():
        if isinstance(size, int) and size > MOST_ELEMENTS:
            raise BindError(
                f"instance {instance.name}: the size of {sort.__name__} is {size:,}, "
                f"where {MOST_ELEMENTS:,} can be searched; make it smaller"
            )


def refuse_too_many_choices(bound: Bound) -> None:
    """Refuse an instance with more choices of an action and its arguments than can be tried.

    Raises:
        BindError: it has more.
    """
    total = 0
    for action in bound.actions:
        counts = {p.name: domain_size(p.type, bound.elements) for p in action.params}
        total += math.prod(counts.values())
        if total > MOST_CHOICES:
            name = max(counts, key=counts.__getitem__)
            raise BindError(
                f"instance {bound.instance.name}: there are too many ways to choose an action and "
                f"its arguments, {_count(counts[name])} for {name} of {action.name} alone, where "
                f"{MOST_CHOICES:,} in all can be tried; make the sorts smaller"
            )


def _count(number: int) -> str:
    return f"{number:,}" if number < 10**9 else "more than a thousand million"
