"""The alternating-bit protocol without its queues: what it comes to when nothing is in between.

Module ABCorrectness of chapter 14 of Lamport's "Specifying Systems"; the protocol with queues,
`alternating_bit.py`, is meant to implement it.  What it shows: how small a specification can be.

Counts: the manifest of `specifications/SpecifyingSystems` in github.com/tlaplus/Examples states
20 distinct and 36 generated states and 3 levels (TLC/ABCorrectness.cfg: two values, 8 initial
states).
"""

from ackproof.lang import (
    Instance,
    Model,
    OrderedSort,
    System,
    action,
    anything,
    initially,
    invariant,
    properties_in,
    require,
)


class Value(OrderedSort):
    """What is sent."""


class Correctness(System):
    """A sender and a receiver that see each other's bits."""

    send_bit: bool = anything()
    ack_bit: bool = anything()
    receive_bit: bool = anything()
    sent: Value = anything()
    received: Value = anything()

    @action
    def send(self, value: Value) -> None:
        """The last value has been acknowledged: send the next one."""
        require(self.send_bit == self.ack_bit)
        self.sent = value
        self.send_bit = not self.send_bit

    @action(fair="weak")
    def receive(self) -> None:
        """Receive what was sent."""
        require(self.receive_bit != self.send_bit)
        self.receive_bit = self.send_bit
        self.received = self.sent

    @action(fair="weak")
    def acknowledge(self) -> None:
        """Tell the sender."""
        require(self.receive_bit != self.ack_bit)
        self.ack_bit = self.receive_bit


@initially
def AllAgreeOnTheBit(s: Correctness) -> bool:
    """Nothing is under way: all have the same bit."""
    return s.send_bit == s.ack_bit == s.receive_bit


@invariant
def AcknowledgedMeansReceived(s: Correctness) -> bool:
    """When the sender may go on, the receiver has taken the last value."""
    return s.send_bit != s.ack_bit or s.receive_bit == s.send_bit


MODEL = Model(
    "abstract alternating bit",
    Correctness,
    properties_in(AllAgreeOnTheBit, AcknowledgedMeansReceived),
    (Instance("values2", "two values", {Value: 2}, states=20),),
    deadlock_free=True,
)
