"""Masks of several words: whatever is computed of them is what integers of Python would be.

The emitter is given operands that it does not know, and each line that it would write is carried
out at once on 64 bits, as LLVM would.
"""

from __future__ import annotations

from ackproof.model.lower.ops import WORD_BITS, Emitter, Word, mask_width
from hypothesis import given
from hypothesis import strategies as st

_MASK = 2**WORD_BITS - 1
SIZE = 200
WIDTH = mask_width(SIZE)


class Machine(Emitter):
    """Carries out what it is asked to write."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, int] = {}
        self.names: dict[tuple[object, ...], str] = {}

    def unknown(self, value: int) -> Word:
        """A mask of `SIZE` bits that the emitter does not know."""
        return self.joined(
            self._named(value >> i & _MASK, ("%given", value, i))
            for i in range(0, WIDTH, WORD_BITS)
        )

    def position(self, value: int) -> Word:
        """A word that the emitter does not know."""
        return self._named(value & _MASK, ("given", value))

    def _named(self, value: int, key: tuple[object, ...]) -> str:
        name = self.names.setdefault(key, f"%{len(self.names)}")
        self.values[name] = value
        return name

    def shared(self, key: tuple[object, ...], text: str) -> str:
        """Carry out an operation."""
        op, *operands = key
        a, b, *_ = [*(self.values.get(str(x), x) for x in operands), 0, 0]
        if op in ("and", "or") and len(operands) == 3:  # of bits
            a, b = b, self.values[str(operands[2])]
        assert isinstance(a, int)
        assert isinstance(b, int)
        a, b = a & _MASK, b & _MASK
        if op == "select":
            last = self.values.get(str(operands[2]), operands[2])
            return self._named((b if a else int(str(last))) & _MASK, key)
        assert op not in ("shl", "lshr") or b < WORD_BITS, "LLVM would give poison"
        done = {
            "and": lambda: a & b,
            "or": lambda: a | b,
            "xor": lambda: a ^ b,
            "not": lambda: 1 - a,
            "zext": lambda: a,
            "shl": lambda: a << b & _MASK,
            "lshr": lambda: a >> b,
            "add": lambda: a + b & _MASK,
            "sub": lambda: a - b & _MASK,
            "eq": lambda: int(a == b),
            "slt": lambda: int(a < b),
            "cttz": lambda: (a & -a).bit_length() - 1 if a else WORD_BITS,
            "ctlz": lambda: WORD_BITS - a.bit_length(),
            "ctpop": lambda: a.bit_count(),
        }
        return self._named(done[str(op)](), key)

    def value(self, word: Word | bool) -> int:
        """What was computed."""
        if isinstance(word, str) and word in self.values:
            return self.values[word]
        if isinstance(word, str):
            return sum(self.value(p) << WORD_BITS * i for i, p in enumerate(self.parts(word)))
        return int(word)


masks = st.one_of(
    st.integers(0, 2**SIZE - 1),
    st.sets(st.integers(0, SIZE - 1), max_size=3).map(lambda found: sum(1 << i for i in found)),
)
positions = st.integers(0, SIZE - 1)


@given(masks, masks, st.booleans(), st.booleans(), st.booleans())
def test_two_masks_are_joined_as_integers_are(
    a: int, b: int, known_a: bool, known_b: bool, cond: bool
) -> None:
    ops = Machine()
    x = a if known_a else ops.unknown(a)
    y = b if known_b else ops.unknown(b)
    assert ops.value(ops.both(x, y)) == a & b
    assert ops.value(ops.either(x, y)) == a | b
    assert ops.value(ops.differ(x, y)) == a ^ b
    assert ops.value(ops.without(x, y, 2**SIZE - 1)) == a & ~b
    assert ops.value(ops.equal(x, y)) == (a == b)
    assert ops.value(ops.choose(str(ops.position(cond)), x, y)) == (a if cond else b)


@given(masks, positions, st.booleans(), st.booleans())
def test_a_position_is_found_in_any_word(a: int, i: int, known: bool, place_known: bool) -> None:
    ops = Machine()
    x, at = a if known else ops.unknown(a), i if place_known else ops.position(i)
    assert ops.value(ops.test(x, at, WIDTH)) == a >> i & 1
    assert ops.value(ops.left(1, at, WIDTH)) == 1 << i
    assert ops.value(ops.below(at, WIDTH, strict=True)) == (1 << i) - 1
    full = 2**SIZE - 1
    assert ops.value(ops.both(ops.below(at, WIDTH, strict=False), full)) == (2 << i) - 1 & full


@given(masks.filter(bool), st.booleans())
def test_a_mask_is_counted_over_its_words(a: int, known: bool) -> None:
    ops = Machine()
    x = a if known else ops.unknown(a)
    assert ops.value(ops.count(x)) == a.bit_count()
    assert ops.value(ops.lowest(x)) == (a & -a).bit_length() - 1
    assert ops.value(ops.highest(x)) == a.bit_length() - 1


@given(masks, positions)
def test_a_row_is_shifted_by_a_known_distance(a: int, by: int) -> None:
    ops = Machine()
    assert ops.value(ops.right(ops.unknown(a), by)) == a >> by
    assert ops.value(ops.left(ops.unknown(a), by, WIDTH)) == a << by & 2**WIDTH - 1


@given(masks)
def test_bits_are_gathered_into_words(a: int) -> None:
    ops = Machine()
    bits = [(i, str(ops.position(a >> i & 1))) for i in range(SIZE)]
    assert ops.value(ops.gather(bits)) == a


def test_a_mask_that_fits_a_word_is_one() -> None:
    assert [mask_width(n) for n in (0, 1, 64, 65, 128, 129)] == [64, 64, 64, 128, 128, 192]
