"""How long a queue may become: the arguments x-max-length, x-max-length-bytes and x-overflow.

The specification limits a queue by a number of messages (B5), and decides by that alone.  A limit
in bytes is turned into one, for the moment at which something is decided: it is as many messages
as there is room for.  What counts are the bodies of what is ready (B5.1, B5.3).
"""

from __future__ import annotations

from ackproof.impl.machines.publication import content_of
from ackproof.impl.wire.content import Message
from ackproof.impl.wire.tables import Table
from ackproof.spec.queue import QueueMaster
from ackproof.spec.sorts import Overflow

__all__ = ["LengthLimit"]

_LENGTH, _BYTES, _OVERFLOW = "x-max-length", "x-max-length-bytes", "x-overflow"
_DROP_HEAD, _REJECT_WITH_DEAD_LETTER = "drop-head", "reject-publish-dlx"


class LengthLimit:
    """The limit of one queue; sets the constants of its machine.

    Args:
        machine: of the queue.
        arguments: of the queue, as they were checked.

    Attributes:
        exists: there is a limit; if not, nothing of this matters.
        dead_letters_refused: what is refused is not only refused (B5.5).
    """

    def __init__(self, machine: QueueMaster, arguments: Table) -> None:
        self._machine = machine
        self._messages: int | None = arguments.get(_LENGTH)
        self._bytes: int | None = arguments.get(_BYTES)
        self._ready_bytes = 0
        self.exists = self._messages is not None or self._bytes is not None
        overflow = arguments.get(_OVERFLOW, _DROP_HEAD)
        self.dead_letters_refused = overflow == _REJECT_WITH_DEAD_LETTER
        machine.limited = self.exists
        if overflow != _DROP_HEAD:
            machine.overflow = Overflow.REJECT_PUBLISH

    def expect(self, size: int) -> None:
        """A message with a body of so many bytes arrives: set the limit that it meets."""
        full = self._bytes is not None and self._ready_bytes + size > self._bytes
        self._allow(len(self._machine.ready) + (not full))

    def measure(self) -> None:
        """Set the limit that those meet that are ready: one has to go if it is too much."""
        over = self._bytes is not None and self._ready_bytes > self._bytes
        self._allow(len(self._machine.ready) - over)

    def _allow(self, most: int) -> None:
        bounds = [most] if self._messages is None else [most, self._messages]
        self._machine.max_length = min(bounds)

    def enters(self, message: Message) -> None:
        """A message is ready from now on."""
        self._ready_bytes += len(message.body)

    def leaves(self, message: Message) -> None:
        """A message is not ready any more."""
        self._ready_bytes -= len(message.body)

    def recount(self) -> None:
        """The queue has begun anew."""
        self._ready_bytes = sum(len(content_of(msg).body) for msg in self._machine.ready)
