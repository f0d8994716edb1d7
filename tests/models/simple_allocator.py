"""A simple allocator: clients ask for resources, and get them as they come free.

Stephan Merz's first allocator, from "The Specification Language TLA+" (2008).  What it shows: an
action that takes any subset of a sort, and maps whose values are sets.

Counts: `specifications/allocator/SimpleAllocator.cfg` of github.com/tlaplus/Examples, whose
manifest states 400 distinct and 1,633 generated states and 6 levels for three clients and two
resources.
"""

from ackproof.lang import (
    Instance,
    Map,
    Model,
    Set,
    Sort,
    System,
    action,
    helper,
    invariant,
    properties_in,
    reachable,
    require,
)


class Client(Sort):
    """Somebody who needs resources."""


class Resource(Sort):
    """Something that one client uses at a time."""


class SimpleAllocator(System):
    """Who waits for what, and who has what."""

    wanted: Map[Client, Set[Resource]]
    held: Map[Client, Set[Resource]]

    @helper
    def available(self, r: Resource) -> bool:
        """Whether nobody holds a resource."""
        return all(r not in self.held[c] for c in Client)

    @action
    def request(self, c: Client, rs: Set[Resource]) -> None:
        """A client that has nothing and waits for nothing asks for resources."""
        require(rs and not self.wanted[c] and not self.held[c])
        self.wanted[c] = set(rs)

    @action(fair="weak")
    def allocate(self, c: Client, rs: Set[Resource]) -> None:
        """A client gets some of what it waits for."""
        require(rs and rs <= self.wanted[c] and all(self.available(r) for r in rs))
        self.held[c] |= rs
        self.wanted[c] -= rs

    @action
    def give_back(self, c: Client, rs: Set[Resource]) -> None:
        """A client returns some of what it has, perhaps while it still waits for more."""
        require(rs and rs <= self.held[c])
        self.held[c] -= rs


@invariant
def OneHolderEach(s: SimpleAllocator) -> bool:
    """No resource is with two clients."""
    return all(not s.held[a] & s.held[b] for a in Client for b in Client if a != b)


@reachable
def HoldAndWait(s: SimpleAllocator) -> bool:
    """Two clients wait for what the other holds; only giving back gets them on."""
    return any(s.wanted[a] & s.held[b] and s.wanted[b] & s.held[a] for a in Client for b in Client)


MODEL = Model(
    "simple allocator",
    SimpleAllocator,
    properties_in(OneHolderEach, HoldAndWait),
    (Instance("c3r2", "three clients, two resources", {Client: 3, Resource: 2}, states=400),),
    deadlock_free=True,
)
