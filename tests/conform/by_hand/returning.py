"""Returning: which message a return may be of, and when it comes too late.

A return carries the message, and no number; the message is known by its identity.  A channel
returns what it cannot route in the step that publishes it (A6.1), so returns come in publishing
order, and as soon as anything shows that a publish was processed, a return of it is late.

Messages in flight that look alike are not told apart.  A return is taken for the first of them that
it can be of, which leaves most to those that follow, and nothing more is concluded of it; of the
only one, all is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from ackproof.conform.violations import Refusal

from tests.conform.by_hand.recent import Recent

__all__ = ["Returnable", "Returns"]

Identity = tuple[str, str, str, str]

#: Mandatory messages that are followed at most, where nothing shows that they were processed.
_MOST = 1 << 20


class Returnable(NamedTuple):
    """A mandatory publish: where it is in what the client says, and its number, if it has one."""

    place: int
    tag: int


class Returns:
    """The mandatory messages of one channel that may still be returned."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Returnable, Identity]] = deque()
        self._alike: dict[Identity, deque[Returnable]] = {}
        self._late: Recent[Identity, int] = Recent()
        self._forgot = False

    def publish(self, place: int, tag: int, identity: Identity) -> None:
        """A mandatory message was published."""
        message = Returnable(place, tag)
        self._waiting.append((message, identity))
        self._alike.setdefault(identity, deque()).append(message)
        if len(self._waiting) > _MOST:
            self._forgot = True
            self._pass()

    def processed_to_place(self, place: int) -> None:
        """What the client has said up to a place, the broker has processed."""
        while self._waiting and self._waiting[0][0].place <= place:
            self._pass()

    def processed_to_tag(self, tag: int) -> None:
        """The broker has processed all publishes up to a number."""
        while self._waiting and self._waiting[0][0].tag <= tag:
            self._pass()

    def _pass(self) -> None:
        message, identity = self._waiting.popleft()
        alike = self._alike.get(identity)
        if alike and alike[0] is message:
            self._take(identity, alike)
            self._late.add(identity, message.tag)

    def _take(self, identity: Identity, alike: deque[Returnable]) -> Returnable:
        message = alike.popleft()
        if not alike:
            del self._alike[identity]
        return message

    def match(
        self, identity: Identity, is_open: Callable[[int], bool], was_nacked: Callable[[int], bool]
    ) -> tuple[Returnable, bool] | None:
        """Return which message came back, and whether it can be no other; None if all may be.

        Raises:
            Refusal: it is none that may come back now.
        """
        alike = self._alike.get(identity)
        if alike:
            message = self._take(identity, alike)
            return message, not alike
        if self._forgot:
            return None
        raise self._unexpected(identity, is_open, was_nacked)

    def _unexpected(
        self,
        identity: Identity,
        is_open: Callable[[int], bool],
        was_nacked: Callable[[int], bool],
    ) -> Refusal:
        tag = self._late.get(identity)
        if tag is None:
            return Refusal(
                "ReturnedIsUnroutable",
                "the message that is returned is no mandatory one that may still come back",
            )
        if tag == 0 or is_open(tag):
            said = f"message {tag}" if tag else "the message"
            return Refusal("A6.1", f"{said} is returned after the broker has gone past it")
        name = "ReturnPrecedesNack" if was_nacked(tag) else "ReturnPrecedesAck"
        return Refusal(name, f"message {tag} is returned, and was settled before")
