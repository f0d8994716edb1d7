"""Whether what finished levels have left is whole, and what the index of it lacks.

Before a search goes on each file is read once, and compared with its seal.  States that were
changed are lost, and it is said which.  The index holds nothing but states: when it was changed, or
is gone, it is made again from them, and what was found by somebody who makes levels without it is
added.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from ackproof.pipeline.crew import Crew
from ackproof.pipeline.expanding import batches_of
from ackproof.pipeline.folder import Folder, Level, RunFile
from ackproof.pipeline.index import Run, appended, read_run
from ackproof.pipeline.ordering import fingerprints
from ackproof.pipeline.sealed import FileChanged, require_seal
from ackproof.pipeline.states import LevelStates

__all__ = ["indexed", "require_whole"]


@dataclass(frozen=True)
class _Files:
    """What is asked of each part: whether files that begin with it are as they were written."""

    levels: tuple[LevelStates, ...]

    def __call__(self, part: int) -> dict[str, Any]:
        """Return the level whose file was changed, and what is wrong with it."""
        for level in self.levels:
            at = bisect_left(level.files, part, key=lambda file: file.first)
            if at < len(level.files) and level.files[at].first == part:
                path = level.path_of(level.files[at])
                try:
                    require_seal(path, level.files[at].seal)
                except FileChanged as error:
                    return {"changed": level.level, "what": error.what}
        return {"changed": None, "what": ""}


@dataclass(frozen=True)
class _Index:
    """What is asked of each part: to see that its index has its states up to some level.

    Args:
        levels: all levels up to that.
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
        if not self.doubted:
            return {"runs": self._completed(part, self.runs[part], self.indexed + 1)}
        whole = self._whole(part)
        runs = self._completed(part, self.runs[part] if whole else (), 1 + whole * self.indexed)
        named = {run.name for run in (*self.runs[part], *runs)} if whole else {r.name for r in runs}
        for path in self._folder.run(part, "").parent.files():
            # Another driver has left it, or it is not what it should be.
            if path.stem not in named:
                path.unlink(missing_ok=True)
        return {"runs": runs}

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

    def _completed(self, part: int, runs: Sequence[RunFile], first: int) -> list[RunFile]:
        """Add to the index of a part the states of all levels from one on; return its runs."""
        words = batches_of(self._folder).code.words
        found = [level.read(part, words) for level in self.levels[first - 1 :]]
        states = np.concatenate([np.empty((0, words), np.uint64), *found])
        prints = fingerprints(states)
        order = np.argsort(prints, kind="stable")
        run = Run.of(prints[order], states[order])
        return appended(self._folder, part, runs, run, first, len(self.levels))


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
            level = levels[answer["changed"] - 1]
            path = folder.states(level.level, answer["part"], level.token)
            raise FileChanged(path, answer["what"])


def indexed(
    crew: Crew, folder: Folder, levels: Sequence[Level], upto: int, *, doubted: bool
) -> Level:
    """Return the last of some finished levels, with an index of what was seen up to one of them.

    Args:
        crew: who adds to the index what is missing, and makes again what of it was changed.
        folder: the files.
        levels: as their manifests say.
        upto: up to which of them the index has states afterwards.
        doubted: whether what there is of it may have changed.

    Raises:
        FileChanged: states were changed that it is to be made of.
    """
    last = levels[-1]
    found = tuple(LevelStates.on(folder, level) for level in levels[:upto])
    question = _Index(found, last.indexed, last.runs, doubted)
    answers = crew.ask(question, len(last.rows), "the index of what was seen")
    runs = tuple(tuple(RunFile(*run) for run in answer["runs"]) for answer in answers)
    return msgspec.structs.replace(last, runs=runs, indexed=upto)
