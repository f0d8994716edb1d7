"""Certificates: a proof written down, for others to check.

A certificate is a folder.  `manifest.json` says what was proved, of which specification, by which
rule and with which obligations; `invariant.txt` has what was proved together, as text; and each
obligation is a file in the language of SMT-LIB 2 that a solver must find to have no model.  Any
solver can check these files, and `recheck.py` asks two; it has nothing in common with what wrote
them.

An obligation reads the same each time it is written (`ackproof.proofs.smt.script`).
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ackproof.proofs.obligations import Obligation, Obligations
from ackproof.proofs.prove import Attempt
from ackproof.proofs.report import TAKEN, Claim, Proof
from ackproof.proofs.smt.domain import Untranslatable
from ackproof.proofs.smt.script import script
from ackproof.spec.lang.properties import Property

__all__ = ["INVARIANT", "MANIFEST", "OBLIGATIONS", "SCHEMA", "clear", "write"]

SCHEMA = "ackproof/certificate/1"
MANIFEST = "manifest.json"
INVARIANT = "invariant.txt"
OBLIGATIONS = "obligations"


def write(
    folder: Path,
    attempt: Attempt,
    proof: Proof,
    properties: Sequence[Property],
    told: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Write the certificate of a proof; return its manifest.

    Args:
        folder: where to; it is made if it is not there.
        attempt: what was proved.
        proof: what became of it; an obligation that is not proved is written all the same.
        properties: properties and lemmas, for their text.
        told: is called with the name of each obligation.

    Raises:
        OSError: it cannot be written.
    """
    clear(folder)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {p.name: source_of(p) for p in properties}
    (folder / INVARIANT).write_text(_invariant(proof, texts), encoding="utf-8")
    listed = []
    for number, obligation in enumerate(attempt.todo, start=1):
        told(obligation.name)
        listed.append(_obligation(folder, number, obligation, attempt.obligations))
    manifest = {
        "schema": SCHEMA,
        "model": proof.model,
        "design": proof.design,
        "digest": proof.digest,
        "proved": list(proof.asked),
        "actions": list(attempt.obligations.actions),
        "supposed": [{"name": n, "text": texts.get(n, "")} for n, _ in proof.supposed],
        "taken": list(TAKEN),
        "claims": [_claim(c, attempt, texts) for c in proof.claims.values()],
        "obligations": listed,
    }
    text = json.dumps(manifest, indent=2) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")
    return manifest


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


def _invariant(proof: Proof, texts: dict[str, str]) -> str:
    parts = [f"What is proved together of {proof.design or proof.model}.\n"]
    for name, doc in proof.supposed:
        parts.append(f"# supposed: {' '.join(doc.split())}\n{texts.get(name, '')}")
    for claim in proof.claims.values():
        how = "follows from" if claim.follows else "proved with"
        by = ", ".join(claim.by) or "nothing else"
        parts.append(f"# {claim.origin}; {how}: {by}\n{texts.get(claim.name, '')}")
    return "\n\n".join(part.rstrip("\n") + "\n" for part in parts)


def _claim(claim: Claim, attempt: Attempt, texts: dict[str, str]) -> dict[str, Any]:
    own = {o.action for o in attempt.obligations.of_one(claim.name)}
    rule = "consequence" if claim.follows else "steps" if claim.kind == "step" else "induction"
    untouched = [] if claim.follows else [a for a in attempt.obligations.actions if a not in own]
    return {
        "name": claim.name,
        "origin": claim.origin,
        "rule": rule,
        "by": list(claim.by),
        "untouched": untouched,
        "text": texts.get(claim.name, ""),
    }


def _obligation(
    folder: Path, number: int, obligation: Obligation, obligations: Obligations
) -> dict[str, Any]:
    try:
        text = script(obligations.formulas(obligation))
    except Untranslatable as missing:
        # A file that says nothing can be satisfied, and so is found not to be shown.
        text = f"; {missing}\n(set-logic ALL)\n(check-sat)\n"
    name = re.sub(r"[^\w]+", "-", obligation.name)
    file = Path(OBLIGATIONS) / f"{number:04d}-{name}.smt2"
    (folder / file).parent.mkdir(exist_ok=True)
    said = f"; {obligation.name}: {obligation.kind}\n{text}"
    (folder / file).write_text(said, encoding="utf-8")
    return {
        "name": obligation.name,
        "goal": obligation.goal,
        "kind": obligation.kind,
        "action": obligation.action or None,
        "event": obligation.event,
        "hypotheses": list(obligation.hypotheses),
        "file": file.as_posix(),
        "sha256": hashlib.sha256(said.encode()).hexdigest(),
        "expected": "unsat",
    }
