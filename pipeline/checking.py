"""Whether all files of finished levels are as they were written, looked at before going on.

Each part reads its own files once, and compares them with their seals.  States that were changed
are lost, and it is said which.  An index that was changed, or is gone, or was never made, is made
from the states by whoever is to look something up in it: it holds nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pyarrow as pa
from ackproof.pipeline.crew import Crew
from ackproof.pipeline.expanding import batches_of, read_states
from ackproof.pipeline.folder import Folder, Level, RunFile
from ackproof.pipeline.index import Run, read_run, write_run
from ackproof.pipeline.ordering import fingerprints
from ackproof.pipeline.sealed import FileChanged, require_seal

if TYPE_CHECKING:
    from ackproof.model.kernel.batches import States

__all__ = ["indexed", "require_whole"]


@dataclass(frozen=True)
class _Files:
    """What is asked of each part: whether its states are as they were written.

    Args:
        folder: the files of the search.
        rows: how many states each part has, by level.
        seals: the seals of their files.
    """

    folder: Folder
    rows: tuple[tuple[int, ...], ...]
    seals: tuple[tuple[str, ...], ...]

    def __call__(self, part: int) -> dict[str, Any]:
        """Return the level whose states were changed, and what is wrong."""
        for level, (rows, seals) in enumerate(zip(self.rows, self.seals, strict=True), start=1):
            if rows[part]:
                try:
                    require_seal(self.folder.states(level, part), seals[part])
                except FileChanged as error:
                    return {"changed": level, "what": error.what}
        return {"changed": None, "what": ""}


@dataclass(frozen=True)
class _Runs:
    """What is asked of each part: whether its index has all that was seen.

    Args:
        folder: the files of the search.
        seen: how many states each part has seen.
        runs: the runs that it has, by part.
    """

    folder: Folder
    seen: tuple[int, ...]
    runs: tuple[tuple[RunFile, ...], ...]

    def __call__(self, part: int) -> dict[str, Any]:
        """Tell whether it has, and all of it is as it was written."""
        runs = self.runs[part]
        # Whoever has no use for an index makes levels without one.
        whole = sum(run.rows for run in runs) == self.seen[part]
        try:
            for name, rows, seal in runs if whole else ():
                path = self.folder.run(part, name)
                whole = whole and path.exists() and len(read_run(path, seal)) == rows
        except (FileChanged, pa.ArrowException, OSError):
            whole = False
        return {"whole": whole}


@dataclass(frozen=True)
class _Again:
    """What is asked of a part then: to make its index again, as one run of all its states."""

    folder: Folder
    rows: tuple[tuple[int, ...], ...]
    seals: tuple[tuple[str, ...], ...]
    parts: tuple[int, ...]

    def __call__(self, part: int) -> dict[str, Any]:
        """Write the index of one of the parts, by its place among them; return its run."""
        folder, part = self.folder, self.parts[part]
        words = batches_of(folder).code.words
        found: list[States] = []
        for level, (rows, seals) in enumerate(zip(self.rows, self.seals, strict=True), start=1):
            path = folder.states(level, part)
            found.append(read_states(path, words, rows[part], seals[part]))
        states = np.concatenate(found)
        prints = fingerprints(states)
        order = np.argsort(prints, kind="stable")
        name = f"00001-{len(self.rows):05d}"
        stored = write_run(folder.run(part, name), Run.of(prints[order], states[order]))
        for path in folder.run(part, name).parent.files():
            if path.stem != name:
                path.unlink()
        return {"of": part, "run": RunFile(name, len(states), stored.seal)}


def require_whole(crew: Crew, folder: Folder, levels: Sequence[Level]) -> None:
    """Return if all states of finished levels are as they were written.

    Args:
        crew: who looks at them.
        folder: the files.
        levels: as their manifests say.

    Raises:
        FileChanged: states were changed.
    """
    files = _Files(folder, tuple(x.rows for x in levels), tuple(x.seals for x in levels))
    answers = crew.ask(files, len(levels[-1].rows), "comparing files with their seals")
    for answer in answers:
        if answer["changed"] is not None:
            path = folder.states(answer["changed"], answer["part"])
            raise FileChanged(path, answer["what"])


def indexed(crew: Crew, folder: Folder, levels: Sequence[Level]) -> Level:
    """Return the last of some finished levels, with an index of all states that were seen.

    Args:
        crew: who looks at the index, and makes again what of it is missing or was changed.
        folder: the files.
        levels: as their manifests say.

    Raises:
        FileChanged: states were changed that it is to be made of.
    """
    last = levels[-1]
    rows, seals = tuple(x.rows for x in levels), tuple(x.seals for x in levels)
    seen = tuple(map(sum, zip(*rows, strict=True)))
    answers = crew.ask(_Runs(folder, seen, last.runs), len(seen), "looking at the index")
    doubtful = tuple(int(answer["part"]) for answer in answers if not answer["whole"])
    if not doubtful:
        return last
    again = _Again(folder, rows, seals, doubtful)
    mended = list(last.runs)
    for answer in crew.ask(again, len(doubtful), "making the index again"):
        mended[answer["of"]] = (RunFile(*answer["run"]),)
    return msgspec.structs.replace(last, runs=tuple(mended))
