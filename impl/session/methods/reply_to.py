"""The pseudo-queue `amq.rabbitmq.reply-to`, where it stands in the place of a queue (A5.1).

It can be consumed from, once on a channel and without acks, and it can be declared, to find out
whether somebody waits; for all else there is no queue of that name.
"""

from __future__ import annotations

from ackproof.impl.errors import SoftError
from ackproof.impl.session.session_channel import SessionChannel
from ackproof.impl.vhost.direct_reply_to import PSEUDO_QUEUE
from pamqp import commands

__all__ = ["cancel_replies", "check_declared", "consume_replies", "is_reply_queue"]


def is_reply_queue(name: str) -> bool:
    """Tell whether a name is the pseudo-queue's, or of somebody who waits for replies."""
    return name.startswith(PSEUDO_QUEUE)


def consume_replies(channel: SessionChannel, method: commands.Basic.Consume) -> None:
    """Wait for replies on a channel.

    Raises:
        SoftError: 406, the client wants to acknowledge, or waits here already.
    """
    if not method.no_ack:
        raise SoftError(406, "reply consumer cannot acknowledge")
    if channel.reply_consumer is not None:
        raise SoftError(406, "reply consumer already set")
    token = channel.broker.steps.context.scheduler.token
    tag = str(method.consumer_tag) or f"amq.ctag-{token()}"
    channel.await_replies(tag, token())
    if not method.nowait:
        channel.reply(commands.Basic.ConsumeOk(tag))


def cancel_replies(channel: SessionChannel, method: commands.Basic.Cancel) -> bool:
    """Wait for replies no more, if it is that consumer that is cancelled; return whether it is."""
    consumer = channel.reply_consumer
    if consumer is None or consumer.tag != str(method.consumer_tag):
        return False
    channel.forget_replies()
    if not method.nowait:
        channel.reply(commands.Basic.CancelOk(consumer.tag))
    return True


def check_declared(channel: SessionChannel, name: str) -> None:
    """Look whether somebody waits under a name that a client declares.

    Raises:
        SoftError: 404, nobody does.
    """
    if not channel.broker.replies.knows(name):
        raise SoftError(404, f"no queue '{name}' in vhost '{channel.vhost.name}'")
