"""The page of a proof: what is proved, for which sizes, under which assumptions, and what is not.

First what holds for the whole proof, then a line for each property with what it is proved with, the
lemmas, what is not proved, and the verdict at the end.  Where properties were named, each of their
obligations has a line, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import typer
from ackproof.cli.page import STYLES, Page
from ackproof.proofs.discharge import Outcome
from ackproof.proofs.ranking import KINDS, meaning
from ackproof.proofs.report import (
    ABSTRACTIONS,
    RELIES_ON,
    Contradiction,
    Goal,
    Proof,
    ProofVerdict,
)
from ackproof.proofs.solving import PROVED

if TYPE_CHECKING:
    from ackproof.proofs.attempt import Attempt
    from ackproof.proofs.cti import Counterexample
    from ackproof.proofs.obligation import Obligation
    from rich.console import Console

__all__ = ["show_list", "show_proof"]

_STYLE = {
    ProofVerdict.PROVED: "bold green",
    ProofVerdict.RESTRICTED: "bold green",
    ProofVerdict.REFUTED: "bold red",
    ProofVerdict.UNKNOWN: "bold yellow",
    ProofVerdict.VACUOUS: "bold yellow",
    ProofVerdict.CONTRADICTED: "bold red",
}


def show_proof(
    out: Console,
    proof: Proof,
    counterexamples: Sequence[tuple[Obligation, Counterexample | None]],
    *,
    detailed: bool,
) -> None:
    """Write what was proved.

    Args:
        out: where to.
        proof: the result.
        counterexamples: what was found for obligations that are not proved.
        detailed: whether each obligation of the properties gets a line.
    """
    page = Page(out)
    _title(page, proof)
    _assumptions(page, proof)
    _properties(page, proof, detailed=detailed)
    _lemmas(page, proof)
    _vacuities(page, proof)
    for one in proof.contradictions:
        _contradiction(page, one)
    for one in proof.failing:
        _failing(page, one)
    _unproved(page, proof)
    for obligation, found in counterexamples:
        _counterexample(page, obligation, found)
    _verdict(page, proof)


def _title(page: Page, proof: Proof) -> None:
    named = f"{proof.model}, {proof.design}" if proof.design else proof.model
    page.line((named, STYLES["title"]))
    if proof.claim:
        page.wrapped(f"claim: {proof.claim}", "  ")
    page.line()


def _assumptions(page: Page, proof: Proof) -> None:
    page.hanging(f"  {'sizes':<12}", proof.sizes)
    for name, doc in proof.assumptions:
        page.hanging(f"  {'assumed':<12}", f"{name}: {' '.join(doc.split())}")
    if proof.constraints:
        names = ", ".join(proof.constraints)
        page.hanging(f"  {'not assumed':<12}", f"{names}: what is proved holds beyond it, too")
    for name in proof.relies_on:
        page.hanging(f"  {'relies on':<12}", RELIES_ON[name])
    for text in ABSTRACTIONS:
        page.hanging(f"  {'abstracted':<12}", text)
    if proof.searched:
        page.hanging(f"  {'held against':<12}  ", _searched(proof))
    for one in proof.searched:
        if one.outside:
            said = f"on {one.instance} {one.outside}; what comes then was not searched"
            page.hanging(f"  {'not searched':<12}  ", said)
    page.line()


def _searched(proof: Proof) -> str:
    """Return what was searched: some instances whole, and others as far as it takes."""
    several = f"{sum(one.states for one in proof.searched):,} states"
    whole = ", ".join(one.instance for one in proof.searched if one.complete)
    begun = ", ".join(one.instance for one in proof.searched if not one.complete and not one.why)
    said = [f"all of {whole}"] if whole else []
    said += [f"the first of {begun}"] if begun else []
    if not said:
        return f"nothing: {_not_searched(proof)}"
    missing = f"; not {_not_searched(proof)}" if _not_searched(proof) else ""
    return f"{several} that the checker sees, {' and '.join(said)}{missing}"


def _not_searched(proof: Proof) -> str:
    """Return which instances were not searched, and why."""
    missing = [one for one in proof.searched if one.why]
    return "; ".join(f"{one.instance} ({one.why.splitlines()[0]})" for one in missing)


def _properties(page: Page, proof: Proof, *, detailed: bool) -> None:
    wide = max(len(name) for name in proof.goals)
    page.line(("  properties", STYLES["head"]))
    for name in proof.requested:
        _row(page, proof, name, wide)
        goal = proof.goals[name]
        if goal.by:
            page.hanging("      ", f"{_how(goal.follows)} {', '.join(goal.by)}", STYLES["head"])
        if goal.fair:
            page.hanging("      ", f"{_fairly(goal)}, once no more faults happen", STYLES["head"])
        failed = [o.obligation.name for o in proof.failed(name)]
        if failed:
            page.hanging("      ", f"fails at {', '.join(failed)}", STYLES["wrong"])
        if detailed:
            for outcome in proof.by_goal[name]:
                page.line(f"      {_outcome(outcome)}")
    page.line()


def _row(page: Page, proof: Proof, name: str, wide: int, note: str = "") -> None:
    verdict, outcomes = proof.verdict(name), proof.by_goal[name]
    counts = _counted(outcomes)
    seconds = sum(o.seconds for o in outcomes)
    page.line(
        f"    {name:<{wide}}  ",
        (f"{verdict.value:<10}", _STYLE[verdict]),
        f"{note}  {counts}  {seconds:.1f} s",
    )


def _counted(outcomes: Sequence[Outcome]) -> str:
    """Return how many obligations there are of each kind: `1 initiation, 12 consecution`."""
    kinds: dict[str, int] = {}
    for outcome in outcomes:
        kinds[outcome.obligation.kind] = kinds.get(outcome.obligation.kind, 0) + 1
    return ", ".join(f"{n} {kind}" for kind, n in kinds.items()) or "no step is about it"


def _how(follows: bool) -> str:
    return "follows from" if follows else "with"


def _outcome(outcome: Outcome) -> str:
    reason = f"  {outcome.reason}" if outcome.reason else ""
    by = f" by {outcome.solver}" if outcome.solver != "z3" else ""
    said = f"{outcome.status:<8} {outcome.seconds:>6.2f} s{by}{reason}"
    return f"{outcome.obligation.kind:<12} {_short(outcome):<28} {said}"


def _short(outcome: Outcome) -> str:
    return outcome.obligation.name.partition("/")[2]


def _lemmas(page: Page, proof: Proof) -> None:
    lemmas = [name for name in proof.goals if name not in proof.requested]
    if not lemmas:
        return
    wide = max(len(name) for name in proof.goals)
    page.line(("  proved with them", STYLES["head"]))
    for name in lemmas:
        _row(page, proof, name, wide, f"  {proof.goals[name].origin:<8}")
    page.line()


def _vacuities(page: Page, proof: Proof) -> None:
    for found in proof.vacuities:
        page.hanging("  ✗ ", found.text, STYLES["wrong"])
    if proof.vacuities:
        page.line()


def _contradiction(page: Page, found: Contradiction) -> None:
    page.hanging(
        "  ✗ ",
        f"{found.name} is proved, and on {found.instance} the checker finds a run that breaks it, "
        "which plain Python confirms: the prover is wrong",
        STYLES["wrong"],
    )
    _run(page, found)
    page.wrapped(
        "Nothing is known to be proved here.  Please report it, with the specification and this "
        f"page; see the run: ackproof check --property {found.name} --instance {found.instance}",
        "    ",
    )
    page.line()


def _failing(page: Page, found: Contradiction) -> None:
    page.hanging(
        "  ✗ ",
        f"what is proved relies on it that {RELIES_ON[found.name]}, and on {found.instance} one "
        "fails: nothing is known of what comes after it",
        STYLES["wrong"],
    )
    _run(page, found)
    page.line()


def _run(page: Page, found: Contradiction) -> None:
    for number, step in enumerate(found.run, 1):
        page.line(f"    {number:>3}  {step}")


def _unproved(page: Page, proof: Proof) -> None:
    looked = [o for o in proof.unproved if not (proof.interrupted and o.seconds == 0)]
    if not looked:
        return
    page.line(("  not proved", STYLES["wrong"]))
    wide = max(len(o.obligation.name) for o in looked)
    for outcome in looked:
        page.line(f"    {outcome.obligation.name:<{wide}}  {_said(outcome)}")
        if outcome.obligation.kind in KINDS:
            page.wrapped(meaning(outcome.obligation), "      ")
    if proof.integers:
        page.wrapped(
            "In a proof an integer may be any, also outside of the range of its type: what is "
            f"known of {', '.join(proof.integers)} has to be said in lemmas.",
            "    ",
        )
    page.line()


def _said(outcome: Outcome) -> str:
    reason = f": {outcome.reason}" if outcome.reason else ""
    return f"{outcome.status} after {outcome.seconds:.1f} s{reason}"


def _counterexample(page: Page, obligation: Obligation, found: Counterexample | None) -> None:
    if found is None:
        page.wrapped(
            f"{obligation.name}: no counterexample to induction was found in small sizes", "  "
        )
    else:
        from ackproof.proofs.cti_text import show

        for line in show(found, page.out.width).splitlines():
            page.line(f"  {line}".rstrip())
    page.line()


def _verdict(page: Page, proof: Proof) -> None:
    done = sum(o.status == PROVED for o in proof.outcomes)
    kept = sum(o.kept for o in proof.outcomes)
    earlier = f" ({kept} of them in an earlier run)" if kept else ""
    page.line(
        f"{done} of {len(proof.outcomes)} obligations are proved{earlier}, "
        f"in {proof.seconds:.1f} s with {proof.workers} "
        f"{'worker' if proof.workers == 1 else 'workers'}, each of which had {proof.limit:g} s"
    )
    for verdict in ProofVerdict:
        names = [name for name in proof.requested if proof.verdict(name) is verdict]
        if names:
            said = f"{verdict.meaning}: {', '.join(_with_restriction(proof, n) for n in names)}"
            page.hanging(f"{verdict.value:<10}  ", said, "" if verdict.exit_code == 0 else "bold")
    if proof.interrupted:
        page.line(("interrupted", "bold yellow"), "  what was not decided by then is unknown")


def _with_restriction(proof: Proof, name: str) -> str:
    goal = proof.goals[name]
    said = [*proof.restricted(name), *([_fairly(goal)] if goal.fair else [])]
    return f"{name} ({', '.join(said)})" if said else name


def _fairly(goal: Goal) -> str:
    return f"under weak fairness of {', '.join(goal.fair)}"


# -- the list -----------------------------------------------------------------------------------


def show_list(attempt: Attempt, *, as_json: bool) -> int:
    """Write what is proved with what; return the exit code."""
    goals = attempt.goals()
    if as_json:
        listed = [
            {
                "name": c.name,
                "kind": c.kind,
                "origin": c.origin,
                "doc": c.doc,
                "by": list(c.by),
                "follows": c.follows,
            }
            for c in goals.values()
        ]
        typer.echo(json.dumps({"schema": "ackproof/lemmas/1", "goals": listed}, indent=2))
        return 0
    from ackproof.cli.page import console

    page = Page(console())
    for heading, rows in _listed(attempt):
        page.line((heading, STYLES["head"]))
        for name, note, doc in rows:
            page.line("  ", (name, STYLES["title"]), f"  {note}" if note else "")
            page.wrapped(doc, "      ")
        page.line()
    return 0


def _listed(attempt: Attempt) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    goals = attempt.goals().values()
    assumed = [(name, "", _first(doc)) for name, doc in attempt.assumptions()]
    for heading, rows in (
        ("properties", [(c.name, "", c) for c in goals if not c.lemma]),
        ("lemmas", [(c.name, c.origin, c) for c in goals if c.lemma]),
    ):
        if rows:
            yield (
                heading,
                [(name, note, f"{_first(c.doc)} {_by(c.follows, c.by)}") for name, note, c in rows],
            )
    if assumed:
        yield "assumed of the constants", assumed


def _by(follows: bool, by: Sequence[str]) -> str:
    return f"[{_how(follows)} {', '.join(by)}]" if by else "[by itself]"


def _first(doc: str) -> str:
    return " ".join(doc.strip().partition("\n\n")[0].split())
