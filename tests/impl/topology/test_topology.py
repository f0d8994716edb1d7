"""What a topology says that it changed is enough to build it again."""

from __future__ import annotations

from itertools import count, product

from ackproof.impl.topology.definitions import Binding, Change, Exchange
from ackproof.impl.topology.topology import Topology
from hypothesis import given
from hypothesis import strategies as st

from tests.impl.topology.letters import exchange, letter

EXCHANGES = ("e0", "e1", "e2")
QUEUES = ("q0", "q1")
KEYS = ("", "a", "b")
EXCHANGE, QUEUE, KEY = map(st.sampled_from, (EXCHANGES, QUEUES, KEYS))

REQUESTS = st.lists(
    st.tuples(st.just("declare"), EXCHANGE, st.booleans())
    | st.tuples(st.just("delete"), EXCHANGE)
    | st.tuples(st.sampled_from(["bind_queue", "unbind_queue"]), EXCHANGE, QUEUE, KEY)
    | st.tuples(st.sampled_from(["bind_exchange", "unbind_exchange"]), EXCHANGE, EXCHANGE, KEY)
    | st.tuples(st.just("remove_queue"), QUEUE),
    min_size=10,
    max_size=30,
)


class Rows:
    """What a disk keeps of a topology, by number."""

    def __init__(self) -> None:
        self.exchanges: dict[int, Exchange] = {}
        self.bindings: dict[int, Binding] = {}

    def commit(self, change: Change) -> None:
        """Enter what is new, then drop what is gone, as the disk does."""
        self.exchanges |= {one.number: one for one in change.declared}
        self.bindings |= {one.number: one for one in change.bound}
        for deleted in change.deleted:
            del self.exchanges[deleted.number]
        for unbound in change.unbound:
            del self.bindings[unbound.number]


def ask(topology: Topology, name: str, *arguments: object) -> Change:
    """Make one request, unless an exchange is missing for it; everything is durable."""
    missing = [one for one in arguments if one in EXCHANGES and not topology.has(str(one))]
    if name == "declare":
        return topology.declare(declared(*arguments)) if missing else Change()
    if missing:
        return Change()
    if name == "delete":
        return topology.delete(str(arguments[0]), if_unused=False)
    if name == "remove_queue":
        return topology.remove_queue(str(arguments[0]))
    source, destination, key = map(str, arguments)
    if name == "bind_queue":
        return topology.bind_queue(source, destination, key, {}, durable=True)
    change: Change = getattr(topology, name)(source, destination, key, {})
    return change


def declared(name: object, auto_delete: object) -> Exchange:
    """Return a durable direct exchange."""
    return exchange(str(name), "direct", durable=True, auto_delete=bool(auto_delete))


@given(REQUESTS)
def test_what_the_disk_was_told_routes_the_same(requests: list[tuple[object, ...]]) -> None:
    topology, rows = Topology("/", count(1).__next__), Rows()
    for name, *arguments in (*(("declare", name, False) for name in EXCHANGES), *requests):
        rows.commit(ask(topology, str(name), *arguments).durable())
    graph = topology.graph
    there = [b.number for x in graph.exchanges for b in graph.leaving(x).bindings.values()]
    assert sorted(rows.bindings) == sorted(there)
    again = Topology("/", count(1).__next__)
    again.restore(rows.exchanges.values(), rows.bindings.values())
    for name, key in product(EXCHANGES, KEYS):
        assert again.has(name) is topology.has(name)
        assert set(again.route(name, letter(key))) == set(topology.route(name, letter(key)))


def test_of_what_is_transient_the_disk_is_told_nothing() -> None:
    topology = Topology("/", count(1).__next__)
    change = topology.declare(exchange("e"))
    change.add(topology.bind_queue("e", "q", "k", {}, durable=True))
    change.add(topology.bind_queue("amq.direct", "q", "k", {}, durable=False))
    change.add(topology.bind_exchange("amq.direct", "e", "k", {}))
    change.add(topology.delete("e", if_unused=False))
    assert change
    assert not change.durable()
