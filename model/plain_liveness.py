"""Liveness in the plain engine: the definition of when a property of runs is violated.

A run breaks the claim that p is true again and again (`@eventually`) if it comes to a point from
which p is false for ever. It breaks the claim that q leads to p (`@leads_to`) if q is true there,
too. So the states are of interest in which p is false. In some of them p is *due*: where q is
true, or in all of them where p must always come true. In a finite state space such a run ends in
a set of states that it all visits again and again: states of which each can reach each other
without leaving the set, or one state in which it stays. The run is *fair* if no step that must
happen is put off for ever:

* an instance of an action with weak fairness is disabled in some state of the set, or taken in it;
* one with strong fairness is disabled in all states of the set, or taken in it.

An instance is enabled where it has a step that changes the state, or one that fails.  A larger set
is fair as soon as a part of it is, as far as weak fairness goes, so the strongly connected
components are looked at whole; states in which a strongly fair instance cannot be taken are then
removed, and what is left falls into components again.

This is written for clarity, over dictionaries; `ackproof.model.liveness` says the same over arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Generic, TypeVar

from ackproof.model.fairness import Fairness

__all__ = ["Graph", "Lasso", "fair_states", "nearest_lasso"]

S = TypeVar("S", bound=Hashable)


class Graph(Generic[S]):
    """The states in which a property is false, with the steps that leave from them.

    Args:
        states: those states, the ones found first in front.
        steps: the steps of a state that change it, as pairs of an instance and a successor.
        fairness: which instances must happen.
    """

    def __init__(
        self,
        states: Iterable[S],
        steps: Callable[[S], Iterable[tuple[int, S]]],
        fairness: Fairness,
    ) -> None:
        self.steps: dict[S, dict[int, S]] = {state: dict(steps(state)) for state in states}
        self.fairness = fairness
        self._fair = fairness.any

    def enabled(self, state: S) -> set[int]:
        """Return the fair instances that are enabled in a state."""
        return self.steps[state].keys() & self._fair

    def put_off(self, states: Iterable[S], taken: set[int]) -> set[int]:
        """Return the instances that a run treats unfairly if it visits and takes only these."""
        enabled = [self.enabled(state) for state in states]
        always = set.intersection(*enabled)
        sometime = set.union(*enabled)
        return ((always & self.fairness.weak) | (sometime & self.fairness.strong)) - taken

    def cycle(self, start: S, inside: set[S]) -> tuple[int, ...]:
        """Return a fair cycle through a state of a fair set, as instances; empty if it stays."""
        walk: list[int] = []
        visited = [start]
        while True:
            back, home = self._path(visited[-1], inside, lambda state, step: state == start)
            unfair = self.put_off([*visited, *home], {*walk, *back})
            if not unfair:
                return (*walk, *back)
            more, states = self._path(visited[-1], inside, self._fulfils(min(unfair)))
            walk += more
            visited += states

    def _fulfils(self, instance: int) -> Callable[[S, int | None], bool]:
        """Return whether a state, come to by a step, is where an instance is not put off."""
        weak = instance in self.fairness.weak
        return lambda s, step: step == instance or (weak and instance not in self.enabled(s))

    def _path(
        self, start: S, inside: set[S], found: Callable[[S, int | None], bool]
    ) -> tuple[list[int], list[S]]:
        """Return a shortest path to what is looked for: its steps, and the states they lead to."""
        if found(start, None):
            return [], []
        paths: list[tuple[S, list[int], list[S]]] = [(start, [], [])]
        seen = {start}
        for state, taken, visited in paths:
            for instance, after in self.steps[state].items():
                path = [*taken, instance], [*visited, after]
                if after in inside and found(after, instance):
                    return path
                if after in inside and after not in seen:
                    seen.add(after)
                    paths.append((after, *path))
        raise AssertionError("a fair set is strongly connected, and has what makes it fair")


@dataclass(frozen=True)
class Lasso(Generic[S]):
    """How a run breaks a property.

    Args:
        start: the state from which on something is missing.
        way: the instances that lead from there to where the run stays.
        cycle: and those that it takes there over and over; none if it takes no step.
    """

    start: S
    way: tuple[int, ...]
    cycle: tuple[int, ...]


def nearest_lasso(graph: Graph[S], due: Mapping[S, int]) -> Lasso[S] | None:
    """Return a way from where a property is due to a fair set, with a fair cycle, if there is one.

    Of all of them it is one that takes the fewest steps from an initial state to the cycle, and if
    a run can stay at the end of one of these, that, since it is easiest to explain.

    Args:
        graph: the states in which the property is false.
        due: those of them in which it is due, with the lengths of the shortest paths to them.
    """
    fair = fair_states(graph)
    ends: list[tuple[int, S, Lasso[S]]] = []
    for length, state, start, way in _ways(graph, due):
        if ends and length > ends[0][0]:
            break
        if state in fair:
            ends.append((length, state, Lasso(start, way, ())))
    if not ends:
        return None
    resting = (end for end in ends if not graph.enabled(end[1]))
    _, state, lasso = next(resting, ends[0])
    return replace(lasso, cycle=graph.cycle(state, fair[state]))


def _ways(graph: Graph[S], due: Mapping[S, int]) -> Iterator[tuple[int, S, S, tuple[int, ...]]]:
    """Yield how long it takes to come to a state, the state, and the way to it, shortest first.

    A way begins where the property is due, and goes through the graph.
    """
    order = count()
    waiting: list[tuple[int, int, S, S, tuple[int, ...]]] = [
        (depth, next(order), state, state, ()) for state, depth in due.items()
    ]
    heapify(waiting)
    seen: set[S] = set()
    while waiting:
        length, _, state, start, way = heappop(waiting)
        if state in seen:
            continue
        seen.add(state)
        yield length, state, start, way
        for instance, after in graph.steps[state].items():
            if after in graph.steps and after not in seen:
                heappush(waiting, (length + 1, next(order), after, start, (*way, instance)))


def fair_states(graph: Graph[S]) -> dict[S, set[S]]:
    """Return each state that lies in a fair set, with the set, the states found first in front."""
    found: dict[S, set[S]] = {}
    waiting = list(_components(graph.steps, set(graph.steps)))
    while waiting:
        component = waiting.pop()
        taken = {
            instance
            for state in component
            for instance, after in graph.steps[state].items()
            if after in component
        }
        unfair = graph.put_off(component, taken)
        if not unfair:
            found.update(dict.fromkeys(component, component))
        elif not unfair & graph.fairness.weak:
            left = {state for state in component if not graph.enabled(state) & unfair}
            waiting += _components(graph.steps, left)
    return {state: found[state] for state in graph.steps if state in found}


def _components(steps: Mapping[S, Mapping[int, S]], inside: set[S]) -> Iterator[set[S]]:
    """Yield the strongly connected components of some states."""
    import networkx  # here, since most searches come to no such question

    graph: networkx.DiGraph[S] = networkx.DiGraph()
    graph.add_nodes_from(inside)
    graph.add_edges_from(
        (state, after) for state in inside for after in steps[state].values() if after in inside
    )
    yield from networkx.strongly_connected_components(graph)
