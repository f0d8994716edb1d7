"""What pages say of a run was found by the checker, and is kept until something changes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from ackproof.spec.lang import Breaks, Holds
from specdoc.evidence import Checker
from specdoc.exhibits import changes_of
from specdoc.library import Exhibit

from tests.docs import lighthouse
from tests.docs.lighthouse import MODEL, sleepy

BAY = MODEL.instances[0]


def checker(cache: Path) -> Checker:
    """Return a checker that needs no compiler."""
    return Checker(MODEL, cache, "plain")


def test_a_situation_is_witnessed_by_a_shortest_run(tmp_path: Path) -> None:
    trace = checker(tmp_path).witness("AllTold", BAY)
    assert trace is not None
    assert [step.text for step in trace.steps] == [
        "sight(ship=1, keepers={1})",
        "sight(ship=2, keepers={1})",
    ]


def test_a_situation_that_never_comes_up_has_no_run(tmp_path: Path) -> None:
    unseen = replace(BAY, sizes={lighthouse.Ship: 2, lighthouse.Keeper: 0})
    assert checker(tmp_path).witness("AllTold", unseen) is None


def test_one_search_finds_the_runs_to_all_situations_of_an_instance(tmp_path: Path) -> None:
    found = checker(tmp_path)
    assert found.witness("AllTold", BAY) is not None
    (kept,) = tmp_path.glob("*.json")
    assert set(json.loads(kept.read_text())) == {"AllTold"}
    kept.unlink()
    assert found.witness("AllTold", BAY) is not None


def test_an_expectation_that_comes_true_has_a_path(tmp_path: Path) -> None:
    finding = checker(tmp_path).expectation("sleepy", sleepy, Holds("bay"))
    assert finding.came_true
    assert finding.path is None


def test_an_expectation_that_does_not_come_true_says_what_was_found(tmp_path: Path) -> None:
    finding = checker(tmp_path).expectation("sleepy", sleepy, Breaks("ToldIsNear", "bay", 1))
    assert not finding.came_true
    assert finding.found == "it holds"


def test_a_finding_is_kept_and_not_looked_for_again(tmp_path: Path) -> None:
    first = checker(tmp_path).expectation("sleepy", sleepy, Holds("bay"))
    (kept,) = tmp_path.glob("*.json")
    data = json.loads(kept.read_text())
    kept.write_text(json.dumps({**data, "states": 12345}))
    second = checker(tmp_path).expectation("sleepy", sleepy, Holds("bay"))
    assert (first.states, second.states) == (data["states"], 12345)


def test_a_finding_about_something_else_is_kept_apart(tmp_path: Path) -> None:
    checker(tmp_path).expectation("sleepy", sleepy, Holds("bay"))
    checker(tmp_path).expectation("sleepy", sleepy, Holds("bay", "ToldIsNear"))
    assert len(list(tmp_path.glob("*.json"))) == 2


def test_a_design_is_shown_as_a_diff_of_the_steps_it_overrides() -> None:
    ((key, diff),) = changes_of(Exhibit("sleepy", lighthouse, sleepy))
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
