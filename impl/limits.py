"""How much of everything a client may take.

A broker that others connect to has to know, for each thing that grows with what a client does, how
far it may grow, and what the client is told when it is there.  All such bounds are in one place:

==============  ==================================================================================
connections     530 in answer to connection.open
handshakes      the socket is closed at once: nobody is there yet who could be told
channels        offered as channel_max; one more is 530
frame_max       offered as frame_max; a longer frame is 501
body_size       406 on the channel, when the content header says so (A3, guard 1)
table_depth     501: nobody needs such a table, and programs break on them
queues          406 on the channel, as by RabbitMQ's limit of a virtual host
exchanges       406 on the channel
bindings        406 on the channel
consumers       530, as by RabbitMQ's limit of a channel
unacked         nothing more is delivered; an answer to basic.get is refused by 406
unacked_for     406 on the channel, as by RabbitMQ's consumer_timeout (F3.4)
handshake       the socket is cut
closing         the socket is cut
disk_free       who publishes is not read from while less is free, as by RabbitMQ's disk_free_limit;
                the rest is for what leaves queues
memory          who publishes is not read from, and gets connection.blocked (E4); confirms go on
unsent          a client that does not read is not read from, nor delivered to
==============  ==================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]

#: Bytes below which no peer may put a frame (AMQP 0-9-1, 4.2.3).
_FRAME_MIN = 4096
#: What the fields of the protocol can say.
_SHORT_MAX, _LONG_MAX = 65535, 4294967295
#: More levels than this, and recursion over a table could end in a RecursionError.
_DEPTH_MAX = 128


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds on what clients may take.

    Attributes:
        connections: that are open at the same time.
        handshakes: sockets that have not opened a connection, at the same time.
        channels: of one connection, at the same time.
        frame_max: bytes of a whole frame.
        body_size: bytes of a message's body.
        table_depth: levels of field tables and arrays in one another.
        queues: of one virtual host, at the same time.
        exchanges: of one virtual host, at the same time.
        bindings: of one virtual host, at the same time.
        consumers: of one channel, at the same time.
        handshake: seconds for everything up to connection.open.
        closing: seconds in which a close must be answered.
        disk_free: bytes that must be free where the data lies, for messages to be taken.
        memory: bytes of the contents of messages, and of output that clients do not read.
        unacked: deliveries of one channel that are not acknowledged, nor settled otherwise.
        unacked_for: seconds that a delivery may be unsettled.
        unsent: bytes of one connection's output beyond which its client counts as slow.

    Raises:
        ValueError: a bound cannot be kept, or leaves no room to work in.
    """

    connections: int = 10_000
    handshakes: int = 1_000
    channels: int = 2047
    frame_max: int = 131072
    body_size: int = 134217728
    table_depth: int = _DEPTH_MAX
    queues: int = 100_000
    exchanges: int = 100_000
    bindings: int = 500_000
    consumers: int = 10_000
    handshake: float = 10.0
    closing: float = 5.0
    disk_free: int = 50_000_000
    memory: int = 1 << 30
    unacked: int = 1_000_000
    unacked_for: float = 1800.0
    unsent: int = 64 << 10

    def __post_init__(self) -> None:
        _between("connections", self.connections, 1)
        _between("handshakes", self.handshakes, 1)
        _between("channels", self.channels, 1, _SHORT_MAX)
        _between("frame_max", self.frame_max, _FRAME_MIN, _LONG_MAX)
        _between("body_size", self.body_size, 0)
        _between("disk_free", self.disk_free, 0)
        _between("table_depth", self.table_depth, 1, _DEPTH_MAX)
        for name in ("queues", "exchanges", "bindings", "consumers"):
            _between(name, getattr(self, name), 1)
        _between("unacked", self.unacked, 1)
        _between("unsent", self.unsent, 1)
        if self.handshake <= 0 or self.closing <= 0:
            raise ValueError("handshake and closing are seconds, and must be more than 0")
        if self.unacked_for <= 0:
            raise ValueError("unacked_for is seconds, and must be more than 0")
        if self.memory <= self.body_size:
            raise ValueError(
                f"memory ({self.memory}) must be more than body_size ({self.body_size}): "
                "a single message could fill it, and would then wait for itself"
            )


def _between(name: str, value: int, least: int, most: int | None = None) -> None:
    if value < least or (most is not None and value > most):
        bounds = f"{least} or more" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} is {value}; it must be {bounds}")
