"""The folder of a search: where everything lies, and what one finished level says of itself.

    search.json                          what is searched, and how it is laid out
    kernel.ll                            the compiled model, as text
    levels/00007-00002.json              what is known of a level: its manifest, by driver 2
    states/level=00007/part-00003-00002.parquet    states found on it (`ackproof.pipeline.states`)
    index/part-00003/00001-00007.arrow   what a part has seen, see `ackproof.pipeline.index`
    lease/00002.json                     who makes levels, see `ackproof.pipeline.lease`

It may be a directory or lie in an object store (`ackproof.pipeline.places`).  Nothing is ever
changed.  A file is there with all of its content, and a level exists once its manifest does; what a
driver left behind that died before is made again.  So whoever opens the folder finds whole levels
only, and can go on after the last.  Each file has a seal (`ackproof.pipeline.sealed`), those of
states and of what was seen in the manifest.

One driver at a time makes levels (`ackproof.pipeline.lease`).  Manifests and files of states have
the number of their driver in their names, which grows: so none ever replaces another's, and of one
level that with the greatest number counts.  What a driver writes that was given up for dead is
behind that.  Of a run of the index the name says what is in it, whoever writes it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import msgspec
from ackproof.pipeline.places import Place
from ackproof.pipeline.sealed import FileChanged, read_document, sealed_document
from ackproof.pipeline.storage import placed

__all__ = ["Folder", "Level", "RunFile", "StatesFile", "offsets_of"]


class StatesFile(NamedTuple):
    """A file of states of a level: the first part that it has, and its seal.

    It has all parts up to the first of the next file.
    """

    first: int
    seal: str


class RunFile(NamedTuple):
    """A run of the index: its name, how many states it has, and the seal of its file."""

    name: str
    rows: int
    seal: str


class Level(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of one finished level: its manifest is this as JSON.

    Args:
        level: its number; that of the initial states is 1.
        token: the number of the driver that has made it.
        rows: how many states were found on it, by part.
        files: the files that these are in, in the order of the parts.
        generated: steps that were taken to get here; on the first level, its states.
        actions: how many of these were of each action, without those of which there were none.
        seen: bits of what was witnessed on the way and here.
        broken: the properties that some step on the way breaks, or that are false here.
        candidates: states that went through the shuffle.
        shuffled: bytes that did.
        stored: bytes that the states of the level take, without the index.
        runs: the runs of the index, by part.
        indexed: the last level whose states are in them; all before it are, too.
        seconds: time taken.
        cut: states of the level before that were not expanded since a constraint is false there.
    """

    level: int
    token: int
    rows: tuple[int, ...]
    files: tuple[StatesFile, ...]
    generated: int
    actions: dict[str, int]
    seen: int
    broken: tuple[str, ...]
    candidates: int
    shuffled: int
    stored: int
    runs: tuple[tuple[RunFile, ...], ...]
    indexed: int
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


@dataclass(frozen=True, init=False)
class Folder:
    """The files of one search, by what they hold.

    Attributes:
        root: the folder itself.
    """

    root: Place

    def __init__(self, root: Place | Path) -> None:
        object.__setattr__(self, "root", placed(root))

    @property
    def search(self) -> Place:
        """What is searched."""
        return self.root / "search.json"

    @property
    def kernel(self) -> Place:
        """The compiled model, as text."""
        return self.root / "kernel.ll"

    @property
    def lease(self) -> Place:
        """Where drivers say that they are at work."""
        return self.root / "lease"

    def states(self, level: int, part: int, token: int) -> Place:
        """The states of a part on a level, and of parts behind it in the same file, by a driver."""
        name = f"part-{part:05d}-{token:05d}.parquet"
        return self.root / "states" / f"level={level:05d}" / name

    def run(self, part: int, name: str) -> Place:
        """A run of the index of a part."""
        return self.root / "index" / f"part-{part:05d}" / f"{name}.arrow"

    def manifest(self, level: int, token: int) -> Place:
        """What is known of a level that a driver has made."""
        return self._levels / f"{level:05d}-{token:05d}.json"

    @property
    def _levels(self) -> Place:
        return self.root / "levels"

    # -- levels ---------------------------------------------------------------------------------

    def levels(self) -> list[Level]:
        """Return the finished levels, that of the initial states first.

        Raises:
            FileChanged: a manifest is not as it was written, or a driver has written it that had
                been given up for dead.
        """
        found: list[Level] = []
        manifests = self._manifests()
        while len(found) + 1 in manifests:
            path = manifests[len(found) + 1][-1]
            level = _level(path)
            if (level.level, level.token) != _numbers(path):
                raise FileChanged(path, f"is by driver {level.token}, of level {level.level}")
            if found and level.token < found[-1].token:
                raise FileChanged(
                    path, f"is by driver {level.token}, and driver {found[-1].token} came after it"
                )
            found.append(level)
        return found

    def _manifests(self) -> dict[int, list[Place]]:
        """Return the manifests by level, those of one level in the order of their drivers."""
        found: dict[int, list[Place]] = {}
        for path in sorted(self._levels.files(), key=_numbers):
            found.setdefault(_numbers(path)[0], []).append(path)
        return found

    def finish(self, level: Level) -> None:
        """Make a level exist, all of whose files are there."""
        path = self.manifest(level.level, level.token)
        path.write(sealed_document(msgspec.json.encode(level)))

    def forget(self, levels: int) -> None:
        """Remove manifests behind so many levels, and those that do not count."""
        for number, paths in self._manifests().items():
            for path in paths[: None if number > levels else -1]:
                path.unlink(missing_ok=True)

    def remedy(self, path: object) -> str:
        """Say what to do about a file that is not as it was written."""
        kind, *rest = str(path).removeprefix(f"{self.root}/").split("/")
        if kind in ("levels", "states"):
            number = int(re.findall(r"\d+", rest[0])[0])
            if number > 1:
                return (
                    f"remove {self._levels}/{number:05d}-*.json, and add --resume: the search goes "
                    f"on after level {number - 1}"
                )
        elif kind != self.search.name:
            return "add --resume: the search goes on, and the file is made again"
        return "search anew in another folder"

    def drop_strangers(self, level: Level) -> None:
        """Remove files of states that are not those of a level: drivers before have left them."""
        own = {self.states(level.level, file.first, level.token).name for file in level.files}
        for path in self.states(level.level, 0, 0).parent.files():
            if path.name not in own:
                path.unlink(missing_ok=True)

    def drop_runs(self, before: Level, after: Level) -> None:
        """Remove the runs that later ones have taken in."""
        for part, (old, new) in enumerate(zip(before.runs, after.runs, strict=True)):
            for name in {run.name for run in old} - {run.name for run in new}:
                self.run(part, name).unlink(missing_ok=True)


def offsets_of(rows: Sequence[int]) -> tuple[int, ...]:
    """Return the position of the first state of each part, from how many each has."""
    return (0, *accumulate(rows[:-1]))


def _numbers(path: Place) -> tuple[int, int]:
    """Return the level and the driver that the name of a manifest has."""
    try:
        level, token = map(int, path.stem.split("-"))
    except ValueError:
        raise FileChanged(path, "has not the name of a manifest") from None
    return level, token


def _level(path: Place) -> Level:
    try:
        return msgspec.json.decode(read_document(path), type=Level)
    except msgspec.DecodeError as error:
        raise FileChanged(path, f"is not the manifest of a level: {error}") from None
