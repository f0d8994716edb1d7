"""Layout: where every leaf of the state lies in a packed state.

Leaves are put into words of 64 bits, widest first, each into the first word with room, so that
none lies across two words; one that is wider than a word is put there in pieces, of which all but
the last fill a word.  A leaf that keeps one value for ever lies nowhere: it is known.  The top bit
of the last word is always 1: a packed state is never 0, and 0 is an empty slot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ackproof.lang.binding import Bound
from ackproof.lang.errors import BindError
from ackproof.lang.types import Type
from ackproof.model.beginnings import initial_states
from ackproof.model.limits import MOST_WORDS, STATE_BITS
from ackproof.model.lower.codec import Codec, Value
from ackproof.model.lower.leaves import Leaf, Leaves
from ackproof.model.lower.ops import WORD_BITS, Emitter

__all__ = ["Layout", "Piece", "Slot"]

OCCUPIED = 1 << 63


@dataclass(frozen=True)
class Piece:
    """Where bits lie: word, distance from its lowest bit, and how many they are."""

    word: int
    shift: int
    width: int


@dataclass(frozen=True)
class Slot:
    """Where a leaf lies: its bits from the lowest on, a word at a time."""

    type: Type
    pieces: tuple[Piece, ...]


class Layout:
    """The packed form of the states of a bound program.

    Args:
        bound: the program.
        frozen: leaves that keep their initial value for ever; see `ackproof.model.lower.fixed`.

    Raises:
        BindError: the state does not fit.
    """

    def __init__(self, bound: Bound, frozen: Iterable[Leaf] = ()) -> None:
        self.bound = bound
        self.codec = Codec(bound.elements, Emitter())
        self.leaves = Leaves(bound, self.codec)
        self.types = self.leaves.types
        widths = {leaf: self.codec.bits(t) for leaf, t in self.types.items()}
        self.fixed: dict[Leaf, Value] = self._known(frozenset(frozen), widths)
        kept = {leaf: width for leaf, width in widths.items() if leaf not in self.fixed}
        self.bits = sum(kept.values())
        self.slots, self.words = _place(self.types, kept)
        if self.words > MOST_WORDS:
            raise BindError(self._too_large(kept))

    def _known(self, frozen: frozenset[Leaf], widths: Mapping[Leaf, int]) -> dict[Leaf, Value]:
        if not frozen and all(widths.values()):
            return {}
        initial = self.leaves.values(self.bound.first())
        return {leaf: initial[leaf] for leaf, n in widths.items() if n == 0 or leaf in frozen}

    # -- refusals -------------------------------------------------------------------------------

    def _too_large(self, widths: Mapping[Leaf, int]) -> str:
        total: dict[str, int] = {}
        for leaf, width in widths.items():
            name = self.leaves.name(leaf)
            total[name] = total.get(name, 0) + width
        widest = sorted(total.items(), key=lambda item: -item[1])[:3]
        listed = ", ".join(f"{name} with {bits}" for name, bits in widest)
        return (
            f"instance {self.bound.instance.name}: a state takes {self.bits:,} bits, and "
            f"{STATE_BITS:,} fit; the widest are {listed}: make its sizes smaller"
        )

    # -- packing --------------------------------------------------------------------------------

    def pack(self, state: tuple[Any, ...]) -> list[int]:
        """Return a state, given as data, as words."""
        words = [0] * self.words
        words[-1] = OCCUPIED
        values = self.leaves.values(state)
        for leaf, slot in self.slots.items():
            raw = int(self.codec.store(slot.type, values[leaf]))
            for number, piece in enumerate(slot.pieces):
                bits = raw >> number * WORD_BITS & (2**piece.width - 1)
                words[piece.word] |= bits << piece.shift
        return words

    @cached_property
    def initials(self) -> list[list[int]]:
        """The initial states as words, in their order."""
        return [self.pack(state) for state in initial_states(self.bound)]

    def unpack(self, words: list[int]) -> tuple[Any, ...]:
        """Return packed words as a state of data."""
        values = dict(self.fixed)
        for leaf, slot in self.slots.items():
            raw = 0
            for number, piece in enumerate(slot.pieces):
                bits = words[piece.word] >> piece.shift & (2**piece.width - 1)
                raw |= bits << number * WORD_BITS
            values[leaf] = self.codec.load(slot.type, raw)
        return self.leaves.state(values)


def _place(types: Mapping[Leaf, Type], widths: Mapping[Leaf, int]) -> tuple[dict[Leaf, Slot], int]:
    """Put leaves into words; return their slots and the number of words."""
    used: list[int] = []
    pieces: dict[Leaf, list[Piece]] = {leaf: [] for leaf in widths}
    for leaf, width in sorted(_cut(widths), key=lambda cut: -cut[1]):
        fits = (i for i, u in enumerate(used) if u + width <= WORD_BITS)
        word = next(fits, len(used))
        if word == len(used):
            used.append(0)
        pieces[leaf].append(Piece(word, used[word], width))
        used[word] += width
    roomy = next((i for i, u in enumerate(used) if u < WORD_BITS), None)
    swap = {} if roomy is None else {roomy: len(used) - 1, len(used) - 1: roomy}
    slots = {
        leaf: Slot(types[leaf], tuple(replace(p, word=swap.get(p.word, p.word)) for p in found))
        for leaf, found in pieces.items()
    }
    return slots, len(used) + (roomy is None)


def _cut(widths: Mapping[Leaf, int]) -> Iterator[tuple[Leaf, int]]:
    """Yield leaves with their widths, those that are wider than a word in pieces."""
    for leaf, width in widths.items():
        for _ in range(width // WORD_BITS):
            yield leaf, WORD_BITS
        if width % WORD_BITS:
            yield leaf, width % WORD_BITS
