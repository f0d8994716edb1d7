"""A run that is made by hand takes the steps of plain Python, and can be gone along both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from ackproof.lang import Model
from ackproof.model.check import check, chosen
from ackproof.model.exploring import Exploration
from ackproof.model.plain import PlainMachine

from tests.model import mailroom
from tests.models import die_hard, dining

Open = Callable[[Model, str], Exploration]


@pytest.fixture
def opened() -> Iterator[Open]:
    with ExitStack() as stack:

        def explore(model: Model, instance: str) -> Exploration:
            machine = PlainMachine(chosen(model, model.instance(instance)))
            return Exploration(stack.enter_context(machine))

        yield explore


def texts(run: Exploration) -> list[str]:
    return [choice.text for choice in run.choices()]


def take(run: Exploration, text: str) -> None:
    run.take(next(choice.step for choice in run.choices() if choice.text == text))


def test_the_choices_are_the_steps_that_are_enabled(opened: Open) -> None:
    run = opened(die_hard.MODEL, "jugs")
    assert texts(run) == [
        "fill_small()", "fill_big()", "empty_small()", "empty_big()", "small_to_big()",
        "big_to_small()",
    ]  # fmt: skip
    assert [choice.text for choice in run.choices() if not choice.idle] == [
        "fill_small()",
        "fill_big()",
    ]


def test_a_run_goes_back_and_forth_and_ends_where_another_step_is_taken(opened: Open) -> None:
    run = opened(die_hard.MODEL, "jugs")
    take(run, "fill_big()")
    take(run, "big_to_small()")
    assert (run.at, run.ahead, run.places()) == (2, 0, ["small = 3", "big = 2"])
    assert run.back(5) == 2
    assert (run.at, run.ahead, run.places()) == (0, 2, [])
    assert run.forth(1) == 1
    assert (run.at, run.ahead, run.places()) == (1, 1, ["big = 5"])
    take(run, "empty_big()")
    assert (run.at, run.ahead, run.forth(1)) == (2, 0, 0)
    assert [step.text for step in run.run().steps] == ["fill_big()", "empty_big()"]


def test_along_a_counterexample_something_is_false_at_its_end_only(opened: Open) -> None:
    run = opened(die_hard.MODEL, "jugs")
    report = check(die_hard.MODEL, die_hard.MODEL.instance("jugs"))
    (path,) = report.outcome.violations.values()
    false = [run.broken()]
    for number in path:
        run.take_number(number)
        false.append(run.broken())
    assert false == [[]] * len(path) + [["NeverFourGallons"]]
    assert run.path() == path
    assert run.run().steps == report.traces[0].steps


@pytest.mark.parametrize("name", ["AllStored", "ToldIsKept", "NothingIsLost"])
def test_properties_of_steps_are_asked_of_the_last_step(opened: Open, name: str) -> None:
    report = check(mailroom.MODEL, mailroom.MODEL.instance("pair"), properties=[name])
    run = opened(mailroom.MODEL, "pair")
    for number in report.outcome.violations[name]:
        assert name not in run.broken()
        run.take_number(number)
    assert name in run.broken()


def test_faults_are_used_up(opened: Open) -> None:
    run = opened(mailroom.MODEL, "pair")
    assert run.faults_left() == {"burn": 1}
    take(run, "hand_in(letter=1, targets={box1, box2})")
    take(run, "burn(box=box1)")
    assert run.faults_left() == {"burn": 0}
    assert not any(text.startswith("burn") for text in texts(run))


def test_places_are_those_without_a_default_or_those_with_a_name(opened: Open) -> None:
    run = opened(dining.MODEL, "seats3")
    assert (run.places(), run.places("tak")) == ([], ["taken = {}"])
    take(run, "take_first(p=1)")
    assert run.places("taken") == [text for text in run.places() if text.startswith("taken")]
    assert len(run.places()) == 2
    assert run.places("nothing of that name") == []
