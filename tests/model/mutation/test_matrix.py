"""The kill matrix: totals, who notices what, and explanations that have to be true."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from ackproof.model.difference import by_size
from ackproof.model.mutation.judging import Fate, Verdict
from ackproof.model.mutation.matrix import Matrix, Noticed, entries_of
from ackproof.spec.model import MODEL

from tests.mutants import MUTANTS

FOUR = MUTANTS[:4]


def matrix(*verdicts: Verdict, unfinished: int = 0) -> Matrix:
    model = replace(MODEL, equivalents="explained")
    entries = entries_of(model, FOUR[: len(verdicts)], verdicts)
    return Matrix(model, entries, MUTANTS, 1_000, unfinished)


@pytest.fixture(autouse=True)
def _explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of the mutants is explained."""
    said = {FOUR[0].place.name: {FOUR[0].what: "It cannot be otherwise."}}
    monkeypatch.setitem(__import__("sys").modules, "explained", SimpleNamespace(EQUIVALENT=said))


def killed(*names: str) -> Verdict:
    return Verdict(Fate.KILLED, "core", tuple((n, k) for k, n in enumerate(names, start=3)))


def test_a_property_notices_first_at_all_or_alone() -> None:
    found = matrix(Verdict(Fate.UNCHANGED), killed("SettledOnce", "OneMaster"), killed("OneMaster"))
    by_name = {n.name: n for n in found.by_property()}
    assert by_name["SettledOnce"] == Noticed("SettledOnce", 1, 1, 0)
    assert by_name["OneMaster"] == Noticed("OneMaster", 1, 2, 1)
    assert by_name["RefusedOnce"] == Noticed("RefusedOnce", 0, 0, 0)
    where = found.by_instance()
    assert [(name, count) for name, count in where if count] == [("core", 2)]
    assert [name for name, _ in where] == [i.name for i in by_size(MODEL)]


def test_all_is_well_if_what_nothing_notices_is_explained() -> None:
    found = matrix(Verdict(Fate.SURVIVED), killed("OneMaster"), Verdict(Fate.UNREACHED))
    assert (found.open, found.exit_code) == ([], 0)
    assert found.totals()[FOUR[0].place.owner.__name__]["explained"] == 1


@pytest.mark.parametrize("fate", [Fate.SURVIVED, Fate.UNCHANGED])
def test_what_nothing_notices_or_explains_is_open(fate: Fate) -> None:
    found = matrix(Verdict(Fate.UNCHANGED), Verdict(fate))
    assert [e.mutant for e in found.open] == [FOUR[1]]
    assert found.exit_code == 1


def test_an_explanation_of_what_is_noticed_is_false() -> None:
    found = matrix(killed("OneMaster"))
    assert [e.mutant for e in found.false] == [FOUR[0]]
    assert found.exit_code == 1


def test_an_explanation_of_no_mutant_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    said = SimpleNamespace(EQUIVALENT={"Channel.flush": {"drops everything": "It may."}})
    monkeypatch.setitem(__import__("sys").modules, "explained", said)
    found = matrix(killed("OneMaster"))
    assert found.stale == ["Channel.flush: drops everything"]
    assert found.exit_code == 1


def test_what_was_interrupted_is_incomplete() -> None:
    assert matrix(Verdict(Fate.UNCHANGED), unfinished=2).exit_code == 3
