"""Recovery takes a gap for the end (G-B23).

Several times recovery dropped good messages: it scanned what was on disk, met something that it did
not expect, and went no further.  Here it expects one message of a channel after the other, and a
transient message leaves a gap (C5.1).
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, handler
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Level, Msg


class HastyProcess(QueueProcess):
    """A queue that recovers what stands before the first gap."""

    @handler
    def recover(self) -> None:
        """Start again, with the messages up to the first one that is missing."""
        super().recover()
        self.ready = {
            m
            for m in Msg
            if all(self.store.level[k] != Level.ABSENT for k in Msg.of(Msg.owner(m)) if k <= m)
        }


design = Design(
    claim="What is on disk is in one piece.",
    source="G-B23: RabbitMQ before 4.3.0, commit f36385408a",
    replace=(HastyProcess,),
    expect=(Breaks("ConfirmedSurvives", "small", 11),),
)
