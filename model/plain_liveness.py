"""Liveness in the plain engine: the definition of when an `@eventually` property is violated.

A run breaks the claim that p is true again and again if it comes to a point from which p is false
for ever.  In a finite state space such a run ends in a set of states that it all visits again and
again: states of which each can reach each other without leaving the set, or one state in which it
stays.  The run is *fair* if no step that must happen is put off for ever:

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
from itertools import takewhile
from typing import Generic, TypeVar

from ackproof.model.fairness import Fairness

__all__ = ["Graph", "fair_states", "nearest_lasso"]

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


def nearest_lasso(graph: Graph[S], depth: Callable[[S], int]) -> tuple[S, tuple[int, ...]] | None:
    """Return a state of a fair set with a fair cycle through it, if there is a fair set.

    Of all such states it is one of the least `depth`, and if a run can stay in one of them, that,
    since it is easiest to explain.  The states of the graph are in the order of their depths.
    """
    fair = fair_states(graph)
    if not fair:
        return None
    least = depth(next(iter(fair)))
    nearest = list(takewhile(lambda state: depth(state) == least, fair))
    start = next((state for state in nearest if not graph.enabled(state)), nearest[0])
    return start, graph.cycle(start, fair[start])


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
