"""Who watches connections: what they send and hear, and whether they have to wait for something.

It is a scenario (`ackproof.impl.staging.scenario_run`), of which sessions know no more than this.
"""

from __future__ import annotations

from typing import Protocol

__all__ = ["Watch"]


class Watch(Protocol):
    """What is told of the methods of all connections, by the numbers of those."""

    @property
    def due(self) -> bool:
        """Tell whether something is to happen before any more input is processed."""

    def sent(self, connection: int, index: int) -> None:
        """A method of a client, by its index, was processed, with its content if it has some."""

    def heard(self, connection: int, frame: bytes) -> None:
        """A client is told something; these are the bytes, with the method first."""

    def ended(self, connection: int) -> None:
        """A client is gone."""
