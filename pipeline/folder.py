"""The folder of a search: where everything lies, and what one finished level says of itself.

    search.json                          what is searched, and how it is laid out
    kernel.ll                            the compiled model, as text
    levels/00007.json                    what is known of a level: its manifest
    states/level=00007/part-00003.parquet    the states found on it
    index/part-00003/00001-00007.arrow   what a part has seen, see `ackproof.pipeline.index`

Nothing is ever changed.  A file is written beside its place and renamed, and a level exists once
its manifest does; what a driver left behind that died before is written again, with the same
content.  So whoever opens the folder finds whole levels only, and can go on after the last.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from ackproof.pipeline.errors import SearchRefused

__all__ = ["Folder", "Level", "arrived", "offsets_of", "write_text"]

#: Seconds in which a file is seen on all machines.
_ARRIVAL = 60.0


class Level(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of one finished level: its manifest is this as JSON.

    Args:
        level: its number; the initial state's is 1.
        rows: how many states were found on it, by part.
        generated: steps that were taken to get here, and 1 for the initial state.
        actions: how many of these were of each action, without those of which there were none.
        seen: bits of what was witnessed on the way and here.
        broken: the properties that some step on the way breaks, or that are false here.
        candidates: states that went through the shuffle.
        shuffled: bytes that did.
        stored: bytes that the states of the level take, without the index.
        runs: the names of the runs that hold all that was seen, by part.
        run_rows: and how many states each of them has.
        seconds: time taken.
    """

    level: int
    rows: tuple[int, ...]
    generated: int
    actions: dict[str, int]
    seen: int
    broken: tuple[str, ...]
    candidates: int
    shuffled: int
    stored: int
    runs: tuple[tuple[str, ...], ...]
    run_rows: tuple[tuple[int, ...], ...]
    seconds: float

    @property
    def states(self) -> int:
        """How many states were found on the level."""
        return sum(self.rows)

    @property
    def offsets(self) -> tuple[int, ...]:
        """The position of the first state of each part."""
        return offsets_of(self.rows)


class Folder:
    """The files of one search, by what they hold."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def search(self) -> Path:
        """What is searched."""
        return self.root / "search.json"

    @property
    def kernel(self) -> Path:
        """The compiled model, as text."""
        return self.root / "kernel.ll"

    def states(self, level: int, part: int) -> Path:
        """The states that a part found on a level."""
        return self.root / "states" / f"level={level:05d}" / f"part-{part:05d}.parquet"

    def run(self, part: int, name: str) -> Path:
        """A run of the index of a part."""
        return self.root / "index" / f"part-{part:05d}" / f"{name}.arrow"

    def manifest(self, level: int) -> Path:
        """What is known of a level."""
        return self.root / "levels" / f"{level:05d}.json"

    # -- levels ---------------------------------------------------------------------------------

    def levels(self) -> list[Level]:
        """Return the finished levels, the initial state's first.

        Raises:
            SearchRefused: a manifest cannot be read.
        """
        found: list[Level] = []
        while (path := self.manifest(len(found) + 1)).exists():
            found.append(_level(path))
        return found

    def verify(self, levels: Sequence[Level]) -> None:
        """Make sure that all files of finished levels are whole, as after a loss of power.

        Raises:
            SearchRefused: one is missing, or has been cut off.
        """
        for level in levels:
            for part, rows in enumerate(level.rows):
                if rows:
                    _verify(self.states(level.level, part), rows, _parquet_rows)
        last = levels[-1]
        for part, (names, sizes) in enumerate(zip(last.runs, last.run_rows, strict=True)):
            for name, rows in zip(names, sizes, strict=True):
                _verify(self.run(part, name), rows, _arrow_rows)

    def finish(self, level: Level) -> None:
        """Make a level exist, all of whose files are there, and forget the runs before it."""
        write_text(self.manifest(level.level), msgspec.json.encode(level).decode() + "\n")

    def drop_runs(self, before: Level, after: Level) -> None:
        """Remove the runs that later ones have taken in."""
        for part, (old, new) in enumerate(zip(before.runs, after.runs, strict=True)):
            for name in set(old) - set(new):
                self.run(part, name).unlink(missing_ok=True)


def offsets_of(rows: Sequence[int]) -> tuple[int, ...]:
    """Return the position of the first state of each part, from how many each has."""
    return (0, *accumulate(rows[:-1]))


def arrived(path: Path) -> Path:
    """Return the path of a file that another machine has written, once it can be seen here.

    A shared folder may show what others do with a delay.

    Raises:
        FileNotFoundError: it does not come.
    """
    deadline = time.monotonic() + _ARRIVAL
    while not path.exists():
        if time.monotonic() > deadline:
            raise FileNotFoundError(f"{path} is missing; is the folder the same on all machines?")
        time.sleep(0.05)
    return path


def write_text(path: Path, text: str) -> None:
    """Write a file that is there with all of its text, or not at all, also after a crash."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def _verify(path: Path, rows: int, rows_of: Callable[[Path], int]) -> None:
    try:
        found = rows_of(path)
    except (OSError, pa.ArrowException) as error:
        raise _damaged(path, str(error).splitlines()[0]) from None
    if found != rows:
        raise _damaged(path, f"it has {found:,} states and not {rows:,}")


def _damaged(path: Path, what: str) -> SearchRefused:
    return SearchRefused(f"{path} is not whole: {what}\n  instead: search anew in another folder")


def _parquet_rows(path: Path) -> int:
    return int(pq.read_metadata(path).num_rows)


def _arrow_rows(path: Path) -> int:
    with pa.memory_map(str(path)) as file:
        return int(pa.ipc.open_file(file).read_all().num_rows)


def _level(path: Path) -> Level:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Level)
    except (OSError, msgspec.DecodeError) as error:
        raise SearchRefused(
            f"{path} is not the manifest of a level: {error}\n"
            "  instead: search anew in another folder"
        ) from None
