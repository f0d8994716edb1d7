"""Class basic: consuming, and asking for one message (F1.1, F2, F3)."""

from __future__ import annotations

from ackproof.impl.errors import HardError, SoftError
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.session.methods.reply_to import cancel_replies, consume_replies
from ackproof.impl.session.session_channel import Methods, SessionChannel
from ackproof.impl.vhost.direct_reply_to import PSEUDO_QUEUE
from ackproof.impl.wire.values import is_integer, type_name
from pamqp import commands

__all__ = ["METHODS"]

_PRIORITY = "x-priority"


def _qos(channel: SessionChannel, method: commands.Basic.Qos) -> None:
    if method.prefetch_size:
        raise HardError(540, f"prefetch_size!=0 ({method.prefetch_size})")
    shared = bool(method.global_)
    channel.broker.steps.serving.limit(channel.consuming, int(method.prefetch_count), shared=shared)
    channel.reply(commands.Basic.QosOk())


def _consume(channel: SessionChannel, method: commands.Basic.Consume) -> None:
    tag = str(method.consumer_tag)
    if tag in channel.consuming.consumers:
        raise HardError(530, f"attempt to reuse consumer tag '{tag}'")
    most = channel.session.limits.consumers
    if len(channel.consuming.consumers) >= most:
        raise HardError(530, f"reached maximum ({most}) of consumers per channel")
    if method.queue == PSEUDO_QUEUE:
        consume_replies(channel, method)
        return
    queue = _readable(channel, method.queue)
    priority = _priority(queue, (method.arguments or {}).get(_PRIORITY, 0))
    others = queue.consumers
    if others.exclusive or (method.exclusive and (others or others.single)):
        raise SoftError(403, f"{queue} in exclusive use")
    consumer = channel.consuming.enter(
        tag or f"amq.ctag-{channel.broker.steps.context.scheduler.token()}",
        queue,
        no_ack=bool(method.no_ack),
        exclusive=bool(method.exclusive),
        priority=priority,
    )
    if not method.nowait:
        channel.reply(commands.Basic.ConsumeOk(consumer.tag))
    channel.broker.steps.serving.consume(consumer)


def _priority(queue: HostedQueue, value: object) -> int:
    """Return the priority that a consumer asks for (B3.5).

    Raises:
        SoftError: 406, it is no number.
    """
    if is_integer(value):
        return value
    raise SoftError(
        406,
        f"invalid arg '{_PRIORITY}' for {queue}: \"expected integer, got {type_name(value)}\"",
    )


def _cancel(channel: SessionChannel, method: commands.Basic.Cancel) -> None:
    """A consumer that is not there is cancelled all the same (F3.1)."""
    if cancel_replies(channel, method):
        return
    tag = str(method.consumer_tag)
    if (consumer := channel.find_consumer(tag)) is None:
        if not method.nowait:
            channel.reply(commands.Basic.CancelOk(tag))
        return
    channel.muted = bool(method.nowait)
    channel.broker.steps.serving.cancel(consumer)
    channel.muted = False


def _get(channel: SessionChannel, method: commands.Basic.Get) -> None:
    queue = _readable(channel, method.queue)
    if channel.consuming.full and not method.no_ack:
        raise SoftError(
            406,
            f"{channel.consuming.most} deliveries on this channel are not acknowledged; "
            "acknowledge some of them first",
        )
    channel.broker.steps.serving.get(queue, channel.consuming, bool(method.no_ack))


def _readable(channel: SessionChannel, said: object) -> HostedQueue:
    """Return a queue by name, which the user may take messages from, and which has its process.

    Raises:
        SoftError: 403, the user may not; 404, there is none; 405, it is another connection's.
    """
    name = channel.queue_name(said)
    channel.access.check_read("queue", name)
    return _running(channel.find_queue(name))


def _running(queue: HostedQueue) -> HostedQueue:
    """Return a queue that has its process.

    Raises:
        SoftError: 404, it has crashed and did not start again yet.
    """
    if not queue.running:
        raise SoftError(404, f"{queue} process is stopped by supervisor")
    return queue


METHODS: Methods = {
    commands.Basic.Qos: _qos,
    commands.Basic.Consume: _consume,
    commands.Basic.Cancel: _cancel,
    commands.Basic.Get: _get,
}
