"""Processes as plain Python objects: what they start with, steps, events, ghosts switched off."""

from __future__ import annotations

import enum
from typing import Annotated, Any

import pytest
from ackproof.lang import (
    Const,
    Each,
    Event,
    Ghost,
    Key,
    Map,
    NotEnabled,
    Option,
    OrderedSort,
    Process,
    Range,
    Record,
    Seq,
    Set,
    Sort,
    System,
    action,
    bound,
    fault,
    handler,
    helper,
    on,
    require,
    step_property,
)
from ackproof.lang.process import mark_of
from ackproof.lang.values import NullMap, NullSet


class Msg(OrderedSort):
    """An ordered sort."""


class Node(Sort):
    """An unordered sort."""


class Color(enum.Enum):
    """An enum."""

    RED = 1
    GREEN = 2


class Info(Record):
    """A record."""

    color: Color
    count: Annotated[int, Range(2, 4)]
    last: Option[Msg]


class Heard(Event):
    """An event."""

    msg: Msg


class Part(Process):
    """A part."""

    heard: Set[Msg]
    durable: Const[bool] = True
    weight: Const[Annotated[int, Range(1, 9)]]

    @handler
    def hear(self, msg: Msg) -> None:
        """A step."""
        require(msg not in self.heard)
        self.heard.add(msg)
        self.emit(Heard(msg))


class Root(System):
    """A system."""

    flag: bool
    count: Annotated[int, Range(2, 5)]
    color: Color
    start: Color = Color.GREEN
    next_msg: Option[Msg] = Msg.first()
    least: Msg
    nobody: Option[Node]
    info: Info
    line: Annotated[Seq[Msg], 2]
    marks: Map[Node, Color]
    infos: Map[Node, Info]
    part: Part
    each: Each[Node, Part]
    seen: Ghost[Set[Msg]]
    times: Ghost[Map[Msg, Set[Node]]]

    @action(fair="weak")
    def act(self, msg: Msg) -> None:
        """A step."""
        self.part.hear(msg)
        self.seen.add(msg)
        self.times[msg] |= {Node.named(1)[0]}

    @fault
    def crash(self) -> None:
        """A fault."""
        self.part.heard.clear()

    @helper
    def ready(self) -> bool:
        """A helper."""
        return not self.part.heard

    @on(Heard)
    def hears(self, heard: Heard) -> None:
        """An observer."""
        self.next_msg = Msg.succ(heard.msg)


class Slip(Process):
    """A part of a member of a family."""

    node: Key[Node]


class Member(Process):
    """A member of a family."""

    name: Key[Node]
    slip: Slip
    told: Option[Node]

    @handler
    def tell(self) -> None:
        """A step that reads the key."""
        self.told = self.name


#: Elements, as Python has them.
ONE: Any = 1
TWO: Any = 2
THREE: Any = 3
N1: Any = "n1"
N2: Any = "n2"


def test_a_variable_starts_with_the_natural_default_of_its_type() -> None:
    root = Root()
    assert (root.flag, root.count, root.color) == (False, 2, Color.RED)
    assert (root.least, root.nobody, root.line) == (ONE, None, Seq())
    assert root.info == Info(Color.RED, 2, None)
    assert root.marks[N1] == Color.RED
    assert root.infos[N1] == Info(Color.RED, 2, None)


def test_a_variable_starts_with_the_value_in_its_declaration() -> None:
    assert (Root().start, Root().next_msg) == (Color.GREEN, ONE)


def test_processes_share_nothing() -> None:
    one, two = Root(), Root()
    one.part.hear(ONE)
    one.line.append(ONE)
    one.marks[N1] = Color.GREEN
    assert (two.part.heard, two.line, dict(two.marks)) == (set(), [], {})


def test_a_part_is_made_with_its_process_and_a_family_starts_empty() -> None:
    assert isinstance(Root().part, Part)
    assert dict(Root().each) == {}


def test_a_constant_is_what_the_program_says_or_the_declaration_or_the_default() -> None:
    assert (Part().durable, Part().weight) == (True, 1)
    assert (Part(durable=False).durable, Part(weight=4).weight) == (False, 4)
    assert Part.durable is True


def test_a_key_is_the_element_that_the_program_gives() -> None:
    one, two = Member(name=N1), Member(name=N2)
    one.tell()
    assert (one.name, one.told, two.name, two.told) == (N1, N1, N2, None)


def test_a_key_reaches_the_parts_of_a_process() -> None:
    assert Member(name=N1).slip.node == N1


def test_a_key_that_is_not_given_is_none() -> None:
    nobody: Any = None
    assert (Member().name, Member().slip.node) == (nobody, nobody)


@pytest.mark.parametrize("name", ["heard", "duration"])
def test_only_declared_constants_can_be_given(name: str) -> None:
    with pytest.raises(TypeError, match=f"Part declares no constant '{name}'"):
        Part(**dict[str, Any]({name: True}))


def test_a_step_that_is_not_enabled_has_done_nothing() -> None:
    part = Part()
    part.hear(ONE)
    with pytest.raises(NotEnabled):
        part.hear(ONE)
    assert part.heard == {ONE}


def test_events_go_where_the_program_says() -> None:
    shown: list[Event] = []
    Root(emit=shown.append).part.hear(ONE)
    assert shown == [Heard(ONE)]
    Root().part.hear(ONE)


def test_ghosts_cost_nothing_until_they_are_asked_for() -> None:
    off, on_ = Root(), Root(ghosts=True)
    for root in (off, on_):
        root.act(ONE)
    assert (type(off.seen), type(off.times)) == (NullSet, NullMap)
    assert (off.seen, dict(off.times)) == (set(), {})
    assert (on_.seen, dict(on_.times)) == ({ONE}, {ONE: {N1}})


def test_a_decorator_leaves_a_mark_and_nothing_else() -> None:
    marks = [mark_of(f) for f in (Root.act, Root.crash, Part.hear, Root.ready, Root.hears)]
    assert [m.kind for m in marks if m] == ["action", "fault", "handler", "helper", "observer"]
    assert [m.fair for m in marks if m] == ["weak", None, None, None, None]
    assert Root().ready() is True


def test_fairness_is_weak_or_strong() -> None:
    with pytest.raises(ValueError, match='write fair="weak" or fair="strong"'):
        action(fair="mild")


@pytest.mark.parametrize("of", [(), "", 5, None, ["act"], {"act"}, ("act", 5), action])
def test_a_property_is_of_all_steps_or_of_actions_that_it_names(of: Any) -> None:
    with pytest.raises(
        TypeError, match=r'write @step_property, or .* @step_property\(of="publish"'
    ):
        step_property(of=of)
    with pytest.raises(TypeError, match="step_property does not take 'act'"):
        step_property("act")  # type: ignore[call-overload]


def test_an_override_without_a_decorator_is_the_same_kind_of_step() -> None:
    class Changed(Root):
        """A change."""

        def act(self, msg: Msg) -> None:
            """Do nothing."""

        def hears(self, heard: Heard) -> None:
            """Do nothing."""

    assert mark_of(Changed.act) == mark_of(Root.act)
    assert mark_of(Changed.hears) == mark_of(Root.hears)


# -- sorts ------------------------------------------------------------------------------------


def test_a_sort_is_the_set_of_its_elements_within_an_instance() -> None:
    with bound({Msg: 3, Node: 2}):
        assert list(Msg) == [ONE, TWO, THREE]
        assert set(Node) == {N1, N2}
        assert len(Msg) == 3
        assert "n2" in Node
        assert "n3" not in Node


def test_a_sort_of_no_size_cannot_be_ranged_over() -> None:
    with pytest.raises(LookupError, match="the sort Msg has no size here"):
        list(Msg)


def test_the_size_of_a_sort_ends_with_its_instance() -> None:
    with bound({Node: 1}):
        with bound({Node: 2}):
            assert len(Node) == 2
        assert len(Node) == 1


def test_a_finite_instance_runs_out_of_messages_and_a_program_does_not() -> None:
    with bound({Msg: 2}):
        assert Msg.succ(Msg.first()) == TWO
        assert Msg.succ(TWO) is None
    assert Msg.succ(TWO) == THREE


def test_elements_are_named_after_their_sort_or_as_it_says() -> None:
    class Queue(Sort, prefix="queue"):
        """A sort with a prefix."""

    assert Queue.named(2) == ("queue1", "queue2")
    assert Node.named(2) == ("n1", "n2")
