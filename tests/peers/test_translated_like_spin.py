"""SPIN, on a translation, comes to the same states, steps and violations as the kernel.

It verifies what `ackproof translate` writes, and shares nothing else with the kernel.  It stores
one state more, that in which the process begins.  Breadth first, it also stores those within an
`atomic`, and says how many there are without them.
"""

from __future__ import annotations

import importlib
import random
import re
from pathlib import Path

import pytest
from ackproof.cli.targets import load
from ackproof.export.promela.model import PromelaModel, promela_model
from ackproof.lang.binding import Bound, bind
from ackproof.lang.properties import ASSERTION, DEADLOCK, DEFINED
from ackproof.model.kernel.engine import explore
from ackproof.spec.model import MODEL as CONFIRMS

from tests.exploring import examples, sample, seeds
from tests.model.alike_specs import alike_spec
from tests.model.loading import module_of
from tests.model.random_graphs import random_walk
from tests.models import alternating_bit
from tests.peers.twins import told_by_spin, told_of_runs

pytestmark = pytest.mark.peer

#: Published models, each with what the others have not.
MODELS = (
    "alternating_bit",
    "ewd840",
    "numbered_arrivals",
    "simple_allocator",
    "sync_termination",
)

#: Instances of confirms; in a long run more of them.
INSTANCES = ["tiny"]
if examples(1) > 1:
    INSTANCES += [
        "drops",
        "late_credit",
        "small",
        "power",
        "fanout",
        "divided",
        "redeclared",
        "channels_alarm",
    ]
    INSTANCES += ["channels_commit"]

#: Steps that fail: an integer leaves its range, nothing is the least of nothing, what is asserted
#: is false, and a sequence is full.
FAILING = '''
"""A counter that is not careful."""
from __future__ import annotations
import sys
from typing import Annotated
from ackproof.lang import *

class Place(OrderedSort):
    """A place."""

class Counter(System):
    """A counter."""
    number: Annotated[int, Range(0, 3)]
    other: Annotated[int, Range(-1, 1)]
    places: Set[Place]
    line: Annotated[Seq[Place], 2]

    @fault
    def add(self, by: Annotated[int, Range(1, 2)]) -> None:
        """Add without a look."""
        self.number += by
        self.other = self.number - 2

    @action
    def take(self, place: Place) -> None:
        """Put the least one into the line."""
        require(self.number != 1)
        least = min(self.places)
        assert self.other != 0 or least != place
        self.places.discard(least)
        self.line.append(least)
        self.settle()

    @handler
    def settle(self) -> None:
        """Only where the line is not of one."""
        require(len(self.line) != 1 or self.number == 0)
        if self.line[0] == Place.first():
            self.line.pop(0)

    @action
    def put(self, place: Place) -> None:
        """Put one there."""
        self.places.add(place)

@step_property
def Grows(before: Counter, after: Counter) -> bool:
    """The number changes."""
    return before.number != after.number or before.places != after.places

MODEL = Model("counter", Counter, properties_in(sys.modules[__name__]),
    (Instance("two", "two places", {Place: 2}, faults={"add": 3}),))
'''


def _room(said: PromelaModel) -> list[str]:
    return [] if said.vector is None else [f"-DVECTORSZ={said.vector}"]


def agree(bound: Bound, folder: Path, *flags: str) -> set[str]:
    """Compare SPIN's search with the kernel's; return what both found violated."""
    outcome = explore(bound, survey=True)
    said = promela_model(bound)
    text = told_by_spin(folder, said.text, *flags, *_room(said))
    stored = "nominal states" if "-DBFS" in flags else "states, stored"
    counts = {
        what: int(n) for n, what in re.findall(rf"(\d+) ({stored}|transitions)", text) if n != "0"
    }
    assert counts[stored] == outcome.states + 1, text
    failing = {ASSERTION, DEFINED} & outcome.violations.keys()
    if outcome.initial == 1 and not failing and "-DBFS" not in flags:
        assert counts["transitions"] == outcome.generated + 1
    claims = {p.name for p in bound.properties if p.claim in ("invariant", "step") and not p.event}
    claims |= {ASSERTION, DEFINED, DEADLOCK}
    found = {said.claims[name] for name in re.findall(r"assertion violated (\w+)", text)}
    found |= {DEADLOCK} if ": invalid end state" in text else set()
    assert found == outcome.violations.keys() & claims
    return found


@pytest.mark.parametrize("name", sample(MODELS, 2))
def test_published_models_are_the_same_in_spin(name: str, tmp_path: Path) -> None:
    model = importlib.import_module(f"tests.models.{name}").MODEL
    agree(bind(model, model.instances[0]), tmp_path)


@pytest.mark.parametrize("name", INSTANCES)
def test_confirms_are_the_same_in_spin(name: str, tmp_path: Path) -> None:
    instance = CONFIRMS.instance(name)
    assert instance is not None
    assert agree(bind(CONFIRMS, instance), tmp_path) == set()


def test_spin_finds_what_a_design_breaks_breadth_first(tmp_path: Path) -> None:
    target, instance = load("b10"), CONFIRMS.instance("tiny")
    assert instance is not None
    assert agree(bind(CONFIRMS, instance, target.design), tmp_path, "-DBFS")


@pytest.mark.parametrize("flags", [(), ("-DBFS",)], ids=["depth first", "breadth first"])
def test_a_step_that_fails_leads_nowhere(flags: tuple[str, ...], tmp_path: Path) -> None:
    model = module_of(FAILING, tmp_path)
    found = agree(bind(model, model.instances[0]), tmp_path, *flags)
    assert found == {ASSERTION, DEFINED, "Grows"}


def test_spin_reaches_what_should_be_reached(tmp_path: Path) -> None:
    bound = bind(alternating_bit.MODEL, alternating_bit.MODEL.instances[0])
    text = told_by_spin(tmp_path, promela_model(bound).text, "-DREACHABLE")
    found = set(re.findall(r"assertion violated +!\((\w+)", text))
    assert found == explore(bound).witnessed == {"BothQueuesFull"}


@pytest.mark.parametrize("seed", seeds(1))
def test_random_programs_are_the_same_in_spin(seed: int, tmp_path: Path) -> None:
    numbers = random.Random(f"promela {seed}")
    while True:
        model = module_of(alike_spec(numbers.randrange(10**9)), tmp_path)
        bound = bind(model, model.instances[0])
        outcome = explore(bound, survey=True, max_depth=8)
        if outcome.exhausted and 30 <= outcome.states <= 1_000:
            break
    agree(bound, tmp_path)


def false_runs(bound: Bound, folder: Path, names: set[str]) -> set[str]:
    """Return which of some properties of runs SPIN finds violated."""
    said = promela_model(bound)
    asked = [own for own, name in said.runs.items() if name in names]
    assert len(asked) == len(names)
    room = ["-DNFAIR=25", "-DVECTORSZ=6000"]
    told = told_of_runs(folder, said.text, asked, *room)
    for own in asked:
        assert ("errors: 0" in told[own]) is not ("acceptance cycle" in told[own]), told[own]
    return {said.runs[own] for own in asked if "acceptance cycle" in told[own]}


@pytest.mark.parametrize("seed", seeds(1))
def test_what_must_happen_is_the_same_in_spin(seed: int, tmp_path: Path) -> None:
    source = random_walk(seed).source()
    # SPIN has no strong fairness, and the constraint is of no concern here.
    model = module_of(source.replace("strong", "weak").replace("@constraint\n", ""), tmp_path)
    bound = bind(model, model.instances[0])
    names = {"Arrives", "Answers"}
    assert false_runs(bound, tmp_path, names) == explore(bound, survey=True).violations.keys()


def test_spin_is_as_fair_to_confirms(tmp_path: Path) -> None:
    instance = CONFIRMS.instance("tiny")
    assert instance is not None
    assert false_runs(bind(CONFIRMS, instance), tmp_path, {"EveryPublishSettles"}) == set()


@pytest.mark.skipif(examples(1) == 1, reason="it takes half a minute")
def test_spin_finds_a_publish_that_is_never_settled(tmp_path: Path) -> None:
    target, instance = load("b09"), CONFIRMS.instance("failover")
    assert instance is not None
    bound, name = bind(CONFIRMS, instance, target.design), "EveryPublishSettles"
    assert false_runs(bound, tmp_path, {name}) == {name}
