"""What is wrong in the channel is noticed, or said to be no mistake, with the reason.

A few of its mutants are drawn; `ackproof mutate --step Channel` looks at all.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.model.cache import Cache
from ackproof.model.mutation.judging import Fate, Judge
from ackproof.model.mutation.matrix import Matrix, explanations
from ackproof.model.mutation.mutants import Mutant
from ackproof.spec.model import MODEL

from tests.exploring import sample
from tests.mutants import MUTANTS

#: Where the channel's mutants are noticed that are noticed at all, the smallest instances first.
WHERE = ("tiny", "small", "fanout_mirrors", "limits", "trio", "crowded", "mirrors")


SAID = explanations(MODEL)
CHANNEL = [m for m in MUTANTS if m.place.owner.__name__ == "Channel"]
EXPLAINED = [m for m in MUTANTS if m.what in SAID.get(m.place.name, {})]
OTHERS = [m for m in CHANNEL if m not in EXPLAINED]


@pytest.fixture
def judge(tmp_path: Path, shared_cache: Cache | None) -> Judge:
    instances = [i for name in WHERE if (i := MODEL.instance(name)) is not None]
    return Judge(MODEL, instances, tmp_path, shared_cache)


@pytest.mark.parametrize("mutant", sample(OTHERS, 3), ids=lambda m: f"{m.where} {m.what}")
def test_a_mistake_that_is_not_explained_is_noticed(mutant: Mutant, judge: Judge) -> None:
    assert judge.judge(mutant).fate in (Fate.KILLED, Fate.UNREACHED, Fate.REJECTED)


@pytest.mark.parametrize("mutant", sample(EXPLAINED, 1), ids=lambda m: f"{m.where} {m.what}")
def test_what_is_explained_is_not_noticed(mutant: Mutant, tmp_path: Path) -> None:
    some = [i for name in WHERE[:2] if (i := MODEL.instance(name)) is not None]
    assert Judge(MODEL, some, tmp_path).judge(mutant).fate is not Fate.KILLED


def test_every_explanation_is_of_a_mutant_and_gives_a_reason() -> None:
    assert Matrix(MODEL, [], MUTANTS, 0).stale == []
    reasons = [reason for said in SAID.values() for reason in said.values()]
    assert len(reasons) == len(EXPLAINED)
    assert all(reason.endswith(".") for reason in reasons)
