"""The account: what became of every message, across channels and connections.

A message is known by its identity.  Where several have the same, nobody can tell which of them was
delivered, so what is said of them is bounds.  Where each has its own, the bounds are equal.

What was confirmed and is never seen to be delivered may be in a queue still, may have been consumed
where nobody recorded it, may have expired, or may be lost.  So it is lost for certain only if
somebody says that the queues are empty, and that all consumers were recorded.

An account has room for every message.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ackproof.conform.events import Event
from ackproof.conform.following import Follower, Identity

__all__ = ["Account", "Bounds", "Fate"]


class Bounds(NamedTuple):
    """How many at least, and at most."""

    least: int
    most: int


class Fate:
    """What became of the messages of one identity."""

    __slots__ = ("acked", "delivered", "nacked", "published", "returned")

    def __init__(self) -> None:
        self.published = self.acked = self.nacked = self.returned = 0
        self.delivered: dict[str, list[int]] = {}  # by queue: those not marked, those marked

    def deliveries(self) -> int:
        """Return how many times any was handed out."""
        return sum([fresh + marked for fresh, marked in self.delivered.values()])

    def strangers(self) -> int:
        """Return how many deliveries there were, if nobody was seen to publish any."""
        return 0 if self.published else self.deliveries()

    def unseen(self) -> Bounds:
        """Return how many were confirmed, not returned, and never delivered."""
        kept = max(self.acked - self.returned, 0)
        seen = self.deliveries()
        others = self.published - kept
        certainly = 1 if seen and others <= 0 else 0
        return Bounds(max(kept - seen, 0), max(kept - certainly, 0))

    def duplicated(self) -> Bounds:
        """Return how many deliveries of one queue were not the first, and not marked either."""
        fresh = [counts[0] for counts in self.delivered.values()]
        least = sum(max(n - self.published, 0) for n in fresh) if self.published else 0
        return Bounds(least, sum(max(n - 1, 0) for n in fresh))

    def seen(self) -> Bounds:
        """Return how many were delivered at least once."""
        times = self.deliveries()
        return Bounds(min(times, 1, self.published), min(times, self.published))


class Account:
    """Counts what became of messages.

    Attributes:
        published: how many were published.
        acked: of how many the publisher was told that they are the broker's, commits included.
        nacked: of how many that they are not.
        returned: how many came back.
        deliveries: how many times a message was handed out.
        redelivered: how many of those times it was marked as perhaps not the first.
        latencies: seconds from publish to confirm, of each.
        covered: how many confirms settled how many messages.
        widest: how many messages of one channel waited for their confirm at the same time.
    """

    def __init__(self) -> None:
        self.published = self.acked = self.nacked = self.returned = 0
        self.deliveries = self.redelivered = self.widest = 0
        self.latencies = array("d")
        self.covered: Counter[int] = Counter()
        self._fates: dict[Identity, Fate] = {}
        self._followers: dict[tuple[str, str, int], Follower] = {}

    def take(self, source: str, event: Event) -> None:
        """Take the next event of a channel, of a recording of some name."""
        channel = source, event.connection, event.channel
        follower = self._followers.get(channel)
        if follower is None:
            follower = self._followers[channel] = Follower(_Entries(self, self._fates))
        follower.take(event)

    def sum(self, part: str) -> Bounds:
        """Return the sum of a part over all messages: `unseen`, `duplicated` or `seen`."""
        least = most = 0
        for bounds in self._bounds(part):
            least += bounds.least
            most += bounds.most
        return Bounds(least, most)

    def _bounds(self, part: str) -> Iterator[Bounds]:
        for fate in self._fates.values():
            found: Bounds = getattr(fate, part)()
            yield found

    def strangers(self) -> int:
        """Return how many deliveries were of what nobody was seen to publish."""
        return sum(fate.strangers() for fate in self._fates.values())

    def unsettled(self) -> int:
        """Return of how many messages the publisher has heard nothing, or did not ask to."""
        return self.published - self.acked - self.nacked


class _Entries:
    """Enters facts into an account."""

    def __init__(self, account: Account, fates: dict[Identity, Fate]) -> None:
        self._account = account
        self._fates = fates

    def _fate(self, message: Identity) -> Fate:
        found = self._fates.get(message)
        if found is None:
            found = self._fates[message] = Fate()
        return found

    def published(self, message: Identity) -> None:
        """It was published."""
        self._account.published += 1
        self._fate(message).published += 1

    def settled(self, message: Identity, ack: bool, seconds: float) -> None:
        """It was confirmed, or refused."""
        if ack:
            self._account.acked += 1
            self._fate(message).acked += 1
        else:
            self._account.nacked += 1
            self._fate(message).nacked += 1
        self._account.latencies.append(seconds)

    def returned(self, message: Identity) -> None:
        """It came back."""
        self._account.returned += 1
        self._fate(message).returned += 1

    def delivered(self, message: Identity, queue: str, marked: bool) -> None:
        """It was handed out."""
        self._account.deliveries += 1
        self._account.redelivered += marked
        self._fate(message).delivered.setdefault(queue, [0, 0])[marked] += 1

    def frame(self, covered: int, ack: bool) -> None:
        """One confirm settled so many messages."""
        self._account.covered[covered] += 1

    def window(self, size: int) -> None:
        """So many messages of one channel wait for their confirm."""
        self._account.widest = max(self._account.widest, size)
