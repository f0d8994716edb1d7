"""What is known of each message: two sets that nobody keeps, since the messages say it themselves.

The system remembers which messages are persistent, and which ones nobody waits for.  Here a message
carries that (`publication`), so these sets ask the message, and have nothing to forget.
"""

from __future__ import annotations

from typing import cast

from ackproof.impl.machines.publication import confirming, content_of
from ackproof.spec.sorts import Msg

__all__ = ["PersistentMessages", "PlainMessages"]


class PersistentMessages(set[Msg]):
    """The messages that are persistent, all that there are."""

    def __contains__(self, msg: object) -> bool:
        return content_of(cast(Msg, msg)).persistent

    def add(self, msg: Msg) -> None:
        """The message says so itself."""


class PlainMessages(set[Msg]):
    """The messages that were published outside of confirm mode."""

    def __contains__(self, msg: object) -> bool:
        return not confirming(cast(Msg, msg))

    def add(self, msg: Msg) -> None:
        """The message says so itself."""
