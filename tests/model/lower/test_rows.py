"""Masks of several words: whatever is computed of them is what integers of Python would be.

The emitter is given operands that it does not know.
"""

from __future__ import annotations

from ackproof.model.lower.ops import mask_width
from hypothesis import given
from hypothesis import strategies as st

from tests.model.lower.machine import SIZE, WIDTH, Machine

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
