"""What a publisher is told: once of each message, and of a return only if it asked for one.

The properties of an ack (`properties`) compare what a publisher knows before a step and after it.
One step may send several frames, and these are about all of them: what is said twice in one breath
leaves the same state as what is said once.
"""

from __future__ import annotations

from ackproof.lang import invariant, step_property
from ackproof.spec.sorts import ChannelId
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Ack, Nack


@invariant
def EachIsNamedOnce(s: Confirms) -> bool:
    """No two frames of one flush name a message, and none comes back twice (INV-A4, A6.7, A11.3).

    A client that takes each ack, nack and return for an event of its own handles the message twice,
    and where it publishes it again, it does so twice.
    """
    return not s.retold


@invariant
def OnlyMandatoryIsReturned(s: Confirms) -> bool:
    """What was routed nowhere comes back only if it was published as mandatory (A6.2, A6.4).

    A client that did not ask has no use for a return, and may have nobody who reads it.
    """
    return all(s.publishers[c].returned & s.unroutable <= s.mandatory for c in ChannelId)


@step_property
def LoneAckIsSingle(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """An ack with `multiple` is for several messages (A11.2).

    A client that looks up one message for a single ack searches all it keeps for the other kind.
    """
    acked = after.publishers[ack.channel].confirmed - before.publishers[ack.channel].confirmed
    return not ack.multiple or len(acked) > 1


@step_property
def NoAckAfterClose(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """A channel that is closed acks nothing (A14.1, A14.3).

    What its client was not told by then it takes for unknown, and deals with by other means.
    """
    return before.channels[ack.channel].open


@step_property
def NoNackAfterClose(before: Confirms, after: Confirms, nack: Nack) -> bool:
    """Nor does it nack anything (A14.1, A14.3).

    A number may be in use again by then, on the channel that was opened in its place.
    """
    return before.channels[nack.channel].open
