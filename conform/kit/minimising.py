"""Minimising: what is left of a program that fails when everything is taken out that may be.

Parts of a program are left out, large ones first, then single operations, as long as what is left
still breaks the same rule; then operations are made plainer.  A broker does not do the same twice,
so what is left counts as harmless only if it has been so several times.

Hypothesis does such things too.  It is not used here, since it takes a test that fails once and
then passes as one that cannot be trusted, and gives up; and so do most faults of brokers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import msgspec
from ackproof.conform.kit.operations import Operation

__all__ = ["minimised"]

#: What an operation is like that is as plain as it can be; what is left out of it is its default.
_PLAINER: tuple[dict[str, object], ...] = (
    {"size": 0},
    {"connection": 1, "channel": 1},
    {"mandatory": False},
    {"multiple": False},
    {"shared": False},
    {"which": 0},
    {"persistent": False},
    {"limit": None},
    {"nowait": False},
)

Program = Sequence[Operation]


def minimised(
    program: Program, fails: Callable[[Program], bool], seconds: float
) -> tuple[list[Operation], int]:
    """Return a program that fails as well, and how many were tried.

    Args:
        program: one that fails.
        fails: tells whether one does; it may have to try several times.
        seconds: after which no more are tried.
    """
    end = time.monotonic() + seconds
    best = list(program)
    tried = 0
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(best):
            if time.monotonic() > end:
                return best, tried
            tried += 1
            if fails(candidate):
                best, smaller = candidate, True
                break
    return best, tried


def _smaller(program: list[Operation]) -> Iterator[list[Operation]]:
    """Yield what a program may become: shorter first, then plainer."""
    size = len(program) // 2
    while size:
        for start in range(len(program) - size, -1, -size):
            yield program[:start] + program[start + size :]
        size //= 2
    for place, operation in enumerate(program):
        for fields in _PLAINER:
            plainer = msgspec.structs.replace(operation, **fields)
            if plainer != operation:
                yield [*program[:place], plainer, *program[place + 1 :]]
