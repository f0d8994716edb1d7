"""The alternating-bit protocol: every value arrives once, in order, over queues that lose messages.

Bartlett, Scantlebury and Wilkinson, CACM 12(5), 1969, as in chapter 14 of Lamport's "Specifying
Systems".  What it shows: bounded sequences of records, and several initial states.

Counts: the manifest of `specifications/SpecifyingSystems` in github.com/tlaplus/Examples states
240 distinct and 1,392 generated states and 10 levels (TLC/MCAlternatingBit.cfg: two values, queues
of two, 8 initial states).  There, a queue of three messages is generated and then cut off by a
constraint; here a full queue takes no more.  The same 240 states and 10 levels remain, and 1,204
generated states.
"""

from typing import Annotated

from ackproof.lang import (
    Instance,
    Model,
    OrderedSort,
    Record,
    Seq,
    System,
    action,
    anything,
    initially,
    invariant,
    properties_in,
    reachable,
    require,
)


class Value(OrderedSort):
    """What is sent."""


class Packet(Record):
    """A value with the bit that tells it from the one before."""

    bit: bool
    value: Value


class AlternatingBit(System):
    """A sender, a receiver, and a lossy queue in each direction."""

    send_bit: bool = anything()
    ack_bit: bool = anything()
    receive_bit: bool = anything()
    sent: Value = anything()
    received: Value = anything()
    packets: Annotated[Seq[Packet], 2]
    acks: Annotated[Seq[bool], 2]

    @action
    def send_new(self, value: Value) -> None:
        """The last value has been acknowledged: send the next one with the other bit."""
        require(self.send_bit == self.ack_bit and len(self.packets) < 2)
        self.packets.append(Packet(not self.send_bit, value))
        self.sent = value
        self.send_bit = not self.send_bit

    @action(fair="weak")
    def send_again(self) -> None:
        """The last value has not been acknowledged: send it once more."""
        require(self.send_bit != self.ack_bit and len(self.packets) < 2)
        self.packets.append(Packet(self.send_bit, self.sent))

    @action(fair="strong")
    def receive_packet(self) -> None:
        """Take the packet that came first."""
        require(self.packets)
        self.receive_bit = self.packets[0].bit
        self.received = self.packets[0].value
        self.packets.pop(0)

    @action(fair="weak")
    def send_ack(self) -> None:
        """Say which packet came last, as often as one likes."""
        require(len(self.acks) < 2)
        self.acks.append(self.receive_bit)

    @action(fair="strong")
    def receive_ack(self) -> None:
        """Take the acknowledgement that came first."""
        require(self.acks)
        self.ack_bit = self.acks[0]
        self.acks.pop(0)

    @action
    def lose_first_packet(self) -> None:
        """The network loses the packet at the head."""
        require(self.packets)
        self.packets.pop(0)

    @action
    def lose_second_packet(self) -> None:
        """The network loses the packet behind the head."""
        require(len(self.packets) == 2)
        head = self.packets[0]
        self.packets.clear()
        self.packets.append(head)

    @action
    def lose_first_ack(self) -> None:
        """The network loses the acknowledgement at the head."""
        require(self.acks)
        self.acks.pop(0)

    @action
    def lose_second_ack(self) -> None:
        """The network loses the acknowledgement behind the head."""
        require(len(self.acks) == 2)
        head = self.acks[0]
        self.acks.clear()
        self.acks.append(head)


@initially
def AllAgreeOnTheBit(s: AlternatingBit) -> bool:
    """Nothing is under way: all have the same bit."""
    return s.send_bit == s.ack_bit == s.receive_bit


@invariant
def AcknowledgedMeansReceived(s: AlternatingBit) -> bool:
    """When the sender may go on, the receiver has taken the last packet."""
    return s.send_bit != s.ack_bit or s.send_bit == s.receive_bit


@reachable
def BothQueuesFull(s: AlternatingBit) -> bool:
    """Two packets and two acknowledgements are under way."""
    return len(s.packets) == 2 and len(s.acks) == 2


MODEL = Model(
    "alternating bit",
    AlternatingBit,
    properties_in(AllAgreeOnTheBit, AcknowledgedMeansReceived, BothQueuesFull),
    (Instance("values2", "two values, queues of two", {Value: 2}, states=240),),
    deadlock_free=True,
)
