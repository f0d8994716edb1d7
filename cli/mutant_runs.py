"""Mutants, judged in several processes, here or elsewhere, with what was found before.

Each process finds the mutants of the model by itself, and is told which to judge.  A verdict is
kept: it depends on the model, its instances among it, the text of the mutant, the states that were
to be spent, and on what has searched.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path

from ackproof.cli.engines import Asked
from ackproof.cli.inputs import InputError
from ackproof.cli.process_pool import run_in, up_to_interruption
from ackproof.cli.targets import Target, named
from ackproof.lang.model import Model
from ackproof.model.cache import Cache, default_cache, digest, sources
from ackproof.model.difference import by_size
from ackproof.model.mutation.judging import Fate, Judge, Verdict
from ackproof.model.mutation.matrix import Matrix, entries_of
from ackproof.model.mutation.mutants import Mutant, mutants_of
from ackproof.model.pools import Piece
from ackproof.model.programs import origin
from ackproof.model.results import ENGINES

__all__ = ["KIND", "judged", "verdict_key"]

#: What entries are called in the cache.
KIND = "mutants"

_MODEL = Path(__file__).parents[1] / "model"
#: What makes mutants, and says where they are looked at.
_MUTATION = (_MODEL / "mutation", _MODEL / "difference.py")


def judged(
    target: Target,
    choice: Callable[[Sequence[Mutant]], list[int]],
    states: int,
    asked: Asked,
    *,
    cached: bool = True,
) -> Matrix:
    """Return what became of the chosen mutants of a model; an interruption leaves out the last.

    Args:
        target: the model.
        choice: returns the numbers of the mutants to look at.
        states: how many states of the base may be spent on a mutant.
        asked: where they are judged.
        cached: whether verdicts that are known are taken.

    Raises:
        InputError: there is no such mutant, or a process was ended.
    """
    model = target.model
    mutants = mutants_of(model)
    numbers = choice(mutants)
    if not numbers:
        raise InputError(f"{model.name} has no methods in which a mistake could be made")
    store = default_cache() if cached else None
    keys = {n: verdict_key(model, mutants[n], states) for n in numbers}
    known = {n: found for n in numbers if (found := _kept(store, keys[n])) is not None}
    missing = [n for n in numbers if n not in known]
    for number, verdict in zip(
        missing, _found(target, mutants, missing, states, asked, cached=cached), strict=False
    ):
        known[number] = verdict
        _put(store, keys[number], verdict)
    seen = [n for n in numbers if n in known]
    chosen = [mutants[n] for n in seen]
    entries = entries_of(model, chosen, [known[n] for n in seen])
    return Matrix(model, entries, mutants, states, unfinished=len(numbers) - len(seen))


def _found(
    target: Target,
    mutants: Sequence[Mutant],
    numbers: Sequence[int],
    states: int,
    asked: Asked,
    *,
    cached: bool,
) -> Iterator[Verdict]:
    """Yield what becomes of mutants."""
    if not numbers:
        return
    with tempfile.TemporaryDirectory() as folder, asked.pool(len(numbers)) as pool:
        pieces = [
            Piece(mutants[number].name, (target.text, states, folder, cached, number))
            for number in numbers
        ]
        if pool is None:
            yield from up_to_interruption(_judge(*piece.arguments) for piece in pieces)
        else:
            yield from run_in(pool, _judge, pieces, "mutants")


def _judge(text: str, states: int, folder: str, cached: bool, number: int) -> Verdict:
    """Return what becomes of a mutant, in some process."""
    mutants, judge = _bench(text, states, folder, cached)
    return judge.judge(mutants[number])


@cache
def _bench(text: str, states: int, folder: str, cached: bool) -> tuple[list[Mutant], Judge]:
    """Return what a process needs for all mutants of a model."""
    model = named(text).model
    own = Path(folder) / str(os.getpid())
    own.mkdir(parents=True, exist_ok=True)  # on another machine, nothing is there
    store = default_cache() if cached else None
    return mutants_of(model), Judge(model, by_size(model), own, store, states)


# -- what is known ------------------------------------------------------------------------------


def verdict_key(model: Model, mutant: Mutant, states: int) -> str | None:
    """Return a digest of all that a verdict depends on, None if that cannot be told.

    Args:
        model: the model.
        mutant: one of its mutants.
        states: how many states of the base may be spent on it.
    """
    whence = origin(model)
    if whence is None:
        return None
    where = map(repr, by_size(model))
    return digest(whence, sources(*ENGINES, *_MUTATION), mutant.text(), str(states), *where)


def _kept(store: Cache | None, key: str | None) -> Verdict | None:
    data = store.get(KIND, key) if store and key else None
    if data is None:
        return None
    said = json.loads(data)
    lists = {name: tuple(said[name]) for name in ("searched", "other")}
    killers = tuple((name, steps) for name, steps in said["killers"])
    return Verdict(**{**said, **lists, "fate": Fate(said["fate"]), "killers": killers})


def _put(store: Cache | None, key: str | None, verdict: Verdict) -> None:
    if store and key:
        store.put(KIND, key, json.dumps(asdict(verdict) | {"fate": verdict.fate.value}).encode())
