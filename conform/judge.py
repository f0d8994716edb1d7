"""The channel judge: what one channel's frames alone prove, for whoever has events.

It names the first event that no behaviour of the specification explains.  The rules are functions
over arrays (`ackproof.conform.judging.channel`), the same that judge columns of events; here they
are asked one event at a time, and what they refuse is said in words.
"""

from __future__ import annotations

from ackproof.conform.events import Event, Kind
from ackproof.conform.judging.books import OPENED, enlarged, lacking, new_books
from ackproof.conform.judging.channel import judge
from ackproof.conform.judging.facts import MOST, NUMBER, bits_of
from ackproof.conform.judging.refusals import refusal_of
from ackproof.conform.judging.shelves import size
from ackproof.conform.judging.texts import number_of
from ackproof.conform.violations import Violation

__all__ = ["ChannelJudge"]


class ChannelJudge:
    """Judges the events of one channel, one after the other.

    Args:
        known: its events are there from its beginning.

    Attributes:
        violation: the first violation since the channel was opened; what follows it is not judged.
    """

    def __init__(self, known: bool = True) -> None:
        self.violation: Violation | None = None
        self._position = 0
        self._books = new_books(known)

    def __len__(self) -> int:
        """Return how many messages wait for their confirm."""
        books = self._books
        return size(books, OPENED)

    def take(self, event: Event) -> Violation | None:
        """Take the next event; return the violation, if it is the first one."""
        position = self._position
        self._position += 1
        if event.kind in (Kind.OPEN, Kind.GAP):
            self.violation = None
        if lacking(self._books):
            self._books = enlarged(self._books)
        identity = number_of(*event.identity) if event.mandatory or event.kind == "Return" else 0
        refused = judge(
            self._books,
            NUMBER[event.kind],
            bits_of(event),
            min(event.tag, MOST),
            event.prefetch,
            number_of(event.consumer),
            identity,
        )
        if not refused:
            return None
        refusal = refusal_of(refused, self._books, event)
        self.violation = Violation(event, position, refusal.name, refusal.rules, refusal.why)
        return self.violation
