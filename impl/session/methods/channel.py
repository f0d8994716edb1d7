"""Class channel: open, close, flow (A1.7, A2)."""

from __future__ import annotations

from ackproof.impl.errors import HardError
from ackproof.impl.session.session_channel import Methods, SessionChannel
from pamqp import commands

__all__ = ["METHODS"]


def _open(channel: SessionChannel, _: commands.Channel.Open) -> None:
    if channel.opened:
        raise HardError(504, "second 'channel.open' seen")
    channel.opened = True
    place = {"connection": channel.session.number, "channel": channel.number}
    channel.broker.history.note("channel_opened", **place)
    channel.reply(commands.Channel.OpenOk())


def _close(channel: SessionChannel, _: commands.Channel.Close) -> None:
    channel.closed()
    channel.reply(commands.Channel.CloseOk())
    channel.forget()


def _flow(channel: SessionChannel, method: commands.Channel.Flow) -> None:
    if not method.active:
        raise HardError(540, "active=false")
    channel.reply(commands.Channel.FlowOk(True))


METHODS: Methods = {
    commands.Channel.Open: _open,
    commands.Channel.Close: _close,
    commands.Channel.Flow: _flow,
}
