"""Work that needs no shuffle: each part is asked something, and answers with a few numbers.

What there is much of, an answer leaves in a file for whoever reads it next, so that the driver
holds numbers only.  Where there is little to do, the driver does it itself: a job takes longer to
begin.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
from ackproof.pipeline.errors import SearchFailed
from ackproof.pipeline.keeping import keep_what_is_loaded
from ackproof.pipeline.session import Session

if TYPE_CHECKING:
    from pyspark.sql import Row

__all__ = ["NOTES", "NOTES_SCHEMA", "Question", "ask", "notes_of", "reason_of"]

#: How answers come back from a job, for Arrow and for Spark: as text.
NOTES = pa.schema([("note", pa.string())])
NOTES_SCHEMA = "note string"


class Question(Protocol):
    """What is asked of a part: a value that a task can be sent."""

    def __call__(self, part: int) -> dict[str, Any]:
        """Answer for a part; numbers and texts only."""
        ...


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


def ask(
    session: Session, question: Question, parts: int, description: str, *, alone: bool
) -> list[dict[str, Any]]:
    """Ask all parts something; return what they answer, by part.

    Args:
        session: where the job runs.
        question: what to ask.
        parts: how many parts there are.
        description: what the job is called in Spark's pages.
        alone: whether the driver does it itself.
    """
    if alone:
        return [{"part": part, **question(part)} for part in range(parts)]

    def job() -> list[Row]:
        tasks = session.spark.range(0, parts, 1, parts)
        return tasks.mapInArrow(_Task(question), NOTES_SCHEMA).collect()

    return sorted(notes_of(session, job, description), key=lambda answer: int(answer["part"]))


def notes_of(
    session: Session, job: Callable[[], list[Row]], description: str
) -> list[dict[str, Any]]:
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
