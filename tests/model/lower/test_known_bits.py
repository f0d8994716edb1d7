"""What is known of a name is true of it, and what asks for that folds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from ackproof.model.lower.ops import WORD_BITS, Bit, Emitter, Word
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.lower.machine import Machine

#: What makes a word of two others and a known one, and what that is in Python.
WORDS: dict[str, Callable[[Machine, Word, Word, int], Word]] = {
    "both": lambda ops, a, b, k: ops.both(a, b),
    "some of them": lambda ops, a, b, k: ops.both(a, k),
    "either": lambda ops, a, b, k: ops.either(a, b),
    "some more": lambda ops, a, b, k: ops.either(a, k),
    "differ": lambda ops, a, b, k: ops.differ(a, b),
    "others": lambda ops, a, b, k: ops.differ(a, k),
    "left": lambda ops, a, b, k: ops.left(a, k % WORD_BITS),
    "right": lambda ops, a, b, k: ops.right(a, k % WORD_BITS),
    "choose": lambda ops, a, b, k: ops.choose(ops.equal(a, b), a, k),
    "bit": lambda ops, a, b, k: ops.left(ops.widen(ops.less(a, b, True)), k % WORD_BITS),
}

#: What makes a bit of two words, a known one and two other bits.
BITS: dict[str, Callable[[Machine, Word, Word, int, Bit, Bit], Bit]] = {
    "equal": lambda ops, a, b, k, p, q: ops.equal(a, b),
    "is": lambda ops, a, b, k, p, q: ops.equal(a, k),
    "is not": lambda ops, a, b, k, p, q: ops.no(ops.equal(a, k)),
    "test": lambda ops, a, b, k, p, q: ops.test(a, k % WORD_BITS),
    "no": lambda ops, a, b, k, p, q: ops.no(p),
    "all": lambda ops, a, b, k, p, q: ops.all(p, q),
    "any": lambda ops, a, b, k, p, q: ops.any(p, q),
    "not both": lambda ops, a, b, k, p, q: ops.any(ops.no(p), ops.no(q)),
    "neither": lambda ops, a, b, k, p, q: ops.all(ops.no(p), ops.no(q)),
}

T = TypeVar("T")

numbers = st.one_of(st.integers(0, 7), st.integers(0, 2**WORD_BITS - 1))
places = st.integers(0, 9)
steps = st.lists(
    st.tuples(st.sampled_from([*WORDS, *BITS]), places, places, numbers, places),
    min_size=5,
    max_size=40,
)


class Plain(Machine):
    """Carries out everything, and knows nothing of names."""

    def bits(self, a: Word) -> tuple[int, int]:
        """Say that any bit may be set."""
        return (a, a) if isinstance(a, int) else (2**WORD_BITS - 1, 0)

    def _chain(self, op: str, bits: list[str], empty: bool, *_: object) -> Bit:
        result: Bit = empty
        for b in bits:
            result = b if isinstance(result, bool) else self.shared((op, 1, result, b), "")
        return result


def _recent(made: list[T], number: int) -> T:
    """One of the latest, of which most is known."""
    return made[-1 - number % min(len(made), 5)]


def carried_out(
    ops: Machine, start: list[int], program: list[tuple[str, int, int, int, int]]
) -> list[int]:
    words: list[Word] = [ops.position(x) for x in start]
    bits: list[Bit] = [ops.truth(x, n) for n, x in enumerate((True, False, True, False, True))]
    for name, i, j, k, at in program:
        a, b = _recent(words, i), _recent(words, j)
        if name in WORDS:
            words.append(WORDS[name](ops, a, b, k))
        else:
            bits.append(BITS[name](ops, a, b, k, _recent(bits, at), _recent(bits, j)))
    for word in words:
        may, has = ops.bits(word)
        assert has & ~ops.value(word) == 0
        assert ops.value(word) & ~may == 0
    return [*map(ops.value, words), *map(ops.value, bits)]


@settings(max_examples=400)
@given(st.lists(numbers, min_size=1, max_size=3), steps)
def test_it_is_the_same_with_what_is_known_and_without(
    start: list[int], program: list[tuple[str, int, int, int, int]]
) -> None:
    assert carried_out(Machine(), start, program) == carried_out(Plain(), start, program)


@pytest.fixture
def ops() -> Emitter:
    return Emitter()


def test_a_bit_that_was_never_gathered_is_not_set(ops: Emitter) -> None:
    mask = ops.gather([(0, "%p"), (2, "%q")])
    assert ops.test(mask, 1) is False
    assert ops.test(ops.differ(mask, 0b111), 1) is True
    assert ops.equal(mask, 0b010) is False
    assert ops.both(mask, 0b010) == 0
    assert ops.both(mask, 0b111) == mask


def test_a_word_has_one_value_at_a_time(ops: Emitter) -> None:
    assert ops.all(ops.equal("%a", 1), ops.equal("%a", 2)) is False
    assert ops.any(ops.no(ops.equal("%a", 1)), ops.no(ops.equal("%a", 2))) is True
    assert ops.all(ops.equal("%a", 1), "%p", ops.equal("%b", 2)) not in (True, False)
    assert ops.all(ops.equal("%a", -1), ops.equal("%a", 2**WORD_BITS - 1)) is not False


def test_nothing_holds_together_with_its_opposite(ops: Emitter) -> None:
    assert ops.all(ops.all("%p", "%q"), ops.no("%p")) is False
    assert ops.any(ops.any(ops.no("%p"), "%q"), "%p") is True
    assert ops.no(ops.no("%p")) == "%p"


def test_a_part_of_what_holds_is_not_said_again(ops: Emitter) -> None:
    both = ops.all("%p", "%q")
    assert ops.all(both, "%q") == both
    assert ops.all(both, ops.all("%p", "%r")) != both
