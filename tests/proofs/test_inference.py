"""Lemmas are found for properties that are not inductive, and are proved for any sizes."""

from __future__ import annotations

import importlib.util
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import z3
from ackproof.lang.binding import Bound, bind
from ackproof.lang.frontend import compile_model
from ackproof.lang.lemmas import Library
from ackproof.lang.model import Model
from ackproof.model.evaluate import Evaluator
from ackproof.model.plain import PlainMachine
from ackproof.proofs import clause_text
from ackproof.proofs.attempt import prepare
from ackproof.proofs.inference import infer
from ackproof.proofs.inference_result import InferenceResult, InferredLemma, distinct_names
from ackproof.proofs.library import with_lemmas
from ackproof.proofs.proof_core import leave_one_out
from ackproof.proofs.sampling import Samples, reachable_states
from ackproof.proofs.templates import Clause, clauses_of, implied, strongest
from ackproof.proofs.vocabulary import atoms_of
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL as CONFIRMS

from tests.models import lock_server, toy_consensus, two_phase_commit
from tests.proofs import closet, office


@pytest.fixture(scope="module")
def locks() -> InferenceResult:
    """Return what is found for the lock server, without any written lemma."""
    return infer(lock_server.MODEL, ["MutualExclusion"])


def written(found: InferenceResult, path: Path) -> ModuleType:
    """Keep the lemmas in a file, and import it."""
    file = path / "found_lemmas.py"
    file.write_text(found.module())
    spec = importlib.util.spec_from_file_location("found_lemmas", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names_in(found: InferenceResult) -> str:
    """Return all that was found, as text."""
    return "\n".join(f"{one.name}: {one.text} {one.by}" for one in found.lemmas)


# -- what is found ------------------------------------------------------------------------------


def test_the_published_invariant_of_the_lock_server_is_found(locks: InferenceResult) -> None:
    assert locks.proved
    assert {one.text for one in locks.lemmas} == {
        "all(c1 == c2 for c1 in s.grants for c2 in s.grants)",
        "all(c1 == c2 for c1 in s.releases for c2 in s.releases)",
        "not s.grants or not s.holders",
        "not s.grants or not s.releases",
        "not s.holders or not s.releases",
        "not s.free or not s.grants",
        "not s.free or not s.holders",
        "not s.free or not s.releases",
    }


def test_what_is_found_is_marked_and_proved_when_it_is_read_again(
    locks: InferenceResult, tmp_path: Path
) -> None:
    library = Library.of(written(locks, tmp_path))
    proof = prepare(lock_server.MODEL, library).run(limit=5.0)
    assert proof.exit_code == 0
    assert {c.name for c in proof.goals.values() if c.found} == {x.name for x in locks.lemmas}
    assert not proof.goals["MutualExclusion"].found


def test_the_library_of_what_is_found_is_at_hand(locks: InferenceResult) -> None:
    assert all(one.found for one in locks.library.lemmas.values())
    assert set(locks.library.closure(["MutualExclusion"])) == {
        "MutualExclusion",
        *(one.name for one in locks.lemmas),
    }


def test_two_phase_commit_needs_lemmas_of_three_atoms() -> None:
    instances = two_phase_commit.MODEL.instances[1:2]
    three = infer(two_phase_commit.MODEL, ["Agreement"], instances=instances)
    assert three.proved
    left_out = list(leave_one_out(three.obligations, ["Agreement"], 5.0))
    assert {n.lemma for n in left_out} >= {one.name for one in three.lemmas}
    assert all(n.in_core for n in left_out if n.lemma != "Agreement")
    two = infer(two_phase_commit.MODEL, ["Agreement"], instances=instances, width=2)
    assert two.missing == {"Agreement": "no candidates make it inductive"}
    assert (two.proved, two.lemmas, two.proofs) == (False, (), {})


def test_what_was_written_helps_to_find_the_rest() -> None:
    found = infer(
        toy_consensus.MODEL,
        ["Agreement"],
        library=toy_consensus.EPR,
        using=["QuorumsMeet", "DecidedByAQuorum"],
    )
    assert found.proved
    assert names_in(found) == (
        "AtMostOneInVotes: "
        "all(v1 == v2 for n in Node for v1 in s.votes[n] for v2 in s.votes[n]) "
        "('VotesMeansVoted',)\n"
        "VotesMeansVoted: all(n not in s.votes or n in s.voted for n in Node) ()"
    )


def test_properties_of_states_and_of_steps_are_proved_together() -> None:
    asked = ["AloneInside", "NoPair", "EntersAnEmptyCloset"]
    found = infer(closet.MODEL, asked, library=closet.LIBRARY, using=["TheDoorIsLocked"])
    assert list(found.proofs) == asked
    assert [one.text for one in found.lemmas] == ["not s.free or not s.inside"]
    without = infer(closet.MODEL, asked, library=closet.LIBRARY)
    assert set(without.missing) == set(asked)


def test_a_property_that_is_false_is_not_proved() -> None:
    found = infer(lock_server.MODEL, ["MutualExclusion"], design=lock_server.generous)
    assert set(found.missing) == {"MutualExclusion"}


def test_without_time_nothing_is_proved() -> None:
    assert not infer(lock_server.MODEL, ["MutualExclusion"], limit=0.0).proved


def test_the_same_is_found_each_time(locks: InferenceResult) -> None:
    program = (
        "from ackproof.proofs.inference import infer; from tests.models.lock_server import MODEL; "
        "print(infer(MODEL, ['MutualExclusion']).module(), end='')"
    )
    root = Path(__file__).parents[2]
    path = f"{root}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout == locks.module()


def test_the_same_is_found_whatever_the_solver_was_asked_before(locks: InferenceResult) -> None:
    others = [z3.Bool(f"other.{i}") for i in range(2000)]
    for kept in (others, others[::3], others[::7]):
        others = list(kept)  # the solver gives the numbers of terms that are gone to new ones
        assert infer(lock_server.MODEL, ["MutualExclusion"]).module() == locks.module()


@pytest.mark.parametrize(
    ("asked", "using", "variables", "said"),
    [
        (["Nothing"], [], [], "lock server has no property or lemma 'Nothing'"),
        (["MutualExclusion"], ["Some"], [], "lock server has no property or lemma 'Some'"),
        (["MutualExclusion"], [], ["key"], "lock server has no variable 'key'"),
    ],
)
def test_names_that_mean_nothing_are_rejected(
    asked: list[str], using: list[str], variables: list[str], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        infer(lock_server.MODEL, asked, using=using, variables=variables)


def test_what_is_true_of_runs_is_rejected() -> None:
    with pytest.raises(ValueError, match="EverybodyLeaves is true of neither states nor steps"):
        infer(closet.MODEL, ["EverybodyLeaves"])


@pytest.mark.long
def test_lemmas_are_found_for_the_specification_itself() -> None:
    tiny = CONFIRMS.instance("tiny")
    assert tiny is not None
    found = infer(
        CONFIRMS,
        ["NoPhantomConfirm"],
        instances=[tiny],
        library=LIBRARY,
        using=["ConfirmXorTransaction", "CountsAgree", "IdleIsEmpty"],
        variables=[
            "channels.confirming",
            "channels.unconfirmed",
            "channels.confirmed",
            "channels.rejected",
            "publishers.sent",
        ],
        states=200,
        limit=2400.0,
    )
    assert found.proved
    assert {one.text for one in found.lemmas} == {
        "all(not s.channels[c].confirming or m in s.publishers[c].sent "
        "for c in ChannelId for m in s.channels[c].confirmed)",
        "all(not s.channels[c].confirming or m in s.publishers[c].sent "
        "for c in ChannelId for m in s.channels[c].rejected)",
        "all(not s.channels[c].confirming or m not in s.channels[c].unconfirmed "
        "or m in s.publishers[c].sent for c in ChannelId for m in Msg)",
    }


# -- candidates: as expressions, as text, and of samples ----------------------------------------

MODELS = (lock_server.MODEL, two_phase_commit.MODEL, toy_consensus.MODEL, office.MODEL)


def some_clauses(model: Model) -> Iterator[Clause]:
    """Yield a part of a model's candidates, of each kind."""
    clauses = list(clauses_of(atoms_of(compile_model(model).variables)))
    yield from clauses[:: max(1, len(clauses) // 60)]


def sampled(model: Model) -> Bound:
    """Return an instance of a model."""
    return bind(model, model.instances[0])


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.name)
def test_a_sample_says_of_a_candidate_what_its_expression_says(model: Model) -> None:
    bound = sampled(model)
    states = reachable_states(bound, 60, time.perf_counter() + 60.0)
    samples, evaluator = Samples(bound, states), Evaluator(bound)
    for clause in some_clauses(model):
        body = clause_text.body(clause, bound.program)
        false = any(not evaluator.value(body, {"s": state}) for state in states)
        assert samples.false_somewhere(clause) == false, clause_text.text(clause)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.name)
def test_the_text_of_a_candidate_means_what_its_expression_means(
    model: Model, tmp_path: Path
) -> None:
    program = compile_model(model)
    clauses = list(some_clauses(model))
    found = InferenceResult(program, lemmas_of(clauses), {}, {}, None, 0, 0, 0, 0, 0.0)  # type: ignore[arg-type]
    whole = with_lemmas(model, Library.of(written(found, tmp_path)))
    bound = bind(whole, whole.instances[0])
    known = {p.name: p for p in bound.properties}
    evaluator = Evaluator(bound)
    with PlainMachine(bound) as machine:
        for state in reachable_states(bound, 40, time.perf_counter() + 60.0):
            for one in found.lemmas:
                body = clause_text.body(one.clause, program)
                said = evaluator.value(body, {"s": state})
                assert machine.holds(known[one.name], state) == said, one.text
                assert evaluator.value(known[one.name].body, {"s": state}) == said, one.text


def lemmas_of(clauses: list[Clause]) -> tuple[InferredLemma, ...]:
    """Return clauses as lemmas."""
    names = distinct_names(clauses, ())
    return tuple(InferredLemma(names[c], c, ()) for c in clauses)


def test_a_candidate_that_says_less_than_another_is_left_out() -> None:
    clauses = list(clauses_of(atoms_of(compile_model(lock_server.MODEL).variables)))
    said = {clause_text.text(c): c for c in clauses}
    apart, empty = said["not (s.grants & s.holders)"], said["not s.grants or not s.holders"]
    assert implied(apart, by=empty)
    assert not implied(empty, by=apart)
    assert strongest([empty, apart]) == [empty]
    assert strongest([apart], known=[empty]) == []


def test_no_two_candidates_say_the_same_by_other_names() -> None:
    clauses = list(clauses_of(atoms_of(compile_model(lock_server.MODEL).variables)))
    assert not [
        (clause_text.text(a), clause_text.text(b))
        for a, b in itertools.combinations(clauses, 2)
        if len(a.literals) == len(b.literals) and implied(a, b) and implied(b, a)
    ]
