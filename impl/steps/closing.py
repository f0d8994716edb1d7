"""The steps by which a channel ends: its client closes it, it breaks, or the system closes it.

What a client had and did not settle returns to its queues; what is on its way still arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.queue_processes import HostedMirror
from ackproof.impl.steps.answers import Answers
from ackproof.impl.steps.context import Context, Part
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.serving import Serving
from ackproof.spec.sorts import ChannelId
from ackproof.spec.wire import ChannelClose

__all__ = ["Closing"]


class Closing(Part):
    """Channels close (A14, F3)."""

    def __init__(self, context: Context, serving: Serving, answers: Answers) -> None:
        super().__init__(context)
        self.serving = serving
        self.answers = answers

    @observed
    def close(self, channel: PublishingChannel) -> None:
        """A channel closes, or its connection breaks; the queues go on (A14, F3.2)."""
        with self._closing(channel):
            self.system.close(channel.id)

    def closing_if_refused(
        self, channel: PublishingChannel, step: Callable[[ChannelId], None]
    ) -> None:
        """Take a step in which the system may close a channel, and says why (A2.1, A13.5)."""
        with self._closing(channel):
            step(channel.id)
        complaints, self.context.complaints[:] = list(self.context.complaints), []
        for complaint in complaints:
            assert isinstance(complaint, ChannelClose)
            channel.hear(complaint)

    @contextmanager
    def _closing(self, channel: PublishingChannel) -> Iterator[None]:
        """A channel may close in a step: what it has not settled returns to its queues (B7.5)."""
        consuming = self.consuming.get(channel.id)
        loans = [] if consuming is None else consuming.unsettled()
        with self.serving.returned(loans):
            yield
            if channel.machine.open:
                loans.clear()
        if not channel.machine.open:
            self._closed(channel)

    def _closed(self, channel: PublishingChannel) -> None:
        """A channel has closed, or its connection has broken; the queues go on (A14).

        What was not committed never was (A13.7), and its consumers end.  What is on its way still
        arrives; until then a queue that dies takes it along.  Mirrors wait for
        nothing more (D4.16).
        """
        channel.batch.clear()
        consuming = self.consuming.pop(channel.id, None)
        if consuming is not None:
            self.serving.end_consumers(consuming)
        if self.context.faults is not None:
            self.context.faults.closed(channel)
        for queue in list(channel.watching):
            if isinstance(queue, HostedMirror) and queue.machine.mirrors():
                queue.await_end(channel)
            if channel.casts.next_for(queue.key) is None:
                self.answers.unwatch(channel, queue)
        self.answers.forget(channel)
