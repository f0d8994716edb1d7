"""Splits: which task reads which bytes of which recording.

A split is a range of bytes.  A line belongs to the split that it begins in, and a row group of
Parquet to the one that its data begin in, so each is read once, wherever files are divided.  Sizes
are those at the beginning: what is appended meanwhile is for the next audit, and a task that is run
again reads the same.  A capture in several files is one split: each packet depends on those before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["SPLIT", "Split", "shared_out", "splits_of"]

#: Bytes that one task reads, about.
SPLIT = 32 << 20


@dataclass(frozen=True)
class Split:
    """A part of a recording.

    Args:
        recording: which one, from 0.
        start: its first byte.
        end: the first byte after it.
        size: bytes of the whole recording.
    """

    recording: int
    start: int
    end: int
    size: int


def splits_of(sizes: Sequence[Sequence[int]], most: int = SPLIT) -> list[Split]:
    """Divide recordings into splits of so many bytes at most; each has one.

    Args:
        sizes: of the files of each recording.
        most: bytes of a split; of several files there is one, whatever they have.
    """
    return [
        Split(recording, start, min(start + step, size), size)
        for recording, files in enumerate(sizes)
        for size in [sum(files)]
        for step in [most if len(files) == 1 else max(size, 1)]
        for start in range(0, max(size, 1), step)
    ]


def shared_out(splits: Sequence[Split], most: int = SPLIT) -> list[tuple[Split, ...]]:
    """Give each task so many bytes, or one split: small recordings share a task."""
    tasks: list[list[Split]] = []
    load = 0
    for split in splits:
        bytes_ = split.end - split.start
        if not tasks or load + bytes_ > most:
            tasks.append([])
            load = 0
        tasks[-1].append(split)
        load += bytes_
    return [tuple(task) for task in tasks]
