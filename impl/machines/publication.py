"""A message as the machines know it: an integer, which carries what the machines need not know.

In the specification a message belongs to its channel and is numbered there, and that one element is
its sequence number, its name everywhere, and the answer to the question whose it is.  So it is
here.  An element of `Msg` is an integer that says the channel and the number
(`ackproof.lang.sorts.OwnedSort`); to the machines it is nothing else.  It has a content besides.
Wherever a machine keeps a message its content is at hand, and when no machine keeps it any more, it
is gone: there is no table of contents to be kept true.

A plain integer of the same value is the same message to every set and every map; who needs the
content takes the element out of the machine that keeps the message.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from ackproof.impl.wire.content import Message
from ackproof.lang.sorts import NUMBER_BITS
from ackproof.spec.sorts import ChannelId, Msg

__all__ = [
    "MOST_CHANNELS",
    "Publication",
    "channel_id",
    "confirming",
    "content_of",
    "name_of",
    "published",
    "shares",
    "without_content",
]

#: How many channels may have published, so that a message's number is one for a database, too.
MOST_CHANNELS = 1 << (63 - NUMBER_BITS)


class Publication(int):
    """One message that was published.

    Attributes:
        message: what was published.
        confirming: its publisher waits for its confirm.
    """

    message: Message
    confirming: bool


def published(number: Msg, message: Message, *, confirming: bool) -> Msg:
    """Return a message with its content.

    Args:
        number: what the machines call it.
        message: what was published.
        confirming: its publisher waits for its confirm.
    """
    made = Publication(number)  # type: ignore[call-overload]
    made.message = message
    made.confirming = confirming
    return made  # type: ignore[no-any-return]


def content_of(msg: Msg) -> Message:
    """Return what a message carries."""
    return msg.message  # type: ignore[attr-defined, no-any-return]


def confirming(msg: Msg) -> bool:
    """Tell whether the publisher of a message waits for its confirm (B2.1)."""
    return msg.confirming  # type: ignore[attr-defined, no-any-return]


def shares(msgs: Iterable[Msg]) -> list[tuple[ChannelId, set[Msg]]]:
    """Divide messages by the channels that they came from."""
    found: dict[Any, set[Msg]] = {}
    for msg in msgs:
        owner = msg >> NUMBER_BITS  # type: ignore[operator]
        share = found.get(owner)
        if share is None:
            found[owner] = {msg}
        else:
            share.add(msg)
    return list(found.items())


def without_content(msg: Msg) -> Msg:
    """Return what the machines call a message, for one who keeps it longer than they do."""
    return int(msg)  # type: ignore[call-overload, no-any-return]


def name_of(msg: Msg) -> str:
    """Return a message in words: its channel, and its number there."""
    number = cast(int, msg) & ((1 << NUMBER_BITS) - 1)
    return f"{Msg.owner(msg)}.{number}"


def channel_id(number: int) -> ChannelId:
    """Return what the machines call the channel of a number, from 1."""
    return cast(ChannelId, number)
