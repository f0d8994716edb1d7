"""A model in which each channel starts with a message of its own, and somebody hears of it."""

from __future__ import annotations

from ackproof.lang import (
    Each,
    Event,
    Instance,
    Model,
    Option,
    OrderedSort,
    OwnedSort,
    Process,
    Set,
    System,
    action,
    handler,
    invariant,
    on,
    require,
)


class ChannelId(OrderedSort, prefix="ch"):
    """Names a channel."""


class Msg(OwnedSort[ChannelId]):
    """A message of a channel."""


class Told(Event):
    """A message is told of."""

    msg: Msg


class Channel(Process):
    """Tells of the first of its messages."""

    first: Option[Msg] = Msg.first()
    ahead: Msg
    told: Set[Msg]
    last: Option[Msg]

    @handler
    def tell(self, msg: Msg) -> None:
        """Tell of a message."""
        require(msg == self.first and self.last is None)
        require(msg == self.ahead)
        self.told.add(msg)
        self.emit(Told(msg))


class Broker(System):
    """Channels, and what was heard of them."""

    channels: Each[ChannelId, Channel]
    heard: Set[Msg]
    done: Set[Msg]

    @on(Told)
    def hears(self, told: Told) -> None:
        """A message is heard of."""
        self.heard.add(told.msg)

    @action
    def tell(self, msg: Msg) -> None:
        """A channel tells of a message."""
        self.channels[Msg.owner(msg)].tell(msg)

    @action
    def finish(self, msg: Msg) -> None:
        """What was heard of is done."""
        require(msg in self.heard)
        self.done.add(msg)


@invariant
def DoneWasTold(s: Broker) -> bool:
    """What is done was told of."""
    return all(m in s.channels[Msg.owner(m)].told for m in s.done)


MODEL = Model(
    name="channels",
    system=Broker,
    properties=[DoneWasTold],
    instances=[
        Instance("one", "One channel.", {ChannelId: 1, Msg: 2}),
        Instance("two", "Two channels.", {ChannelId: 2, Msg: 2}),
    ],
)
