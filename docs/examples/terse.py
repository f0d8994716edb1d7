"""One frame says it all: ack everything that is confirmed with a single `multiple`."""

from ackproof.spec.channel import Channel
from ackproof.spec.lang import Design, Instance, Set, helper
from ackproof.spec.sorts import Msg, Queue


class TerseChannel(Channel):
    @helper
    def coverable(self, settled: Set[Msg], others: Set[Msg]) -> Set[Msg]:
        return set(settled)


design = Design(claim="A publisher needs no more than one ack.", replace=(TerseChannel,))

instances = (Instance("three", "three messages to one queue", {Msg: 3, Queue: 1}),)
