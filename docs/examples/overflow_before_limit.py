"""A limit is applied when it is known what to do about it, in RabbitMQ 4.3: a repair (G-E2)."""

from ackproof.lang import Design, Holds, handler
from ackproof.spec.eras.rabbitmq_4_3 import Channel40, Confirms43, Store2
from ackproof.spec.sorts import Replica


class OverflowBeforeLimit(Confirms43):
    @handler
    def apply_limit(self, replica: Replica) -> None:
        """Drop what is too much only if that is what the queue was declared to do."""
        self.shorten(replica)


design = Design(
    claim="What a limit means has to be known before it is applied.",
    replace=(Store2, Channel40, OverflowBeforeLimit),
    expect=(
        Holds("overfull", "OnlyWhoDropsMakesRoom"),
        Holds("overfull", "ConfirmedSurvives"),
        Holds("drops", "LimitIsKept"),
        Holds("drops", "OldestGoesFirst"),
    ),
)
