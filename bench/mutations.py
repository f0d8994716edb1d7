"""Checker against prover: what each mistake breaks, and by which proof it is noticed.

    python bench/mutations.py             all mistakes that break what is proved of the base
    python bench/mutations.py Channel     those whose names have this in them

The mistakes are those of the tests.  The checker looks, where each is known to break something, for
all that it breaks there; and of each property that is proved of the base, the proof must fail then.
A line of the table is a property that a mistake breaks: where, after how many steps, the obligation
that fails, and whether it is refuted or not decided.  Where none fails, a restriction of the proof
that the instance does not meet is named: beyond it nothing is claimed.

What is not in the cache of the base is proved first, so that of each mistake only those obligations
are decided that it touches.

Exit code 0: nothing is violated and proved; 1: something is.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace as changed
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from ackproof.lang import Instance
from ackproof.model.cache import Cache, default_cache
from ackproof.proofs.attempt import Attempt, prepare
from ackproof.proofs.contradiction import searched
from ackproof.proofs.discharge import discharged, start_worker
from ackproof.proofs.kept import Kept
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.report import Searched
from ackproof.proofs.solving import PROVED
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL

# A script finds modules beside itself; these are found from the project's root, as in the tests.
if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from tests.proofs.noticed import NOTICED, Mistake, mistakes

#: States after which the search of a mistake ends; none has so many.
_MOST = 10_000_000

_HEAD = ("property", "mistake", "breaks it on", "after", "noticed by", "which is")


@dataclass(frozen=True)
class Row:
    """A property that is proved of the base and that a mistake breaks.

    Attributes:
        broken: its name.
        mistake: the name of the mistake.
        instance: where the checker has seen it.
        steps: of a shortest run.
        obligation: the name of an obligation that fails; nothing if none does.
        result: what has become of that; or why it is no matter that none fails.
        wrong: whether it is violated and proved.
    """

    broken: str
    mistake: str
    instance: str
    steps: int
    obligation: str
    result: str
    wrong: bool = False

    @property
    def cells(self) -> tuple[str, ...]:
        """What the table says."""
        steps = f"{self.steps} step{'' if self.steps == 1 else 's'}"
        noticed = self.obligation or "–"
        return (self.broken, self.mistake, self.instance, steps, noticed, self.result)


@dataclass(frozen=True)
class Trial:
    """One mistake, on one instance, tried by the checker and by the prover.

    Attributes:
        name: the mistake.
        attempt: what is to be proved of it: all that is proved of the base.
        found: what a search has found.
        kept: what was proved before.
        limit: seconds for an obligation.
    """

    name: str
    attempt: Attempt
    found: Searched
    kept: Kept
    limit: float

    def rows(self) -> Iterator[Row]:
        """Yield what is broken, and by what that is noticed."""
        for prop in self.attempt.requested:
            if prop in self.found.runs:
                obligation, result, wrong = self._noticed(prop)
                steps = len(self.found.runs[prop])
                where = self.found.instance
                yield Row(prop, self.name, where, steps, obligation, result, wrong)

    def _noticed(self, prop: str) -> tuple[str, str, bool]:
        for obligation in self._suspects(prop):
            outcome = discharged(self.attempt.obligations, obligation, self.limit)
            self.kept.keep(outcome)
            if outcome.status != PROVED:
                return obligation.name, outcome.status, False
        library = self.attempt.obligations.library
        unmet = (self.attempt.unmet_on(self.found.instance) or frozenset()) & {
            *library.closure([prop])
        }
        if unmet:
            return "", f"beyond {' and '.join(sorted(unmet))}", False
        return "", "PROVED, and violated", True

    def _suspects(self, prop: str) -> list[Obligation]:
        """Return what may fail, and is not known to be proved; what has failed before is first."""
        todo = list(self.attempt.obligations.of([prop]))
        known = self.kept.known(todo)
        usual = {failing for (_, name), failing in NOTICED.items() if name == self.name}
        left = [o for o in todo if o not in known]
        return sorted(left, key=lambda o: o.name not in usual)


def tried(mistake: Mistake, cache: Cache, limit: float) -> list[Row]:
    """Return what a mistake breaks, and by what that is noticed."""
    model = changed(MODEL, instances=(mistake.instance,))
    attempt = prepare(model, LIBRARY, (), mistake.design)
    found = searched(attempt, mistake.instance, cache, _MOST)
    assert found is not None, "its states fit"
    assert mistake.broken in found.runs, "the checker sees what it is there for"
    kept = Kept(attempt.obligations, cache)
    return list(Trial(mistake.name, attempt, found, kept, limit).rows())


def each(part: str) -> list[Mistake]:
    """Return one mistake for each class and instance: what else it breaks there is found."""

    def place(one: Mistake) -> tuple[str, Instance]:
        return one.name, one.instance

    chosen = [one for one in mistakes().values() if part in one.name]
    ordered = sorted(chosen, key=lambda one: (one.name, one.instance.name))
    return [next(group) for _, group in groupby(ordered, key=place)]


def widths(chosen: list[Mistake]) -> list[int]:
    """Return how wide the columns are, but for the last."""
    of_base = [*LIBRARY.proofs, *LIBRARY.follows, *LIBRARY.rankings]
    columns = (of_base, [m.name for m in chosen], [m.instance.name for m in chosen])
    heads = zip(_HEAD, columns, strict=False)
    return [*(max(map(len, (head, *cells))) for head, cells in heads), 8, 44]


def line(cells: tuple[str, ...], wide: list[int]) -> str:
    """Return a line of the table."""
    padded = [f"{cell:<{width}}" for cell, width in zip(cells, wide, strict=False)]
    return "  ".join([*padded, cells[-1]])


_TASK: tuple[list[Mistake], Cache, float] | None = None


def _work(number: int) -> list[Row]:
    assert _TASK is not None
    chosen, cache, limit = _TASK
    return tried(chosen[number], cache, limit)


def main(
    part: Annotated[str, typer.Argument(help="Part of the names.")] = "",
    limit: Annotated[float, typer.Option(help="Seconds for each obligation.")] = 3.0,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = os.cpu_count() or 1,
) -> None:
    """Hold the checker against the prover.  Example: bench/mutations.py TrustingChannel"""
    global _TASK
    began, chosen = time.perf_counter(), each(part)
    cache = default_cache() or Cache(Path(tempfile.mkdtemp()))
    base = prepare(MODEL, LIBRARY).run(workers=workers, limit=20.0, cache=cache)
    assert base.exit_code == 0, "the base is proved"
    _TASK = chosen, cache, limit
    wide = widths(chosen)
    print(line(_HEAD, wide), flush=True)
    wrong = several = 0
    with multiprocessing.get_context("fork").Pool(workers, initializer=start_worker) as pool:
        for rows in pool.imap(_work, range(len(chosen))):
            for row in rows:
                several += 1
                wrong += row.wrong
                print(line(row.cells, wide), flush=True)
    print(
        f"{len(chosen)} mistakes break {several} times what is proved of the base; "
        f"violated and proved: {wrong}  ({time.perf_counter() - began:.0f} s)"
    )
    raise typer.Exit(1 if wrong else 0)


if __name__ == "__main__":
    typer.run(main)
