"""Elements of owned sorts as engines and reports have them: named after their owners."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ackproof.lang import Instance, Model
from ackproof.lang.binding import Bound, bind
from ackproof.lang.data import to_data
from ackproof.lang.properties import invariant, properties_in
from ackproof.lang.types import OptionT, SetT, SortT
from ackproof.model.check import check
from ackproof.model.document import document
from ackproof.model.evaluate import Evaluator
from ackproof.model.itf import itf_trace
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.plain import PlainMachine
from ackproof.model.plain_search import explore as explore_plain
from ackproof.model.report import Report
from ackproof.model.show import in_order, json_value, show_value

from tests.model.lower import wharf
from tests.models import numbered_arrivals as arrivals
from tests.models.numbered_arrivals import Arrivals, Message, SenderId

MESSAGE = SortT("Message", True, SortT("SenderId", True))
PAIR = Instance("pair", "two senders", {SenderId: 2, Message: 2})


@invariant
def TheSecondSenderIsSilent(s: Arrivals) -> bool:
    """False: nothing of the second sender arrives before anything of the first."""
    return all(
        not any(m in s.arrived for m in Message.of(y)) or Message.first(x) in s.arrived
        for x in SenderId
        for y in SenderId
        if x < y
    )


FALSE = Model("arrivals", Arrivals, properties_in(TheSecondSenderIsSilent), (PAIR,))


@pytest.fixture(scope="module")
def report() -> Report:
    """Return the report on a claim that is false of the second sender."""
    return check(FALSE, PAIR)


def test_both_engines_find_the_same_counterexample(report: Report) -> None:
    other = check(FALSE, PAIR, engine="plain")
    steps = [str(s.instance) for s in report.traces[0].steps]
    assert steps == ["send(s2.1)", "arrive(s2.1)"]
    assert [str(s.instance) for s in other.traces[0].steps] == steps


def test_a_report_names_elements_after_their_owners(report: Report) -> None:
    (violation,) = json.loads(json.dumps(document([report])["results"][0]))["violations"]
    assert "s2.1" in json.dumps(violation)
    assert '["s2", 1]' not in json.dumps(violation)


def test_an_interchanged_trace_names_elements_after_their_owners(report: Report) -> None:
    written: dict[str, Any] = json.loads(json.dumps(itf_trace(report.traces[0])))
    last = written["states"][-1]
    assert last["arrived"] == ["s2.1"]
    assert last["#meta"]["args"] == {"message": "s2.1"}
    first = written["states"][0]["senders.next_message"]["#map"]
    assert first == [
        ["s1", {"tag": "Some", "value": "s1.1"}],
        ["s2", {"tag": "Some", "value": "s2.1"}],
    ]


def test_values_come_in_the_order_of_owners_and_numbers() -> None:
    names = {"s2.1", "s10.2", "s1.10", "s1.9"}
    assert in_order(names, MESSAGE) == ["s1.9", "s1.10", "s2.1", "s10.2"]
    assert show_value(frozenset({"s2.1", "s1.1"}), SetT(MESSAGE)) == "{s1.1, s2.1}"
    assert json_value("s2.1", OptionT(MESSAGE)) == "s2.1"


@pytest.mark.parametrize("instance", wharf.MODEL.instances, ids=lambda i: i.name)
def test_a_family_inside_a_family_has_the_same_counts(instance: Instance) -> None:
    bound = bind(wharf.MODEL, instance)
    plain, compiled = explore_plain(bound), explore_compiled(bound)
    assert (plain.states, plain.generated) == (compiled.states, compiled.generated)
    assert plain.violations == compiled.violations == {}
    assert plain.per_action == compiled.per_action


@pytest.mark.parametrize(
    "bound",
    [
        *(bind(arrivals.MODEL, i) for i in arrivals.MODEL.instances),
        *(bind(wharf.MODEL, i) for i in wharf.MODEL.instances),
    ],
    ids=lambda b: f"{b.program.name}-{b.instance.name}",
)
def test_what_is_taken_to_pieces_is_worth_what_python_says(bound: Bound) -> None:
    evaluator, compared = Evaluator(bound), 0
    claims = [p for p in bound.properties if not p.of_steps]
    with PlainMachine(bound) as machine:
        known = [machine.initial()]
        for state in known:
            for p in claims:
                assert evaluator.value(p.body, {p.roots[0]: state}) == machine.holds(p, state)
                compared += 1
            after = [step.after for step in machine.steps(state)]
            known += [s for s in dict.fromkeys(after) if s is not None and s not in known][:20]
            if len(known) > 60:
                break
    assert compared >= len(claims)
    assert to_data(bound.initial()) == bound.initial()
