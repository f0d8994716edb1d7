"""Rotation: a capture that was written in pieces, one file after the other.

Who captures for long begins a new file every so often, and connections go on from one to the next.
Files are taken for pieces of one capture if they are in one folder, are called captures, and have
names that differ in numbers only, as `dumpcap -b` and `tcpdump -C`, `-G` and `-W` write them:
`traffic_00002_20261127120000.pcap`, `traffic-12.pcap`, `traffic.pcap2`.  Their order is that of
their first packets, since numbers of a ring begin again; where these are of the same time, it is
that of the numbers.

A piece goes on where the one before has ended.  One that begins earlier does not: it is of another
machine, or a clock was set back.  No connection goes on there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from ackproof.conform.capture.files import ENDINGS, packets
from ackproof.conform.schema import RecordingError
from ackproof.conform.sources import Source

__all__ = ["Clock", "called_capture", "in_order", "pieces_of_captures"]

T = TypeVar("T")
S = TypeVar("S", bound=Source)

_CALLED = re.compile(rf"({'|'.join(map(re.escape, ENDINGS))})\d*\Z")
#: Seconds by which packets at the end of a piece may be later than the first of the next one.
_SLACK = 1.0
_BEFORE_ALL = float("-inf")


def called_capture(name: str) -> bool:
    """Tell whether a file is called a capture, or a piece of one."""
    return _CALLED.search(_asked(name)) is not None


def pieces_of_captures(files: Sequence[T], path: Callable[[T], str] = str) -> list[list[T]]:
    """Return files with those together that are pieces of one capture, by their names.

    Args:
        files: captures, or whatever else.
        path: returns the path of one, or its address.
    """
    found: dict[tuple[str, str], list[T]] = {}
    for number, file in enumerate(files):
        folder, slash, last = _place(path(file)).rpartition("/")
        alike = re.sub(r"\d+", "/", last).removesuffix("/")
        key = (folder + slash, alike if called_capture(last) else f"{number}/")
        found.setdefault(key, []).append(file)
    return [sorted(pieces, key=lambda file: _named(path(file))) for pieces in found.values()]


def _named(path: str) -> tuple[list[int], str]:
    """Return by what pieces are sorted: the numbers in their names."""
    place = _place(path)
    return [int(digits) for digits in re.findall(r"\d+", place.rpartition("/")[2])], place


def _place(path: str) -> str:
    """Return where a file is, however it was named."""
    return _asked(path) if "://" in path else os.path.realpath(path)


def _asked(path: str) -> str:
    """Return an address without what is told to the store, or a path as it is."""
    return path.partition("?")[0] if "://" in path else path


def in_order(pieces: Sequence[S]) -> list[S]:
    """Return the pieces of a capture in the order of their first packets."""
    return sorted(pieces, key=_first) if len(pieces) > 1 else list(pieces)


def _first(piece: Source) -> float:
    try:
        packet = next(packets(piece), None)
    except (RecordingError, OSError):  # whoever reads it is told
        return _BEFORE_ALL
    return _BEFORE_ALL if packet is None else packet.time


class Clock:
    """The times of packets, piece after piece."""

    def __init__(self) -> None:
        self._last = _BEFORE_ALL

    def goes_on(self, first: float) -> bool:
        """Tell whether a piece goes on here whose first packet has this time."""
        return first >= self._last - _SLACK

    def pass_to(self, last: float) -> None:
        """Packets have been seen, the last of them at this time; one before may have been wrong."""
        self._last = last
