"""Liveness over arrays: whether a property of runs is violated, and by which run.

What is looked for, and why, is said in `ackproof.model.plain_liveness`: a set of states in which
the property is false, that a fair run can stay in for ever.  Here states and steps are counted in
millions.  A graph is three arrays, the steps of a state next to each other, and all components are
judged at once:

* an instance has one step in a state at most, so it is enabled in as many states of a component as
  it has steps there, and to count steps by pairs of component and instance is to know whether it
  is enabled everywhere, somewhere or nowhere;
* a component in which a weakly fair instance is put off is done with; one in which only strongly
  fair ones are loses the states that enable them, and what is left is split into components again.

Each round removes states, so the rounds come to an end; there are rarely more than three.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from ackproof.model.components import components
from ackproof.model.fairness import Fairness

__all__ = ["Bits", "Graph", "Judge", "Lasso", "Levels", "levels_by"]

Bits = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]

#: The states by the lengths of the shortest paths to them, from 0 on, and for each state the number
#: by which whoever asks knows it.
Levels = Iterable[tuple[Numbers, Numbers]]

#: Pairs of a component and an instance that are counted one by one; more are sorted.
_COUNTED = 1 << 25


@dataclass(frozen=True)
class Graph:
    """States, and the steps that change them; of those to states outside, only the fair ones.

    Args:
        starts: for each state where its steps begin; one more at the end.
        targets: for each step the state that it leads to, -1 for one outside.
        instances: for each step the number of the action instance.
    """

    starts: Numbers
    targets: Numbers
    instances: Numbers

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.starts) - 1


@dataclass(frozen=True)
class Lasso:
    """A way to where a run may end up, and the instances that lead from there back.

    Args:
        number: the state from which on something is missing, as it is numbered where the graph is
            from.
        way: the instances that lead from it to a state of the cycle.
        cycle: those that lead back to that; empty where the run stays.
    """

    number: int
    way: tuple[int, ...]
    cycle: tuple[int, ...]


def levels_by(depths: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield states by the lengths of the shortest paths to them, as `Levels` are."""
    for depth in range(int(depths.max(initial=-1)) + 1):
        found = np.flatnonzero(depths == depth)
        yield found, found


class Judge:
    """Judges properties of runs on a graph.

    Args:
        graph: the states in which one of the properties is false, and their steps.
        fairness: which instances must happen.
    """

    def __init__(self, graph: Graph, fairness: Fairness) -> None:
        self.graph = graph
        self.fairness = fairness
        most = max(fairness.any, default=0)
        if len(graph.instances):
            most = max(most, int(graph.instances.max()))
        self.weak, self.strong = np.zeros(most + 1, bool), np.zeros(most + 1, bool)
        self.weak[list(fairness.weak)] = True
        self.strong[list(fairness.strong)] = True
        degrees = np.diff(graph.starts)
        self.sources = np.repeat(np.arange(graph.states, dtype=np.int32), degrees)
        self.fair_steps = (self.weak | self.strong)[graph.instances]
        #: In which states some fair instance is enabled.
        self.enabling = np.zeros(graph.states, bool)
        self.enabling[self.sources[self.fair_steps]] = True

    def nearest_lasso(self, false: Bits, asked: Bits, levels: Levels) -> Lasso | None:
        """Return a fair way to stay where a property is false, coming there as early as possible.

        Args:
            false: in which states it is false.
            asked: and in which of these it must come true; where it must always, in all.
            levels: the states by their depths.
        """
        fair, component = self.fair_states(false)
        if not fair.any():
            return None
        found = _Ways(self, false, asked).shortest(fair, levels)
        if found is None:
            return None
        state, number, way = found
        if not self.enabling[state]:
            return Lasso(number, way, ())
        inside = fair & (component == component[state])
        return Lasso(number, way, _Cycle(self, inside).through(state))

    def fair_states(self, false: Bits) -> tuple[Bits, Numbers]:
        """Return which states are in fair components, and numbers that tell these apart."""
        found = np.zeros(self.graph.states, bool)
        component = np.full(self.graph.states, -1, np.int64)
        active, rounds = false.copy(), 0
        while active.any():
            labels, count = self._components(active)
            fair, left = self._judge(active, labels, count)
            found |= fair
            # Components of different rounds must not get the same number.
            component[fair] = labels[fair] + rounds
            rounds += count
            active = left
        return found, component

    def _components(self, active: Bits) -> tuple[Numbers, int]:
        """Return the strongly connected component of each active state, and how many there are."""
        starts, targets, chosen = self.part(active)
        count, found = components(starts, targets)
        labels = np.full(self.graph.states, -1, np.int32)
        labels[chosen] = found
        return labels, count

    def part(self, active: Bits) -> tuple[Numbers, Numbers, Numbers]:
        """Return the steps between active states, numbered among themselves, and these states.

        That is where the steps of each begin, with one more at the end, and where each step leads.
        """
        inner = self._inner(active)
        chosen = np.flatnonzero(active)
        index = np.zeros(self.graph.states, np.int32)
        index[chosen] = np.arange(len(chosen), dtype=np.int32)
        starts = np.zeros(len(chosen) + 1, np.int32)
        degrees = np.bincount(index[self.sources[inner]], minlength=len(chosen))
        np.cumsum(degrees, out=starts[1:])
        return starts, index[self.graph.targets[inner]], chosen

    def _inner(self, active: Bits) -> Bits:
        """Return which steps lead from an active state to an active state."""
        # A step to outside has the target -1, which would be the last state.
        inner = self.graph.targets >= 0
        inner &= active[self.graph.targets]
        inner &= active[self.sources]
        return inner

    def _judge(self, active: Bits, labels: Numbers, count: int) -> tuple[Bits, Bits]:
        """Return the states of fair components, and those that are to be looked at again."""
        sizes = np.bincount(labels[active], minlength=count)
        alone = active & (sizes == 1)[labels]
        fair, left = alone & ~self.enabling, active & ~alone
        # What is left to judge gets numbers of its own, of which there are few.
        large = sizes > 1
        number = np.where(large, np.cumsum(large) - 1, -1).astype(np.int32)[labels]
        number[~active] = -1
        lost, split, denying = self._unfair(number, sizes[large])
        fair |= left & ~(lost | split)[number] if len(lost) else False
        left &= (split & ~lost)[number] if len(lost) else False
        left[denying] = False
        return fair, left

    def _unfair(self, number: Numbers, sizes: Numbers) -> tuple[Bits, Bits, Numbers]:
        """Return which components put off a weakly fair instance, and which a strongly fair one.

        And in which states the strongly fair ones are enabled that a component puts off.
        """
        steps = np.flatnonzero(self.fair_steps)
        of = number[self.sources[steps]]
        steps, of = steps[of >= 0], of[of >= 0]
        width = len(self.weak)
        pair = of.astype(np.int64) * width + self.graph.instances[steps]
        targets = self.graph.targets[steps]
        stays = (targets >= 0) & (number[targets] == of)
        pairs, enabled, taken = _tally(pair, stays, len(sizes) * width)
        everywhere = enabled == sizes[pairs // width]
        starved = pairs[~taken & self.weak[pairs % width] & everywhere]
        denied = pairs[~taken & self.strong[pairs % width]]
        lost, split = np.zeros(len(sizes), bool), np.zeros(len(sizes), bool)
        lost[starved // width] = True
        split[denied // width] = True
        return lost, split, self.sources[steps[np.isin(pair, denied)]] if len(denied) else denied


def _tally(pair: Numbers, stays: Bits, most: int) -> tuple[Numbers, Numbers, Bits]:
    """Return the different numbers in an array, how often each is there, and whether it stays."""
    if most <= _COUNTED:
        counts = np.bincount(pair, minlength=most)
        pairs = np.flatnonzero(counts)
        return pairs, counts[pairs], np.bincount(pair[stays], minlength=most)[pairs] > 0
    pairs, enabled = np.unique(pair, return_counts=True)
    return pairs, enabled, np.isin(pairs, np.unique(pair[stays]))


class _Ways:
    """Finds how a run comes to where it may stay, from where something is asked for.

    The ways grow all at once, each by a step for each level of the search: so what is asked for
    early and missed late is compared with what is asked for late.
    """

    def __init__(self, search: Judge, false: Bits, asked: Bits) -> None:
        self.search = search
        self.false = false
        self.asked = asked
        #: The step by which a way comes to a state, -1 where it begins, -2 where there is none.
        self._by = np.full(search.graph.states, -2, np.int64)
        #: What whoever asks calls the states where ways begin.
        self._numbers = np.full(search.graph.states, -1, np.int64)

    def shortest(self, fair: Bits, levels: Levels) -> tuple[int, int, tuple[int, ...]] | None:
        """Return the end of a shortest way, the number of its beginning, and its instances.

        Args:
            fair: where it may end.
            levels: the states by their depths.
        """
        # Where it is always asked for, what follows on a level is on the next one anyway.
        growing = bool((self.false & ~self.asked).any())
        frontier, coming = np.empty(0, np.int64), iter(levels)
        while True:
            level = next(coming, None)
            grown = self._grow(frontier) if growing else frontier[:0]
            begun = frontier[:0] if level is None else self._begin(*level)
            frontier = np.concatenate([begun, grown])
            ends = frontier[fair[frontier]]
            if len(ends):
                # Where a run can simply stay, it is easiest to explain.
                resting = ends[~self.search.enabling[ends]]
                return self._way(int(resting[0] if len(resting) else ends[0]))
            if level is None and not len(frontier):
                return None

    def _begin(self, states: Numbers, numbers: Numbers) -> Numbers:
        """Begin ways in those of some states where something is asked for."""
        new = self.asked[states] & self.false[states] & (self._by[states] == -2)
        self._by[states[new]] = -1
        self._numbers[states[new]] = numbers[new]
        begun: Numbers = states[new]
        return begun

    def _grow(self, frontier: Numbers) -> Numbers:
        """Make the ways to some states longer by a step; return where they come to."""
        graph = self.search.graph
        steps = _ranges(graph.starts[frontier], graph.starts[frontier + 1])
        steps = steps[graph.targets[steps] >= 0]
        targets = graph.targets[steps]
        steps = steps[self.false[targets] & (self._by[targets] == -2)]
        found, first = np.unique(graph.targets[steps], return_index=True)
        self._by[found] = steps[first]
        reached: Numbers = found.astype(np.int64)
        return reached

    def _way(self, end: int) -> tuple[int, int, tuple[int, ...]]:
        at, taken = end, []
        while self._by[at] >= 0:
            step = int(self._by[at])
            taken.append(int(self.search.graph.instances[step]))
            at = int(self.search.sources[step])
        return end, int(self._numbers[at]), tuple(reversed(taken))


class _Cycle:
    """Finds a fair cycle within a fair component."""

    def __init__(self, search: Judge, inside: Bits) -> None:
        self.graph = search.graph
        self.search = search
        self.inside = inside
        self._fair_steps = np.flatnonzero(search.fair_steps & inside[search.sources])
        self._home: dict[int, Numbers] = {}

    def through(self, start: int) -> tuple[int, ...]:
        """Return a fair cycle from a state back to it; empty where the run stays."""
        walk: list[int] = []
        while True:
            at = self._end(start, walk)
            back = self._back(at, start)
            unfair = self._put_off(start, [*walk, *back])
            if unfair is None:
                return tuple(int(self.graph.instances[step]) for step in [*walk, *back])
            walk += self._towards(at, unfair)

    def _end(self, start: int, walk: list[int]) -> int:
        return int(self.graph.targets[walk[-1]]) if walk else start

    def _back(self, at: int, start: int) -> list[int]:
        """Return the steps of a shortest path to where the cycle began."""
        if at == start:
            return []
        if start not in self._home:
            self._home[start] = self._towards_home(start)
        steps = []
        while at != start:
            steps.append(int(self._home[start][at]))
            at = int(self.graph.targets[steps[-1]])
        return steps

    def _towards_home(self, start: int) -> Numbers:
        """Return for each state of the component the step by which to go to one of them."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import breadth_first_order

        starts, targets, chosen = self.search.part(self.inside)
        matrix = csr_array((np.ones(len(targets)), targets, starts), shape=(len(chosen),) * 2)
        root = int(np.searchsorted(chosen, start))
        _, after = breadth_first_order(matrix.T.tocsr(), root, directed=True)
        following = np.full(self.graph.states, -2, np.int64)
        known = after >= 0
        following[chosen[known]] = chosen[after[known]]
        steps = np.flatnonzero(self.graph.targets == following[self.search.sources])
        found = np.full(self.graph.states, -1, np.int64)
        found[self.search.sources[steps]] = steps
        return found

    def _put_off(self, start: int, steps: list[int]) -> int | None:
        """Return an instance that is put off for ever by going round, if there is one."""
        fairness, graph = self.search.fairness, self.graph
        enabled = [
            set(graph.instances[graph.starts[s] : graph.starts[s + 1]].tolist())
            for s in {start, *(int(graph.targets[step]) for step in steps)}
        ]
        always, sometime = set.intersection(*enabled), set.union(*enabled)
        taken = {int(graph.instances[step]) for step in steps}
        unfair = ((always & fairness.weak) | (sometime & fairness.strong)) - taken
        return min(unfair, default=None)

    def _towards(self, at: int, instance: int) -> list[int]:
        """Return the steps to where an instance is taken, or, if that is enough, disabled."""
        graph, sources = self.graph, self.search.sources
        its = self._fair_steps[graph.instances[self._fair_steps] == instance]
        targets = graph.targets[its]
        takes = its[(targets >= 0) & self.inside[targets]]
        taking = np.zeros(graph.states, bool)
        taking[sources[takes]] = True
        disabled = np.zeros(graph.states, bool)
        if self.search.weak[instance]:
            disabled[:] = self.inside
            disabled[sources[its]] = False
        path = self._path(at, taking | disabled)
        end = self._end(at, path)
        if disabled[end]:
            return path
        return [*path, int(takes[sources[takes] == end][0])]

    def _path(self, start: int, wanted: Bits) -> list[int]:
        """Return the steps of a shortest path, within the component, to a state that is wanted."""
        graph = self.graph
        by = np.full(graph.states, -1, np.int64)
        seen = ~self.inside
        seen[start] = True
        frontier = np.array([start])
        while not wanted[frontier].any():
            steps = _ranges(graph.starts[frontier], graph.starts[frontier + 1])
            steps = steps[graph.targets[steps] >= 0]
            steps = steps[~seen[graph.targets[steps]]]
            frontier, first = np.unique(graph.targets[steps], return_index=True)
            assert len(frontier), "a fair component is connected, and has what makes it fair"
            by[frontier] = steps[first]
            seen[frontier] = True
        state = int(frontier[wanted[frontier]][0])
        path = []
        while state != start:
            path.append(int(by[state]))
            state = int(self.search.sources[path[-1]])
        return path[::-1]


def _ranges(starts: Numbers, ends: Numbers) -> Numbers:
    """Return the numbers of several ranges, one range after the other."""
    sizes = ends - starts
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(sizes.sum())
