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
from ackproof.lang.program import Program
from ackproof.model.lower import fixed as analysis
from ackproof.model.lower.fixed import Fixed, fixed
from ackproof.model.lower.generate import generate
from ackproof.model.lower.shape import shape_of
from ackproof.spec.model import MODEL

from tests.exploring import seeds


def designs() -> Iterator[Design]:
    """Yield the designs of the specification."""
    for module in pkgutil.iter_modules(importlib.import_module(MODEL.designs).__path__):
        design = getattr(importlib.import_module(f"{MODEL.designs}.{module.name}"), "design", None)
        if isinstance(design, Design):
            yield design


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    """Let each test begin with nothing found out or written."""
    with anew():
        yield


def made(bound: Bound) -> tuple[Fixed, str, int]:
    """Return what is fixed in a program, its code, and its fan-out."""
    analysis._LATEST.clear()
    text, _, _, fanout = generate(bound)
    return fixed(bound), text, fanout


def instances() -> list[str]:
    """Return the names of the instances that are not large."""
    return [i.name for i in MODEL.instances if (i.states or 10**9) < 300_000]


def test_a_design_after_others_is_analysed_and_written_as_it_is_alone() -> None:
    for seed in seeds(2):
        draw = random.Random(seed)
        instance = MODEL.instance(draw.choice(instances()))
        assert instance is not None
        some = [bind(MODEL, instance, d) for d in (None, *draw.sample(list(designs()), 4))]
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


def test_programs_have_one_shape_until_variables_sizes_constants_or_budgets_differ() -> None:
    bound = bind(MODEL, MODEL.instances[0])
    again = replace(bound, properties=())
    assert shape_of(bound) is shape_of(again)
    program: Program = replace(bound.program, variables=bound.program.variables[:-1])
    sort, elements = next(iter(bound.elements.items()))
    place, value = next((p, v) for p, v in bound.constants.items() if v is False)
    for other in (
        replace(bound, program=program),
        replace(bound, elements={**bound.elements, sort: elements[:-1]}),
        replace(bound, constants={**bound.constants, place: not value}),
        replace(bound, budgets={**bound.budgets, "another": 1}),
    ):
        assert shape_of(other) is not shape_of(bound)
