"""Models of long searches have the states that are known, and measurements are compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ackproof.model.check import chosen
from ackproof.model.kernel.engine import explore

from bench import peg, three
from bench.long_runs import CASES, FULL, QUICK, Long, Row, measure, measured
from bench.process import Failed
from bench.searches import Found
from tests.pipeline.searches import bound_of, model_of

FOUND = Found(1_000, 3_000, (1, 999), (), "verified")
ROW = Row("2 workers", FOUND, 2.0, 14_000, 20_000, 0)


def test_peg_solitaire_has_as_many_boards_as_are_known(tmp_path: Path) -> None:
    path = tmp_path / "peg.py"
    peg.write(path, peg.CENTRE)
    outcome = explore(bound_of(model_of(path.read_text(), tmp_path)), max_depth=9)
    assert outcome.level_sizes == (1, 1, 4, 12, 60, 296, 1_338, 5_648, 21_842)
    assert len(outcome.per_action) == 76 + 1


def test_beginnings_of_six_colours_have_no_board_in_common(tmp_path: Path) -> None:
    sizes = []
    for holes in (*((hole,) for hole in peg.SIX), peg.SIX):
        path = tmp_path / "peg.py"
        peg.write(path, holes)
        bound = bound_of(model_of(path.read_text(), tmp_path))
        sizes.append(explore(bound, max_depth=7).states - 1)
    assert sizes[-1] == sum(sizes[:-1])


def test_three_messages_are_core_with_one_more() -> None:
    (instance,) = three.MODEL.instances
    small = replace(instance, sizes={**instance.sizes, three.Msg: 1})
    assert explore(chosen(three.MODEL, small)).limit is None
    assert {name for name, case in CASES.items() if case.model == "bench/three.py"} == {"three"}
    assert {*FULL, *QUICK} <= CASES.keys()


def test_a_row_says_what_a_state_costs() -> None:
    assert ROW.cells() == ["2 workers", "2.0", "14.0", "20.0", "-"]


def test_searches_that_find_something_else_are_no_measurement(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = iter([ROW, replace(ROW, found=replace(FOUND, states=1_001))])
    monkeypatch.setattr("bench.long_runs.measured", lambda name, command: next(rows))
    case = Long("x", "tests/models/die_hard.py", "jugs")
    with pytest.raises(Failed, match="1,001 states and 3,000 generated, where 1,000"):
        list(measure(case, None, tmp_path))


def test_a_search_is_measured_by_the_command(tmp_path: Path) -> None:
    case = Long("x", "tests/models/two_phase_commit.py", "rm3")
    row = measured("kept", [*case.command(tmp_path), "--work", str(tmp_path / "work")])
    assert row.found.states == 288
    assert row.kept > 288
    with pytest.raises(Failed, match="did not come through"):
        measured("short", [*case.command(tmp_path), "--depth", "3"])
