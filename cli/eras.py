"""`ackproof eras`: which property holds in which version of RabbitMQ."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from ackproof.cli.engines import local_engine
from ackproof.cli.inputs import InputError, clean_exit
from ackproof.cli.options import AsJson, EngineName, Memory, NoCache, Workers

if TYPE_CHECKING:
    from ackproof.lang.model import Instance
    from ackproof.model.era_table import EraTable
    from ackproof.model.eras import Era, Run, Surveyor
    from ackproof.model.museum import Judgement

__all__ = ["eras", "make_table"]

_HELP = """
Check every property in every era, and show which holds where.

An era is a design that stands for a version of RabbitMQ; `documented` is the base specification,
what a user may rely on. Each is searched on all instances that are made for it, some minutes in
all, unless that was done before. What is broken is shown with the fewest steps that it takes, and
with the instance.

Exit codes: 0 if the table is as the eras say that it is, 1 if it is not, 2 if the input is wrong, 3
if a search was incomplete.

Examples:

    ackproof eras                           all of them

    ackproof eras documented rabbitmq_3_9   these two

    ackproof eras my_design.py              one of your own
"""

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME",
        help="Eras to check, designs of the museum, or files; all eras if there is none.",
        show_default=False,
    ),
]

#: Seconds between two lines on standard error where that is no terminal.
_PAUSE = 5.0


@clean_exit
def eras(
    names: Names = None,
    engine: EngineName = "kernel",
    workers: Workers = None,
    memory: Memory = None,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> int:
    """Make the table; the text of the help is in `_HELP`."""
    from ackproof.cli.jobs import cache_for, memory_limit, worker_count
    from ackproof.model.eras import Surveyor

    surveyor = Surveyor(
        engine=local_engine(engine),
        workers=worker_count(workers),
        memory=memory_limit(memory),
        cache=cache_for(no_cache),
    )
    table = make_table(_columns(names or []), surveyor)
    if as_json:
        typer.echo(json.dumps(table.document(), indent=2))
    else:
        from ackproof.cli.era_page import show_eras
        from ackproof.cli.page import console

        show_eras(console(), table)
    return table.exit_code


eras.__doc__ = _HELP


def _columns(names: Sequence[str]) -> tuple[Era, ...]:
    """Return the eras that are named, or all of them.

    Raises:
        InputError: there is no such era, design or file, or it cannot be used, or there are none.
    """
    from ackproof.cli.targets import base_target, load
    from ackproof.model.eras import DOCUMENTED, Era, era_names

    known = era_names(base_target().model)
    if not names and not known:
        raise InputError(
            "there are no eras; give designs of the museum, or files: ackproof eras my_design.py"
        )
    found: dict[str, Era] = {}
    for name in names or [DOCUMENTED, *known]:
        target = base_target() if name == DOCUMENTED else load(name)
        label = target.name or DOCUMENTED
        era = found.setdefault(label, Era(label, target.model, target.design))
        _check_expectations(era)
    return tuple(found.values())


def _check_expectations(era: Era) -> None:
    """Refuse an expectation of what is not there, before the first search."""
    from ackproof.lang.errors import BindError
    from ackproof.model.museum import expected_instance

    try:
        for expectation in era.design.expect if era.design else ():
            expected_instance(era.model, expectation)
    except BindError as error:
        raise InputError(f"{era.name}: {error}") from None


def make_table(columns: Sequence[Era], surveyor: Surveyor) -> EraTable:
    """Search every era on every instance, and judge what they expect.

    An interruption ends the searches; what was found until then is in the table.
    """
    from ackproof.model.era_table import EraTable
    from ackproof.model.outcome import Limit

    runs: list[Run] = []
    judgements: dict[str, Sequence[Judgement]] = {}
    pairs = [(era, i) for era in columns for i in era.instances]
    for run in _runs(pairs, surveyor):
        runs.append(run)
        if run.report.outcome.limit is Limit.INTERRUPTED:
            break
    else:
        judgements = {era.name: surveyor.judge(era, runs) for era in columns}
    return EraTable(tuple(columns), tuple(runs), judgements)


def _runs(pairs: Sequence[tuple[Era, Instance]], surveyor: Surveyor) -> Iterator[Run]:
    """Yield the run of each pair, telling on standard error how far it is."""
    from ackproof.cli.progress import Watch

    last = time.monotonic()
    for number, (era, instance) in enumerate(pairs, start=1):
        label = f"{number} of {len(pairs)}  {era.name} on {instance.name}"
        if not sys.stderr.isatty() and time.monotonic() - last >= _PAUSE:
            last = time.monotonic()
            print(label, file=sys.stderr, flush=True)
        with Watch(label, None if era.design else instance.states) as watch:
            yield surveyor.run(era, instance, watch)
