"""Class access, which the protocol has no more: a ticket for whoever asks."""

from __future__ import annotations

from ackproof.impl.session.session_channel import Methods, SessionChannel
from ackproof.impl.wire.access_methods import Request, RequestOk

__all__ = ["METHODS"]


def _request(channel: SessionChannel, _: Request) -> None:
    channel.reply(RequestOk())


METHODS: Methods = {Request: _request}
