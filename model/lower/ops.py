"""Arithmetic that folds: operations on Python constants or on values of the LLVM function.

Lowering is partial evaluation.  The arguments of an action instance, the sizes of the sorts and
the constants of the instance are known, so most of what a specification says is decided while the
code is generated, and only what depends on the state is left to be computed.  Every operation
here looks at its operands first: known ones give a Python value, others give one line of LLVM.

A word is an `int` or the name of an i64; a bit is a `bool` or the name of an i1.  A set is a mask
with a bit for each possible element, and may have more of them than a word has bits.  It then is a
row of words, its *parts*, the lowest bits first: known parts fold, and for the others there is one
line of LLVM each.  (LLVM has integers of many bits, and fails on some shifts of more than 256.)  A
row has a name, too, so whoever computes with masks need not know how many words they take; only
what shifts by a distance that is not known is told the `width` of the result.

Of a word that is not known some bits often are: a mask that was gathered from the elements of a
set has no bit where a condition folded.  That, and which bits cannot hold together, is remembered
of each name (see `facts`), and folds what asks for it.

A name computed before is used again as long as it is in scope: scopes are the branches of the
generated code, so whatever is in scope dominates where it is used.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from ackproof.model.lower.facts import Facts, Word

__all__ = ["WORD_BITS", "Bit", "Emitter", "Word", "mask_width"]

Bit = bool | str

#: The bits of a word.
WORD_BITS = 64

#: A position in a mask is in the part with the number that is left without so many bits.
_LOG = 6

_MASK = 2**WORD_BITS - 1


def mask_width(size: int) -> int:
    """Return how many bits the words have that hold a set with so many possible elements."""
    return WORD_BITS * max(1, -(-size // WORD_BITS))


def _signed(value: int) -> int:
    value &= _MASK
    return value - 2**64 if value >> 63 else value


class Emitter:
    """Writes LLVM text, folding constants and sharing common subexpressions."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count, self._mark = 0, ""
        self._scopes: list[dict[tuple[object, ...], str]] = [{}]
        self.facts = Facts()

    # -- text -----------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        """Append an instruction."""
        self.lines.append(f"  {text}")

    def fresh(self, prefix: str = "v") -> str:
        """Return a name that is not used yet (without the sigil)."""
        self._count += 1
        return f"{prefix}{self._mark}{self._count}"

    def label(self, name: str) -> None:
        """Begin a block."""
        self.lines.append(f"{name}:")

    def define(self, text: str) -> str:
        """Append an instruction with a result and return its name."""
        name = f"%{self.fresh()}"
        self.lines.append(f"  {name} = {text}")
        return name

    def shared(self, key: tuple[object, ...], text: str) -> str:
        """As `define`, but a result that is in scope under this key is used again."""
        for scope in self._scopes:
            if key in scope:
                return scope[key]
        name = self.define(text)
        self._scopes[-1][key] = name
        return name

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is defined in the `with` block is forgotten at its end."""
        self._scopes.append({})
        try:
            yield
        finally:
            self._scopes.pop()

    @contextmanager
    def apart(self) -> Iterator[list[str]]:
        """Write the `with` block's code elsewhere, where nothing of here is in scope."""
        here, self.lines = self.lines, []
        scopes, self._scopes = self._scopes, [{}]
        try:
            yield self.lines
        finally:
            self.lines, self._scopes = here, scopes

    @contextmanager
    def alone(self, mark: str) -> Iterator[list[str]]:
        """Write the `with` block's code elsewhere, as it would be whatever else is written.

        Args:
            mark: is part of all names, so that they are used nowhere else.
        """
        before = self._count, self._mark, self.facts
        self._count, self._mark, self.facts = 0, mark, Facts()
        try:
            with self.apart() as lines:
                yield lines
        finally:
            self._count, self._mark, self.facts = before

    @contextmanager
    def when(self, cond: Bit) -> Iterator[None]:
        """Run the `with` block's code only where `cond` holds."""
        if cond is True:
            with self.scope():
                yield
            return
        assert cond is not False, "dead code is not generated"
        then, done = self.fresh("then"), self.fresh("done")
        self.line(f"br i1 {cond}, label %{then}, label %{done}")
        self.label(then)
        with self.scope():
            yield
        self.line(f"br label %{done}")
        self.label(done)

    # -- known bits -----------------------------------------------------------------------------

    def bits(self, a: Word) -> tuple[int, int]:
        """Return the bits that a word may have, and those that it has for certain."""
        if isinstance(a, int):
            return (a, a) if a >= 0 else (a & _MASK, a & _MASK)
        if a not in self.facts.parts:
            return self.facts.bits.get(a, (_MASK, 0))
        parts = [self.bits(part) for part in self.facts.parts[a]]
        may, has = (sum(p[k] << i * WORD_BITS for i, p in enumerate(parts)) for k in (0, 1))
        return may, has

    def _with_bits(self, name: str, possible: int, certain: int) -> str:
        """Remember what is known of the bits of a name, and return it."""
        self.facts.bits[name] = possible, certain
        return name

    def _of_bits(self, op: str, a: Word, b: Word, possible: int, certain: int) -> Word:
        """What an operation gives, which is not computed if all of its bits are known."""
        if possible == certain and not possible >> WORD_BITS - 1:  # and no negative number
            return possible
        return self._with_bits(self._binary(op, a, b), possible, certain)

    # -- rows of words --------------------------------------------------------------------------

    def _is_row(self, a: Word) -> bool:
        return a > _MASK if isinstance(a, int) else a in self.facts.parts

    def parts(self, a: Word) -> tuple[Word, ...]:
        """The words of what may take several, the lowest bits first."""
        if isinstance(a, str):
            return self.facts.parts.get(a, (a,))
        count = max(1, -(-a.bit_length() // WORD_BITS)) if a > _MASK else 1
        return tuple(a >> i * WORD_BITS & _MASK for i in range(count)) if count > 1 else (a,)

    def part(self, a: Word, number: int) -> Word:
        """One of these words; 0 beyond the last."""
        found = self.parts(a)
        return found[number] if number < len(found) else 0

    def joined(self, parts: Iterable[Word]) -> Word:
        """What has these words."""
        row = list(parts)
        while len(row) > 1 and row[-1] == 0:
            row.pop()
        known = [p for p in row if isinstance(p, int)]
        if len(row) == 1:
            return row[0]
        if len(known) == len(row):
            return sum(p << i * WORD_BITS for i, p in enumerate(known))
        name = self.facts.rows.get(tuple(row))
        if name is None:
            name = self.facts.rows[tuple(row)] = self.fresh("%row")
            self.facts.parts[name] = tuple(row)
        return name

    def _part_by_part(self, op: Callable[[Word, Word], Word], a: Word, b: Word) -> Word:
        pairs = itertools.zip_longest(self.parts(a), self.parts(b), fillvalue=0)
        return self.joined(op(x, y) for x, y in pairs)

    def gather(self, bits: Iterable[tuple[int, Bit]]) -> Word:
        """The mask with these bits at these positions, and no others."""
        parts: dict[int, Word] = {}
        for i, bit in bits:
            one = self.left(self.widen(bit), i % WORD_BITS)
            parts[i // WORD_BITS] = self.either(parts.get(i // WORD_BITS, 0), one)
        return self.joined(parts.get(i, 0) for i in range(max(parts, default=0) + 1))

    # -- words ----------------------------------------------------------------------------------

    def _binary(self, op: str, a: Word, b: Word, commutes: bool = True) -> str:
        if commutes and str(a) > str(b):
            a, b = b, a
        return self.shared((op, a, b), f"{op} i64 {_text(a)}, {_text(b)}")

    def both(self, a: Word, b: Word) -> Word:
        """Bitwise and."""
        if isinstance(a, int) and isinstance(b, int):
            return a & b
        if a == 0 or b == 0:
            return 0
        if self._is_row(a) or self._is_row(b):
            return self._part_by_part(self.both, a, b)
        (may_a, has_a), (may_b, has_b) = self.bits(a), self.bits(b)
        if a == b or not may_a & ~has_b:
            return a
        if not may_b & ~has_a:
            return b
        may, has = may_a & may_b, has_a & has_b
        return self._of_bits("and", a, b, may, has)

    def either(self, a: Word, b: Word) -> Word:
        """Bitwise or."""
        if isinstance(a, int) and isinstance(b, int):
            return a | b
        if a == b or b == 0:
            return a
        if a == 0:
            return b
        if self._is_row(a) or self._is_row(b):
            return self._part_by_part(self.either, a, b)
        (may_a, has_a), (may_b, has_b) = self.bits(a), self.bits(b)
        if not may_b & ~has_a:
            return a
        if not may_a & ~has_b:
            return b
        may, has = may_a | may_b, has_a | has_b
        return self._of_bits("or", a, b, may, has)

    def differ(self, a: Word, b: Word) -> Word:
        """Bitwise exclusive or."""
        if isinstance(a, int) and isinstance(b, int):
            return a ^ b
        if a == b:
            return 0
        if a == 0 or b == 0:
            return a if b == 0 else b
        if self._is_row(a) or self._is_row(b):
            return self._part_by_part(self.differ, a, b)
        (may_a, has_a), (may_b, has_b) = self.bits(a), self.bits(b)
        may, has = (may_a | may_b) & ~(has_a & has_b), has_a & ~may_b | has_b & ~may_a
        return self._of_bits("xor", a, b, may, has)

    def without(self, a: Word, b: Word, universe: int) -> Word:
        """Bits of `a` that are not in `b`, both below `universe`."""
        return 0 if a == b else self.both(a, self.differ(b, universe))

    def left(self, a: Word, by: Word, width: int = WORD_BITS) -> Word:
        """Shift left, in that many bits; by a distance that is not known, 1 or a word."""
        if isinstance(a, int) and isinstance(by, int):
            return (a << max(by, 0)) & ((1 << width) - 1)
        if by == 0 or a == 0:
            return a
        if width == WORD_BITS:
            name = self._binary("shl", a, self._distance(by), commutes=False)
            if not isinstance(by, int):
                return name
            may, has = (bits << max(by, 0) & _MASK for bits in self.bits(a))
            return self._with_bits(name, may, has)
        if isinstance(by, int):
            return self._moved(a, max(by, 0), width)
        assert a == 1, "other masks are shifted by what is known"
        bit, place = self.left(1, by), self.right(by, _LOG)
        parts = range(width // WORD_BITS)
        return self.joined(self.choose(self.equal(place, i), bit, 0) for i in parts)

    def _moved(self, a: Word, by: int, width: int) -> Word:
        """Shift what may be a row to the left, by a known distance."""
        whole, rest = divmod(by, WORD_BITS)
        row: list[Word] = [0] * whole
        carried: Word = 0
        for part in (*self.parts(a), 0):
            row.append(self.either(self.left(part, rest), carried))
            carried = self.right(part, WORD_BITS - rest) if rest else 0
        return self.joined(row[: width // WORD_BITS])

    def right(self, a: Word, by: Word) -> Word:
        """Shift right, zeros entering; what takes several words, by a known distance."""
        if isinstance(a, int) and isinstance(by, int):
            return a >> max(by, 0)
        if by == 0 or a == 0:
            return a
        if not self._is_row(a):
            name = self._binary("lshr", a, self._distance(by), commutes=False)
            if not isinstance(by, int):
                return name
            return self._with_bits(name, *(bits >> max(by, 0) for bits in self.bits(a)))
        assert isinstance(by, int)
        whole, rest = divmod(by, WORD_BITS)
        pairs = itertools.pairwise((*self.parts(a)[whole:], 0))
        if not rest:
            return self.joined(part for part, _ in pairs)
        return self.joined(
            self.either(self.right(part, rest), self.left(above, WORD_BITS - rest))
            for part, above in pairs
        )

    def _distance(self, by: Word) -> Word:
        # The value of an option that is None is not used, but it is computed: LLVM must not see
        # a shift by more than 63, whose result would poison what it is combined with.
        return max(by, 0) if isinstance(by, int) else self.both(by, 63)

    def below(self, position: Word, width: int, *, strict: bool) -> Word:
        """The mask of all positions before one, and of itself where not `strict`."""
        first = 1 if strict else 2
        if isinstance(position, int):
            return (first << max(position, 0)) - 1
        if width == WORD_BITS:
            return self.sub(self.left(first, position), 1)
        within, place = self.sub(self.left(first, position), 1), self.right(position, _LOG)
        return self.joined(
            self.choose(
                self.less(i, place, True), _MASK, self.choose(self.equal(i, place), within, 0)
            )
            for i in range(width // WORD_BITS)
        )

    def add(self, a: Word, b: Word) -> Word:
        """Sum."""
        if isinstance(a, int) and isinstance(b, int):
            return _signed(a + b)
        if a == 0 or b == 0:
            return a if b == 0 else b
        return self._binary("add", a, b)

    def sub(self, a: Word, b: Word) -> Word:
        """Difference."""
        if isinstance(a, int) and isinstance(b, int):
            return _signed(a - b)
        return a if b == 0 else self._binary("sub", a, b, commutes=False)

    def mul(self, a: Word, b: Word) -> Word:
        """Product."""
        if isinstance(a, int) and isinstance(b, int):
            return _signed(a * b)
        if a == 0 or b == 0:
            return 0
        if a == 1 or b == 1:
            return a if b == 1 else b
        return self._binary("mul", a, b)

    def divide(self, a: Word, by: int) -> tuple[Word, Word]:
        """Quotient and remainder by a positive constant, unsigned."""
        if isinstance(a, int):
            return divmod(a, by)
        return (
            self._binary("udiv", a, by, commutes=False),
            self._binary("urem", a, by, commutes=False),
        )

    def block(self, position: Word, size: int, count: int) -> Word:
        """Which of `count` blocks, each of `size` positions, a position lies in."""
        result: Word = max(count - 1, 0)
        for i in reversed(range(count - 1)):
            result = self.choose(self.less(position, (i + 1) * size, True), i, result)
        return result

    def lowest(self, a: Word) -> Word:
        """Position of the lowest bit that is set; `a` is not 0."""
        if isinstance(a, int):
            return (a & -a).bit_length() - 1
        if self._is_row(a):
            return self._in_first(list(enumerate(self.parts(a))), self.lowest)
        return self.shared(("cttz", a), f"call i64 @llvm.cttz.i64(i64 {a}, i1 false)")

    def highest(self, a: Word) -> Word:
        """Position of the highest bit that is set; `a` is not 0."""
        if isinstance(a, int):
            return a.bit_length() - 1
        if self._is_row(a):
            return self._in_first(list(enumerate(self.parts(a)))[::-1], self.highest)
        zeros = self.shared(("ctlz", a), f"call i64 @llvm.ctlz.i64(i64 {a}, i1 false)")
        return self.sub(63, zeros)

    def _in_first(self, parts: list[tuple[int, Word]], find: Callable[[Word], Word]) -> Word:
        """The position that is found in the first part with a bit; one has some."""
        result: Word = 0
        for number, part in reversed([p for p in parts if p[1] != 0]):
            found = self.add(find(part), number * WORD_BITS)
            result = self.choose(self.equal(part, 0), result, found)
        return result

    def count(self, a: Word) -> Word:
        """Number of bits that are set."""
        if isinstance(a, int):
            return a.bit_count()
        if self._is_row(a):
            return functools.reduce(self.add, map(self.count, self.parts(a)))
        return self.shared(("ctpop", a), f"call i64 @llvm.ctpop.i64(i64 {a})")

    def choose(self, cond: Bit, a: Word, b: Word) -> Word:
        """`a` where `cond` holds, else `b`."""
        if isinstance(cond, bool):
            return a if cond else b
        if a == b:
            return a
        if self._is_row(a) or self._is_row(b):
            return self._part_by_part(lambda x, y: self.choose(cond, x, y), a, b)
        name = self.shared(
            ("select", cond, a, b), f"select i1 {cond}, i64 {_text(a)}, i64 {_text(b)}"
        )
        (may_a, has_a), (may_b, has_b) = self.bits(a), self.bits(b)
        return self._with_bits(name, may_a | may_b, has_a & has_b)

    def widen(self, bit: Bit) -> Word:
        """1 where the bit holds, else 0."""
        if isinstance(bit, bool):
            return int(bit)
        return self._with_bits(self.shared(("zext", bit), f"zext i1 {bit} to i64"), 1, 0)

    # -- bits -----------------------------------------------------------------------------------

    def equal(self, a: Word, b: Word) -> Bit:
        """Whether two words are equal."""
        if isinstance(a, int) and isinstance(b, int):
            return a == b
        if a == b:
            return True
        if str(a) > str(b):
            a, b = b, a
        if self._is_row(a) or self._is_row(b):
            pairs = itertools.zip_longest(self.parts(a), self.parts(b), fillvalue=0)
            return self.all(*(self.equal(x, y) for x, y in pairs))
        (may_a, has_a), (may_b, has_b) = self.bits(a), self.bits(b)
        if has_a & ~may_b or has_b & ~may_a:
            return False
        name = self.shared(("eq", a, b), f"icmp eq i64 {_text(a)}, {_text(b)}")
        for word, value in ((a, b), (b, a)):
            if isinstance(word, str) and isinstance(value, int):
                self.facts.tests[name] = word, value
        return name

    def less(self, a: Word, b: Word, strict: bool) -> Bit:
        """Whether `a < b` (or `a <= b`), signed."""
        if isinstance(a, int) and isinstance(b, int):
            return a < b if strict else a <= b
        if a == b:
            return not strict
        op = "slt" if strict else "sle"
        return self.shared((op, a, b), f"icmp {op} i64 {_text(a)}, {_text(b)}")

    def test(self, a: Word, position: Word, width: int = WORD_BITS) -> Bit:
        """Whether the bit at a position is set, in a mask of that width."""
        if isinstance(a, int) and isinstance(position, int):
            return bool(a >> max(position, 0) & 1)
        if a == 0:
            return False
        if isinstance(position, int):
            number, position = divmod(max(position, 0), WORD_BITS)
            a, width = self.part(a, number), WORD_BITS
            may, has = (bits >> position & 1 for bits in self.bits(a))
            if may == has:
                return bool(has)
        return self.no(self.equal(self.both(a, self.left(1, position, width)), 0))

    def no(self, a: Bit) -> Bit:
        """Negation."""
        if isinstance(a, bool):
            return not a
        if a in self.facts.opposites:
            return self.facts.opposites[a]
        name = self.shared(("not", a), f"xor i1 {a}, true")
        self.facts.opposites[name] = a
        return name

    def all(self, *bits: Bit) -> Bit:
        """Conjunction."""
        left: list[str] = []
        for b in bits:
            if b is False:
                return False
            if isinstance(b, str) and b not in left:
                left.append(b)
        return self._chain("and", left, True, self.facts.conjuncts, self.facts.exclude)

    def any(self, *bits: Bit) -> Bit:
        """Disjunction."""
        left: list[str] = []
        for b in bits:
            if b is True:
                return True
            if isinstance(b, str) and b not in left:
                left.append(b)
        return self._chain("or", left, False, self.facts.disjuncts, self.facts.exhaust)

    def _chain(
        self,
        op: str,
        bits: list[str],
        empty: bool,
        members: dict[str, tuple[str, ...]],
        decides: Callable[[str, str], bool],
    ) -> Bit:
        """Join bits; two that decide all give what an empty chain would not be."""
        if not bits:
            return empty
        result = bits[0]
        joined = members.get(result, (result,))
        for b in bits[1:]:
            more = [x for x in members.get(b, (b,)) if x not in joined]
            if any(decides(x, y) for x in more for y in joined):
                return not empty
            if not more:
                continue
            result = self.shared((op, 1, result, b), f"{op} i1 {result}, {b}")
            joined = (*joined, *more)
            members[result] = joined
        return result

    def pick(self, cond: Bit, a: Bit, b: Bit) -> Bit:
        """`a` where `cond` holds, else `b`."""
        if isinstance(cond, bool):
            return a if cond else b
        if a == b and type(a) is type(b):
            return a
        if isinstance(a, bool):
            return self.any(cond, b) if a else self.all(self.no(cond), b)
        if isinstance(b, bool):
            return self.any(self.no(cond), a) if b else self.all(cond, a)
        return self.shared(("pick", cond, a, b), f"select i1 {cond}, i1 {a}, i1 {b}")


def _text(word: Word) -> str:
    return str(_signed(word)) if isinstance(word, int) else word
