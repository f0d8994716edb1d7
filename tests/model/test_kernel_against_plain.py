"""The compiled engine counts what plain Python counts, on programs that nobody chose."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.outcome import Outcome
from ackproof.model.plain_search import explore as explore_plain
from ackproof.spec import designs
from ackproof.spec.lang import Breaks, Design, Instance, Model
from ackproof.spec.lang.binding import Bound, bind
from ackproof.spec.lang.properties import BUILT_IN
from ackproof.spec.model import MODEL as CONFIRMS
from hypothesis import HealthCheck, given, settings

_HERE = Path(__file__).parent
_NUMBERS = itertools.count()

#: States that plain Python explores in a few seconds, and levels that have more than those.
_SMALL = 1_000
_LEVELS = 12


def load(path: Path, name: str) -> Any:
    """Import a file as a module of that name."""
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module


random_specs = load(_HERE / "random_specs.py", "random_specs")


def summary(outcome: Outcome) -> dict[str, object]:
    """Return what must be the same for every engine."""
    return {
        "states": outcome.states,
        "generated": outcome.generated,
        "levels": outcome.level_sizes,
        "per action": dict(outcome.per_action),
        "violations": {name: len(path) for name, path in outcome.violations.items()},
        "witnessed": outcome.witnessed,
        "limit": outcome.limit,
    }


def agree(bound: Bound, max_depth: int | None = None) -> None:
    """Compare the plain engine with the compiled one, with one worker and with two."""
    plain = summary(explore_plain(bound, max_depth=max_depth))
    for workers in (1, 2):
        compiled = explore_compiled(bound, workers=workers, max_depth=max_depth)
        assert summary(compiled) == plain


def agree_at_first(bound: Bound) -> None:
    """Compare as many levels as plain Python explores in a few seconds."""
    sizes = explore_compiled(bound, max_depth=_LEVELS).level_sizes
    states = itertools.accumulate(sizes)
    depth = sum(1 for known in itertools.takewhile(lambda known: known <= _SMALL / 2, states))
    assert depth > 1
    agree(bound, max_depth=depth)


def module_of(source: str, folder: Path) -> Model:
    """Write a specification to a file and import it."""
    name = f"random_spec_{next(_NUMBERS)}"
    path = folder / f"{name}.py"
    path.write_text(source)
    model: Model = load(path, name).MODEL
    return model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the files of this module's tests."""
    return tmp_path_factory.mktemp("specs")


def random_programs(examples: int, depth: int) -> Callable[[Any], Any]:
    """Run a test on random programs, the same ones every time."""

    def decorate(test: Any) -> Any:
        quiet = settings(
            max_examples=examples,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        return quiet(given(source=random_specs.specs(depth=depth))(test))

    return decorate


@random_programs(examples=40, depth=2)
def test_random_programs_have_the_same_counts(folder: Path, source: str) -> None:
    model = module_of(source, folder)
    agree(bind(model, model.instances[0]), max_depth=3)


@pytest.mark.slow
@random_programs(examples=120, depth=3)
def test_larger_random_programs_have_the_same_counts(folder: Path, source: str) -> None:
    model = module_of(source, folder)
    agree(bind(model, model.instances[0]), max_depth=3)


_STILL = '''
"""A system in which nothing can happen."""
from ackproof.spec.lang import Instance, Model, System


class Still(System):
    """Stands still."""

    on: bool


MODEL = Model("still", Still, (), (Instance("only", "x", {}),))
'''


def test_a_system_without_actions_has_one_state(folder: Path) -> None:
    model = module_of(_STILL, folder)
    bound = bind(model, model.instances[0])
    agree(bound)
    assert explore_compiled(bound).states == 1


# -- the models of this project ---------------------------------------------------------------

_CLASSICS = sorted(
    path for path in (_HERE.parent / "models").glob("*.py") if not path.stem.startswith("test_")
)


def small_instances(model: Model, most: int = _SMALL) -> list[Instance]:
    """Return the instances that are known to be small."""
    return [i for i in model.instances if i.states is not None and i.states <= most]


@pytest.mark.parametrize("path", _CLASSICS, ids=lambda path: path.stem)
def test_classical_models_have_the_same_counts(path: Path) -> None:
    model: Model = load(path, f"classic_{path.stem}").MODEL
    chosen = small_instances(model)
    assert chosen
    for instance in chosen:
        agree(bind(model, instance))


@pytest.mark.parametrize("instance", small_instances(CONFIRMS, 3 * _SMALL), ids=lambda i: i.name)
def test_the_confirm_specification_has_the_same_counts(instance: Instance) -> None:
    agree(bind(CONFIRMS, instance))


@pytest.mark.slow
@pytest.mark.parametrize("instance", CONFIRMS.instances, ids=lambda i: i.name)
def test_the_first_levels_of_every_instance_have_the_same_counts(instance: Instance) -> None:
    agree_at_first(bind(CONFIRMS, instance))


def museum() -> list[Any]:
    """Return every design with each instance on which it is expected to break something."""
    cases = []
    for info in pkgutil.iter_modules(designs.__path__):
        design = importlib.import_module(f"{designs.__name__}.{info.name}").design
        broken = {e.instance: e.property for e in design.expect if isinstance(e, Breaks)}
        for instance, name in broken.items():
            cases.append(pytest.param(design, instance, name, id=f"{info.name}-{instance}"))
    return cases


@pytest.mark.slow
@pytest.mark.parametrize(("design", "instance", "broken"), museum())
def test_designs_of_the_museum_have_the_same_counts(
    design: Design, instance: str, broken: str
) -> None:
    chosen = CONFIRMS.instance(instance)
    assert chosen is not None
    asked = [] if broken in BUILT_IN else [broken]
    agree_at_first(bind(CONFIRMS, chosen, design, asked))
