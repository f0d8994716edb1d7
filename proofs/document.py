"""Proofs as JSON, for people's programs.

`document` gives reports as the JSON document that `--json` prints, whose format is versioned
(`SCHEMA`) and described, field by field, by the JSON Schema in `proof.schema.json` beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackproof.model.verdict import worst
from ackproof.proofs.discharge import PROVED, Outcome
from ackproof.proofs.obligations import Obligation
from ackproof.proofs.report import ABSTRACTIONS, TAKEN, Proof

if TYPE_CHECKING:
    from ackproof.proofs.cti import Counterexample

__all__ = ["SCHEMA", "cti_json", "document", "proof_json", "schema"]

SCHEMA = "ackproof/proof/1"


def proof_json(proof: Proof, counterexamples: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Return the report as one entry of a `document`."""
    return {
        "model": proof.model,
        "design": None if proof.design is None else {"name": proof.design, "claim": proof.claim},
        "digest": proof.digest,
        "sizes": proof.sizes,
        "supposed": [{"name": name, "doc": doc} for name, doc in proof.supposed],
        "taken": list(TAKEN),
        "abstractions": list(ABSTRACTIONS),
        "properties": [_property(proof, name) for name in proof.asked],
        "lemmas": [_property(proof, n) for n, claim in proof.claims.items() if claim.lemma],
        "obligations": [_obligation(o) for o in proof.outcomes],
        "vacuities": [{"kind": v.kind, "name": v.name, "text": v.text} for v in proof.vacuities],
        "counterexamples": list(counterexamples),
        "interrupted": proof.interrupted,
        "timing": {
            "seconds": round(proof.seconds, 3),
            "limit": proof.limit,
            "workers": proof.workers,
        },
    }


def _property(proof: Proof, name: str) -> dict[str, Any]:
    claim, outcomes = proof.claims[name], proof.of(name)
    return {
        "name": name,
        "kind": claim.kind,
        "origin": claim.origin,
        "doc": claim.doc,
        "verdict": proof.standing(name).value,
        "by": list(claim.by),
        "follows": claim.follows,
        "invariant": [n for n in proof.needs[name] if n != name and n in proof.claims],
        "supposes": [n for n in proof.needs[name] if n not in proof.claims],
        "restricted": list(proof.restricted(name)),
        "obligations": len(outcomes),
        "proved": sum(o.status == PROVED for o in outcomes),
        "fails": [o.obligation.name for o in proof.failed(name)],
    }


def _obligation(outcome: Outcome) -> dict[str, Any]:
    obligation = outcome.obligation
    return {
        "name": obligation.name,
        "goal": obligation.goal,
        "kind": obligation.kind,
        "action": obligation.action or None,
        "hypotheses": list(obligation.hypotheses),
        "result": outcome.status,
        "reason": outcome.reason or None,
        "solver": outcome.solver,
        "seconds": round(outcome.seconds, 3),
    }


def cti_json(obligation: Obligation, found: Counterexample | None) -> dict[str, Any]:
    """Return what was found when a counterexample to induction was looked for."""
    if found is None:
        return {"obligation": obligation.name, "found": False}
    run = found.reached.trace
    return {
        "obligation": obligation.name,
        "found": True,
        "sizes": {sort.__name__: size for sort, size in found.bound.sizes.items()},
        "step": [step.text for step in found.trace.steps],
        "answer": found.reached.answer.value,
        "states": found.reached.states,
        "run": [step.text for step in run.steps] if run is not None else None,
    }


def document(
    proofs: Iterable[Proof], counterexamples: Sequence[Sequence[dict[str, Any]]] = ()
) -> dict[str, Any]:
    """Return reports as the JSON document of a run.

    Args:
        proofs: the reports.
        counterexamples: for each of them what `cti_json` says of some of its obligations.
    """
    entries = list(proofs)
    found = list(counterexamples) or [()] * len(entries)
    return {
        "schema": SCHEMA,
        "exit_code": worst([p.exit_code for p in entries]),
        "results": [proof_json(p, c) for p, c in zip(entries, found, strict=True)],
    }


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a document."""
    loaded: dict[str, Any] = json.loads(Path(__file__).with_name("proof.schema.json").read_text())
    return loaded
