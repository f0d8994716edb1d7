"""Work that needs no shuffle: each part is asked something, and answers with a few numbers.

What there is much of, an answer leaves in a file for whoever reads it next, so that the driver
holds numbers only.  Where there is little to do, the driver does it itself: a job takes longer to
begin.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
from ackproof.pipeline.session import Session

if TYPE_CHECKING:
    from pyspark.sql import Row

__all__ = ["ANSWERS", "Question", "ask"]

#: How answers come back from a job: as text.
ANSWERS = pa.schema([("note", pa.string())])
_SCHEMA = "note string"


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
        for batch in batches:
            for part in batch.column("id").to_pylist():
                answer = json.dumps({"part": part, **self.question(part)})
                yield pa.record_batch([[answer]], schema=ANSWERS)


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
        return tasks.mapInArrow(_Task(question), _SCHEMA).collect()

    answers = [json.loads(row["note"]) for row in session.run(job, description)]
    return sorted(answers, key=lambda answer: int(answer["part"]))
