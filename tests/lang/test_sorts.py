"""Owned sorts as plain Python: their elements, with several owners, with one, and unbound."""

from __future__ import annotations

from typing import Annotated, assert_type

import pytest
from ackproof.lang import (
    Map,
    Option,
    OrderedSort,
    Owned,
    OwnedSort,
    Record,
    Seq,
    Set,
    Sort,
    bound,
    least,
)
from ackproof.lang.data import from_data, to_data


class ChannelId(OrderedSort, prefix="ch"):
    """An ordered sort that owns."""


class Shelf(OrderedSort):
    """An ordered sort of integers that owns."""


class Box(Sort, prefix="b"):
    """An unordered sort that owns."""


class Msg(OwnedSort[ChannelId]):
    """Messages of a channel."""


class Cup(OwnedSort[Shelf]):
    """Cups of a shelf."""


class Coin(OwnedSort[Box]):
    """Coins in a box."""


class Stamped(Record):
    """A record that holds an element."""

    msg: Msg
    sent: bool


ONE, TWO = Owned("ch1", 1), Owned("ch1", 2)
OTHER = Owned("ch2", 1)


def test_a_size_is_the_number_of_elements_of_each_owner() -> None:
    with bound({ChannelId: 2, Msg: 2}):
        assert list(Msg) == [("ch1", 1), ("ch1", 2), ("ch2", 1), ("ch2", 2)]
        assert list(map(str, Msg)) == ["ch1.1", "ch1.2", "ch2.1", "ch2.2"]
    with bound({Msg: 1, ChannelId: 3}):
        assert len(Msg) == 3


def test_the_elements_of_one_owner_are_numbers() -> None:
    with bound({ChannelId: 1, Msg: 3}):
        assert list(Msg) == [1, 2, 3]
        assert {Msg.owner(m) for m in Msg} == {"ch1"}
        assert Msg.of(next(iter(ChannelId))) == {1, 2, 3}
        assert [Msg.succ(m) for m in Msg] == [2, 3, None]
        assert Msg.first(next(iter(ChannelId))) == Msg.first() == 1  # type: ignore[comparison-overlap]


@pytest.mark.parametrize("sizes", [{ChannelId: 0, Msg: 2}, {ChannelId: 2, Msg: 0}])
def test_without_owners_or_of_size_zero_there_are_none(sizes: dict[type[Sort], int]) -> None:
    with bound(sizes):
        assert list(Msg) == []
        assert all(Msg.of(c) == set() for c in ChannelId)


def test_owners_may_be_unordered_or_numbers() -> None:
    with bound({Box: 2, Coin: 1, Shelf: 2, Cup: 1}):
        assert [str(c) for c in Coin] == ["b1.1", "b2.1"]
        assert [str(c) for c in Cup] == ["1.1", "2.1"]
        assert [Cup.owner(c) for c in Cup] == [1, 2]


def test_elements_know_their_owner_and_the_next_of_it() -> None:
    with bound({ChannelId: 2, Msg: 2}):
        first, *_ = Msg
        assert_type(Msg.owner(first), ChannelId)
        assert_type(Msg.succ(first), Msg | None)
        assert_type(Msg.of(Msg.owner(first)), set[Msg])
        assert [Msg.owner(m) for m in Msg] == ["ch1", "ch1", "ch2", "ch2"]
        assert [Msg.succ(m) for m in Msg] == [("ch1", 2), None, ("ch2", 2), None]
        assert [Msg.first(c) for c in ChannelId] == [ONE, OTHER]
        assert [sorted(Msg.of(c)) for c in ChannelId] == [[ONE, TWO], [OTHER, ("ch2", 2)]]


def test_the_order_is_by_owner_and_then_by_number() -> None:
    with bound({ChannelId: 12, Msg: 12}):
        assert sorted(Msg, reverse=True)[::-1] == list(Msg)
        assert least(Msg) == min(Msg) == ("ch01", 1)
        assert max(Msg) == ("ch12", 12)


def test_an_owner_without_size_is_looked_for_among_the_sorts_that_are_bound() -> None:
    with bound({ChannelId: 2}), bound({Msg: 1}):
        assert list(Msg) == [ONE, OTHER]
    with pytest.raises(LookupError, match="give ChannelId a size, too"), bound({Msg: 1}):
        pass


def test_natively_elements_are_made_as_they_are_needed() -> None:
    one: Msg = ONE  # type: ignore[assignment]
    channel: ChannelId = "ch7"  # type: ignore[assignment]
    assert Msg.owner(one) == "ch1"
    assert Msg.succ(one) == TWO
    assert Msg.first(channel) == Owned("ch7", 1)
    with pytest.raises(LookupError, match="Msg has no size here"):
        Msg.of(channel)


def test_natively_what_an_integer_owns_is_an_integer_that_says_both() -> None:
    channel: ChannelId = 7  # type: ignore[assignment]
    one = Msg.first(channel)
    other: Msg = Msg.succ(one)  # type: ignore[assignment]
    assert one < other < Msg.first(8)  # type: ignore[arg-type, operator]
    assert Msg.owner(one) == Msg.owner(other) == channel


def test_natively_a_program_with_one_owner_has_numbers() -> None:
    assert Msg.first() == 1  # type: ignore[comparison-overlap]
    assert Msg.succ(Msg.first()) == 2  # type: ignore[comparison-overlap]
    with pytest.raises(LookupError, match="to which owner"):
        Msg.owner(Msg.first())


@pytest.mark.parametrize(
    ("hint", "data", "value"),
    [
        (Msg, "ch2.1", OTHER),
        (Msg, 2, 2),
        (Cup, "2.1", Owned(2, 1)),
        (Option[Msg], None, None),
        (Stamped, ("ch2.1", True), Stamped(OTHER, True)),  # type: ignore[arg-type]
        (Set[Msg], frozenset({"ch1.1", "ch2.1"}), {ONE, OTHER}),
        (Annotated[Seq[Msg], 2], ("ch2.1", "ch1.1"), [OTHER, ONE]),
        (Map[Msg, Set[Msg]], frozenset({("ch1.1", frozenset({"ch2.1"}))}), {ONE: {OTHER}}),
    ],
)
def test_as_data_an_element_is_its_name(hint: object, data: object, value: object) -> None:
    assert from_data(data, hint) == value
    assert to_data(from_data(data, hint)) == data
