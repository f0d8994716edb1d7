"""The JSON document of `ackproof prove --json`, for people's programs.

The types below are the format, versioned by `SCHEMA`.  They make the document from `Proof`s, and
its JSON Schema too, which so describes it field by field.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from ackproof.model.document import Count, Seconds, one_of, schema_of
from ackproof.model.verdict import worst
from ackproof.proofs import ranking
from ackproof.proofs.discharge import Outcome
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.report import ABSTRACTIONS, RELIES_ON, Proof
from ackproof.proofs.solving import PROVED
from msgspec import UNSET, Meta, Struct, UnsetType

if TYPE_CHECKING:
    from ackproof.proofs.cti import Counterexample

__all__ = ["SCHEMA", "ProofDocument", "cti_json", "document", "schema"]

SCHEMA = "ackproof/proof/1"

Names = list[str]


class ProvedDesign(Struct, frozen=True, forbid_unknown_fields=True):
    """The design that the proof is about."""

    name: str
    claim: str | None


class Assumed(Struct, frozen=True, forbid_unknown_fields=True):
    """An assumption."""

    name: str
    doc: str


class GoalResult(Struct, frozen=True, forbid_unknown_fields=True):
    """A property or a lemma."""

    name: str
    kind: Annotated[str, one_of("invariant", "step", "eventually")]
    origin: Annotated[
        str,
        one_of(
            "property",
            "written",
            description="a property, or a lemma, which somebody has written",
        ),
    ]
    doc: str
    verdict: Annotated[
        str,
        one_of(
            *("proved", "restricted", "refuted", "unknown", "vacuous", "contradicted"),
            description="of it and of all that it stands on",
        ),
    ]
    by: Annotated[Names, Meta(description="what it is proved with")]
    follows: Annotated[
        bool,
        Meta(description="whether it holds wherever those do, rather than is preserved by steps"),
    ]
    fair: Annotated[
        Names, Meta(description="of a property of runs: on the fairness of which actions it rests")
    ]
    invariant: Annotated[Names, Meta(description="all that it stands on")]
    assumes: Annotated[Names, Meta(description="of the constants")]
    restricted: Annotated[Names, Meta(description="those of them that not every instance meets")]
    obligations: Count
    proved: Count
    fails: Annotated[Names, Meta(description="obligations that are not proved")]


class ObligationResult(Struct, frozen=True, forbid_unknown_fields=True):
    """An obligation, and what became of it."""

    name: str
    goal: str
    kind: Annotated[
        str, one_of("initiation", "consecution", "safety", "stuttering", *ranking.KINDS)
    ]
    part: Annotated[str | None, Meta(description="of a ranking: which predicate it is about")]
    action: str | None
    hypotheses: Names
    result: Annotated[str, one_of("proved", "refuted", "unknown")]
    reason: Annotated[str | None, Meta(description="why it is unknown")]
    solver: Annotated[str, one_of("z3", "cvc5", description="who decided it, or gave up last")]
    seconds: Seconds
    work: Annotated[
        float, Meta(ge=0, description="what solvers did, in seconds of an idle machine")
    ]


class Vacuous(Struct, frozen=True, forbid_unknown_fields=True):
    """What makes a proof say nothing."""

    kind: Annotated[str, one_of("assumptions", "initial", "guard", "excluded")]
    name: str
    text: str


class SearchedInstance(Struct, frozen=True, forbid_unknown_fields=True):
    """An instance that was searched, to be held against what is proved."""

    instance: str
    states: Count
    complete: Annotated[bool, Meta(description="whether these are all")]
    why: Annotated[str | None, Meta(description="why there was no search, if there was none")]
    outside: Annotated[
        str | None,
        Meta(description="which integer leaves its range; what comes then was not seen"),
    ]


class ContradictingRun(Struct, frozen=True, forbid_unknown_fields=True):
    """A run that breaks what is proved."""

    property: str
    instance: str
    run: Names


class InductionCounterexample(Struct, frozen=True, forbid_unknown_fields=True):
    """A counterexample to induction, if one was found; only then the other fields are there."""

    obligation: str
    found: bool
    sizes: dict[str, int] | UnsetType = UNSET
    step: Names | UnsetType = UNSET
    answer: Annotated[
        str | UnsetType,
        one_of(
            *("reachable", "unreachable", "undecided"),
            description="what the checker says of the state before the step, at these sizes",
        ),
    ] = UNSET
    states: Count | UnsetType = UNSET
    run: Annotated[
        Names | UnsetType | None, Meta(description="a run to where the goal is false")
    ] = UNSET


class Timing(Struct, frozen=True, forbid_unknown_fields=True):
    """How long it took."""

    seconds: Seconds
    limit: Annotated[float, Meta(description="seconds that each obligation had")]
    workers: Annotated[int, Meta(ge=1)]


class ProofResult(Struct, frozen=True, forbid_unknown_fields=True):
    """One proof."""

    model: str
    design: Annotated[ProvedDesign | None, Meta(description="null for the specification itself")]
    digest: Annotated[
        str,
        Meta(pattern="^[0-9a-f]{64}$", description="a hash of all that the obligations depend on"),
    ]
    sizes: Annotated[str, Meta(description="which sizes the proof is about")]
    assumptions: Annotated[list[Assumed], Meta(description="what is assumed of the constants")]
    relies_on: Annotated[Names, Meta(description="what it does not show itself")]
    abstractions: Annotated[
        Names, Meta(description="what is known less of in a proof than in an instance")
    ]
    properties: list[GoalResult]
    lemmas: list[GoalResult]
    obligations: list[ObligationResult]
    vacuities: list[Vacuous]
    counterexamples: list[InductionCounterexample]
    searched: Annotated[
        list[SearchedInstance], Meta(description="what was held against it; nothing if none is")
    ]
    contradictions: Annotated[
        list[ContradictingRun], Meta(description="each is a defect of the prover")
    ]
    failing: Annotated[
        list[ContradictingRun],
        Meta(description="runs in which a step fails, where it is relied on that none does"),
    ]
    interrupted: bool
    timing: Timing


class ProofDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """What `ackproof prove --json` prints."""

    schema: Annotated[str, one_of(SCHEMA, description="the version of this format")]
    exit_code: Annotated[
        int,
        one_of(
            *(0, 1, 3, 4),
            description="0 all is proved, 1 an obligation is refuted, 3 something is not decided, "
            "or says nothing, 4 a run breaks what is proved",
        ),
    ]
    results: list[ProofResult]


def document(
    proofs: Iterable[Proof],
    counterexamples: Sequence[Sequence[InductionCounterexample]] = (),
) -> dict[str, Any]:
    """Return reports as the JSON document of a run.

    Args:
        proofs: the reports.
        counterexamples: for each of them what `cti_json` says of some of its obligations.
    """
    entries = list(proofs)
    found = list(counterexamples) or [()] * len(entries)
    made = ProofDocument(
        SCHEMA,
        worst([p.exit_code for p in entries]),
        [_result(p, c) for p, c in zip(entries, found, strict=True)],
    )
    plain: dict[str, Any] = msgspec.to_builtins(made)
    return plain


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a document."""
    return schema_of(ProofDocument, SCHEMA)


def _result(proof: Proof, counterexamples: Sequence[InductionCounterexample]) -> ProofResult:
    return ProofResult(
        model=proof.model,
        design=None if proof.design is None else ProvedDesign(proof.design, proof.claim),
        digest=proof.digest,
        sizes=proof.sizes,
        assumptions=[Assumed(name, doc) for name, doc in proof.assumptions],
        relies_on=[RELIES_ON[name] for name in proof.relies_on],
        abstractions=list(ABSTRACTIONS),
        properties=[_goal(proof, name) for name in proof.requested],
        lemmas=[_goal(proof, n) for n, goal in proof.goals.items() if goal.lemma],
        obligations=[_obligation(o) for o in proof.outcomes],
        vacuities=[Vacuous(v.kind, v.name, v.text) for v in proof.vacuities],
        counterexamples=list(counterexamples),
        searched=[
            SearchedInstance(s.instance, s.states, s.complete, s.why or None, s.outside or None)
            for s in proof.searched
        ],
        contradictions=[
            ContradictingRun(c.name, c.instance, list(c.run)) for c in proof.contradictions
        ],
        failing=[ContradictingRun(c.name, c.instance, list(c.run)) for c in proof.failing],
        interrupted=proof.interrupted,
        timing=Timing(round(proof.seconds, 3), proof.limit, proof.workers),
    )


def _goal(proof: Proof, name: str) -> GoalResult:
    goal, outcomes = proof.goals[name], proof.of(name)
    return GoalResult(
        name=name,
        kind=goal.kind,
        origin=goal.origin,
        doc=goal.doc,
        verdict=proof.verdict(name).value,
        by=list(goal.by),
        follows=goal.follows,
        fair=list(goal.fair),
        invariant=[n for n in proof.needs[name] if n != name and n in proof.goals],
        assumes=[n for n in proof.needs[name] if n not in proof.goals],
        restricted=list(proof.restricted(name)),
        obligations=len(outcomes),
        proved=sum(o.status == PROVED for o in outcomes),
        fails=[o.obligation.name for o in proof.failed(name)],
    )


def _obligation(outcome: Outcome) -> ObligationResult:
    obligation = outcome.obligation
    return ObligationResult(
        name=obligation.name,
        goal=obligation.goal,
        kind=obligation.kind,
        part=obligation.part or None,
        action=obligation.action or None,
        hypotheses=list(obligation.hypotheses),
        result=outcome.status,
        reason=outcome.reason or None,
        solver=outcome.solver,
        seconds=round(outcome.seconds, 3),
        work=round(outcome.work, 3),
    )


def cti_json(obligation: Obligation, found: Counterexample | None) -> InductionCounterexample:
    """Return what was found when a counterexample to induction was looked for."""
    if found is None:
        return InductionCounterexample(obligation.name, False)
    run = found.reached.trace
    return InductionCounterexample(
        obligation.name,
        True,
        sizes={sort.__name__: size for sort, size in found.bound.sizes.items()},
        step=[step.text for step in found.trace.steps],
        answer=found.reached.answer.value,
        states=found.reached.states,
        run=[step.text for step in run.steps] if run is not None else None,
    )
