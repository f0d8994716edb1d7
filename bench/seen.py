"""What it costs to know which states of a level are new, by the way in which the seen are kept.

The levels of a finished search are gone through once more.  Candidates are made as a level makes
them, and each way has to tell the same new ones:

- `runs`: sorted runs, mapped into memory and merged as they grow, as the engine does it.
- `scan`: everything that was ever seen is read, on each level, and joined with the candidates.
- `filter`: a Bloom filter answers for most new candidates, and the runs for the rest.

Seconds are of one core: of looking up, and of keeping what is new, merging included.  Bytes are
those read for it.  Of a mapped file that is the pages touched, of 4 KiB; files are in the cache of
the system here, so on a cold disk or over a network what reads more costs more than is shown.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from ackproof.pipeline.expanding import Expansion
from ackproof.pipeline.folder import Folder, Level
from ackproof.pipeline.identity import read_search
from ackproof.pipeline.ordering import Sorted, distinct
from ackproof.pipeline.states import LevelStates

from bench.process import Failed
from bench.ways import Filtered, Runs, Scan, Way

__all__ = ["candidates_of", "compare"]


def compare(root: Path, scratch: Path) -> list[dict[str, Any]]:
    """Measure all ways on the levels of a finished search.

    Args:
        root: the folder of the search.
        scratch: a folder for what the ways keep.

    Returns:
        For each level its number, its candidates, how many of them are `new`, how many states were
        `seen` before, and for each way the `seconds` and the bytes `read`.

    Raises:
        Failed: a way does not find what the search has found.
    """
    folder = Folder(root)
    levels, words = folder.levels(), read_search(folder).words
    ways = [_ways(folder, scratch, part, words, levels) for part in range(len(levels[0].rows))]
    rows = []
    for last, level in zip([None, *levels], levels, strict=False):
        row: dict[str, Any] = {
            "level": level.level,
            "candidates": 0,
            "new": level.states,
            "seen": sum(x.states for x in levels[: level.level - 1]),
        }
        row |= {name: {"seconds": 0.0, "read": 0} for name in ways[0]}
        for part, candidates in candidates_of(folder, last, level, words):
            row["candidates"] += len(candidates)
            for name, way in ways[part].items():
                _measure(way, level, part, candidates, row[name])
        rows.append(row)
    return rows


def _ways(
    folder: Folder, scratch: Path, part: int, words: int, levels: list[Level]
) -> dict[str, Way]:
    own = scratch / f"runs-{part}", scratch / f"filter-{part}"
    for path in own:
        path.mkdir(parents=True)
    parts, rows = len(levels[0].rows), sum(level.rows[part] for level in levels)
    stored = [LevelStates.on(folder, level) for level in levels]
    return {
        "runs": Runs(own[0]),
        "scan": Scan(stored, part, words),
        "filter": Filtered(Runs(own[1]), parts, part, rows),
    }


def _measure(way: Way, level: Level, part: int, candidates: Sorted, cost: dict[str, float]) -> None:
    """Have one way take in the candidates of a part; add what that costs."""
    before = way.read
    way.account(level.level, candidates)
    began = time.perf_counter()
    new = candidates.where(way.fresh(level.level, candidates))
    if len(new):
        way.keep(level.level, new)
    cost["seconds"] += time.perf_counter() - began
    cost["read"] += way.read - before
    if len(new) != level.rows[part]:
        raise Failed(
            f"{type(way).__name__} finds {len(new):,} new states in part {part} of level "
            f"{level.level}, where {level.rows[part]:,} are right"
        )


def candidates_of(
    folder: Folder, last: Level | None, level: Level, words: int
) -> Iterator[tuple[int, Sorted]]:
    """Yield the parts that a level has candidates in, with these.

    Args:
        folder: the files of the search.
        last: the level before; None for the first, whose candidates are the initial states.
        level: the level.
        words: words of a packed state.
    """
    if last is None:
        for part, rows in enumerate(level.rows):
            if rows:
                initial = LevelStates.on(folder, level).read(part, words)
                yield part, distinct(initial, np.zeros(rows, np.int64))
        return
    moved: dict[int, list[tuple[bytes, bytes]]] = {}
    for row in Expansion(LevelStates.on(folder, last), 1, 1).moves(0):
        for part, states, entries in zip(*(c.to_pylist() for c in row.columns[1:4]), strict=True):
            moved.setdefault(part, []).append((states, entries))
    for part, pieces in sorted(moved.items()):
        packed = np.frombuffer(b"".join(states for states, _ in pieces), np.uint64)
        numbers = np.frombuffer(b"".join(entries for _, entries in pieces), np.int64)
        yield part, distinct(packed.reshape(-1, words), numbers)
