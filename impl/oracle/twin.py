"""A channel's twin: the specification's own system, doing what the broker does.

The broker holds machines of the specification and takes its steps itself, for many channels at
once.  A twin is one `Confirms` as the specification composes it, for one confirming channel and
the queues it publishes to; it takes the step that the broker took, by the action's own method.  So
it says whether the specification allows that step, what the machines hold after it, and whether
every property that is claimed of states and of steps is true.

A claim about a step needs the state before it as well.  Therefore there are two systems, and one
of them is always a step behind.

What other channels publish is not in a twin: a claim about a channel is about its own messages.
Their queues are, and whoever takes this channel's messages out of them, as somebody unnamed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, cast, get_args, get_origin, get_type_hints

from ackproof.spec.lang import Each, Event, NotEnabled, Process
from ackproof.spec.lang.process import hints_of, observers_of
from ackproof.spec.lang.properties import Property
from ackproof.spec.lang.sorts import bound_to
from ackproof.spec.model import MODEL
from ackproof.spec.sorts import Consumer, Msg, Node, Overflow, Queue, Replica, Status, Tag
from ackproof.spec.system import Confirms

__all__ = ["Deviation", "Taken", "Twin"]


class Deviation(AssertionError):
    """The broker did what the specification does not, or something it claims is false."""


class Taken(NamedTuple):
    """A step that was taken: an action of the specification, and its arguments."""

    action: str
    args: tuple[Any, ...] = ()
    full: Replica | None = None  # a queue that has no room in this step

    def __str__(self) -> str:
        return f"{self.action}({', '.join(map(str, self.args))})"


#: The parts of the system of which there is one for each process of a queue, and their classes.
_OF_REPLICAS: dict[str, type[Process]] = {
    part: get_args(hint)[1]
    for part, hint in hints_of(Confirms).items()
    if get_origin(hint) is Each and get_args(hint)[0] is Replica
}


class _Copy:
    """One of the two systems of a twin, with the events of its last step."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.system = Confirms(emit=self._emit, ghosts=True, transactions=True)
        self._observers = observers_of(self.system)

    def _emit(self, event: Event) -> None:
        self.events.append(event)
        for kind, observe in self._observers:
            if isinstance(event, kind):
                observe(event)

    def join(self, key: Replica, durable: bool, status: Status) -> None:
        for part, member in _OF_REPLICAS.items():
            getattr(self.system, part)[key] = member(emit=self._emit, ghosts=True)
        process = self.system.replicas[key]
        process.of, process.durable = cast(Queue, key), durable
        process.status = status

    def take(self, step: Taken) -> None:
        self.events.clear()
        with self._full(step.full):
            getattr(self.system, step.action)(*step.args)

    @contextmanager
    def _full(self, key: Replica | None) -> Iterator[None]:
        """Give a queue a limit that it has reached, and that refuses what comes (B5.3)."""
        if key is None:
            yield
            return
        process = self.system.replicas[key]
        before = process.limited, process.max_length, process.overflow
        process.limited, process.max_length = True, 0
        process.overflow = Overflow.REJECT_PUBLISH
        try:
            yield
        finally:
            process.limited, process.max_length, process.overflow = before


class Twin:
    """The specification beside one channel, which confirms or is transactional.

    Args:
        transactional: which of the two.

    Attributes:
        steps: what was taken so far.
    """

    def __init__(self, *, transactional: bool = False) -> None:
        self.steps: list[Taken] = []
        self._now = _Copy()
        self._before = _Copy()
        self._published = 0
        self.take("tx_select" if transactional else "select")

    @property
    def system(self) -> Confirms:
        """The state after the last step."""
        return self._now.system

    def join(self, key: Replica, *, durable: bool, status: Status) -> None:
        """A queue becomes known, which has none of this channel's messages."""
        if key not in self.system.replicas:
            for copy in (self._now, self._before):
                copy.join(key, durable, status)

    def take(self, action: str, *args: Any, full: Replica | None = None) -> None:
        """Take a step, and look whether everything claimed is true.

        Args:
            action: a method of the system.
            args: its arguments.
            full: a queue that has no room for what this step brings it.

        Raises:
            Deviation: the specification does not allow the step here, or a property is false.
        """
        step = Taken(action, args, full)
        if action in ("publish", "publish_in_tx"):
            self._published += 1
        with self.bound():
            if self.steps:
                self._before.take(self.steps[-1])
            self.steps.append(step)
            try:
                self._now.take(step)
            except NotEnabled:
                raise Deviation(
                    f"the broker took {step}, which the specification does not allow here; "
                    f"it had taken {self.story()}"
                ) from None
            for claim in _CLAIMS:
                self._check(claim)

    def _check(self, claim: Property) -> None:
        """Ask a claim of the last step, or of the state it led to."""
        if claim.kind == "invariant":
            true = claim.function(self.system)
        else:
            event = _event_of(claim.function)
            states = (self._before.system, self.system)
            true = (
                claim.function(*states)
                if event is None
                else all(
                    claim.function(*states, e) for e in self._now.events if isinstance(e, event)
                )
            )
        if not true:
            raise Deviation(f"{claim.name} is false: {claim.doc}  The steps were {self.story()}")

    def story(self, last: int = 30) -> str:
        """Return the last steps in words."""
        left_out = "… " if len(self.steps) > last else ""
        return left_out + ", ".join(map(str, self.steps[-last:]))

    @contextmanager
    def bound(self) -> Iterator[None]:
        """Give the sorts the elements that have come up so far, and one message more."""
        keys = tuple(self.system.replicas)
        with bound_to(
            {
                Msg: tuple(range(1, self._published + 2)),
                Queue: keys,
                Replica: keys,
                Node: (),
                Consumer: (),
                Tag: (1,),
            }
        ):
            yield


_CLAIMS = tuple(p for p in MODEL.properties if p.kind in ("invariant", "step"))
_EVENTS: dict[Callable[..., bool], type[Event] | None] = {}


def _event_of(function: Callable[..., bool]) -> type[Event] | None:
    """Return the class of events that a claim about steps asks about, if it does."""
    if function not in _EVENTS:
        hints = [h for name, h in get_type_hints(function).items() if name != "return"]
        _EVENTS[function] = next((h for h in hints if issubclass(h, Event)), None)
    return _EVENTS[function]
