"""An explanation is the smallest false part of a property, with the values it is made of."""

from __future__ import annotations

import pytest
from ackproof.lang import (
    Instance,
    Map,
    Model,
    Option,
    OrderedSort,
    Record,
    Set,
    System,
    action,
    helper,
    invariant,
    properties_in,
)
from ackproof.lang.binding import Bound, bind
from ackproof.lang.data import to_data
from ackproof.model.check import check
from ackproof.model.evaluate import Evaluator
from ackproof.model.explain import Explanation
from ackproof.model.phrase import Phrases
from ackproof.model.plain import PlainMachine

from tests.model import mailroom
from tests.models import die_hard, dining, peterson, two_phase_commit


class Guest(OrderedSort):
    """Somebody."""


def explained(name: str, model: Model = mailroom.MODEL) -> Explanation:
    report = check(model, model.instances[0], properties=[name], engine="plain")
    (trace,) = report.traces
    assert trace.property == name
    assert trace.explanation is not None
    return trace.explanation


def test_a_quantifier_is_narrowed_to_the_element_for_which_its_body_is_false() -> None:
    found = explained("AllStored")
    assert (found.text, found.truth) == ("m in s.boxes[b].shelf.stored", False)
    assert found.where == (("m", "1"), ("b", "box1"))
    assert found.parts == (("s.boxes[b].shelf.stored", "{}"),)


def test_the_condition_behind_an_if_is_given() -> None:
    assert explained("AllStored").given == ("b in s.clerk.boxes[m]",)


def test_what_does_not_exist_is_shown_for_every_candidate() -> None:
    found = explained("ToldIsKept")
    assert found.text == (
        "any(m in s.boxes[b].held or m in s.boxes[b].shelf.stored for b in s.clerk.boxes[m])"
    )
    assert found.parts == (("s.clerk.boxes[m]", "{box1}"),)
    (case,) = found.cases
    assert case.where == (("b", "box1"),)
    assert case.parts == (("s.boxes[b].held", "{}"), ("s.boxes[b].shelf.stored", "{}"))


def test_under_a_not_the_walk_looks_for_what_is_true_and_should_not_be() -> None:
    found = explained("NeverTwoHeld")
    assert (found.text, found.truth) == ("len(s.boxes[b].held) > 1", True)
    assert found.parts == (("len(s.boxes[b].held)", "2"), ("s.boxes[b].held", "{1, 2}"))


def test_the_premises_of_an_implication_are_given_and_locals_are_opened() -> None:
    found = explained("FirstComesLast")
    assert found.given == ("s.clerk.handled == 2",)
    waiting = "{b for b in Box if Letter.first() in s.boxes[b].held}"
    assert (found.text, found.truth) == (f"not {waiting}", False)
    assert found.parts == ((waiting, "{box1}"),)


def test_of_a_branch_the_side_that_was_taken_is_explained() -> None:
    found = explained("OneStampOnly")
    assert found.given == ("s.clerk.following is None", "s.clerk.stamps[m].express")
    assert (found.text, found.where) == ("s.clerk.stamps[m].ink == Ink.BLUE", (("m", "1"),))
    assert found.parts == (("s.clerk.stamps[m].ink", "RED"),)


def test_an_event_is_among_the_names_of_a_step_property() -> None:
    found = explained("ReceiptsAreSafe")
    assert found.where == (("receipt", "Receipt(letter=1, safe=False)"),)
    assert found.text == "receipt.safe or receipt.letter in before.told"
    assert found.parts == (("before.told", "{}"),)


def test_a_step_property_speaks_of_both_states() -> None:
    found = explained("NothingIsLost")
    assert found.text == (
        "before.boxes[b].held <= after.boxes[b].held | after.boxes[b].shelf.stored"
    )
    assert dict(found.parts)["before.boxes[b].held"] == "{1}"
    assert dict(found.parts)["after.boxes[b].held"] == "{}"


def test_a_plain_comparison_is_its_own_smallest_part() -> None:
    found = explained("NeverFourGallons", die_hard.MODEL)
    assert (found.text, found.parts) == ("s.big == 4", (("s.big", "4"),))


class Letter(Record):
    """A letter, with or without a stamp."""

    stamped: bool


class Desk(System):
    """A desk on which a letter may lie, and somebody who may sit down."""

    letter: Option[Letter]
    guest: Option[Guest]
    seats: Map[Guest, bool]

    @helper
    def like(self, guest: Guest) -> Set[Guest]:
        """Return those who sit, or stand, as a guest does."""
        return {g for g in Guest if self.seats[g] == self.seats[guest]}

    @action
    def tidy(self) -> None:
        """Nothing happens."""


@invariant
def NobodyIsLikeAnother(s: Desk) -> bool:
    """Each guest is the only one of a kind: false where there are two."""
    return all(s.like(g) == {g} for g in Guest)


@invariant
def SomethingIsReady(s: Desk) -> bool:
    """A letter is stamped, or a guest has a seat: false where there is neither."""
    return (s.letter is not None and s.letter.stamped) or (s.guest is not None and s.seats[s.guest])


def test_what_has_no_value_is_not_shown() -> None:
    one = (Instance("one", "one guest", {Guest: 1}),)
    found = explained("SomethingIsReady", Model("desk", Desk, properties_in(SomethingIsReady), one))
    assert dict(found.parts) == {"s.letter": "None", "s.guest": "None"}


@pytest.mark.parametrize(
    "model",
    [mailroom.MODEL, die_hard.MODEL, dining.MODEL, peterson.MODEL, two_phase_commit.MODEL],
    ids=lambda m: m.name,
)
def test_evaluating_the_typed_program_gives_what_plain_python_gives(model: Model) -> None:
    """Every property on every state, or step, of the first levels."""
    bound = bind(model, model.instances[0])
    evaluator, compared = Evaluator(bound), 0
    with PlainMachine(bound) as machine:
        for before, step in _steps(machine, 150):
            for prop in bound.properties:
                if not prop.of_steps:
                    env = {prop.roots[0]: before}
                    expected = [machine.holds(prop, before)]
                    found = [evaluator.value(prop.body, env)]
                elif step is not None:
                    expected = machine.holds_on_step(prop, before, step)
                    events = [
                        e
                        for e in step.events
                        if prop.event and type(e).__name__ == repr(prop.event.type)
                    ]
                    envs = [{prop.event.name: to_data(e)} for e in events] if prop.event else [{}]
                    both = {prop.roots[0]: before, prop.roots[1]: step.after}
                    found = [evaluator.value(prop.body, {**both, **env}) for env in envs]
                assert found == expected, (prop.name, before)
                compared += len(found)
    assert compared > 30


def _steps(machine: PlainMachine, most: int):  # type: ignore[no-untyped-def]
    known = [machine.initial()]
    for state in known:
        yield state, None
        for step in machine.steps(state):
            if step.after is None:
                continue
            yield state, step
            if step.after not in known and len(known) < most:
                known.append(step.after)


def texts(bound: Bound) -> dict[str, str]:
    return {p.name: Phrases().text(p.body) for p in bound.properties}


def test_expressions_are_written_out_as_the_python_they_came_from() -> None:
    found = texts(bind(mailroom.MODEL, mailroom.PAIR))
    assert found["NeverTwoHeld"] == "not any(len(s.boxes[b].held) > 1 for b in Box)"
    assert found["ReceiptsAreSafe"] == "receipt.safe or receipt.letter in before.told"
    assert found["Impossible"] == "s.told and s.clerk.handled == 0"
    assert found["AllStored"] == (
        "all(m in s.boxes[b].shelf.stored for m in s.told for b in Box if b in s.clerk.boxes[m])"
    )
    assert found["FirstComesLast"] == (
        "not (s.clerk.handled == 2) or not {b for b in Box if Letter.first() in s.boxes[b].held}"
    )


def test_what_a_helper_calls_the_same_as_its_argument_gets_another_name() -> None:
    two = (Instance("two", "two guests", {Guest: 2}),)
    found = texts(bind(Model("desk", Desk, properties_in(NobodyIsLikeAnother), two), two[0]))
    assert found["NobodyIsLikeAnother"] == (
        "all({g_ for g_ in Guest if s.seats[g_] == s.seats[g]} == {g} for g in Guest)"
    )
