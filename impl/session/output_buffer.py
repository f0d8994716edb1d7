"""What one connection has to say and has not written yet.

It is *full* when it has come to so much that nothing should be delivered to the client before some
of it is written; what has to be said is taken all the same.
"""

from __future__ import annotations

__all__ = ["OutputBuffer"]

#: Bytes from which on it is full.
_HIGH = 1 << 18


class OutputBuffer:
    """Bytes, in the order in which they are to be written."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    @property
    def full(self) -> bool:
        """Tell whether nothing should be delivered before some of it is written."""
        return self._size >= _HIGH

    def add(self, data: bytes) -> None:
        """Take in bytes."""
        self._pieces.append(data)
        self._size += len(data)

    def take(self) -> bytes:
        """Return everything, once."""
        taken = b"".join(self._pieces)
        self.clear()
        return taken

    def clear(self) -> None:
        """Throw everything away."""
        self._pieces.clear()
        self._size = 0
