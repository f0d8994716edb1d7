"""The alternating-bit protocol without its queues: what it comes to when nothing is in between.

Module ABCorrectness of chapter 14 of Lamport's "Specifying Systems"; the protocol with queues,
`alternating_bit.py`, is meant to implement it.  What it shows: how small a specification can be.

Counts: the manifest of `specifications/SpecifyingSystems` in github.com/tlaplus/Examples states
20 distinct and 36 generated states and 3 levels (TLC/ABCorrectness.cfg: two values, 8 initial
states).  Here a step `start` leads to the same 8 states from one more, one level above, so this
model has 21 distinct and 37 generated states and 4 levels.
"""

from ackproof.lang import (
    Instance,
    Model,
    OrderedSort,
    System,
    action,
    invariant,
    properties_in,
    require,
)


class Value(OrderedSort):
    """What is sent."""


class Correctness(System):
    """A sender and a receiver that see each other's bits."""

    started: bool
    send_bit: bool
    ack_bit: bool
    receive_bit: bool
    sent: Value
    received: Value

    @action
    def start(self, bit: bool, sent: Value, received: Value) -> None:
        """Choose how it begins: everybody agrees on the bit."""
        require(not self.started)
        self.started = True
        self.send_bit = bit
        self.ack_bit = bit
        self.receive_bit = bit
        self.sent = sent
        self.received = received

    @action
    def send(self, value: Value) -> None:
        """The last value has been acknowledged: send the next one."""
        require(self.started and self.send_bit == self.ack_bit)
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


@invariant
def AcknowledgedMeansReceived(s: Correctness) -> bool:
    """When the sender may go on, the receiver has taken the last value."""
    return s.send_bit != s.ack_bit or s.receive_bit == s.send_bit


MODEL = Model(
    "abstract alternating bit",
    Correctness,
    properties_in(AcknowledgedMeansReceived),
    (Instance("values2", "two values", {Value: 2}, states=21),),
    deadlock_free=True,
)
