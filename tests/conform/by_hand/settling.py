"""Settling: which acks and nacks a channel in confirm mode may send, in which order.

A channel tells its publisher in flushes (A10, A11).  One flush is one step: acks, then nacks; of
each, first one frame with `multiple` that covers what it may, then single ones, ascending.  What
may be covered is below every number that the other half settles, or that stays open.  So a frame is
judged by what is open, and by what the frames just before have begun:

* a lone ack is single (A11.2).  One with `multiple` that covers a single message *owes* another
  ack, at once;
* a single ack in a flush of several is above something open, or it would have been covered;
* a single nack is above something open, or above something that this very flush has acked (A11.3);
* what was returned is acked at the next flush, whatever else that tells (A6.2, A7.2).

Where one flush ends and the next begins, frames do not show.  Of the possible beginnings of the
current flush only those are kept that later frames can ask for: whether it may have acked something
below all that is open (`_below`), and the single acks that it may have begun with (`_kept`), if
there is an open number that one allows for and the one before does not.  That is no more than twice
as many as there are open numbers.

Frames follow each other at once in a flush.  So a publish that was seen after its first frame is
not settled in it, and any other frame of the broker ends it.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from ackproof.conform.violations import Refusal

from tests.conform.by_hand.open_tags import OpenTags
from tests.conform.by_hand.recent import Recent

__all__ = ["Repeats", "Settling"]

_NONE, _ACKS, _NACKS = 0, 1, 2


class _Beginning(NamedTuple):
    """A single ack with which the current flush may have begun, and the last publish by then."""

    tag: int
    limit: int


class Settling:
    """The sequence numbers of one channel, from its confirm.select on.

    Attributes:
        published: the number of the last publish.
    """

    def __init__(self) -> None:
        self.published = 0
        self._open = OpenTags()
        self._returned: deque[int] = deque()  # those that the next flush must ack
        self._nacked: Recent[int, None] = Recent()  # to tell two errors apart
        self._phase = _NONE
        self._limit = 0  # the last publish before the first frame of the current flush
        self._last = 0  # the last single frame of the current half
        self._owes = False
        self._extends = False
        self._below = False
        self._kept: deque[_Beginning] = deque()

    def __len__(self) -> int:
        return len(self._open)

    def publish(self) -> int:
        """Give the next number to a publish, and return it (A4.1)."""
        self.published += 1
        self._open.append(self.published)
        return self.published

    def is_open(self, tag: int) -> bool:
        """Tell whether a number is not settled yet."""
        return tag in self._open

    def was_nacked(self, tag: int) -> bool:
        """Tell whether a number was nacked, not long ago."""
        return tag in self._nacked

    def give_back(self, tag: int) -> None:
        """A message was returned: the next flush acks it."""
        self._returned.append(tag)

    # -- frames -------------------------------------------------------------------------------

    def ack(self, tag: int, multiple: bool) -> None:
        """Judge an ack.

        Raises:
            Refusal: no behaviour of the specification sends it here.
        """
        if tag not in self._open:
            raise self._not_open(tag, "SettledOnce")
        if multiple:
            self._ack_up_to(tag)
        else:
            self._ack_one(tag)

    def nack(self, tag: int, multiple: bool) -> None:
        """Judge a nack, as an ack."""
        if tag not in self._open:
            raise self._not_open(tag, "RefusedOnce")
        if self._returned:
            raise _not_acked(self._returned[0])
        if self._owes:
            raise _LONE
        if multiple:
            self._nack_up_to(tag)
        else:
            self._nack_one(tag)

    def interrupt(self) -> None:
        """Another frame of the broker ends the flush, which must be complete.

        Raises:
            Refusal: it is not.
        """
        if self._phase:
            self._end()

    # -- acks ---------------------------------------------------------------------------------

    def _ack_one(self, tag: int) -> None:
        returned = self._returned
        if returned and returned[0] < tag:
            raise _not_acked(returned[0])
        bound = self._bound()
        before = self._open.before(tag)
        self._open.remove(tag)
        above = before != 0
        goes_on = above and self._goes_on(tag, bound)
        if bound and not goes_on:
            raise _LONE if self._owes else _not_acked(returned[0])
        if returned and returned[0] == tag:
            returned.popleft()
        if returned and not above:
            raise Refusal(
                "NoNeedlessAck",
                f"{tag} is acked alone, though {returned[0]} was returned and is acked with it: "
                "one ack with multiple would cover it",
            )
        if not goes_on:
            self._begin(_ACKS)
            self._extends = above
            self._below = not above
        elif tag > self._limit:
            self._below = False
        if above and not bound:
            self._keep(tag, before)
        self._last = tag
        self._owes = False

    def _goes_on(self, tag: int, bound: bool) -> bool:
        """Tell whether a single ack may be of a flush that has begun, which knew its message."""
        if self._phase != _ACKS or not self._extends or tag < self._last:
            return False
        whole = tag <= self._limit and (bound or self._below)
        return whole or (not bound and bool(self._kept) and tag <= self._kept[-1].limit)

    def _keep(self, tag: int, before: int) -> None:
        """Note that the flush may have begun with this ack, if that allows for anything more."""
        kept = self._kept
        while kept and kept[0].limit < tag:
            kept.popleft()
        if not kept or before > kept[-1].tag or self.published > kept[-1].limit:
            kept.append(_Beginning(tag, self.published))

    def _ack_up_to(self, tag: int) -> None:
        returned = self._returned
        if self._bound():
            raise _LONE if self._owes else _not_acked(returned[0])
        covered = self._take_up_to(tag)
        while returned and returned[0] <= tag:
            returned.popleft()
        if returned and returned[0] == self._open.first():
            raise Refusal(
                "A11.3",
                f"the ack with multiple stops at {tag}, though {returned[0]} is next and was "
                "returned: it is acked in the same flush, and would be covered",
            )
        self._begin(_ACKS)
        self._extends = self._below = True
        self._last = tag
        self._owes = covered == 1 and not returned
        if self._owes and len(self._open) < 2:
            raise _LONE

    # -- nacks --------------------------------------------------------------------------------

    def _nack_up_to(self, tag: int) -> None:
        self._take_up_to(tag, nacked=True)
        kept = self._kept
        if self._phase != _ACKS:
            kept.clear()
        while kept and kept[0].tag < tag:
            kept.popleft()
        self._phase, self._last, self._below = _NACKS, 0, False

    def _nack_one(self, tag: int) -> None:
        above = self._open.first() != tag
        if self._phase == _NACKS and tag < self._last:
            self._kept.clear()
            self._below = False
        if not self._goes_with_acks(tag, above) and not above:
            raise Refusal(
                "NoNeedlessNack",
                f"{tag} is nacked alone, and nothing is open or acked below it: the nack has "
                "multiple then",
            )
        self._open.remove(tag)
        self._nacked.add(tag, None)
        self._phase, self._last = _NACKS, tag

    def _goes_with_acks(self, tag: int, above: bool) -> bool:
        """Tell whether a single nack may be of a flush that has acked something below it.

        Beginnings that it cannot go with are given up.
        """
        kept = self._kept
        self._below = self._below and tag <= self._limit
        while kept and kept[0].limit < tag:
            kept.popleft()
        while kept and kept[-1].tag > tag and not above:
            kept.pop()
        return self._below or bool(kept)

    # -- what they share ----------------------------------------------------------------------

    def _bound(self) -> bool:
        """Tell whether the flush that has begun must go on with an ack."""
        return self._owes or (self._phase == _ACKS and bool(self._returned))

    def _begin(self, phase: int) -> None:
        self._phase = phase
        self._limit = self.published
        self._last = 0
        self._owes = self._extends = self._below = False
        self._kept.clear()

    def _end(self) -> None:
        if self._owes:
            raise _LONE
        if self._phase == _ACKS and self._returned:
            raise _not_acked(self._returned[0])
        self._begin(_NONE)

    def _take_up_to(self, tag: int, nacked: bool = False) -> int:
        covered = 0
        while 0 < (first := self._open.first()) <= tag:
            self._open.remove(first)
            covered += 1
            if nacked:
                self._nacked.add(first, None)
        return covered

    def _not_open(self, tag: int, name: str) -> Refusal:
        if not 0 < tag <= self.published:
            return Refusal(
                "NoPhantomConfirm", f"{tag} is settled, and {self.published} were published"
            )
        if name == "SettledOnce" and tag in self._nacked:
            return Refusal("NeverBothAckAndNack", f"{tag} is acked, and was nacked before")
        if name == "RefusedOnce" and tag not in self._nacked and not self._nacked.forgot:
            return Refusal("NeverBothAckAndNack", f"{tag} is nacked, and was acked before")
        return Refusal(name, f"{tag} is settled, and was settled before")


_LONE = Refusal(
    "A11.2", "the ack with multiple covered one message, and no other ack of its flush follows"
)


def _not_acked(tag: int) -> Refusal:
    return Refusal(
        "UnroutableIsConfirmed",
        f"{tag} was returned, so the next flush acks it, and this frame is of another",
    )


class Repeats:
    """Acks and nacks of a channel whose beginning nobody saw: no number is settled twice.

    What was published, and what is open, is not known.
    """

    def __init__(self) -> None:
        self._floor = 0
        self._singly: Recent[int, None] = Recent()

    def settle(self, tag: int, multiple: bool, name: str) -> None:
        """Judge an ack or a nack.

        Raises:
            Refusal: its number was settled before.
        """
        if tag <= self._floor or tag in self._singly:
            raise Refusal(name, f"{tag} is settled, and was settled before")
        if multiple:
            self._floor = tag
        else:
            self._singly.add(tag, None)
