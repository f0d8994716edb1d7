"""The methods that a client may call on a channel, by class of the protocol.

Each module has the methods of one class: a function for each, which is given the channel and the
decoded method, and a table of them.  A function checks what the protocol asks for, calls the
broker, and replies; or it raises the error that closes the channel or the connection.  The checks
are made in the order in which RabbitMQ makes them, since a client may break several at once.
"""

from __future__ import annotations

from ackproof.impl.session.methods import (
    access_request,
    basic_ack,
    basic_consume,
    basic_publish,
    channel,
    confirm,
    exchange,
    queue,
    tx,
)
from ackproof.impl.session.session_channel import Methods

__all__ = ["METHODS"]

#: What to do for a method, by its type.
METHODS: Methods = {
    **access_request.METHODS,
    **basic_publish.METHODS,
    **channel.METHODS,
    **confirm.METHODS,
    **basic_consume.METHODS,
    **exchange.METHODS,
    **queue.METHODS,
    **basic_ack.METHODS,
    **tx.METHODS,
}
