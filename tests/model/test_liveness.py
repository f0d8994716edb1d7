"""What must happen is found to happen, or a fair run is shown in which it never does."""

from __future__ import annotations

import importlib.util
import itertools
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ackproof.lang import Breaks, Design, Holds, Model
from ackproof.lang.binding import Bound, bind
from ackproof.model.check import Engine, check
from ackproof.model.document import document, schema
from ackproof.model.itf import itf_trace
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.listing import listing, plain
from ackproof.model.outcome import Limit, Outcome
from ackproof.model.plain_search import explore as explore_plain
from ackproof.model.report import Report
from ackproof.model.trace import ReplayError, replay
from ackproof.model.verdict import Verdict

from tests.exploring import seeds
from tests.model import liveness_models as models
from tests.model.random_graphs import ESCAPES, Walk, random_walk

_NUMBERS = itertools.count()

ENGINES: tuple[tuple[Engine, int], ...] = (("plain", 1), ("kernel", 1), ("kernel", 2))

#: What is known: model, instance, design, and how many steps it takes to where a fair run can keep
#: the property false, with whether it stays there; or None where the property holds.
KNOWN: tuple[tuple[Model, str, Design | None, tuple[int, bool] | None], ...] = (
    (models.PETERSON, "await", None, (1, True)),
    (models.PETERSON, "await", models.GOING, None),
    (models.PETERSON, "busy", models.GOING, None),
    (models.DINING, "seats3", None, (0, True)),
    (models.DINING, "seats3", models.MOVING, (0, False)),
    (models.DINING, "seats4", models.MOVING, (0, False)),
    (models.DINING, "seats3", models.PATIENT, None),
    (models.DINING, "seats4", models.PATIENT, None),
    (models.LINE, "values2", None, None),
    (models.LINE, "values2", models.UNLUCKY, (1, False)),
    (models.KETTLE, "sound", None, None),
    (models.KETTLE, "leaking", None, (1, True)),
    (models.LAMP, "one", None, None),
    (models.LAMP, "one", models.DIM, (0, False)),
    (models.LAMP, "one", models.SURE, None),
)


def report_of(model: Model, instance: str, design: Design | None = None, **options: Any) -> Report:
    chosen = model.instance(instance)
    assert chosen is not None
    return check(model, chosen, design, **{"engine": "plain", **options})


@pytest.mark.parametrize(("model", "instance", "design", "known"), KNOWN)
@pytest.mark.parametrize(("engine", "workers"), ENGINES)
def test_every_engine_finds_what_is_known(
    model: Model,
    instance: str,
    design: Design | None,
    known: tuple[int, bool] | None,
    engine: Engine,
    workers: int,
) -> None:
    report = report_of(model, instance, design, engine=engine, workers=workers)
    (name,) = (p.name for p in model.claims)
    assert report.complete
    if known is None:
        assert (report.results()[name], report.traces) == ("holds", ())
    else:
        (trace,) = report.traces
        assert trace.cycle is not None
        assert (report.results()[name], report.verdict) == ("violated", Verdict.VIOLATED)
        assert (len(trace.steps), not trace.cycle) == known


# -- of each element by itself -----------------------------------------------------------------


@pytest.mark.parametrize(("engine", "workers"), ENGINES)
@pytest.mark.parametrize("size", [2, 3])
def test_what_holds_of_each_element_need_not_hold_of_all_at_once(
    size: int, engine: Engine, workers: int
) -> None:
    report = report_of(models.LAMPS, f"lamps{size}", engine=engine, workers=workers, survey=True)
    results = report.results()
    assert report.complete
    assert {results[f"IsLit[c{number}]"] for number in range(1, size + 1)} == {"holds"}
    assert results["AllAreLit"] == "violated"


@pytest.mark.parametrize(("engine", "workers"), ENGINES)
def test_a_property_is_violated_by_one_element_and_held_by_another(
    engine: Engine, workers: int
) -> None:
    properties = ["IsLitAfterTheFirst"]
    report = report_of(
        models.LAMPS, "lamps2", engine=engine, workers=workers, properties=properties, survey=True
    )
    results = report.results()
    assert results["IsLitAfterTheFirst[c1]"] == "violated"
    assert results["IsLitAfterTheFirst[c2]"] == "holds"
    assert [t.property for t in report.traces] == ["IsLitAfterTheFirst[c1]"]


def test_one_element_may_be_asked_about_alone() -> None:
    report = report_of(models.LAMPS, "lamps2", properties=["IsLitAfterTheFirst[c2]"])
    assert report.verdict == Verdict.VERIFIED


def test_the_only_element_is_not_named() -> None:
    results = report_of(models.LAMPS, "lamps1", properties=["IsLit", "AllAreLit"]).results()
    assert (results["IsLit"], results["AllAreLit"]) == ("holds", "holds")


# -- against every set of places ---------------------------------------------------------------


def bound_walk(walk: Walk, folder: Path) -> Bound:
    """Write a walk to a file and import it."""
    name = f"walk_{next(_NUMBERS)}"
    path = folder / f"{name}.py"
    path.write_text(walk.source())
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return bind(module.MODEL, module.MODEL.instances[0])


def agree(walk: Walk, bound: Bound, outcome: Outcome) -> None:
    """Compare what an engine found with what trying every set of places finds."""
    assert {name: len(path) for name, path in outcome.violations.items()} == walk.violated()
    for name, path in outcome.violations.items():
        replay(bound, name, path, outcome.cycles[name])


@pytest.mark.parametrize("seed", seeds(120))
def test_plain_python_agrees_with_every_set_of_places(seed: int, tmp_path: Path) -> None:
    walk = random_walk(seed)
    bound = bound_walk(walk, tmp_path)
    agree(walk, bound, explore_plain(bound))


@pytest.mark.parametrize("seed", seeds(60))
@pytest.mark.parametrize("workers", [1, 2])
def test_the_kernel_agrees_with_every_set_of_places(
    seed: int, workers: int, tmp_path: Path
) -> None:
    walk = random_walk(seed)
    bound = bound_walk(walk, tmp_path)
    agree(walk, bound, explore_compiled(bound, workers=workers))


def test_a_run_may_keep_away_from_where_it_would_have_to_leave(tmp_path: Path) -> None:
    bound = bound_walk(ESCAPES, tmp_path)
    for outcome in (explore_plain(bound), *(explore_compiled(bound, workers=n) for n in (1, 2))):
        assert outcome.cycles == {"Arrives": (0, 0)}
        agree(ESCAPES, bound, outcome)


def test_the_random_walks_hold_stay_and_go_round() -> None:
    walks = [random_walk(seed) for seed in range(60)]
    assert {None, 0, 1, 2} <= {walk.stays_false() for walk in walks}
    assert {None, 0, 1, 2} <= {walk.stays_unanswered() for walk in walks}


def test_some_random_walks_come_from_where_it_is_asked_for_to_where_it_is_not() -> None:
    walks = [random_walk(seed) for seed in range(60)]
    assert any(
        walk.stays_unanswered() not in (None, walk.stays_false()) and walk.asked - walk.wanted
        for walk in walks
    )


# -- together with the rest --------------------------------------------------------------------


@pytest.mark.parametrize(("engine", "workers"), ENGINES)
def test_an_incomplete_search_leaves_it_open(engine: Engine, workers: int) -> None:
    report = report_of(models.KETTLE, "leaking", engine=engine, workers=workers, max_depth=2)
    assert report.outcome.limit is Limit.DEPTH
    assert report.results()["EveryCupIsFull"] == "open"


def test_steps_that_do_not_fit_leave_it_open() -> None:
    bound = bind(models.LINE, models.LINE.instances[0])
    roomy = explore_compiled(bound)
    outcome = explore_compiled(bound, memory=roomy.memory // 2)
    assert (outcome.limit, outcome.exhausted) == (Limit.MEMORY, True)
    assert (outcome.states, outcome.violations) == (roomy.states, {})


def test_what_is_expected_of_runs_is_judged_like_all_else() -> None:
    from ackproof.model.museum import judge

    breaks = Breaks("TheLampIsOff", "one", 0)
    holds = Holds("one", "TheLampIsOff")
    for design, expectation in ((models.DIM, breaks), (models.SURE, holds)):
        found = judge(models.LAMP, design, expectation, engine="plain")
        assert found.came_true, found.found
    assert not judge(models.LAMP, models.SURE, breaks, engine="plain").came_true


def test_the_digest_tells_apart_what_is_fair() -> None:
    one = models.LAMP.instances[0]
    assert bind(models.LAMP, one, models.DIM).digest() != bind(models.LAMP, one).digest()


# -- the counterexample ------------------------------------------------------------------------


def test_a_run_that_stays_is_told_in_words() -> None:
    (trace,) = report_of(models.KETTLE, "leaking").traces
    assert [s.text for s in trace.steps] == ["leak()"]
    assert plain(listing(trace, 80))[-1] == (
        "     and there it stays: nothing is enabled that must happen"
    )


def test_a_run_that_goes_round_shows_the_steps_that_go_on_for_ever() -> None:
    (trace,) = report_of(models.LAMP, "one", models.DIM).traces
    assert plain(listing(trace, 80)) == [
        "     Lamp",
        "      │",
        "     for ever:",
        "  1   ●    blink()",
        "      │      on  False → True",
        "  2   ●    blink()",
        "      │      on  True → False",
    ]


def test_a_cycle_is_replayed_and_what_it_claims_is_checked() -> None:
    bound = bind(models.LAMP, models.LAMP.instances[0], models.DIM)
    number = {str(i): n for n, i in enumerate(bound.instances())}
    blink, off, look = number["blink()"], number["switch_off()"], number["look()"]
    assert len(replay(bound, "TheLampIsOff", [], [blink, blink]).cycle or ()) == 2
    for path, cycle, problem in (
        ([], [blink], "on the cycle, it does not lead back to where it began"),
        ([], [off], "on the cycle, it holds"),
        ([], [], r"on the cycle, blink\(\) must happen and never does"),
        ([], [look], r"on the cycle, blink\(\) must happen and never does"),
        ([off], [], "in the last state, it holds"),
        ([blink], [off], r"at step 1 of 1, switch_off\(\) is not enabled"),
    ):
        with pytest.raises(ReplayError, match=problem):
            replay(bound, "TheLampIsOff", path, cycle)


def test_a_cycle_that_puts_off_a_strongly_fair_step_is_no_counterexample() -> None:
    bound = bind(models.LAMP, models.LAMP.instances[0], models.SURE)
    blink = next(n for n, i in enumerate(bound.instances()) if str(i) == "blink()")
    with pytest.raises(ReplayError, match=r"switch_off\(\) must happen and never does"):
        replay(bound, "TheLampIsOff", [], [blink, blink])


def test_the_report_carries_the_cycle() -> None:
    reports = [
        report_of(models.LAMP, "one", models.DIM),
        report_of(models.KETTLE, "leaking"),
        report_of(models.LAMP, "one"),
    ]
    found = json.loads(json.dumps(document(reports)))
    jsonschema.Draft202012Validator(schema()).validate(found)
    round_, stays, holds = (result["violations"] for result in found["results"])
    assert [s["action"] for s in round_[0]["cycle"]] == ["blink", "blink"]
    assert [s["step"] for s in round_[0]["cycle"]] == [1, 2]
    assert (stays[0]["cycle"], holds) == ([], [])
    assert found["results"][0]["properties"][0]["kind"] == "eventually"


def test_an_itf_trace_says_where_the_loop_begins() -> None:
    (trace,) = report_of(models.LAMP, "one", models.DIM).traces
    found = itf_trace(trace)
    assert (found["loop"], len(found["states"])) == (0, 3)
    first, _, last = ({k: v for k, v in s.items() if k in {"on", "off"}} for s in found["states"])
    assert first == last
    (trace,) = report_of(models.KETTLE, "leaking").traces
    assert (itf_trace(trace)["loop"], len(itf_trace(trace)["states"])) == (1, 2)


def test_a_survey_decides_runs_beside_what_else_is_violated() -> None:
    from tests.models.dining import NeighboursDoNotEatTogether

    sound = replace(
        models.DINING,
        properties=(*models.DINING.properties, NeighboursDoNotEatTogether.__ackproof_property__),
    )
    report = report_of(sound, "seats3", survey=True)
    assert report.results()["TheFirstEats"] == "violated"
    assert report.results()["NeighboursDoNotEatTogether"] == "holds"


@pytest.mark.parametrize(("engine", "workers"), ENGINES)
def test_what_is_stopped_while_runs_are_judged_leaves_runs_open_and_nothing_else(
    engine: Engine, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ackproof.model.liveness.Judge.nearest_lasso", stopped)
    monkeypatch.setattr("ackproof.model.plain_search._Search.check_runs", stopped)
    report = report_of(models.KETTLE, "leaking", engine=engine, workers=workers)
    assert report.outcome.limit is Limit.INTERRUPTED
    kinds = {p.name: p.kind for p in report.bound.properties}
    results = report.results()
    assert {results[n] for n, kind in kinds.items() if kind == "eventually"} == {"open"}
    assert "open" not in {r for n, r in results.items() if kinds.get(n) != "eventually"}
    assert results["StepsAreDefined"] in {"holds", "vacuous"}
    assert report.verdict.exit_code == 3
