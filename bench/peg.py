"""Peg solitaire on the English board: a model of one word a state, and of as many states as wanted.

A board has 33 holes, all with a peg at first.  One peg is taken away, from a hole that may be
chosen; from then on a peg jumps over its neighbour into an empty hole, and the neighbour is gone.
From the centre there are 187,636,299 boards, and the full one.

Beginnings from which the holes have different colours, when the board is coloured in threes along
both diagonals, have no board in common: so six of them come to six times as many states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

__all__ = ["CENTRE", "SIX", "write"]

Hole = tuple[int, int]

HOLES = [(r, c) for r in range(7) for c in range(7) if 2 <= r <= 4 or 2 <= c <= 4]

#: The hole in the middle, and holes of six colours.
CENTRE: tuple[Hole, ...] = ((3, 3),)
SIX: tuple[Hole, ...] = ((3, 3), (1, 2), (1, 4), (1, 3), (0, 2), (0, 4))


def write(path: Path, beginnings: Iterable[Hole]) -> None:
    """Write the model, in which one of these holes is empty at first."""
    path.write_text("\n".join(_lines(beginnings)) + "\n")


def _lines(beginnings: Iterable[Hole]) -> Iterator[str]:
    yield '"""Peg solitaire on the English board."""'
    yield "from ackproof.lang import Instance, Model, System, action, require"
    yield "class Peg(System):"
    yield '    """The board."""'
    yield from (f"    {_name(hole)}: bool = True" for hole in HOLES)
    full = " and ".join(f"self.{_name(hole)}" for hole in HOLES)
    for hole in beginnings:
        yield from _action(f"take_{_name(hole)}", full, {hole: False})
    for peg, over, into in _jumps():
        able = f"self.{_name(peg)} and self.{_name(over)} and not self.{_name(into)}"
        changes = {peg: False, over: False, into: True}
        yield from _action(f"jump_{_name(peg)}_{_name(into)}", able, changes)
    yield 'MODEL = Model("peg", Peg, (), (Instance("board", "the English board", {}),))'


def _jumps() -> Iterator[tuple[Hole, Hole, Hole]]:
    for row, column in HOLES:
        for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            into = (row + 2 * down, column + 2 * right)
            if into in HOLES:
                yield (row, column), (row + down, column + right), into


def _action(name: str, able: str, changes: dict[Hole, bool]) -> Iterator[str]:
    yield "    @action"
    yield f"    def {name}(self) -> None:"
    yield f"        require({able})"
    yield from (f"        self.{_name(hole)} = {peg}" for hole, peg in changes.items())


def _name(hole: Hole) -> str:
    return f"h{hole[0]}{hole[1]}"
