"""A set that knows its least element is a set, and knows its least element."""

from __future__ import annotations

import pytest
from ackproof.lang import OrderedSet, OrderedSort, bound, least
from ackproof.lang.values import frozen
from hypothesis import given
from hypothesis import strategies as st

numbers = st.integers(0, 20)
some = st.sets(numbers, max_size=6)
changes = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["add", "discard"]), numbers),
        st.tuples(
            st.sampled_from(["update", "__ior__", "__isub__", "__iand__", "__ixor__"]),
            some,
        ),
        st.tuples(st.just("symmetric_difference_update"), some),
        st.tuples(st.just("difference_update"), some),
        st.just(("clear",)),
    ),
    max_size=40,
)


class Item(OrderedSort):
    """Something with an order."""


@given(some, changes)
def test_whatever_happens_to_it_it_is_the_set_and_has_its_least_element(
    first: set[int], history: list[tuple[object, ...]]
) -> None:
    plain, ordered = set(first), OrderedSet(first)
    for name, *args in history:
        getattr(plain, str(name))(*args)
        getattr(ordered, str(name))(*args)
        assert ordered == plain
        assert least(ordered) == min(plain, default=None)


def test_it_is_combined_with_other_sets_as_a_set() -> None:
    ordered = OrderedSet([3, 1])
    assert ordered | {2} == {1, 2, 3}
    assert type(ordered | {2}) is set
    assert frozen(ordered) == frozenset({1, 3})


def test_what_has_left_is_not_kept_for_ever() -> None:
    ordered = OrderedSet([0])
    for number in range(1, 10_000):
        ordered.add(number)
        ordered.discard(number)
    assert len(ordered._heap) < 200


def test_the_least_of_a_plain_set_is_its_minimum() -> None:
    assert least({3, 2}) == 2
    assert least(set[int]()) is None


def test_the_least_of_a_sort_is_its_first_element() -> None:
    with bound({Item: 3}):
        assert least(Item) == Item.first()
    with bound({Item: 0}):
        assert least(Item) is None


def test_a_sort_without_bounds_has_a_first_element() -> None:
    assert least(Item) == Item.first()


def test_what_has_no_order_has_no_least_element() -> None:
    with pytest.raises(AssertionError, match="no order"):
        least(int)
