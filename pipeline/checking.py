"""Whether all files of finished levels are as they were written, looked at before going on.

Each part reads its own files once, and compares them with their seals.  States that were changed
are lost, and it is said which.  An index that was changed, or is gone, is made again from the
states: it holds nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pyarrow as pa
from ackproof.pipeline.expanding import batches_of, read_states
from ackproof.pipeline.folder import Folder, Level
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
        root: the folder of the search.
        rows: how many states each part has, by level.
        seals: the seals of their files.
        runs: the names of the runs that hold all that was seen, by part; None if nothing is to be
            looked up in them any more.
        run_rows: and how many states each of them has.
    """

    root: str
    rows: tuple[tuple[int, ...], ...]
    seals: tuple[tuple[str, ...], ...]
    runs: tuple[tuple[str, ...], ...] | None
    run_rows: tuple[tuple[int, ...], ...]

    def __call__(self, part: int) -> dict[str, Any]:
        """Return the file of states that was changed, and what is wrong; and whether a run was."""
        folder = Folder(Path(self.root))
        for level, (rows, seals) in enumerate(zip(self.rows, self.seals, strict=True), start=1):
            if rows[part]:
                try:
                    require_seal(folder.states(level, part), seals[part])
                except FileChanged as error:
                    return {"changed": str(error.path), "what": error.what, "index": False}
        return {"changed": None, "what": "", "index": self._index(folder, part)}

    def _index(self, folder: Folder, part: int) -> bool:
        """Tell whether runs of a part were changed."""
        if self.runs is None:
            return False
        try:
            for name, rows in zip(self.runs[part], self.run_rows[part], strict=True):
                path = folder.run(part, name)
                if not path.exists() or len(read_run(path)) != rows:
                    return True
        except (FileChanged, pa.ArrowException, OSError):
            return True
        return False


@dataclass(frozen=True)
class _Again:
    """What is asked of a part then: to make its index again, as one run of all its states."""

    root: str
    rows: tuple[tuple[int, ...], ...]
    seals: tuple[tuple[str, ...], ...]
    parts: tuple[int, ...]

    def __call__(self, part: int) -> dict[str, Any]:
        """Write the index of one of the parts, by its place among them; return its run."""
        folder, part = Folder(Path(self.root)), self.parts[part]
        words = batches_of(self.root).code.words
        found: list[States] = []
        for level, (rows, seals) in enumerate(zip(self.rows, self.seals, strict=True), start=1):
            path = folder.states(level, part)
            found.append(read_states(path, words, rows[part], seals[part]))
        states = np.concatenate(found)
        prints = fingerprints(states)
        order = np.argsort(prints, kind="stable")
        name = f"00001-{len(self.rows):05d}"
        write_run(folder.run(part, name), Run.of(prints[order], states[order]))
        for path in folder.run(part, name).parent.glob("*.arrow"):
            if path.stem != name:
                path.unlink()
        return {"of": part, "run": name, "rows": len(states)}


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
    root, last = str(folder.root), levels[-1]
    rows, seals = tuple(x.rows for x in levels), tuple(x.seals for x in levels)
    # A finished search looks nothing up any more.
    runs = last.runs if last.states else None
    files, parts = _Files(root, rows, seals, runs, last.run_rows), len(last.rows)
    answers = ask(session, files, parts, "comparing files with their seals", alone=alone)
    for answer in answers:
        if answer["changed"] is not None:
            raise FileChanged(Path(answer["changed"]), answer["what"])
    doubtful = tuple(int(answer["part"]) for answer in answers if answer["index"])
    if not doubtful:
        return list(levels)
    again = _Again(root, rows, seals, doubtful)
    made = ask(session, again, len(doubtful), "making the index again", alone=alone)
    names, sizes = list(last.runs), list(last.run_rows)
    for answer in made:
        names[answer["of"]], sizes[answer["of"]] = (answer["run"],), (answer["rows"],)
    mended = msgspec.structs.replace(last, runs=tuple(names), run_rows=tuple(sizes))
    return [*levels[:-1], mended]
