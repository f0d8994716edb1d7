"""Certificates: a proof written to files, for other programs to check.

A certificate is a folder.  `manifest.json` says what was proved, of which specification, by which
rule and with which obligations; `invariant.txt` has what was proved together, as text; and each
obligation is a file in the language of SMT-LIB 2 that a solver must find to have no model.  Any
solver can check these files, and `recheck.py` asks two; it has nothing in common with what wrote
them.

A file that has no model shows something of a specification only if it is the obligation that its
name says, and if none is missing.  An obligation reads the same each time it is written
(`ackproof.proofs.smt.script`), so a manifest can be made anew from the specification, and must be
the same, hashes included: `differences` tells where a certificate is not of its specification.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ackproof.lang.properties import Property
from ackproof.proofs.attempt import Attempt
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.ranking import BY_STEP
from ackproof.proofs.report import RELIES_ON, Goal
from ackproof.proofs.smt.script import script
from ackproof.proofs.smt.unbounded import Untranslatable

__all__ = [
    "INVARIANT",
    "MANIFEST",
    "OBLIGATIONS",
    "SCHEMA",
    "clear",
    "differences",
    "manifest_of",
    "write",
]

SCHEMA = "ackproof/certificate/3"
MANIFEST = "manifest.json"
INVARIANT = "invariant.txt"
OBLIGATIONS = "obligations"


def write(
    folder: Path,
    attempt: Attempt,
    properties: Sequence[Property],
    report: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Write the certificate of a proof; return its manifest.

    Args:
        folder: where to; it is made if it is not there.
        attempt: what was proved; an obligation that is not proved is written all the same.
        properties: properties and lemmas, for their text.
        report: is called with the name of each obligation.

    Raises:
        OSError: it cannot be written.
    """
    clear(folder)
    (folder / OBLIGATIONS).mkdir(parents=True, exist_ok=True)

    def put(name: str, text: str) -> None:
        (folder / name).write_text(text, encoding="utf-8")

    manifest = manifest_of(attempt, properties, put, report)
    put(MANIFEST, json.dumps(manifest, indent=2) + "\n")
    return manifest


def manifest_of(
    attempt: Attempt,
    properties: Sequence[Property],
    put: Callable[[str, str], None] = lambda name, text: None,
    report: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Return the manifest of a certificate, all that it says being made from the specification.

    Args:
        attempt: what was proved.
        properties: properties and lemmas, for their text.
        put: is called with the name and the text of each file but the manifest.
        report: is called with the name of each obligation.
    """
    texts = {p.name: source_of(p) for p in properties}
    goals = attempt.goals().values()
    invariant = _invariant(attempt, texts)
    put(INVARIANT, invariant)
    listed = []
    for number, obligation in enumerate(attempt.todo, start=1):
        report(obligation.name)
        listed.append(_obligation(number, obligation, attempt.obligations, put))
    return {
        "schema": SCHEMA,
        "model": attempt.obligations.program.name,
        "design": attempt.name,
        "digest": attempt.digest(),
        "proved": list(attempt.requested),
        "actions": list(attempt.obligations.actions),
        "faults": [n for n, a in attempt.obligations.actions.items() if a.kind == "fault"],
        "assumptions": [{"name": n, "text": texts.get(n, "")} for n, _ in attempt.assumptions()],
        "relies_on": [RELIES_ON[name] for name in attempt.relies_on()],
        "invariant": {"file": INVARIANT, "sha256": _hash(invariant)},
        "goals": [_goal(goal, attempt, texts) for goal in goals],
        "obligations": listed,
    }


def differences(kept: Mapping[str, Any], made: Mapping[str, Any]) -> Iterator[str]:
    """Yield where a manifest is not the one that was made from the specification.

    Args:
        kept: the manifest of a certificate.
        made: the manifest that it should be.
    """
    for key in dict.fromkeys((*made, *kept)):
        if key == "obligations":
            yield from _other_obligations(list(kept.get(key, ())), list(made[key]))
        elif kept.get(key) != made.get(key):
            yield f"what it says under {key!r} is not so"


def _other_obligations(kept: Sequence[Any], made: Sequence[Any]) -> Iterator[str]:
    for one, own in itertools.zip_longest(kept, made):
        if one == own:
            continue
        if own is None:
            yield f"it has {len(kept) - len(made)} files more than there are obligations"
            return
        if one is None:
            yield f"it has no file for {own['name']}, nor for what comes after that"
            return
        yield f"file {own['file']} is not {own['name']}, as the specification has it"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def clear(folder: Path) -> None:
    """Remove the files of a certificate from a folder, and nothing else.

    Raises:
        OSError: they cannot be removed.
    """
    manifest = folder / MANIFEST
    try:
        known = json.loads(manifest.read_text(encoding="utf-8"))
        files = [str(o["file"]) for o in known["obligations"]]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return
    for name in files:
        file = (folder / name).resolve()
        if file.is_relative_to(folder.resolve()):
            file.unlink(missing_ok=True)
    manifest.unlink()


def source_of(prop: Property) -> str:
    """Return the text of a property, as it stands in its file."""
    try:
        return textwrap.dedent(inspect.getsource(prop.function))
    except (OSError, TypeError):
        return f"{prop.name}: its text is not there\n"


def _invariant(attempt: Attempt, texts: dict[str, str]) -> str:
    parts = [f"What is proved together of {attempt.name or attempt.obligations.program.name}.\n"]
    for name, doc in attempt.assumptions():
        parts.append(f"# assumed: {' '.join(doc.split())}\n{texts.get(name, '')}")
    for goal in attempt.goals().values():
        how = "follows from" if goal.follows else "proved with"
        by = ", ".join(goal.by) or "nothing else"
        parts.append(f"# {goal.origin}; {how}: {by}\n{texts.get(goal.name, '')}")
    return "\n\n".join(part.rstrip("\n") + "\n" for part in parts)


_RULES = {"invariant": "induction", "step": "steps", "eventually": "ranking"}


def _goal(goal: Goal, attempt: Attempt, texts: dict[str, str]) -> dict[str, Any]:
    own = {o.action for o in attempt.obligations.of_one(goal.name)}
    rule = _RULES[goal.kind]
    if goal.follows:
        rule = "occasion" if goal.kind == "eventually" else "consequence"
    by_step = rule in ("induction", "steps")
    untouched = [a for a in attempt.obligations.actions if by_step and a not in own]
    prop = attempt.obligations.properties[goal.name]
    return {
        "name": goal.name,
        "origin": goal.origin,
        "rule": rule,
        "event": None if prop.event is None else repr(prop.event.type),
        "of": list(prop.of),
        "by": list(goal.by),
        "untouched": untouched,
        "parts": list(_parts(goal.name, attempt, texts)),
        "text": texts.get(goal.name, ""),
    }


def _parts(name: str, attempt: Attempt, texts: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield what the ranking of a property consists of."""
    obligations = attempt.obligations
    own = {(o.part, o.action) for o in obligations.of_one(name) if o.kind in BY_STEP}
    for kind, part, awaited in obligations.rule.made_of(name):
        steps = (a for a, action in obligations.actions.items() if action.kind != "fault")
        yield {
            "name": part.name,
            "kind": kind,
            "action": awaited or None,
            "untouched": [a for a in steps if (part.name, a) not in own],
            "text": texts.get(part.name, ""),
        }


def _obligation(
    number: int,
    obligation: Obligation,
    obligations: Obligations,
    put: Callable[[str, str], None],
) -> dict[str, Any]:
    try:
        text = script(obligations.formulas(obligation))
    except Untranslatable as missing:
        # A file that says nothing can be satisfied, and so is found not to be shown.
        text = f"; {missing}\n(set-logic ALL)\n(check-sat)\n"
    name = re.sub(r"[^\w]+", "-", obligation.name)
    file = f"{OBLIGATIONS}/{number:04d}-{name}.smt2"
    said = f"; {obligation.name}: {obligation.kind}\n{text}"
    put(file, said)
    return {
        "name": obligation.name,
        "goal": obligation.goal,
        "kind": obligation.kind,
        "action": obligation.action or None,
        "event": obligation.event,
        "part": obligation.part or None,
        "case": obligation.case,
        "hypotheses": list(obligation.hypotheses),
        "file": file,
        "sha256": _hash(said),
        "expected": "unsat",
    }
