"""What a model may be made of; whatever else it is given is refused where it is given."""

from __future__ import annotations

from typing import Any

import pytest
from ackproof.lang import Instance, Model, Sort, System, action, invariant, properties_in
from ackproof.lang.errors import BindError


class Item(Sort, prefix="i"):
    """What is counted."""


class Counter(System):
    counted: bool

    @action
    def count(self, item: Item) -> None:
        self.counted = True


@invariant
def Counts(s: Counter) -> bool:
    """It counts or does not."""
    return s.counted or not s.counted


def undecorated(s: Counter) -> bool:
    return True


ONE = Instance("one", "the only one", {Item: 1})


def test_a_decorated_function_is_a_property_of_a_model() -> None:
    assert Model("counter", Counter, (Counts,), (ONE,)).properties == properties_in(Counts)


def test_lists_are_as_good_as_tuples() -> None:
    model = Model("counter", Counter, [Counts], [ONE])
    assert (model.properties, model.instances) == (properties_in(Counts), (ONE,))


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (("Counter", (Counts,), (ONE,)), "system cannot be or have 'Counter'; name a class"),
        ((Item, (Counts,), (ONE,)), "system cannot be or have Item; name a class"),
        ((Counter, Counts, (ONE,)), "properties cannot be or have Counts; give functions"),
        ((Counter, (undecorated,), (ONE,)), "properties cannot be or have undecorated; give"),
        ((Counter, (Counts,), ONE), r"instances cannot be or have Instance\(.*; give some"),
        ((Counter, (Counts,), ("one",)), "instances cannot be or have 'one'; give some"),
        ((Counter, (Counts,), "one"), "instances cannot be or have 'one'; give some"),
        ((Counter, (Counts,), (ONE, ONE)), "two instances are called one; rename one"),
    ],
)
def test_what_is_no_part_of_a_model_is_refused(parts: tuple[Any, ...], said: str) -> None:
    with pytest.raises(BindError, match=f"model counter: {said}"):
        Model("counter", *parts)


@pytest.mark.parametrize("name", ["sizes", "faults", "constants"])
def test_what_an_instance_looks_up_is_a_mapping(name: str) -> None:
    given: dict[str, Any] = {"sizes": {Item: 1}, name: [(Item, 1)]}
    with pytest.raises(BindError, match=f"instance one: {name} is .*; give a dict"):
        Instance("one", "the only one", **given)
