"""Work as jobs of Spark: a level is one of two stages, and a question one of a task for each part.

What there is much of, an answer leaves in a file for whoever reads it next, so that the driver
holds numbers only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from ackproof.pipeline.crew import Notes, Question
from ackproof.pipeline.errors import SearchFailed
from ackproof.pipeline.expanding import Expansion
from ackproof.pipeline.folder import Level
from ackproof.pipeline.keeping import keep_what_is_loaded
from ackproof.pipeline.notes import NOTES, NOTES_SCHEMA
from ackproof.pipeline.session import Session
from ackproof.pipeline.settling import Settlement

if TYPE_CHECKING:
    from pyspark.sql import Row

__all__ = ["OnSpark", "notes_of", "reason_of"]

#: What goes through the shuffle of a level, see `MOVED`.
_MOVED_SCHEMA = "task int, part int, states binary, entries binary, note string"


@dataclass(frozen=True)
class _Task:
    """A question as Spark calls it."""

    question: Question

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        keep_what_is_loaded()
        for batch in batches:
            for part in batch.column("id").to_pylist():
                answer = json.dumps({"part": part, **self.question(part)})
                yield pa.record_batch([[answer]], schema=NOTES)


class OnSpark:
    """The tasks of a session of Spark, as a `Crew`.

    Args:
        session: where jobs run.
    """

    engine = "spark"
    indexes = True
    remembers: int | None = 0
    bytes = 0

    def __init__(self, session: Session) -> None:
        self._session = session
        self.master: str | None = session.master

    @property
    def parallelism(self) -> int:
        """How many tasks can run at once, as far as is known now."""
        return self._session.parallelism

    def ask(self, question: Question, parts: int, description: str) -> Notes:
        """Ask all parts something by a job.

        Raises:
            SearchFailed: a task failed as often as Spark tries it.
        """

        def job() -> list[Row]:
            tasks = self._session.spark.range(0, parts, 1, parts)
            return tasks.mapInArrow(_Task(question), NOTES_SCHEMA).collect()

        answers = notes_of(self._session, job, description)
        return sorted(answers, key=lambda answer: int(answer["part"]))

    def level(self, known: Sequence[Level], expansion: Expansion, settlement: Settlement) -> Notes:
        """Make a level by a job.

        Raises:
            SearchFailed: a task failed as often as Spark tries it.
        """
        del known

        def job() -> list[Row]:
            return (
                self._session.spark.range(0, expansion.tasks, 1, expansion.tasks)
                .mapInArrow(expansion, _MOVED_SCHEMA)
                .repartitionById(expansion.settling, "task")
                .mapInArrow(settlement, NOTES_SCHEMA)
                .collect()
            )

        return notes_of(self._session, job, f"level {settlement.level}")

    def holds(self, known: Sequence[Level]) -> bool:
        """Nothing is known but by its steps."""
        del known
        return False


def notes_of(session: Session, job: Callable[[], list[Row]], description: str) -> Notes:
    """Run a job whose rows are notes, and return them.

    Raises:
        SearchFailed: a task failed as often as Spark tries it.
        KeyboardInterrupt: Ctrl-C.
    """
    try:
        rows = session.run(job, description)
    except Exception as error:
        raise SearchFailed(
            f"{description}: a task failed: {reason_of(error)}\n"
            f"  instead: what Spark said is in {session.log}; once it is mended, "
            "add --resume to go on with the search"
        ) from error
    return [json.loads(row["note"]) for row in rows]


def reason_of(error: Exception) -> str:
    """Return what went wrong in a task: the last error of Python's, or else Spark's first line."""
    raised = re.findall(r"^[ \t]*((?:\w+\.)*\w+: .*)$", str(error), re.MULTILINE)
    own = [line for line in raised if "spark" not in line.partition(":")[0].lower()]
    first = next(iter(str(error).splitlines()), "") or type(error).__name__
    return (own[-1] if own else first)[:500]
