"""A state graph has the states and steps that a search counts, and says what is false where."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import networkx as nx
import pytest
from ackproof.lang import Instance, Model, Range, Sort, System, action, require
from ackproof.lang.binding import Bound
from ackproof.model.check import chosen
from ackproof.model.outcome import Outcome
from ackproof.model.plain_search import explore
from ackproof.model.state_graph import Graph, TooManyStates, state_graph

from tests.model import mailroom
from tests.models import die_hard, dining, peterson, two_phase_commit

MODELS = pytest.mark.parametrize(
    "model",
    [m.MODEL for m in (mailroom, die_hard, dining, peterson, two_phase_commit)],
    ids=lambda model: model.name,
)


def bound_of(model: Model) -> Bound:
    return chosen(model, model.instances[0])


def both(model: Model) -> tuple[Graph, Outcome]:
    """Return the graph of a model's first instance, and what a search finds there."""
    bound = bound_of(model)
    return state_graph(bound, limit=10_000), explore(bound, survey=True)


def states(graph: Graph) -> list[int]:
    return [node for node in graph if isinstance(node, int)]


@MODELS
def test_it_has_the_states_and_steps_of_a_search(model: Model) -> None:
    graph, outcome = both(model)
    assert len(states(graph)) == outcome.states
    succeed = [e for *_, b, e in graph.edges(data=True) if isinstance(b, int)]
    assert Counter(e["@action"] for e in succeed) == Counter(outcome.per_action)
    levels = Counter(about["@level"] for _, about in graph.nodes(data=True) if about["@level"] >= 0)
    assert [levels[n] for n in sorted(levels)] == list(outcome.level_sizes)


@MODELS
def test_the_nearest_place_where_something_is_false_is_that_of_the_counterexample(
    model: Model,
) -> None:
    graph, outcome = both(model)
    near: dict[str, int] = {}
    for node in states(graph):
        for name in filter(None, graph.nodes[node]["@false"].split(", ")):
            near[name] = min(near.get(name, 10_000), graph.nodes[node]["@level"])
    for a, _, about in graph.edges(data=True):
        for name in filter(None, about["@false"].split(", ")):
            near[name] = min(near.get(name, 10_000), graph.nodes[a]["@level"] + 1)
    for name in outcome.cycles:
        assert name not in near
    of_runs = outcome.cycles.keys()
    assert near == {n: len(path) for n, path in outcome.violations.items() if n not in of_runs}


def test_a_level_is_the_distance_from_the_initial_state() -> None:
    graph = state_graph(bound_of(mailroom.MODEL), limit=10_000)
    far = nx.single_source_shortest_path_length(graph, 0)
    assert all(graph.nodes[node]["@level"] == far[node] for node in states(graph))


def test_a_state_says_what_is_in_its_places_and_a_step_what_it_does() -> None:
    graph = state_graph(bound_of(die_hard.MODEL), limit=100)
    assert graph.nodes[0] == {"small": "0", "big": "0", "@level": 0, "@false": ""}
    full = next(
        b for _, b, about in graph.out_edges(0, data=True) if about["@step"] == "fill_big()"
    )
    assert graph.nodes[full]["big"] == "5"
    edge = next(iter(graph[0][full].values()))
    assert edge["@changes"] == "big  0 → 5"


def test_an_argument_and_a_fault_that_is_left_have_their_names() -> None:
    graph = state_graph(bound_of(mailroom.MODEL), limit=10_000)
    edges = [about for *_, about in graph.edges(data=True)]
    assert {about["@kind"] for about in edges} == {"action", "fault"}
    fault = next(about["@action"] for about in edges if about["@kind"] == "fault")
    for a, b, about in graph.edges(data=True):
        if about["@action"] == fault and isinstance(b, int):
            left = f"@left of {fault}"
            assert graph.nodes[b][left] == graph.nodes[a][left] - 1
    assert any("letter" in about for about in edges)


class Key(Sort, prefix="k"):
    """What things are stored by."""


class Store(System):
    """Counts what is stored."""

    node_for_adding: Annotated[int, Range(0, 3)]

    @action
    def put(self, key: Key, u_for_edge: Key) -> None:
        """Store something."""
        require(self.node_for_adding < 3)
        self.node_for_adding += 1

    @action
    def put_otherwise(self, key: Key) -> None:
        """Store it otherwise."""
        require(self.node_for_adding < 3)
        self.node_for_adding += 1


def test_names_mean_nothing_to_the_library_that_holds_it() -> None:
    model = Model("store", Store, (), (Instance("two", "two keys", sizes={Key: 2}),))
    graph, found = both(model)
    assert (len(graph), graph.number_of_edges()) == (found.states, 18)
    assert sum(found.per_action.values()) == 18
    assert {about["key"] for *_, about in graph.edges(data=True)} == {"k1", "k2"}


def test_the_bound_is_the_most_states_that_there_may_be() -> None:
    bound = bound_of(die_hard.MODEL)
    assert len(state_graph(bound, limit=16)) == 16
    with pytest.raises(TooManyStates):
        state_graph(bound, limit=15)
