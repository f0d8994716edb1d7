"""A message that nobody will confirm is entered among the unconfirmed (G-B06).

In 3.9.0 to 3.9.7 a mandatory message was tracked whether or not the channel was in confirm mode.
No queue ever answers for it, so the entry stays as long as the channel lives, and a queue that goes
down settles a number that no client has counted.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Set, action
from ackproof.spec.sorts import Msg, Queue
from ackproof.spec.system import Confirms


class TrackingConfirms(Confirms):
    """A channel that tracks what it publishes outside of confirm mode, too."""

    @action
    def publish_plain(self, msg: Msg, targets: Set[Queue], persistent: bool) -> None:
        """Publish a message, and wait for confirms that nobody was asked for."""
        super().publish_plain(msg, targets, persistent)
        self.channels[Msg.owner(msg)].register(msg, set(self.addressed(targets)))


design = Design(
    claim="What has to be returned is best kept among the unconfirmed.",
    source="G-B06: RabbitMQ 3.9.0 to 3.9.7, issue #3560",
    replace=(TrackingConfirms,),
    expect=(Breaks("UnconfirmedLeavesNoTrace", "modes", 1),),
)
