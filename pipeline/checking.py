"""Whether all files of finished levels are as they were written, looked at before going on.

Each part reads its own files once, and compares them with their seals.  States that were changed
are lost, and it is said which.  An index that was changed, or is gone, is made again from the
states: it holds nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pyarrow as pa
from ackproof.pipeline.expanding import batches_of, read_states
from ackproof.pipeline.folder import Folder, Level, RunFile
from ackproof.pipeline.index import Run, read_run, write_run
from ackproof.pipeline.jobs import ask
from ackproof.pipeline.ordering import fingerprints
from ackproof.pipeline.sealed import FileChanged, require_seal
from ackproof.pipeline.session import Session

if TYPE_CHECKING:
    from ackproof.model.kernel.batches import States

__all__ = ["checked"]


@dataclass(frozen=True)
class _Files:
    """What is asked of each part: whether its files are as they were written.

    Args:
        folder: the files of the search.
        rows: how many states each part has, by level.
        seals: the seals of their files.
        runs: the runs that hold all that was seen, by part; None if nothing is to be looked up in
            them any more.
    """

    folder: Folder
    rows: tuple[tuple[int, ...], ...]
    seals: tuple[tuple[str, ...], ...]
    runs: tuple[tuple[RunFile, ...], ...] | None

    def __call__(self, part: int) -> dict[str, Any]:
        """Return the level whose states were changed, and what is wrong; and whether a run was."""
        for level, (rows, seals) in enumerate(zip(self.rows, self.seals, strict=True), start=1):
            if rows[part]:
                try:
                    require_seal(self.folder.states(level, part), seals[part])
                except FileChanged as error:
                    return {"changed": level, "what": error.what, "index": False}
        return {"changed": None, "what": "", "index": self._index(part)}

    def _index(self, part: int) -> bool:
        """Tell whether runs of a part were changed."""
        if self.runs is None:
            return False
        try:
            for name, rows, seal in self.runs[part]:
                path = self.folder.run(part, name)
                if not path.exists() or len(read_run(path, seal)) != rows:
                    return True
        except (FileChanged, pa.ArrowException, OSError):
            return True
        return False


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


def checked(
    session: Session, folder: Folder, levels: Sequence[Level], *, alone: bool
) -> list[Level]:
    """Return finished levels all of whose files are as they were written.

    Args:
        session: where jobs run.
        folder: the files.
        levels: as their manifests say; the last may get another index.
        alone: whether the driver does it itself.

    Raises:
        FileChanged: states were changed.
    """
    last = levels[-1]
    rows, seals = tuple(x.rows for x in levels), tuple(x.seals for x in levels)
    # A finished search looks nothing up any more.
    runs = last.runs if last.states else None
    files, parts = _Files(folder, rows, seals, runs), len(last.rows)
    answers = ask(session, files, parts, "comparing files with their seals", alone=alone)
    for answer in answers:
        if answer["changed"] is not None:
            path = folder.states(answer["changed"], answer["part"])
            raise FileChanged(path, answer["what"])
    doubtful = tuple(int(answer["part"]) for answer in answers if answer["index"])
    if not doubtful:
        return list(levels)
    again = _Again(folder, rows, seals, doubtful)
    made = ask(session, again, len(doubtful), "making the index again", alone=alone)
    mended = list(last.runs)
    for answer in made:
        mended[answer["of"]] = (RunFile(*answer["run"]),)
    return [*levels[:-1], msgspec.structs.replace(last, runs=tuple(mended))]
