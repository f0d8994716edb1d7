"""Formulas say what plain Python does: both translations, on programs that nobody chose.

For each state, reachable or not, and each action with each choice of arguments, both translations
have to say whether the step exists, what every variable is after it, and which frames it sends; and
for each property whether it holds.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from ackproof.lang import Instance, Model
from ackproof.lang.binding import Bound, bind
from ackproof.model.beginnings import initial_states
from ackproof.model.plain import PlainMachine
from ackproof.proofs.smt.unbounded import Untranslatable
from ackproof.spec.model import MODEL

from tests.exploring import chance, sample
from tests.model.loading import load, module_of
from tests.model.test_kernel_against_plain import random_programs
from tests.proofs.loops import MODEL as LOOPS
from tests.proofs.smt.comparing import FiniteSteps, UnboundedSteps
from tests.proofs.smt.meaning import typed

_MODELS = Path(__file__).parents[2] / "models"
_CLASSICS = sorted(path for path in _MODELS.glob("*.py") if "\nMODEL = " in path.read_text())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the files of this module's tests."""
    return tmp_path_factory.mktemp("specs")


def unbounded(bound: Bound, junk: int) -> UnboundedSteps | None:
    """Return the translation over unbounded sorts; None if a variable is a sequence."""
    try:
        return UnboundedSteps(bound, junk)
    except Untranslatable:
        return None


def compare(bound: Bound, states: int, share: float = 1.0) -> Counter[str]:
    """Compare both translations with plain Python in some states; return what was compared.

    Every other state lies on a run; the rest are any states at all.
    """
    rng = chance("states")
    wide, narrow = unbounded(bound, rng.choice((0, -1))), FiniteSteps(bound)
    compared: Counter[str] = Counter()
    with PlainMachine(bound) as machine:
        here = initial_states(bound)[0]
        for number in range(states):
            state = typed(bound, rng.choice) if number % 2 else here
            narrow.judges(machine, state)
            if wide:
                compared.update(wide.judges(machine, state))
            after = []
            for action, instance in enumerate(machine.instances):
                step = machine.step(state, action)
                if step is not None and step.after is not None:
                    after.append(step.after)
                if rng.random() < share or (step is not None and rng.random() < 2 * share):
                    narrow.agrees(state, instance, step)
                    if wide:
                        wide.agrees(state, instance, step)
                        if step is not None:
                            wide.judges_step(machine, state, step)
                    compared["none" if step is None else step.broken or "taken"] += 1
            if after and not number % 2:
                chosen = rng.choice(after)
                here = (*chosen[: len(bound.locations)], *bound.budgets.values())
    if wide:
        compared["untranslatable"] += len(wide.untranslatable)
    return compared


_SEEN: Counter[str] = Counter()


@random_programs(count=40, depth=2)
def _random_programs_mean_what_python_means(folder: Path, source: str) -> None:
    model = module_of(source, folder)
    _SEEN.update(compare(bind(model, model.instances[0]), 4, 0.3))


def test_random_programs_mean_what_python_means(folder: Path) -> None:
    _SEEN.clear()
    _random_programs_mean_what_python_means(folder)
    assert min(_SEEN[k] for k in ("taken", "none", "True", "False")) > 20, _SEEN
    assert _SEEN["NoAssertionFails"] + _SEEN["StepsAreDefined"] > 0, _SEEN


@pytest.mark.slow
@random_programs(count=60, depth=3)
def test_larger_random_programs_mean_what_python_means(folder: Path, source: str) -> None:
    model = module_of(source, folder)
    compare(bind(model, model.instances[0]), 6, 0.5)


@pytest.mark.parametrize("path", _CLASSICS, ids=lambda path: path.stem)
def test_classical_models_mean_what_python_means(path: Path) -> None:
    model: Model = load(path, f"proved_{path.stem}").MODEL
    compared = compare(bind(model, model.instances[0]), 8, 0.3)
    assert compared["taken"] > 2


@pytest.mark.parametrize("name", ["tiny", "mirrors"])
def test_the_confirm_specification_means_what_python_means(name: str) -> None:
    instance = MODEL.instance(name)
    assert instance is not None
    compared = compare(bind(MODEL, instance), 3, 0.1)
    assert not compared["untranslatable"]


@pytest.mark.slow
@pytest.mark.parametrize("instance", sample(MODEL.instances, 3), ids=lambda i: i.name)
def test_other_instances_of_it_mean_what_python_means(instance: Instance) -> None:
    compare(bind(MODEL, instance), 4, 0.1)


@pytest.mark.parametrize("instance", LOOPS.instances, ids=lambda i: i.name)
def test_loops_of_every_kind_mean_what_python_means(instance: Instance) -> None:
    compared = compare(bind(LOOPS, instance), 20)
    assert compared["taken"] > 20
    assert not compared["untranslatable"]
