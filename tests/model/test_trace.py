"""A trace is what plain Python reproduced: who did what, what the wire saw, what changed."""

from __future__ import annotations

import pytest
from ackproof.lang.binding import bind
from ackproof.model.check import check
from ackproof.model.listing import listing, plain
from ackproof.model.trace import ReplayError, Trace, replay

from tests.model import mailroom
from tests.models import die_hard


def trace_of(name: str, instance: str = "pair") -> Trace:
    chosen = mailroom.MODEL.instance(instance)
    assert chosen is not None
    report = check(mailroom.MODEL, chosen, properties=[name], engine="plain")
    (trace,) = report.traces
    return trace


def test_steps_have_arguments_by_name_events_and_changes() -> None:
    trace = trace_of("ToldIsKept")
    assert [s.text for s in trace.steps] == [
        "hand_in(letter=1, targets={box1})",
        "confirm(letter=1, box=box1)",
        "burn(box=box1)",
    ]
    assert [str(e) for s in trace.steps for e in s.events] == ["Receipt(letter=1, safe=False)"]
    assert [line for c in trace.steps[0].changes for line in c.lines] == [
        "clerk.following  1 → 2",
        "clerk.stamps[1].ink  BLUE → RED",
        "clerk.stamps[1].express  False → True",
        "clerk.boxes[1]  +box1",
        "clerk.handled  0 → 1",
        "boxes[box1].held  +1",
    ]


def test_what_leaves_a_set_is_told_apart_from_what_enters() -> None:
    (change,) = trace_of("ToldIsKept").steps[2].changes
    assert change.lines == ("boxes[box1].held  −1",)


def test_a_step_belongs_to_the_first_process_that_it_calls() -> None:
    homes = [(s.home.part, s.home.member) for s in trace_of("ToldIsKept").steps]
    assert homes == [("clerk", None), ("", None), ("", None)]


def test_a_part_inside_a_member_of_a_family_is_named_in_full() -> None:
    bound = bind(mailroom.MODEL, mailroom.PAIR)
    numbers = {str(i): n for n, i in enumerate(bound.instances())}
    path = [
        numbers["hand_in(1, {box1})"],
        numbers["boxes.shelve(box1, 1)"],
        numbers["hand_in(2, {box1, box2})"],
        numbers["boxes.shelve(box2, 2)"],
        numbers["confirm(2, box2)"],
    ]
    trace = replay(bind(mailroom.MODEL, mailroom.PAIR, properties=["AllStored"]), "AllStored", path)
    assert "boxes[box2].shelf.stored  +2" in [
        line for c in trace.steps[3].changes for line in c.lines
    ]
    assert (trace.steps[3].home.part, trace.steps[3].home.member) == ("boxes", "box2")


def test_a_step_that_is_not_enabled_is_no_counterexample() -> None:
    bound = bind(mailroom.MODEL, mailroom.PAIR)
    numbers = {str(i): n for n, i in enumerate(bound.instances())}
    with pytest.raises(ReplayError) as error:
        replay(bound, "ToldIsKept", [numbers["burn(box1)"]])
    assert str(error.value) == (
        "the counterexample to ToldIsKept is not reproduced by plain Python: at step 1 of 1, "
        "burn(box1) is not enabled"
    )


def test_a_path_at_whose_end_the_property_holds_is_no_counterexample() -> None:
    bound = bind(mailroom.MODEL, mailroom.PAIR)
    for name, problem in {
        "ToldIsKept": "in the last state, it holds",
        "NothingIsLost": "at the last step, it holds",
        "StepsAreDefined": "at the last step, nothing fails",
    }.items():
        with pytest.raises(ReplayError, match=problem):
            replay(bound, name, [1])
    with pytest.raises(ReplayError, match="there is no step that it could be asked of"):
        replay(bound, "NothingIsLost", [])


def test_a_path_that_goes_on_after_a_failing_step_is_no_counterexample() -> None:
    bound = bind(mailroom.MODEL, mailroom.LARGE)
    numbers = {str(i): n for n, i in enumerate(bound.instances())}
    failing = [numbers[f"hand_in({m}, {{}})"] for m in (1, 2, 3)]
    assert replay(bound, "StepsAreDefined", failing).steps[-1].after is None
    with pytest.raises(ReplayError, match=r"at step 3 of 4, .* breaks StepsAreDefined"):
        replay(bound, "StepsAreDefined", [*failing, 0])


def test_a_deadlock_that_is_none_is_no_counterexample() -> None:
    bound = bind(die_hard.MODEL, die_hard.MODEL.instances[0])
    with pytest.raises(ReplayError, match="in the last state, some action is enabled"):
        replay(bound, "NoDeadlock", [])


def test_a_value_out_of_range_is_told_with_the_range() -> None:
    trace = trace_of("StepsAreDefined", "three")
    assert trace.reason == "clerk.handled would be 3, outside 0..2"
    assert trace.steps[-1].after is None
    assert len(trace.states) == len(trace.steps)


NARROW = """\
     MailRoom  clerk  boxes[box1]  wire
        │        │         │        │
  1  hand_in(letter=1, targets={box1})
        │        ●─────────○        │
         clerk.following  1 → 2
         clerk.stamps[1].ink  BLUE → RED
         clerk.stamps[1].express  False → True
         clerk.boxes[1]  +box1
         clerk.handled  0 → 1
         boxes[box1].held  +1
  2  confirm(letter=1, box=box1)
        ●        │         │        │
        ├────────┼─────────┼───────▶│  Receipt(letter=1, safe=False)
         told  +1
  3  burn(box=box1)
        ✗────────┼─────────○        │
         boxes[box1].held  −1"""

WIDE = """\
     MailRoom  clerk  boxes[box1]  wire
        │        │         │        │
  1     │        ●─────────○        │    hand_in(letter=1, targets={box1})
        │        │         │        │      clerk.following  1 → 2
        │        │         │        │      clerk.stamps[1].ink  BLUE → RED
        │        │         │        │      clerk.stamps[1].express  False → True
        │        │         │        │      clerk.boxes[1]  +box1
        │        │         │        │      clerk.handled  0 → 1
        │        │         │        │      boxes[box1].held  +1
  2     ●        │         │        │    confirm(letter=1, box=box1)
        ├────────┼─────────┼───────▶│      Receipt(letter=1, safe=False)
        │        │         │        │      told  +1
  3     ✗────────┼─────────○        │    burn(box=box1)
        │        │         │        │      boxes[box1].held  −1"""


@pytest.mark.parametrize(("width", "expected"), [(80, NARROW), (120, WIDE)])
def test_a_listing_has_a_lane_for_each_process(width: int, expected: str) -> None:
    assert "\n".join(plain(listing(trace_of("ToldIsKept"), width))) == expected


def test_a_listing_keeps_to_its_width_with_many_lanes() -> None:
    many = mailroom.Instance("many", "nine boxes", {mailroom.Letter: 1, mailroom.Box: 9})
    bound = bind(mailroom.MODEL, many)
    numbers = {str(i): n for n, i in enumerate(bound.instances())}
    everywhere = ", ".join(f"box{n}" for n in range(1, 10))
    path = [numbers[f"hand_in(1, {{{everywhere}}})"], numbers["confirm(1, box9)"]]
    lines = plain(listing(replay(bound, "ReceiptsAreSafe", path), 80))
    assert all(len(line) <= 80 for line in lines)
    assert "box9" in lines[0]
    assert lines[2:4] == [
        "  1  hand_in(letter=1, targets={box1, box2, box3, box4, box5, box6, box7, box8,",
        "         box9})",
    ]
    assert "Receipt(letter=1, safe=False)" in "\n".join(lines)


def test_a_system_without_events_has_no_wire() -> None:
    report = check(die_hard.MODEL, die_hard.MODEL.instances[0], engine="plain")
    assert plain(listing(report.traces[0], 80))[:4] == [
        "     DieHard",
        "        │",
        "  1     ●    fill_big()",
        "        │      big  0 → 5",
    ]
