"""One channel of a connection, without its socket: what goes out on it, and how it ends.

Three may have something to say.  A method gets its reply, at once or when the disk has what the
reply promises.  The machines of the specification tell by events what has become of publishes, and
what consumers get.  And answers that no queue carries come from other channels.

A channel that fails says why, and nothing after that (A2.6); whoever closes it, the machines are
told.  It fails for what its client says, or because its client says nothing for too long (F3.4).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from ackproof.impl.errors import SoftError
from ackproof.impl.machines.consuming import ConsumingChannel
from ackproof.impl.machines.publishing import Place
from ackproof.impl.session.patience import Patience
from ackproof.impl.steps.replying import ReplyConsumer, encode_reply
from ackproof.impl.wire.content import Message
from ackproof.impl.wire.frames import encode_method
from ackproof.impl.wire.replies import encode_consumer_event, encode_event
from ackproof.spec.lang import Event
from ackproof.spec.wire import Cancel, ChannelClose
from pamqp import base, commands

if TYPE_CHECKING:
    from ackproof.impl.session.session import Session

__all__ = ["SpeakingChannel"]


class SpeakingChannel:
    """What a channel says.

    Attributes:
        publishing: the spec's machines for what is published here.
        consuming: the spec's machines for what is consumed here.
        muted: what the machines tell is not sent on.
        closing: it has failed, and its client has not said yet that it has heard that.
        reply_consumer: who waits for replies here, if somebody does.
    """

    def __init__(self, session: Session, number: int) -> None:
        self.session = session
        self.broker = session.broker
        self.number = number
        self.publishing = self.broker.open_channel(self._tell, Place(session, number))
        self.consuming = ConsumingChannel(self._show, session.reads, self.publishing.in_transaction)
        self.consuming.most = session.limits.unacked
        self.consuming.place = self.publishing.place
        self.consuming.lent = self._lend
        self.muted = False
        self.closing = False
        self.reply_consumer: ReplyConsumer | None = None
        self._withheld: list[bytes] | None = None
        self._patience = Patience(session.limits.unacked_for)

    def reply(self, method: base.Frame) -> None:
        """Send a method to the client."""
        self.session.send(encode_method(method, self.number))

    def answer(self, reply: Callable[[], None], *, on_disk: bool) -> None:
        """Reply now, or as soon as what the reply promises is on the disk."""
        if not on_disk:
            reply()
            return

        def stored() -> None:
            reply()
            self.session.resume()

        self.session.wait()
        self.broker.journal.after_commit(stored)

    def _tell(self, event: Event, message: Message | None) -> None:
        if isinstance(event, ChannelClose):
            self.fail(SoftError(406, event.complaint.value), commands.Tx.Commit.index)
        elif not self.muted:
            frame_max = self.session.frame_max
            self.session.send(encode_event(event, message, self.number, frame_max))

    def _show(self, event: Event) -> None:
        """Tell the client of its consumers; that one was cancelled only if it wants to know."""
        unwanted = isinstance(event, Cancel) and not self.session.wants_cancels
        if self.muted or unwanted:
            return
        frame_max = self.session.frame_max
        frames = encode_consumer_event(event, self.consuming, self.number, frame_max)
        if self._withheld is not None and isinstance(event, Cancel):
            self._withheld.append(frames)
        else:
            self.session.send(frames)

    def withhold_cancels(self) -> None:
        """Tell of cancelled consumers later: who deletes a queue hears that it is gone first."""
        self._withheld = []

    def release_cancels(self) -> None:
        """Tell of the consumers that were cancelled meanwhile."""
        withheld, self._withheld = self._withheld, None
        for frames in withheld or ():
            self.session.send(frames)

    # -- replies --------------------------------------------------------------------------------

    def await_replies(self, tag: str, token: str) -> None:
        """From now on replies are delivered here, to a consumer of this tag."""
        self.reply_consumer = self.broker.replies.enter(tag, token, self._deliver_reply)

    def forget_replies(self) -> None:
        """From now on no replies are delivered here."""
        if self.reply_consumer is not None:
            self.broker.replies.forget(self.reply_consumer)
            self.reply_consumer = None

    def _deliver_reply(self, message: Message) -> None:
        assert self.reply_consumer is not None
        tag = cast(int, self.consuming.machine.next_tag())
        frame_max = self.session.frame_max
        self.session.send(encode_reply(self.reply_consumer, tag, message, self.number, frame_max))
        self.broker.history.note(
            "reply",
            connection=self.session.number,
            channel=self.number,
            consumer=self.reply_consumer.tag,
        )

    # -- ending ---------------------------------------------------------------------------------

    def fail(self, error: SoftError, index: int = 0) -> None:
        """Close the channel, because of a method or, if its index is 0, of none."""
        close = commands.Channel.Close(error.code, error.text, index >> 16, index & 0xFFFF)
        self.reply(close)
        self.closed()
        self.closing = True

    def closed(self) -> None:
        """The channel is closed, by whomever: the machines are told."""
        self.broker.debtors.forget(self)
        self.forget_replies()
        self.broker.close_channel(self.publishing)
        self.broker.steps.end_consumers(self.consuming)

    def _lend(self) -> None:
        """The client has a delivery to settle; some time later it is looked whether it has."""
        if not self._patience.tried:
            self.look()

    def look(self) -> None:
        """See whether the client owes an ack for too long; if so, the channel closes (F3.4)."""
        machine = self.consuming.machine
        last, oldest = cast(int | None, machine.last_tag), cast(int | None, self.consuming.oldest)
        if self._patience.look(self.broker.steps.clock(), last or 0, oldest):
            milliseconds = round(self.session.limits.unacked_for * 1000)
            self.fail(
                SoftError(
                    406,
                    f"delivery acknowledgement on channel {self.number} timed out. "
                    f"Timeout value used: {milliseconds} ms. "
                    "This timeout value can be configured, see consumers doc guide to learn more",
                )
            )
        elif self._patience.tried:
            self.broker.debtors.set(self, self._patience.next)
