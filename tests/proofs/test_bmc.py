"""Bounded model checking and k-induction agree with the explicit checker."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from ackproof.lang import Instance, Model
from ackproof.lang.binding import Bound, bind
from ackproof.lang.errors import BindError
from ackproof.lang.properties import ASSERTION, DEADLOCK, DEFINED
from ackproof.model.plain_search import explore
from ackproof.model.trace import ReplayError
from ackproof.model.verdict import Verdict
from ackproof.proofs.bmc import bounded, k_induction
from ackproof.proofs.library import with_lemmas
from ackproof.spec.model import MODEL as CONFIRMS

from tests.model import counting
from tests.model.loading import load, module_of
from tests.model.test_kernel_against_plain import random_programs
from tests.proofs import closet
from tests.proofs.office import MODEL, Person

_MODELS = Path(__file__).parents[1] / "models"


def office(people: int = 3, **faults: int) -> Bound:
    """Return the office with so many people."""
    return bind(MODEL, Instance("some", "people", sizes={Person: people}, faults=faults))


def classic(name: str) -> Bound:
    """Return a classical model at its first instance."""
    model: Model = load(_MODELS / f"{name}.py", f"searched_{name}").MODEL
    return bind(model, model.instances[0])


# -- bounded model checking --------------------------------------------------------------------


def test_a_puzzle_is_solved_in_as_few_steps_as_can_be() -> None:
    found = bounded(classic("die_hard"), "NeverFourGallons", 10)
    assert found.verdict is Verdict.VIOLATED
    assert found.depth == 6
    assert found.trace is not None
    assert found.trace.steps[-1].after == (3, 4)


def test_one_step_less_is_not_enough_and_says_how_far_it_looked() -> None:
    found = bounded(classic("die_hard"), "NeverFourGallons", 5)
    assert (found.verdict, found.depth, found.trace) == (Verdict.BOUNDED, 5, None)
    assert found.reason == "what lies deeper was not looked at"


@pytest.mark.parametrize(
    ("design", "instance", "broken", "steps"),
    [
        ("ack_on_channel", "tiny", "NoAckBeforeDurable", 3),
        ("ack_on_queue", "fanout", "AckMeansAccepted", 5),
        ("ack_after_write", "power", "ConfirmedSurvives", 8),
    ],
)
def test_a_design_breaks_after_as_many_steps_as_the_checker_says(
    design: str, instance: str, broken: str, steps: int
) -> None:
    change = importlib.import_module(f"ackproof.spec.designs.{design}").design
    chosen = CONFIRMS.instance(instance)
    assert chosen is not None
    found = bounded(bind(CONFIRMS, chosen, change), broken, steps)
    assert (found.verdict, found.depth) == (Verdict.VIOLATED, steps)
    assert found.trace is not None
    assert len(found.trace.steps) == steps


def test_the_specification_itself_is_fine_that_far() -> None:
    wide = CONFIRMS.instance("core")
    assert wide is not None
    found = bounded(bind(CONFIRMS, wide), "NoAckBeforeDurable", 4)
    assert (found.verdict, found.depth) == (Verdict.BOUNDED, 4)


def test_a_step_is_judged_like_a_state() -> None:
    found = bounded(office(), "DeskIsNeverLeft", 4)
    assert found.trace is not None
    assert [step.instance.action.name for step in found.trace.steps] == ["enter", "call", "leave"]


def test_a_fault_happens_as_often_as_its_budget_allows() -> None:
    often = bounded(office(1, alarm=2), "NobodyIsServed", 6)
    assert often.depth == 3
    assert bounded(office(1), "OneAtATime", 5).verdict is Verdict.BOUNDED


@random_programs(count=15, depth=2)
def test_random_programs_break_after_as_many_steps_as_plain_python_says(
    tmp_path_factory: pytest.TempPathFactory, source: str
) -> None:
    model = module_of(source, tmp_path_factory.mktemp("specs"))
    names = ["Inv", "Step", "Noted"]
    every = bind(model, model.instances[0], properties=names)
    for name in (*names, ASSERTION, DEFINED):
        bound = bind(model, model.instances[0], properties=[name] if name in names else [])
        outcome = explore(bound, max_depth=3, survey=True)
        expected = outcome.violations.get(name)
        found = bounded(every, name, 2)
        steps = None if expected is None else len(expected)
        assert (found.depth if found.trace else None) == steps, name


def test_what_plain_python_does_not_reproduce_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ackproof.proofs.transition.Transition.path", lambda self, model, length: [0] * length
    )
    with pytest.raises(ReplayError):
        bounded(office(), "NobodyIsServed", 4)


def test_a_search_that_runs_out_of_time_is_not_green() -> None:
    found = bounded(office(), "OneAtATime", 5, limit=0.0)
    assert found.verdict is Verdict.TRUNCATED
    assert found.verdict.exit_code == 3


@pytest.mark.parametrize("name", ["EverybodyIsDone", DEADLOCK])
def test_what_no_run_of_some_length_breaks_is_rejected(name: str) -> None:
    with pytest.raises(BindError, match=f"{name} is not false at the end of a run"):
        bounded(office(), name, 3)


def test_a_search_within_constraints_is_left_to_the_checker() -> None:
    bound = bind(counting.MODEL, counting.MODEL.instances[0])
    with pytest.raises(BindError, match=r"has constraints \(SmallSum, NotAhead\), and the prover"):
        bounded(bound, "Within", 3)


def test_a_property_that_there_is_not_is_rejected() -> None:
    with pytest.raises(BindError, match="office has no property 'Nonsense'; it has: NobodyComesB"):
        bounded(office(), "Nonsense", 3)


# -- k-induction -------------------------------------------------------------------------------


def test_an_inductive_property_is_proved_in_one_step() -> None:
    found = k_induction(office(8), "ServedIsNotWaiting", 1)
    assert (found.verdict, found.trace) == (Verdict.VERIFIED, None)


def test_one_that_is_not_inductive_asks_for_more() -> None:
    found = k_induction(office(8), "NobodyComesBack", 1)
    assert found.verdict is Verdict.BOUNDED
    assert found.reason == "1 step does not imply it; give lemmas, or look at more steps"


def test_a_lemma_makes_it_inductive() -> None:
    found = k_induction(office(8), "NobodyComesBack", 1, ["ServedIsNotWaiting"])
    assert found.verdict is Verdict.VERIFIED


def test_a_false_property_is_never_proved() -> None:
    found = k_induction(office(8), "NobodyIsServed", 3)
    assert (found.verdict, found.depth) == (Verdict.VIOLATED, 3)
    assert k_induction(office(8), "NobodyIsServed", 2).verdict is Verdict.BOUNDED


def test_a_property_of_steps_is_proved_too() -> None:
    assert k_induction(office(8), "OneAtATime", 1).verdict is Verdict.VERIFIED


def test_more_steps_prove_what_one_does_not() -> None:
    bound, name = classic("chandy_misra"), "NeighboursDoNotEatTogether"
    assert k_induction(bound, name, 3).verdict is Verdict.BOUNDED
    assert k_induction(bound, name, 9).verdict is Verdict.VERIFIED


@pytest.mark.parametrize(
    ("lemmas", "said"),
    [
        (
            ["NobodyIsServed"],
            "NobodyIsServed is assumed, and 1 step does not imply it; give lemmas",
        ),
        (
            ["DeskStandsAlone"],
            "DeskStandsAlone is assumed, and is false after 0 steps: leave it out",
        ),
        (
            ["NobodyIsServed", "ServedIsNotWaiting"],
            "NobodyIsServed is assumed, and 1 step does not",
        ),
    ],
)
def test_what_is_shown_with_something_false_is_not_proved(lemmas: list[str], said: str) -> None:
    found = k_induction(office(8), "NobodyComesBack", 1, lemmas)
    assert found.verdict is Verdict.BOUNDED
    assert found.reason.startswith(said)


def test_a_lemma_that_fails_on_the_way_is_not_assumed() -> None:
    found = k_induction(office(8), "OneAtATime", 4, ["NobodyIsServed"])
    assert found.verdict is Verdict.BOUNDED
    assert found.reason == "NobodyIsServed is assumed, and is false after 3 steps: leave it out"


def test_a_lemma_may_need_what_is_proved_with_it() -> None:
    bound = bind(with_lemmas(closet.MODEL, closet.LIBRARY), closet.MODEL.instances[0])
    assert k_induction(bound, "FreeIsEmpty", 1).verdict is Verdict.BOUNDED
    assert k_induction(bound, "AloneInside", 1).verdict is Verdict.BOUNDED
    assert k_induction(bound, "AloneInside", 1, ["FreeIsEmpty"]).verdict is Verdict.VERIFIED


@pytest.mark.parametrize(("k", "lemma"), [(0, "ServedIsNotWaiting"), (1, "OneAtATime")])
def test_what_is_no_induction_is_rejected(k: int, lemma: str) -> None:
    with pytest.raises(BindError, match="give"):
        k_induction(office(), "NobodyComesBack", k, [lemma])
