"""Class queue: declare, delete, purge.

What a reply promises is on the disk before the reply is sent: a durable queue is there after a
crash from the moment its declaration is answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackproof.impl.errors import HardError, SoftError
from ackproof.impl.hosted import HostedQueue
from ackproof.impl.methods.handler import Methods
from pamqp import commands

if TYPE_CHECKING:
    from ackproof.impl.channels import SessionChannel

__all__ = ["METHODS"]


class _DeclareOk(commands.Queue.DeclareOk):
    """queue.declare-ok for any name that a client could send; the codec refuses unusual ones."""

    def validate(self) -> None:
        """A name that was decoded can be encoded."""


def _declare(channel: SessionChannel, method: commands.Queue.Declare) -> None:
    if method.passive:
        _declared(channel, channel.find_queue(method.queue), nowait=bool(method.nowait))
        return
    for name, value in (method.arguments or {}).items():
        if (name, value) != ("x-queue-type", "classic"):
            raise HardError(540, f"queue argument '{name}' is not implemented")
    queue, new = channel.broker.declare(
        str(method.queue),
        durable=bool(method.durable),
        auto_delete=bool(method.auto_delete),
        exclusive=bool(method.exclusive),
        asking=channel.session,
    )
    channel.answer(
        lambda: _declared(channel, queue, nowait=bool(method.nowait)),
        on_disk=new and queue.machine.durable,
    )


def _declared(channel: SessionChannel, queue: HostedQueue, nowait: bool) -> None:
    channel.last_queue = queue.name
    if not nowait:
        channel.reply(_DeclareOk(queue.name, len(queue.machine.ready), 0))


def _delete(channel: SessionChannel, method: commands.Queue.Delete) -> None:
    queue = channel.find_queue(method.queue)
    if method.if_empty and queue.machine.ready:
        raise SoftError(406, f"queue '{queue.name}' in vhost '/' is not empty")
    deleted = channel.broker.delete(queue)

    def reply() -> None:
        if not method.nowait:
            channel.reply(commands.Queue.DeleteOk(deleted))

    channel.answer(reply, on_disk=queue.machine.durable)


def _purge(channel: SessionChannel, method: commands.Queue.Purge) -> None:
    purged = channel.broker.purge(channel.find_queue(method.queue))
    if not method.nowait:
        channel.reply(commands.Queue.PurgeOk(purged))


METHODS: Methods = {
    commands.Queue.Declare: _declare,
    commands.Queue.Delete: _delete,
    commands.Queue.Purge: _purge,
}
