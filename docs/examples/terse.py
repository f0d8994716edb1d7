"""One frame says it all: ack everything that is confirmed with a single `multiple`."""

from ackproof.lang import Design, Instance, Set, helper
from ackproof.spec.channel import Channel
from ackproof.spec.instances import OFF
from ackproof.spec.sorts import Msg, Queue, Replica


class TerseChannel(Channel):
    @helper
    def coverable(self, settled: Set[Msg], others: Set[Msg]) -> Set[Msg]:
        return set(settled)


design = Design(claim="A publisher needs no more than one ack.", replace=(TerseChannel,))

instances = (
    Instance(
        name="three",
        purpose="three messages to one queue",
        sizes={**OFF, Msg: 3, Queue: 1, Replica: 1},
        constants={"QueueProcess.of": "q1"},
    ),
)
