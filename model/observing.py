"""What can be seen of one system and not of another: sequences of frames that only one can show.

Somebody who sees the frames, and the steps that clients take part in (`Model.clients`), but nothing
of what goes on inside, knows after each frame a set of
states that the system may be in.  Both systems are followed like that at once, frame by frame and
the shortest sequences first (the subset construction, made as it is needed).  A frame that is
possible in some state of the one set and in none of the other ends a shortest sequence that only
one of them can show.  Where there is none, and all pairs of sets have been looked at, nobody can
tell the two apart.

A step that emits several frames shows them one after the other, like several steps that emit one
each.  History that nothing depends on (ghosts) is left out of states, which makes them fewer.

There may be exponentially many sets, so what is kept of them has a bound; beyond it the answer is
that it was not decided.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ackproof.lang.binding import Bound
from ackproof.lang.errors import BindError
from ackproof.model.beginnings import initial_states
from ackproof.model.exploring import Exploration
from ackproof.model.lanes import Lanes
from ackproof.model.plain import PlainMachine, State, Step
from ackproof.model.show import show_step
from ackproof.model.trace import Trace, shown_step

__all__ = ["Difference", "Undecided", "Witness", "differ"]

#: A state by its number, and the frames of the step to it that are still to be seen.
Node = tuple[int, tuple[str, ...]]
Nodes = frozenset[Node]

#: Sets that are looked at between two reports of progress.
_REPORT_EVERY = 50


class Undecided(Exception):
    """There is more to keep than allowed."""


@dataclass(frozen=True)
class Witness:
    """What only one system can show, and a shortest run of it that does."""

    frames: tuple[str, ...]
    run: Trace


@dataclass(frozen=True)
class Difference:
    """How two systems differ for who sees their frames.

    Args:
        first: what only the first can show; None if nothing was found.
        second: the same of the second.
        decided: whether all was looked at, so that what was not found is not there.
        kept: states in all the sets that were kept.
        constraints: names of those that bound either system; nothing behind them was looked at.
    """

    first: Witness | None
    second: Witness | None
    decided: bool
    kept: int
    constraints: tuple[str, ...] = ()


def differ(
    first: Bound,
    second: Bound,
    *,
    limit: int,
    also: frozenset[str] = frozenset(),
    frames_only: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Difference:
    """Compare two systems.

    Args:
        first: a program at the sizes of an instance.
        second: another one.
        limit: states that may be kept in sets.
        also: names of actions that are seen as they are taken, with all their arguments.
        frames_only: whether nothing else is seen of what clients do.
        progress: called now and then with how many states are kept.

    Raises:
        BindError: a model says of something that clients know it which is not there.
    """
    with PlainMachine(first) as one, PlainMachine(second) as two:
        sides = (_side(one, also, limit, frames_only), _side(two, also, limit, frames_only))
        search = _Search(sides, limit, progress or (lambda kept: None))
        try:
            search.run()
            decided = True
        except Undecided:
            decided = False
        words = [found if found is None else tuple(found) for found in search.found]
    found = [
        None if word is None else _witness(side, word)
        for side, word in zip(sides, words, strict=True)
    ]
    bounding = dict.fromkeys(c.name for bound in (first, second) for c in bound.constraints)
    return Difference(found[0], found[1], decided, search.kept, tuple(bounding))


def _side(machine: PlainMachine, also: frozenset[str], limit: int, frames_only: bool) -> _Side:
    """Return a system with what is seen of its steps.

    Raises:
        BindError: its model says of something that clients know it which is not there.
    """
    bound = machine.bound
    known = {a.name: tuple(p.name for p in a.params) for a in bound.program.actions}
    for name, arguments in bound.model.clients.items():
        if name not in known or not set(arguments) <= set(known[name]):
            there = f"{name}({', '.join(known[name])})" if name in known else ", ".join(known)
            raise BindError(
                f"{bound.model.name}: clients={{{name!r}: {tuple(arguments)}}} names what is not "
                f"there; there is: {there}"
            )
    shown = {} if frames_only else dict(bound.model.clients)
    return _Side(machine, {**shown, **dict.fromkeys(also)}, limit)


class _Side:
    """One of the two systems, with what it shows for the steps.

    Args:
        machine: the system; it is to be used inside `with machine:`.
        seen: the actions that are seen as they are taken, with the names of the arguments that are
            seen of them, None for all.
        limit: how many states it may have.
    """

    def __init__(
        self, machine: PlainMachine, seen: Mapping[str, tuple[str, ...] | None], limit: int
    ) -> None:
        self.machine = machine
        self._shown = seen
        self._limit = limit
        self._lanes = Lanes(machine.bound)
        # A constraint may speak of history, which then decides what comes next.
        whole = bool(machine.bound.constraints)
        self._told = [whole or not loc.variable.ghost for loc in machine.bound.locations]
        self._numbers: dict[State, int] = {}
        self._states: list[State] = []
        self._next: dict[int, tuple[tuple[int, tuple[str, ...], int], ...]] = {}
        self._begin = [self._number(state) for state in initial_states(machine.bound)]
        self.start: Nodes = frozenset((number, ()) for number in self._begin)

    def _number(self, state: State) -> int:
        """Return the number of a state; states that differ in history only have the same one."""
        rest = state[len(self._told) :]
        key = (*(v for v, told in zip(state, self._told, strict=False) if told), *rest)
        if key not in self._numbers:
            if len(self._states) >= self._limit:
                raise Undecided
            self._numbers[key] = len(self._states)
            self._states.append(state)
        return self._numbers[key]

    def beginning(self, number: int) -> int:
        """Return which initial state, in their order, has a number."""
        return self._begin.index(number)

    def following(self, number: int) -> tuple[tuple[int, tuple[str, ...], int], ...]:
        """Return the steps of a state: the action instance, what is seen, and where it leads."""
        if number not in self._next:
            self._next[number] = tuple(self._steps(self._states[number]))
        return self._next[number]

    def _steps(self, state: State) -> Iterator[tuple[int, tuple[str, ...], int]]:
        for step in self.machine.steps(state):
            if step.after is not None:
                yield step.number, self._seen(state, step), self._number(step.after)

    def _seen(self, state: State, step: Step) -> tuple[str, ...]:
        frames = map(str, shown_step(self._lanes, state, step).events) if step.events else ()
        name = step.instance.action.name
        if name not in self._shown:
            return tuple(frames)
        return (show_step(step.instance, self._shown[name]), *frames)

    # -- sets -----------------------------------------------------------------------------------

    def closed(self, nodes: Nodes) -> Nodes:
        """Return a set with all that it leads to by steps that are not seen."""
        found, todo = set(nodes), list(nodes)
        while todo:
            number, pending = todo.pop()
            if pending:
                continue
            for _, seen, after in self.following(number):
                node: Node = (after, ())
                if not seen and node not in found:
                    found.add(node)
                    todo.append(node)
        return frozenset(found)

    def moves(self, nodes: Nodes) -> dict[str, Nodes]:
        """Return for each frame that may be next the states that are possible then."""
        found: dict[str, set[Node]] = {}
        for number, pending in nodes:
            if pending:
                found.setdefault(pending[0], set()).add((number, pending[1:]))
                continue
            for _, seen, after in self.following(number):
                if seen:
                    found.setdefault(seen[0], set()).add((after, seen[1:]))
        return {frame: frozenset(after) for frame, after in found.items()}


class _Search:
    """Goes through pairs of sets, those that fewer frames lead to first."""

    def __init__(
        self, sides: tuple[_Side, _Side], limit: int, progress: Callable[[int], None]
    ) -> None:
        self._sides = sides
        self._limit = limit
        self._progress = progress
        self._known: set[tuple[Nodes, Nodes]] = set()
        self._todo: deque[tuple[Nodes, Nodes, tuple[str, ...]]] = deque()
        self.found: list[tuple[str, ...] | None] = [None, None]
        self.kept = 0

    def run(self) -> None:
        """Look at pairs until both witnesses are found, or there is none left.

        Raises:
            Undecided: there is more to keep than allowed.
        """
        one, two = self._sides
        self._add(one.start, two.start, ())
        looked_at = 0
        while self._todo and None in self.found:
            first, second, word = self._todo.popleft()
            moves = (one.moves(first), two.moves(second))
            for frame in sorted(moves[0].keys() | moves[1].keys()):
                after = (moves[0].get(frame), moves[1].get(frame))
                if after[0] is not None and after[1] is not None:
                    self._add(after[0], after[1], (*word, frame))
                    continue
                only = 0 if after[1] is None else 1
                self.found[only] = self.found[only] or (*word, frame)
            looked_at += 1
            if looked_at % _REPORT_EVERY == 0:
                self._progress(self.kept)

    def _add(self, first: Nodes, second: Nodes, word: tuple[str, ...]) -> None:
        pair = self._sides[0].closed(first), self._sides[1].closed(second)
        if pair in self._known:
            return
        self.kept += len(pair[0]) + len(pair[1])
        if self.kept > self._limit:
            raise Undecided
        self._known.add(pair)
        self._todo.append((*pair, word))


def _witness(side: _Side, word: tuple[str, ...]) -> Witness:
    """Return a shortest run of a system that shows a sequence of frames."""
    with side.machine as machine:
        start, path = _path(side, word)
        exploration = Exploration(machine, side.beginning(start))
        for number in path:
            exploration.take_number(number)
        return Witness(word, exploration.run())


def _path(side: _Side, word: tuple[str, ...]) -> tuple[int, list[int]]:
    """Return the state that a shortest run begins in, by its number, and the run's steps.

    The last of them may show more than the sequence.
    """
    came: dict[tuple[int, int], tuple[tuple[int, int], int] | None] = {
        (number, 0): None for number, _ in sorted(side.start)
    }
    todo = deque(came)
    while todo:
        at = todo.popleft()
        for number, seen, after in side.following(at[0]):
            here = word[at[1] : at[1] + len(seen)]
            if seen[: len(here)] != here:
                continue
            reached = (after, at[1] + len(here))
            if reached not in came:
                came[reached] = (at, number)
                todo.append(reached)
            if reached[1] == len(word):
                return _back(came, reached)
    raise AssertionError("a sequence that was found has a run")


def _back(
    came: dict[tuple[int, int], tuple[tuple[int, int], int] | None], at: tuple[int, int]
) -> tuple[int, list[int]]:
    path: list[int] = []
    while (before := came[at]) is not None:
        at, number = before
        path.append(number)
    return at[0], path[::-1]
