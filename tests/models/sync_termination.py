"""What a detector of termination has to do: say that all have stopped, once they have.

The module SyncTerminationDetection of Merz.  What it shows: an initial state that is demanded, and
a system in which each state is an initial one.

Counts: the manifest of `specifications/ewd840` in github.com/tlaplus/Examples states 129 distinct
and 3,722 generated states and one level: each node is active or not, and where none is, it may be
known already.  With n nodes these are 2 to the power of n, and one more, so n is 7.
"""

from ackproof.lang import (
    Instance,
    Model,
    Set,
    Sort,
    System,
    action,
    anything,
    initially,
    invariant,
    properties_in,
    require,
    step_property,
)


class Node(Sort, prefix="n"):
    """Somebody who works."""


class Work(System):
    """Nodes that work and make others work, and somebody who watches."""

    active: Set[Node] = anything()
    known: bool = anything()

    @action
    def stop(self, node: Node, sees: bool) -> None:
        """A node stops; if it was the last one, that may be seen at once."""
        require(node in self.active and (not sees or self.active == {node}))
        self.active.discard(node)
        self.known = self.known or sees

    @action
    def send(self, node: Node, to: Node) -> None:
        """A node makes one work, itself perhaps."""
        require(node in self.active)
        self.active.add(to)

    @action(fair="weak")
    def see(self) -> None:
        """It is seen that all have stopped."""
        require(not self.active)
        self.known = True


@initially
def WhatIsKnownIsSo(s: Work) -> bool:
    """If it is known that all have stopped, they have."""
    return not s.known or not s.active


@invariant
def NothingElseIsKnown(s: Work) -> bool:
    """It is never known that all have stopped unless they have."""
    return not s.known or not s.active


@step_property
def TheEndIsTheEnd(before: Work, after: Work) -> bool:
    """Who has stopped with all others does not begin again."""
    return bool(before.active) or not after.active


MODEL = Model(
    "termination",
    Work,
    properties_in(WhatIsKnownIsSo, NothingElseIsKnown, TheEndIsTheEnd),
    (Instance("nodes7", "seven nodes", {Node: 7}, states=129),),
)
