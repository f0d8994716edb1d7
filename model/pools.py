"""Work that is done in pieces, wherever that is: in processes of this machine, or on others.

A piece is a function's arguments, as plain data.  Whoever is given one loads by its name what it
needs, as the process that gave it did; so it makes no difference where that is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

__all__ = ["Piece", "Pool"]

T = TypeVar("T")


@dataclass(frozen=True)
class Piece:
    """A piece of work.

    Args:
        name: what it is called where it fails.
        arguments: what the function is called with.
        size: how long it takes, in any unit; 0 if that is not known.
    """

    name: str
    arguments: tuple[Any, ...]
    size: int = 0


class Pool(Protocol):
    """Where pieces run, several at once.

    Attributes:
        few: so many pieces at once are done sooner without it.
    """

    few: int

    def memory(self, limit: int | None) -> int:
        """Return the bytes that a piece may take, where those of a machine may take a limit.

        Args:
            limit: that; most of what is available if it is None.
        """
        ...

    def run(self, work: Callable[..., T], pieces: Sequence[Piece], noun: str) -> Iterator[T]:
        """Yield what a function returns for each piece, in order.

        An interruption ends all work, and is raised; what is finished up to the first piece that
        is not has been yielded.

        Args:
            work: called with the arguments of a piece, in some process.
            pieces: what it is called with.
            noun: what the pieces are called.
        """
        ...
