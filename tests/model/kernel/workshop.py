"""A specification that says nothing sensible, in every construct of the language.

The compiled kernel is compared with plain Python on it, step by step. Some of its steps fail: an
assertion, the `min` of an empty set, the head of an empty sequence, a full one, an integer out of
its range, each also behind a condition that Python would not have passed.
"""

from enum import Enum
from typing import Annotated

from ackproof.lang import (
    Const,
    Each,
    Event,
    Ghost,
    Instance,
    Map,
    Model,
    Option,
    OrderedSort,
    Process,
    Range,
    Record,
    Seq,
    Set,
    Sort,
    System,
    action,
    fault,
    handler,
    helper,
    invariant,
    on,
    properties_in,
    reachable,
    require,
    step_property,
)


class Job(OrderedSort):
    """What is worked on, in order."""


class Bench(Sort, prefix="b"):
    """Where it is worked on."""


class Tool(Enum):
    """What it is worked on with."""

    NONE = "none"
    SAW = "saw"
    PLANE = "plane"


class Order(Record):
    """What somebody wants."""

    job: Job
    urgent: bool


class Done(Event):
    """A job is finished."""

    job: Job
    bench: Bench
    urgent: bool


class Swept(Event):
    """A bench is clean."""

    bench: Bench


class Worker(Process):
    """Somebody at a bench."""

    tool: Tool
    wear: Annotated[int, Range(-1, 2)]
    on_bench: Set[Job]
    last: Option[Job]
    strong: Const[bool] = True

    @helper
    def idle(self) -> bool:
        return self.tool == Tool.NONE and not self.on_bench

    @handler
    def take(self, job: Job, tool: Tool) -> None:
        require(job not in self.on_bench)
        assert self.tool != Tool.SAW or tool != Tool.SAW
        if tool == Tool.NONE:
            return
        self.tool = tool
        self.on_bench.add(job)

    @handler
    def finish(self, job: Job) -> None:
        require(job in self.on_bench)
        self.on_bench.discard(job)
        self.last = job
        if self.tool == Tool.SAW:
            self.wear += 1
        elif self.strong:
            self.wear -= 1
        else:
            self.tool = Tool.NONE

    @action
    def rest(self) -> None:
        require(not self.on_bench)
        require(self.last is not None and self.wear != 0)
        self.wear = 0
        self.last = None
        self.tool = Tool.NONE


class Workshop(System):
    """Benches, orders and a queue."""

    workers: Each[Bench, Worker]
    wanted: Map[Job, Set[Bench]]
    grade: Map[Job, Tool]
    seen: Map[Bench, Map[Job, bool]]
    queue: Annotated[Seq[Job], 2]
    top: Option[Order]
    favourite: Option[Bench]
    level: Annotated[int, Range(0, 3)] = 1
    finished: Ghost[Set[Job]]
    hurried: Ghost[Set[Job]]
    sweeps: Ghost[Map[Bench, bool]]

    @on(Done)
    def count(self, done: Done) -> None:
        self.finished.add(done.job)
        if done.urgent:
            self.hurried.add(done.job)

    @on(Swept)
    def swept(self, event: Swept) -> None:
        self.sweeps[event.bench] = True

    @helper
    def waiting(self) -> set[Job]:
        return {job for job in Job if self.wanted[job] and job not in self.finished_jobs()}

    @helper
    def finished_jobs(self) -> set[Job]:
        return {job for bench in Bench for job in Job if self.seen[bench][job]}

    @action
    def order(self, job: Job, benches: set[Bench], urgent: bool) -> None:
        require(benches and not self.wanted[job])
        self.wanted[job] = set(benches)
        self.top = Order(job, urgent)
        if urgent:
            self.queue.append(job)

    @action
    def begin(self, bench: Bench) -> None:
        require(self.workers[bench].idle())
        first = min(self.waiting(), default=None)
        require(first is not None and bench in self.wanted[first])
        if first is not None:
            self.workers[bench].take(first, Tool.PLANE if self.level > 1 else Tool.SAW)

    @action
    def shift(self) -> None:
        require(self.queue or self.level == 3)
        self.grade[self.queue[0]] = Tool.PLANE
        self.queue.pop(0)
        self.level = min(self.level + 1, len(self.wanted) + 1)

    @action
    def end(self, bench: Bench) -> None:
        job = min(self.workers[bench].on_bench, default=None)
        require(job is not None)
        if job is None:
            return
        self.workers[bench].finish(job)
        self.seen[bench][job] = True
        urgent = self.top is not None and self.top.job == job and self.top.urgent
        self.emit(Done(job, bench, urgent=urgent))
        for other in set(self.wanted[job]):
            if other != bench:
                self.seen[other][job] = self.grade[job] == Tool.PLANE

    @action
    def clean(self, bench: Bench) -> None:
        require(self.finished_jobs() and self.level > 0)
        following = Job.succ(max(self.finished_jobs()))
        for job in sorted(self.workers[bench].on_bench):
            self.emit(Done(job, bench, urgent=job < Job.first() or following is None))
        self.emit(Swept(bench))
        self.seen[bench].clear()
        self.wanted.clear()
        self.level -= 1

    @action
    def guess(self, job: Job, tool: Tool) -> None:
        require(self.favourite is not None)
        require(self.level == 2 and job == min(self.wanted))
        if self.favourite is not None:
            self.workers[self.favourite].take(job, tool)
            self.favourite = None if tool == Tool.NONE else self.favourite

    @action
    def prefer(self, bench: Bench) -> None:
        require(self.favourite != bench)
        require(all(self.workers[other].wear <= 1 for other in Bench if other != bench))
        self.favourite = bench
        if any(job in self.workers[bench].on_bench for job in Job if self.grade[job] != Tool.SAW):
            self.level += 1
        elif self.queue and self.queue[0] in self.workers[bench].on_bench:
            self.emit(Done(self.queue[0], bench, urgent=False))

    @fault
    def lose(self, bench: Bench, jobs: set[Job]) -> None:
        require(jobs <= self.workers[bench].on_bench and len(jobs) >= 1)
        self.workers[bench].on_bench -= jobs
        self.workers[bench].tool = Tool.NONE
        for job in jobs:
            self.wanted[job].discard(bench)


@invariant
def BenchesAreOwned(s: Workshop) -> bool:
    """What is on a bench was wanted there."""
    return all(
        job in s.finished or b in s.wanted[job] for b in Bench for job in s.workers[b].on_bench
    )


@invariant
def NobodySharesAJob(s: Workshop) -> bool:
    """A job is on one bench at a time."""
    return not any(
        s.workers[a].on_bench & s.workers[b].on_bench for a in Bench for b in Bench if a != b
    )


@invariant
def UrgentIsQueued(s: Workshop) -> bool:
    """The last order, if urgent, is in the queue or finished."""
    return s.top is None or not s.top.urgent or s.top.job in s.queue or s.top.job in s.finished


@step_property
def FinishedIsKept(before: Workshop, after: Workshop) -> bool:
    """Nothing is forgotten."""
    return before.finished <= after.finished and len(after.finished) <= len(before.finished) + 1


@step_property
def DoneWasOnTheBench(before: Workshop, after: Workshop, done: Done) -> bool:
    """What is reported was being worked on."""
    return done.job in before.workers[done.bench].on_bench and (
        not done.urgent or after.workers[done.bench].last == done.job
    )


@step_property
def CleanIsClean(before: Workshop, after: Workshop, event: Swept) -> bool:
    """A swept bench shows nothing."""
    return not after.seen[event.bench] and before.level != after.level


@reachable
def EverythingIsFinished(s: Workshop) -> bool:
    """All jobs can be finished."""
    return s.finished == set(Job)


@reachable
def UrgentIsReported(before: Workshop, after: Workshop, done: Done) -> bool:
    """Something urgent is finished."""
    return done.urgent and before.level < 3


@reachable
def NeverReached(s: Workshop) -> bool:
    """There is no such level."""
    return s.level > 3


PROPERTIES = properties_in(
    BenchesAreOwned,
    NobodySharesAJob,
    UrgentIsQueued,
    FinishedIsKept,
    DoneWasOnTheBench,
    CleanIsClean,
    EverythingIsFinished,
    UrgentIsReported,
    NeverReached,
)

MODEL = Model(
    "workshop",
    Workshop,
    PROPERTIES,
    (
        Instance("small", "one bench", sizes={Job: 2, Bench: 1}, faults={"lose": 1}),
        Instance(
            "two",
            "two benches, one of them weak",
            sizes={Job: 2, Bench: 2},
            constants={"Worker.strong": {"b1": False, "b2": True}},
            faults={"lose": 1},
        ),
    ),
    deadlock_free=True,
)
