"""A mirrored queue in thirty lines: just enough to promote a mirror in the middle of a publish.

A message goes to the mirror twice, direct and from the master.  When the master is lost, the mirror
is promoted, and then meets the direct copy.  The designs `forgetful` and `strict` do with it what
the two bugs do.  Names of actions and places are those of the specification.
"""

import sys

from ackproof.lang import (
    Const,
    Each,
    Event,
    Instance,
    Model,
    OrderedSort,
    Process,
    Set,
    Sort,
    System,
    action,
    fault,
    handler,
    invariant,
    on,
    properties_in,
    require,
)


class Msg(OrderedSort):
    """A message."""


class Replica(Sort, prefix="r"):
    """A process of the queue; here, its mirror."""


class Ack(Event):
    """A confirm."""

    tag: Msg
    multiple: bool


class Mirror(Process):
    """The mirror's process."""

    forgets: Const[bool] = False
    asserts: Const[bool] = False
    promoted: bool
    ready: Set[Msg]

    @handler
    def learn(self, msg: Msg) -> None:
        """The master tells of a message."""
        self.ready.add(msg)

    @handler
    def hear(self, msg: Msg) -> None:
        """The direct copy arrives."""
        if self.promoted and self.asserts:
            assert msg not in self.ready
        if not (self.promoted and self.forgets):
            self.emit(Ack(msg, multiple=True))


class Relay(System):
    """A channel and a mirror; the master is only what tells the mirror."""

    replicas: Each[Replica, Mirror]
    direct: Set[Msg]
    told: Set[Msg]
    lost: bool
    settled: Set[Msg]
    published: Set[Msg]

    @action
    def publish(self, msg: Msg, persistent: bool) -> None:
        """A message is published; both copies are under way."""
        require(msg not in self.published and not self.lost)
        self.published.add(msg)
        self.direct.add(msg)
        self.told.add(msg)

    @action
    def master_tells(self, msg: Msg, replica: Replica) -> None:
        """The master's copy arrives."""
        require(msg in self.told)
        self.told.discard(msg)
        self.replicas[replica].learn(msg)

    @action
    def deliver(self, msg: Msg, replica: Replica) -> None:
        """The direct copy arrives."""
        require(msg in self.direct and msg not in self.told)
        self.direct.discard(msg)
        self.replicas[replica].hear(msg)

    @fault
    def lose_node(self) -> None:
        """The master is lost."""
        require(not self.lost)
        self.lost = True

    @action
    def promote(self, replica: Replica) -> None:
        """The mirror takes its place."""
        require(self.lost and not self.told and not self.replicas[replica].promoted)
        self.replicas[replica].promoted = True

    @on(Ack)
    def hears(self, ack: Ack) -> None:
        """The publisher hears of a message."""
        self.settled.add(ack.tag)


@invariant
def EveryPublishSettles(s: Relay) -> bool:
    """Whatever is not settled is still under way."""
    return s.published <= s.settled | s.direct


MODEL = Model(
    "relay",
    Relay,
    properties_in(sys.modules[__name__]),
    (Instance("promotion", "one message, one accident", {Msg: 1, Replica: 1}, {"lose_node": 1}),),
)
