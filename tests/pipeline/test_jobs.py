"""A question is asked of every part, by the driver or by a job, with the same answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from ackproof.pipeline.crew import Crew, Here
from ackproof.pipeline.jobs import OnSpark

from tests.pipeline.searches import StandIn


@dataclass(frozen=True)
class Square:
    """Asks for a square."""

    plus: int

    def __call__(self, part: int) -> dict[str, Any]:
        """Answer for a part."""
        return {"square": part * part + self.plus, "name": f"part {part}"}


SESSION = StandIn()


@pytest.mark.parametrize(
    ("crew", "jobs"), [(Here(), []), (Here(threads=3), []), (OnSpark(SESSION), ["squares"])]
)
def test_parts_answer_in_their_order(crew: Crew, jobs: list[str]) -> None:
    SESSION.jobs.clear()
    answers = crew.ask(Square(5), 12, "squares")
    assert answers == [{"part": n, "square": n * n + 5, "name": f"part {n}"} for n in range(12)]
    assert SESSION.jobs == jobs


def test_an_interrupted_question_has_no_answer() -> None:
    with pytest.raises(KeyboardInterrupt):
        OnSpark(StandIn(stop_at="squares")).ask(Square(5), 12, "squares")
