"""The end of a process settles what waits for that process, in RabbitMQ 4.3: a repair (G-E1)."""

from ackproof.lang import Design, Holds, Set, helper
from ackproof.spec.eras.rabbitmq_4_3 import Channel40, Confirms43, Store2
from ackproof.spec.sorts import Replica


class EndsByProcess(Confirms43):
    @helper
    def next_of(self, replica: Replica) -> Set[Replica]:
        """Nobody else has ended, whoever has the name now."""
        return set()


design = Design(
    claim="The end of a queue settles what waits for that queue.",
    replace=(Store2, Channel40, EndsByProcess),
    expect=(
        Holds("redeclared", "AckMeansAccepted"),
        Holds("redeclared", "EndConfirmsItsOwn"),
        Holds("redeclared", "NackOnlyWithCause"),
        Holds("renewed", "AckMeansAccepted"),
        Holds("renewed", "NackOnlyWithCause"),
    ),
)
