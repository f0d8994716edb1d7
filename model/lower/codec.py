"""Codes: how values of each type are held in words while code is generated, and as data.

While it is computed with, a truth value is a bit; an enum's member or an element is its position;
an integer is itself; a set is a mask over the domain of its elements; an option is a code, 0 for
None and else one more than the code of its value; a record is the tuple of its fields; a sequence
is its length and its slots, those beyond the length being 0.

The *code* of a scalar is its position in the domain of its type (`ackproof.lang.data.domain`
lists it in the same order).  Codes are elements of masks, keys of maps, and what is stored.
All of it works on constants too, so that packing and unpacking in Python is the same code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ackproof.lang.data import Elements, domain
from ackproof.lang.types import (
    BoolT,
    EnumT,
    IntT,
    MapT,
    OptionT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
)
from ackproof.model.lower.ops import WORD_BITS, Bit, Emitter, Word, mask_width

__all__ = ["Codec", "Sequence", "Value"]


@dataclass(frozen=True)
class Sequence:
    """A bounded sequence: its length and the codes of its slots."""

    length: Word
    slots: tuple[Word, ...]


Value = Any  # Bit | Word | Sequence | tuple[Value, ...], by type; see the module docstring


class Codec:
    """Codes of all types at the sizes of one instance."""

    def __init__(self, elements: Elements, ops: Emitter) -> None:
        self.elements = elements
        self.ops = ops

    # -- sizes ----------------------------------------------------------------------------------

    def cardinality(self, t: Type) -> int:
        """Return the number of values of a scalar type."""
        if isinstance(t, BoolT):
            return 2
        if isinstance(t, EnumT):
            return len(t.members)
        if isinstance(t, IntT):
            return t.hi - t.lo + 1
        if isinstance(t, SortT):
            return len(self.elements[t.name])
        if isinstance(t, OptionT):
            return 1 + self.cardinality(t.inner)
        assert isinstance(t, RecordT)
        product = 1
        for _, field in t.fields:
            product *= self.cardinality(field)
        return product

    def bits(self, t: Type) -> int:
        """Return the number of bits that a leaf of the state takes."""
        if isinstance(t, SetT):
            return self.cardinality(t.elem)
        if isinstance(t, SeqT):
            return t.cap.bit_length() + t.cap * self.bits(t.elem)
        return max(self.cardinality(t) - 1, 0).bit_length()

    def universe(self, t: Type) -> int:
        """Return the mask of all values of a scalar type."""
        return (1 << self.cardinality(t)) - 1

    def width(self, t: Type) -> int:
        """Return how many bits the words have that a leaf is computed in, a mask if it is a set."""
        return mask_width(self.bits(t)) if isinstance(t, SetT | SeqT) else WORD_BITS

    # -- owners ---------------------------------------------------------------------------------

    def owners(self, t: Type) -> tuple[int, int]:
        """Return how many owners a sort has, and how many elements of it each has.

        A sort that is not owned is as one with a single owner.
        """
        assert isinstance(t, SortT)
        count = self.cardinality(t)
        if t.owner is None:
            return 1, count
        owners = self.cardinality(t.owner)
        return owners, count // owners if owners else 0

    def by_owner(self, t: Type, owner: Word, value: Callable[[int], int]) -> Word:
        """Return the value that the owner with a position has, for an owned sort."""
        owners, _ = self.owners(t)
        if isinstance(owner, int):
            return value(owner)
        result: Word = value(owners - 1) if owners else 0
        for i in reversed(range(owners - 1)):
            result = self.ops.choose(self.ops.equal(owner, i), value(i), result)
        return result

    # -- scalars --------------------------------------------------------------------------------

    def code(self, t: Type, value: Value) -> Word:
        """Return the code of a scalar."""
        if isinstance(t, BoolT):
            return self.ops.widen(value)
        if isinstance(t, IntT):
            return self.ops.sub(value, t.lo)
        if isinstance(t, RecordT):
            total: Word = 0
            for (_, field), part in zip(t.fields, value, strict=True):
                scaled = self.ops.mul(total, self.cardinality(field))
                total = self.ops.add(scaled, self.code(field, part))
            return total
        word: Word = value
        return word

    def decode(self, t: Type, code: Word) -> Value:
        """Return the scalar that a code stands for."""
        if isinstance(t, BoolT):
            return self.ops.no(self.ops.equal(code, 0))
        if isinstance(t, IntT):
            return self.ops.add(code, t.lo)
        if isinstance(t, RecordT):
            parts: list[Value] = []
            for _, field in reversed(t.fields):
                code, rest = self.ops.divide(code, max(self.cardinality(field), 1))
                parts.append(self.decode(field, rest))
            return tuple(reversed(parts))
        return code

    # -- leaves ---------------------------------------------------------------------------------

    def store(self, t: Type, value: Value) -> Word:
        """Return the bits that a leaf is stored as."""
        if isinstance(t, SetT):
            mask: Word = value
            return mask
        if isinstance(t, SeqT):
            width, shift, whole = self.bits(t.elem), t.cap.bit_length(), self.width(t)
            word: Word = value.length
            for slot in value.slots:
                word = self.ops.either(word, self.ops.left(slot, shift, whole))
                shift += width
            return word
        return self.code(t, value)

    def load(self, t: Type, word: Word) -> Value:
        """Return the leaf that some bits stand for."""
        if isinstance(t, SetT):
            return word
        if isinstance(t, SeqT):
            width, shift = self.bits(t.elem), t.cap.bit_length()
            slots = []
            for _ in range(t.cap):
                slots.append(self._cut(word, shift, width))
                shift += width
            return Sequence(self._cut(word, 0, t.cap.bit_length()), tuple(slots))
        return self.decode(t, word)

    def _cut(self, word: Word, shift: int, width: int) -> Word:
        """Return some bits of a stored sequence."""
        return self.ops.both(self.ops.right(word, shift), 2**width - 1)

    def default(self, t: Type) -> Value:
        """Return what a leaf of this type starts with."""
        if isinstance(t, IntT):
            return t.lo
        if isinstance(t, MapT):
            return tuple(self.default(t.value) for _ in range(self.cardinality(t.key)))
        return self.load(t, 0)

    def choose(self, t: Type, cond: Bit, a: Value, b: Value) -> Value:
        """Return `a` where `cond` holds and else `b`, values of one type."""
        if isinstance(t, BoolT):
            return self.ops.pick(cond, a, b)
        if isinstance(t, RecordT):
            return tuple(
                self.choose(f, cond, x, y) for (_, f), x, y in zip(t.fields, a, b, strict=True)
            )
        if isinstance(t, SeqT):
            slots = tuple(
                self.ops.choose(cond, x, y) for x, y in zip(a.slots, b.slots, strict=True)
            )
            return Sequence(self.ops.choose(cond, a.length, b.length), slots)
        if isinstance(t, MapT):
            return tuple(self.choose(t.value, cond, x, y) for x, y in zip(a, b, strict=True))
        return self.ops.choose(cond, a, b)

    def equal(self, t: Type, a: Value, b: Value) -> Bit:
        """Return whether two values of one type are equal."""
        if isinstance(t, BoolT):
            return True if a == b else self.ops.pick(a, b, self.ops.no(b))
        if isinstance(t, RecordT):
            return self.ops.all(
                *(self.equal(f, x, y) for (_, f), x, y in zip(t.fields, a, b, strict=True))
            )
        if isinstance(t, SeqT):
            return self.ops.all(
                self.ops.equal(a.length, b.length),
                *(self.ops.equal(x, y) for x, y in zip(a.slots, b.slots, strict=True)),
            )
        return self.ops.equal(a, b)

    # -- data -----------------------------------------------------------------------------------

    def from_data(self, t: Type, data: Any) -> Value:
        """Return plain data as a constant."""
        if isinstance(t, SetT):
            index = {x: i for i, x in enumerate(domain(t.elem, self.elements))}
            return sum(1 << index[x] for x in data)
        if isinstance(t, SeqT):
            codes = [self.code(t.elem, self.from_data(t.elem, x)) for x in data]
            return Sequence(len(codes), (*codes, *[0] * (t.cap - len(codes))))
        if isinstance(t, RecordT):
            return tuple(self.from_data(f, x) for (_, f), x in zip(t.fields, data, strict=True))
        if isinstance(t, BoolT | IntT):
            return data
        if isinstance(t, OptionT):
            inner = t.inner
            return 0 if data is None else 1 + int(self.code(inner, self.from_data(inner, data)))
        return domain(t, self.elements).index(data)

    def to_data(self, t: Type, value: Value) -> Any:
        """Return a constant as plain data."""
        if isinstance(t, SetT):
            items = domain(t.elem, self.elements)
            return frozenset(x for i, x in enumerate(items) if value >> i & 1)
        if isinstance(t, SeqT):
            decoded = (self.decode(t.elem, c) for c in value.slots[: value.length])
            return tuple(self.to_data(t.elem, v) for v in decoded)
        if isinstance(t, RecordT):
            return tuple(self.to_data(f, x) for (_, f), x in zip(t.fields, value, strict=True))
        if isinstance(t, BoolT | IntT):
            return value
        if isinstance(t, OptionT):
            return None if value == 0 else self.to_data(t.inner, self.decode(t.inner, value - 1))
        return domain(t, self.elements)[value]
