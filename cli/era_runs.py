"""Eras, searched on their instances: one after the other here, or instance by instance elsewhere.

Elsewhere a piece of work is an instance with all eras that it is searched for.  Versions are alike
in most respects: most eras come to the same code on an instance, which is searched once, and what
was found out about an action for one era is known for the next.  Were each pair a piece, all of
that would be done again for most of them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

from ackproof.cli.process_pool import run_in
from ackproof.cli.sent_reports import SentReport
from ackproof.cli.targets import Target, named
from ackproof.lang.collection import collect_seldom
from ackproof.lang.model import Instance
from ackproof.lang.program import Program
from ackproof.model.cache import Cache
from ackproof.model.check import Engine
from ackproof.model.eras import DOCUMENTED, Era, Run, Surveyor, programs_of
from ackproof.model.pools import Piece, Pool

__all__ = ["era_of", "runs_elsewhere", "runs_here"]

#: Seconds between two lines on standard error where that is no terminal.
_PAUSE = 5.0

Pairs = Sequence[tuple[Era, Instance]]

#: The key of a search, and its report.
_Sent = tuple[str, SentReport]


def era_of(target: Target) -> Era:
    """Return what is checked as a column of the table."""
    return Era(target.name or DOCUMENTED, target.model, target.design)


def runs_here(pairs: Pairs, surveyor: Surveyor) -> Iterator[Run]:
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


def runs_elsewhere(
    pairs: Pairs, texts: dict[str, str], surveyor: Surveyor, memory: int | None, pool: Pool
) -> Iterator[Run]:
    """Yield the run of each pair, in order, up to the first that is interrupted.

    Args:
        pairs: what is searched.
        texts: how a command line names the eras.
        surveyor: what takes in what is found.
        memory: bytes that the searches of a machine may take.
        pool: where they are searched.
    """
    began = datetime.now(UTC).isoformat(timespec="seconds")
    instances: dict[str, list[tuple[Era, Instance]]] = {}
    for era, instance in pairs:
        instances.setdefault(instance.name, []).append((era, instance))
    options = (tuple(texts.values()), surveyor.engine, pool.memory(memory), surveyor.cache)
    pieces = [
        Piece(name, (name, [texts[era.name] for era, _ in some], *options), _states(some))
        for name, some in instances.items()
    ]
    found: dict[tuple[str, str], _Sent] = {}
    for (name, some), sent in zip(
        instances.items(), run_in(pool, _run, pieces, "instances"), strict=False
    ):
        found |= {(era.name, name): one for (era, _), one in zip(some, sent, strict=True)}
    for era, instance in pairs:
        if (era.name, instance.name) not in found:
            return  # interrupted
        key, report = found.pop((era.name, instance.name))
        made = report.replayed(era.model, instance, era.design)
        if made.searched is not None and made.searched >= began:
            made = replace(made, searched=None)  # by another piece, a moment ago
        yield surveyor.take(era, Run(era.name, instance.name, made, key))


def _states(pairs: Pairs) -> int:
    return sum(instance.states or 0 for _, instance in pairs)


def _run(
    name: str,
    texts: Sequence[str],
    every: tuple[str, ...],
    engine: Engine,
    memory: int,
    store: Cache | None,
) -> list[_Sent]:
    """Search eras on an instance, in some process; what is raised has the era as a note."""
    surveyor = Surveyor(
        engine=engine, workers=1, memory=memory, cache=store, programs=_programs(every)
    )
    sent: list[_Sent] = []
    for text in texts:
        era = _era(text)
        (instance,) = (i for i in era.instances if i.name == name)
        try:
            run = surveyor.run(era, instance)
        except Exception as error:
            error.add_note(era.name)
            raise
        sent.append((run.key, SentReport.of(run.report)))
    return sent


@cache
def _programs(texts: tuple[str, ...]) -> dict[str, Program]:
    programs = programs_of([_era(text) for text in texts])
    # They stay, and to look at them for garbage after each piece takes as long as the piece.
    collect_seldom()
    return programs


@cache
def _era(text: str) -> Era:
    return era_of(named(text))
