"""The IR means what CPython does: every step and property, from states drawn at random.

States are drawn from all that their types allow, whether they can be reached or not: a step has a
meaning in each of them.  The interpreter takes iterations and elements in an order of its own, so
a loop or quantifier whose order tells would show here.
"""

from __future__ import annotations

import importlib.util
import itertools
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ackproof.lang import Instance, Model, Sort
from ackproof.lang.binding import Bound, bind
from ackproof.lang.data import default_data, domain, to_data
from ackproof.lang.types import MapT, SeqT, SetT, Type
from ackproof.model.plain import PlainMachine
from ackproof.spec.model import MODEL as CONFIRMS
from hypothesis import HealthCheck, given, settings

from tests.exploring import chance, examples, seeds

_HERE = Path(__file__).parent
_TESTS = _HERE.parent
_NUMBERS = itertools.count()


def load(path: Path) -> Any:
    """Import a file as a module of its own."""
    name = f"meaning_{next(_NUMBERS)}_{path.stem}"
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module


Interpreter = load(_HERE / "interpreter.py").Interpreter
random_specs = load(_TESTS / "model" / "random_specs.py")


def drawn(t: Type, bound: Bound, order: random.Random) -> Any:
    """Draw a value of a type, as data."""
    if isinstance(t, SetT):
        return frozenset(x for x in domain(t.elem, bound.elements) if order.random() < 0.5)
    if isinstance(t, MapT):
        entries = [(k, drawn(t.value, bound, order)) for k in domain(t.key, bound.elements)]
        default = default_data(t.value, bound.elements)
        return frozenset((k, v) for k, v in entries if v != default)
    if isinstance(t, SeqT):
        return tuple(drawn(t.elem, bound, order) for _ in range(order.randint(0, t.cap)))
    return order.choice(domain(t, bound.elements))


def states(bound: Bound, count: int, order: random.Random) -> Iterator[tuple[Any, ...]]:
    """Yield a first state, and states drawn at random."""
    yield bound.first()
    for _ in range(count):
        values = [drawn(loc.variable.type, bound, order) for loc in bound.locations]
        yield (*values, *bound.budgets.values())


def agree(bound: Bound, count: int = 20, steps: int = 60) -> int:
    """Compare Python with the IR on states drawn at random; return the number of steps taken."""
    order, taken = chance("states"), 0
    meaning = Interpreter(bound, seeds(1)[0])
    with PlainMachine(bound) as machine:
        numbers = list(range(len(machine.instances)))
        for state in states(bound, count, order):
            stated = (*bound.properties, *bound.initially)
            for prop in (p for p in stated if not p.of_steps):
                assert meaning.holds(prop, state) == machine.holds(prop, state), prop.name
            for number in order.sample(numbers, min(steps, len(numbers))):
                taken += _agree_on_step(machine, meaning, state, number)
    return taken


def _agree_on_step(machine: PlainMachine, meaning: Any, state: Any, number: int) -> bool:
    instance = machine.instances[number]
    python, said = machine.step(state, number), meaning.step(state, instance)
    where = f"{instance} in {state}"
    if python is None or said is None:
        assert python is None, where
        assert said is None, where
        return False
    assert (said.after, said.broken) == (python.after, python.broken), where
    if python.after is None:
        return True
    assert said.events == tuple((type(e).__name__, to_data(e)) for e in python.events), where
    action = instance.action
    given = dict(zip((p.name for p in action.params), instance.args, strict=True))
    for prop in (p for p in machine.bound.properties if p.of_steps):
        if prop.of and action.name not in prop.of:
            assert machine.holds_on_step(prop, state, python) == [], prop.name
            continue
        shown = [None]
        if prop.event is not None:
            shown = [data for name, data in said.events if name == repr(prop.event.type)]
        asked = {p.name: given[p.name] for p in prop.asked}
        told = [meaning.holds(prop, state, python.after, event, asked) for event in shown]
        assert told == machine.holds_on_step(prop, state, python), prop.name
    return True


def sized(module: Any, size: int) -> Instance:
    """Return an instance that gives every sort of a module the same size."""
    sorts = [s for s in vars(module).values() if isinstance(s, type) and issubclass(s, Sort)]
    return Instance("sized", "a test", {s: size for s in sorts if s.__module__ == module.__name__})


_GOLDEN = sorted((_HERE / "golden").glob("*.py"))
_CLASSICS = sorted(p for p in (_TESTS / "models").glob("*.py") if not p.stem.startswith("test_"))


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("path", _GOLDEN, ids=lambda path: path.stem)
def test_every_construct_means_what_python_does(path: Path, size: int) -> None:
    module = load(path)
    bound = bind(module.MODEL, sized(module, size), getattr(module, "DESIGN", None))
    assert agree(bound, count=examples(20)) > 0


@pytest.mark.parametrize("path", _CLASSICS, ids=lambda path: path.stem)
def test_classical_models_mean_what_python_does(path: Path) -> None:
    model: Model = load(path).MODEL
    assert agree(bind(model, model.instances[0]), count=examples(100)) > 0


@pytest.mark.parametrize("instance", CONFIRMS.instances[:3], ids=lambda i: i.name)
def test_the_confirm_specification_means_what_python_does(instance: Instance) -> None:
    assert agree(bind(CONFIRMS, instance), count=examples(15)) > 0


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(source=random_specs.specs(depth=2))
def test_random_programs_mean_what_python_does(
    tmp_path_factory: pytest.TempPathFactory, source: str
) -> None:
    path = tmp_path_factory.mktemp("specs") / "program.py"
    path.write_text(source)
    model: Model = load(path).MODEL
    agree(bind(model, model.instances[0]), count=5, steps=30)
