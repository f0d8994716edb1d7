"""Class access, which the protocol has no more: a ticket for whoever asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackproof.impl.session.methods.handler import Methods
from ackproof.impl.wire.access import Request, RequestOk

if TYPE_CHECKING:
    from ackproof.impl.session.channels import SessionChannel

__all__ = ["METHODS"]


def _request(channel: SessionChannel, _: Request) -> None:
    channel.reply(RequestOk())


METHODS: Methods = {Request: _request}
