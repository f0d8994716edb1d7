"""Confirm as soon as a queue has the message.

The second answer that seed 000 considers, with its objection: what if the message was routed to
several queues?  Both halves are wrong.  The queue that has it in memory loses it in a crash, and
the other queue need never get it.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Set, handler
from ackproof.spec.channel import Channel
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Msg, Replica


class EagerQueue(QueueProcess):
    """A queue that answers for a message it has only in memory."""

    @handler
    def record_confirm(self, msg: Msg, stored: bool) -> None:
        """Confirm every message at once, the store notwithstanding."""
        self.outbox.add(msg)


class FirstComeChannel(Channel):
    """A channel that is content with one queue."""

    @handler
    def settle(self, seq: Msg, replica: Replica, siblings: Set[Replica]) -> None:
        """The first queue answers for all of them."""
        if replica in self.unconfirmed[seq]:
            self.unconfirmed[seq].clear()
            self.confirmed.add(seq)


design = Design(
    claim="A message is safe as soon as a queue has it.",
    source="seed 000, second answer",
    replace=(EagerQueue, FirstComeChannel),
    expect=(
        Breaks("NoAckBeforeDurable", "tiny", 5),
        Breaks("AckMeansAccepted", "fanout", 5),
    ),
)
