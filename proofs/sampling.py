"""Sampling: which candidates are true of states that a search has found.

A candidate that is false in a state that can be reached is no lemma, and that is found out quickly.
For each atom and each choice of elements a table has one bit for each state.  A clause is false
somewhere if, for some choice, a state has none of its literals: a few operations on long integers
decide it for all states together.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ackproof.lang.binding import Bound
from ackproof.lang.types import SortT
from ackproof.model.beginnings import initial_states
from ackproof.model.plain import PlainMachine, State
from ackproof.proofs.templates import Clause, Literal
from ackproof.proofs.vocabulary import Atom

__all__ = ["Samples", "choices", "reachable_states"]


def reachable_states(bound: Bound, most: int, until: float) -> list[State]:
    """Return states that can be reached, nearest first.

    Args:
        bound: the instance.
        most: how many states.
        until: when to stop, by `time.perf_counter`.
    """
    with PlainMachine(bound) as machine:
        known = dict.fromkeys(initial_states(bound))
        waiting = deque(known)
        while waiting and len(known) < most and time.perf_counter() < until:
            for step in machine.steps(waiting.popleft()):
                if step.after is not None and step.after not in known:
                    known[step.after] = None
                    waiting.append(step.after)
    return list(known)


def choices(bound: Bound, sorts: Sequence[SortT]) -> Iterator[tuple[Any, ...]]:
    """Yield all ways to choose elements of sorts."""
    return itertools.product(*(bound.elements[s.name] for s in sorts))


class Samples:
    """States of an instance, and what is true of them.

    Args:
        bound: the instance.
        states: states as data; they need not be reachable.
    """

    def __init__(self, bound: Bound, states: Sequence[State]) -> None:
        self.bound = bound
        self.states = states
        self.all = (1 << len(states)) - 1
        self._tables: dict[Atom, dict[tuple[Any, ...], int]] = {}

    def false_somewhere(self, clause: Clause) -> bool:
        """Tell whether a clause is false in one of the states."""
        for chosen in choices(self.bound, clause.sorts):
            left = self.all
            for one in clause.ordered:
                left &= ~self._bits(one, chosen)
                if not left:
                    break
            if left:
                return True
        return False

    def _bits(self, one: Literal, chosen: tuple[Any, ...]) -> int:
        """Return a bit for each state: whether a literal is true of elements in it."""
        of = tuple(chosen[i] for i in one.at)
        if one.atom.variable is None:
            x, y = (self._place(e, one.atom.sorts[0]) for e in of)
            truth = x == y if one.atom.kind == "same" else x < y
            return self.all if truth is one.holds else 0
        bits = self._table(one.atom).get(of, 0)
        return bits if one.holds else self.all & ~bits

    def _place(self, element: Any, sort: SortT) -> int:
        return self.bound.elements[sort.name].index(element)

    def _table(self, atom: Atom) -> dict[tuple[Any, ...], int]:
        if atom not in self._tables:
            self._tables[atom] = self._filled(atom)
        return self._tables[atom]

    def _filled(self, atom: Atom) -> dict[tuple[Any, ...], int]:
        """Return for each choice of elements in which states an atom is true of them."""
        assert atom.variable is not None
        table: dict[tuple[Any, ...], int] = {}
        for family in choices(self.bound, atom.variable.families):
            known: dict[Any, tuple[tuple[Any, ...], ...]] = {}
            # Long integers are made once, from one byte for each state.
            marks: dict[tuple[Any, ...], bytearray] = {}
            for number, value in enumerate(self._values(atom, family)):
                if value not in known:
                    known[value] = tuple(atom.true_of(value, self.bound.elements))
                for rest in known[value]:
                    where = marks.setdefault((*family, *rest), bytearray(len(self.states)))
                    where[-1 - number] = ord("1")
            for of, where in marks.items():
                table[of] = int(where.replace(b"\0", b"0"), 2)
        return table

    def _values(self, atom: Atom, family: tuple[Any, ...]) -> Iterable[Any]:
        v = atom.variable
        assert v is not None
        if v.const:
            return itertools.repeat(self.bound.constants[v.name, family], len(self.states))
        places = {(x.variable.path, x.elements): i for i, x in enumerate(self.bound.locations)}
        at = places[v.path, family]
        return (state[at] for state in self.states)
