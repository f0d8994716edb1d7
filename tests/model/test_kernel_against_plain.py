"""The compiled engine counts what plain Python counts, on programs that nobody chose."""

from __future__ import annotations

import importlib
import itertools
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from ackproof.lang import Breaks, Design, Instance, Model
from ackproof.lang.binding import Bound, bind
from ackproof.lang.errors import BindError, SpecError
from ackproof.lang.properties import BUILT_IN
from ackproof.model.kernel import engine
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.lower.compile import Kernel, compile_kernel
from ackproof.model.lower.layout import Layout
from ackproof.model.outcome import Outcome
from ackproof.model.plain_search import explore as explore_plain
from ackproof.spec import designs
from ackproof.spec.model import MODEL as CONFIRMS
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.exploring import examples, sample
from tests.model import random_specs
from tests.model.loading import load, module_of
from tests.model.wide_specs import wide_spec

_HERE = Path(__file__).parent

#: Words of states that a search is compiled for here: it takes seconds for each number of them.
_DRIVERS = 4

#: States that plain Python explores in a few seconds, and levels that have more than those.
_SMALL = 1_000
_LEVELS = 12


@pytest.fixture(autouse=True, scope="module")
def compiled_once() -> Iterator[None]:
    """Compile a program once for all the searches that are compared, one after the other.

    Every other one is in quick code, as a search begins with, and the rest in good code.
    """
    latest: list[tuple[Bound, Kernel]] = []
    ways = itertools.cycle((True, False))

    def compiled(bound: Bound, *, quick: bool) -> Kernel:
        if not (latest and latest[0][0] is bound):
            latest[:] = [(bound, compile_kernel(bound, quick=next(ways)))]
        return latest[0][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "compile_kernel", compiled)
        yield


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
    """Compare the plain engine with the compiled one, with one worker and with two, and by keys."""
    plain = summary(explore_plain(bound, max_depth=max_depth))
    for workers, collapsed in ((1, False), (2, False), (2, True)):
        compiled = explore_compiled(
            bound, workers=workers, max_depth=max_depth, collapsed=collapsed
        )
        assert summary(compiled) == plain


def agree_at_first(bound: Bound) -> None:
    """Compare as many levels as plain Python explores in a few seconds."""
    sizes = explore_compiled(bound, max_depth=_LEVELS).level_sizes
    states = itertools.accumulate(sizes)
    depth = sum(1 for known in itertools.takewhile(lambda known: known <= _SMALL / 2, states))
    assert depth > 1
    agree(bound, max_depth=depth)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the files of this module's tests."""
    return tmp_path_factory.mktemp("specs")


def random_programs(count: int, depth: int) -> Callable[[Any], Any]:
    """Run a test on random programs."""

    def decorate(test: Any) -> Any:
        quiet = settings(
            max_examples=examples(count),
            suppress_health_check=list(HealthCheck),
        )
        return quiet(given(source=random_specs.specs(depth=depth))(test))

    return decorate


@random_programs(count=40, depth=2)
def test_random_programs_have_the_same_counts(folder: Path, source: str) -> None:
    model = module_of(source, folder)
    agree(bind(model, model.instances[0]), max_depth=3)


@pytest.mark.slow
@random_programs(count=120, depth=3)
def test_larger_random_programs_have_the_same_counts(folder: Path, source: str) -> None:
    model = module_of(source, folder)
    agree(bind(model, model.instances[0]), max_depth=3)


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32))
def test_random_programs_at_the_edge_of_a_word_have_the_same_counts(
    folder: Path, seed: int
) -> None:
    model = module_of(wide_spec(Random(seed)), folder)
    bound = bound_at_most(model, _DRIVERS)
    assume(bound is not None)
    assert bound is not None
    plain = explore_plain(bound, max_depth=4, survey=True)
    compiled = explore_compiled(bound, max_depth=4, survey=True)
    assert summary(compiled) == summary(plain)


def bound_at_most(model: Model, words: int) -> Bound | None:
    """Return a model bound to its instance; None if it is refused, or a state takes more words."""
    try:
        bound = bind(model, model.instances[0])
        return bound if Layout(bound).words <= words else None
    except (SpecError, BindError):  # a number that may be out of its range is read, for one
        return None


_EDGE = '''
"""Everything with a mask, where a word ends."""
import enum, sys
from typing import Annotated
from ackproof.lang import (
    Const, Instance, Map, Model, OrderedSort, Range, Record, System, action, invariant, require,
)
from ackproof.lang.properties import properties_in

class A(OrderedSort):
    """A sort."""

E = enum.Enum("E", [f"M{{i}}" for i in range({size})])

class Pair(Record):
    """A record."""
    a: A
    flag: bool

class Root(System):
    """Counts."""
    n: Annotated[int, Range(0, {size})]
    a: A
    seen: Map[A, bool]
    limit: Const[int] = {size}

    @action
    def go(self) -> None:
        """To the last one."""
        require(self.n < {size})
        self.n += 1
        last = A.succ(self.a)
        if last is not None:
            self.a = last
        self.seen[self.a] = True

@invariant
def Display(s: Root) -> bool:
    """A shift past the word finds the first element again."""
    return s.n < {size} or s.n in {{0}}

@invariant
def Greatest(s: Root) -> bool:
    """Of what is listed."""
    return max({{s.n, 650}}, default=None) == 650

@invariant
def Constant(s: Root) -> bool:
    """A constant may be any integer."""
    return s.limit in {{{size}, 5}} and s.n not in {{s.limit}}

@invariant
def Below(s: Root) -> bool:
    """Elements are counted."""
    return len({{x for x in A if x < s.a}}) < {size} - 1

@invariant
def Keys(s: Root) -> bool:
    """A map is a set of its keys."""
    return len(s.seen) < {size} - 1 or max(s.seen, default=None) != s.a

@invariant
def Pairs(s: Root) -> bool:
    """Records are elements."""
    return s.n < {size} or Pair(s.a, True) in {{Pair(x, x == A.first()) for x in A}}

@invariant
def Members(s: Root) -> bool:
    """Members of an enum, too."""
    return s.n < 2 or E.M{last} in {{x for x in E if x != E.M0 or s.n > 2}}

MODEL = Model("edge", Root, properties_in(sys.modules[__name__]),
              (Instance("it", "x", {{A: {size}}}),))
'''


@pytest.mark.parametrize("size", [63, 64, 65, 130])
def test_masks_go_on_where_a_word_ends(folder: Path, size: int) -> None:
    model = module_of(_EDGE.format(size=size, last=size - 1), folder)
    bound = bind(model, model.instances[0])
    plain = explore_plain(bound, survey=True)
    assert set(plain.violations) == {"Display", "Constant", "Below", "Keys", "Pairs"}
    assert summary(explore_compiled(bound, survey=True)) == summary(plain)


_STILL = '''
"""A system in which nothing can happen."""
from ackproof.lang import Instance, Model, System


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


_WHOLE = small_instances(CONFIRMS, 3 * _SMALL)
_IN_PART = [i for i in CONFIRMS.instances if i not in _WHOLE]


@pytest.mark.parametrize("instance", sample(_WHOLE, 2), ids=lambda i: i.name)
def test_the_confirm_specification_has_the_same_counts(instance: Instance) -> None:
    agree(bind(CONFIRMS, instance))


@pytest.mark.slow
@pytest.mark.parametrize("instance", sample(_IN_PART, 8), ids=lambda i: i.name)
def test_the_first_levels_of_larger_instances_have_the_same_counts(instance: Instance) -> None:
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
@pytest.mark.parametrize(("design", "instance", "broken"), sample(museum(), 8))
def test_designs_of_the_museum_have_the_same_counts(
    design: Design, instance: str, broken: str
) -> None:
    chosen = CONFIRMS.instance(instance)
    assert chosen is not None
    asked = [] if broken in BUILT_IN else [broken]
    agree_at_first(bind(CONFIRMS, chosen, design, asked))
