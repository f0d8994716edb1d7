"""Class basic: publishing (A3)."""

from __future__ import annotations

from ackproof.impl.errors import HardError
from ackproof.impl.session.session_channel import Methods, SessionChannel
from ackproof.impl.wire.content import Assembly
from pamqp import commands

__all__ = ["METHODS"]


def _publish(channel: SessionChannel, method: commands.Basic.Publish) -> None:
    if method.immediate and not _does_immediate(channel):
        raise HardError(540, "immediate=true")
    session = channel.session
    channel.assembly = Assembly(method, session.user, session.limits, channel.broker.memory)


def _does_immediate(channel: SessionChannel) -> bool:
    """Tell whether a message can be published for those who take it at once (A3 guard 0, A6.6).

    By the time of a commit who could take it may be gone.
    """
    return channel.broker.immediate and not channel.publishing.in_transaction()


METHODS: Methods = {commands.Basic.Publish: _publish}
