"""Layout: where every leaf of the state lies in a packed state.

Leaves are put into words of 64 bits, widest first, each into the first word with room, so that
none lies across two words; one that is wider than a word is put there in pieces, of which all but
the last fill a word.  A leaf that keeps one value for ever lies nowhere: it is known.  The top bit
of the last word is always 1: a packed state is never 0, and 0 is an empty slot.

What comes late is put where there is room when all else has its place, and moves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
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

__all__ = ["Known", "Layout", "Piece", "Slot"]

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


@dataclass(frozen=True)
class Known:
    """The value that a leaf keeps for ever."""

    value: Value


class Layout:
    """The packed form of the states of a bound program.

    Args:
        bound: the program.
        frozen: leaves that keep their initial value for ever; see `ackproof.model.lower.fixed`.
        is_late: tells which leaves are placed when all others are; if left out, none.

    Raises:
        BindError: the state does not fit.
    """

    def __init__(
        self,
        bound: Bound,
        frozen: Iterable[Leaf] = (),
        is_late: Callable[[Leaf], bool] | None = None,
    ) -> None:
        self.bound = bound
        self.codec = Codec(bound.elements, Emitter())
        self.leaves = Leaves(bound, self.codec)
        self.types = self.leaves.types
        widths = {leaf: self.codec.bits(t) for leaf, t in self.types.items()}
        self.fixed: dict[Leaf, Value] = self._known(frozenset(frozen), widths)
        kept = {leaf: width for leaf, width in widths.items() if leaf not in self.fixed}
        self.bits = sum(kept.values())
        self.slots, self.words = _place(self.types, kept, is_late or (lambda _: False))
        if self.words > MOST_WORDS:
            raise BindError(self._too_large(kept))

    def _known(self, frozen: frozenset[Leaf], widths: Mapping[Leaf, int]) -> dict[Leaf, Value]:
        if not frozen and all(widths.values()):
            return {}
        initial = self.leaves.values(self.bound.first())
        return {leaf: initial[leaf] for leaf, n in widths.items() if n == 0 or leaf in frozen}

    def where(self, leaf: Leaf) -> Slot | Known | None:
        """Return where a leaf lies or what it is known to be; None if there is no such leaf."""
        if leaf in self.fixed:
            return Known(self.fixed[leaf])
        return self.slots.get(leaf)

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


def _place(
    types: Mapping[Leaf, Type], widths: Mapping[Leaf, int], is_late: Callable[[Leaf], bool]
) -> tuple[dict[Leaf, Slot], int]:
    """Put leaves into words, those last that come late; return their slots and how many words."""
    free: list[int] = []
    pieces = _fill(free, {leaf: width for leaf, width in widths.items() if not is_late(leaf)})
    roomy = next((i for i, n in enumerate(free) if n > 0), len(free))
    if roomy == len(free):
        free.append(WORD_BITS)
    free[roomy] -= 1  # this word will be the last, and its top bit is taken
    pieces |= _fill(free, {leaf: width for leaf, width in widths.items() if is_late(leaf)}, roomy)
    last = len(free) - 1
    swap = {roomy: last, last: roomy}
    slots = {
        leaf: Slot(types[leaf], tuple(replace(p, word=swap.get(p.word, p.word)) for p in found))
        for leaf, found in pieces.items()
    }
    return slots, len(free)


def _fill(
    free: list[int], widths: Mapping[Leaf, int], topped: int | None = None
) -> dict[Leaf, list[Piece]]:
    """Put leaves into words, of which so many bits are free; return where they are.

    Args:
        free: the bits of each word that are not taken, its highest; new words are added to it.
        widths: how many bits each leaf takes.
        topped: the number of the word whose top bit is not free.
    """
    pieces: dict[Leaf, list[Piece]] = {leaf: [] for leaf in widths}
    for leaf, width in sorted(_cut(widths), key=lambda cut: -cut[1]):
        word = next((i for i, n in enumerate(free) if width <= n), len(free))
        if word == len(free):
            free.append(WORD_BITS)
        shift = WORD_BITS - free[word] - (word == topped)
        pieces[leaf].append(Piece(word, shift, width))
        free[word] -= width
    return pieces


def _cut(widths: Mapping[Leaf, int]) -> Iterator[tuple[Leaf, int]]:
    """Yield leaves with their widths, those that are wider than a word in pieces."""
    for leaf, width in widths.items():
        for _ in range(width // WORD_BITS):
            yield leaf, WORD_BITS
        if width % WORD_BITS:
            yield leaf, width % WORD_BITS
