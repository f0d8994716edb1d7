"""The table of eras says where what breaks, searches nothing twice, and knows when it is old."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ackproof.lang.model import Breaks
from ackproof.lang.properties import properties_in
from ackproof.model import eras as eras_module
from ackproof.model.check import check_bound
from ackproof.model.era_document import schema
from ackproof.model.era_table import EraTable
from ackproof.model.eras import Era, Run, Surveyor, era_names
from ackproof.model.outcome import Limit
from ackproof.model.report import Report

from tests.model.harbour import ERAS, PAIR, ToldYetGone, open_air, shallow

BASE, SHALLOW, OPEN_AIR = ERAS


def runs_of(eras: Sequence[Era], surveyor: Surveyor) -> list[Run]:
    return [surveyor.run(era, instance) for era in eras for instance in era.instances]


def table_of(*eras: Era, engine: Any = "plain") -> EraTable:
    surveyor = Surveyor(engine=engine)
    runs = runs_of(eras, surveyor)
    return EraTable(eras, tuple(runs), {era.name: surveyor.judge(era, runs) for era in eras})


@pytest.fixture(scope="module")
def table() -> EraTable:
    return table_of(*ERAS)


def cells(table: EraTable, name: str) -> list[str]:
    return [str(table.cell(name, era)) for era in table.eras]


def test_a_cell_says_where_a_property_breaks_with_the_fewest_steps(table: EraTable) -> None:
    assert cells(table, "ToldIsKept") == ["holds", "breaks 4 @pair", "breaks 2 @single"]
    assert table.cell("ToldIsKept", OPEN_AIR).broken == (("single", 2), ("pair", 2))


def test_what_breaks_later_than_something_else_is_found_too(table: EraTable) -> None:
    assert cells(table, "ToldIsInside") == ["holds", "breaks 5 @pair", "breaks 3 @single"]


def test_what_holds_beside_something_broken_is_known_to_hold(table: EraTable) -> None:
    assert cells(table, "NothingIsUntold") == ["holds", "holds", "holds"]


def test_a_situation_is_reached_or_never_reached_or_ruled_out(table: EraTable) -> None:
    assert cells(table, "TwoStored") == ["reached", "never", "–"]


def test_what_no_instance_can_say_anything_of_is_vacuous() -> None:
    single = replace(BASE, model=replace(BASE.model, instances=BASE.model.instances[1:2]))
    assert cells(table_of(single), "TwoStored") == ["–"]


def test_a_broken_cell_has_the_shortest_counterexample(table: EraTable) -> None:
    trace = table.cell("ToldIsInside", OPEN_AIR).trace
    assert trace is not None
    assert [s.text for s in trace.steps] == ["land(crate=c1)", "store(crate=c1)", "land(crate=c1)"]


def test_rows_stand_by_kind_in_the_order_of_definition(table: EraTable) -> None:
    assert [(r.name, r.kind) for r in table.rows] == [
        ("ToldIsKept", "invariant"),
        ("ToldIsInside", "invariant"),
        ("NothingIsUntold", "step"),
        ("QuayEmpties", "eventually"),
        ("TwoStored", "reachable"),
        ("NoAssertionFails", "built-in"),
        ("StepsAreDefined", "built-in"),
    ]


def test_a_table_is_fine_if_all_is_as_the_eras_say(table: EraTable) -> None:
    assert [len(table.judgements[era.name]) for era in ERAS] == [0, 4, 3]
    assert all(not table.surprises(era) for era in ERAS)
    assert (table.complete, table.exit_code) == (True, 0)


def test_an_instance_that_is_not_for_the_table_is_searched_if_something_is_expected_there(
    table: EraTable,
) -> None:
    assert "trio" not in {run.instance for run in table.runs}
    judgement = table.judgements["shallow"][-1]
    assert (judgement.expectation.instance, judgement.came_true) == ("trio", True)


def test_what_is_broken_must_be_expected_to_be() -> None:
    silent = replace(
        OPEN_AIR, design=replace(open_air, expect=(open_air.expect[0], open_air.expect[2]))
    )
    table = table_of(silent)
    assert table.surprises(silent) == (
        "ToldIsInside breaks on single after 3 steps, and no expectation says so",
    )
    assert table.exit_code == 1


def test_an_expectation_that_does_not_come_true_is_no_success() -> None:
    wrong = Breaks("ToldIsKept", "single", 7)
    hopeful = replace(OPEN_AIR, design=replace(open_air, expect=(wrong,)))
    table = table_of(hopeful)
    assert [j.found for j in table.judgements["open_air"]] == ["it breaks after 2 steps"]
    assert table.exit_code == 1


def test_a_survey_decides_every_expectation_without_another_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    surveyor = Surveyor(engine="plain")
    table_runs = runs_of([SHALLOW], surveyor)
    monkeypatch.setattr("ackproof.model.museum.check", lambda *a, **o: pytest.fail("searched"))
    expect = (Breaks("NothingIsUntold", "pair", 3), *shallow.expect[:3])
    judged = surveyor.judge(replace(SHALLOW, design=replace(shallow, expect=expect)), table_runs)
    assert [j.came_true for j in judged] == [False, True, True, True]


def test_a_situation_that_the_base_never_reaches_is_told() -> None:
    model = replace(BASE.model, instances=(PAIR,), properties=properties_in(ToldYetGone))
    hopeful = replace(BASE, model=model)
    table = table_of(hopeful)
    assert table.surprises(hopeful) == ("ToldYetGone is never reached, and nothing says so",)
    assert table.exit_code == 1


# -- searches that did not end -------------------------------------------------------------------


def test_a_search_that_stopped_early_leaves_open_what_it_did_not_find(table: EraTable) -> None:
    stopped = tuple(stop(run) for run in table.runs)
    table = EraTable(table.eras, stopped, table.judgements)
    assert cells(table, "ToldIsKept") == ["open", "breaks 4 @pair", "breaks 2 @single"]
    assert (table.complete, table.exit_code) == (False, 3)


def stop(run: Run) -> Run:
    outcome = replace(run.report.outcome, limit=Limit.MEMORY, exhausted=False)
    return replace(run, report=replace(run.report, outcome=outcome))


def test_what_was_not_searched_is_open(table: EraTable) -> None:
    interrupted = EraTable(table.eras, table.runs[:4], {})
    assert cells(interrupted, "ToldIsKept") == ["holds", "breaks 4 @pair", "open"]
    assert (interrupted.complete, interrupted.exit_code) == (False, 3)
    judged = EraTable(table.eras, table.runs[:-1], table.judgements)
    assert (judged.complete, judged.exit_code) == (False, 3)


# -- searches that are the same ------------------------------------------------------------------


def test_what_a_design_changes_where_nothing_uses_it_is_not_searched_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[str] = []

    def counted(*args: Any, **options: Any) -> Report:
        searched.append(f"{args[1]} on {args[0].instance.name}")
        return check_bound(*args, **options)

    monkeypatch.setattr(eras_module, "check_bound", counted)
    runs = runs_of(ERAS, Surveyor(workers=1))
    assert {(r.era, r.instance): r.same_as for r in runs if r.same_as} == {
        ("shallow", "single"): "documented",  # of one crate there is none to push out
        ("shallow", "unbuilt"): "documented",
        ("open_air", "unbuilt"): "documented",
    }
    assert len(searched) == 6
    assert runs[5].report.bound.design is shallow


def test_the_kernel_makes_the_same_table(table: EraTable) -> None:
    found = table_of(*ERAS, engine="kernel")
    for row in table.rows:
        assert cells(found, row.name) == cells(table, row.name)


def test_counterexamples_of_a_shared_search_are_replayed_in_the_other_era() -> None:
    surveyor = Surveyor(engine="plain")
    surveyor.run(OPEN_AIR, PAIR)
    again = surveyor.run(replace(OPEN_AIR, name="windy"), PAIR)
    assert again.same_as == "open_air"
    assert again.report.design == "windy"
    assert {t.property: len(t.steps) for t in again.report.traces} == again.violations


# -- the table as JSON ---------------------------------------------------------------------------


def test_a_table_is_a_document_of_its_schema(table: EraTable) -> None:
    document = table.document()
    jsonschema.validate(document, schema())
    (kept,) = (p for p in document["properties"] if p["name"] == "ToldIsInside")
    assert kept["cells"][2] == {
        "era": "open_air",
        "result": "breaks",
        "broken": [{"instance": "single", "steps": 3}, {"instance": "pair", "steps": 3}],
        "path": [0, 1, 0],
        "trace": ["land(crate=c1)", "store(crate=c1)", "land(crate=c1)"],
        "cycle": None,
    }


def test_what_never_happens_is_told_with_what_happens_for_ever_instead(table: EraTable) -> None:
    assert cells(table, "QuayEmpties") == ["holds", "holds", "breaks 5 @pair"]
    (kept,) = (p for p in table.document()["properties"] if p["name"] == "QuayEmpties")
    broken = kept["cells"][2]
    assert len(broken["trace"]) == 5
    assert {"store(crate=c1)", "store(crate=c2)"} <= set(broken["cycle"]["trace"])
    assert len(broken["cycle"]["path"]) == len(broken["cycle"]["trace"])


# -- which eras there are ------------------------------------------------------------------------


def test_eras_come_in_the_order_that_their_package_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "ages"
    package.mkdir()
    for name in ("stone", "iron_10", "iron_9", "_tools", "bronze"):
        (package / f"{name}.py").touch()
    (package / "__init__.py").write_text('ORDER = ("stone", "bronze")\n')
    monkeypatch.syspath_prepend(tmp_path)
    assert era_names(replace(BASE.model, eras="ages")) == ("stone", "bronze", "iron_9", "iron_10")


def test_there_are_no_eras_where_there_is_no_package() -> None:
    assert era_names(BASE.model) == ()
