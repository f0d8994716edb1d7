"""Class confirm: the channel becomes a confirming one (A1)."""

from __future__ import annotations

from ackproof.impl.errors import SoftError
from ackproof.impl.session.session_channel import Methods, SessionChannel
from ackproof.spec.sorts import TxMode
from ackproof.spec.wire import Complaint
from pamqp import commands

__all__ = ["METHODS"]


def _select(channel: SessionChannel, method: commands.Confirm.Select) -> None:
    if channel.publishing.transaction.mode != TxMode.NONE:
        raise SoftError(406, Complaint.TX_TO_CONFIRM.value)
    channel.muted = bool(method.nowait)
    if not channel.publishing.machine.confirming:
        channel.publishing.begin_counting()
    channel.publishing.machine.select()
    channel.muted = False


METHODS: Methods = {commands.Confirm.Select: _select}
