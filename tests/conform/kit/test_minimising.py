"""A program that fails is made small, whatever it fails for."""

from __future__ import annotations

from collections.abc import Sequence

from ackproof.conform.kit.drawing import draw
from ackproof.conform.kit.minimising import minimised
from ackproof.conform.kit.operations import Do, Operation

LONG = 60.0


def has(program: Sequence[Operation], *wanted: Do) -> bool:
    """Tell whether a program does some things in this order."""
    rest = iter(program)
    return all(any(operation.do == do for operation in rest) for do in wanted)


def test_what_is_left_is_what_it_takes() -> None:
    wanted = Do.PUBLISH, Do.DELETE, Do.DECLARE, Do.PUBLISH
    programs = [p for p in map(draw, range(100)) if has(p, *wanted)]
    assert programs
    for program in programs:
        left, _ = minimised(program, lambda p: has(p, *wanted), LONG)
        assert tuple(operation.do for operation in left) == wanted


def test_operations_become_plain() -> None:
    one = Operation(Do.PUBLISH, 2, 2, "q1", mandatory=True, persistent=True, size=100)
    left, _ = minimised([one], lambda p: len(p) == 1, LONG)
    assert left == [Operation(Do.PUBLISH, queue="q1")]


def test_what_the_failure_needs_is_kept() -> None:
    one = Operation(Do.PUBLISH, 2, 2, "q1", mandatory=True, persistent=True)
    left, _ = minimised([one, one], lambda p: any(o.persistent for o in p), LONG)
    assert left == [Operation(Do.PUBLISH, queue="q1", persistent=True)]


def test_without_time_nothing_is_tried() -> None:
    program = draw(1)
    assert minimised(program, lambda p: True, 0.0) == (program, 0)


def test_what_fails_seldom_is_still_a_program_that_failed() -> None:
    program = draw(1)
    left, tried = minimised(program, lambda p: False, LONG)
    assert left == program
    assert tried > len(program)
