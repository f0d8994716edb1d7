"""An experiment is listed with the model to the left and RabbitMQ to the right."""

from __future__ import annotations

import io

import pytest
import typer
from rich.console import Console

from bench.rabbitmq.agreement import compare
from bench.rabbitmq.experiments import EXPERIMENTS
from bench.rabbitmq.observation import Step
from bench.reproduce import as_json, chosen, left, right, show
from tests.bench.test_agreement import FAILS, HOLDS, NEVER, SILENT

SEEN = (Step(0.5, "publish", done=True), Step(1.25, "ack 151", done=False))


def test_all_experiments_are_done_unless_one_is_named() -> None:
    assert [e.name for e in chosen(None)] == list(EXPERIMENTS)
    assert {e.bug for e in chosen("gd1")} == {"G-D1"}
    assert {e.bug for e in chosen("gd5")} == {"G-D5"}


def test_a_name_that_fits_nothing_is_refused_with_those_there_are() -> None:
    with pytest.raises(typer.BadParameter, match=r"no experiment begins with 'gd7'.*gd1-control"):
        chosen("gd7")


def test_every_bug_has_its_control() -> None:
    for bug in {e.bug for e in EXPERIMENTS.values()}:
        assert {e.kill for e in EXPERIMENTS.values() if e.bug == bug} == {True, False}


def test_the_model_is_listed_step_by_step() -> None:
    assert left(NEVER)[:2] == ["P on promotion is false:", " 1  publish: msg 1"]
    assert " 3  ✗ lose node" in left(NEVER)


def test_an_assertion_that_fails_is_listed_last() -> None:
    assert left(FAILS)[-1].strip() == "assert fresh"


def test_a_property_that_holds_says_in_how_many_states() -> None:
    assert left(HOLDS) == ["P on promotion without accidents:", "holds in all 99 states"]


def test_what_repeats_is_announced() -> None:
    rests = [*left(type(NEVER)(**{**vars(NEVER), "lasting": 5}))]
    assert rests[-1].strip().startswith("and there it stays")
    again = left(type(NEVER)(**{**vars(NEVER), "lasting": 4}))
    assert again[-2].strip() == "and from there on, again and again:"


def test_what_was_seen_is_told_from_what_was_done() -> None:
    seen = type(SILENT)(**{**vars(SILENT), "steps": SEEN})
    assert right(seen) == ["  0.50 s  publish", "  1.25 s  → ack 151"]


def test_the_two_stand_side_by_side_above_the_verdict() -> None:
    text = io.StringIO()
    console = Console(file=text, width=110)
    seen = type(SILENT)(**{**vars(SILENT), "steps": SEEN})
    show(EXPERIMENTS["gd1"], seen, NEVER, compare(seen, NEVER), console)
    lines = text.getvalue().splitlines()
    assert any("P on promotion is false" in line and "publish" in line for line in lines)
    assert any(line.startswith("agrees: the messages: 150 never settled") for line in lines)


def test_programs_get_the_points_and_the_frames() -> None:
    found = as_json(SILENT, NEVER, compare(SILENT, NEVER))
    assert found["agrees"] is True
    assert found["observation"]["frames"][0]["tag"] == 151
    assert [point["agrees"] for point in found["points"]] == [True] * len(found["points"])
