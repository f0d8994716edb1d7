"""Values as plain Python: maps that forget defaults, sets that know their map, null ghosts."""

from __future__ import annotations

import copy
import enum
import pickle
from dataclasses import FrozenInstanceError
from typing import Annotated, Any

import pytest
from ackproof.lang import Map, OrderedSort, Range, Record, Seq, Set
from ackproof.lang.data import default_data, domain, from_data, in_range, show, to_data
from ackproof.lang.types import (
    BOOL,
    EnumT,
    IntT,
    MapT,
    OptionT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
)
from ackproof.lang.values import NullMap, NullSet
from hypothesis import given
from hypothesis import strategies as st


class Color(enum.Enum):
    """An enum."""

    RED = 1
    GREEN = 2


class Msg(OrderedSort):
    """An ordered sort."""


class Pair(Record):
    """A record."""

    msg: Msg
    color: Color


# -- maps -------------------------------------------------------------------------------------


def test_a_key_that_was_not_written_has_the_default() -> None:
    marks: Map[str, bool] = Map(False)
    assert marks["a"] is False
    assert dict(marks) == {}


def test_reading_a_map_stores_nothing() -> None:
    owed: Map[str, Set[int]] = Map(set)
    assert owed["a"] == set()
    assert "a" not in owed
    assert not owed


def test_a_map_forgets_an_entry_that_becomes_the_default() -> None:
    marks: Map[str, bool] = Map(False)
    marks["a"] = True
    assert set(marks) == {"a"}
    marks["a"] = False
    assert not marks


def test_a_set_in_a_map_enters_it_with_its_first_element() -> None:
    owed: Map[str, Set[int]] = Map(set)
    owed["a"].add(1)
    assert owed == {"a": {1}}


SHRINKING = {
    "discard": lambda owed: owed["a"].discard(1),
    "clear": lambda owed: owed["a"].clear(),
    "difference_update": lambda owed: owed["a"].difference_update({1, 2}),
    "intersection_update": lambda owed: owed["a"].intersection_update({2}),
    "-=": lambda owed: owed.__setitem__("a", owed["a"].__isub__({1})),
    "&=": lambda owed: owed.__setitem__("a", owed["a"].__iand__(set())),
    "^=": lambda owed: owed.__setitem__("a", owed["a"].__ixor__({1})),
    "assignment": lambda owed: owed.__setitem__("a", set()),
    "clear of the map": lambda owed: owed.clear(),
}


@pytest.mark.parametrize("change", SHRINKING.values(), ids=SHRINKING.keys())
def test_a_set_in_a_map_leaves_it_with_its_last_element(change: Any) -> None:
    owed: Map[str, Set[int]] = Map(set)
    owed["a"].add(1)
    change(owed)
    assert dict(owed) == {}
    owed["a"].add(3)
    assert owed == {"a": {3}}


def test_a_set_that_is_put_into_a_map_is_copied() -> None:
    given: Set[int] = {1}
    owed: Map[str, Set[int]] = Map(set)
    owed["a"] = given
    given.add(2)
    assert owed["a"] == {1}


def test_operations_on_a_set_in_a_map_give_sets_of_their_own() -> None:
    owed: Map[str, Set[int]] = Map(set)
    owed["a"] |= {1, 2}
    for made in (owed["a"] | {3}, owed["a"] & {1}, owed["a"] - {1}, owed["a"] ^ {1}):
        assert type(made) is set
        made.clear()
    assert owed == {"a": {1, 2}}


def test_a_map_of_maps_forgets_an_inner_map_with_its_last_entry() -> None:
    grid: Map[str, Map[str, bool]] = Map(lambda: Map(False))
    grid["a"]["b"] = True
    assert grid == {"a": {"b": True}}
    grid["a"]["b"] = False
    assert not grid


def test_a_map_of_maps_of_sets_forgets_all_the_way_up() -> None:
    grid: Map[str, Map[str, Set[int]]] = Map(lambda: Map(set))
    grid["a"]["b"].add(1)
    grid["a"]["c"].add(2)
    assert grid == {"a": {"b": {1}, "c": {2}}}
    grid["a"]["b"].discard(1)
    assert grid == {"a": {"c": {2}}}
    grid["a"].clear()
    assert not grid


def test_what_is_taken_out_of_a_map_can_be_pickled_and_copied() -> None:
    owed: Map[str, Set[int]] = Map(set)
    owed["a"].add(1)
    assert pickle.loads(pickle.dumps(owed["a"])) == {1}
    assert type(copy.deepcopy(owed["a"])) is set


KEYS = st.sampled_from("abc")
CHANGES = st.lists(
    st.tuples(st.sampled_from(["add", "discard", "assign", "clear", "|=", "-="]), KEYS,
              st.integers(0, 2))
)  # fmt: skip


@given(CHANGES)
def test_a_map_of_sets_holds_what_a_plain_dict_would_and_no_empty_set(changes: Any) -> None:
    owed: Map[str, Set[int]] = Map(set)
    model: dict[str, set[int]] = {k: set() for k in "abc"}
    for what, key, item in changes:
        if what in ("add", "discard"):
            getattr(owed[key], what)(item)
            getattr(model[key], what)(item)
        elif what == "assign":
            owed[key], model[key] = {item}, {item}
        elif what == "clear":
            owed[key].clear()
            model[key].clear()
        elif what == "|=":
            owed[key] |= {item}
            model[key] |= {item}
        else:
            owed[key] -= {item}
            model[key] -= {item}
    assert dict(owed) == {k: v for k, v in model.items() if v}
    assert all(owed[k] == v for k, v in model.items())


# -- ghosts that are switched off, and sequences ----------------------------------------------


def test_a_null_set_stays_empty() -> None:
    ghost: Set[int] = NullSet()
    ghost.add(1)
    ghost.update({2})
    ghost |= {3}
    ghost ^= {4}
    assert not ghost
    assert isinstance(ghost, NullSet)


@pytest.mark.parametrize("default", [False, set, lambda: Map(set)], ids=["bool", "set", "map"])
def test_a_null_map_keeps_nothing(default: Any) -> None:
    ghost: Map[str, Any] = NullMap(default)
    if default is False:
        ghost["a"] = True
    elif default is set:
        ghost["a"].add(1)
        ghost["a"] |= {1}
    else:
        ghost["a"]["b"].add(1)
    assert not ghost
    assert not ghost["a"]


def test_a_sequence_has_no_bound_until_it_is_given_one() -> None:
    line: Seq[int] = Seq([1, 2, 3])
    line.append(4)
    line.cap = 4
    with pytest.raises(IndexError, match="holds at most 4"):
        line.append(5)
    assert line.pop(0) == 1
    line.append(5)
    assert line == [2, 3, 4, 5]


# -- records ----------------------------------------------------------------------------------


def test_a_record_is_a_value() -> None:
    assert Pair(Msg.first(), Color.RED) == Pair(Msg.first(), Color.RED)
    assert len({Pair(Msg.first(), Color.RED), Pair(Msg.first(), Color.GREEN)}) == 2
    with pytest.raises(AttributeError):
        Pair(Msg.first(), Color.RED).color = Color.GREEN  # type: ignore[misc]


# -- data -------------------------------------------------------------------------------------

ELEMENTS = {"Msg": (1, 2), "Node": ("n1", "n2")}
PAIR = RecordT("Pair", (("msg", SortT("Msg", True)), ("color", EnumT("Color", ("RED", "GREEN")))))
VALUES: list[tuple[Any, Any]] = [
    (bool, True),
    (Color, "GREEN"),
    (Annotated[int, Range(0, 3)], 2),
    (Color | None, None),
    (Color | None, "RED"),
    (Pair, (1, "RED")),
    (Set[Color], frozenset({"RED"})),
    (Annotated[Seq[Color], 3], ("RED", "RED")),
    (Map[Color, Set[Msg]], frozenset({("RED", frozenset({1}))})),
    (Map[Color, Map[Msg, Color]], frozenset({("RED", frozenset({(1, "GREEN")}))})),
]


@pytest.mark.parametrize(("hint", "data"), VALUES)
def test_data_becomes_a_value_and_data_again(hint: Any, data: Any) -> None:
    assert to_data(from_data(data, hint)) == data


def test_a_sequence_made_from_data_knows_its_bound() -> None:
    line = from_data(("RED",), Annotated[Seq[Color], 1])
    with pytest.raises(IndexError):
        line.append(Color.RED)


@pytest.mark.parametrize(
    ("t", "values"),
    [
        (BOOL, [False, True]),
        (IntT(-1, 1), [-1, 0, 1]),
        (OptionT(BOOL), [None, False, True]),
        (PAIR, [(1, "RED"), (1, "GREEN"), (2, "RED"), (2, "GREEN")]),
        (
            SetT(SortT("Node", False)),
            [frozenset(), frozenset({"n1"}), frozenset({"n2"}), frozenset({"n1", "n2"})],
        ),
    ],
)
def test_the_values_of_a_type_come_in_a_fixed_order(t: Type, values: list[Any]) -> None:
    assert domain(t, ELEMENTS) == values


def test_defaults_are_the_first_values() -> None:
    assert default_data(PAIR, ELEMENTS) == (1, "RED")
    assert default_data(OptionT(PAIR), ELEMENTS) is None
    assert default_data(IntT(2, 3), ELEMENTS) == 2
    assert default_data(MapT(BOOL, BOOL), ELEMENTS) == frozenset()
    assert default_data(SeqT(BOOL, 2), ELEMENTS) == ()


SMALL = IntT(0, 3)


@pytest.mark.parametrize(
    ("t", "inside", "outside"),
    [
        (SMALL, 3, 4),
        (SeqT(SMALL, 2), (1, 2), (1, 2, 3)),
        (SeqT(SMALL, 2), (1,), (4,)),
        (SetT(SMALL), frozenset({0}), frozenset({-1})),
        (MapT(SMALL, BOOL), frozenset({(1, True)}), frozenset({(4, True)})),
        (MapT(BOOL, SMALL), frozenset({(True, 1)}), frozenset({(True, 4)})),
        (OptionT(SMALL), None, 4),
        (RecordT("R", (("n", SMALL),)), (3,), (4,)),
    ],
)
def test_integers_are_looked_for_wherever_they_are(t: Type, inside: Any, outside: Any) -> None:
    assert in_range(inside, t)
    assert not in_range(outside, t)


def test_sets_are_shown_in_order() -> None:
    assert show(frozenset({"b", "a"})) == "{a, b}"
    assert show(frozenset({("k", frozenset({"b", "a"}))})) == "{k: {a, b}}"
    assert show((1, None)) == "(1, None)"


# -- records ------------------------------------------------------------------------------------


class Counted(Record):
    """A record with a default."""

    name: str
    count: int = 0


def test_a_record_is_made_by_place_by_name_and_with_its_defaults() -> None:
    assert Counted("a", 1) == Counted(count=1, name="a")
    assert Counted("a").count == 0
    assert repr(Counted("a", 1)) == "Counted(name='a', count=1)"
    assert len({Counted("a"), Counted("a", 0), Counted("b")}) == 2


def test_records_of_different_classes_are_different() -> None:
    class Other(Record):
        name: str
        count: int = 0

    assert Other("a") != Counted("a")


def test_a_record_takes_its_fields_and_nothing_else() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
        Counted(count=1)  # type: ignore[call-arg]
    anything: Any = Counted
    for values, named in ((("a", 1, 2), {}), (("a",), {"name": "b"}), ((), {"n": 1})):
        with pytest.raises(TypeError, match=r"Counted\.__init__\(\)"):
            anything(*values, **named)


class Odd(Record):
    """A record with names that a function may have of its own, and a default before none."""

    self: int
    fields: int = 3
    lacks: int
    _this: int = 5


def test_a_record_may_have_fields_of_any_name_and_defaults_anywhere() -> None:
    odd: Any = Odd
    assert repr(odd(1, lacks=2)) == "Odd(self=1, fields=3, lacks=2, _this=5)"
    with pytest.raises(TypeError, match="Odd lacks a value for 'lacks'"):
        odd(1)


def test_a_record_may_say_itself_how_it_is_made() -> None:
    class Doubled(Record):
        value: int

        def __init__(self, value: int) -> None:
            self.__dict__["value"] = 2 * value

    assert Doubled(2).value == 4


def test_the_class_of_all_records_can_be_called_and_stays_what_it_is() -> None:
    assert repr(Record()) == "Record()"

    class Later(Record):
        value: int

    assert Later(1).value == 1


def test_a_record_that_extends_one_that_was_made_has_its_own_fields() -> None:
    Counted("a")

    class Placed(Counted):
        place: int = 7

    assert repr(Placed("a", 1)) == (
        "test_a_record_that_extends_one_that_was_made_has_its_own_fields.<locals>."
        "Placed(name='a', count=1, place=7)"
    )
    assert repr(Counted("b")) == "Counted(name='b', count=0)"


def test_a_record_does_not_change() -> None:
    record = Counted("a")
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'count'"):
        record.count = 1  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'count'"):
        del record.count
