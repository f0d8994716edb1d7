"""Binding: sizes, constants, budgets and places, and what is said of those that do not fit."""

from __future__ import annotations

import enum
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import pytest
from ackproof.lang import (
    Const,
    Design,
    Each,
    Instance,
    Map,
    Model,
    Option,
    OrderedSort,
    Owned,
    OwnedSort,
    Process,
    Range,
    Record,
    Set,
    Sort,
    System,
    action,
    eventually,
    fault,
    handler,
    invariant,
    properties_in,
    require,
)
from ackproof.lang.binding import Bound, bind
from ackproof.lang.errors import BindError


class Msg(OrderedSort):
    """An ordered sort."""


class Node(Sort):
    """An unordered sort."""


class Color(enum.Enum):
    """An enum."""

    RED = 1
    GREEN = 2


class Pair(Record):
    """A record."""

    msg: Msg
    flag: bool


class Disk(Process):
    """A part of a member of a family."""

    full: bool


class Member(Process):
    """A member of a family."""

    durable: Const[bool] = True
    disk: Disk
    seen: Set[Msg]

    @handler
    def see(self, msg: Msg) -> None:
        """A step."""
        require(self.durable)
        self.seen.add(msg)

    @fault
    def crash(self) -> None:
        """A fault."""
        self.seen.clear()


class Root(System):
    """The system."""

    limit: Const[Annotated[int, Range(2, 5)]]
    count: Const[int]
    color: Const[Color] = Color.GREEN
    first: Const[Option[Msg]] = Msg.first()
    some: Const[Set[Node]]
    pair: Const[Pair] = Pair(Msg.first(), True)
    members: Each[Node, Member]
    pairs: Map[Node, Pair]

    @action
    def tell(self, node: Node, msg: Msg) -> None:
        """A step."""
        self.members[node].see(msg)


class Chooser(System):
    """A system with a constant that has no natural value."""

    leader: Const[Node]


@invariant
def Fine(s: Root) -> bool:
    """A claim."""
    return True


class Letter(OwnedSort[Node]):
    """An owned sort."""


class Stamp(Process):
    """A process of a family of an owned sort."""

    price: Const[Annotated[int, Range(0, 3)]] = 1
    favourite: Const[Letter] = Letter.first()


class Box(Process):
    """A process of the family of owners."""

    latest: Letter
    stamps: Each[Letter, Stamp]


class Post(System):
    """A system with an owned sort."""

    boxes: Each[Node, Box]
    best: Const[Option[Letter]]


OWNING = Model("owning", Post, (), ())
MODEL = Model("model", Root, properties_in(Fine), ())
SIZES: dict[type[Sort], int] = {Msg: 2, Node: 2}


def bound(
    sizes: Mapping[type[Sort], int] = SIZES,
    faults: Mapping[str, int] | None = None,
    constants: Mapping[str, Any] | None = None,
    **more: Any,
) -> Bound:
    instance = Instance("small", "a test", sizes, faults or {}, constants or {})
    return bind(more.pop("model", MODEL), instance, **more)


def rejection(**arguments: Any) -> str:
    with pytest.raises(BindError) as caught:
        bound(**arguments)
    return str(caught.value)


# -- properties of elements -------------------------------------------------------------------


class Silent(OrderedSort, prefix="silent"):
    """A sort that a property alone speaks of."""


class Switch(System):
    """A system."""

    on: bool

    @action
    def flip(self) -> None:
        """A step."""
        self.on = not self.on


@eventually
def GoesOn(s: Switch, silent: Silent) -> bool:
    """A property of each element."""
    return s.on or silent == Silent.first()


@eventually
def Ignores(s: Switch, silent: Silent) -> bool:
    """A property of each element that does not speak of it."""
    return s.on


def about(size: int, properties: list[str] | None = None) -> Bound:
    """Bind a property of elements of a sort of that size."""
    model = Model("switch", Switch, properties_in(GoesOn), ())
    return bind(model, Instance("sized", "a test", {Silent: size}), properties=properties)


@pytest.mark.parametrize(
    ("size", "names"),
    [(0, []), (1, ["GoesOn"]), (2, ["GoesOn[silent1]", "GoesOn[silent2]"])],
)
def test_a_property_of_an_element_stands_once_for_each(size: int, names: list[str]) -> None:
    bound = about(size)
    assert [p.name for p in bound.properties] == names
    assert {p.function for p in bound.properties} <= {"GoesOn"}
    assert len({repr(p.body) for p in bound.properties}) == size


def test_a_property_of_elements_is_chosen_for_all_of_them_or_for_one() -> None:
    assert [p.args for p in about(2, ["GoesOn"]).properties] == [("silent1",), ("silent2",)]
    assert [p.args for p in about(2, ["GoesOn[silent2]"]).properties] == [("silent2",)]
    with pytest.raises(BindError, match=r"no property 'GoesOn\[silent3\]'; it has: GoesOn"):
        about(2, ["GoesOn[silent3]"])


@pytest.mark.parametrize("prop", [GoesOn, Ignores])
def test_a_sort_of_properties_alone_needs_a_size(prop: Any) -> None:
    model = Model("switch", Switch, properties_in(prop), ())
    with pytest.raises(BindError, match="gives no size for the sort Silent"):
        bind(model, Instance("sized", "a test", {}))


# -- what does not fit ------------------------------------------------------------------------


@pytest.mark.parametrize("size", [-1, True, "2", 1.5])
def test_a_size_is_a_whole_number(size: Any) -> None:
    assert rejection(sizes={Msg: size, Node: 2}) == (
        f"instance small: the size of Msg is {size!r}; give a whole number, 0 or more"
    )


def test_every_sort_needs_a_size() -> None:
    assert rejection(sizes={Msg: 2}) == (
        "instance small gives no size for the sort Node; add it: sizes={…, Node: 2}"
    )


def test_sizes_are_given_for_sorts() -> None:
    assert rejection(sizes={"Msg": 2}) == (
        "instance small: 'Msg' is no sort; give sizes as {SomeSort: 2}"
    )


def test_a_fault_that_may_happen_exists() -> None:
    assert rejection(faults={"crash": 1}) == (
        "instance small: there is no fault 'crash'; the faults are: members.crash"
    )


@pytest.mark.parametrize("budget", [-1, "once", True])
def test_a_budget_is_a_whole_number(budget: Any) -> None:
    assert rejection(faults={"members.crash": budget}) == (
        f"instance small: the budget of members.crash is {budget!r}; give a whole number, 0 or more"
    )


def test_a_constant_that_is_given_exists() -> None:
    assert rejection(constants={"Member.durabel": True}) == (
        "instance small: there is no constant 'Member.durabel'; the constants are: "
        "Root.limit, Root.count, Root.color, Root.first, Root.some, Root.pair, Member.durable"
    )


@pytest.mark.parametrize(
    ("name", "value", "shown", "of_type"),
    [
        ("Member.durable", 1, "1", "bool"),
        ("Root.limit", 6, "6", "int from 2 to 5"),
        ("Root.limit", True, "True", "int from 2 to 5"),
        ("Root.color", "BLUE", "'BLUE'", "Color"),
        ("Root.first", 3, "3", "Option[Msg]"),
        ("Root.some", {"n1", "n3"}, None, "Set[Node]"),
        ("Root.pair", (1,), "(1,)", "Pair"),
        ("Root.color", {"n1": Color.RED}, None, "Color"),
    ],
)
def test_a_constant_has_its_type(name: str, value: Any, shown: str | None, of_type: str) -> None:
    said = rejection(constants={name: value})
    assert said.startswith(f"instance small: the constant {name} is {shown or ''}")
    assert said.endswith(f", which is not a value of type {of_type}")


def test_a_constant_of_a_family_is_given_for_its_elements() -> None:
    assert rejection(constants={"Member.durable": {"n3": False}}) == (
        "instance small: the constant Member.durable is given for n3, which is no element of Node"
    )


def test_a_constant_without_a_natural_value_is_given() -> None:
    model = Model("chooser", Chooser, (), ())
    assert rejection(model=model, sizes={Node: 2}) == (
        "instance small: the constant Chooser.leader has no value; give an element of Node"
    )
    chosen = bound(model=model, sizes={Node: 2}, constants={"Chooser.leader": "n2"})
    assert chosen.constants == {("leader", ()): "n2"}


def test_a_property_that_is_chosen_exists() -> None:
    assert rejection(properties=["Fin"]) == "model has no property 'Fin'; it has: Fine"


def test_an_owned_sort_needs_the_size_of_its_owners() -> None:
    assert rejection(model=OWNING, sizes={Letter: 2}) == (
        "instance small gives no size for Node, which owns Letter; add it: sizes={…, Node: 2}"
    )


def test_unordered_owners_are_nine_at_most() -> None:
    assert rejection(model=OWNING, sizes={Node: 10, Letter: 1}) == (
        "instance small: Letter has 10 owners, and those of an unordered sort are 9 at most; "
        "declare class Node(OrderedSort, prefix=…)"
    )
    assert len(bound(model=OWNING, sizes={Node: 9, Letter: 1}).elements["Letter"]) == 9


def test_a_variable_does_not_start_with_the_first_of_no_element() -> None:
    assert rejection(model=OWNING, sizes={Node: 1, Letter: 0}) == (
        "instance small: Box.latest starts with an element of Letter, which has none; "
        "give Letter a size, or declare Option[Letter]"
    )


# -- constants --------------------------------------------------------------------------------


def test_a_constant_starts_as_declared_or_with_the_natural_default() -> None:
    values = {name: value for (name, _), value in bound().constants.items()}
    assert values == {
        "limit": 2,
        "count": 0,
        "color": "GREEN",
        "first": 1,
        "some": frozenset(),
        "pair": (1, True),
        "members.durable": True,
    }


def test_constants_of_a_process_made_by_hand_are_the_same() -> None:
    root = Root()
    assert (root.limit, root.count, root.color) == (2, 0, Color.GREEN)
    assert (root.first, root.some, root.pair) == (Msg.first(), set(), Pair(Msg.first(), True))


def test_an_instance_overrules_a_design_and_a_design_the_declaration() -> None:
    design = Design(claim="none", constants={"Root.limit": 3, "Root.count": 7})
    values = bound(constants={"Root.limit": 4}, design=design).constants
    assert (values["limit", ()], values["count", ()]) == (4, 7)


def test_each_member_of_a_family_may_have_a_constant_of_its_own() -> None:
    values = bound(constants={"Member.durable": {"n2": False}}).constants
    assert values["members.durable", ("n1",)] is True
    assert values["members.durable", ("n2",)] is False


@pytest.mark.parametrize("name", ["n2.1", Owned("n2", 1)])
def test_an_element_of_an_owned_sort_is_given_by_its_name(name: Any) -> None:
    prices = {("n1", name): 3, ("n2", name): 2}
    constants = {"Stamp.price": prices, "Stamp.favourite": name, "Post.best": name}
    found = bound(model=OWNING, sizes={Node: 2, Letter: 1}, constants=constants).constants
    assert {k: v for (n, k), v in found.items() if n == "boxes.stamps.price"} == {
        ("n1", "n1.1"): 1,
        ("n1", "n2.1"): 3,
        ("n2", "n1.1"): 1,
        ("n2", "n2.1"): 2,
    }
    assert {v for (n, _), v in found.items() if n != "boxes.stamps.price"} == {"n2.1"}


def test_what_a_member_starts_with_is_its_own() -> None:
    found = bound(model=OWNING, sizes={Node: 2, Letter: 2})
    assert found.initial() == ("n1.1", "n2.1")
    favourites = {k: v for (n, k), v in found.constants.items() if n == "boxes.stamps.favourite"}
    assert all(v == f"{k[0]}.1" for k, v in favourites.items())


# -- places and steps -------------------------------------------------------------------------


def test_a_place_names_the_member_it_belongs_to() -> None:
    assert [loc.name for loc in bound().locations] == [
        "pairs",
        "members[n1].seen",
        "members[n2].seen",
        "members[n1].disk.full",
        "members[n2].disk.full",
    ]


def test_a_fault_without_a_budget_is_no_step() -> None:
    assert [str(i) for i in bound().instances()] == [
        "tell(n1, 1)",
        "tell(n1, 2)",
        "tell(n2, 1)",
        "tell(n2, 2)",
    ]
    assert "members.crash(n2)" in map(str, bound(faults={"members.crash": 1}).instances())


def test_a_state_ends_with_what_is_left_of_the_budgets() -> None:
    assert bound(faults={"members.crash": 3}).initial()[-1] == 3
    assert len(bound(faults={"members.crash": 0}).initial()) == len(bound().locations)


def test_the_digest_tells_state_spaces_apart_and_nothing_else() -> None:
    assert bound().digest() == bound().digest()
    others = [
        bound(sizes={Msg: 3, Node: 2}),
        bound(constants={"Root.some": {"n1", "n2"}}),
        bound(faults={"members.crash": 1}),
        bound(properties=[]),
    ]
    digests = {bound().digest(), *(b.digest() for b in others)}
    assert len(digests) == len(others) + 1


def test_the_digest_does_not_depend_on_how_python_orders_its_sets() -> None:
    program = (
        "from tests.lang.test_binding import bound; "
        "print(bound(constants={'Root.some': {'n1', 'n2'}}).digest())"
    )
    seen = set()
    for seed in ("1", "2"):
        result = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        )
        seen.add(result.stdout)
    assert len(seen) == 1
