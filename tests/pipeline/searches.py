"""Searches without a JVM: what Spark would do with the tasks of a search, done in this process.

Tasks are sent as bytes, rows reach a part in a random order, and a task can be run twice, so that
nothing holds here only because all of it is one process.
"""

from __future__ import annotations

import importlib.util
import itertools
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from ackproof.lang import Design, Model
from ackproof.lang.binding import Bound
from ackproof.model.beginnings import initial_states
from ackproof.model.check import chosen
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.lower.compile import Kernel, compile_kernel
from ackproof.model.outcome import Outcome
from ackproof.model.plain import PlainMachine
from ackproof.model.plain_search import explore as explore_plain
from ackproof.model.trace import replay_found
from ackproof.pipeline.folder import Folder, Level
from ackproof.pipeline.identity import Identity
from ackproof.pipeline.local import LocalExplorer
from ackproof.pipeline.search import SparkExplorer
from ackproof.pipeline.session import Session
from ackproof.pipeline.states import LevelStates
from ackproof.pipeline.storage import placed

__all__ = [
    "ALONE",
    "StandIn",
    "assert_found",
    "assert_same",
    "bound_of",
    "explorer_of",
    "files_of",
    "folder_of",
    "local_of",
    "model_of",
    "summary",
    "written",
]

Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

#: No level has as many states, so no level is a job.
ALONE = 1 << 62

_NUMBERS = itertools.count()


@dataclass(frozen=True)
class _Frame:
    """Rows in pieces, as a frame of Spark has them."""

    pieces: list[list[pa.RecordBatch]]
    chance: random.Random
    again: bool

    def mapInArrow(self, task: Task, schema: str) -> _Frame:
        """Run a task on each piece; the second time is the one that counts."""
        sent = pickle.dumps(task)
        if self.again:
            for piece in self.pieces:
                list(pickle.loads(sent)(iter(piece)))
        pieces = [list(pickle.loads(sent)(iter(piece))) for piece in self.pieces]
        return _Frame(pieces, self.chance, self.again)

    def repartitionById(self, parts: int, column: str) -> _Frame:
        """Bring together the rows that have the same number."""
        pieces: list[list[pa.RecordBatch]] = [[] for _ in range(parts)]
        for batch in itertools.chain.from_iterable(self.pieces):
            for row in range(batch.num_rows):
                pieces[batch.column(column)[row].as_py()].append(batch.slice(row, 1))
        for piece in pieces:
            self.chance.shuffle(piece)
        return _Frame(pieces, self.chance, self.again)

    def collect(self) -> list[dict[str, Any]]:
        """Return all rows."""
        batches = itertools.chain.from_iterable(self.pieces)
        return [row for batch in batches for row in batch.to_pylist()]


class StandIn(Session):
    """A session that runs tasks one after the other.

    Args:
        tasks: how many tasks there are to a level.
        again: whether each task is run twice.
        stop_at: the description of the job that is interrupted.
    """

    def __init__(self, tasks: int = 3, *, again: bool = False, stop_at: str | None = None) -> None:
        self.spark: Any = self
        self.master, self.log = "aside", Path("spark.log")
        self.jobs: list[str] = []
        self._tasks, self._again, self._stop_at = tasks, again, stop_at

    @property
    def parallelism(self) -> int:
        """How many tasks there are to a level."""
        return self._tasks

    @property
    def ui(self) -> str | None:
        """There are no pages."""
        return None

    def range(self, start: int, end: int, step: int, parts: int) -> _Frame:
        """Return numbers, one in each piece."""
        assert (start, step, parts) == (0, 1, end)
        pieces = [[pa.record_batch([[number]], ["id"])] for number in range(end)]
        return _Frame(pieces, random.Random(end), self._again)

    def run(self, job: Callable[[], Any], description: str = "") -> Any:
        """Run a job, unless that is the one that is interrupted."""
        self.jobs.append(description)
        if description == self._stop_at:
            raise KeyboardInterrupt
        return job()


def explorer_of(
    work: Path | str,
    parts: int | None = 3,
    *,
    small: int = 1,
    share: int = 1,
    resume: bool = False,
    session: Session | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> SparkExplorer:
    """Return the engine on a session that stands in for Spark's."""
    return SparkExplorer(
        work=placed(work).absolute(),
        partitions=parts,
        resume=resume,
        say=say,
        small=small,
        share=share,
        opened=session or StandIn(),
    )


def local_of(
    work: Path | str,
    parts: int | None = 3,
    *,
    resume: bool = False,
    say: Callable[[str], None] = lambda text: None,
) -> LocalExplorer:
    """Return the engine that keeps searches of this process."""
    return LocalExplorer(work=placed(work).absolute(), partitions=parts, resume=resume, say=say)


def summary(outcome: Outcome) -> dict[str, Any]:
    """Return what must be the same for every engine."""
    return {
        "states": outcome.states,
        "generated": outcome.generated,
        "cut": outcome.cut,
        "levels": outcome.level_sizes,
        "per action": dict(outcome.per_action),
        "violations": {name: len(path) for name, path in outcome.violations.items()},
        "witnessed": outcome.witnessed,
        "limit": outcome.limit,
        "exhausted": outcome.exhausted,
        "cycles": set(outcome.cycles),
    }


def bound_of(
    model: Model,
    instance: str | None = None,
    design: Design | None = None,
    properties: list[str] | None = None,
) -> Bound:
    """Bind a model at the instance of that name, or at its first."""
    named = model.instances[0] if instance is None else model.instance(instance)
    assert named is not None
    return chosen(model, named, design, properties)


def model_of(source: str, folder: Path) -> Model:
    """Write a specification to a file and import it."""
    name = f"searched_{next(_NUMBERS)}"
    path = folder / f"{name}.py"
    path.write_text(source)
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    model: Model = module.MODEL
    return model


def folder_of(work: Path) -> Folder:
    """Return the only search in a folder."""
    (root,) = (path.parent for path in work.glob("*/search.json"))
    return Folder(root)


def files_of(root: Path, kind: str) -> dict[str, bytes]:
    """Return the bytes of all files of a search of one kind: states, index."""
    found = sorted(path for path in (root / kind).rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


def stored_on(folder: Folder, level: Level) -> pa.Table:
    """Return the states of a level as its files have them, in their order."""
    found = LevelStates.on(folder, level)
    paths = [found.path_of(file) for file in level.files]
    return pa.concat_tables(pq.read_table(path, partitioning=None) for path in paths)


@dataclass
class Written:
    """A search that is only begun, with its kernel: for tests of what a level is made of."""

    bound: Bound
    folder: Folder
    parts: int
    kernel: Kernel = field(init=False)
    identity: Identity = field(init=False)

    def __post_init__(self) -> None:
        """Write down what is searched."""
        self.kernel = compile_kernel(self.bound)
        self.identity = Identity.of(self.bound, self.kernel, self.parts)
        self.identity.write(self.folder, self.kernel)

    def packed(self, states: Any) -> list[tuple[int, ...]]:
        """Return states of plain Python as packed words."""
        return [tuple(self.kernel.layout.pack(state)) for state in states]

    def steps(self) -> dict[tuple[int, ...], set[tuple[int, tuple[int, ...]]]]:
        """Return for each state that can be reached the steps that it has, by plain Python."""
        pack = self.kernel.layout.pack
        found: dict[tuple[int, ...], set[tuple[int, tuple[int, ...]]]] = {}
        with PlainMachine(self.bound) as machine:
            waiting = list(initial_states(self.bound))
            known = set(waiting)
            for state in waiting:
                steps = [step for step in machine.steps(state) if step.after is not None]
                found[tuple(pack(state))] = {(s.number, tuple(pack(s.after))) for s in steps}
                for step in steps:
                    if step.after not in known:
                        known.add(step.after)
                        waiting.append(step.after)
        return found


def written(bound: Bound, root: Path, parts: int = 3) -> Written:
    """Begin a search of a bound program in a folder."""
    return Written(bound, Folder(root), parts)


def assert_same(bound: Bound, outcome: Outcome, **options: Any) -> None:
    """Compare with the local engine, and counterexamples step by step with plain Python's."""
    local = explore_compiled(bound, **options)
    assert summary(outcome) == summary(local)
    plain = explore_plain(bound, **options)
    of_runs = set(plain.cycles)
    assert {n: p for n, p in outcome.violations.items() if n not in of_runs} == {
        n: p for n, p in plain.violations.items() if n not in of_runs
    }
    starts = ({n: at for n, at in x.starts.items() if n not in of_runs} for x in (outcome, plain))
    assert next(starts) == next(starts)
    replay_found(bound, outcome)


def assert_found(bound: Bound, work: Path, parts: int = 3, small: int = 1, **options: Any) -> None:
    """Search, and compare with the local engines."""
    assert_same(bound, explorer_of(work, parts, small=small)(bound, **options), **options)
