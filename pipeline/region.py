"""Properties of runs: the region of a search, gathered from all parts and judged.

The *region* is the states in which one of these properties is false; see
`ackproof.model.liveness`.  Each part first writes down those that it has, on whatever level it
found them, in the order of their fingerprints.  Then it is found out of most of them, by the parts
alone, that no fair run can stay there (`ackproof.pipeline.classes`), which decides most searches.

What is left gets numbers: the number of the part's first, and the row.  Each part expands its
states again, looks up where each step leads, in the files of all parts, and writes the steps down.
A step that changes nothing is none; one that leaves what is left matters only if its instance is
fair, and so does a fair one that fails, for a run cannot stay where it must happen.

The driver then holds these steps, not the states.  If they do not fit into what it may use, nothing
is decided.  What leads to something (`@leads_to`) has a region of its own, all of which is left:
where it is false to whatever was asked for, and the way there matters, too.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from ackproof.pipeline.classes import Region, left_over
from ackproof.pipeline.crew import Notes, Question
from ackproof.pipeline.expanding import batches_of
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.index import Run, read_table, write_table
from ackproof.pipeline.levels import Search
from ackproof.pipeline.ordering import Numbers, fingerprints, parts_of
from ackproof.pipeline.places import Place
from ackproof.pipeline.shortest import path_to
from ackproof.pipeline.states import LevelStates

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
        needed: what it would take, if that is more than it may.
    """

    paths: dict[str, tuple[int, ...]] = field(default_factory=dict)
    starts: dict[str, int] = field(default_factory=dict)
    cycles: dict[str, tuple[int, ...]] = field(default_factory=dict)
    limit: Limit | None = None
    bytes: int = 0
    needed: int = 0


@dataclass(frozen=True)
class _Gather:
    """What is asked of each part first: which of its states are in the region."""

    region: Region
    levels: tuple[LevelStates, ...]

    def __call__(self, part: int) -> dict[str, Any]:
        """Write the region of a part; return how many states it has, and the seals of files."""
        wanted, kernel = self.region.wanted, batches_of(self.region.folder)
        states, notes = [], []
        for level in self.levels:
            found = level.read(part, kernel.code.words)
            masks = kernel.falsify(found)
            rows = np.flatnonzero(masks & wanted)
            states.append(found[rows])
            notes.append(np.stack([np.full(len(rows), level.level), rows, masks[rows]], axis=1))
        all_states = np.concatenate(states)
        prints = fingerprints(all_states)
        order = np.argsort(prints)
        columns = dict(zip(_NOTED, np.concatenate(notes)[order].T, strict=True))
        return self.region.write(part, Run.of(prints[order], all_states[order]), columns)


@dataclass(frozen=True)
class _Join:
    """What is asked of each part then: where the steps of its states lead."""

    region: Region
    firsts: tuple[int, ...]
    fair: frozenset[int]

    def __call__(self, part: int) -> dict[str, Any]:
        """Write the steps of the region of a part; return how many there are, and their seal."""
        kernel, states = batches_of(self.region.folder), self.region.states_of(part)
        found = [
            self._steps(kernel, states[start : start + kernel.slice], self.firsts[part] + start)
            for start in range(0, len(states), kernel.slice)
        ]
        steps = np.concatenate(found) if found else np.empty((0, 3), np.int64)
        columns = dict(zip(("source", "target", "instance"), steps.T, strict=True))
        stored = write_table(self.region.file("steps", part), columns, lasting=False)
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
            rows = self.region.run(int(part)).rows_of(prints[own], states[own])
            numbers[own] = np.where(rows < 0, -1, rows + self.firsts[int(part)])
        return numbers


def judge_runs(search: Search, memory: int) -> Runs:
    """Decide the properties of runs of a search that has seen every state.

    Args:
        search: the search.
        memory: bytes that the driver may use.
    """
    runs, tables = Runs(), search.kernel.tables
    leading = {bit: name for bit, name in tables.run_bits.items() if name in _asked(search)}
    always = {bit: name for bit, name in tables.run_bits.items() if bit not in leading}
    _folder(search.folder).clear()
    try:
        for name, bits in (("always", always), ("leading", leading)):
            if bits and runs.limit is None:
                region = Region.named(search.folder, name, sum(1 << bit for bit in bits))
                _decide(search, region, bits, memory, runs)
    except KeyboardInterrupt:
        return Runs(limit=Limit.INTERRUPTED)
    finally:
        _folder(search.folder).clear()
    return runs


def _asked(search: Search) -> dict[str, int]:
    """Return the bits of where something is asked for, by the properties that lead to something."""
    return {name: bit for bit, name in search.kernel.tables.asked_bits.items()}


def _decide(search: Search, region: Region, names: dict[int, str], memory: int, runs: Runs) -> None:
    """Decide some properties by their region, and note what becomes of them."""
    levels, fairness = search.levels, fairness_of(search.kernel.layout.bound)
    crew = search.crew_for(sum(level.states for level in levels))

    def ask(question: Question, description: str) -> Notes:
        return crew.ask(question, search.parts, description)

    gather = _Gather(region, tuple(LevelStates.on(search.folder, level) for level in levels))
    region = region.told(ask(gather, "the region of runs"))
    if not _asked(search).keys() & set(names.values()):
        region = left_over(region, fairness.any, ask)
    if not region.states:
        return
    firsts = tuple(int(n) for n in np.cumsum([0, *region.sizes[:-1]]))
    joined = ask(_Join(region, firsts, fairness.any), "the steps of the region")
    taken = STEP_BYTES * sum(answer["steps"] for answer in joined)
    if taken > memory:
        runs.limit, runs.needed = Limit.MEMORY, taken
        return
    runs.bytes = max(runs.bytes, taken)
    _judge(search, fairness, region, [answer["seal"] for answer in joined], names, runs)


def _judge(
    search: Search,
    fairness: Fairness,
    region: Region,
    seals: Sequence[str],
    names: dict[int, str],
    runs: Runs,
) -> None:
    """Judge what is left of a region, with its steps in files that have these seals."""
    notes = pa.concat_tables(region.notes(part) for part in range(search.parts))
    depths = notes.column("level").to_numpy() - 1
    masks = notes.column("mask").to_numpy()
    steps = pa.concat_tables(
        read_table(region.file("steps", part), seal) for part, seal in enumerate(seals)
    )
    sources = steps.column("source").to_numpy()
    starts = np.zeros(len(depths) + 1, np.int64)
    np.cumsum(np.bincount(sources, minlength=len(depths)), out=starts[1:])
    graph = Graph(
        starts,
        steps.column("target").to_numpy().astype(np.int32),
        steps.column("instance").to_numpy().astype(np.int32),
    )
    judge, asked = Judge(graph, fairness), _asked(search)
    for bit, name in names.items():
        false, due = masks >> bit & 1 == 1, masks >> asked.get(name, bit) & 1 == 1
        lasso = judge.nearest_lasso(false, due, levels_by(depths))
        if lasso is not None:
            row = notes.slice(lasso.number, 1).to_pylist()[0]
            part = int(np.searchsorted(np.cumsum(region.sizes), lasso.number, side="right"))
            start, path = path_to(search, name, row["level"], part, row["row"])
            runs.paths[name] = (*path, *lasso.way)
            runs.starts[name] = start
            runs.cycles[name] = lasso.cycle


def _folder(folder: Folder) -> Place:
    return folder.root / "region"
