"""Bit-vectors compute what machine words do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import z3
from ackproof.model.lower.ops import Emitter
from ackproof.proofs.smt.bitvectors import BitVectors
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.exploring import examples

_BINARY: dict[str, Callable[[Any, Any, Any], Any]] = {
    "both": lambda ops, a, b: ops.both(a, b),
    "either": lambda ops, a, b: ops.either(a, b),
    "differ": lambda ops, a, b: ops.differ(a, b),
    "without": lambda ops, a, b: ops.without(ops.both(a, 31), ops.both(b, 31), 31),
    "left": lambda ops, a, b: ops.left(a, ops.both(b, 15)),
    "right": lambda ops, a, b: ops.right(a, ops.both(b, 15)),
    "add": lambda ops, a, b: ops.add(a, b),
    "sub": lambda ops, a, b: ops.sub(a, b),
    "mul": lambda ops, a, b: ops.mul(a, b),
    "equal": lambda ops, a, b: ops.equal(a, b),
    "less": lambda ops, a, b: ops.less(a, b, True),
    "not more": lambda ops, a, b: ops.less(a, b, False),
    "less after a subtraction": lambda ops, a, b: ops.less(ops.sub(a, 7), ops.sub(b, 9), True),
    "equal after a subtraction": lambda ops, a, b: ops.equal(ops.sub(a, 7), b),
    "equal to a negative one": lambda ops, a, b: ops.equal(ops.sub(a, b), -3),
    "test": lambda ops, a, b: ops.test(a, ops.both(b, 15)),
    "test of a fixed bit": lambda ops, a, b: ops.any(ops.test(a, 2), ops.test(b, 70)),
    "choose": lambda ops, a, b: ops.choose(ops.less(a, b, True), a, ops.add(b, 5)),
    "widen": lambda ops, a, b: ops.widen(ops.equal(a, b)),
    "logic": lambda ops, a, b: ops.any(
        ops.no(ops.test(a, 0)), ops.all(ops.test(a, 1), ops.test(b, 1))
    ),
    "pick": lambda ops, a, b: ops.pick(ops.test(a, 0), ops.test(b, 1), ops.test(a, 2)),
    "quotient": lambda ops, a, b: ops.divide(ops.add(a, b), 6)[0],
    "remainder": lambda ops, a, b: ops.divide(ops.add(a, b), 6)[1],
    "count": lambda ops, a, b: ops.count(ops.either(a, b)),
    "lowest": lambda ops, a, b: ops.lowest(ops.either(ops.either(a, b), 64)),
    "highest": lambda ops, a, b: ops.highest(ops.either(ops.either(a, b), 1)),
}


def worth(ops: BitVectors, result: Any, **symbols: tuple[Any, int]) -> Any:
    """Return what a result is when symbols have values."""
    if not isinstance(result, str):
        return result
    pairs = [
        (ops.term(name), z3.BitVecVal(value, ops.term(name).size()))
        for name, value in symbols.values()
    ]
    found = z3.simplify(z3.substitute(ops.term(result), *pairs))
    if z3.is_bool(found):
        return z3.is_true(found)
    number = found.as_long()
    return number - 2**64 if found.size() == 64 and number >> 63 else number


@pytest.mark.parametrize("operation", _BINARY)
@settings(max_examples=examples(25))
@given(a=st.integers(0, 63), b=st.integers(0, 15))
def test_an_operation_gives_what_it_gives_on_known_words(operation: str, a: int, b: int) -> None:
    expected = _BINARY[operation](Emitter(), a, b)
    ops = BitVectors()
    x, y = ops.symbol("x", 6), ops.symbol("y", 4)
    result = _BINARY[operation](ops, x, y)
    assert worth(ops, result, x=(x, a), y=(y, b)) == expected
    half = _BINARY[operation](ops, x, b)
    assert worth(ops, half, x=(x, a)) == expected


def test_equal_operations_are_made_once() -> None:
    ops = BitVectors()
    x, y = ops.symbol("x", 3), ops.symbol("y", 3)
    assert ops.both(x, y) == ops.both(y, x)


def test_a_word_without_bits_is_nothing() -> None:
    assert BitVectors().symbol("x", 0) == 0
