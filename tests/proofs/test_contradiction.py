"""What is proved is held against a search: a prover that is wrong is found, and said to be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ackproof.cli.page import console
from ackproof.cli.proof_page import show_proof
from ackproof.lang.errors import BindError
from ackproof.lang.lemmas import Library
from ackproof.lang.model import Design, Instance
from ackproof.model.cache import Cache
from ackproof.proofs import attempt as attempts
from ackproof.proofs import contradiction
from ackproof.proofs.attempt import Attempt, prepare
from ackproof.proofs.contradiction import STATES, held_against, small
from ackproof.proofs.discharge import Outcome
from ackproof.proofs.document import document, schema
from ackproof.proofs.finished import Finished
from ackproof.proofs.report import Proof, ProofVerdict
from ackproof.spec.model import MODEL as CONFIRMS

from tests.proofs.closet import LIBRARY, MODEL, Guest, forgetful


@pytest.fixture
def gullible(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a prover that proves whatever it is asked."""

    def believed(_: Any, chosen: Any, *__: Any) -> Iterator[Outcome]:
        yield from (Outcome(one, "proved", 0.1) for one in chosen)

    monkeypatch.setattr(attempts, "discharge", believed)


def proof_of(
    *requested: str, design: Design | None = None, library: Library = LIBRARY
) -> tuple[Attempt, Proof]:
    """Return what becomes of a proof about the closet."""
    attempt = prepare(MODEL, library, requested, design)
    return attempt, attempt.run(limit=5.0)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_is_proved_rightly_is_not_contradicted(workers: int) -> None:
    larger = Instance("three", "three guests", {Guest: 3})
    attempt, proof = proof_of()
    attempt = replace(attempt, model=replace(MODEL, instances=(*MODEL.instances, larger)))
    held = held_against(attempt, proof, workers=workers)
    assert [(s.instance, s.complete) for s in held.searched] == [("pair", True), ("three", True)]
    assert [s.states for s in held.searched] == [3, 4]
    assert (held.contradictions, held.exit_code) == ((), 0)


@pytest.mark.usefixtures("gullible")
def test_a_prover_that_is_wrong_is_contradicted_by_a_run() -> None:
    held = held_against(*proof_of(design=forgetful))
    [one] = [c for c in held.contradictions if c.name == "AloneInside"]
    assert (one.instance, one.run) == ("pair", ("enter(guest=g1)", "enter(guest=g2)"))
    assert held.verdict("AloneInside") is ProofVerdict.CONTRADICTED
    assert held.exit_code == 4
    told = json.loads(json.dumps(document([held])))
    jsonschema.validate(told, schema())
    assert told["exit_code"] == 4
    assert told["results"][0]["contradictions"][0]["instance"] == "pair"


@pytest.mark.usefixtures("gullible")
def test_what_stands_on_something_false_is_not_called_proved() -> None:
    attempt, proof = proof_of("NoPair", "AloneInside", design=forgetful)
    held = held_against(attempt, proof)
    only = tuple(c for c in held.contradictions if c.name == "AloneInside")
    assert only
    one = replace(held, contradictions=only)
    assert one.verdict("NoPair") is ProofVerdict.CONTRADICTED


def test_what_is_not_proved_is_not_searched_for() -> None:
    held = held_against(*proof_of("AloneInside", design=forgetful))
    assert (held.searched, held.contradictions) == ((), ())
    assert held.verdict("AloneInside") is ProofVerdict.REFUTED


@pytest.mark.parametrize("locked", [True, False])
@pytest.mark.usefixtures("gullible")
def test_a_run_where_an_assumption_is_not_met_contradicts_nothing(locked: bool) -> None:
    unlocked = Design("No lock.", replace=(), constants={"Closet.locked": False})
    attempt, proof = proof_of("AloneInside", design=forgetful if locked else unlocked)
    held = held_against(attempt, proof)
    assert "AloneInside" in held.searched[0].runs
    assert [c.name for c in held.contradictions] == (["AloneInside"] if locked else [])


@pytest.mark.usefixtures("gullible")
def test_where_nobody_knows_whether_an_assumption_is_met_nothing_is_contradicted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unbound(*_: Any, **__: Any) -> None:
        raise BindError("a lemma speaks of a sort that has no elements here")

    attempt, proof = proof_of("AloneInside", design=forgetful)
    monkeypatch.setattr(attempts, "bind", unbound)
    held = held_against(attempt, proof)
    assert "AloneInside" in held.searched[0].runs
    assert held.contradictions == ()


def test_who_interrupts_the_search_keeps_what_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    attempt, proof = proof_of()
    monkeypatch.setattr(contradiction, "searched", interrupted)
    held = held_against(attempt, proof)
    assert held == proof
    assert not held.held


def test_a_proof_that_was_not_held_against_everything_is_not_kept(tmp_path: Path) -> None:
    attempt, proof = proof_of("AloneInside")
    finished = Finished(Cache(tmp_path), MODEL, LIBRARY, ["AloneInside"])
    finished.keep(proof)
    assert finished.proof(5.0, 1) is None
    finished.keep(held_against(attempt, proof))
    assert finished.proof(5.0, 1) is not None


def test_an_instance_that_does_not_bind_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    wide = Instance("wide", "no constant of that name", {Guest: 2}, constants={"Closet.bolt": True})
    attempt, proof = proof_of("AloneInside")
    attempt = replace(attempt, model=replace(MODEL, instances=(*MODEL.instances, wide)))
    held = held_against(attempt, proof)
    assert [(s.instance, bool(s.why)) for s in held.searched] == [("pair", False), ("wide", True)]
    show_proof(console(), held, [], detailed=False)
    assert "not wide (" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("gullible")
def test_a_proof_that_is_contradicted_is_not_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    finished = Finished(cache, MODEL, LIBRARY, ["AloneInside"], forgetful)
    attempt, proof = proof_of("AloneInside", design=forgetful)
    finished.keep(held_against(attempt, proof))
    assert finished.proof(5.0, 1) is None


def test_the_small_instances_are_searched_and_those_of_unknown_size() -> None:
    chosen = small(CONFIRMS)
    assert sum(i.states or 0 for i in chosen) <= STATES
    others = [i.states or 0 for i in CONFIRMS.instances if i not in chosen]
    assert min(others) >= max(i.states or 0 for i in chosen)
    assert small(MODEL) == MODEL.instances
