"""What is found out about a design, and written of it, is the same whatever came before it."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from ackproof.lang import Design
from ackproof.lang.binding import Bound, bind
from ackproof.lang.kept import anew
from ackproof.lang.types import IntT
from ackproof.model.eras import eras_of
from ackproof.model.lower.fixed import Fixed, fixed
from ackproof.model.lower.generate import generate
from ackproof.model.lower.sizes import Sizes
from ackproof.spec.model import MODEL

from tests.exploring import seeds


def designs() -> Iterator[Design]:
    """Yield the designs of the specification."""
    for module in pkgutil.iter_modules(importlib.import_module(MODEL.designs).__path__):
        design = getattr(importlib.import_module(f"{MODEL.designs}.{module.name}"), "design", None)
        if isinstance(design, Design):
            yield design


def eras() -> list[Design]:
    """Return what eras are of the base, which add variables to it."""
    return [era.design for era in eras_of(MODEL) if era.design is not None]


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    """Let each test begin with nothing found out or written."""
    with anew():
        yield


def made(bound: Bound) -> tuple[Fixed, str, int]:
    """Return what is fixed in a program, its code, and its fan-out."""
    text, _, _, fanout = generate(bound)
    return fixed(bound), text, fanout


def instances() -> list[str]:
    """Return the names of the instances that are not large."""
    return [i.name for i in MODEL.instances if (i.states or 10**9) < 300_000]


def test_a_design_after_others_is_analysed_and_written_as_it_is_alone() -> None:
    for seed in seeds(1):
        draw = random.Random(seed)
        instance = MODEL.instance(draw.choice(instances()))
        assert instance is not None
        drawn = draw.sample(list(designs()), 2) + draw.sample(eras(), 2)
        some = [bind(MODEL, instance, d) for d in (None, *drawn)]
        with anew():
            after_others = [made(bound) for bound in some]
        for bound, found in zip(some, after_others, strict=True):
            with anew():
                assert found == made(bound), (instance.name, bound.design)


def test_an_instance_after_others_is_analysed_and_written_as_it_is_alone() -> None:
    for seed in seeds(1):
        names = random.Random(seed).sample(instances(), 4)
        some = [bind(MODEL, i) for i in MODEL.instances if i.name in names]
        after_others = [made(bound) for bound in some]
        for bound, found in zip(some, after_others, strict=True):
            with anew():
                assert found == made(bound), bound.instance.name


def test_a_property_that_is_not_asked_for_is_not_in_what_is_written() -> None:
    instance = MODEL.instances[0]
    all_of_them = made(bind(MODEL, instance))
    name = next(p.name for p in MODEL.properties if p.kind == "step")
    one = made(bind(MODEL, instance, properties=[name]))
    assert len(one[1]) < len(all_of_them[1])
    assert made(bind(MODEL, instance)) == all_of_them


def test_what_a_design_adds_is_asked_for_where_it_plays_a_part_only() -> None:
    base = Sizes(bind(MODEL, MODEL.instances[0]))
    era = Sizes(bind(MODEL, MODEL.instances[0], eras()[0]))
    added = next(v for v in era.bound.program.variables if v.added)
    with base.listening() as asked:
        for path in base.variables:
            base.variable(path)
        base.number(*next(iter(base.numbers)))
    assert era.agrees(asked)
    with era.listening() as asked:
        era.variable(added.path)
    assert not base.agrees(asked)


def test_answers_differ_where_a_variable_a_place_or_a_constant_does() -> None:
    bound = bind(MODEL, MODEL.instances[0])
    sizes = Sizes(bound)
    variable = next(v for v in bound.program.variables if not v.const and not v.families)
    place, value = next((p, v) for p, v in bound.constants.items() if v is False)
    with sizes.listening() as asked:
        sizes.variable(variable.path)
        sizes.number(variable.path, ())
        sizes.constant(*place)
    others = tuple(v for v in bound.program.variables if v is not variable)
    wider = replace(variable, type=IntT(0, 99))
    for other in (
        replace(bound, program=replace(bound.program, variables=others)),
        replace(bound, program=replace(bound.program, variables=(wider, *others))),
        replace(bound, locations=bound.locations[1:]),
        replace(bound, constants={**bound.constants, place: not value}),
    ):
        assert not Sizes(other).agrees(asked)
    assert Sizes(replace(bound, properties=())).agrees(asked)


def test_elements_and_budgets_are_given_to_everything() -> None:
    bound = bind(MODEL, MODEL.instances[0])
    sort, elements = next(iter(bound.elements.items()))
    given = Sizes(bound).given
    assert Sizes(replace(bound, properties=())).given == given
    assert Sizes(replace(bound, elements={**bound.elements, sort: elements[:-1]})).given != given
    assert Sizes(replace(bound, budgets={**bound.budgets, "another": 1})).given != given
