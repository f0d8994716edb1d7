"""Properties of runs: the region of a search, gathered from all parts and judged by the driver.

The *region* is the states in which one of these properties is false; see
`ackproof.model.liveness`.  Each part first writes down those that it has, on whatever level it
found them, in the order of their fingerprints, and so gives each a number: the number of the part's
first, and the row.  Then it expands them again, looks up where each step leads, in the files of all
parts, and writes the steps down.  A step that changes nothing is none; one that leaves the region
matters only if its instance is fair, and so does a fair one that fails, for a run cannot stay where
it must happen.

The driver then holds the steps, not the states.  If they do not fit into what it may use, nothing
is decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from ackproof.model.fairness import Fairness, fairness_of
from ackproof.model.kernel.batches import Batches, States
from ackproof.model.kernel.graph_task import FAILS
from ackproof.model.kernel.search import DEADLOCK
from ackproof.model.liveness import Graph, Judge, levels_by
from ackproof.model.outcome import Limit
from ackproof.pipeline.expanding import batches_of, read_states
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.index import Run, read_run, read_table, write_run, write_table
from ackproof.pipeline.levels import Search
from ackproof.pipeline.ordering import Numbers, fingerprints, parts_of
from ackproof.pipeline.places import Place
from ackproof.pipeline.shortest import path_to

__all__ = ["Runs", "judge_runs"]

#: What is noted of each state of the region.
_NOTED = ("level", "row", "mask")
#: Bytes that the driver takes for each step, at its peak.
STEP_BYTES = 64


@dataclass
class Runs:
    """What becomes of the properties of runs.

    Attributes:
        paths: for each violated property, the instances that lead to a state of its cycle.
        starts: the number of the initial state that these begin in.
        cycles: and those that lead from there back.
        limit: why it could not be decided, or None.
        bytes: what the driver took for it.
    """

    paths: dict[str, tuple[int, ...]] = field(default_factory=dict)
    starts: dict[str, int] = field(default_factory=dict)
    cycles: dict[str, tuple[int, ...]] = field(default_factory=dict)
    limit: Limit | None = None
    bytes: int = 0


@dataclass(frozen=True)
class _Gather:
    """What is asked of each part first: which of its states are in the region."""

    folder: Folder
    rows: tuple[tuple[int, ...], ...]
    seals: tuple[tuple[str, ...], ...]

    def __call__(self, part: int) -> dict[str, Any]:
        """Write the region of a part; return how many states it has, and the seals of files."""
        kernel, folder = batches_of(self.folder), self.folder
        states, notes = [], []
        known = zip(self.rows, self.seals, strict=True)
        for level, (rows_of, seals) in enumerate(known, start=1):
            path, words = folder.states(level, part), kernel.code.words
            found = read_states(path, words, rows_of[part], seals[part])
            masks = kernel.falsify(found)
            rows = np.flatnonzero(masks)
            states.append(found[rows])
            notes.append(np.stack([np.full(len(rows), level), rows, masks[rows]], axis=1))
        region = np.concatenate(states)
        prints = fingerprints(region)
        order = np.argsort(prints)
        run = Run.of(prints[order], region[order])
        stored = write_run(_states(folder, part), run, lasting=False)
        columns = dict(zip(_NOTED, np.concatenate(notes)[order].T, strict=True))
        noted = write_table(_notes(folder, part), columns, lasting=False)
        return {"states": len(region), "seal": stored.seal, "noted": noted.seal}


@dataclass(frozen=True)
class _Join:
    """What is asked of each part then: where the steps of its states lead."""

    folder: Folder
    firsts: tuple[int, ...]
    seals: tuple[str, ...]
    fair: frozenset[int]

    def __call__(self, part: int) -> dict[str, Any]:
        """Write the steps of the region of a part; return how many there are, and their seal."""
        kernel = batches_of(self.folder)
        region = read_run(_states(self.folder, part), self.seals[part])
        states: States = np.stack(region.words, axis=1)
        found = [
            self._steps(kernel, states[start : start + kernel.slice], self.firsts[part] + start)
            for start in range(0, len(states), kernel.slice)
        ]
        steps = np.concatenate(found) if found else np.empty((0, 3), np.int64)
        columns = dict(zip(("source", "target", "instance"), steps.T, strict=True))
        stored = write_table(_steps(self.folder, part), columns, lasting=False)
        return {"steps": len(steps), "seal": stored.seal}

    def _steps(self, kernel: Batches, states: States, first: int) -> Numbers:
        """Return the steps of some states that matter: source, target or -1, instance."""
        made, rows, instances, records = kernel.steps(states)
        steps = np.stack([first + rows, self._numbers(made), instances], axis=1)
        failing = records[((records[:, 2] & FAILS) != 0) & (records[:, 1] != DEADLOCK)]
        outside = np.full(len(failing), -1)
        steps = np.concatenate(
            [steps, np.stack([first + failing[:, 0], outside, failing[:, 1]], axis=1)]
        )
        fair = np.isin(steps[:, 2], np.array(sorted(self.fair), np.int64))
        kept = (steps[:, 1] != steps[:, 0]) & ((steps[:, 1] >= 0) | fair)
        order = np.argsort(steps[kept, 0], kind="stable")
        found: Numbers = steps[kept][order]
        return found

    def _numbers(self, states: States) -> Numbers:
        """Return the numbers of states in the region, -1 for those outside."""
        prints = fingerprints(states)
        targets = parts_of(prints, len(self.firsts))
        numbers = np.full(len(states), -1, np.int64)
        for part in np.unique(targets):
            own = np.flatnonzero(targets == part)
            run = read_run(_states(self.folder, int(part)), self.seals[int(part)])
            rows = run.rows_of(prints[own], states[own])
            numbers[own] = np.where(rows < 0, -1, rows + self.firsts[int(part)])
        return numbers


def judge_runs(search: Search, memory: int) -> Runs:
    """Decide the properties of runs of a search that has seen every state.

    Args:
        search: the search.
        memory: bytes that the driver may use.
    """
    fairness = fairness_of(search.kernel.layout.bound)
    total = sum(level.states for level in search.levels)
    crew = search.crew_for(total)
    folder = search.folder
    _folder(folder).clear()
    try:
        levels = search.levels
        gather = _Gather(folder, tuple(x.rows for x in levels), tuple(x.seals for x in levels))
        gathered = crew.ask(gather, search.parts, "the region of runs")
        sizes = [answer["states"] for answer in gathered]
        seals = tuple(answer["seal"] for answer in gathered)
        firsts = tuple(int(n) for n in np.cumsum([0, *sizes[:-1]]))
        join = _Join(folder, firsts, seals, fairness.any)
        joined = crew.ask(join, search.parts, "the steps of the region")
        taken = STEP_BYTES * sum(answer["steps"] for answer in joined)
        if taken > memory:
            return Runs(limit=Limit.MEMORY)
        notes = [answer["noted"] for answer in gathered]
        return _judged(search, fairness, sizes, notes, [answer["seal"] for answer in joined])
    except KeyboardInterrupt:
        return Runs(limit=Limit.INTERRUPTED)
    finally:
        _folder(folder).clear()


def _judged(
    search: Search,
    fairness: Fairness,
    sizes: Sequence[int],
    notes_seals: Sequence[str],
    steps_seals: Sequence[str],
) -> Runs:
    """Judge the region that all parts have written down, in files with these seals."""
    folder = search.folder
    notes = _whole((_notes(folder, part), seal) for part, seal in enumerate(notes_seals))
    depths = notes.column("level").to_numpy() - 1
    masks = notes.column("mask").to_numpy()
    steps = _whole((_steps(folder, part), seal) for part, seal in enumerate(steps_seals))
    sources = steps.column("source").to_numpy()
    starts = np.zeros(len(depths) + 1, np.int64)
    np.cumsum(np.bincount(sources, minlength=len(depths)), out=starts[1:])
    graph = Graph(
        starts,
        steps.column("target").to_numpy().astype(np.int32),
        steps.column("instance").to_numpy().astype(np.int32),
    )
    judge, runs = Judge(graph, fairness), Runs(bytes=STEP_BYTES * len(steps))
    asked = {name: bit for bit, name in search.kernel.tables.asked_bits.items()}
    for bit, name in search.kernel.tables.run_bits.items():
        false, due = masks >> bit & 1 == 1, masks >> asked.get(name, bit) & 1 == 1
        lasso = judge.nearest_lasso(false, due, levels_by(depths))
        if lasso is not None:
            row = notes.slice(lasso.number, 1).to_pylist()[0]
            part = int(np.searchsorted(np.cumsum(sizes), lasso.number, side="right"))
            start, path = path_to(search, name, row["level"], part, row["row"])
            runs.paths[name] = (*path, *lasso.way)
            runs.starts[name] = start
            runs.cycles[name] = lasso.cycle
    return runs


def _whole(files: Iterable[tuple[Place, str]]) -> pa.Table:
    """Return tables in files that have seals, one behind the other."""
    return pa.concat_tables(read_table(place, seal) for place, seal in files)


def _folder(folder: Folder) -> Place:
    return folder.root / "region"


def _states(folder: Folder, part: int) -> Place:
    return _folder(folder) / f"states-{part:05d}.arrow"


def _notes(folder: Folder, part: int) -> Place:
    return _folder(folder) / f"notes-{part:05d}.arrow"


def _steps(folder: Folder, part: int) -> Place:
    return _folder(folder) / f"steps-{part:05d}.arrow"
