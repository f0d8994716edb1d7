"""What a publisher can see: the frames that a channel sends it.

Everything else in the specification happens behind the broker's door.  A claim about publisher
confirms is therefore a claim about these four events and their order.

A frame is on its way to the publisher for a while, in order, on one connection.  The
specification shows the frame to the publisher in the step that sends it: since frames neither
overtake each other nor change on the way, nothing about the *sequence* of frames depends on when
they arrive.  Frames that a broken connection swallows are the frames of a shorter run.
"""

from __future__ import annotations

from ackproof.spec.lang import Event, Option
from ackproof.spec.sorts import Msg

__all__ = ["Ack", "Nack", "Return", "SelectOk"]


class SelectOk(Event):
    """confirm.select-ok: the channel is in confirm mode (A1.1)."""


class Return(Event):
    """basic.return 312 NO_ROUTE: a mandatory message found no queue (A6.2).

    On the wire it carries the message itself, not a number; `msg` stands for it.  None is a
    message published before the channel was in confirm mode.
    """

    msg: Option[Msg]


class Ack(Event):
    """basic.ack: the broker has taken responsibility for message `tag`.

    With `multiple`, for every message up to and including `tag` that is not settled yet (A11.5).
    """

    tag: Msg
    multiple: bool


class Nack(Event):
    """basic.nack: the broker does not take responsibility for `tag`, or up to `tag` (A11.5).

    It does not say that no queue has the message (INV-A12).
    """

    tag: Msg
    multiple: bool
