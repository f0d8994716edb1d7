"""Delivering: delivery tags, consumers and their limits, and what a client may settle.

The broker gives each delivery the next tag (F1.1), and a consumer no more than its limit (F2.2).
What a client settles reaches the broker later than it is seen here, so it counts as settled early
here; what the broker counts as unsettled is never less, and a limit that is exceeded here is
exceeded there.

Whether a tag that a client settles is unknown to the broker is certain as long as no deliveries
may be under way that nobody has seen, and no recover.  Where it is not, `sure` is false.
"""

from __future__ import annotations

from collections import Counter

from ackproof.conform.events import Event, Kind
from ackproof.conform.violations import Refusal

from tests.conform.by_hand.open_tags import OpenTags

__all__ = ["Deliveries"]


class _Consumer:
    """A consumer as it was started, and how many unsettled deliveries it has."""

    __slots__ = ("limit", "load", "no_ack")

    def __init__(self, limit: int, no_ack: bool) -> None:
        self.limit = limit
        self.no_ack = no_ack
        self.load = 0


class Deliveries:
    """The consumers' side of one channel.

    Args:
        known: the channel was seen from its beginning.

    Attributes:
        sure: what is unacked here is what the broker has handed out.
    """

    def __init__(self, known: bool) -> None:
        self._known = self.sure = known
        self._last = 0
        self._open = OpenTags()
        self._to: dict[int, _Consumer | None] = {}  # whom an unacked delivery counts against
        self._collected: list[int] = []  # settled in a transaction, in this order
        self._consumers: dict[str, _Consumer] = {}
        self._nameless: list[_Consumer] = []
        self._starting: Counter[str] = Counter()
        self._stopping: set[str] = set()
        self._limit = 0
        self._shared: list[int] = [0]  # the limits of the channel that may be in force
        self._pushed = 0
        self._recovering = 0

    # -- consumers ----------------------------------------------------------------------------

    def limit(self, event: Event) -> None:
        """A client asks for limits: of its next consumers, or of the channel (F2.2).

        The former lifts the latter.
        """
        self._shared.append(event.prefetch if event.shared else 0)
        if not event.shared:
            self._limit = event.prefetch

    def limited(self) -> None:
        """The broker has taken note of limits."""
        if len(self._shared) > 1:
            del self._shared[0]

    def start(self, event: Event) -> None:
        """A client starts a consumer, which it may leave to the broker to name."""
        consumer = _Consumer(self._limit, event.no_ack)
        if event.consumer:
            self._consumers[event.consumer] = consumer
            self._starting[event.consumer] += not event.nowait
        else:
            self._nameless.append(consumer)

    def started(self, event: Event) -> None:
        """The broker has started a consumer, and says how it is called."""
        if self._starting[event.consumer]:
            self._starting[event.consumer] -= 1
        elif self._nameless:
            self._consumers[event.consumer] = self._nameless.pop(0)
        elif self._known:
            raise Refusal("B7.6", f"nobody asked to start the consumer {event.consumer!r}")

    def stop(self, event: Event) -> None:
        """A client stops a consumer; without an answer nobody knows since when."""
        if not event.nowait:
            self._stopping.add(event.consumer)

    def stopped(self, event: Event) -> None:
        """The broker has stopped a consumer: on demand, or because its queue is gone (B7.6)."""
        asked = event.consumer in self._stopping
        if event.kind == Kind.CANCEL_OK:
            if self._known and not asked:
                raise Refusal("B7.6", f"nobody asked to stop the consumer {event.consumer!r}")
            self._stopping.discard(event.consumer)
        self._consumers.pop(event.consumer, None)

    # -- deliveries ---------------------------------------------------------------------------

    def deliver(self, event: Event) -> None:
        """Judge a delivery to a consumer.

        Raises:
            Refusal: no behaviour of the specification sends it here.
        """
        self._take_tag(event.tag, "DeliveryTagsIncrease")
        consumer = self._consumers.get(event.consumer)
        if consumer is None:
            if self._known and not self._nameless:
                raise Refusal("B7.6", f"there is no consumer {event.consumer!r} on this channel")
            self.sure = False
        elif not consumer.no_ack:
            self._open.append(event.tag)
            self._to[event.tag] = consumer
            self._burden(consumer, event.consumer)

    def get(self, event: Event, no_ack: bool) -> None:
        """Judge the answer to a get, as a delivery; limits do not count (F2.3)."""
        self._take_tag(event.tag, "GetTakesATag")
        if not no_ack:
            self._open.append(event.tag)
            self._to[event.tag] = None

    def _take_tag(self, tag: int, name: str) -> None:
        last = self._last
        if tag <= last:
            raise Refusal(name, f"delivery tag {tag} comes after {last}")
        if tag != last + 1 and (last or self._known):
            raise Refusal("F1.1", f"delivery tag {tag} comes after {last}, and is not the next one")
        self._last = tag

    def _burden(self, consumer: _Consumer, name: str) -> None:
        consumer.load += 1
        self._pushed += 1
        if consumer.limit and consumer.load > consumer.limit:
            raise Refusal(
                "PrefetchRespected",
                f"consumer {name!r} has {consumer.load} unsettled deliveries, and asked for "
                f"{consumer.limit} at most",
            )
        if 0 not in self._shared and self._pushed > max(self._shared):
            raise Refusal(
                "SharedPrefetchRespected",
                f"the channel has {self._pushed} unsettled deliveries, and its client asked for "
                f"{max(self._shared)} at most",
            )

    # -- settling -----------------------------------------------------------------------------

    def settle(self, tag: int, multiple: bool, in_transaction: bool) -> bool:
        """A client settles deliveries; return whether the broker cannot but refuse (F1.3)."""
        if self._recovering:
            self.sure = False  # it may be back in its queue by now
        if tag not in self._open:
            if tag == 0 and multiple:
                tag = self._last
            elif tag > self._last:
                self.sure = False
                return False
            else:
                return self.sure
        if not multiple:
            self._finish(tag, in_transaction)
        else:
            while 0 < (first := self._open.first()) <= tag:
                self._finish(first, in_transaction)
        return False

    def _finish(self, tag: int, in_transaction: bool) -> None:
        self._open.remove(tag)
        if in_transaction:
            self._collected.append(tag)
        else:
            self._relieve(tag)

    def _relieve(self, tag: int) -> None:
        consumer = self._to.pop(tag)
        if consumer is not None:
            consumer.load -= 1
            self._pushed -= 1

    def commit(self) -> None:
        """A client commits: what it has settled is settled (A13.3)."""
        for tag in self._collected:
            self._relieve(tag)
        self._collected.clear()

    def roll_back(self) -> None:
        """A client rolls back: what it has settled is unacked again (A13.6)."""
        if self._collected:
            self._collected.clear()
            self._open = OpenTags()
            for tag in sorted(self._to):
                self._open.append(tag)

    def recover(self) -> None:
        """A client wants everything requeued that it has not settled (F1.5)."""
        self._recovering += 1

    def recovered(self) -> None:
        """So it is: all that was delivered before, and is not kept by a transaction."""
        self._recovering = max(self._recovering - 1, 0)
        while first := self._open.first():
            self._open.remove(first)
            self._relieve(first)
