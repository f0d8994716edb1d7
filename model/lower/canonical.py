"""Canonical names: of all states that differ in the names of elements, one is chosen.

Written for a program whose states are folded (see `ackproof.model.symmetry`), as functions on a
packed state, in place.  `swap` exchanges the names of two neighbours, and all other functions are
made of it.  First the columns of each sort are put in order, by exchanging neighbours that are not
(see `ackproof.model.lower.columns`).  That decides for a sort that is not tangled: whose columns
are the same can be exchanged, and nothing changes.  Where columns of tangled sorts are the same,
every order of their elements is tried, and the state with the least words is chosen: each order is
one exchange away from the one before (Johnson 1963).  Whether columns are the same does not hang on
names, so all states that differ in names come to the same.

The elements keep their positions, and what is kept for ever has no place in a packed state; it must
not tell elements apart, which `is_steady` finds out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ackproof.lang.binding import Bound
from ackproof.lang.types import MapT, OptionT, RecordT, SeqT, SetT, SortT, Type
from ackproof.model.lower.codec import Codec, Sequence, Value
from ackproof.model.lower.columns import Columns, Entry
from ackproof.model.lower.leaves import Leaf, Leaves
from ackproof.model.lower.ops import WORD_BITS, Bit, Emitter, Word
from ackproof.model.lower.state import PackedState
from ackproof.model.renaming import OfStates, mentions, neighbours

if TYPE_CHECKING:
    from ackproof.model.lower.layout import Layout

__all__ = ["Exchange", "canonical_text", "exchanges", "is_steady"]

#: What a comparison of neighbours says.
_SAME, _WRONG, _RIGHT = 0, 1, 2


class Exchange:
    """The exchange of the names of two elements of a sort that are next to each other.

    Args:
        leaves: those of the states of a program.
        codec: says how values are held.
        sort: the name of the sort.
        position: that of the first of the two elements.
    """

    def __init__(self, leaves: Leaves, codec: Codec, sort: str, position: int) -> None:
        self.codec, self.ops, self.sort, self.position = codec, codec.ops, sort, position
        bound = leaves.bound
        renaming = list(neighbours(bound.elements, sort))[position]
        self._places = OfStates(bound, renaming).places
        self._types = [loc.variable.type for loc in bound.locations]

    def leaf(self, leaf: Leaf) -> Leaf:
        """Return where the value of a leaf goes."""
        if leaf.location < 0:
            return leaf
        t, keys = self._types[leaf.location], list[int]()
        for key in leaf.keys:
            assert isinstance(t, MapT)
            keys.append(self._goes(t.key, key))
            t = t.value
        return Leaf(self._places[leaf.location], tuple(keys))

    def value(self, t: Type, value: Value) -> Value:
        """Return the value of a leaf, or of a scalar, under other names."""
        if not mentions(t, (self.sort,)):
            return value
        match t:
            case SortT():
                return self._element(value)
            case OptionT(inner):
                some = self._code(inner, self.ops.sub(value, 1))
                return self.ops.choose(self.ops.equal(value, 0), 0, self.ops.add(some, 1))
            case RecordT(fields=fields):
                parts = zip(fields, value, strict=True)
                return tuple(self.value(f, part) for (_, f), part in parts)
            case SetT(elem):
                return self._mask(elem, value, self.codec.width(t))
            case SeqT(elem=elem):
                slots = (
                    self.ops.choose(self.ops.less(n, value.length, True), self._code(elem, slot), 0)
                    for n, slot in enumerate(value.slots)
                )
                return Sequence(value.length, tuple(slots))
        raise AssertionError(f"{t!r} is no type of a leaf")

    def _element(self, value: Word) -> Word:
        ops, one, other = self.ops, self.position, self.position + 1
        rest = ops.choose(ops.equal(value, other), one, value)
        return ops.choose(ops.equal(value, one), other, rest)

    def _code(self, t: Type, code: Word) -> Word:
        return self.codec.code(t, self.value(t, self.codec.decode(t, code)))

    def _goes(self, t: Type, code: int) -> int:
        """Return the code of a scalar that is known, under other names."""
        after = self._code(t, code)
        assert isinstance(after, int), "what is known folds"
        return after

    def _mask(self, elem: Type, mask: Word, width: int) -> Word:
        """Return a set under other names: bits that go equally far are moved together."""
        moved: dict[int, int] = {}
        for code in range(self.codec.cardinality(elem)):
            after = self._goes(elem, code)
            moved[after - code] = moved.get(after - code, 0) | 1 << code
        result: Word = 0
        for by, bits in moved.items():
            some = self.ops.both(mask, bits)
            some = self.ops.left(some, by, width) if by > 0 else self.ops.right(some, -by)
            result = self.ops.either(result, some)
        return result


def exchanges(bound: Bound, leaves: Leaves, sort: str) -> Iterator[Exchange]:
    """Yield the exchanges of neighbours in a sort; whatever order there is, they lead to it."""
    for position in range(len(bound.elements[sort]) - 1):
        yield Exchange(leaves, leaves.codec, sort, position)


def is_steady(leaves: Leaves, sort: str, frozen: frozenset[Leaf]) -> bool:
    """Tell whether leaves that keep their initial values have the same under any names of a sort.

    Args:
        leaves: those of the states of a program.
        sort: the name of the sort.
        frozen: the leaves that keep their initial values.
    """
    initial = leaves.values(leaves.bound.first())
    return all(
        exchange.leaf(leaf) in frozen
        and exchange.value(leaves.types[leaf], initial[leaf]) == initial[exchange.leaf(leaf)]
        for exchange in exchanges(leaves.bound, leaves, sort)
        for leaf in frozen
    )


def canonical_text(layout: Layout, sorts: tuple[str, ...]) -> tuple[str, str]:
    """Return the LLVM text of `fold`, which gives packed states their canonical names in place.

    It is called with how many there are, and where the first is.  The first of the two texts is of
    constants, and stands before all functions; the second is of functions.
    """
    writer = _Writer(layout, sorts)
    return writer.orders(), "\n".join(writer.functions()) + "\n"


class _Writer:
    """Writes the functions."""

    def __init__(self, layout: Layout, sorts: tuple[str, ...]) -> None:
        self.layout, self.sorts = layout, sorts
        self.columns = Columns(layout.leaves, sorts)
        self.ops = Emitter()
        self.codec = Codec(layout.bound.elements, self.ops)
        #: Pairs of neighbours: the number of the sort, the position of the first.
        self.pairs = [
            (number, position)
            for number, sort in enumerate(sorts)
            for position in range(self.columns.size(sort) - 1)
        ]
        self.tangled = [pair for pair in self.pairs if sorts[pair[0]] in self.columns.tangled]
        self.rounds = self._rounds()

    def functions(self) -> Iterator[str]:
        """Yield their texts, each before those that call it."""
        for number, position in self.pairs:
            sort = self.sorts[number]
            exchange = Exchange(self.layout.leaves, self.codec, sort, position)
            with self._function(f"void @swap_{number}_{position}(ptr %at)") as lines:
                self._swap(exchange)
            yield "\n".join(lines)
            with self._function(f"i64 @compare_{number}_{position}(ptr %at)") as lines:
                self._compare(sort, position)
            yield "\n".join(lines)
        if self.tangled:
            with self._function("void @least(ptr %at)") as lines:
                self._least()
            yield "\n".join(lines)
        with self._function("void @rename(ptr %at)") as lines:
            self._rename()
        yield "\n".join(lines)
        yield _FOLD.format(words=self.layout.words)

    @contextmanager
    def _function(self, head: str) -> Iterator[list[str]]:
        """Write the body of a function in the `with` block, up to its last instruction."""
        with self.ops.apart() as lines:
            lines.append(f"define internal {head} nounwind {{")
            self.ops.label("entry")
            yield lines
            lines.append("}")

    # -- two neighbours -------------------------------------------------------------------------

    def _swap(self, exchange: Exchange) -> None:
        before, slots = self._state("%at"), self.layout.slots
        after = before.copy()
        for leaf, slot in slots.items():
            value, goes = before.load(leaf), exchange.leaf(leaf)
            new = exchange.value(slot.type, value)
            if goes != leaf or new != value:
                after.put(goes, new)
        for number, word in enumerate(after.pack()):
            if word != before.words[number]:
                self._put("%at", number, word)
        self.ops.line("ret void")

    def _compare(self, sort: str, position: int) -> None:
        """Return how the columns of two neighbours compare: by their words, the first ones most."""
        ops, state = self.ops, self._state("%at")
        one, other = (
            list(self._words(state, self.columns.of(sort, position + i), position + i))
            for i in (0, 1)
        )
        same: Bit = True
        wrong: Bit = False
        for a, b in reversed(list(zip(one, other, strict=True))):
            equal = ops.equal(a, b)
            wrong = ops.any(ops.less(b, a, True), ops.all(equal, wrong))
            same = ops.all(equal, same)
        said = ops.choose(same, _SAME, ops.choose(wrong, _WRONG, _RIGHT))
        ops.line(f"ret i64 {said}")

    def _words(self, state: PackedState, column: Iterable[Entry], position: int) -> Iterator[Word]:
        """Yield words that say all of a column."""
        ops = self.ops
        word: Word = 0
        used = 0
        for entry in column:
            slot = self.layout.slots.get(entry.leaf)
            if slot is None:
                continue
            bits, width = self._entry(entry.asked, slot.type, state.load(entry.leaf), position)
            if used + width >= WORD_BITS:
                yield word
                word, used = 0, 0
            if width >= WORD_BITS:
                yield from (ops.part(bits, n) for n in range(-(-width // WORD_BITS)))
            else:
                word, used = ops.either(word, ops.left(bits, used)), used + width
        yield word

    def _entry(self, asked: str, t: Type, value: Value, position: int) -> tuple[Word, int]:
        """Return what an entry of a column says, and in how many bits."""
        ops = self.ops
        if asked == "whole":
            return self.codec.store(t, value), self.codec.bits(t)
        if asked == "member":
            return ops.widen(ops.test(value, position, self.codec.width(t))), 1
        return ops.widen(ops.equal(value, position + (asked == "some"))), 1

    # -- all of them ----------------------------------------------------------------------------

    def _rename(self) -> None:
        """Put the columns in order; where that leaves a choice, try it."""
        ops = self.ops
        for number, sort in enumerate(self.sorts):
            for last in reversed(range(1, self.columns.size(sort))):
                for position in range(last):
                    with ops.when(self._says(_WRONG, number, position, "%at")):
                        ops.line(f"call void @swap_{number}_{position}(ptr %at)")
        if self.tangled:
            tied = ops.any(*(self._says(_SAME, *pair, "%at") for pair in self.tangled))
            with ops.when(tied):
                ops.line("call void @least(ptr %at)")
        ops.line("ret void")

    def _says(self, what: int, number: int, position: int, at: str) -> Bit:
        """Return whether a comparison of neighbours says something."""
        said = self.ops.define(f"call i64 @compare_{number}_{position}(ptr {at})")
        return self.ops.define(f"icmp eq i64 {said}, {what}")

    def orders(self) -> str:
        """Return the table of the exchanges that lead through all orders, if there is a choice."""
        listed = ", ".join(f"i8 {n}" for n in self.rounds)
        count = len(self.rounds)
        return f"@orders = private constant [{count} x i8] [{listed}]\n" if count else ""

    def _rounds(self) -> list[int]:
        """Return the numbers of the exchanges that lead through all orders of tangled elements."""
        names = {pair: n for n, pair in enumerate(self.tangled)}
        row: list[int] = []
        for number, sort in enumerate(self.sorts):
            if sort in self.columns.tangled:
                own = [names[number, i] for i in _plain_changes(self.columns.size(sort))]
                row = [*row, *(n for one in own for n in (one, *row))]
        return row

    def _least(self) -> None:
        """Try all orders, and keep the least state."""
        ops, words = self.ops, range(self.layout.words)
        ops.line(f"%now = alloca [{len(words)} x i64]")
        for number in words:
            self._put("%now", number, self._get("%at", number))
        ops.line("br label %loop")
        ops.label("loop")
        ops.line("%k = phi i64 [ 0, %entry ], [ %next, %latch ]")
        ops.line("%which.at = getelementptr i8, ptr @orders, i64 %k")
        ops.line("%which = load i8, ptr %which.at")
        cases = " ".join(f"i8 {n}, label %exchange{n}" for n in range(len(self.tangled)))
        ops.line(f"switch i8 %which, label %look [ {cases} ]")
        for n, (number, position) in enumerate(self.tangled):
            ops.label(f"exchange{n}")
            ops.line(f"call void @swap_{number}_{position}(ptr %now)")
            ops.line("br label %look")
        ops.label("look")
        with ops.scope():
            ops.line(f"br i1 {self._is_less('%now', '%at')}, label %take, label %latch")
        ops.label("take")
        with ops.scope():
            for number in words:
                self._put("%at", number, self._get("%now", number))
        ops.line("br label %latch")
        ops.label("latch")
        ops.line("%next = add i64 %k, 1")
        ops.line(f"%more = icmp ult i64 %next, {len(self.rounds)}")
        ops.line("br i1 %more, label %loop, label %done")
        ops.label("done")
        ops.line("ret void")

    def _is_less(self, one: str, other: str) -> Bit:
        ops = self.ops
        less: Bit = False
        for number in reversed(range(self.layout.words)):
            a, b = self._get(one, number), self._get(other, number)
            below = ops.define(f"icmp ult i64 {a}, {b}")
            less = ops.any(below, ops.all(ops.define(f"icmp eq i64 {a}, {b}"), less))
        return less

    # -- packed states --------------------------------------------------------------------------

    def _state(self, at: str) -> PackedState:
        words = tuple(self._get(at, number) for number in range(self.layout.words))
        return PackedState(self.layout, self.codec, words)

    def _get(self, at: str, number: int) -> str:
        pointer = self.ops.define(f"getelementptr i64, ptr {at}, i64 {number}")
        return self.ops.define(f"load i64, ptr {pointer}")

    def _put(self, at: str, number: int, word: Word) -> None:
        pointer = self.ops.define(f"getelementptr i64, ptr {at}, i64 {number}")
        self.ops.line(f"store i64 {word}, ptr {pointer}")


def _plain_changes(size: int) -> list[int]:
    """Return the exchanges of neighbours that lead through all orders of so many, each once."""
    if size < 2:
        return []
    down, row = list(reversed(range(size - 1))), []
    for turn, inner in enumerate((*_plain_changes(size - 1), None)):
        row += down if turn % 2 == 0 else down[::-1]
        if inner is not None:
            # The last one is in front after it has gone down, and the others are behind it.
            row.append(inner + (turn % 2 == 0))
    return row


#: `fold` renames so many packed states.
_FOLD = """define i64 @fold(i64 %n, ptr %states) nounwind {{
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %loop, label %end
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %offset = mul i64 %i, {words}
  %at = getelementptr i64, ptr %states, i64 %offset
  call void @rename(ptr %at)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i64 %n
}}"""
