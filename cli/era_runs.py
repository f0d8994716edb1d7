"""Eras, searched on their instances: one after the other here, or each pair by itself elsewhere.

Elsewhere nobody knows what the others search, so two eras that come to the same code may both be
searched.  What is shown is what one after the other would have come to: the first of them was
searched, and the other has what it found.
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
from ackproof.lang.model import Instance
from ackproof.model.cache import Cache
from ackproof.model.eras import DOCUMENTED, Era, Run, Surveyor
from ackproof.model.pools import Piece, Pool

__all__ = ["era_of", "runs_elsewhere", "runs_here"]

#: Seconds between two lines on standard error where that is no terminal.
_PAUSE = 5.0

Pairs = Sequence[tuple[Era, Instance]]


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
    options = (pool.memory(memory), surveyor.cache)
    pieces = [
        Piece(
            f"{era.name} on {instance.name}",
            (texts[era.name], instance.name, *options),
            instance.states or 0,
        )
        for era, instance in pairs
    ]
    for (era, instance), sent in zip(pairs, run_in(pool, _run, pieces, "searches"), strict=False):
        key, report = sent
        made = report.replayed(era.model, instance, era.design)
        if made.searched is not None and made.searched >= began:
            made = replace(made, searched=None)  # by another piece, a moment ago
        yield surveyor.take(era, Run(era.name, instance.name, made, key))


def _run(text: str, instance: str, memory: int, store: Cache | None) -> tuple[str, SentReport]:
    """Search an era on an instance, in some process."""
    era = _era(text)
    (chosen,) = (i for i in era.instances if i.name == instance)
    run = Surveyor(workers=1, memory=memory, cache=store).run(era, chosen)
    return run.key, SentReport.of(run.report)


@cache
def _era(text: str) -> Era:
    return era_of(named(text))
