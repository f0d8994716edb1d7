"""Layout: where every leaf of the state lies in a packed state.

Leaves are put into words of 64 bits, widest first, each into the first word with room, so that
none lies across two words.  A leaf that keeps one value for ever lies nowhere: it is known.  The
top bit of the last word is always 1: a packed state is never 0, and 0 is an empty slot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ackproof.model.lower.codec import Codec, Value
from ackproof.model.lower.leaves import Leaf, Leaves
from ackproof.model.lower.ops import Emitter
from ackproof.spec.lang.binding import Bound
from ackproof.spec.lang.errors import BindError
from ackproof.spec.lang.types import Type

__all__ = ["Layout", "Slot"]

#: More than this and an exploration would not end; a typing error in a size is more likely.
MAX_WORDS = 16
WORD_BITS = 64
OCCUPIED = 1 << 63


@dataclass(frozen=True)
class Slot:
    """Where a leaf lies: word, distance from its lowest bit, and width in bits."""

    type: Type
    word: int
    shift: int
    width: int


class Layout:
    """The packed form of the states of a bound program.

    Args:
        bound: the program.
        frozen: leaves that keep their initial value for ever; see `ackproof.model.lower.fixed`.

    Raises:
        BindError: a set has more than 64 possible elements, or the state does not fit.
    """

    def __init__(self, bound: Bound, frozen: Iterable[Leaf] = ()) -> None:
        self.bound = bound
        self.codec = Codec(bound.elements, Emitter())
        self.leaves = Leaves(bound, self.codec)
        self.types = self.leaves.types
        widths = {leaf: self.codec.bits(t) for leaf, t in self.types.items()}
        self._refuse_wide(widths)
        self.fixed: dict[Leaf, Value] = self._known(frozenset(frozen), widths)
        kept = {leaf: width for leaf, width in widths.items() if leaf not in self.fixed}
        self.bits = sum(kept.values())
        self.slots, self.words = _place(self.types, kept)
        if self.words > MAX_WORDS:
            raise BindError(self._too_large(kept))

    def _known(self, frozen: frozenset[Leaf], widths: Mapping[Leaf, int]) -> dict[Leaf, Value]:
        if not frozen and all(widths.values()):
            return {}
        initial = self.leaves.values(self.bound.initial())
        return {leaf: initial[leaf] for leaf, n in widths.items() if n == 0 or leaf in frozen}

    # -- refusals -------------------------------------------------------------------------------

    def _refuse_wide(self, widths: Mapping[Leaf, int]) -> None:
        for leaf, width in widths.items():
            if width > WORD_BITS:
                raise BindError(
                    f"instance {self.bound.instance.name}: {self.leaves.name(leaf)} takes {width} "
                    f"bits, and a set or sequence may take {WORD_BITS}; make its sizes smaller"
                )

    def _too_large(self, widths: Mapping[Leaf, int]) -> str:
        total: dict[str, int] = {}
        for leaf, width in widths.items():
            name = self.leaves.name(leaf)
            total[name] = total.get(name, 0) + width
        widest = sorted(total.items(), key=lambda item: -item[1])[:3]
        listed = ", ".join(f"{name} with {bits}" for name, bits in widest)
        return (
            f"instance {self.bound.instance.name}: a state takes {self.bits} bits, and "
            f"{MAX_WORDS * WORD_BITS - 1} fit; the widest are {listed}: make its sizes smaller"
        )

    # -- packing --------------------------------------------------------------------------------

    def pack(self, state: tuple[Any, ...]) -> list[int]:
        """Return a state, given as data, as words."""
        words = [0] * self.words
        words[-1] = OCCUPIED
        values = self.leaves.values(state)
        for leaf, slot in self.slots.items():
            words[slot.word] |= int(self.codec.store(slot.type, values[leaf])) << slot.shift
        return words

    def unpack(self, words: list[int]) -> tuple[Any, ...]:
        """Return packed words as a state of data."""
        values = dict(self.fixed)
        for leaf, slot in self.slots.items():
            raw = words[slot.word] >> slot.shift & (2**slot.width - 1)
            values[leaf] = self.codec.load(slot.type, raw)
        return self.leaves.state(values)


def _place(types: Mapping[Leaf, Type], widths: Mapping[Leaf, int]) -> tuple[dict[Leaf, Slot], int]:
    """Put leaves into words; return their slots and the number of words."""
    used: list[int] = []
    slots: dict[Leaf, Slot] = {}
    for leaf in sorted(widths, key=lambda x: -widths[x]):
        fits = (i for i, u in enumerate(used) if u + widths[leaf] <= WORD_BITS)
        word = next(fits, len(used))
        if word == len(used):
            used.append(0)
        slots[leaf] = Slot(types[leaf], word, used[word], widths[leaf])
        used[word] += widths[leaf]
    roomy = next((i for i, u in enumerate(used) if u < WORD_BITS), None)
    if roomy is None:
        return slots, len(used) + 1
    swap = {roomy: len(used) - 1, len(used) - 1: roomy}
    moved = {leaf: replace(s, word=swap.get(s.word, s.word)) for leaf, s in slots.items()}
    return moved, len(used)
