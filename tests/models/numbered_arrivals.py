"""Senders that number their messages each by itself, and the order in which messages arrive.

Each sender sends its messages in order, 1, 2, 3…, over a wire of its own.  A wire loses nothing and
keeps the order, and nothing is said of the order of messages of different senders.  What it shows:
an owned sort, whose elements belong to an element of another one, as the key of a family and
without.

Counts: by hand, for two senders of two messages.  Of those of one sender `a` have arrived, of the
other's `b`, in one of the C(a + b, a) orders, and each sender may have sent a, or b, or more: there
are 3 - a and 3 - b ways, and 9 + 2·6 + 4·2 + 2·3 + 2·2·3 + 6 = 53 states.  Each arrival and each
sending that is possible is a step, 88 of them, and the last states take 8.
"""

import sys
from typing import Annotated

from ackproof.lang import (
    Each,
    Instance,
    Model,
    Option,
    OrderedSort,
    OwnedSort,
    Process,
    Seq,
    Set,
    System,
    action,
    handler,
    invariant,
    properties_in,
    reachable,
    require,
    step_property,
)


class SenderId(OrderedSort, prefix="s"):
    """Who sends."""


class Message(OwnedSort[SenderId]):
    """A message; it is numbered by its sender."""


class Sender(Process):
    """Numbers its messages, and sends them over its wire."""

    next_message: Option[Message] = Message.first()
    wire: Set[Message]

    @handler
    def send(self, message: Message) -> None:
        """Send the next message."""
        require(self.next_message == message)
        self.wire.add(message)
        self.next_message = Message.succ(message)

    @handler
    def deliver(self, message: Message) -> None:
        """Take the oldest message off the wire."""
        require(message in self.wire and message == min(self.wire))
        self.wire.discard(message)


class Arrivals(System):
    """The senders, and what has arrived."""

    senders: Each[SenderId, Sender]
    arrived: Annotated[Seq[Message], 4]

    @action
    def send(self, message: Message) -> None:
        """A sender sends its next message."""
        self.senders[Message.owner(message)].send(message)

    @action
    def arrive(self, message: Message) -> None:
        """A message arrives, after all that its sender sent before."""
        self.senders[Message.owner(message)].deliver(message)
        self.arrived.append(message)


@invariant
def WiresHoldTheirOwn(s: Arrivals) -> bool:
    """A wire holds messages of its sender."""
    return all(s.senders[x].wire <= Message.of(x) for x in SenderId)


@invariant
def SendersNumberTheirOwn(s: Arrivals) -> bool:
    """A sender that has sent nothing begins with its first message."""
    return all(
        m is None or (Message.owner(m) == x and Message.first(x) <= m)
        for x in SenderId
        for m in {s.senders[x].next_message}
    )


@invariant
def NothingIsOvertaken(s: Arrivals) -> bool:
    """Whatever has arrived, an earlier message of its sender has arrived, too."""
    return all(
        earlier in s.arrived
        for m in Message
        if m in s.arrived
        for earlier in Message.of(Message.owner(m))
        if earlier < m
    )


@step_property
def ArrivingLeavesOthersAlone(before: Arrivals, after: Arrivals) -> bool:
    """What is sent or arrives is of one sender."""
    return all(
        before.senders[x].wire == after.senders[x].wire
        or before.senders[y].wire == after.senders[y].wire
        for x in SenderId
        for y in SenderId
        if x != y
    )


@reachable
def SecondSenderFirst(s: Arrivals) -> bool:
    """All messages of one sender arrive before any of a sender that comes before it."""
    return any(
        all(m in s.arrived for m in Message.of(y))
        and not any(m in s.arrived for m in Message.of(x))
        for x in SenderId
        for y in SenderId
        if x < y
    )


MODEL = Model(
    "numbered arrivals",
    Arrivals,
    properties_in(sys.modules[__name__]),
    (
        Instance("two", "two senders", {SenderId: 2, Message: 2}, states=53),
        Instance(
            "one", "one sender", {SenderId: 1, Message: 3}, states=10, lacks=("SecondSenderFirst",)
        ),
    ),
)
