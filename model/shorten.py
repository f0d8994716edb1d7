"""Shorter ways to where a property is false.

A run that was found at random takes many steps that have nothing to do with what it shows.  One
after the other is left out, the last first and long pieces before single steps, and the rest is
taken again in plain Python: if all of it can be taken, and the property is false at its end or
before, the rest is what is kept.  In the end no single step can be left out.  That makes a run
short, and does not make it the shortest there is.
"""

from __future__ import annotations

from collections.abc import Sequence

from ackproof.lang.binding import Bound
from ackproof.lang.program import PropertyDecl
from ackproof.lang.properties import DEADLOCK
from ackproof.model.plain import PlainMachine, State

__all__ = ["shorten"]


def shorten(bound: Bound, name: str, path: Sequence[int], start: State) -> tuple[int, ...]:
    """Return a path, not longer than the given one, at whose end a property is false, too.

    Args:
        bound: the program at the sizes of an instance.
        name: a property of states or of steps, or a built-in one.
        path: the numbers of action instances, from `start`; the property is false at its end.
        start: an initial state.
    """
    with PlainMachine(bound) as machine:
        attempt = _Attempt(machine, name, start)
        kept = attempt.shown(path)
        assert kept is not None, "a path is shortened only if it shows something"
        size = max(1, len(kept) // 2)
        while True:
            kept, shorter = _without_pieces(attempt, kept, size)
            if size == 1 and not shorter:
                return kept
            if not shorter:
                size //= 2


def _without_pieces(
    attempt: _Attempt, path: tuple[int, ...], size: int
) -> tuple[tuple[int, ...], bool]:
    """Leave out pieces of a path, the last first; return what is kept, and whether it is less."""
    kept, end = path, len(path)
    while end > 0:
        start = max(0, end - size)
        found = attempt.shown(kept[:start] + kept[end:])
        kept = kept if found is None else found
        end = min(start, len(kept))
    return kept, len(kept) < len(path)


class _Attempt:
    """Tries whether paths show that a property is false."""

    def __init__(self, machine: PlainMachine, name: str, start: State) -> None:
        self._start = start
        self._machine = machine
        self._name = name
        declared = machine.bound.properties
        self._decl: PropertyDecl | None = next((p for p in declared if p.name == name), None)

    def shown(self, path: Sequence[int]) -> tuple[int, ...] | None:
        """Return the beginning of a path at whose end the property is false, if there is one."""
        machine, decl = self._machine, self._decl
        state = self._start
        for at in range(len(path) + 1):
            if self._false_in(state):
                return tuple(path[:at])
            if at == len(path):
                return None
            step = machine.step(state, path[at])
            if step is None:
                return None
            if step.after is None:
                return tuple(path[: at + 1]) if step.broken == self._name else None
            if decl is not None and decl.of_steps:
                results = machine.holds_on_step(decl, state, step)
                if not all(results):
                    return tuple(path[: at + 1])
            state = step.after
        return None

    def _false_in(self, state: tuple[object, ...]) -> bool:
        if self._name == DEADLOCK:
            return self._machine.stuck(state)
        return (
            self._decl is not None
            and not self._decl.of_steps
            and not (self._machine.holds(self._decl, state))
        )
