"""The published inductive proofs that fit the language are proofs here, for any sizes."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from ackproof.lang.binding import bind
from ackproof.lang.lemmas import Library
from ackproof.lang.model import Instance, Model
from ackproof.model import plain_search
from ackproof.proofs.attempt import prepare
from ackproof.proofs.library import with_lemmas
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.proof_core import leave_one_out, unused_hypotheses

from tests.models import client_server, lock_server, toy_consensus, two_phase_commit
from tests.proofs import two_phase_lemmas


@dataclass(frozen=True)
class Example:
    """A model with a proof, and the instances on which the checker agrees with it."""

    name: str
    model: Model
    library: Library
    lemmas: int
    instances: tuple[str, ...]

    @property
    def requested(self) -> tuple[str, ...]:
        """The names of what is proved."""
        return tuple(p.name for p in self.model.properties)

    def instance(self, name: str) -> Instance:
        """Return one of the instances."""
        return next(i for i in self.model.instances if i.name == name)

    def __str__(self) -> str:
        return self.name


LOCKS = Example("locks", lock_server.MODEL, lock_server.LIBRARY, 8, ("c2", "c3", "c4"))
EXAMPLES = (
    LOCKS,
    Example("commit", two_phase_commit.MODEL, two_phase_lemmas.LIBRARY, 7, ("rm2", "rm3")),
    Example("consensus", toy_consensus.MODEL, toy_consensus.EPR, 3, ("three",)),
    Example("quorum", toy_consensus.MODEL, toy_consensus.FORALL, 4, ("three",)),
    Example("clients", client_server.MODEL, client_server.LIBRARY, 4, ("pair",)),
)


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_a_published_proof_is_proved_for_any_sizes(example: Example) -> None:
    proof = prepare(example.model, example.library).run(limit=10.0)
    assert proof.requested == example.requested
    assert {o.status for o in proof.outcomes} == {"proved"}
    assert proof.vacuities == ()
    assert proof.exit_code == 0
    assert len(proof.goals) == example.lemmas + len(example.requested)


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_checker_finds_no_state_in_which_a_lemma_is_false(example: Example) -> None:
    model = with_lemmas(example.model, example.library)
    for name in example.instances:
        outcome = plain_search.explore(bind(model, example.instance(name)), survey=True)
        assert outcome.exhausted
        assert outcome.violations == {}
        assert all(outcome.per_action.values()), "every action happens"
        assert outcome.states == (example.instance(name).states or outcome.states)


def test_each_of_the_nine_invariants_of_the_lock_server_is_necessary() -> None:
    obligations = Obligations(LOCKS.model, LOCKS.library)
    found = list(leave_one_out(obligations, LOCKS.requested, 5.0))
    assert len(found) == 9
    assert {n.status for n in found} == {"refuted"}
    assert all(n.in_core for n in found)


@pytest.mark.parametrize("example", EXAMPLES[1:], ids=str)
def test_each_lemma_of_the_other_proofs_is_necessary(example: Example) -> None:
    obligations = Obligations(example.model, example.library)
    found = {n.lemma: n.status for n in leave_one_out(obligations, example.requested, 5.0)}
    lemmas = set(obligations.library.closure(example.requested)) & set(example.library.lemmas)
    assert len(lemmas) == example.lemmas
    assert found == dict.fromkeys(lemmas, "refuted")


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_no_lemma_names_a_hypothesis_that_it_does_not_need(example: Example) -> None:
    obligations = Obligations(example.model, example.library)
    names = obligations.library.closure(example.requested)
    assert unused_hypotheses(obligations, names, 5.0) == {}


def test_a_server_that_keeps_the_lock_fails_where_it_gives_it_away() -> None:
    proof = prepare(LOCKS.model, LOCKS.library, design=lock_server.generous).run(limit=5.0)
    assert proof.exit_code == 1
    assert [o.obligation.name for o in proof.unproved] == ["GrantedIsNotFree/grant"]


def test_quorums_that_do_not_meet_may_decide_differently() -> None:
    model = with_lemmas(toy_consensus.MODEL, toy_consensus.EPR)
    split = next(i for i in model.instances if i.name == "split")
    outcome = plain_search.explore(bind(model, split), survey=True)
    assert {"QuorumsMeet", "Agreement"} <= set(outcome.violations)
