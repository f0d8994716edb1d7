"""Checker against prover: a mistake has a line for what it breaks, and a wrong proof is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ackproof.model.cache import Cache
from ackproof.proofs.discharge import Outcome
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.solving import PROVED

from bench import mutations
from tests.proofs.noticed import BEYOND, NOTICED, mistakes

pytestmark = pytest.mark.slow

CASE = ("MemoryEndsWithItsProcess", "SparingStore")


def test_what_a_mistake_breaks_has_a_line_with_the_obligation_that_fails(tmp_path: Path) -> None:
    rows = mutations.tried(mistakes()[CASE], Cache(tmp_path), 3.0)
    [row] = [r for r in rows if r.broken == CASE[0]]
    assert row.cells[:4] == (*CASE, "tiny", "4 steps")
    assert row.obligation == NOTICED[CASE]
    assert row.result in ("refuted", "unknown")
    assert not any(r.wrong for r in rows)


@pytest.mark.parametrize("case", [CASE, *list(BEYOND)[:1]])
def test_what_is_violated_and_proved_is_wrong_but_for_what_a_restriction_excludes(
    case: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def believed(_: Any, obligation: Obligation, *__: Any) -> Outcome:
        return Outcome(obligation, PROVED, 0.1)

    monkeypatch.setattr(mutations, "discharged", believed)
    rows = mutations.tried(mistakes()[case], Cache(tmp_path), 3.0)
    [row] = [r for r in rows if r.broken == case[0]]
    assert row.wrong == (case in NOTICED)
    assert (BEYOND.get(case, "") in row.result) or row.wrong
