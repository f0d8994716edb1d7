"""`ackproof eras`: which property holds in which version of RabbitMQ."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from ackproof.cli.engines import Asked
from ackproof.cli.inputs import InputError, clean_exit
from ackproof.cli.options import AsJson, FarmEngine, Master, Memory, NoCache, Workers

if TYPE_CHECKING:
    from ackproof.cli.targets import Target
    from ackproof.model.era_table import EraTable
    from ackproof.model.eras import Era, Run, Surveyor

__all__ = ["eras"]

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

    ackproof eras --engine spark --master spark://HOST:7077
"""

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME",
        help="Eras to check, designs of the museum, or files; all eras if there is none.",
        show_default=False,
    ),
]


@clean_exit
def eras(
    names: Names = None,
    engine: FarmEngine = "kernel",
    workers: Workers = None,
    memory: Memory = None,
    master: Master = None,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> int:
    """Make the table; the text of the help is in `_HELP`."""
    from ackproof.cli.jobs import cache_for, memory_limit, worker_count
    from ackproof.model.eras import Surveyor

    asked = Asked(engine, worker_count(workers), master)
    asked.check_options(farm=True)
    limit = memory_limit(memory)
    surveyor = Surveyor(
        engine=asked.here,
        workers=asked.workers,
        memory=limit,
        cache=cache_for(no_cache),
    )
    table = _made(_columns(names or []), asked, surveyor, limit)
    if as_json:
        typer.echo(json.dumps(table.document(), indent=2))
    else:
        from ackproof.cli.era_page import show_eras
        from ackproof.cli.page import console

        show_eras(console(), table)
    return table.exit_code


eras.__doc__ = _HELP


def _columns(names: Sequence[str]) -> dict[str, tuple[Era, Target]]:
    """Return the eras that are named, or all of them, and what each was made from.

    Raises:
        InputError: there is no such era, design or file, or it cannot be used, or there are none.
    """
    from ackproof.cli.era_runs import era_of
    from ackproof.cli.targets import base_target, load
    from ackproof.model.eras import DOCUMENTED, era_names

    known = era_names(base_target().model)
    if not names and not known:
        raise InputError(
            "there are no eras; give designs of the museum, or files: ackproof eras my_design.py"
        )
    found: dict[str, tuple[Era, Target]] = {}
    for name in names or [DOCUMENTED, *known]:
        target = base_target() if name == DOCUMENTED else load(name)
        era = era_of(target)
        era, _ = found.setdefault(era.name, (era, target))
        _check_expectations(era)
    return found


def _check_expectations(era: Era) -> None:
    """Refuse an expectation of what is not there, before the first search."""
    from ackproof.lang.errors import BindError
    from ackproof.model.museum import expected_instance

    try:
        for expectation in era.design.expect if era.design else ():
            expected_instance(era.model, expectation)
    except BindError as error:
        raise InputError(f"{era.name}: {error}") from None


def _made(
    columns: dict[str, tuple[Era, Target]], asked: Asked, surveyor: Surveyor, limit: int | None
) -> EraTable:
    """Search every era on every instance, where it was asked for, and judge what they expect."""
    from ackproof.cli.era_runs import runs_elsewhere, runs_here
    from ackproof.cli.process_pool import up_to_interruption

    eras = [era for era, _ in columns.values()]
    pairs = [(era, i) for era in eras for i in era.instances]
    instances = len({instance.name for _, instance in pairs})
    with asked.pool(instances) as pool:
        if pool is None or instances <= pool.few:
            return _table(eras, up_to_interruption(runs_here(pairs, surveyor)), surveyor)
        texts = {name: target.text for name, (_, target) in columns.items()}
        return _table(eras, runs_elsewhere(pairs, texts, surveyor, limit, pool), surveyor)


def _table(eras: Sequence[Era], found: Iterable[Run], surveyor: Surveyor) -> EraTable:
    """Return the table of what is found, up to the first run that is interrupted."""
    from ackproof.model.era_table import EraTable
    from ackproof.model.outcome import Limit

    runs: list[Run] = []
    interrupted = False
    for run in found:
        runs.append(run)
        interrupted = run.report.outcome.limit is Limit.INTERRUPTED
        if interrupted:
            break
    if not runs:
        raise KeyboardInterrupt
    whole = not interrupted and len(runs) == sum(len(era.instances) for era in eras)
    judgements = {era.name: surveyor.judge(era, runs) for era in eras} if whole else {}
    return EraTable(tuple(eras), tuple(runs), judgements)
