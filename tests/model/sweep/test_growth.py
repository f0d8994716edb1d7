"""Shapes grow by what a model declares, and by nothing else."""

from __future__ import annotations

import pytest
from ackproof.lang.binding import bind
from ackproof.lang.frontend import compile_model
from ackproof.model.sweep.growth import Growth, Shape
from ackproof.spec.model import MODEL as CONFIRMS

from tests.model.sweep.orchard import MODEL


@pytest.fixture(scope="module")
def growth() -> Growth:
    return Growth(MODEL, compile_model(MODEL))


def steps(growth: Growth, shape: Shape) -> set[str]:
    """What is other after one step, as text."""
    found = set()
    for grown in growth.grown(shape):
        sizes = [
            f"{n} {s}"
            for (s, n), old in zip(grown.sizes, shape.sizes, strict=True)
            if (s, n) != old
        ]
        values = [f"{p[0]}{list(p[1])}={v}" for p, v in grown.values if (p, v) not in shape.values]
        found.add(" ".join([*sizes, *values]))
    return found


def test_the_smallest_has_one_of_each_and_what_is_declared(growth: Growth) -> None:
    instance = growth.instance(growth.smallest())
    assert {sort.__name__: n for sort, n in instance.sizes.items()} == {"Basket": 1, "Apple": 1}
    assert (instance.constants, instance.faults) == ({}, {})


def test_each_sort_and_each_constant_takes_a_step(growth: Growth) -> None:
    assert steps(growth, growth.smallest()) == {
        "2 Basket",
        "2 Basket Tree.ladder['b2']=PINE",
        "2 Basket Tree.beside['b2']=b1",
        "2 Basket Tree.beside['b2']=b2",
        "2 Basket Tree.room['b2']=0",
        "2 Basket Tree.room['b2']=2",
        "2 Apple",
        "Orchard.careful[]=False",
        "Tree.ladder['b1']=PINE",
        "Tree.beside['b1']=b1",
        "Tree.room['b1']=0",
        "Tree.room['b1']=2",
    }


def test_a_number_goes_on_in_its_direction_and_others_do_not(growth: Growth) -> None:
    changed = growth.smallest().changed(("Tree.room", ("b1",)), 0)
    changed = changed.changed(("Tree.ladder", ("b1",)), "PINE")
    assert not {step for step in steps(growth, changed) if "b1" in step and "beside" not in step}


def test_names_of_unordered_elements_make_no_other_shape(growth: Growth) -> None:
    two = growth.smallest().resized("Basket", 2)
    kinds = [two.changed(("Tree.room", (b,)), 2) for b in ("b1", "b2")]
    one, other = [growth.bound(shape) for shape in kinds]
    plain = growth.bound(two)
    assert one is not None
    assert other is not None
    assert plain is not None
    assert growth.sameness(one) == growth.sameness(other) != growth.sameness(plain)


def test_every_instance_of_the_specification_is_a_shape() -> None:
    program = compile_model(CONFIRMS)
    growth = Growth(CONFIRMS, program)
    for instance in CONFIRMS.instances:
        again = growth.bound(growth.shape_of(instance))
        assert again is not None
        assert again.constants == bind(CONFIRMS, instance, program=program).constants


def test_what_belongs_to_an_only_owner_keeps_its_constants_with_a_second_owner() -> None:
    growth = Growth(CONFIRMS, compile_model(CONFIRMS))
    shape = growth.smallest().changed(("Subscription.no_ack", (1,)), True)
    second = [s for s in growth.grown(shape) if dict(s.sizes)["ChannelId"] == 2]
    assert dict(second[0].values) == {("Subscription.no_ack", ("ch1.1",)): True}
