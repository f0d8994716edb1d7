"""Bit-vectors: the arithmetic of the finite domain.

The model checker lowers a specification to operations on words and bits that fold where operands
are known.  Here the same operations give terms of Z3 instead of lines of LLVM, so that what is
solved at the sizes of an instance is, operator by operator, what the checker executes.

A word that is not known is held in as many bits as it needs: a mask of three elements has three,
and a sum one more than its operands.  That keeps circuits small; whoever reads a word sees 64 bits.

The emitter names each operation and its operands by a key; one `match` over keys makes the terms.
"""

from __future__ import annotations

from collections.abc import Callable

import z3
from ackproof.model.lower.ops import WORD_BITS, Bit, Emitter, Word
from ackproof.proofs.smt.logic import FALSE, TRUE, Term

__all__ = ["BitVectors"]


class BitVectors(Emitter):
    """Folds and shares as the code generator does, and makes terms."""

    def __init__(self) -> None:
        super().__init__()
        self._terms: dict[str, Term] = {}
        self._names: dict[tuple[object, ...], str] = {}
        self._keys: dict[str, tuple[object, ...]] = {}

    # -- names and terms ------------------------------------------------------------------------

    def symbol(self, name: str, width: int) -> Word:
        """Return a word of that many bits of which nothing is known; without bits it is 0."""
        return self.named(z3.BitVec(name, width)) if width else 0

    def truth(self, name: str) -> Bit:
        """Return a bit of which nothing is known."""
        return self.named(z3.Bool(name))

    def named(self, term: Term) -> str:
        """Return the name under which a term is computed with."""
        return self._entered(("term", term.get_id()), lambda: term)

    def word(self, word: Word) -> Term:
        """Return a word as a term, in the bits that it needs."""
        return self._terms[word] if isinstance(word, str) else _number(word, _width(word))

    def term(self, name: str) -> Term:
        """Return what a name stands for."""
        return self._terms[name]

    def bit(self, bit: Bit) -> Term:
        """Return a bit as a formula."""
        if isinstance(bit, bool):
            return TRUE if bit else FALSE
        return self._terms[bit]

    def define(self, text: str) -> str:
        """Refuse: every operation has a key."""
        raise AssertionError(f"no term for {text}")

    def shared(self, key: tuple[object, ...], text: str) -> str:
        """Return the name of what an operation gives."""
        return self._entered(key, lambda: self._made(key))

    def _entered(self, key: tuple[object, ...], made: Callable[[], Term]) -> str:
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = self.fresh("%")
            self._keys[name] = key
            self._terms[name] = made()
        return name

    def _wide(self, word: object, width: int) -> Term:
        """Return a word in exactly that many bits."""
        if isinstance(word, int):
            return _number(word, width)
        term = self._terms[str(word)]
        more = width - term.size()
        if more >= 0:
            return z3.ZeroExt(more, term) if more else term
        return z3.Extract(width - 1, 0, term)

    def _size(self, word: object) -> int:
        return _width(word) if isinstance(word, int) else int(self._terms[str(word)].size())

    # -- operations -----------------------------------------------------------------------------

    def _made(self, key: tuple[object, ...]) -> Term:
        """Return the term of an operation, which its key names with its operands."""
        match key:
            case ("and" | "or" as op, 1, p, q):
                parts = [self._bit(p), self._bit(q)]
                return z3.And(parts) if op == "and" else z3.Or(parts)
            case ("not", p):
                return z3.Not(self._bit(p))
            case ("pick", cond, p, q):
                return z3.If(self._bit(cond), self._bit(p), self._bit(q))
            case ("zext", p):
                return z3.If(self._bit(p), z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))
            case ("select", cond, a, b):
                x, y = self._aligned(a, b)
                return z3.If(self._bit(cond), x, y)
            case ("and", a, b):
                width = min(self._size(a), self._size(b))
                return self._wide(a, width) & self._wide(b, width)
            case ("or", a, b):
                x, y = self._aligned(a, b)
                return x | y
            case ("xor", a, b):
                x, y = self._aligned(a, b)
                return x ^ y
            case ("shl", a, by):
                most = by if isinstance(by, int) else (1 << self._size(by)) - 1
                width = min(WORD_BITS, self._size(a) + most)
                return self._wide(a, width) << self._distance_in(by, width)
            case ("lshr", a, by):
                width = self._size(a)
                return z3.LShR(self._wide(a, width), self._distance_in(by, width))
            case ("add", a, b):
                width = min(WORD_BITS, 1 + max(self._size(a), self._size(b)))
                return self._wide(a, width) + self._wide(b, width)
            case ("sub", a, b):
                return self._wide(a, WORD_BITS) - self._wide(b, WORD_BITS)
            case ("mul", a, b):
                width = min(WORD_BITS, self._size(a) + self._size(b))
                return self._wide(a, width) * self._wide(b, width)
            case ("udiv", a, b):
                return z3.UDiv(*self._aligned(a, b))
            case ("urem", a, b):
                return z3.URem(*self._aligned(a, b))
            case ("eq", a, b):
                x, y = self._aligned(a, b)
                return x == y
            case ("slt", a, b):
                x, y = self._signed(a, b)
                return x < y
            case ("sle", a, b):
                x, y = self._signed(a, b)
                return x <= y
            case ("cttz", a):
                return _first(list(enumerate(self._bits_of(a))))
            case ("highest", a):
                return _first(list(reversed(list(enumerate(self._bits_of(a))))))
            case ("ctpop", a):
                return self._number_of_ones(a)
            case ("bit_at", a, int(position)):
                return z3.Extract(position, position, self._terms[str(a)]) == 1
        raise AssertionError(f"no term for {key}")

    def _bit(self, bit: object) -> Term:
        assert isinstance(bit, str | bool)
        return self.bit(bit)

    def _aligned(self, a: object, b: object) -> tuple[Term, Term]:
        """Return two words in the bits of the wider one."""
        width = max(self._size(a), self._size(b))
        return self._wide(a, width), self._wide(b, width)

    def _signed(self, a: object, b: object) -> tuple[Term, Term]:
        """Return two words in so many bits that their signs are what they are in 64 bits."""
        width = min(WORD_BITS, 1 + max(self._size(a), self._size(b)))
        return self._wide(a, width), self._wide(b, width)

    def _distance_in(self, by: object, width: int) -> Term:
        """Return a distance in the bits of what is shifted; no distance is too far for them."""
        needed = self._size(by)
        if needed <= width:
            return self._wide(by, width)
        whole = self._wide(by, needed)
        far = z3.UGE(whole, z3.BitVecVal(width, needed))
        return z3.If(far, z3.BitVecVal(width, width), z3.Extract(width - 1, 0, whole))

    def _bits_of(self, a: object) -> list[Term]:
        return [z3.Extract(i, i, self._terms[str(a)]) == 1 for i in range(self._size(a))]

    def _number_of_ones(self, a: object) -> Term:
        bits, width = self._bits_of(a), self._size(a).bit_length()
        ones = [z3.If(b, z3.BitVecVal(1, width), z3.BitVecVal(0, width)) for b in bits]
        total = ones[0]
        for one in ones[1:]:
            total = total + one
        return total

    # -- what is decided, or said in fewer words ------------------------------------------------

    def highest(self, a: Word) -> Word:
        """Position of the highest bit that is set; `a` is not 0."""
        return super().highest(a) if isinstance(a, int) else self.shared(("highest", a), "")

    def test(self, a: Word, position: Word, width: int = WORD_BITS) -> Bit:
        """Whether the bit at a position is set, in a mask of that width."""
        if isinstance(a, str) and isinstance(position, int):
            inside = 0 <= position < self._size(a)
            return self.shared(("bit_at", a, position), "") if inside else False
        return super().test(a, position, width)

    def equal(self, a: Word, b: Word) -> Bit:
        """Whether two words are equal."""
        if isinstance(a, int) and isinstance(b, str):
            a, b = b, a
        if isinstance(a, str) and isinstance(b, int):
            op, *operands = self._keys[a]
            if op == "sub" and isinstance(operands[0], str) and isinstance(operands[1], int):
                return self.equal(operands[0], self.add(b, operands[1]))
            if _width(b) > self._size(a):
                return False
        return super().equal(a, b)


def _width(value: int) -> int:
    """Return in how many bits a known word is held; a negative one takes all of them."""
    return WORD_BITS if value < 0 else max(1, value.bit_length())


def _number(value: int, width: int) -> Term:
    return z3.BitVecVal(value % (1 << width), width)


def _first(bits: list[tuple[int, Term]]) -> Term:
    """Return the position of the first bit in a list that is set; one is."""
    width = max(1, max(position for position, _ in bits).bit_length())
    result = z3.BitVecVal(bits[-1][0], width)
    for position, bit in reversed(bits[:-1]):
        result = z3.If(bit, z3.BitVecVal(position, width), result)
    return result
