"""Decoding: the bytes of one connection, in both directions, to events.

Bytes are fed as they pass, in pieces of any size.  A method is an event as soon as it is complete,
with its content, if it has one.  What a body was is kept as its size and a keyed digest, and of the
properties only the message-id and whether the message is persistent.

Channel 0 is the connection's own, on which a client says who it is: nothing of it becomes an event.

Whoever cannot be understood is not guessed at: after the first bytes that are no AMQP 0-9-1 nothing
more is decoded, and each channel that is open gets an event of kind `GAP`.

Who knows where a frame begins can go on there (`ConnectionDecoder.resume`): what came of a content
whose method is missing is passed over, and of one that is not complete nothing is told.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from ackproof.conform.events import Event, Kind
from ackproof.impl.errors import HardError
from ackproof.impl.wire.decoding import decode_method, read_properties, split_header
from ackproof.impl.wire.frames import BODY, HEADER, METHOD, FrameReader, Received
from ackproof.impl.wire.texts import readable

__all__ = ["ConnectionDecoder", "event_of", "header_of"]

#: What a frame may have at most, whatever was negotiated.
_FRAME_MOST = 1 << 30
_DIGEST_BYTES = 16
_PERSISTENT = 2

_Fields = Callable[[Any], dict[str, Any]]


def _nothing(method: Any) -> dict[str, Any]:
    return {}


def _settled(method: Any) -> dict[str, Any]:
    return {"tag": method.delivery_tag, "multiple": method.multiple}


def _rejected(method: Any) -> dict[str, Any]:
    fields = {"tag": method.delivery_tag, "requeue": method.requeue}
    return {**fields, "multiple": getattr(method, "multiple", False)}


def _route(method: Any) -> dict[str, Any]:
    """Return where a message was published to, of which a client may choose any bytes."""
    return {"exchange": readable(method.exchange), "key": readable(method.routing_key)}


def _published(method: Any) -> dict[str, Any]:
    return {**_route(method), "mandatory": method.mandatory}


def _returned(method: Any) -> dict[str, Any]:
    return {**_route(method), "code": method.reply_code, "text": readable(method.reply_text)}


def _delivered(method: Any) -> dict[str, Any]:
    return {
        "tag": method.delivery_tag,
        "redelivered": method.redelivered,
        **_route(method),
        "consumer": getattr(method, "consumer_tag", ""),
    }


def _started(method: Any) -> dict[str, Any]:
    fields = {"queue": method.queue, "consumer": method.consumer_tag, "no_ack": method.no_ack}
    return {**fields, "nowait": method.nowait}


def _named(method: Any) -> dict[str, Any]:
    return {"consumer": method.consumer_tag, "nowait": getattr(method, "nowait", False)}


#: What a client says: the kind of each method, and its fields.
_CLIENT: dict[str, tuple[Kind, _Fields]] = {
    "Channel.Open": (Kind.OPEN, _nothing),
    "Channel.Close": (Kind.CLOSE, lambda m: {"code": m.reply_code, "text": m.reply_text}),
    "Confirm.Select": (Kind.SELECT, lambda m: {"nowait": m.nowait}),
    "Tx.Select": (Kind.TX_SELECT, _nothing),
    "Tx.Commit": (Kind.COMMIT, _nothing),
    "Tx.Rollback": (Kind.ROLLBACK, _nothing),
    "Basic.Publish": (Kind.PUBLISH, _published),
    "Basic.Consume": (Kind.CONSUME, _started),
    "Basic.Cancel": (Kind.STOP, _named),
    "Basic.Qos": (Kind.QOS, lambda m: {"prefetch": m.prefetch_count, "shared": m.global_}),
    "Basic.Get": (Kind.GET, lambda m: {"queue": m.queue, "no_ack": m.no_ack}),
    "Basic.Ack": (Kind.CONSUMER_ACK, _settled),
    "Basic.Nack": (Kind.CONSUMER_REJECT, _rejected),
    "Basic.Reject": (Kind.CONSUMER_REJECT, _rejected),
    "Basic.Recover": (Kind.RECOVER, _nothing),
    "Basic.RecoverAsync": (Kind.RECOVER, lambda m: {"nowait": True}),
}

#: What a broker says.
_BROKER: dict[str, tuple[Kind, _Fields]] = {
    "Channel.OpenOk": (Kind.OPEN_OK, _nothing),
    "Channel.Close": (Kind.CHANNEL_CLOSE, lambda m: {"code": m.reply_code, "text": m.reply_text}),
    "Channel.CloseOk": (Kind.CLOSE_OK, _nothing),
    "Confirm.SelectOk": (Kind.SELECT_OK, _nothing),
    "Tx.SelectOk": (Kind.TX_SELECT_OK, _nothing),
    "Tx.CommitOk": (Kind.COMMIT_OK, _nothing),
    "Tx.RollbackOk": (Kind.ROLLBACK_OK, _nothing),
    "Basic.Return": (Kind.RETURN, _returned),
    "Basic.Ack": (Kind.ACK, _settled),
    "Basic.Nack": (Kind.NACK, _settled),
    "Basic.ConsumeOk": (Kind.CONSUME_OK, _named),
    "Basic.CancelOk": (Kind.CANCEL_OK, _named),
    "Basic.Cancel": (Kind.CANCEL, _named),
    "Basic.QosOk": (Kind.QOS_OK, _nothing),
    "Basic.Deliver": (Kind.DELIVER, _delivered),
    "Basic.GetOk": (Kind.GET_OK, _delivered),
    "Basic.GetEmpty": (Kind.GET_EMPTY, _nothing),
    "Basic.RecoverOk": (Kind.RECOVER_OK, _nothing),
}

_WITH_CONTENT = {"Basic.Publish", "Basic.Return", "Basic.Deliver", "Basic.GetOk"}


def event_of(received: Received, client: bool) -> tuple[Event, bool]:
    """Return the event that a method frame of a side is, and whether a content comes with it.

    Raises:
        HardError: it cannot be read.
    """
    method = decode_method(received)
    found = (_CLIENT if client else _BROKER).get(method.name)
    if found is None:
        queue = getattr(method, "queue", "") or ""
        other = Kind.CLIENT_OTHER if client else Kind.BROKER_OTHER
        return Event(other, queue=queue, text=method.name), False
    kind, fields = found
    return Event(kind, **fields(method)), method.name in _WITH_CONTENT


def header_of(received: Received) -> tuple[int, str, bool]:
    """Return what a content header says: bytes of the body, message-id, and if it is persistent.

    Raises:
        HardError: it cannot be read.
    """
    _, size, said = split_header(received.payload)
    properties = read_properties(said)
    message = readable(properties.get("message_id", ""))
    return size, message, properties.get("delivery_mode") == _PERSISTENT


class _Content:
    """An event whose content is still coming in."""

    def __init__(self, event: Event, key: bytes) -> None:
        self.event = event
        self._missing: int | None = None
        self._digest = hashlib.blake2b(digest_size=_DIGEST_BYTES, key=key)

    def take(self, received: Received) -> bool:
        """Take a frame of the content; tell whether it was the last one.

        Raises:
            HardError: it is none.
        """
        if self._missing is None:
            if received.kind != HEADER:
                raise HardError(505, "a content header should come next")
            size, self.event.message, self.event.persistent = header_of(received)
            self.event.size = self._missing = size
        elif received.kind != BODY or len(received.payload) > self._missing:
            raise HardError(505, "a content body should come next, and no longer than was said")
        else:
            self._digest.update(received.payload)
            self._missing -= len(received.payload)
        if self._missing == 0:
            self.event.digest = self._digest.hexdigest()
        return self._missing == 0


class _Direction:
    """What one side says."""

    def __init__(self, client: bool, key: bytes) -> None:
        self.reader = FrameReader(_FRAME_MOST)
        self._client = client
        self._key = key
        self._contents: dict[int, _Content] = {}
        self._resumed = False
        self._clear: set[int] = set()  # channels that have begun a method since then

    def resume(self) -> None:
        """The next byte is the first one of a frame, and some before it are missing."""
        self.reader = FrameReader(_FRAME_MOST)
        self._contents.clear()
        self._resumed = True
        self._clear.clear()

    def events(self) -> Iterator[Event]:
        """Yield what is complete."""
        while (received := self.reader.next()) is not None:
            if received.channel == 0:
                continue
            content = self._contents.get(received.channel)
            if content is not None:
                if content.take(received):
                    del self._contents[received.channel]
                    yield content.event
                continue
            if received.kind != METHOD:
                if self._resumed and received.channel not in self._clear:
                    continue
                raise HardError(505, "a method should come next")
            if self._resumed:
                self._clear.add(received.channel)
            event, has_content = event_of(received, self._client)
            event.channel = received.channel
            if has_content:
                self._contents[received.channel] = _Content(event, self._key)
            else:
                yield event


class ConnectionDecoder:
    """Makes events of the bytes of one connection, from its beginning.

    Args:
        name: what the connection is called.
        key: key of the digests, up to 64 bytes; messages are the same to those who have it.

    Attributes:
        begun: the client has said that it speaks AMQP 0-9-1, or bytes were resumed.
        problem: why nothing is decoded any more, if so.
        told: somebody was told of it.
    """

    def __init__(self, name: str, key: bytes) -> None:
        self.name = name
        self.problem: str | None = None
        self.told = False
        self._client = _Direction(True, key)
        self._broker = _Direction(False, key)
        self._numbers: dict[int, int] = {}
        self._since_gap: set[int] = set()
        self.begun = False

    def from_client(self, data: bytes, time: float = 0.0) -> list[Event]:
        """Return the events that are complete with these bytes of the client."""
        self._client.reader.feed(data)
        return self._take(self._client, time)

    def from_broker(self, data: bytes, time: float = 0.0) -> list[Event]:
        """Return the events that are complete with these bytes of the broker."""
        self._broker.reader.feed(data)
        return self._take(self._broker, time)

    def gap(self, time: float) -> list[Event]:
        """Return that something is missing, for each channel that was seen since the last gap."""
        channels, self._since_gap = sorted(self._since_gap), set()
        events = [self._number(Event(Kind.GAP, channel=channel), time) for channel in channels]
        self._since_gap.clear()
        return events

    def resume(self, client: bool) -> None:
        """The next byte of a side is the first one of a frame; some before it are missing."""
        (self._client if client else self._broker).resume()
        self.begun = True
        self.problem = None

    def nothing(self, time: float) -> list[Event]:
        """Return that something is missing, of which not even a channel is known."""
        return [self._number(Event(Kind.GAP), time)]

    def _take(self, side: _Direction, time: float) -> list[Event]:
        if self.problem is not None:
            return []
        if side is self._client and not self.begun:
            begins = side.reader.protocol_header()
            if begins is None:
                return []
            if not begins:
                self.problem = "the client does not begin as AMQP 0-9-1 does"
                return []
            self.begun = True
        events: list[Event] = []
        try:
            for event in side.events():
                events.append(self._number(event, time))
        except HardError as error:
            self.problem = error.text
            events += self.gap(time)
        return events

    def _number(self, event: Event, time: float) -> Event:
        event.connection = self.name
        event.time = time
        self._since_gap.add(event.channel)
        event.number = self._numbers[event.channel] = self._numbers.get(event.channel, 0) + 1
        return event
