"""What pages say of a run is found by the checker, once, and through the cache."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ackproof.lang import Breaks, Holds
from ackproof.model import museum as museum_module
from ackproof.model.cache import Cache
from specdoc import evidence as evidence_module
from specdoc.evidence import Evidence, prepare
from specdoc.exhibits import changes_of
from specdoc.library import Exhibit, build_library

from tests.docs import lighthouse
from tests.docs.lighthouse import MODEL, sleepy

BAY = MODEL.instances[0]
SLEEPY = Exhibit("sleepy", lighthouse, sleepy)


def evidence(folder: Path) -> Evidence:
    """Return evidence that needs no compiler."""
    return Evidence(build_library(MODEL, (SLEEPY,)), Cache(folder), "plain")


def test_a_situation_is_witnessed_by_a_shortest_run(tmp_path: Path) -> None:
    trace = evidence(tmp_path).witness("AllTold", BAY)
    assert trace is not None
    assert [step.text for step in trace.steps] == [
        "sight(ship=1, keepers={1})",
        "sight(ship=2, keepers={1})",
    ]


def test_a_situation_that_never_comes_up_has_no_run(tmp_path: Path) -> None:
    unseen = replace(BAY, sizes={lighthouse.Ship: 2, lighthouse.Keeper: 0})
    assert evidence(tmp_path).witness("AllTold", unseen) is None


def test_a_situation_is_shown_on_the_smallest_instance_that_comes_there(tmp_path: Path) -> None:
    nobody = replace(BAY, name="nobody", sizes={lighthouse.Ship: 2, lighthouse.Keeper: 0}, states=1)
    model = replace(MODEL, instances=(replace(BAY, states=16), nobody))
    found = Evidence(build_library(model, (SLEEPY,)), Cache(tmp_path), "plain")
    assert [i.name for i in found.instances_for("AllTold")] == [BAY.name]
    assert found.shown_on() == {BAY.name}


def test_one_search_finds_the_runs_to_all_situations_of_an_instance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = evidence(tmp_path)
    assert found.witness("AllTold", BAY) is not None
    monkeypatch.setattr(evidence_module, "check_bound", lambda *_, **__: pytest.fail("searched"))
    assert found.witness("AllTold", BAY) is not None


def test_an_expectation_that_comes_true_is_judged_so(tmp_path: Path) -> None:
    assert evidence(tmp_path).judgement("sleepy", sleepy, Holds("bay")).came_true


def test_an_expectation_that_does_not_come_true_says_what_was_found(tmp_path: Path) -> None:
    judged = evidence(tmp_path).judgement("sleepy", sleepy, Breaks("ToldIsNear", "bay", 1))
    assert not judged.came_true
    assert judged.found == "it holds"


def test_an_expectation_is_judged_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = evidence(tmp_path)
    first = found.judgement("sleepy", sleepy, Holds("bay"))
    monkeypatch.setattr(museum_module, "check", lambda *_, **__: pytest.fail("checked"))
    assert found.judgement("sleepy", sleepy, Holds("bay")) is first
    with pytest.raises(pytest.fail.Exception):
        found.judgement("sleepy", sleepy, Holds("bay", "ToldIsNear"))


def test_all_is_prepared_before_pages_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(evidence_module, "proof_document", lambda *_: {"results": []})
    prepare(evidence(tmp_path))
    kept = sorted(p.name for p in tmp_path.rglob("*.entry"))
    assert kept
    later = evidence(tmp_path)
    reports: list[Any] = [later.judgement("sleepy", sleepy, e).report for e in sleepy.expect] + [
        run.report for run in later.table.runs
    ]
    assert all(report.searched is not None for report in reports)
    assert "proving" in capsys.readouterr().err


def test_a_design_is_shown_as_a_diff_of_the_steps_it_overrides() -> None:
    ((key, diff),) = changes_of(SLEEPY)
    assert key == "Watch.note"
    assert diff.splitlines() == [
        " @handler",
        " def note(self, ship: Ship) -> None:",
        '-    """Write a ship down, once (B1.2)."""',
        "-    require(ship not in self.seen)",
        "-    self.seen.add(ship)",
        '+    """Tell, and write nothing down."""',
        "     self.emit(Flash(ship, last=False))",
    ]
