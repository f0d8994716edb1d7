"""Symbolic states: what is known of each leaf while a step is executed abstractly.

A state is what its leaves were before the step, and those that the step has written so far.  A
`PackedState` loads a leaf that was not written from the packed words where it is needed: that is
two instructions, cheaper than a register that is kept alive.  A leaf that lies nowhere in the words
has a known value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Protocol

from ackproof.lang.types import Type
from ackproof.model.lower.codec import Codec, Value
from ackproof.model.lower.layout import Known, Slot
from ackproof.model.lower.leaves import Leaf
from ackproof.model.lower.ops import WORD_BITS, Bit, Word

__all__ = ["PackedState", "Places", "SymbolicState", "merge"]


class SymbolicState(ABC):
    """A state with changes.

    Args:
        types: the type of each leaf.
        codec: says how values are held.
        written: the changes so far.
    """

    def __init__(
        self, types: Mapping[Leaf, Type], codec: Codec, written: dict[Leaf, Value] | None = None
    ) -> None:
        self.types = types
        self.codec = codec
        self.written = written or {}

    @abstractmethod
    def load(self, leaf: Leaf) -> Value:
        """Return what a leaf was before the step."""

    @abstractmethod
    def copy(self) -> SymbolicState:
        """Return a state that can be written independently."""

    def get(self, leaf: Leaf) -> Value:
        """Return the value of a leaf."""
        return self.written[leaf] if leaf in self.written else self.load(leaf)

    def put(self, leaf: Leaf, value: Value) -> None:
        """Write a leaf."""
        self.written[leaf] = value


class Places(Protocol):
    """What says where leaves lie."""

    @property
    def types(self) -> Mapping[Leaf, Type]:
        """Return the type of each leaf."""

    def where(self, leaf: Leaf) -> Slot | Known | None:
        """Return where a leaf lies or what it is known to be; None if there is no such leaf."""


class PackedState(SymbolicState):
    """A packed state with changes."""

    def __init__(
        self,
        places: Places,
        codec: Codec,
        words: tuple[Word, ...],
        written: dict[Leaf, Value] | None = None,
    ) -> None:
        super().__init__(places.types, codec, written)
        self.places = places
        self.words = words

    def load(self, leaf: Leaf) -> Value:
        """Return what a leaf was before the step."""
        slot = self.places.where(leaf)
        if isinstance(slot, Known):
            return slot.value
        assert slot is not None
        ops = self.codec.ops
        raw: Word = 0
        width = self.codec.width(slot.type)
        for number, piece in enumerate(slot.pieces):
            bits = ops.right(self.words[piece.word], piece.shift)
            if piece.shift + piece.width < WORD_BITS:
                bits = ops.both(bits, 2**piece.width - 1)
            raw = ops.either(raw, ops.left(bits, number * WORD_BITS, width))
        return self.codec.load(slot.type, raw)

    def copy(self) -> PackedState:
        """Return a state that can be written independently."""
        return PackedState(self.places, self.codec, self.words, dict(self.written))

    def pack(self) -> tuple[Word, ...]:
        """Return the words of the state with all changes."""
        ops = self.codec.ops
        cleared = [2**64 - 1] * len(self.words)
        added: list[Word] = [0] * len(self.words)
        for leaf, value in self.written.items():
            slot = self.places.where(leaf)
            if not isinstance(slot, Slot):
                continue  # what is written there can only be what was there
            raw = self.codec.store(slot.type, value)
            for number, piece in enumerate(slot.pieces):
                cleared[piece.word] &= ~((2**piece.width - 1) << piece.shift)
                bits = ops.left(ops.part(raw, number), piece.shift)
                added[piece.word] = ops.either(added[piece.word], bits)
        return tuple(
            ops.either(ops.both(w, keep), new)
            for w, keep, new in zip(self.words, cleared, added, strict=True)
        )


def merge(cond: Bit, then: SymbolicState, orelse: SymbolicState) -> SymbolicState:
    """Return the state that is `then` where `cond` holds, and else `orelse`."""
    result = orelse.copy()
    for leaf in {**then.written, **orelse.written}:
        t = then.types[leaf]
        result.put(leaf, then.codec.choose(t, cond, then.get(leaf), orelse.get(leaf)))
    return result
