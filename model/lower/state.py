"""Symbolic states: what is known of each leaf while a step is executed abstractly.

A state is a packed input state and the leaves that the step has written so far.  A leaf that was
not written is loaded from the packed words where it is needed: that is two instructions, cheaper
than a register that is kept alive.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ackproof.model.lower.codec import Codec, Value
from ackproof.model.lower.layout import Layout, Leaf
from ackproof.model.lower.ops import Bit, Word

__all__ = ["SymbolicState", "merge"]


@dataclass
class SymbolicState:
    """A packed state with changes."""

    layout: Layout
    codec: Codec
    words: tuple[Word, ...]
    written: dict[Leaf, Value] = field(default_factory=dict)

    def get(self, leaf: Leaf) -> Value:
        """Return the value of a leaf."""
        if leaf in self.written:
            return self.written[leaf]
        slot = self.layout.slots[leaf]
        ops = self.codec.ops
        shifted = ops.right(self.words[slot.word], slot.shift)
        if slot.shift + slot.width < 64:
            shifted = ops.both(shifted, 2**slot.width - 1)
        return self.codec.load(slot.type, shifted)

    def put(self, leaf: Leaf, value: Value) -> None:
        """Write a leaf."""
        self.written[leaf] = value

    def copy(self) -> SymbolicState:
        """Return a state that can be written independently."""
        return SymbolicState(self.layout, self.codec, self.words, dict(self.written))

    def pack(self) -> tuple[Word, ...]:
        """Return the words of the state with all changes."""
        ops = self.codec.ops
        cleared = [2**64 - 1] * len(self.words)
        added: list[Word] = [0] * len(self.words)
        for leaf, value in self.written.items():
            slot = self.layout.slots[leaf]
            field_mask = (2**slot.width - 1) << slot.shift
            raw = self.codec.store(slot.type, value)
            cleared[slot.word] &= ~field_mask
            added[slot.word] = ops.either(added[slot.word], ops.left(raw, slot.shift))
        return tuple(
            ops.either(ops.both(w, keep), new)
            for w, keep, new in zip(self.words, cleared, added, strict=True)
        )


def merge(cond: Bit, then: SymbolicState, orelse: SymbolicState) -> SymbolicState:
    """Return the state that is `then` where `cond` holds, and else `orelse`."""
    result = orelse.copy()
    for leaf in {**then.written, **orelse.written}:
        t = then.layout.slots[leaf].type
        result.put(leaf, then.codec.choose(t, cond, then.get(leaf), orelse.get(leaf)))
    return result
