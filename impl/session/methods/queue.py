"""Class queue: declare, delete, purge, bind, unbind.

What a reply promises is on the disk before the reply is sent, as far as it is durable: a durable
queue is there after a crash from the moment its declaration is answered.
"""

from __future__ import annotations

from ackproof.impl.errors import SoftError
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.session.entity_names import without_line_ends
from ackproof.impl.session.methods.reply_to import check_declared, is_reply_queue
from ackproof.impl.session.session_channel import Methods, SessionChannel
from ackproof.impl.topology.exchanges import refuse_default
from pamqp import commands

__all__ = ["METHODS"]


class _DeclareOk(commands.Queue.DeclareOk):
    """queue.declare-ok for any name that a client could send; the codec refuses unusual ones."""

    def validate(self) -> None:
        """A name that was decoded can be encoded."""


def _declare(channel: SessionChannel, method: commands.Queue.Declare) -> None:
    name = without_line_ends(method.queue)
    if is_reply_queue(name):
        check_declared(channel, name)
        _declared(channel, name, 0, 1, nowait=bool(method.nowait))
        return
    if method.passive:
        queue = channel.vhost.find(name, channel.session)
        channel.broker.steps.context.timers.used(queue)
        _declared_queue(channel, queue, nowait=bool(method.nowait))
        return
    queue, new = channel.vhost.declare(
        name,
        durable=bool(method.durable),
        auto_delete=bool(method.auto_delete),
        exclusive=bool(method.exclusive),
        arguments=method.arguments or {},
        asking=channel.session,
        access=channel.access,
    )
    channel.answer(
        lambda: _declared_queue(channel, queue, nowait=bool(method.nowait)),
        on_disk=new and queue.machine.durable,
    )


def _declared_queue(channel: SessionChannel, queue: HostedQueue, nowait: bool) -> None:
    ready, consumers = len(queue.machine.ready), len(queue.consumers)
    _declared(channel, queue.name, ready, consumers, nowait=nowait)


def _declared(
    channel: SessionChannel, name: str, ready: int, consumers: int, *, nowait: bool
) -> None:
    channel.last_queue = name
    if not nowait:
        channel.reply(_DeclareOk(name, ready, consumers))


def _delete(channel: SessionChannel, method: commands.Queue.Delete) -> None:
    """Delete a queue; none of that name is as good."""
    name = channel.queue_name(method.queue)
    channel.access.check_configure("queue", name)
    if name not in channel.vhost.queues:
        _deleted(channel, 0, nowait=bool(method.nowait))
        return
    queue = channel.find_queue(name)
    if method.if_unused and queue.consumers:
        raise SoftError(406, f"{queue} in use")
    if method.if_empty and queue.machine.ready:
        raise SoftError(406, f"{queue} not empty")
    channel.withhold_cancels()
    count = channel.vhost.delete(queue)
    channel.answer(
        lambda: _deleted(channel, count, nowait=bool(method.nowait)),
        on_disk=queue.machine.durable,
    )


def _deleted(channel: SessionChannel, count: int, nowait: bool) -> None:
    if not nowait:
        channel.reply(commands.Queue.DeleteOk(count))
    channel.release_cancels()


def _purge(channel: SessionChannel, method: commands.Queue.Purge) -> None:
    name = channel.queue_name(method.queue)
    channel.access.check_read("queue", name)
    purged = channel.vhost.purge(channel.find_queue(name))
    if not method.nowait:
        channel.reply(commands.Queue.PurgeOk(purged))


def _bind(channel: SessionChannel, method: commands.Queue.Bind) -> None:
    name, source = _ends(channel, method)
    channel.vhost.topology.find_to_use(source)
    queue = channel.vhost.find(name, channel.session)
    key = _routing_key(method, name)
    stored = channel.vhost.bind(queue, source, key, method.arguments or {})

    def reply() -> None:
        if not method.nowait:
            channel.reply(commands.Queue.BindOk())

    channel.answer(reply, on_disk=stored)


def _unbind(channel: SessionChannel, method: commands.Queue.Unbind) -> None:
    """Remove a binding; none such is as good, whatever is missing and whose the queue is."""
    name, source = _ends(channel, method)
    change = channel.vhost.topology.unbind_queue(
        source,
        name,
        _routing_key(method, name),
        method.arguments or {},
        check=lambda: channel.vhost.check_access(name, channel.session),
    )
    stored = channel.vhost.changed(change)
    channel.answer(lambda: channel.reply(commands.Queue.UnbindOk()), on_disk=stored)


def _ends(
    channel: SessionChannel, method: commands.Queue.Bind | commands.Queue.Unbind
) -> tuple[str, str]:
    """Return the names of the queue and the exchange of a binding, which the user may bind.

    Raises:
        SoftError: 403, the user may not write to the queue, or not read the exchange, or that is
            the default one; 404, no queue is named, and none was declared here.
    """
    name, source = channel.queue_name(method.queue), without_line_ends(method.exchange)
    channel.access.check_write("queue", name)
    refuse_default(source)
    channel.access.check_read("exchange", source)
    return name, source


def _routing_key(method: commands.Queue.Bind | commands.Queue.Unbind, name: str) -> str:
    """Return the key; where neither queue nor key is said, the name of the queue is the key."""
    return str(method.routing_key) if method.queue or method.routing_key else name


METHODS: Methods = {
    commands.Queue.Declare: _declare,
    commands.Queue.Delete: _delete,
    commands.Queue.Purge: _purge,
    commands.Queue.Bind: _bind,
    commands.Queue.Unbind: _unbind,
}
