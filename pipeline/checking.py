"""Whether what finished levels have left is whole, and what the index of it lacks.

Before a search goes on each part reads its own files once, and compares them with their seals.
States that were changed are lost, and it is said which.  The index holds nothing but states: when
it was changed, or is gone, it is made again from them, and what was found by somebody who makes
levels without it is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from ackproof.pipeline.crew import Crew
from ackproof.pipeline.expanding import batches_of
from ackproof.pipeline.folder import Folder, Level, RunFile
from ackproof.pipeline.index import Run, read_run, write_run
from ackproof.pipeline.ordering import fingerprints
from ackproof.pipeline.sealed import FileChanged, require_seal
from ackproof.pipeline.states import LevelStates

__all__ = ["indexed", "require_whole"]


@dataclass(frozen=True)
class _Files:
    """What is asked of each part: whether files that begin with it are as they were written."""

    levels: tuple[LevelStates, ...]

    def __call__(self, part: int) -> dict[str, Any]:
        """Return the file of states that was changed, and what is wrong."""
        for level in self.levels:
            for file in level.files:
                if file.first == part:
                    path = level.path_of(file)
                    try:
                        require_seal(path, file.seal)
                    except FileChanged as error:
                        return {"changed": level.level, "what": error.what}
        return {"changed": None, "what": ""}


@dataclass(frozen=True)
class _Index:
    """What is asked of each part: to see that its index has all of its states.

    Args:
        levels: all levels.
        indexed: the last of them that the index has.
        runs: the runs of it, by part.
        doubted: whether they are to be looked at.
    """

    levels: tuple[LevelStates, ...]
    indexed: int
    runs: tuple[tuple[RunFile, ...], ...]
    doubted: bool

    def __call__(self, part: int) -> dict[str, Any]:
        """Add what the index lacks, as one run; return the runs that it has then."""
        runs = list(self.runs[part])
        if not self.doubted or self._whole(part):
            missing = self._write(part, self.indexed + 1)
        else:
            runs, missing = [], self._write(part, 1)
            names = {run.name for run in missing}
            for path in self._folder.run(part, "").parent.files():
                if path.stem not in names:
                    path.unlink()
        return {"runs": runs + missing}

    @property
    def _folder(self) -> Folder:
        return self.levels[-1].folder

    def _whole(self, part: int) -> bool:
        """Tell whether a part has the runs that it should have, and as they were written."""
        try:
            for name, rows, seal in self.runs[part]:
                path = self._folder.run(part, name)
                if not path.exists() or len(read_run(path, seal)) != rows:
                    return False
        except (FileChanged, pa.ArrowException, OSError):
            return False
        seen = sum(level.rows[part] for level in self.levels[: self.indexed])
        return sum(run.rows for run in self.runs[part]) == seen

    def _write(self, part: int, first: int) -> list[RunFile]:
        """Write a run with the states of all levels from one on; return it, or nothing."""
        words = batches_of(self._folder).code.words
        found = [level.read(part, words) for level in self.levels[first - 1 :]]
        states = np.concatenate([np.empty((0, words), np.uint64), *found])
        if not len(states):
            return []
        prints = fingerprints(states)
        order = np.argsort(prints, kind="stable")
        name = f"{first:05d}-{len(self.levels):05d}"
        run = Run.of(prints[order], states[order])
        stored = write_run(self._folder.run(part, name), run)
        return [RunFile(name, len(states), stored.seal)]


def require_whole(crew: Crew, folder: Folder, levels: Sequence[Level]) -> None:
    """Return if all states of finished levels are as they were written.

    Args:
        crew: who looks at them.
        folder: the files.
        levels: as their manifests say.

    Raises:
        FileChanged: states were changed.
    """
    files = _Files(tuple(LevelStates.on(folder, level) for level in levels))
    answers = crew.ask(files, len(levels[-1].rows), "comparing files with their seals")
    for answer in answers:
        if answer["changed"] is not None:
            path = folder.states(answer["changed"], answer["part"])
            raise FileChanged(path, answer["what"])


def indexed(crew: Crew, folder: Folder, levels: Sequence[Level], *, doubted: bool) -> Level:
    """Return the last of some finished levels, with an index of all states that were seen.

    Args:
        crew: who adds to the index what is missing, and makes again what of it was changed.
        folder: the files.
        levels: as their manifests say.
        doubted: whether what there is of it may have changed.

    Raises:
        FileChanged: states were changed that it is to be made of.
    """
    last, found = levels[-1], tuple(LevelStates.on(folder, level) for level in levels)
    question = _Index(found, last.indexed, last.runs, doubted)
    answers = crew.ask(question, len(last.rows), "the index of what was seen")
    runs = tuple(tuple(RunFile(*run) for run in answer["runs"]) for answer in answers)
    return msgspec.structs.replace(last, runs=runs, indexed=last.level)
