"""Small mistakes of credit flow, one for each property that no design of the museum breaks."""

from __future__ import annotations

from typing import Annotated

from ackproof.lang import Design, Range, Set, fault, handler, helper
from ackproof.spec.credit import CreditPair
from ackproof.spec.reader import Reader
from ackproof.spec.sorts import ChannelId, Msg, Replica
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Unblocked


class TirelessReader(Reader):
    """Reads on without credit."""

    @handler
    def starves(self) -> None:
        """Do nothing about it."""


class HeedlessReader(Reader):
    """Reads on whatever its state."""

    @helper
    def reads_content(self) -> bool:
        """Whatever the state is."""
        return True


class ListeningReader(Reader):
    """Reads what has no content, blocked or not."""

    @helper
    def reads(self) -> bool:
        """Whatever the state is."""
        return True


class TalkativeReader(Reader):
    """Tells the client of credit, too."""

    @handler
    def starves(self) -> None:
        """Stop, and say so."""
        super().starves()
        self.tell()


class RepeatingReader(Reader):
    """Tells the client again whenever it could go on but for the alarm."""

    @handler
    def revives(self) -> None:
        """Go on, or say once more why not."""
        super().revives()
        if self.told:
            self.tell()


class PoliteReader(Reader):
    """Tells the end of what the client never noticed."""

    @handler
    def clears_alarm(self, starved: bool) -> None:
        """Say that it is over."""
        told = self.told
        super().clears_alarm(starved)
        if not told:
            self.emit(Unblocked(self.channel))


class DoublePair(CreditPair):
    """Charges twice."""

    @handler
    def send(self, cost: Annotated[int, Range(0, 3)]) -> None:
        """Pay, and pay again."""
        super().send(cost)
        super().send(cost)

    @handler
    def send_all(self, msgs: Set[Msg], cost: Annotated[int, Range(0, 3)]) -> None:
        """Pay for all of them, and pay again."""
        super().send_all(msgs, cost)
        super().send_all(msgs, cost)


class GenerousChannel(Confirms):
    """Takes messages for nothing."""

    @handler
    def hand_over(self, channel: ChannelId, blocked: bool) -> None:
        """Ask for no credit."""


class DroppingBroker(Confirms):
    """Sheds its load when memory is short."""

    @fault
    def alarm(self) -> None:
        """Reject whatever has not arrived."""
        super().alarm()
        for channel in ChannelId:
            for replica in Replica:
                self.channels[channel].rejected |= self.casts[channel].publishes[replica]


class UnimpressedProcess(Confirms):
    """Gives its channels credit although its store has blocked it."""

    @handler
    def take_from_channel(self, msg: Msg, replica: Replica, twice: bool, blocked: bool) -> None:
        """Give credit whoever is blocked."""
        super().take_from_channel(msg, replica, twice, False)


class ShyReader(Confirms):
    """Reads nothing after a publish before there is more credit, though some is left."""

    @handler
    def hand_over(self, channel: ChannelId, blocked: bool) -> None:
        """Stop after each publish."""
        super().hand_over(channel, blocked)
        self.readers[channel].starves()


#: More must not be taken before the first bump than there is credit for (E1.1).
SLOW_BUMPS = Design("", constants={"CreditPair.more_after": 3})

#: For each property the mistake, and the instance on which it is found.
CREDITING_MUTANTS = {
    "CreditNeverNegative": (Design("", replace=(TirelessReader,)), "credit"),
    "OverdraftIsBounded": (Design("", replace=(DoublePair,)), "mirror_credit"),
    "StoreOverdraftIsBounded": (Design("", replace=(UnimpressedProcess,)), "little_credit"),
    "EachPublishIsPaid": (Design("", replace=(GenerousChannel,)), "credit"),
    "NoCreditDeadlock": (SLOW_BUMPS, "credit"),
    "BlockedGivesNoCredit": (Design("", replace=(UnimpressedProcess,)), "little_credit"),
    "NobodyIsBlockedForNothing": (Design("", replace=(ShyReader,)), "credit"),
    "BlockedStops": (Design("", replace=(HeedlessReader,)), "credit"),
    "BlockedIsNotRead": (Design("", replace=(ListeningReader,)), "credit"),
    "ClientKnowsWhy": (Design("", replace=(TalkativeReader,)), "credit"),
    "BlockedIsToldOnce": (Design("", replace=(RepeatingReader,)), "credit"),
    "UnblockedFollowsBlocked": (Design("", replace=(PoliteReader,)), "credit"),
    "AlarmSettlesNothingDifferently": (Design("", replace=(DroppingBroker,)), "credit"),
}
