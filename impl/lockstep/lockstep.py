"""Lockstep: every action of the broker's system, taken by the specification's own system as well.

What the broker does are actions of a system that is a translation of the specification, kept by
other means where there is much of it (see `ackproof.impl.machines.hosted_system`), and with effects
of the broker around them.  `Lockstep` watches that: each action is taken again by a twin, which is
the specification as it stands.  It must be possible there; all that is claimed of states and of
steps must be true; and when the broker's step is over, both sides must be the same.  This is a
refinement check.

In the specification a channel monitors all processes, and in the broker those that it has cast to
(A5.7).  So the twin's channels hear at once what the broker's never will.

It costs milliseconds a step and more with every message that is on its way or in a queue, and is
for tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ackproof.impl.lockstep.claims import violated
from ackproof.impl.lockstep.comparing import differences
from ackproof.impl.lockstep.remains import drop, gone
from ackproof.impl.lockstep.twin import Change, Ranks, Taken, Twin, changes, plain, ranks_of
from ackproof.impl.machines.publication import Publication
from ackproof.impl.steps.steps import Steps
from ackproof.impl.storage.journal import Batch
from ackproof.lang import NotEnabled
from ackproof.lang.process import mark_of
from ackproof.spec.sorts import ChannelId, Msg, Replica
from ackproof.spec.system import Confirms

__all__ = ["Deviation", "Lockstep"]

#: How many messages a twin has before it looks what it can forget.
_MANY = 24


class Deviation(AssertionError):
    """The broker did what the specification does not, or something it claims is false."""


class Lockstep:
    """An observer that takes each action again, by the specification.

        lockstep = Lockstep(broker.steps)
        ...
        lockstep.check()

    What is found first is kept, and is raised out of whatever caused the step; after that nothing
    is compared any more.

    Attributes:
        taken: the actions that were taken so far.
    """

    def __init__(self, steps: Steps) -> None:
        self.taken: list[Taken] = []
        self._hosted = steps.context.system
        nodes = steps.context.system.cluster.size()
        self._now, self._before = Twin(nodes), Twin(nodes)
        self._pending: Taken | None = None
        self._depth = 0
        self._enough = _MANY
        self._asked: Any = None  # the elements that there were when all was true, if that is known
        self._found: Deviation | None = None
        for twin in (self._now, self._before):
            twin.resemble(self._hosted)
        for name in dir(Confirms):
            mark = mark_of(getattr(Confirms, name, None))
            if mark is not None and mark.kind in ("action", "fault"):
                setattr(self._hosted, name, self._tapped(name, getattr(self._hosted, name)))
        steps.observe(self)

    @property
    def twin(self) -> Twin:
        """The specification's side, after the last action."""
        return self._now

    def check(self) -> None:
        """Look whether the broker has done what the specification does.

        Raises:
            Deviation: it has not.
        """
        if self._found is not None:
            raise self._found

    # -- actions --------------------------------------------------------------------------------

    def _tapped(self, name: str, act: Callable[..., None]) -> Callable[..., None]:
        """Return an action of the broker's system after which the twin takes it, too."""

        def take(*args: Any) -> None:
            changed = tuple(changes(self._hosted, self._now))
            ranks = ranks_of(self._hosted, args)
            act(*args)
            if self._found is None:
                msgs = [plain(arg) for arg in args if isinstance(arg, Publication)]
                step = Taken(name, tuple(map(plain, args)))
                self._guarded(self._follow, step, changed, ranks, msgs)

        return take

    def _guarded(self, what: Callable[..., None], *args: Any) -> None:
        try:
            what(*args)
        except Deviation as deviation:
            self._found = deviation
            raise
        except Exception as error:  # whatever it is, nothing can be compared any more
            what_broke = f"{type(error).__name__}: {error}"
            self._found = Deviation(f"{what_broke}; the steps were {self.story()}")
            raise

    def _follow(
        self, step: Taken, changed: Iterable[Change], ranks: Ranks, msgs: Iterable[Msg]
    ) -> None:
        self._learn(changed, ranks, msgs)
        self._take(step)

    def _take(self, step: Taken) -> None:
        """Take an action, and look whether everything claimed is true."""
        self.taken.append(step)
        try:
            self._now.take(step)
        except NotEnabled:
            raise Deviation(
                f"the broker took {step}, which the specification does not allow here; "
                f"it had taken {self.story()}"
            ) from None
        self._pending = step
        elements = self._now.elements()
        alone = elements == self._asked
        for claim in violated(self._before, self._now, step, alone=alone):
            raise Deviation(f"{claim.name} is false: {claim.doc}  The steps were {self.story()}")
        self._asked = elements

    def _learn(self, changed: Iterable[Change], ranks: Ranks, msgs: Iterable[Msg] = ()) -> None:
        """The twin that is a step behind takes that, and then both get what is new."""
        if self._pending is not None:
            self._before.take(self._pending)
            self._pending = None
        changed, msgs = tuple(changed), tuple(msgs)
        if changed or ranks:
            self._asked = None
        for twin in (self._now, self._before):
            twin.learn(changed, ranks, msgs)

    def story(self, last: int = 30) -> str:
        """Return the last actions in words."""
        left_out = "… " if len(self.taken) > last else ""
        return left_out + ", ".join(map(str, self.taken[-last:]))

    # -- steps of the broker --------------------------------------------------------------------

    def before(self, step: str, arguments: tuple[Any, ...]) -> None:
        """A step is about to be taken."""
        self._depth += 1

    def after(self, step: str, arguments: tuple[Any, ...]) -> None:
        """A step was taken: both sides are the same, unless it is part of another one."""
        self._depth -= 1
        if self._depth == 0 and self._found is None:
            self._guarded(self._compare)

    def not_taken(self, step: str, arguments: tuple[Any, ...]) -> None:
        """A step was not possible, or has failed: so much for that."""
        self._depth -= 1

    def committed(self, batch: Batch) -> None:
        """A commit has returned; the queues notice by their step `sync`."""

    def _compare(self) -> None:
        self._learn(changes(self._hosted, self._now), {})
        self._hear()
        for difference in differences(self._hosted, self._now):
            raise Deviation(f"{difference}; the steps were {self.story()}")
        if len(self._now.messages) > self._enough:
            self._learn((), {})
            elements = gone(self._hosted, self._now)
            for twin in (self._now, self._before):
                drop(twin, elements)
            self._enough = 2 * len(self._now.messages) + _MANY

    def _hear(self) -> None:
        """Channels hear of processes that they have nothing to do with in the broker (A5.7).

        What one would hear only when a partition is over is taken from it: it changes nothing.
        """
        for channel, casts in list(self._now.system.casts.items()):
            theirs = self._hosted.casts.get(channel)
            for replica in list(casts.downs):
                if theirs is not None and theirs.downs[replica] is not None:
                    continue
                self._learn((), {})
                if not self._now.system.last_words(channel, replica):
                    self._take(Taken("down_arrives", (channel, replica)))
                elif not self._waits(channel, replica):
                    self._asked = None
                    for twin in (self._now, self._before):
                        twin.system.casts[channel].downs[replica] = None

    def _waits(self, channel: ChannelId, replica: Replica) -> bool:
        """Tell whether a channel waits for an answer of a process."""
        unconfirmed = self._now.system.channels[channel].unconfirmed
        return any(replica in waited for waited in unconfirmed.values())
