"""TLC, on a translation, comes to the same states, steps and violations as the kernel.

It reads what `ackproof translate` writes, and shares nothing else with the kernel.  It is not asked
of a step that changes nothing whether a property of steps holds, as formulas of TLA+ cannot be.
"""

from __future__ import annotations

import importlib
import random
import re
from pathlib import Path

import pytest
from ackproof.cli.targets import load
from ackproof.export.tla.module import tla_module
from ackproof.lang.binding import Bound, bind
from ackproof.lang.properties import ASSERTION, DEFINED
from ackproof.model.kernel.engine import explore
from ackproof.spec.model import MODEL as CONFIRMS

from tests.exploring import examples, sample, seeds
from tests.model.alike_specs import alike_spec
from tests.model.loading import module_of
from tests.model.random_graphs import random_walk
from tests.peers.twins import told_by_tlc

pytestmark = pytest.mark.peer

#: Published models, each with what the others have not.
MODELS = (
    "alternating_bit",
    "ewd840",
    "numbered_arrivals",
    "simple_allocator",
    "sync_termination",
)

#: Instances of confirms that TLC searches in seconds; in a long run those of half a minute, too.
INSTANCES = ["tiny", "channels_alarm"]
if examples(1) > 1:
    INSTANCES += [
        "redeclared",
        "small",
        "power",
        "fanout",
        "drops",
        "late_credit",
        "divided",
        "channels_commit",
    ]


def agree(bound: Bound, folder: Path) -> set[str]:
    """Compare TLC's search with the kernel's; return what both found violated."""
    outcome = explore(bound, survey=True)
    assert not {ASSERTION, DEFINED} & outcome.violations.keys(), "TLC ends there"
    said = tla_module(bound, "translated")
    lines = said.configuration.splitlines()
    text = told_by_tlc(folder, "translated", said.module, lines, "-continue")
    counts = re.findall(r"(\d+) states generated, (\d+) distinct states found, 0 states left", text)
    assert counts, text
    assert tuple(map(int, counts[-1])) == (outcome.generated, outcome.states)
    claims = {p.name for p in bound.properties if p.claim in ("invariant", "step") and not p.event}
    found = set(re.findall(r"^Error: (?:Invariant|Action property) (\w+) is violated", text, re.M))
    assert found <= claims
    assert found <= outcome.violations.keys()
    # Of a state in which several invariants are false, TLC names the first.
    invariants = {p.name for p in bound.properties if p.claim == "invariant"}
    assert bool(found & invariants) is bool(outcome.violations.keys() & invariants)
    runs = {p.name for p in bound.properties if p.of_runs}
    assert ("Temporal properties were violated" in text) is bool(outcome.violations.keys() & runs)
    return found


@pytest.mark.parametrize("name", sample(MODELS, 2))
def test_published_models_are_the_same_in_tlc(name: str, tmp_path: Path) -> None:
    model = importlib.import_module(f"tests.models.{name}").MODEL
    agree(bind(model, model.instances[0]), tmp_path)


@pytest.mark.parametrize("name", INSTANCES)
def test_confirms_are_the_same_in_tlc(name: str, tmp_path: Path) -> None:
    instance = CONFIRMS.instance(name)
    assert instance is not None
    assert agree(bind(CONFIRMS, instance), tmp_path) == set()


def test_tlc_finds_what_a_design_breaks(tmp_path: Path) -> None:
    target, instance = load("b10"), CONFIRMS.instance("tiny")
    assert instance is not None
    assert agree(bind(CONFIRMS, instance, target.design), tmp_path)


@pytest.mark.parametrize("seed", seeds(1))
def test_random_programs_are_the_same_in_tlc(seed: int, tmp_path: Path) -> None:
    numbers = random.Random(f"translated {seed}")
    while True:
        model = module_of(alike_spec(numbers.randrange(10**9)), tmp_path)
        bound = bind(model, model.instances[0])
        outcome = explore(bound, survey=True, max_depth=8)
        if outcome.exhausted and 30 <= outcome.states <= 1_000 and not bound.constraints:
            break
    agree(bound, tmp_path)


@pytest.mark.parametrize("name", ["Arrives", "Answers"])
@pytest.mark.parametrize("seed", seeds(1))
def test_what_must_happen_is_the_same_in_tlc(seed: int, name: str, tmp_path: Path) -> None:
    model = module_of(random_walk(seed).source(), tmp_path)
    agree(bind(model, model.instances[0], None, [name]), tmp_path)
