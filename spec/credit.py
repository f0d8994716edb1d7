"""Credit: how many messages a process may send another one, before it hears that they were taken.

For each pair of processes, one that sends and one that receives, both keep a number (E1.1).  The
sender has *credit*: so many as `initial` says at first, and less with each message it sends.  The
receiver counts the messages it takes, and after each `more_after` of them gives as much credit back
in one message, a *bump*.  A sender without credit is *blocked* by that receiver.

A blocked sender goes on sending what it has accepted: to hold it back would need a place to keep it
(E1.2).  So credit may fall below nothing.  What a blocked process does is to give no bumps itself:
it *defers* them until nothing blocks it any more (E1.3).  Then those that send to it run out of
credit, and so on, hop by hop upstream, to the one process that can stop: the reader of the
connection, which leaves the rest in the socket.

One object of this class is both sides of a pair, with the bumps that are under way between them.
The sender's side is `used`, which is `initial` less the credit; the receiver's are `taken` and
`deferred`.  Neither side sees the other's.

When one of the two is gone, the other one forgets the pair (E1.4), and starts with full credit if
they meet again.
"""

from __future__ import annotations

from typing import Annotated

from ackproof.lang import Const, Process, Range, Set, handler, helper, require
from ackproof.spec.sorts import Msg

__all__ = ["CreditPair"]


class CreditPair(Process):
    """What one process may send another one (E1)."""

    initial: Const[Annotated[int, Range(1, 4)]] = 2
    more_after: Const[Annotated[int, Range(1, 4)]] = 1

    used: Annotated[int, Range(-4, 11)] = 0
    taken: Annotated[int, Range(0, 3)] = 0
    deferred: Annotated[int, Range(0, 7)] = 0
    bumps: Annotated[int, Range(0, 7)] = 0

    # -- the sender -----------------------------------------------------------------------------

    @helper
    def blocks(self) -> bool:
        """Tell whether the sender is blocked by this receiver (E1.2)."""
        return self.used >= self.initial

    @handler
    def send(self, cost: Annotated[int, Range(0, 3)]) -> None:
        """Send a message of this cost, whether or not there is credit for it (E1.2)."""
        self.used += cost

    @handler
    def send_all(self, msgs: Set[Msg], cost: Annotated[int, Range(0, 3)]) -> None:
        """Send several messages, each of this cost (A13.3, E1.2)."""
        self.used += len(msgs) * cost

    @handler
    def bumped(self) -> None:
        """The sender gets a bump (E1.3)."""
        require(self.bumps > 0)
        self.bumps -= 1
        self.used -= self.more_after

    # -- the receiver ---------------------------------------------------------------------------

    @handler
    def ack(self, blocked: bool) -> None:
        """The receiver has taken a message: give credit, if it is time and nothing blocks (E1.3).

        `blocked` says whether the receiver is itself blocked by somebody downstream.
        """
        if self.taken + 1 < self.more_after:
            self.taken += 1
        else:
            self.taken = 0
            self.grant(blocked)

    @handler
    def grant(self, blocked: bool) -> None:
        """Give credit for what was taken, or leave it for later (E1.3)."""
        if blocked:
            self.deferred += 1
        else:
            self.bumps += 1

    @handler
    def release(self) -> None:
        """Nothing blocks the receiver any more: the deferred bumps are sent (E1.3)."""
        self.bumps += self.deferred
        self.deferred = 0

    # -- the end of one of the two --------------------------------------------------------------

    @handler
    def receiver_ends(self) -> None:
        """The receiver is gone, and what only it knew; what it sent still arrives (O1)."""
        self.taken = 0
        self.deferred = 0

    @handler
    def lose_bumps(self) -> None:
        """The receiver's node is gone, and what the receiver sent is lost (A9)."""
        self.bumps = 0

    @handler
    def forget(self) -> None:
        """The other one is gone: nothing blocks, and nothing is owed (E1.4)."""
        self.used = 0
        self.taken = 0
        self.deferred = 0
        self.bumps = 0

    # -- what properties ask --------------------------------------------------------------------

    @helper
    def given(self) -> Annotated[int, Range(0, 99)]:
        """Return the credit on its way back: counted by the receiver, or bumped (INV-E1)."""
        return self.taken + (self.deferred + self.bumps) * self.more_after
