"""Class access: a ticket that clients of AMQP 0-8 ask for before they use anything.

The class is gone from the protocol, and so from the codec, but RabbitMQ gives a ticket to whoever
asks, as libraries with a long history still do.  Nothing is done with it: who may use what is
decided when the connection opens.
"""

from __future__ import annotations

from pamqp import base

__all__ = ["Request", "RequestOk"]


class Request(base.Frame):
    """access.request."""

    frame_id = 10
    index = 0x001E000A
    name = "Access.Request"
    synchronous = True
    valid_responses = ["Access.RequestOk"]  # noqa: RUF012 - as the codec's own classes have it

    __slots__ = ("realm", "exclusive", "passive", "active", "write", "read")  # noqa: RUF023 - order

    _realm = "shortstr"
    _exclusive = _passive = _active = _write = _read = "bit"


class RequestOk(base.Frame):
    """access.request-ok."""

    frame_id = 11
    index = 0x001E000B
    name = "Access.RequestOk"

    __slots__ = ("ticket",)

    _ticket = "short"

    def __init__(self, ticket: int = 1) -> None:
        self.ticket = ticket
