"""The strongly connected components of a graph in arrays.

What is imported for large graphs takes longer to import than a small graph takes to search here.
Both find the same components; their numbers are in no particular order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["components"]

Numbers = npt.NDArray[Any]

#: Steps of a graph that is small.
_SMALL = 1 << 14


def components(starts: Numbers, targets: Numbers, small: int = _SMALL) -> tuple[int, Numbers]:
    """Return how many components there are, and for each state the number of its own.

    Args:
        starts: for each state where its steps begin; one more at the end.
        targets: for each step the state that it leads to.
        small: steps up to which no other library is asked.
    """
    if len(starts) + len(targets) <= small:
        return _searched(starts.tolist(), targets.tolist())
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    states = len(starts) - 1
    matrix = csr_array((np.ones(len(targets)), targets, starts), shape=(states, states))
    # scipy's search for components does not come to an end where a step is there twice.
    matrix.sum_duplicates()
    count, found = connected_components(matrix, directed=True, connection="strong")
    return int(count), found


def _searched(starts: list[int], targets: list[int]) -> tuple[int, Numbers]:
    """Find the components depth first, as Tarjan does.

    `order` is when a state was first seen, and `low` the earliest one without a component that it
    is known to lead to; where that is itself, it and all seen since are a component.
    """
    states = len(starts) - 1
    nowhere = states
    found, low, order = [-1] * states, [nowhere] * states, [nowhere] * states
    following, stack, count, seen = starts[:], [], 0, 0
    for root in range(states):
        path = [root] if order[root] == nowhere else []
        while path:
            state = path[-1]
            if order[state] == nowhere:
                order[state] = low[state] = seen
                seen += 1
                stack.append(state)
            at = following[state]
            if at < starts[state + 1]:
                following[state] += 1
                target = targets[at]
                if order[target] == nowhere:
                    path.append(target)
                elif found[target] < 0:
                    low[state] = min(low[state], order[target])
                continue
            path.pop()
            if path:
                low[path[-1]] = min(low[path[-1]], low[state])
            if low[state] == order[state]:
                while found[state] < 0:
                    found[stack.pop()] = count
                count += 1
    return count, np.array(found, np.int32)
