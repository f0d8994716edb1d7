"""The levels of a search: after each one the driver could die, and nothing would be lost.

A level is made by a crew (`ackproof.pipeline.crew`): the states of the last one are expanded, and
each part settles what is new (`ackproof.pipeline.expanding`, `ackproof.pipeline.settling`).  What
comes back is a few numbers for each file; with them the driver writes the manifest of the level.
So resuming is reading manifests, and losing an executor is Spark's to repair: tasks depend on files
that do not change, and write the same when they run again.

A small level is settled by the driver itself (`ackproof.pipeline.alone`), for a job takes longer to
begin.  When very many states were seen it is a job all the same: to look something up is to read
the runs of its part once and compare them with their seals, which executors have done for the
levels before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from ackproof.model.lower.compile import Kernel
from ackproof.model.outcome import Limit, Progress
from ackproof.pipeline.alone import Alone
from ackproof.pipeline.checking import indexed, require_whole
from ackproof.pipeline.crew import Crew, Crowded, Notes
from ackproof.pipeline.errors import SearchFailed, StoreFailed
from ackproof.pipeline.expanding import Expansion
from ackproof.pipeline.folder import Folder, Level, RunFile, StatesFile
from ackproof.pipeline.identity import Identity
from ackproof.pipeline.lease import Lease
from ackproof.pipeline.settling import Settlement, union
from ackproof.pipeline.states import LevelStates

__all__ = ["Search"]

#: When more states were seen than these, whose runs take half a gigabyte, all levels are jobs.
_LOOKED_UP = 1 << 25


@dataclass
class Search:
    """One search: its finished levels, and how to make the next.

    Args:
        crew: who does the work.
        folder: its files.
        lease: the right to make levels.
        kernel: the compiled model.
        identity: what it is about.
        small: a level with fewer states before it is settled by the driver alone.
        share: a task has so many states of a level at least, if there are as many.
        progress: told of each finished level.

    Attributes:
        levels: those that are finished, that of the initial states first.
        resumed: how many of them were there already.
        started: when this run of it began.
    """

    crew: Crew
    folder: Folder
    lease: Lease
    kernel: Kernel
    identity: Identity
    small: int
    share: int
    progress: Callable[[Progress], None] | None
    levels: list[Level] = field(default_factory=list)
    resumed: int = 0
    started: float = field(default_factory=time.perf_counter)
    _alone: Alone = field(default_factory=Alone)
    #: Whether the index is that of an earlier run, and nobody has looked at it yet.
    _doubted: bool = False

    @property
    def parts(self) -> int:
        """Into how many parts the states are divided."""
        return self.identity.parts

    def crew_for(self, states: int) -> Crew:
        """Return who is to do something about so many states."""
        return self._alone if states < self.small else self.crew

    @property
    def _crew_for_next(self) -> Crew:
        seen = sum(level.states for level in self.levels)
        return self.crew if seen > _LOOKED_UP else self.crew_for(self.levels[-1].states)

    @property
    def _crew_for_all(self) -> Crew:
        return self.crew_for(sum(level.states for level in self.levels))

    # -- beginning ------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin in a new folder, or read what an earlier run has finished.

        Raises:
            SearchRefused: it was a run of another search.
            FileChanged: a file is not as it was written, and cannot be made again.
        """
        folder = self.folder
        self.lease.require()
        if folder.search.exists():
            self.identity.refuse_other(folder)
            self.levels = folder.levels()
        self.identity.write(folder, self.kernel)
        folder.forget(len(self.levels))
        if self.levels:
            require_whole(self._crew_for_all, folder, self.levels)
        self.resumed = len(self.levels)
        self.started = time.perf_counter()
        self._doubted = bool(self.levels and self.levels[-1].indexed)
        if not self.levels:
            began, states = time.perf_counter(), np.array(self.kernel.initials, np.uint64)
            notes = self._alone.first(states, self._settlement(1))
            self._finish(self._alone, notes, began)

    # -- levels ---------------------------------------------------------------------------------

    def run(self, max_depth: int | None, *, survey: bool) -> Limit | None:
        """Make levels until the search ends; return what limited it.

        Where an earlier run went further than this one is to go, the rest is left out of it.
        """
        wanted = len(self.levels) if max_depth is None else max_depth
        broken = (number for number, level in enumerate(self.levels, start=1) if level.broken)
        self.levels = self.levels[: wanted if survey else min(wanted, next(broken, wanted))]
        try:
            while self.levels[-1].states:
                if self.broken and not survey:
                    return None
                if max_depth is not None and len(self.levels) >= max_depth:
                    return Limit.DEPTH
                self._next()
        except KeyboardInterrupt:
            return Limit.INTERRUPTED
        except Crowded:
            return Limit.MEMORY
        return None

    @property
    def broken(self) -> bool:
        """Whether some level has a violation."""
        return any(level.broken for level in self.levels)

    def _next(self) -> None:
        """Make the next level."""
        self.lease.require()
        try:
            self._make_next()
        except (SearchFailed, StoreFailed, OSError):
            # To whoever has lost the search to another driver, files are missing.
            self.lease.require()
            raise

    def _make_next(self) -> None:
        began, before = time.perf_counter(), self.levels[-1]
        crew = self._crew_for_next
        if crew is not self._alone:
            self._alone.forget()
        last = self.levels[-1] = self._indexed_for(crew)
        settling = min(self.parts, max(1, last.states // self.share))
        tasks = min(settling, max(1, crew.parallelism))
        expansion = Expansion(LevelStates.on(self.folder, last), tasks, settling)
        settlement = self._settlement(last.level + 1)
        self._finish(crew, crew.level(self.levels, expansion, settlement), began)
        # What another driver still looks up in is not removed.
        self.lease.require()
        for old in (before, last):
            self.folder.drop_runs(old, self.levels[-1])
        if self.lease.token > 1:
            self.folder.drop_strangers(self.levels[-1])

    def _indexed_for(self, crew: Crew) -> Level:
        """Return the last level, with an index that is enough for who makes the next."""
        last = self.levels[-1]
        if crew.remembers is None:
            return last
        missing = sum(level.states for level in self.levels[last.indexed :])
        upto = last.level if missing > crew.remembers else last.indexed
        if upto > last.indexed or self._doubted:
            who = self._crew_for_all if self._doubted else self.crew_for(missing)
            last = indexed(who, self.folder, self.levels, upto, doubted=self._doubted)
            self._doubted = False
        return last

    def _settlement(self, level: int) -> Settlement:
        last = self.levels[-1] if self.levels else None
        return Settlement(
            folder=self.folder,
            level=level,
            token=self.lease.token,
            runs=last.runs if last else ((),) * self.parts,
            metadata=self.identity.metadata(),
        )

    def _finish(self, crew: Crew, notes: Notes, began: float) -> None:
        """Put together what was noted of a level, and make it exist."""
        last = self.levels[-1] if self.levels else None
        settlement = self._settlement(last.level + 1 if last else 1)
        rows, runs = [0] * self.parts, list(settlement.runs)
        for note in notes:
            for part, count in note["rows"]:
                rows[part] = count
            for part, those in note["runs"]:
                runs[part] = tuple(RunFile(*run) for run in those)
        tasks = [told for note in notes for told in note["notes"]]
        counts = np.sum([told["counts"] for told in tasks], axis=0) if tasks else np.zeros(0)
        names = [a.name for a in self.kernel.layout.bound.actions]
        level = Level(
            level=settlement.level,
            token=self.lease.token,
            rows=tuple(rows),
            files=tuple(sorted(StatesFile(*file) for note in notes for file in note["files"])),
            generated=int(counts.sum()) if last else sum(rows),
            actions={n: int(c) for n, c in zip(names, counts, strict=False) if c},
            seen=union([note["seen"] for note in notes] + [told["seen"] for told in tasks]),
            broken=self._broken(notes, tasks),
            cut=sum(told["cut"] for told in tasks),
            candidates=sum(note["candidates"] for note in notes),
            shuffled=sum(note["shuffled"] for note in notes),
            stored=sum(note["stored"] for note in notes),
            runs=tuple(runs),
            indexed=settlement.level if crew.indexes else last.indexed if last else 0,
            seconds=time.perf_counter() - began,
        )
        self.lease.require()
        self.folder.finish(level)
        self.levels.append(level)
        self._tell()

    def _broken(self, notes: Sequence[dict[str, Any]], tasks: Sequence[dict[str, Any]]) -> Any:
        """Return the names of what a level violates: properties of steps, then of states."""
        steps, states = (
            union([told["broken"] for told in tasks]),
            union([note["false"] for note in notes]),
        )
        tables = self.kernel.tables
        return (
            *(name for bit, name in tables.step_bits.items() if steps >> bit & 1),
            *(name for bit, name in tables.state_bits.items() if states >> bit & 1),
        )

    # -- what is told ---------------------------------------------------------------------------

    @property
    def stored(self) -> int:
        """Bytes that the folder holds: the states of all levels, and the index of the last."""
        width = 8 * (self.kernel.words + 1)
        index = sum(run.rows for runs in self.levels[-1].runs for run in runs)
        return sum(level.stored for level in self.levels) + width * index

    def _tell(self) -> None:
        if self.progress is not None:
            levels = [level for level in self.levels if level.states]
            self.progress(
                Progress(
                    states=sum(level.states for level in levels),
                    generated=sum(level.generated for level in self.levels),
                    queue=self.levels[-1].states,
                    levels=len(levels),
                    memory=self.stored,
                    seconds=time.perf_counter() - self.started,
                )
            )
