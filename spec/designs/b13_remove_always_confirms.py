"""Removing a message from the store confirms it, asked for or not (G-B13).

In 2.7.0 the store answered every removal with a confirm: for messages that were confirmed long ago
and for those whose publisher had not asked.  The publisher sees nothing of it, as long as the queue
looks each confirm up among those it awaits (B6.1, C2.7); the store's own promise is broken.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Holds, handler
from ackproof.spec.sorts import Level, Msg
from ackproof.spec.store import Store


class TalkativeStore(Store):
    """A store that confirms without looking."""

    @handler
    def remove(self, msg: Msg) -> None:
        """Forget a message, and confirm it."""
        self.level[msg] = Level.ABSENT
        self.unconfirmed.discard(msg)
        self.confirmed.add(msg)


design = Design(
    claim="Whatever leaves the store may be confirmed.",
    source="G-B13: RabbitMQ before 2.7.0, commit 41f6b85d76",
    replace=(TalkativeStore,),
    expect=(
        Breaks("ConfirmedOnceByStore", "tiny", 5),
        Holds("small", "SettledOnce"),
    ),
)
