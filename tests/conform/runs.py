"""Runs of the specification's system, as the events that somebody sees who stands before its door.

An action that a client causes gives what the client says; what the broker says are the frames of
the step.  Publishers and consumers have channels of their own, or share them, as the instance says.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from ackproof.conform.events import Event, Kind
from ackproof.conform.judge import ChannelJudge
from ackproof.conform.violations import Violation
from ackproof.lang.binding import Bound, bind
from ackproof.lang.model import Design, Instance
from ackproof.model.live import Live, State
from ackproof.model.plain import PlainMachine, Step
from ackproof.model.programs import program_of
from ackproof.spec import wire
from ackproof.spec.model import MODEL

#: How often a run has a fault, if there may be one.
_RARELY = 0.04

#: A channel: its name, and whether it is the one that consumers have for themselves.
Name = tuple[str, bool]


class Said(NamedTuple):
    """An event, and the channel that it is on."""

    channel: Name
    event: Event


@cache
def bound_to(name: str, design: Design | None = None) -> Bound:
    """Return the specification, or a design, at the sizes of an instance."""
    instance = next(i for i in MODEL.instances if i.name == name)
    return bind_to(instance, design)


def bind_to(instance: Instance, design: Design | None = None) -> Bound:
    """Return the specification, or a design, at these sizes."""
    return bind(MODEL, instance, design, program=program_of(MODEL, design))


class Reporter:
    """Tells the events of steps."""

    def __init__(self, bound: Bound) -> None:
        self._root: Any = Live(bound).root
        self._shared = self._root.shared
        channels = self._root.channels.items()
        self._inside = {str(key) for key, value in channels if value.carries_for is not None}
        self._plain: dict[str, int] = {}  # messages that took a number before confirm.select

    def _home(self, channel: Any, consuming: bool) -> Name:
        return str(channel), consuming and not self._shared

    def _owner(self, element: Any) -> str:
        return (
            str(getattr(element, "owner", "ch1"))
            if not isinstance(element, str)
            else (element.partition(".")[0] if "." in element else "ch1")
        )

    def _of(self, element: Any, consuming: bool) -> Name:
        return self._home(self._owner(element), consuming)

    def events(self, step: Step) -> Iterator[Said]:
        """Yield what was said in a step; what a broker says to itself nobody hears (Q12.2)."""
        return (said for said in self._said(step) if said.channel[0] not in self._inside)

    def _said(self, step: Step) -> Iterator[Said]:
        action = step.instance.action
        args = dict(zip((p.name for p in action.params), step.instance.args, strict=True))
        yield from self._asked(action.name, args)
        for frame in step.events:
            yield from self._sent(action.name, args, frame)
        if action.name in ("close", "close_consumers"):
            home = self._home(args["channel"], action.name == "close_consumers")
            yield Said(home, Event(Kind.CLOSE_OK))

    def _asked(self, name: str, args: dict[str, Any]) -> Iterator[Said]:
        publishing = self._home(args.get("channel"), False)
        consuming = self._home(args.get("channel"), True)
        simple = {
            "select": Kind.SELECT,
            "tx_select": Kind.TX_SELECT,
            "tx_commit": Kind.COMMIT,
            "tx_rollback": Kind.ROLLBACK,
            "close": Kind.CLOSE,
        }
        if name in simple:
            yield Said(publishing, Event(simple[name]))
        elif name == "publish_unroutable":
            event = Event(Kind.PUBLISH, mandatory=args["mandatory"], digest="plain")
            yield Said(publishing, event)
        elif name in ("publish", "publish_plain", "publish_in_tx"):
            digest = {"publish": str(args["msg"]), "publish_plain": "", "publish_in_tx": "tx"}[name]
            mandatory = bool(args.get("mandatory"))
            if name == "publish_plain":
                owner = self._owner(args["msg"])
                self._plain[owner] = self._plain.get(owner, 0) + 1
            event = Event(Kind.PUBLISH, mandatory=mandatory, digest=digest)
            yield Said(self._of(args["msg"], False), event)
        elif name == "consume":
            yield from self._starts(args["consumer"])
        elif name == "cancel":
            stop = Event(Kind.STOP, consumer=str(args["consumer"]))
            yield Said(self._of(args["consumer"], True), stop)
        elif name in ("get", "get_empty"):
            yield Said(consuming, Event(Kind.GET, no_ack=bool(args.get("no_ack"))))
        elif name == "recover":
            yield Said(consuming, Event(Kind.RECOVER))
        elif name == "close_consumers":
            yield Said(consuming, Event(Kind.CLOSE))
        elif name == "reopen":
            yield Said(consuming, Event(Kind.OPEN))
            yield Said(consuming, Event(Kind.OPEN_OK))

    def _starts(self, consumer: Any) -> Iterator[Said]:
        home = self._of(consumer, True)
        known = {str(key): value for key, value in self._root.subscriptions.items()}
        limit = known[str(consumer)].prefetch
        shared = {str(key): value for key, value in self._root.consuming.items()}
        common = shared[home[0]].shared_prefetch
        for event in (
            Event(Kind.QOS, prefetch=limit),
            Event(Kind.QOS_OK),
            Event(Kind.QOS, prefetch=common, shared=True),
            Event(Kind.QOS_OK),
            Event(Kind.CONSUME, consumer=str(consumer), no_ack=known[str(consumer)].no_ack),
            Event(Kind.CONSUME_OK, consumer=str(consumer)),
        ):
            yield Said(home, event)

    def _sent(self, name: str, args: dict[str, Any], frame: Any) -> Iterator[Said]:
        kind = Kind(type(frame).__name__) if type(frame).__name__ in set(Kind) else None
        match frame:
            case wire.Ack() | wire.Nack():
                number = getattr(frame.tag, "number", frame.tag)
                tag = number - self._plain.get(str(frame.channel), 0)
                event = Event(str(kind), tag=tag, multiple=frame.multiple)
                yield Said(self._home(frame.channel, False), event)
            case wire.Return():
                alike = "tx" if name == "tx_commit" else "plain"
                digest = alike if frame.msg is None else str(frame.msg)
                yield Said(self._home(frame.channel, False), Event(Kind.RETURN, digest=digest))
            case wire.Deliver():
                event = Event(Kind.DELIVER, tag=frame.tag, consumer=str(frame.consumer))
                yield Said(self._of(frame.consumer, True), event)
            case wire.GetOk():
                yield Said(self._home(frame.channel, True), Event(Kind.GET_OK, tag=frame.tag))
            case wire.ConsumerAck() | wire.ConsumerReject():
                event = Event(str(kind), tag=frame.tag or 0, multiple=frame.multiple)
                yield Said(self._home(frame.channel, True), event)
            case wire.ChannelClose():
                unknown = frame.complaint == wire.Complaint.UNKNOWN_TAG
                event = Event(Kind.CHANNEL_CLOSE, text=frame.complaint.value)
                yield Said(self._home(frame.channel, unknown), event)
            case wire.Cancel() | wire.CancelOk():
                event = Event(str(kind), consumer=str(frame.consumer))
                yield Said(self._of(frame.consumer, True), event)
            case wire.Blocked() | wire.Unblocked():
                return
            case wire.GetEmpty() | wire.RecoverOk():
                yield Said(self._home(args["channel"], True), Event(str(kind)))
            case _:
                channel = getattr(frame, "channel", args.get("channel"))
                yield Said(self._home(channel, False), Event(str(kind)))


def walk(bound: Bound, rng: random.Random, length: int) -> Iterator[tuple[State, Step]]:
    """Yield the steps of a random run, each with the state before it.

    An action is drawn first, a fault rarely, and its arguments then, so that no action drowns in
    another's arguments.
    """
    with PlainMachine(bound) as machine:
        state: State | None = machine.initial()
        instances: dict[str, list[int]] = {}
        for number, instance in enumerate(machine.instances):
            instances.setdefault(instance.action.name, []).append(number)
        faults = {i.action.name for i in machine.instances if i.action.kind == "fault"}
        for _ in range(length):
            order = sorted(instances, key=lambda name: rng.random() + 2 * (name in faults))
            if rng.random() < _RARELY:
                order.reverse()
            step = None
            for name in order:
                numbers = rng.sample(instances[name], len(instances[name]))
                step = next(filter(None, (machine.step(state, n) for n in numbers)), None)
                if step is not None:
                    break
            if step is None:
                return
            yield state, step
            state = step.after
            if state is None:
                return


class Judges:
    """A judge for each channel of a run.

    Attributes:
        first: the first violation on any channel.
    """

    def __init__(self, bound: Bound | None = None) -> None:
        self.first: Violation | None = None
        self._reporter = Reporter(bound) if bound else None
        self._judges: dict[Name, ChannelJudge] = {}

    def take(self, step: Step) -> None:
        """Take a step of the run."""
        assert self._reporter is not None
        self.hear(self._reporter.events(step))

    def hear(self, said: Iterable[Said]) -> None:
        """Take what was said."""
        for channel, event in said:
            judge = self._judges.setdefault(channel, ChannelJudge())
            self.first = self.first or judge.take(event)

    @classmethod
    def of(cls, said: Iterable[Said]) -> Judges:
        """Return judges of all that was said."""
        judges = cls()
        judges.hear(said)
        return judges
