"""A column has what the layout itself unpacks, state by state."""

from __future__ import annotations

import importlib.util
import itertools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ackproof.lang.binding import Bound, bind
from ackproof.lang.types import SetT, SortT
from ackproof.model.lower.layout import Layout, Piece
from ackproof.pipeline.columns import arrow_type
from ackproof.pipeline.decode import decode, words_of
from ackproof.pipeline.schema import Schema, StateVariable, describe
from ackproof.spec.instances import INSTANCES
from ackproof.spec.model import MODEL as CONFIRMS
from hypothesis import HealthCheck, given, settings

from tests.exploring import examples
from tests.model.random_specs import specs
from tests.models import two_phase_commit
from tests.pipeline import cupboard
from tests.pipeline.shown import expected
from tests.pipeline.written import State, explored, layout_of, packed

_NUMBERS = itertools.count()


def some_states(bound: Bound, depth: int, most: int = 2000) -> list[State]:
    """Return the states of the first levels."""
    levels, _ = explored(bound, depth)
    return [link.state for links in levels for link in links][:most]


def assert_decoded(bound: Bound, layout: Layout, states: list[State]) -> None:
    """Compare each variable in each state with what unpacking gives."""
    schema = Schema.of(json.loads(json.dumps(describe(layout))))
    words = packed(layout, states)
    unpacked = [layout.unpack([int(w) for w in row.view(np.uint64)]) for row in words]
    assert unpacked == states
    for variable in schema.variables:
        columns = [np.ascontiguousarray(words[:, i]) for i in words_of(variable)]
        column = decode(variable, schema.elements, columns, len(states))
        column.validate(full=True)
        assert column.type == arrow_type(variable.type, schema.elements)
        assert column.to_pylist() == [expected(bound, variable, s) for s in states], variable.name


def instance_of_confirms(name: str) -> Bound:
    """Bind the specification at an instance."""
    return bind(CONFIRMS, next(i for i in INSTANCES if i.name == name))


@pytest.mark.parametrize(("name", "depth"), [("tiny", 100), ("mixed", 5), ("core", 4)])
def test_states_of_confirms_are_decoded(name: str, depth: int) -> None:
    bound = instance_of_confirms(name)
    assert_decoded(bound, layout_of(bound), some_states(bound, depth))


@pytest.mark.parametrize("laid_out", [layout_of, Layout], ids=["fixed", "whole"])
def test_every_type_is_decoded(laid_out: Any) -> None:
    bound = bind(cupboard.MODEL, cupboard.TWO)
    assert_decoded(bound, laid_out(bound), some_states(bound, 4))


def test_a_model_without_messages_is_decoded() -> None:
    bound = bind(two_phase_commit.MODEL, two_phase_commit.MODEL.instances[0])
    assert_decoded(bound, layout_of(bound), some_states(bound, 6))


def test_no_states_are_no_values() -> None:
    bound = bind(cupboard.MODEL, cupboard.TWO)
    assert_decoded(bound, layout_of(bound), [])


def test_a_set_of_sixty_four_uses_the_whole_word() -> None:
    elements = {"Cup": tuple(range(1, 65))}
    variable = StateVariable("all", SetT(SortT("Cup", True)), False, ((Piece(0, 0, 64),),))
    words = np.array([-1, 0, 1 << 40, -(1 << 63)], dtype=np.int64)
    column = decode(variable, elements, [words], 4)
    assert column.to_pylist() == [list(range(1, 65)), [], [41], [64]]


def test_a_set_of_more_is_put_together_from_its_words() -> None:
    elements = {"Cup": tuple(range(1, 71))}
    lies = (Piece(1, 0, 64), Piece(0, 3, 6))
    variable = StateVariable("all", SetT(SortT("Cup", True)), False, (lies,))
    words = [np.array([v << 3 | 5 for v in (63, 0, 2)]), np.array([-1, 1 << 40, -(1 << 63)])]
    column = decode(variable, elements, words, 3)
    assert column.to_pylist() == [list(range(1, 71)), [41], [64, 66]]


@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(source=specs(depth=2))
def test_states_of_random_programs_are_decoded(
    tmp_path_factory: pytest.TempPathFactory, source: str
) -> None:
    name = f"decoded_spec_{next(_NUMBERS)}"
    path = tmp_path_factory.mktemp("specs") / f"{name}.py"
    path.write_text(source)
    model = load(path, name).MODEL
    bound = bind(model, model.instances[0])
    assert_decoded(bound, layout_of(bound), some_states(bound, 3, 300))


def load(path: Path, name: str) -> Any:
    """Import a file as a module of that name."""
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module
