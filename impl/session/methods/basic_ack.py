"""Class basic: what a client says about its deliveries (F1)."""

from __future__ import annotations

from typing import cast

from ackproof.impl.errors import HardError, SoftError
from ackproof.impl.session.session_channel import Methods, SessionChannel
from ackproof.lang import Option
from ackproof.spec.sorts import Tag
from pamqp import commands

__all__ = ["METHODS"]


def _known(channel: SessionChannel, tag: int | None, multiple: bool) -> Option[Tag]:
    """Return what the machines know a tag as: 0, which stands for all, is None.

    Raises:
        SoftError: 406, there is no such delivery (F1.3).
    """
    known = cast(Tag, tag) if tag else None
    if not channel.consuming.machine.knows(known, multiple):
        raise SoftError(406, f"unknown delivery tag {tag or 0}")
    return known


def _ack(channel: SessionChannel, method: commands.Basic.Ack) -> None:
    multiple = bool(method.multiple)
    tag = _known(channel, method.delivery_tag, multiple)
    faults = channel.broker.faults
    if faults.losing_acks and faults.loses_ack():
        channel.broker.steps.serving.consumer_rejects(channel.consuming, tag, multiple, True)
        return
    channel.broker.steps.serving.consumer_acks(channel.consuming, tag, multiple)


def _nack(channel: SessionChannel, method: commands.Basic.Nack) -> None:
    multiple, requeue = bool(method.multiple), bool(method.requeue)
    tag = _known(channel, method.delivery_tag, multiple)
    channel.broker.steps.serving.consumer_rejects(channel.consuming, tag, multiple, requeue)


def _reject(channel: SessionChannel, method: commands.Basic.Reject) -> None:
    tag = _known(channel, method.delivery_tag, False)
    channel.broker.steps.serving.consumer_rejects(
        channel.consuming, tag, False, bool(method.requeue)
    )


def _recover(channel: SessionChannel, method: commands.Basic.Recover) -> None:
    _recover_all(channel, method.requeue)


def _recover_async(channel: SessionChannel, method: commands.Basic.RecoverAsync) -> None:
    channel.muted = True
    _recover_all(channel, method.requeue)
    channel.muted = False


def _recover_all(channel: SessionChannel, requeue: object) -> None:
    if not requeue:
        raise HardError(540, "requeue=false")
    channel.broker.steps.serving.recover(channel.consuming)


METHODS: Methods = {
    commands.Basic.Ack: _ack,
    commands.Basic.Nack: _nack,
    commands.Basic.Reject: _reject,
    commands.Basic.Recover: _recover,
    commands.Basic.RecoverAsync: _recover_async,
}
