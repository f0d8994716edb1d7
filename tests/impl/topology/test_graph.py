"""Routing over graphs of exchanges, compared with reachability; and what goes when an edge goes."""

from __future__ import annotations

from itertools import pairwise

from ackproof.impl.topology.definitions import Change, Destination, Exchange, Kind
from ackproof.impl.topology.exchange_types import Direct
from ackproof.impl.topology.graph import Graph
from hypothesis import given
from hypothesis import strategies as st

from tests.impl.topology.letters import binding, exchange, letter

NAMES = ["e0", "e1", "e2", "e3", "e4"]
QUEUES = ["q0", "q1", "q2", "q3"]
EDGES = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from([*NAMES, *QUEUES])))
#: For each exchange its alternate, which may be one that does not exist.
ALTERNATES = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([*NAMES, "missing"]))


def graph_of(*exchanges: Exchange, edges: list[tuple[str, str]] | None = None) -> Graph:
    """Return a graph with these exchanges, and a binding for each edge."""
    graph = Graph()
    for one in exchanges:
        graph.enter(one)
    for source, destination in dict.fromkeys(edges or []):
        graph.connect(binding(source, destination))
    return graph


def reachable(start: str, edges: list[tuple[str, str]], alternates: dict[str, str]) -> set[str]:
    """Return the queues that are reached: the smallest set that is closed under all edges."""
    sources = {source for source, _ in edges}
    onward = set(edges) | {(x, y) for x, y in alternates.items() if x not in sources}
    reached = {start}
    while more := {y for x, y in onward if x in reached} - reached:
        reached |= more
    return reached & set(QUEUES)


@given(EDGES, ALTERNATES)
def test_a_message_reaches_what_can_be_reached_and_each_queue_once(
    edges: list[tuple[str, str]], alternates: dict[str, str]
) -> None:
    exchanges = [
        exchange(name, arguments={"alternate-exchange": alternates.get(name)}) for name in NAMES
    ]
    graph = graph_of(*exchanges, edges=edges)
    found = graph.route(graph.exchanges["e0"], letter("k"))
    assert len(found) == len(set(found))
    assert set(found) == reachable("e0", edges, alternates)


@given(EDGES, st.sets(st.sampled_from(NAMES)), st.sampled_from(QUEUES))
def test_what_goes_with_a_queue_leaves_no_loose_ends(
    edges: list[tuple[str, str]], fleeting: set[str], queue: str
) -> None:
    exchanges = [exchange(name, auto_delete=name in fleeting) for name in NAMES]
    graph = graph_of(*exchanges, edges=edges)
    change = Change()
    graph.remove(graph.arriving(Destination(Kind.QUEUE, queue)), change)

    # The same, naively: again and again until nothing changes.
    left, names = {edge for edge in edges if edge[1] != queue}, set(NAMES)
    had = {source for source, _ in edges}
    while gone := {x for x in names & fleeting & had if x not in {s for s, _ in left}}:
        names -= gone
        left = {edge for edge in left if not gone & set(edge)}

    assert set(graph.exchanges) == names
    assert {x.name for x in change.deleted} == set(NAMES) - names
    kept = {(b.source, b.destination.name) for x in names for b in graph.leaving(x).bindings}
    assert kept == left
    unbound = [(b.source, b.destination.name) for b in change.unbound]
    assert sorted(unbound) == sorted(set(edges) - left)


def test_the_default_exchange_leads_to_the_queue_of_that_name() -> None:
    graph = graph_of(exchange("", "direct"))
    assert graph.route(graph.exchanges[""], letter("q", "other", "q")) == ("q", "other")


def test_a_direct_exchange_leads_to_what_is_bound_with_the_key() -> None:
    graph = graph_of(exchange("d", "direct"))
    for queue, key in [("q1", "a"), ("q2", "b"), ("q3", "a")]:
        graph.connect(binding("d", queue, key))
    assert graph.route(graph.exchanges["d"], letter("a")) == ("q1", "q3")
    assert graph.route(graph.exchanges["d"], letter("b", "a")) == ("q2", "q1", "q3")
    assert graph.route(graph.exchanges["d"], letter("c")) == ()


def test_a_direct_exchange_forgets_a_binding_that_was_removed() -> None:
    graph = graph_of(exchange("d", "direct"))
    graph.connect(binding("d", "q", "a"))
    graph.remove([binding("d", "q", "a")], Change())
    assert graph.route(graph.exchanges["d"], letter("a")) == ()


def test_nothing_remains_of_keys_and_destinations_that_are_bound_no_more() -> None:
    graph = graph_of(exchange("d", "direct"))
    for n in range(100):
        graph.connect(binding("d", f"q{n}", f"k{n}"))
        graph.remove([binding("d", f"q{n}", f"k{n}")], Change())
    leaving = graph.leaving("d")
    assert isinstance(leaving, Direct)
    assert not graph._arriving
    assert not leaving._by_key


def test_an_alternate_exchange_is_asked_only_where_no_binding_leads_on() -> None:
    with_alternate = exchange("e", "direct", arguments={"alternate-exchange": "other"})
    graph = graph_of(with_alternate, exchange("dead end"), exchange("other"))
    graph.connect(binding("other", "q"))
    graph.connect(binding("e", "dead end", "k"))
    assert graph.route(with_alternate, letter("k")) == (), "it was bound, if to no avail"
    assert graph.route(with_alternate, letter("x")) == ("q",)


def test_an_exchange_that_never_had_a_binding_does_not_delete_itself() -> None:
    graph = graph_of(exchange("e", auto_delete=True))
    graph.remove([binding("e", "q")], Change())
    assert "e" in graph.exchanges


def test_a_long_chain_of_exchanges_that_delete_themselves_goes_at_once() -> None:
    names = [f"e{n}" for n in range(5000)]
    edges = [*pairwise(names), (names[-1], "q")]
    graph = graph_of(*(exchange(name, auto_delete=True) for name in names), edges=edges)
    change = Change()
    graph.remove(graph.arriving(Destination(Kind.QUEUE, "q")), change)
    assert len(change.deleted) == 5000
    assert not graph.exchanges
