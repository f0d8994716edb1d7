"""Class confirm: the channel becomes a confirming one (A1)."""

from __future__ import annotations

from ackproof.impl.session.session_channel import Methods, SessionChannel
from pamqp import commands

__all__ = ["METHODS"]


def _select(channel: SessionChannel, method: commands.Confirm.Select) -> None:
    channel.muted = bool(method.nowait)
    channel.broker.steps.tx.select(channel.publishing)
    channel.muted = False


METHODS: Methods = {commands.Confirm.Select: _select}
