"""A channel's shadow model: the specification's own system, doing what the broker does.

The broker holds machines of the specification and takes its steps itself, for many channels at
once.  A shadow is one `Confirms` as the specification composes it, of one confirming channel and
the queues it publishes to; it takes the step that the broker took, by the action's own method.  So
it says whether the specification allows that step, what the machines hold after it, and whether
every property that is claimed of states and of steps is true.

A claim about a step needs the state before it as well.  Therefore there are two systems, and one
of them is always a step behind.

What other channels publish is not in a shadow: a claim about a channel is about its own messages.
Their queues are, and whoever takes this channel's messages out of them, as somebody unnamed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, get_type_hints

from ackproof.impl.lockstep.shadow_system import CHANNEL, Copy, Left, Taken
from ackproof.lang import Event, NotEnabled
from ackproof.lang.properties import Property
from ackproof.lang.sorts import bound_to
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.model import MODEL
from ackproof.spec.sorts import ChannelId, Consumer, Msg, Node, Queue, Replica, Tag
from ackproof.spec.system import Confirms

__all__ = ["Deviation", "Shadow"]


class Deviation(AssertionError):
    """The broker did what the specification does not, or something it claims is false."""


class Shadow:
    """The specification beside one channel, which confirms or is transactional.

    Args:
        transactional: which of the two.

    Attributes:
        steps: what was taken so far.
    """

    def __init__(self, *, transactional: bool = False) -> None:
        self.steps: list[Taken] = []
        self._now = Copy()
        self._before = Copy()
        self._ranks: dict[Queue, dict[Msg, tuple[int, Msg]]] = {}
        self._published = 0
        self.take("tx_select" if transactional else "select", CHANNEL)

    @property
    def system(self) -> Confirms:
        """The state after the last step."""
        return self._now.system

    def join(self, key: Replica, like: QueueProcess, *, late: bool = False) -> None:
        """A process becomes known, which has none of this channel's messages.

        Args:
            key: its name.
            like: what it is.
            late: it is about to join its queue, if it is one that was not there from the start.
        """
        ranks = self._ranks.setdefault(like.of, {})
        for copy in (self._now, self._before):
            copy.add(key, like, ranks)
            if like.joined and not late:
                copy.add_late(key)

    def add_dead(self, key: Replica, of: Queue) -> None:
        """A process becomes known that has ended before."""
        for copy in (self._now, self._before):
            copy.add_dead(key, of)

    def rank(self, number: Msg, of: Queue, rank: int) -> None:
        """A message comes after all of a lower rank in a queue."""
        self._ranks.setdefault(of, {})[number] = (rank, number)

    def take(
        self,
        action: str,
        *args: Any,
        full: Replica | None = None,
        left: Mapping[Replica, Left] | None = None,
    ) -> None:
        """Take a step, and look whether everything claimed is true.

        Args:
            action: a method of the system.
            args: its arguments.
            full: a queue that has no room for what this step brings it.
            left: what is still on its way to mirrors, if their master ends in this step.

        Raises:
            Deviation: the specification does not allow the step here, or a property is false.
        """
        step = Taken(action, args, full, left)
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
        queues = tuple(dict.fromkeys(one.of for one in self.system.replicas.values()))
        with bound_to(
            {
                ChannelId: (CHANNEL,),
                Msg: tuple(range(1, self._published + 2)),
                Queue: queues,
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
