"""`ackproof prove --infer`: lemmas that a search has found, as a module that the front end reads.

All of the standard output is that module, so that it can be kept in a file.  What became of the
properties stands above it, in comments.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import typer
from ackproof.cli.inputs import InputError
from ackproof.cli.targets import BASE, plainly
from ackproof.cli.ticker import Ticker

if TYPE_CHECKING:
    from ackproof.cli.targets import Target
    from ackproof.lang.lemmas import Library
    from ackproof.lang.model import Instance
    from ackproof.proofs.inference_result import InferenceResult

__all__ = ["infer_lemmas"]

_SCHEMA = "ackproof/inference/1"
_WIDTH = 100


def infer_lemmas(
    target: Target,
    library: Library,
    properties: Sequence[str],
    instances: Sequence[Instance],
    using: Sequence[str],
    variables: Sequence[str],
    limit: float,
    *,
    as_json: bool,
) -> int:
    """Look for lemmas and print them; return the exit code.

    Args:
        target: the model, and a design.
        library: the lemmas that are there.
        properties: what is to be proved.
        instances: where reachable states are looked for.
        using: the names of lemmas that are assumed.
        variables: the names of what new ones may speak of; empty for what matters.
        limit: seconds for all of it.
        as_json: whether to print a document.

    Raises:
        InputError: there is no such variable, or a property is of a kind that is not proved.
    """
    from ackproof.proofs.inference import infer

    label = target.label
    with Ticker(f"{label}  translating") as ticker:
        try:
            found = infer(
                target.model,
                properties,
                instances=instances,
                design=target.design,
                library=library,
                using=using,
                variables=variables,
                limit=limit,
                report=lambda what: ticker(f"{label}  {what}"),
            )
        except ValueError as error:
            raise InputError(str(error)) from None
    assumed = [n for n in using if n in _hypotheses_in(found)]
    # What is assumed of states was not shown, and so nothing is that was shown with it.
    code = 0 if found.proved and not set(assumed) - set(library.assumptions) else 3
    if as_json:
        document = _document(target, found, assumed, code)
        typer.echo(json.dumps(document, indent=2))
    else:
        for line in _said(target, library, found, assumed):
            typer.echo(_comment(line))
        typer.echo(_module(target, found, assumed) or "", nl=False)
    return code


def _module(target: Target, found: InferenceResult, assumed: Sequence[str]) -> str | None:
    """Return the module, so that it can be given to `ackproof prove` as it is.

    It has what it is about, and what the file of that has of what it assumes.  A file is imported
    by its own name, for its folder is on the path when one beside it runs.
    """
    if not found.proofs:
        return None
    module, place = target.module, BASE if target.module is None else target.module.__name__
    names = ["MODEL"] if module is None else [n for n in ("MODEL", "design") if n in vars(module)]
    names += [n for n in assumed if module is not None and n in vars(module)]
    first = "from ackproof.lang import lemma\n"
    about = f"from {place} import {', '.join(names)}  # noqa: F401\n"
    text = found.module().replace(first, first + about, 1)
    return plainly(text)


def _hypotheses_in(found: InferenceResult) -> set[str]:
    """Return the names of what something is proved with."""
    ways = [*(one.by for one in found.lemmas), *found.proofs.values()]
    return {name for by in ways for name in by}


def _said(
    target: Target, library: Library, found: InferenceResult, assumed: Sequence[str]
) -> Iterator[str]:
    model = target.model.name
    yield f"{model}, {target.name}" if target.design else model
    yield (
        f"{found.candidates:,} candidates, {found.possible:,} of them true of "
        f"{found.states:,} reachable states, {found.inductive:,} preserved by steps at small "
        f"sizes, in {found.seconds:.1f} s"
    )
    for name in assumed:
        kind = "about constants" if name in library.assumptions else "to be proved by itself"
        yield f"assumed   {name}: {kind}"
    if found.proofs:
        how = f"for all sizes, {_several(len(found.lemmas))}: {', '.join(found.proofs)}"
        unshown = [name for name in assumed if name not in library.assumptions]
        yield f"follows   {how}, if {', '.join(unshown)}" if unshown else f"proved    {how}"
    for name, why in found.missing.items():
        yield f"unknown   {name}: {why}"


def _several(lemmas: int) -> str:
    if not lemmas:
        return "without a new lemma"
    return "with a lemma that was found" if lemmas == 1 else f"with {lemmas} lemmas that were found"


def _comment(text: str) -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent="# ",
        subsequent_indent="#   ",
        break_on_hyphens=False,
        drop_whitespace=True,
    )


def _document(
    target: Target, found: InferenceResult, assumed: Sequence[str], code: int
) -> dict[str, Any]:
    return {
        "schema": _SCHEMA,
        "exit_code": code,
        "model": target.model.name,
        "design": target.name if target.design else None,
        "proofs": {name: list(by) for name, by in found.proofs.items()},
        "missing": dict(found.missing),
        "assumed": list(assumed),
        "lemmas": [
            {"name": one.name, "text": one.text, "by": list(one.by)} for one in found.lemmas
        ],
        "module": _module(target, found, assumed),
        "states": found.states,
        "candidates": found.candidates,
        "possible": found.possible,
        "inductive": found.inductive,
        "seconds": round(found.seconds, 3),
    }
