"""What the specification calls that which a broker says on the publishing channel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from ackproof.lang import Event
from ackproof.spec.sorts import ChannelId, Msg
from ackproof.spec.wire import (
    Ack,
    Blocked,
    ChannelClose,
    CommitOk,
    Complaint,
    Nack,
    Return,
    RollbackOk,
    SelectOk,
    TxSelectOk,
    Unblocked,
)
from pamqp import commands

from tests.explain.machine import CHANNEL
from tests.explain.seen import Closed

__all__ = ["OF_ALARMS", "event_of"]

_CHANNEL = cast(ChannelId, CHANNEL)
_ANSWERS: dict[type, Callable[[], Event]] = {
    commands.Confirm.SelectOk: lambda: SelectOk(_CHANNEL),
    commands.Tx.SelectOk: lambda: TxSelectOk(_CHANNEL),
    commands.Tx.CommitOk: lambda: CommitOk(_CHANNEL),
    commands.Tx.RollbackOk: lambda: RollbackOk(_CHANNEL),
    commands.Channel.CloseOk: Closed,
    commands.Connection.Blocked: lambda: Blocked(_CHANNEL),
    commands.Connection.Unblocked: lambda: Unblocked(_CHANNEL),
}
OF_ALARMS = commands.Connection.Blocked | commands.Connection.Unblocked


def event_of(method: Any, returned: int | None, offset: int) -> Event | None:
    """Return what the specification calls a method; None if it has no such thing.

    Args:
        method: what was read on the publishing channel.
        returned: the message that it returns, if that has a number.
        offset: the last message that was published on the channels before this one.
    """
    if isinstance(method, commands.Basic.Ack | commands.Basic.Nack):
        kind = Ack if isinstance(method, commands.Basic.Ack) else Nack
        assert method.delivery_tag is not None
        return kind(_CHANNEL, cast(Msg, offset + method.delivery_tag), bool(method.multiple))
    if isinstance(method, commands.Basic.Return):
        return Return(_CHANNEL, cast(Msg | None, returned))
    if isinstance(method, commands.Channel.Close):
        for complaint in Complaint:
            if method.reply_code == 406 and method.reply_text.endswith(complaint.value):
                return ChannelClose(_CHANNEL, complaint)
    if type(method) in _ANSWERS:
        return _ANSWERS[type(method)]()
    return None
