"""The folder of a search: where everything lies, and what one finished level says of itself.

    search.json                          what is searched, and how it is laid out
    kernel.ll                            the compiled model, as text
    levels/00007.json                    what is known of a level: its manifest
    states/level=00007/part-00003.parquet    the states found on it
    index/part-00003/00001-00007.arrow   what a part has seen, see `ackproof.pipeline.index`
    lease/00002.json                     who makes levels, see `ackproof.pipeline.lease`

Nothing is ever changed.  A file is written beside its place, brought to the disk and renamed, and a
level exists once its manifest does; what a driver left behind that died before is written again,
with the same content.  So whoever opens the folder finds whole levels only, and can go on after the
last.  Each file has a seal (`ackproof.pipeline.sealed`), those of states in the manifest.

One driver at a time makes levels (`ackproof.pipeline.lease`).  A manifest is made once and never
replaced, and says which driver it was, by a number that grows: so what one has written that was
given up for dead is noticed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import msgspec
from ackproof.pipeline.sealed import FileChanged, read_document, sealed_document, write_once

__all__ = ["Folder", "Level", "offsets_of"]


class Level(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of one finished level: its manifest is this as JSON.

    Args:
        level: its number; that of the initial states is 1.
        token: the number of the driver that has made it.
        rows: how many states were found on it, by part.
        seals: the seals of their files, by part; of no file, where there are no states.
        generated: steps that were taken to get here; on the first level, its states.
        actions: how many of these were of each action, without those of which there were none.
        seen: bits of what was witnessed on the way and here.
        broken: the properties that some step on the way breaks, or that are false here.
        candidates: states that went through the shuffle.
        shuffled: bytes that did.
        stored: bytes that the states of the level take, without the index.
        runs: the names of the runs that hold all that was seen, by part.
        run_rows: and how many states each of them has.
        seconds: time taken.
        cut: states of the level before that were not expanded since a constraint is false there.
    """

    level: int
    token: int
    rows: tuple[int, ...]
    seals: tuple[str, ...]
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
    cut: int = 0

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

    @property
    def lease(self) -> Path:
        """Where drivers say that they are at work."""
        return self.root / "lease"

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
        """Return the finished levels, that of the initial states first.

        Raises:
            FileChanged: a manifest is not as it was written, or a driver has written it that had
                been given up for dead.
        """
        found: list[Level] = []
        while (path := self.manifest(len(found) + 1)).exists():
            level = _level(path)
            if level.level != len(found) + 1:
                raise FileChanged(path, f"is the manifest of level {level.level}")
            if found and level.token < found[-1].token:
                raise FileChanged(
                    path, f"is by driver {level.token}, and driver {found[-1].token} came after it"
                )
            found.append(level)
        return found

    def finish(self, level: Level) -> None:
        """Make a level exist, all of whose files are there.

        Raises:
            FileExistsError: another driver has done so.
        """
        write_once(self.manifest(level.level), sealed_document(msgspec.json.encode(level)))

    def forget(self, levels: int) -> None:
        """Remove what there may be of manifests behind so many levels."""
        for path in (self.root / "levels").glob("*.json"):
            if int(path.stem) > levels:
                path.unlink(missing_ok=True)

    def remedy(self, path: Path) -> str:
        """Say what to do about a file that is not as it was written."""
        kind = path.relative_to(self.root).parts[0] if path.is_relative_to(self.root) else ""
        if kind in ("levels", "states"):
            number = int((path.stem if kind == "levels" else path.parent.name).rpartition("=")[2])
            if number > 1:
                return (
                    f"remove {self.manifest(number)}, and add --resume: the search goes on after "
                    f"level {number - 1}"
                )
        elif kind != self.search.name:
            return "add --resume: the search goes on, and the file is made again"
        return "search anew in another folder"

    def drop_runs(self, before: Level, after: Level) -> None:
        """Remove the runs that later ones have taken in."""
        for part, (old, new) in enumerate(zip(before.runs, after.runs, strict=True)):
            for name in set(old) - set(new):
                self.run(part, name).unlink(missing_ok=True)


def offsets_of(rows: Sequence[int]) -> tuple[int, ...]:
    """Return the position of the first state of each part, from how many each has."""
    return (0, *accumulate(rows[:-1]))


def _level(path: Path) -> Level:
    try:
        return msgspec.json.decode(read_document(path), type=Level)
    except msgspec.DecodeError as error:
        raise FileChanged(path, f"is not the manifest of a level: {error}") from None
