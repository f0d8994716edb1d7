"""One channel of a connection, without its socket: what comes in on it, and what goes out.

A channel begins with channel.open.  A method either gets its reply or fails: softly, and the
channel closes, or hard, and the connection does (A2).  A closing channel sends nothing any more
and ignores everything but the answer to its close (A2.6), and a client that opens it again at once,
which RabbitMQ takes for a hard error.

Before a method is processed, the channel tells its publisher what is settled so far (A10.2): who
publishes and then asks for something hears in that order.  Before a publish it does not, nor before
a client settles deliveries: of much that comes together much is told together.  What each
method does is in `ackproof.impl.session.methods`.  What this broker does not do yet is refused as
540 NOT_IMPLEMENTED, and never half done.

Three may have something to say.  A method gets its reply, at once or when the disk has what the
reply promises.  The machines of the specification tell by events what has become of publishes, and
what consumers get.  And answers that no queue carries come from other channels.

A channel that fails says why, and nothing after that (A2.6); whoever closes it, the machines are
told.  It fails for what its client says, or because its client says nothing for too long (F3.4).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from ackproof.impl.errors import BodyTooLarge, HardError, SoftError
from ackproof.impl.machines.channels import HostedConsumer
from ackproof.impl.machines.publishing_machines import Place
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.session.channel_connection import ChannelConnection
from ackproof.impl.session.consumer_timeout import ConsumerTimeout
from ackproof.impl.session.entity_names import without_line_ends
from ackproof.impl.session.event_frames import encode_consumer_event, encode_event
from ackproof.impl.vhost.direct_reply_to import (
    ReplyConsumer,
    addressed,
    asks_for_reply,
    encode_reply,
)
from ackproof.impl.wire.content import Assembly, Message, whole_message
from ackproof.impl.wire.decoding import decode_method
from ackproof.impl.wire.frames import BODY, METHOD, Received, WholePublish, encode_method
from ackproof.lang import Event
from ackproof.spec.wire import Cancel, ChannelClose, Complaint
from pamqp import base, commands

__all__ = ["Handler", "Methods", "SessionChannel"]

#: Processes a method on a channel.
Handler = Callable[["SessionChannel", Any], None]

#: What to do for a method, by its type.
Methods = Mapping[type[base.Frame], Handler]

_PUBLISH = commands.Basic.Publish.index

#: The method that a channel was closed for, by what was wrong.
_COMPLAINED_OF = {
    Complaint.CONFIRM_TO_TX: commands.Tx.Select.index,
    Complaint.TX_TO_CONFIRM: commands.Confirm.Select.index,
    Complaint.PARTIAL_COMPLETION: commands.Tx.Commit.index,
}

#: Before these nothing is told: who publishes or settles much hears of it together (A10.1, A10.2).
_BASIC = commands.Basic
_UNTOLD = (_BASIC.Publish, _BASIC.Ack, _BASIC.Nack, _BASIC.Reject)

#: What only a broker says, besides all replies that end in `ok`.
_BROKERS = (commands.Basic.Deliver, commands.Basic.Return, commands.Basic.GetEmpty)


def _is_for_clients(method: base.Frame) -> bool:
    """Tell whether no client may send a method, or not on a channel of its own."""
    return (
        isinstance(method, _BROKERS)
        or method.name.endswith("Ok")
        or method.name.startswith("Connection.")
    )


class SessionChannel:
    """The state of one channel number of a session.

    Args:
        session: the connection that it is on.
        number: of the channel.
        methods: what to do for each method that a client may call.

    Attributes:
        vhost: the virtual host of the connection.
        opened: channel.open was received.
        assembly: the publish whose content is coming in.
        last_queue: name of the queue that was declared last here, which no name stands for.
        publishing: the spec's machines for what is published here.
        consuming: the spec's machines for what is consumed here.
        muted: what the machines tell is not sent on.
        closing: it has failed, and its client has not said yet that it has heard that.
        reply_consumer: who waits for replies here, if somebody does.
    """

    def __init__(self, session: ChannelConnection, number: int, methods: Methods) -> None:
        self.session = session
        self.broker = session.broker
        self.number = number
        self.publishing = self.broker.open_channel(self._tell, Place(session, number))
        self.consuming = self.broker.open_consumers(self.publishing, self._show, session.reads)
        self.consuming.most = session.limits.unacked
        self.consuming.lent = self._lend
        self.muted = False
        self.closing = False
        self.reply_consumer: ReplyConsumer | None = None
        self._withheld: list[bytes] | None = None
        self._consumer_timeout = ConsumerTimeout(session.limits.unacked_for)
        self.vhost = session.vhost
        self.access = session.access
        self.opened = False
        self.assembly: Assembly | None = None
        self.last_queue = ""
        self._methods = methods

    # -- frames in ------------------------------------------------------------------------------

    def receive(self, received: Received) -> None:
        """Process a frame.

        Raises:
            HardError: the connection has to be closed.
        """
        if self.closing:
            self._receive_closing(received)
            return
        index = _PUBLISH
        try:
            if received.kind == METHOD:
                index = received.method_index
                self._receive_method(decode_method(received, self.session.limits.table_depth))
            else:
                self._receive_content(received)
        except SoftError as error:
            self.fail(error, index)
        except HardError as error:
            self.session.fail(error, index if error.index is None else error.index)

    def whole_message(self, whole: WholePublish) -> Message | None:
        """Return the message of a publish that has come whole, if nothing about it is unusual."""
        if self.closing or not self.opened or self.assembly is not None:
            return None
        if not self.publishing.transaction.answers():
            return None
        session = self.session
        return whole_message(whole, session.user, session.limits, self.broker.memory)

    def publish(self, message: Message) -> None:
        """Publish a message that has come whole.

        Raises:
            HardError: the connection has to be closed.
        """
        try:
            self._publish(message, immediate=False)
        except SoftError as error:
            self.fail(error, _PUBLISH)
        except HardError as error:
            self.session.fail(error, _PUBLISH if error.index is None else error.index)

    def _receive_method(self, method: base.Frame) -> None:
        if self.assembly is not None:
            raise self.assembly.unexpected()
        if not self.publishing.transaction.answers():
            raise HardError(504, "unexpected command while processing 'tx.commit'")
        if not self.opened and not isinstance(method, commands.Channel.Open):
            raise HardError(504, "expected 'channel.open'")
        handle = self._methods.get(type(method))
        if handle is None:
            if _is_for_clients(method):
                raise HardError(503, "unimplemented method")
            raise HardError(540, f"{method.name} is not implemented")
        if not isinstance(method, _UNTOLD):
            self.broker.before_method()
            if not self.publishing.machine.open:
                return  # what had to be told first was the last thing: the connection broke
        handle(self, method)

    def _receive_content(self, received: Received) -> None:
        if self.assembly is None:
            raise HardError(505, "expected method frame, got non method frame instead")
        if received.kind == BODY:
            message = self.assembly.take_body(received.payload)
        else:
            message = self._take_header(self.assembly, received)
        if message is not None:
            immediate, self.assembly = self.assembly.immediate, None
            self._publish(message, immediate)

    def _take_header(self, assembly: Assembly, received: Received) -> Message | None:
        """Take a content header; other properties are looked at last (A3, guards 3, 4 and 6)."""
        try:
            return assembly.take_header(received)
        except BodyTooLarge:
            raise
        except SoftError:
            self._check_exchange(assembly.exchange)
            if asks_for_reply(received.payload) and self.reply_consumer is None:
                raise SoftError(406, "fast reply consumer does not exist") from None
            raise

    def _check_exchange(self, name: str) -> None:
        """Check that the client may publish to an exchange (A3, guards 2 to 4)."""
        self.access.check_write("exchange", name)
        self.vhost.topology.find_to_publish(name)

    def _publish(self, message: Message, immediate: bool) -> None:
        if message.exchange not in self.access.writable:
            self.access.check_publish(message.exchange)
        if asks_for_reply(message.properties):
            self._check_exchange(message.exchange)  # what is wrong there is first
            message = addressed(message, self.reply_consumer)
        self.vhost.publish(self.publishing, message, immediate)

    def _receive_closing(self, received: Received) -> None:
        if received.kind != METHOD:
            return
        method = decode_method(received)
        if isinstance(method, commands.Channel.Open):
            self.session.fail(HardError(504, "second 'channel.open' seen"), method.index)
        elif isinstance(method, commands.Channel.Close):
            self.reply(commands.Channel.CloseOk())
        elif isinstance(method, commands.Channel.CloseOk):
            self.forget()

    def forget(self) -> None:
        """The channel is closed on both sides; its number may be used again."""
        self.session.forget_channel(self.number)

    # -- queues by name -------------------------------------------------------------------------

    def find_queue(self, name: object) -> HostedQueue:
        """Return a queue by name; no name means the one that was declared last here.

        Raises:
            SoftError: 404, there is none; 405, it belongs to another connection.
        """
        return self.vhost.find(self.queue_name(name), self.session)

    def queue_name(self, name: object) -> str:
        """Return the name of a queue; no name means the one that was declared last here.

        Raises:
            SoftError: 404, no queue was declared here.
        """
        found = without_line_ends(name) or self.last_queue
        if not found:
            raise SoftError(404, "no previously declared queue")
        return found

    # -- what goes out --------------------------------------------------------------------------

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
            self.fail(SoftError(406, event.complaint.value), _COMPLAINED_OF[event.complaint])
        elif not self.muted:
            frame_max = self.session.frame_max
            tag = self.publishing.tag
            self.session.send(encode_event(event, message, tag, self.number, frame_max))

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

    def find_consumer(self, tag: str) -> HostedConsumer | None:
        """Return the consumer with this tag; None if there is none.

        Its queue is in reach; one across a partition is given up for that, with its consumers.
        """
        if (consumer := self.consuming.consumers.get(tag)) is not None:
            self.broker.steps.partitions.await_answer(consumer.queue)
        return self.consuming.consumers.get(tag)

    def cancel_consumer(self, tag: str) -> None:
        """Cancel a consumer as a queue does that is gone: the client may want to hear it (F3.3)."""
        if (consumer := self.find_consumer(tag)) is None:
            return  # it has lost its queue, and was told
        self.muted = True
        self.broker.steps.serving.cancel(consumer)
        self.muted = False
        if self.session.wants_cancels:
            self.reply(commands.Basic.Cancel(tag, nowait=True))

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
        """The channel is closed, by whomever: the machines are told, and nothing more comes in.

        One that has failed is closed since then.
        """
        if self.closing:
            return
        self.broker.consumer_timeouts.forget(self)
        self.forget_replies()
        if self.publishing.machine.open:
            self.broker.steps.closing.close(self.publishing)
        self.assembly = None

    def _lend(self) -> None:
        """The client has a delivery to settle; some time later it is looked whether it has."""
        if not self._consumer_timeout.pending:
            self.check_consumer_timeout()

    def check_consumer_timeout(self) -> None:
        """See whether the client owes an ack for too long; if so, the channel closes (F3.4)."""
        machine = self.consuming.machine
        last, oldest = cast(int | None, machine.last_tag), cast(int | None, self.consuming.oldest)
        if self._consumer_timeout.expired(
            self.broker.steps.context.timers.clock(), last or 0, oldest
        ):
            milliseconds = round(self.session.limits.unacked_for * 1000)
            self.fail(
                SoftError(
                    406,
                    f"delivery acknowledgement on channel {self.number} timed out. "
                    f"Timeout value used: {milliseconds} ms. "
                    "This timeout value can be configured, see consumers doc guide to learn more",
                )
            )
        elif self._consumer_timeout.pending:
            self.broker.consumer_timeouts.set(self, self._consumer_timeout.next_check)
