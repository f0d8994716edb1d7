"""A question is asked of every part, by the driver or by a job, with the same answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from ackproof.pipeline.jobs import ask

from tests.pipeline.searches import StandIn


@dataclass(frozen=True)
class Square:
    """Asks for a square."""

    plus: int

    def __call__(self, part: int) -> dict[str, Any]:
        """Answer for a part."""
        return {"square": part * part + self.plus, "name": f"part {part}"}


@pytest.mark.parametrize("alone", [False, True])
def test_parts_answer_in_their_order(alone: bool) -> None:
    session = StandIn()
    answers = ask(session, Square(5), 12, "squares", alone=alone)
    assert answers == [{"part": n, "square": n * n + 5, "name": f"part {n}"} for n in range(12)]
    assert session.jobs == ([] if alone else ["squares"])


def test_an_interrupted_question_has_no_answer() -> None:
    with pytest.raises(KeyboardInterrupt):
        ask(StandIn(stop_at="squares"), Square(5), 12, "squares", alone=False)
