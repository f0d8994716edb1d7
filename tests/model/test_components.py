"""Components are the same, whichever way they are found: the states that reach each other."""

from __future__ import annotations

import random

import networkx
import numpy as np
import pytest
from ackproof.model.components import components


def found(edges: list[list[int]], small: int) -> set[frozenset[int]]:
    starts = np.cumsum([0, *map(len, edges)]).astype(np.int32)
    targets = np.array([t for of in edges for t in of], np.int32)
    count, labels = components(starts, targets, small)
    assert set(labels.tolist()) == set(range(count))
    return {frozenset(np.flatnonzero(labels == n).tolist()) for n in range(count)}


@pytest.mark.parametrize("seed", range(200))
def test_components_are_the_same_in_three_ways(seed: int) -> None:
    draw = random.Random(seed)
    states = draw.randint(0, 30)
    most = draw.randint(0, 3)
    # A step may be there twice, and lead back to where it began.
    edges = [[draw.randrange(states) for _ in range(draw.randint(0, most))] for _ in range(states)]
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(range(states))
    graph.add_edges_from((s, t) for s, of in enumerate(edges) for t in of)
    expected = {frozenset(c) for c in networkx.strongly_connected_components(graph)}
    assert found(edges, small=1 << 20) == expected
    assert found(edges, small=0) == expected


def test_a_long_path_needs_no_deep_recursion() -> None:
    edges = [[n + 1] for n in range(5_000)] + [[2_500]]
    assert sorted(map(len, found(edges, small=1 << 20)))[-1] == 2_501
