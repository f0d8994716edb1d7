"""A purge forgets what it owes (G-B04).

Before 3.6.3 a purge reset the queue's index, and with it the list of messages whose confirm was to
come.  The queue waits for its store, the store has nothing to say, and the publisher waits for the
queue (B8.4).
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, handler
from ackproof.spec.sorts import Level, Msg
from ackproof.spec.store import Store


class ForgetfulStore(Store):
    """A store that drops what it was asked to confirm, together with the message."""

    @handler
    def remove(self, msg: Msg) -> None:
        """Forget the message, and that somebody waits for it."""
        self.level[msg] = Level.ABSENT
        self.unconfirmed.discard(msg)


design = Design(
    claim="What is removed need not be confirmed.",
    source="G-B04: RabbitMQ before 3.6.3, issue #854, PR #862",
    replace=(ForgetfulStore,),
    expect=(
        Breaks("AwaitedIsUnderWay", "tiny", 5),
        Breaks("EveryPublishSettles", "tiny", 5),
    ),
)
