"""What all have confirmed that are left has arrived, in RabbitMQ 4.3: a repair (G-E3)."""

from ackproof.lang import Design, Holds, helper
from ackproof.spec.eras.rabbitmq_4_3 import Channel40, Confirms43, Store2, ThriftyCourier
from ackproof.spec.sorts import Msg, Replica


class SettledIsEnough(Confirms43):
    @helper
    def has_arrived(self, dead: Msg, replica: Replica) -> bool:
        """Ask, too, whether there is nobody to send to since all have confirmed."""
        settled = any(bool(self.courier.settled[k]) for k in self.copies_of(dead, replica))
        return super().has_arrived(dead, replica) or (settled and not self.to_reach(dead, replica))


design = Design(
    claim="Who has confirmed a copy need not be sent another, nor be waited for.",
    replace=(Store2, Channel40, ThriftyCourier, SettledIsEnough),
    expect=(
        Holds("dead_letters_split", "DeadArePassedOn"),
        Holds("dead_letters_split", "UntakenIsKeptUntilOthersHaveIt"),
        Holds("dead_letters_fanout", "DeadIsKeptUntilOthersHaveIt"),
        Holds("dead_letters_fanout", "DeadGoToAllTheirQueues"),
    ),
)
