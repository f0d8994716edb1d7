"""`ackproof simulate`: random walks through what no search can finish."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Annotated, Any

import typer
from ackproof.cli.inputs import InputError, clean_exit
from ackproof.cli.options import AsJson, OneDesign, OneInstance, Properties, Verbose
from ackproof.lang.properties import OF_RUNS

if TYPE_CHECKING:
    from ackproof.cli.jobs import Job
    from ackproof.model.walks import Walked

__all__ = ["simulate"]

#: Seeds are short enough to be typed.
_SEEDS = 10**6

_HELP = """
Walk through a specification at random, and check its properties on each step.

For what is too large for `ackproof check`. A walk begins in the initial state and takes steps that
are drawn, until nothing changes any more or it is as long as `--steps` says. Properties are checked
in each state that a walk comes to, and on each step that is possible there, whether it is taken or
not. The first that is false ends the walks; its run is made shorter, until no step of it can be
left out, and is shown. What comes up nowhere in the walks was not looked at: actions and situations
that were not met are counted, and `--verbose` names them. Properties of runs are not judged, for a
walk ends.

What is drawn comes from a seed: with the same one, the same walks are walked again.

Exit codes: 1 if a property is violated, 2 if the input is wrong, 3 if nothing false was met; that
is never all there is, so it is never 0.

Examples:

    ackproof simulate -i everything             the base, with every part switched on

    ackproof simulate my_design.py --seed 7     your own change to it, the same walks each time

    ackproof simulate my_design.py -i deep --walks 1000000 --steps 200
"""

Walks = Annotated[int, typer.Option(min=1, metavar="N", help="How many walks there are.")]
Steps = Annotated[
    int, typer.Option(min=1, max=10_000, metavar="N", help="How many steps a walk has at most.")
]
Seed = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        help="What is drawn comes from it; another one each time, if not given.",
        show_default=False,
    ),
]


@clean_exit
def simulate(
    design: OneDesign = None,
    instance: OneInstance = None,
    properties: Properties = None,
    walks: Walks = 100_000,
    steps: Steps = 100,
    seed: Seed = None,
    verbose: Verbose = False,
    as_json: AsJson = False,
) -> int:
    """Walk at random; the text of the help is in `_HELP`."""
    from ackproof.cli.jobs import cache_for, plan
    from ackproof.cli.targets import base_target, load
    from ackproof.cli.ticker import Ticker
    from ackproof.model.simulation import simulate as walk_through

    target = load(design) if design else base_target()
    job = plan([target], [instance] if instance else [], properties or [])[0]
    _refuse_unjudged(job, properties or [])
    with Ticker(f"{job.label}  compiling") as tell:
        found = walk_through(
            target.model,
            job.instance,
            target.design,
            name=target.name,
            properties=properties,
            seed=random.randrange(_SEEDS) if seed is None else seed,
            walks=walks,
            length=steps,
            progress=lambda walked: tell(_progress(job, walked, walks)),
            cache=cache_for(no_cache=False),
        )
    if as_json:
        from ackproof.model.simulation_document import document

        typer.echo(json.dumps(document(found), indent=2))
    else:
        from ackproof.cli.page import console
        from ackproof.cli.simulation_page import show_simulation

        show_simulation(console(), job, found, verbose=verbose)
    return found.exit_code


simulate.__doc__ = _HELP


def _progress(job: Job, walked: Walked, walks: int) -> str:
    return f"{job.label}  {walked.walks:,} of {walks:,} walks  {walked.steps:,} steps"


def _refuse_unjudged(job: Job, properties: list[str]) -> None:
    kinds: dict[str, Any] = {p.name: p.kind for p in job.target.model.properties}
    for name in properties:
        if kinds.get(name) in OF_RUNS:
            raise InputError(
                f"{name} is a property of runs that go on for ever, and a walk ends\n"
                f"  instead: search all states: ackproof check --property {name}"
            )
