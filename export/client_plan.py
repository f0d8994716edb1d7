"""What a client program can do of the run of a counterexample, step by step.

A step of a run is one of four kinds for who drives a real broker:

*asked for*: a publish, a close, a crash; the client does it, or the control API.
*timed*: a sync, a flush.  The broker does it by itself, and would do it at once; so it is held from
the beginning, and released where the run has it.
*left to the broker*: a message arrives, a queue tells a channel.  The broker does these as soon as
it can.  It does not matter when, except where something else comes before them; then the broker
parts from the run, and the program says so.
*beyond*: what the control API has no word for, as a partition or a node that crashes and whose
kernel does not.  The program ends before the first of them, and says why.

The broker does as the specification says.  How far the specification itself takes a run is found
out here as well: behind that the broker has to part from the run, or it would have the defect that
the run shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ackproof.lang.binding import Bound
from ackproof.model.beginnings import initial_states
from ackproof.model.lanes import Lanes
from ackproof.model.plain import PlainMachine, State
from ackproof.model.show import json_value
from ackproof.model.trace import ShownEvent, Trace, TraceStep, shown_step

__all__ = ["Kind", "Plan", "Planned", "QueuePlan", "plan", "taken_by"]

Kind = str

ASKED, TIMED, LEFT, BEYOND = "asked for", "timed", "left to the broker", "beyond"

#: Steps that the broker takes as soon as it can.
_LEFT = {
    "confirm_arrives",
    "deliver",
    "down_arrives",
    "drain",
    "forget",
    "reject_arrives",
    "restart",
    "write",
}

#: Why there is nothing for other steps.
_WHY = {
    "declare": "to declare a queue takes a commit, and the run has not synced a message yet",
    "crash_node": "restart_node loses what was written and not synced, and here that is kept",
    "drop": "the head of the queue goes, and others stay; a purge would drop all",
    "lose_node": "the control API loses nodes of mirrored queues only",
    "pass_by": "a consumer without acks would have to wait for just this message",
}

_LINES = list[str]  # of the program


@dataclass(frozen=True)
class Planned:
    """A step, what is done about it, and the lines of the program that do it."""

    number: int
    step: TraceStep
    kind: Kind
    lines: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class QueuePlan:
    """A queue as a client declares it; `later` if the run declares it itself."""

    name: str
    durable: bool
    arguments: dict[str, Any]
    keys: tuple[str, ...]
    later: bool

    @property
    def line(self) -> str:
        """The line of the program that declares it."""
        return f"run.declare({self.name!r}, {self.durable}, {self.arguments}, {list(self.keys)})"


@dataclass(frozen=True)
class Plan:
    """What a program does, from the beginning to the end."""

    queues: tuple[QueuePlan, ...]
    holds: tuple[str, ...]
    steps: tuple[Planned, ...]
    ends: tuple[str, ...]
    missing: str = ""

    @property
    def beyond(self) -> Planned | None:
        """The first step that cannot be asked for."""
        return next((one for one in self.steps if one.kind == BEYOND), None)


def plan(trace: Trace) -> Plan:
    """Return what a program does to drive a broker along a run."""
    return _Planner(trace).plan()


def taken_by(base: Bound, trace: Trace) -> int:
    """Return how many steps of a run another program takes, with the same frames."""
    numbers = {str(instance): number for number, instance in enumerate(base.instances())}
    lanes = Lanes(base)
    with PlainMachine(base) as machine:
        starts = initial_states(base)
        state: State | None = trace.initial if trace.initial in starts else starts[0]
        for count, wanted in enumerate(trace.steps):
            number = numbers.get(str(wanted.instance))
            found = None if number is None or state is None else machine.step(state, number)
            if found is None or state is None:
                return count
            shown = shown_step(lanes, state, found)
            if shown.events != wanted.events or (found.after is None) != (wanted.after is None):
                return count
            state = found.after
    return len(trace.steps)


@dataclass
class _Planner:
    """Goes along a run, and knows the state before each step."""

    trace: Trace
    states: list[State] = field(default_factory=list)

    def __post_init__(self) -> None:
        bound = self.trace.bound
        lanes = Lanes(bound)
        self.places = {lanes.name(loc): at for at, loc in enumerate(bound.locations)}
        self.constants = {
            f"{name}[{','.join(map(str, keys))}]": value
            for (name, keys), value in bound.constants.items()
        }
        self.replicas = bound.elements["Replica"]
        self.now = self.trace.initial

    def of(self, replica: str) -> str:
        """Return the queue of a process."""
        return str(self.constants[f"replicas.of[{replica}]"])

    def wire(self, queue: str) -> str:
        """Return the name that clients have for a queue: that of the one whose name it takes."""
        for replica in self.replicas:
            after = self.constants[f"replicas.after[{replica}]"]
            if self.of(replica) == queue and after is not None:
                return self.wire(str(after))
        return queue

    def at(self, name: str) -> Any:
        """Return what a place holds before the step that is looked at."""
        return self.now[self.places[name]]

    # -- the whole ------------------------------------------------------------------------------

    def plan(self) -> Plan:
        """Return the plan."""
        steps: list[Planned] = []
        for number, step in enumerate(self.trace.steps, start=1):
            steps.append(self._planned(number, step))
            if step.after is not None:
                self.now = step.after
        return Plan(
            queues=tuple(self._queues()),
            holds=tuple(self._holds()),
            steps=tuple(steps),
            ends=tuple(self._ends()),
            missing=self._missing(),
        )

    def _missing(self) -> str:
        """Say what of the instance a broker cannot be set up with; "" if it can."""
        if len({self.of(r) for r in self.replicas}) < len(self.replicas):
            return "its queues have mirrors, which a client program does not drive"
        if self.constants["credit[]"]:
            return "credit is of no client's making"
        return ""

    def _queues(self) -> list[QueuePlan]:
        keys = dict.fromkeys(
            self.key(step) for step in self.trace.steps if "targets" in self.args(step)
        )
        found = []
        for replica in self.replicas:
            queue = self.of(replica)
            found.append(
                QueuePlan(
                    self.wire(queue),
                    bool(self.constants[f"replicas.durable[{replica}]"]),
                    self._arguments(replica),
                    tuple(key for key in keys if queue in key.split("+")),
                    self.constants[f"replicas.after[{replica}]"] is not None,
                )
            )
        return found

    def _arguments(self, replica: str) -> dict[str, Any]:
        if not self.constants[f"replicas.limited[{replica}]"]:
            return {}
        overflow = str(self.constants[f"replicas.overflow[{replica}]"])
        length = self.constants[f"replicas.max_length[{replica}]"]
        return {"x-max-length": length, "x-overflow": overflow.lower().replace("_", "-")}

    def _holds(self) -> list[str]:
        """Return what is held from the beginning, so that it comes where the run has it."""
        names = {step.instance.action.name for step in self.trace.steps}
        lasting = any(self.args(step).get("persistent") for step in self.trace.steps)
        told = names & {"publish", "publish_in_tx"}
        return [
            *(["run.fault('hold_fsync')"] if lasting else []),
            *(["run.fault('withhold_confirms')"] if told else []),
        ]

    def _ends(self) -> list[str]:
        """Return how it is seen that the broker is where the run ends."""
        if self.trace.cycle is None:
            return []
        if self.trace.cycle:
            return ["run.beyond('what goes on for ever after this is not driven')"]
        channels = self.trace.bound.elements["ChannelId"]
        released = ["run.fault('release_fsync')", "run.fault('release_confirms')"]
        return [*released, *(f"run.quiet({name!r})" for name in channels)]

    # -- a step ---------------------------------------------------------------------------------

    def args(self, step: TraceStep) -> dict[str, Any]:
        """Return the arguments of a step by name, as JSON."""
        params = step.instance.action.params
        given = zip(params, step.instance.args, strict=True)
        return {p.name: json_value(value, p.type) for p, value in given}

    def key(self, step: TraceStep) -> str:
        """Return the routing key of a publish: the queues that it is for."""
        return "+".join(self.args(step)["targets"]) or "nowhere"

    def channel(self, args: Mapping[str, Any]) -> str:
        """Return the channel of a step: it is given, or is that of its message."""
        if "channel" in args:
            return str(args["channel"])
        owner = str(args["msg"]).rpartition(".")[0]
        return owner or str(self.trace.bound.elements["ChannelId"][0])

    def _planned(self, number: int, step: TraceStep) -> Planned:
        name, args = step.instance.action.name, self.args(step)
        if step.after is None:
            return Planned(number, step, BEYOND, (), "a broker has no step that fails")
        if name in _LEFT:
            return Planned(number, step, LEFT, tuple(self._frames(step)))
        make: Callable[[TraceStep, dict[str, Any]], _LINES | None] | None
        make = getattr(self, f"_do_{name}", None)
        lines = make(step, args) if make else None
        if lines is None:
            why = _WHY.get(name, "neither a client nor the control API has a word for this")
            return Planned(number, step, BEYOND, (), why)
        timed = name in ("sync", "flush", "complete")
        return Planned(number, step, TIMED if timed else ASKED, (*lines,))

    def _frames(self, step: TraceStep) -> _LINES:
        """Return the lines that wait for what the client sees of a step."""
        return [f"run.sees({self._hearer(e)!r}, {str(e)!r})" for e in step.events]

    def _hearer(self, event: ShownEvent) -> str:
        named = dict(zip((n for n, _ in event.type.fields), event.values, strict=True))
        return str(named.get("channel", self._asking))

    _asking = ""

    def _told(self, channel: str, step: TraceStep) -> _LINES:
        self._asking = channel
        return self._frames(step)

    def _do_select(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        channel = self.channel(args)
        return [f"run.select({channel!r})", *self._told(channel, step)]

    def _do_tx_select(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        return self._transact("tx_select", step, args)

    def _do_tx_commit(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        return self._transact("tx_commit", step, args)

    def _do_tx_rollback(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        return self._transact("tx_rollback", step, args)

    def _transact(self, method: str, step: TraceStep, args: dict[str, Any]) -> _LINES:
        channel = self.channel(args)
        return [f"run.transact({channel!r}, {method!r})", *self._told(channel, step)]

    def _do_publish(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        return self._publish(step, args, counts=True)

    def _do_publish_in_tx(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        return self._publish(step, args, counts=False)

    def _do_publish_plain(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        return self._publish(step, {**args, "mandatory": False}, counts=False)

    def _do_publish_unroutable(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        given = (self.channel(args), "None", "nowhere", args["mandatory"], False, False)
        line = f"run.publish({', '.join(map(repr, given))})"
        return [line, *self._told(self.channel(args), step)]

    def _publish(self, step: TraceStep, args: dict[str, Any], *, counts: bool) -> _LINES:
        channel = self.channel(args)
        given = (
            channel,
            str(args["msg"]),
            self.key(step),
            args["mandatory"],
            args["persistent"],
            counts,
        )
        crash = f"run.fault('crash_next', routing_key={self.key(step)!r})"
        line = f"run.publish({', '.join(map(repr, given))})"
        told = self._told(channel, step)
        return [*([crash] if self._crash_after(step) else []), line, *told]

    def _crash_after(self, step: TraceStep) -> TraceStep | None:
        """Return the crash of the queue of a publish, if it comes before the queue can confirm.

        A queue confirms what need not be synced as it takes it in; so the crash has to be asked for
        before that.
        """
        args = self.args(step)
        if args["persistent"] or len(args["targets"]) != 1:
            return None
        at = next(at for at, one in enumerate(self.trace.steps) if one is step)
        for one in self.trace.steps[at + 1 :]:
            name, others = one.instance.action.name, self.args(one)
            if name == "crash_queue":
                return one if [self.of(others["replica"])] == args["targets"] else None
            if name not in ("deliver", "write", "drain"):
                return None
        return None

    def _do_sync(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        return [f"run.sync({self.wire(self.of(args['replica']))!r})", *self._frames(step)]

    def _do_flush(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        told = self._told(self.channel(args), step)
        return ["run.fault('release_confirms')", *told, "run.fault('withhold_confirms')"]

    _do_complete = _do_flush

    def _do_close(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        return [f"run.close({self.channel(args)!r})", *self._frames(step)]

    def _do_crash_queue(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        if any(
            "targets" in self.args(s) and self._crash_after(s) is step for s in self.trace.steps
        ):
            return self._frames(step)  # it was asked for before the publish
        queue = self.wire(self.of(args["replica"]))
        return [f"run.fault('crash_queue', name={queue!r})", *self._frames(step)]

    def _do_delete_queue(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        queue = self.wire(args["queue"])
        return [f"run.fault('delete_queue', name={queue!r})", *self._frames(step)]

    def _do_declare(self, step: TraceStep, args: dict[str, Any]) -> _LINES | None:
        """Declare a queue, which takes a commit; so none may be held back then."""
        if "BUFFERED" in self._levels() or "WRITTEN" in self._levels():
            return None
        line = next(
            one.line
            for one, replica in zip(self._queues(), self.replicas, strict=True)
            if self.of(replica) == args["queue"]
        )
        held = [one for one in self._holds() if "hold_fsync" in one]
        freed = ["run.fault('release_fsync')" for _ in held]
        return [*freed, line, *held, *self._frames(step)]

    def _levels(self) -> set[str]:
        """Return how far messages have come on their way to the disk."""
        stores = (self.at(f"replicas[{replica}].store.level") for replica in self.replicas)
        return {level for store in stores for _, level in store}

    def _do_crash_machine(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        return ["run.restart_node()", *self._ready(step)]

    def _do_crash_node(self, step: TraceStep, args: dict[str, Any]) -> _LINES | None:
        if "WRITTEN" in self._levels():
            return None
        return ["run.restart_node()", *self._ready(step)]

    def _ready(self, step: TraceStep) -> _LINES:
        """Return the lines that look at what is in the queues after a restart.

        That is what has reached the disk; a queue that is gone is not looked at.
        """
        assert step.after is not None
        self.now = step.after
        found = []
        for replica in self.replicas:
            if self.at(f"replicas[{replica}].status") != "DOWN":
                continue
            levels = self.at(f"replicas[{replica}].store.level")
            kept = sum(level == "SYNCED" for _, level in levels)
            if self.constants[f"replicas.durable[{replica}]"]:
                found.append(f"run.ready({self.wire(self.of(replica))!r}, {kept})")
        return found

    def _do_alarm(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        return ["run.fault('block')", *self._frames(step)]

    def _do_alarm_clears(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        return ["run.fault('unblock')", *self._frames(step)]

    def _do_take(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        return self._consume("take", step, args)

    def _do_acknowledge(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        return self._consume("acknowledge", step, args)

    def _do_requeue(self, step: TraceStep, args: dict[str, Any]) -> _LINES:
        return self._consume("requeue", step, args)

    def _consume(self, what: str, step: TraceStep, args: dict[str, Any]) -> _LINES:
        queue = self.wire(self.of(args["replica"]))
        return [f"run.{what}({queue!r}, {str(args['msg'])!r})", *self._frames(step)]

    def _do_drop(self, step: TraceStep, args: dict[str, Any]) -> _LINES | None:
        ready = self.at(f"replicas[{args['replica']}].ready")
        if set(ready) != {step.instance.args[0]}:
            return None
        return [f"run.purge({self.wire(self.of(args['replica']))!r})", *self._frames(step)]
