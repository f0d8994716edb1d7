"""Search the state space of a compiled model with all cores, exactly.

The model is two C functions, called by address with batches of packed states. A packed state is W
words of 64 bits, the top bit of the last one always set.

- `expand(n, states, successors, metas, counts, seen, violations) -> written`: all successors of n
  states, next to each other, and for each one `position of the predecessor << 32 | instance`.
- `inspect(n, states, seen, violations) -> violating`: the properties of n states.

Both set bits of `seen` for what they witnessed, and append to `violations`, whose two first words
are the number of records and the room for them, records of three words: position in the batch,
instance (`DEADLOCK` for a state without successors that should have one), properties violated.

A search ends in one of four ways, a `Status`. When it found a violation it has finished the level,
so all properties that are violated at the same depth are reported, each by a shortest path; a
*survey* goes on, and reports every property that is violated anywhere in the same way. A path is a
list of instances from an initial state: the caller replays it in plain Python.
"""

import time
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from ackproof.model.kernel import control
from ackproof.model.kernel.memory import default_limit
from ackproof.model.kernel.objects import driver
from ackproof.model.kernel.worker import Model, Team

DEADLOCK = 0xFFFFFFFF

_POLL_SECONDS = 0.02
_PROGRESS_SECONDS = 0.2
_UNBOUNDED = 1 << 62
_WORD = (1 << 64) - 1


class Status(StrEnum):
    """Why a search ended."""

    EXHAUSTED = "exhausted"  # every reachable state has been expanded
    VIOLATED = "violated"  # some property does not hold
    BOUNDED = "bounded"  # every state up to the wanted depth is known
    TRUNCATED = "truncated"  # the memory limit or an interruption came first


class Kind(StrEnum):
    """What a violated property was about: selects the numbering of `Violation.property`."""

    STATE = "state"
    STEP = "step"
    DEADLOCK = "deadlock"


class Progress(NamedTuple):
    """How far a search is: `waiting` states have been found and not been expanded."""

    states: int
    generated: int
    waiting: int
    depth: int
    bytes: int
    seconds: float


@dataclass(frozen=True)
class Violation:
    """One violated property with a shortest path to it.

    `initial` is the position of the initial state, `trace` the instances taken from there: up to
    the violating state, or up to and including the violating step.
    """

    kind: Kind
    property: int
    initial: int
    trace: tuple[int, ...]


@dataclass(frozen=True)
class Result:
    """What is known when a search has ended.

    `generated` counts every successor ever made, and the initial states once, as TLC does.
    `level_sizes` is how many states were found on each level, initial states being on the first;
    all states of the first `complete_levels` levels are known. `counts` is by action, `seen` the
    witness bits as one integer, `bytes` what the states occupied, `cut` how many were not
    expanded since a constraint is false there.
    """

    status: Status
    reason: str
    distinct: int
    generated: int
    level_sizes: tuple[int, ...]
    complete_levels: int
    counts: tuple[int, ...]
    seen: int
    violations: tuple[Violation, ...]
    bytes: int
    seconds: float
    cut: int = 0

    @property
    def levels(self) -> int:
        """The deepest level on which a state was found."""
        return len(self.level_sizes)


@dataclass(frozen=True)
class Better:
    """The same model in faster machine code, which is worth making only if a search takes long.

    `make` is called in a thread of its own after `patience` seconds of searching.
    """

    make: Callable[[], Model]
    patience: float


def search(
    model: Model,
    initial: Sequence[Sequence[int]],
    *,
    workers: int = 1,
    memory_limit: int | None = None,
    max_depth: int | None = None,
    survey: bool = False,
    then: Callable[[Team], None] | None = None,
    progress: Callable[[Progress], None] | None = None,
    better: Better | None = None,
) -> Result:
    """Find every state that is reachable from the `initial` ones (distinct, each W words).

    `memory_limit` is in bytes, for the states and all that goes with them; most of the free memory
    if not given. With `max_depth` the states of that level are not expanded. With `survey` a
    violation does not end the search, which then finds those of all properties. `then` is called
    when every reachable state was seen, with the workers and their tables. `progress` is called
    about five times a second, in the calling thread. A long search goes on with what is `better`
    than the model. An interruption (Ctrl-C) ends the search with
    what is known, and is not raised again.

    Raises `memory.OutOfAddresses` if the system does not lend the addresses to be filled.
    """
    assert initial, "a search needs an initial state"
    assert all(row[-1] >> 63 & 1 for row in initial), "the top bit marks a state, and must be set"
    assert max_depth is None or max_depth > 0, "the initial states are level 1"
    limit = default_limit() if memory_limit is None else memory_limit
    start = time.perf_counter()
    run = driver(model.words, model.slot_words, workers)
    depth = max_depth or _UNBOUNDED
    words = array("Q", (word & _WORD for row in initial for word in row))
    with Team(model, memoryview(words), workers, limit, depth, survey) as team:
        _watch(team, run, start, progress, better)
        held = team.bytes
        if then is not None and _status(team)[0] is Status.EXHAUSTED:
            then(team)
        return _result(team, len(initial), held, time.perf_counter() - start)


def compile_driver(words: int, slot: int, workers: int = 1) -> None:
    """Compile the driver for these widths, or load its machine code, ahead of a search."""
    driver(words, slot, workers)


def _watch(
    team: Team,
    run: Callable[[int], None],
    start: float,
    progress: Callable[[Progress], None] | None,
    better: Better | None,
) -> None:
    """Run all workers to their end, each in a thread, telling how far they are."""
    with ThreadPoolExecutor(len(team.workers) + 1) as pool:
        running: set[Future[None]] = set()
        making: Future[Model] | None = None
        told = begun = time.perf_counter()
        try:
            running = {pool.submit(run, worker.address) for worker in team.workers}
            pending = running
            while pending:
                pending = wait(pending, _POLL_SECONDS).not_done
                now = time.perf_counter()
                if progress is not None and pending and now - told >= _PROGRESS_SECONDS:
                    told = now
                    progress(_progress(team, now - start))
                if better is not None and pending and now - begun >= better.patience:
                    making, better = pool.submit(better.make), None
                if making is not None and making.done():
                    team.use(making.result())
                    making = None
        except KeyboardInterrupt:
            team.stop()
        except BaseException:
            team.stop()
            raise
        for future in running:
            future.result()
        if making is not None:
            team.use(making.result())


def _progress(team: Team, seconds: float) -> Progress:
    waiting = (
        team.total(control.CURRENT_COUNT)
        - team.total(control.CURSOR)
        + team.total(control.NEXT_COUNT)
    )
    return Progress(
        states=team.total(control.COUNT),
        generated=team.generated,
        waiting=max(0, waiting),
        depth=team.workers[0].block[control.DEPTH],
        bytes=team.bytes,
        seconds=seconds,
    )


def _result(team: Team, initial: int, held: int, seconds: float) -> Result:
    status, reason = _status(team)
    counts = [sum(by_worker) for by_worker in zip(*(w.counts for w in team.workers), strict=True)]
    seen = 0
    for worker in team.workers:
        for i, word in enumerate(worker.seen):
            seen |= (word & _WORD) << 64 * i
    return Result(
        status=status,
        reason=reason,
        distinct=team.total(control.COUNT),
        generated=sum(counts) + initial,
        level_sizes=_level_sizes(team),
        complete_levels=team.workers[0].block[control.DEPTH],
        counts=tuple(counts),
        seen=seen,
        violations=tuple(_violations(team)),
        bytes=held,
        seconds=seconds,
        cut=sum(worker.cut for worker in team.workers),
    )


def _level_sizes(team: Team) -> tuple[int, ...]:
    """States by level: the difference between how many were known as one began and the next."""
    starts = (worker.level_starts() for worker in team.workers)
    known = [sum(by_worker) for by_worker in zip(*starts, strict=True)]
    unfinished = team.total(control.NEXT_COUNT)
    ends = [*known[1:], team.total(control.COUNT) - unfinished]
    sizes = [end - start for start, end in zip(known, ends, strict=True)] if known else []
    return (*sizes, unfinished) if unfinished else tuple(sizes)


def _status(team: Team) -> tuple[Status, str]:
    """How the search ended. Only those whose memory was full know that this is why."""
    ended = {worker.block[control.STATUS] for worker in team.workers}
    assert control.RUNNING not in ended
    for value, status, reason in (
        (control.VIOLATION_FOUND, Status.VIOLATED, ""),
        (control.MEMORY_FULL, Status.TRUNCATED, "memory limit"),
        (control.INTERRUPTED, Status.TRUNCATED, "interrupted"),
        (control.DEPTH_REACHED, Status.BOUNDED, ""),
    ):
        if value in ended:
            return status, reason
    return Status.EXHAUSTED, ""


def _violations(team: Team) -> list[Violation]:
    """The first violation of each property, shortest paths first."""
    found: dict[tuple[Kind, int], Violation] = {}
    for worker in team.workers:
        for steps, firsts in ((True, worker.first_steps), (False, worker.first_states)):
            for bit in range(control.PROPERTIES):
                present, number, instance = firsts[control.FIRST * bit : control.FIRST * (bit + 1)]
                if present:
                    violation = _violation(team, steps, bit, number, instance)
                    known = found.setdefault((violation.kind, bit), violation)
                    # In a survey one worker may have met its first violation later than another.
                    if len(violation.trace) < len(known.trace):
                        found[violation.kind, bit] = violation
    return sorted(found.values(), key=lambda v: (len(v.trace), v.kind, v.property))


def _violation(team: Team, step: bool, bit: int, number: int, instance: int) -> Violation:
    initial, trace = path_to(team, number)
    if not step:
        return Violation(Kind.STATE, bit, initial, trace)
    if instance == DEADLOCK:
        return Violation(Kind.DEADLOCK, bit, initial, trace)
    return Violation(Kind.STEP, bit, initial, (*trace, instance))


def path_to(team: Team, number: int) -> tuple[int, tuple[int, ...]]:
    """Which initial state the state with this number was reached from, and by which instances."""
    instances: list[int] = []
    while True:
        local, worker = divmod(number, len(team.workers))
        entry = team.workers[worker].entry(local)
        if entry < 0:
            return entry - control.ROOT, tuple(reversed(instances))
        instances.append(entry & control.INSTANCE_MASK)
        number = entry >> control.INSTANCE_BITS
