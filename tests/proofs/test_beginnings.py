"""Proofs begin in every initial state: in any choice of what is open that is not excluded."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from ackproof.lang import (
    Instance,
    Model,
    Set,
    Sort,
    System,
    action,
    anything,
    initially,
    invariant,
    properties_in,
    require,
)
from ackproof.lang.binding import Bound, bind
from ackproof.lang.errors import BindError
from ackproof.lang.lemmas import Library
from ackproof.model.beginnings import initial_states
from ackproof.model.cache import Cache
from ackproof.model.plain_search import explore
from ackproof.model.verdict import Verdict
from ackproof.proofs.attempt import Attempt, prepare
from ackproof.proofs.bmc import bounded, k_induction
from ackproof.proofs.cti import Reachability, counterexample
from ackproof.proofs.cti_text import show
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.report import ProofVerdict
from hypothesis import HealthCheck, assume, given, settings

from tests.exploring import examples
from tests.model import random_specs
from tests.model.coins import MODEL as COINS
from tests.model.loading import module_of


class Guest(Sort, prefix="g"):
    """Somebody."""


class Club(System):
    """A club, in which some are already when it is looked at."""

    listed: Set[Guest] = anything()
    inside: Set[Guest] = anything()

    @action
    def enter(self, guest: Guest) -> None:
        """Who is on the list comes in."""
        require(guest in self.listed)
        self.inside.add(guest)

    @action
    def strike(self, guest: Guest) -> None:
        """Who is outside is struck from the list."""
        require(guest not in self.inside)
        self.listed.discard(guest)


@initially
def NobodySlippedIn(s: Club) -> bool:
    """Who is inside is on the list."""
    return s.inside <= s.listed


@invariant
def AllAreListed(s: Club) -> bool:
    """Who is inside is on the list."""
    return all(g in s.listed for g in s.inside)


@invariant
def NobodyIsInside(s: Club) -> bool:
    """The club is empty: false, and already at first."""
    return not s.inside


CLUB = Model(
    "club", Club, properties_in(sys.modules[__name__]), (Instance("two", "two guests", {Guest: 2}),)
)
OPEN = replace(CLUB, properties=tuple(p for p in CLUB.properties if p.name != "NobodySlippedIn"))


def club(model: Model = CLUB) -> Bound:
    """Return the club for two."""
    return bind(model, model.instances[0])


# -- for any sizes ---------------------------------------------------------------------------


def test_what_is_demanded_at_first_is_known_at_first() -> None:
    proof = prepare(CLUB, Library(), ["AllAreListed"]).run()
    assert proof.verdict("AllAreListed") is ProofVerdict.PROVED
    assert not proof.vacuities


def test_without_the_demand_nothing_is_known_of_it() -> None:
    proof = prepare(OPEN, Library(), ["AllAreListed"]).run()
    assert [one.obligation.name for one in proof.unproved] == ["AllAreListed/initially"]


def test_what_was_proved_with_the_demand_is_not_kept_without_it(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for model, proved in ((CLUB, True), (OPEN, False), (CLUB, True)):
        assert (attempt_of(model).run(cache=cache).exit_code == 0) is proved
    assert attempt_of(CLUB).digest() != attempt_of(OPEN).digest()


def attempt_of(model: Model) -> Attempt:
    """Return the attempt to prove that all are listed."""
    return prepare(model, Library(), ["AllAreListed"])


@pytest.mark.parametrize("model", [CLUB, OPEN], ids=["demanded", "open"])
def test_what_is_false_at_first_has_an_initial_state_that_shows_it(model: Model) -> None:
    obligation = Obligation("NobodyIsInside", "initiation", "", ())
    found = counterexample(model, None, Library(), obligation)
    assert found is not None
    assert found.before in initial_states(found.bound)
    assert found.reached.answer is Reachability.REACHABLE
    assert "it is false in an initial state" in show(found)
    assert "at first listed = {" in show(found)


def test_what_is_demanded_has_no_counterexample_at_first() -> None:
    obligation = Obligation("AllAreListed", "initiation", "", ())
    assert counterexample(CLUB, None, Library(), obligation) is None
    assert counterexample(OPEN, None, Library(), obligation) is not None


# -- at the sizes of an instance ---------------------------------------------------------------


def test_a_run_that_a_solver_finds_begins_in_an_initial_state() -> None:
    bound = bind(COINS, COINS.instances[0])
    for name, steps in (("SomeShowTails", 0), ("SomeShowHeads", 1), ("TheEyeStaysOnHeads", 1)):
        found = bounded(bound, name, 2)
        assert (found.verdict, found.depth) == (Verdict.VIOLATED, steps)
        assert found.trace is not None
        assert found.trace.initial in initial_states(bound)


def test_induction_begins_in_all_of_them() -> None:
    assert k_induction(club(), "AllAreListed", 1).verdict is Verdict.VERIFIED
    assert k_induction(club(OPEN), "AllAreListed", 1).verdict is Verdict.VIOLATED


@settings(max_examples=examples(10), suppress_health_check=list(HealthCheck))
@given(source=random_specs.specs(depth=2, beginnings=True))
def test_random_programs_break_after_as_many_steps_as_plain_python_says(
    tmp_path_factory: pytest.TempPathFactory, source: str
) -> None:
    folder: Path = tmp_path_factory.mktemp("specs")
    model = module_of(source, folder)
    names = ["Inv", "Step"]
    bound = bind(model, model.instances[0], properties=names)
    try:
        assume(len(initial_states(bound)) <= 300)
    except BindError:
        assume(False)
    outcome = explore(bound, max_depth=3, survey=True)
    for name in names:
        expected = outcome.violations.get(name)
        found = bounded(bound, name, 2)
        assert (found.depth if found.trace else None) == (
            None if expected is None else len(expected)
        ), name
