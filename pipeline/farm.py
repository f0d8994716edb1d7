"""A farm: pieces of work on Spark, each a job of one task, and what comes back, in order.

A piece that is a whole search of the kernel needs no other while it runs, so there is nothing to
shuffle.  As each is a job of its own, it comes back when it is finished and can be told by its
name; and all are given to Spark at once, the largest first, which gives one to each core that is
free.

Spark runs a task again whose worker was killed, or whose machine is gone, up to four times; on one
machine it does not, and the farm does.  What a piece raises is the same wherever it runs: that
comes back at once, and ends all.

What a task keeps in the cache comes back with what it found, but for machine code, and is kept in
the cache of the driver: there it is found when the same is asked again, by whichever engine.  A
task itself uses a folder at the same path, and finds there what is known if its machine sees the
driver's.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from concurrent.futures import wait as wait_for
from contextlib import chdir, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ackproof.model.cache import COMPILED, Cache, Entry, default_cache, named, noted, using
from ackproof.model.pools import Piece
from ackproof.model.resources import default_memory
from ackproof.pipeline.errors import FarmFailed
from ackproof.pipeline.jobs import reason_of
from ackproof.pipeline.keeping import keep_what_is_loaded
from ackproof.pipeline.masters import is_local
from ackproof.pipeline.session import Session

__all__ = ["Farm"]

T = TypeVar("T")

#: How often a piece is tried whose worker is killed; a cluster itself tries as often.
_ATTEMPTS = 4

#: Jobs that Spark knows of at once, at least: some wait, so that no core does.
_AT_ONCE = 64


@dataclass(frozen=True)
class _Returned:
    """What a task returns: what was found, or what went wrong, and what it has kept."""

    found: Any
    problem: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class _Task:
    """A piece as Spark runs it.

    Args:
        work: what is called.
        arguments: what it is called with.
        folder: where the command was given.
        store: where it keeps what is found, as the environment says it.
    """

    work: Callable[..., Any]
    arguments: tuple[Any, ...]
    folder: str
    store: str

    def __call__(self, _: int) -> _Returned:
        """Do the work, in the process of a worker."""
        keep_what_is_loaded()
        here = chdir(self.folder) if Path(self.folder).is_dir() else nullcontext()
        with here, using(self.store), noted() as entries:
            try:
                found, problem = self.work(*self.arguments), ""
            except Exception as error:
                found, problem = None, _told(error)
        kept = [entry for entry in entries if entry.kind not in COMPILED]
        return _Returned(found, problem, tuple(kept))


def _told(error: Exception) -> str:
    """Say what went wrong, and with which part; errors of this program's own say it in full."""
    kind = type(error)
    own = kind.__module__.startswith("ackproof.")
    parts = "".join(f"{note}: " for note in getattr(error, "__notes__", ()))
    return f"{parts}{error}" if own else f"{parts}{kind.__name__}: {error}"


class Farm:
    """Where pieces run on Spark.

    Args:
        session: that is open.
    """

    #: However few they are, they run there.
    few = 0

    def __init__(self, session: Session) -> None:
        self._session = session
        self._size = session.parallelism
        self._attempts = _ATTEMPTS if is_local(session.master) else 1

    def memory(self, limit: int | None) -> int:
        """Return the bytes that a piece may take; machines are supposed to be like this one."""
        return max((limit or default_memory()) // self._at_once_on_a_machine(), 1)

    def _at_once_on_a_machine(self) -> int:
        session = self._session
        hosts = 1 if is_local(session.master) else len(session.hosts)
        return -(-self._size // max(hosts, 1))

    def run(self, work: Callable[..., T], pieces: Sequence[Piece], noun: str) -> Iterator[T]:
        """Yield what a function returns for each piece, in order; see `Pool`.

        Raises:
            FarmFailed: a piece raises something, or its worker was killed too often.
        """
        running = _Running(self._session, self._attempts, noun)
        largest = sorted(range(len(pieces)), key=lambda number: -pieces[number].size)
        at_once = max(2 * self._size, _AT_ONCE)
        store = default_cache()
        finished: dict[int, Any] = {}
        following = 0
        with (
            self._session.watching(),
            ThreadPoolExecutor(min(at_once, len(pieces) or 1), "ackproof farm") as threads,
        ):
            futures: dict[Future[_Returned], int] = {}
            try:
                for number in largest:
                    task = _Task(work, pieces[number].arguments, str(Path.cwd()), named(store))
                    futures[threads.submit(running.run, pieces[number].name, task)] = number
                for future in as_completed(futures):
                    number = futures[future]
                    finished[number] = _taken(pieces[number].name, future.result(), store)
                    while following in finished:
                        yield finished.pop(following)
                        following += 1
            finally:
                running.end(futures)


def _taken(name: str, returned: _Returned, store: Cache | None) -> Any:
    """Return what was found, and keep what a task has kept."""
    if returned.problem:
        raise FarmFailed(f"{name}: {returned.problem}")
    for entry in returned.entries:
        # Where both see one folder, it is there.
        if store is not None and not store.has(entry.kind, entry.key):
            store.put(entry.kind, entry.key, entry.data)
    return returned.found


class _Running:
    """Pieces that run now."""

    def __init__(self, session: Session, attempts: int, noun: str) -> None:
        self._session = session
        self._attempts = attempts
        self._noun = noun
        self._tag = f"ackproof-{uuid.uuid4().hex}"
        self._ended = False

    def run(self, name: str, task: _Task) -> _Returned:
        """Run a piece, in a thread of its own."""
        context = self._session.spark.sparkContext
        self._session.mark(self._tag, name)
        for left in reversed(range(self._attempts)):
            try:
                (returned,) = context.parallelize([0], 1).map(task).collect()
                assert isinstance(returned, _Returned)
                return returned
            except Exception as error:
                if self._ended or not left:
                    raise FarmFailed(
                        f"{name}: the process that checked it was ended, {_ATTEMPTS} times: "
                        f"{reason_of(error)}\n  instead: give less --memory, or fewer cores to "
                        f"each machine; what Spark said is in {self._session.log}"
                    ) from error
        raise AssertionError("it returns or raises")

    def end(self, futures: dict[Future[_Returned], int]) -> None:
        """End all pieces that have not come to their own end, and wait until they have."""
        self._ended = True
        waiting = [future for future in futures if not future.cancel() and not future.done()]
        while waiting:
            with suppress(Exception):
                self._session.cancel(self._tag)
            waiting = list(wait_for(waiting, 0.2).not_done)
