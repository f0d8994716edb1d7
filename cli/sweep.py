"""`ackproof check --sweep`: a check on all instances that a model's declarations allow, by size."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import typer
from ackproof.cli.inputs import INCOMPLETE, InputError, choose
from ackproof.cli.sweep_runs import breaks, run_sweep
from ackproof.cli.targets import Target
from ackproof.lang.properties import BUILT_IN
from ackproof.model.sweep.looking import Fate
from ackproof.model.sweep.plan import Sweep

__all__ = ["Swept", "run_and_show", "sweep_exit_code"]


@dataclass(frozen=True)
class Swept:
    """What is asked of a sweep.

    Args:
        states: how many may be spent.
        instances: names of those to grow from; one, or none for the smallest there is.
        properties: names of those to check; all of them if it is None.
        go_on: whether a violation does not end it.
        fresh: whether all is searched anew.
    """

    states: int
    instances: Sequence[str]
    properties: Sequence[str] | None
    go_on: bool
    fresh: bool


def run_and_show(
    targets: Sequence[Target],
    asked: Swept,
    options: dict[str, Any],
    refused: Mapping[str, Any],
    *,
    as_json: bool,
    verbose: bool,
) -> int:
    """Sweep a model or a design, show what was found, and return the exit code.

    Raises:
        InputError: something else is asked for that does not go with a sweep.
    """
    for option, given in refused.items():
        if given:
            raise InputError(
                f"{option} is about one instance, and --sweep makes many\n"
                "  instead: leave out one of the two"
            )
    if len(targets) > 1:
        raise InputError(
            "--sweep spends its states on one design, and several are named\n"
            "  instead: name one; each has a sweep of its own"
        )
    target = targets[0]
    sweep = run_sweep(
        target,
        asked.states,
        options,
        start=_start(target, asked.instances),
        properties=_properties(target, asked.properties),
        go_on=asked.go_on,
        fresh=asked.fresh,
    )
    results = breaks(target, sweep, options, asked.properties)
    code = sweep_exit_code(sweep)
    if as_json:
        from ackproof.model.sweep.document import document

        name = target.name if target.design else None
        found = document(sweep, name, [r.report for r in results], code)
        typer.echo(json.dumps(found, indent=2))
    else:
        from ackproof.cli.page import console
        from ackproof.cli.sweep_page import show_sweep

        show_sweep(console(), target, sweep, results, verbose=verbose)
    return code


def sweep_exit_code(sweep: Sweep) -> int:
    """Return 1 if something breaks, 3 if it was interrupted or nothing was finished, else 0."""
    if sweep.of(Fate.BROKEN):
        return 1
    return INCOMPLETE if sweep.interrupted or not sweep.of(Fate.FINISHED) else 0


def _start(target: Target, names: Sequence[str]) -> Any:
    if not names:
        return None
    if len(names) > 1:
        raise InputError(
            "--sweep grows from one instance, and several are named\n"
            "  instead: name one with --instance, or none for the smallest there is"
        )
    name = choose("instance", names[0], [i.name for i in target.model.instances])
    return target.model.instance(name)


def _properties(target: Target, names: Sequence[str] | None) -> Sequence[str] | None:
    for name in names or []:
        choose("property", name, [*(p.name for p in target.model.claims), *BUILT_IN])
    return names
