"""The order of arrival, alone: who came first of two channels, and the place of who comes back."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from ackproof.lang import (
    Design,
    Instance,
    Model,
    Set,
    System,
    action,
    bound,
    handler,
    invariant,
    properties_in,
    reachable,
    require,
    step_property,
)
from ackproof.model.check import check
from ackproof.model.verdict import Verdict
from ackproof.spec.arrivals import Arrivals
from ackproof.spec.sorts import ChannelId, Msg

from tests.spec.built import channel_named
from tests.spec.scenario import message_of


def of(channel: int, number: int) -> Msg:
    return message_of(channel_named(channel), number)


A1, A2, B1, B2 = of(1, 1), of(1, 2), of(2, 1), of(2, 2)


@pytest.fixture
def order() -> Iterator[Arrivals]:
    with bound({ChannelId: 2, Msg: 2}):
        yield Arrivals()


def arrived(order: Arrivals, *messages: Msg) -> None:
    """Let messages arrive, each behind those before it."""
    present: set[Msg] = set()
    for msg in messages:
        order.arrive(msg, set(present))
        present.add(msg)


def in_order(order: Arrivals, present: set[Msg]) -> list[Msg]:
    """Take the first message again and again."""
    left, found = set(present), []
    while (following := order.first(left)) is not None:
        found.append(following)
        left.discard(following)
    return found


@pytest.mark.parametrize(
    "arrivals",
    [(A1, B1, A2, B2), (B1, B2, A1, A2), (B1, A1, A2, B2), (A1, A2), (B1,)],
)
def test_messages_stand_as_they_arrived_whatever_their_channel(
    order: Arrivals, arrivals: tuple[Msg, ...]
) -> None:
    arrived(order, *arrivals)
    assert in_order(order, set(arrivals)) == list(arrivals)


def test_of_no_messages_none_is_first(order: Arrivals) -> None:
    assert order.first(set()) is None


def test_a_message_that_was_put_back_has_its_old_place(order: Arrivals) -> None:
    arrived(order, B1, A1, B2)
    assert order.first({A1, B2}) == A1
    assert order.first({B1, A1, B2}) == B1


def test_who_left_has_no_place_any_more_and_the_others_keep_theirs(order: Arrivals) -> None:
    arrived(order, B1, A1, B2)
    order.leave({A1})
    assert not order.ahead
    order.arrive(A2, {B1, B2})
    assert in_order(order, {B1, B2, A2}) == [B1, B2, A2]


def test_what_remains_after_a_crash_keeps_its_order(order: Arrivals) -> None:
    arrived(order, B1, A1, B2, A2)
    order.keep({B1, A2})
    assert order.before(B1, A2)
    assert not order.before(A2, B1)
    assert dict(order.ahead) == {A2: {B1}}


def test_with_one_channel_there_is_nothing_to_remember() -> None:
    with bound({ChannelId: 1, Msg: 3}):
        order = Arrivals()
        one, two, three = sorted(Msg)
        arrived(order, one, two, three)
        assert not order.ahead
        assert in_order(order, {one, two, three}) == [one, two, three]


@pytest.mark.parametrize("seed", range(20))
def test_it_is_what_a_list_would_say(seed: int) -> None:
    chance = random.Random(seed)
    with bound({ChannelId: 3, Msg: 5}):
        order, line = Arrivals(), list[Msg]()
        coming: dict[Any, list[Msg]] = {c: sorted(Msg.of(c)) for c in ChannelId}
        for _ in range(40):
            ready = [queue for queue in coming.values() if queue]
            if ready and chance.random() < 0.6:
                msg = chance.choice(ready).pop(0)
                order.arrive(msg, set(line))
                line.append(msg)
            elif line:
                gone = set(chance.sample(line, chance.randint(1, len(line))))
                line = [m for m in line if m not in gone]
                order.leave(gone)
            some = [m for m in line if chance.random() < 0.7]
            assert order.first(set(some)) == (some[0] if some else None)
            assert in_order(order, set(some)) == some


# -- in every state -------------------------------------------------------------------------------


class Line(System):
    """A line that messages of some channels join, leave and return to."""

    order: Arrivals
    present: Set[Msg]
    inside: Set[Msg]
    came: Set[Msg]

    @action
    def join(self, msg: Msg) -> None:
        """A message arrives, in the order of its channel."""
        require(msg not in self.came)
        require(all(m in self.came for m in Msg.of(Msg.owner(msg)) if m < msg))
        self.order.arrive(msg, set(self.present))
        self.present.add(msg)
        self.inside.add(msg)
        self.came.add(msg)

    @action
    def hand_out(self, msg: Msg) -> None:
        """The first message is handed out."""
        require(self.order.first(self.inside) == msg)
        self.inside.discard(msg)

    @action
    def put_back(self, msg: Msg) -> None:
        """It comes back."""
        require(msg in self.present and msg not in self.inside)
        self.inside.add(msg)

    @action
    def finish(self, msg: Msg) -> None:
        """It is done with."""
        require(msg in self.present and msg not in self.inside)
        self.present.discard(msg)
        self.order.leave({msg})


class Forgetful(Arrivals):
    """Lets whoever comes stand before all of other channels."""

    @handler
    def arrive(self, msg: Msg, present: Set[Msg]) -> None:
        """Forget who was there."""
        self.ahead[msg].clear()


@invariant
def SomebodyIsFirst(s: Line) -> bool:
    """Where there are messages, there is a first one."""
    return not s.inside or s.order.first(s.inside) is not None


@invariant
def OneComesBeforeTheOther(s: Line) -> bool:
    """Of two messages that are present one stands before the other, and the other does not."""
    return all(
        s.order.before(m, k) != s.order.before(k, m) for m in s.present for k in s.present if m != k
    )


@step_property
def WhoComesIsLast(before: Line, after: Line) -> bool:
    """A message that arrives stands behind all that are present."""
    return before.came == after.came or all(
        after.order.before(m, k) for m in after.present for k in after.came - before.came if m != k
    )


@step_property
def NobodyChangesPlaces(before: Line, after: Line) -> bool:
    """Two messages that stay keep their order."""
    return all(
        before.order.before(m, k) == after.order.before(m, k)
        for m in before.present & after.present
        for k in before.present & after.present
        if m != k
    )


@invariant
def NobodyIsRememberedWhoLeft(s: Line) -> bool:
    """Nothing is kept of a message that is not present."""
    return all(
        not s.order.ahead[m] or (m in s.present and s.order.ahead[m] <= s.present) for m in Msg
    )


@reachable
def TheSecondChannelIsFirst(s: Line) -> bool:
    """A message of a later channel may stand before one of an earlier channel."""
    return any(
        s.order.before(m, k) and k < m and Msg.owner(m) != Msg.owner(k)
        for m in s.present
        for k in s.present
    )


PAIR = Instance("pair", "two channels", {ChannelId: 2, Msg: 2})
MODEL = Model(
    "line",
    Line,
    properties_in(
        SomebodyIsFirst,
        OneComesBeforeTheOther,
        WhoComesIsLast,
        NobodyChangesPlaces,
        NobodyIsRememberedWhoLeft,
        TheSecondChannelIsFirst,
    ),
    (PAIR,),
)


@pytest.mark.parametrize("engine", ["kernel", "plain"])
def test_the_order_is_one_in_every_state(engine: Any) -> None:
    report = check(MODEL, PAIR, engine=engine)
    assert report.verdict == Verdict.VERIFIED
    assert not report.unwitnessed


@pytest.mark.parametrize("name", ["OneComesBeforeTheOther", "WhoComesIsLast"])
def test_an_order_that_forgets_who_was_there_is_none(name: str) -> None:
    report = check(MODEL, PAIR, Design("", replace=(Forgetful,)), properties=[name])
    assert name in report.outcome.violations
