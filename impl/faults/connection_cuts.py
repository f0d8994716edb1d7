"""Connections that are to break when a publish of theirs is settled.

A connection breaks between two steps, as it does when nobody has asked for it.  If that is to be
before the publisher is told, the step that would tell it is refused, and what is settled is never
told (A14.3).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ackproof.impl.faults.trigger import Trigger
from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.publication import content_of
from ackproof.spec.sorts import Msg

__all__ = ["ConnectionCuts"]


@dataclass
class ConnectionCuts:
    """Which connections break, and when.

    Attributes:
        waiting: which publishes break theirs: after that was told, or before.
    """

    waiting: list[tuple[Trigger, bool]] = field(default_factory=list)
    _marked: dict[PublishingChannel, dict[Msg, bool]] = field(default_factory=dict)
    _due: list[tuple[PublishingChannel, bool]] = field(default_factory=list)

    def published(self, channel: PublishingChannel, msg: Msg) -> None:
        """A message is on its way: see whether its connection is to break."""
        for trigger, written in self.waiting:
            if trigger.strikes(content_of(msg)):
                self._marked.setdefault(channel, {})[msg] = written
        self.waiting = [(trigger, w) for trigger, w in self.waiting if not trigger.spent]

    def comes_first(self, channel: PublishingChannel, settled: Iterable[Msg]) -> bool:
        """Tell whether the connection of a channel breaks before it may tell what is settled."""
        marked = self._marked.get(channel, {})
        struck = [written for msg in settled if (written := marked.get(msg)) is not None]
        if not struck:
            return False
        del self._marked[channel]
        written = all(struck)
        self._due.append((channel, written))
        return not written

    def closed(self, channel: PublishingChannel) -> None:
        """A channel is closed: nothing waits for it any more."""
        self._marked.pop(channel, None)

    def take(self) -> list[tuple[PublishingChannel, bool]]:
        """Give out the channels whose connections break now, each with whether it has told."""
        due, self._due = self._due, []
        return due
