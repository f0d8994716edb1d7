"""Has everybody stopped?  A token goes round a ring and finds out.

Dijkstra's algorithm EWD 840, as in the module EWD840 of Merz.  What it shows: several initial
states, by variables that may start with anything.

Counts: the manifest of `specifications/ewd840` in github.com/tlaplus/Examples states 302 distinct
and 2,001 generated states for three nodes, and 1,566 and 15,986 for four.  Who is active, who is
black and where the token is, is open at first: with n nodes, there are n times 4 to the power of n
initial states, so 192 and 1,024.  TLC takes a step once for each part of a guard that is true,
where a guard is a disjunction; if it takes each guard as a whole, it generates 1,817 and 14,962,
on 9 and 12 levels.
"""

from ackproof.lang import (
    Instance,
    Model,
    OrderedSort,
    Set,
    System,
    action,
    anything,
    eventually,
    invariant,
    properties_in,
    reachable,
    require,
)


class Node(OrderedSort, prefix="n"):
    """A node of the ring; the token goes down, and from the first to the last."""


class Ring(System):
    """Nodes that work and make others work, and a token."""

    active: Set[Node] = anything()
    black: Set[Node] = anything()
    token: Node = anything()
    black_token: bool = True

    @action(fair="weak")
    def begin(self) -> None:
        """The first node begins a round, if the last one has not shown that all have stopped."""
        require(self.token == Node.first())
        require(self.black_token or Node.first() in self.black)
        last = max(set(Node), default=None)
        if last is not None:
            self.token = last
        self.black_token = False
        self.black.discard(Node.first())

    @action(fair="weak")
    def hand_on(self, node: Node) -> None:
        """A node hands the token on; one that is busy does so only if the round has failed."""
        require(self.token == node and node != Node.first())
        require(node not in self.active or node in self.black or self.black_token)
        lower = max({n for n in Node if n < node}, default=None)
        if lower is not None:
            self.token = lower
        self.black_token = self.black_token or node in self.black
        self.black.discard(node)

    @action
    def send(self, node: Node, to: Node) -> None:
        """A node makes another one work."""
        require(node in self.active and node != to)
        self.active.add(to)
        if node < to:
            self.black.add(node)

    @action
    def stop(self, node: Node) -> None:
        """A node has nothing to do any more."""
        require(node in self.active)
        self.active.discard(node)


@invariant
def WhatIsFoundIsSo(s: Ring) -> bool:
    """If the first node finds that all have stopped, they have."""
    found = (
        s.token == Node.first()
        and not s.black_token
        and Node.first() not in s.black
        and Node.first() not in s.active
    )
    return not found or not s.active


@eventually
def TheEndIsFound(s: Ring) -> bool:
    """When all have stopped, the first node finds it."""
    return bool(s.active) or (
        s.token == Node.first() and not s.black_token and Node.first() not in s.black
    )


@reachable
def AllHaveStopped(s: Ring) -> bool:
    """Nobody works."""
    return not s.active


MODEL = Model(
    "termination detection",
    Ring,
    properties_in(WhatIsFoundIsSo, TheEndIsFound, AllHaveStopped),
    (
        Instance("nodes3", "three nodes", {Node: 3}, states=302),
        Instance("nodes4", "four nodes", {Node: 4}, states=1_566),
    ),
)
