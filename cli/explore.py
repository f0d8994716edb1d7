"""`ackproof explore`: step through a system, choosing among what is possible, back and forth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from ackproof.cli.inputs import InputError, clean_exit
from ackproof.cli.options import OneDesign, OneInstance

if TYPE_CHECKING:
    from ackproof.cli.jobs import Job

__all__ = ["explore"]

_HELP = """
Step through a specification in the terminal.

It begins in the initial state (of several in the first, and `begin` shows the others), and shows
the steps that are possible there, with numbers. Write a
number, or the beginning of a step's text, to take it: what it changes is shown as in a
counterexample, and what it breaks is said. `back` and `forth` go along the run, `trace` shows all
of it, `state` shows what is where, `random 10` takes ten steps at random, and `help` says the
rest.

With `--to`, it begins at the end of the shortest run that breaks a property: go back from there,
and see what else could have happened.

What is written can come from a file or a pipe, line by line; a line that cannot be done then ends
it. A line that begins with `#` is a remark.

Exit codes: 0 at the end, 2 if the input is wrong.

Examples:

    ackproof explore -i tiny

    ackproof explore my_design.py --to ConfirmedSurvives -i power

    ackproof explore -i tiny < steps.txt
"""

To = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="PROPERTY",
        help="Begin at the end of the shortest run that breaks this property.",
        show_default=False,
    ),
]


@clean_exit
def explore(design: OneDesign = None, instance: OneInstance = None, to: To = None) -> int:
    """Step through a system; the text of the help is in `_HELP`."""
    from ackproof.cli.exploring import Session, talk
    from ackproof.cli.jobs import cache_for, plan
    from ackproof.cli.targets import base_target, load
    from ackproof.model.check import chosen
    from ackproof.model.exploring import Exploration
    from ackproof.model.limits import refuse_large_sorts, refuse_too_many_choices
    from ackproof.model.plain import PlainMachine

    target = load(design) if design else base_target()
    job = plan([target], [instance] if instance else [], [to] if to else [])[0]
    refuse_large_sorts(job.instance)
    bound = chosen(target.model, job.instance, target.design, cache=cache_for(no_cache=False))
    refuse_too_many_choices(bound)
    start, path = _path_to(job, to) if to else (0, ())
    with PlainMachine(bound) as machine:
        exploration = Exploration(machine, start)
        for number in path:
            exploration.take_number(number)
        talk(Session(exploration, job))
    return 0


explore.__doc__ = _HELP


def _path_to(job: Job, name: str) -> tuple[int, tuple[int, ...]]:
    """Return the shortest run that breaks a property, by searching for it.

    It is the number of the initial state, and those of the steps.

    Raises:
        InputError: there is none.
    """
    from ackproof.cli.jobs import cache_for
    from ackproof.cli.progress import Watch
    from ackproof.lang.properties import stated_by
    from ackproof.model.check import check

    target = job.target
    with Watch(job.label, None) as watch:
        report = check(
            target.model,
            job.instance,
            target.design,
            properties=[name],
            progress=watch,
            cache=cache_for(no_cache=False),
        )
    violations, starts = report.outcome.violations, report.outcome.starts
    found = [(starts.get(n, 0), p) for n, p in violations.items() if stated_by(n) == name]
    if not found:
        raise InputError(
            f"nothing breaks {name} on {job.instance.name}, as far as was searched\n"
            "  instead: leave out --to, or name another instance"
        )
    return min(found, key=lambda run: len(run[1]))
