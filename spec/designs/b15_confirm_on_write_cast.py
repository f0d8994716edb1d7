"""The store confirms a message when it is asked to write it (G-B15).

Before 2.6 the confirm could belong to a request rather than to its result: a write that an earlier
removal had masked was confirmed without having happened.  In its purest form: the store confirms
when the write is cast to it, and the message is nowhere but in its mailbox.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, handler
from ackproof.spec.sorts import Level, Msg
from ackproof.spec.store import Store


class PromisingStore(Store):
    """A store that takes its own promise for the deed."""

    @handler
    def put(self, msg: Msg, confirming: bool) -> None:
        """Take a message into the buffers, and confirm it."""
        self.level[msg] = Level.BUFFERED
        if confirming:
            self.confirmed.add(msg)


design = Design(
    claim="A write that was asked for will happen.",
    source="G-B15: RabbitMQ before 2.6, commit f5217b9164",
    replace=(PromisingStore,),
    expect=(
        Breaks("ConfirmedByStoreIsSafe", "tiny", 3),
        Breaks("NoAckBeforeDurable", "tiny", 6),
    ),
)
