"""A publisher with one channel in confirm mode that writes down every frame it gets.

A thread reads the socket from the first byte on, so no frame is lost while the experiment does
something else.  Nothing is ever acknowledged or answered on its own: the recording is what the
broker said, not what a library made of it.
"""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from types import TracebackType

from pamqp import body, commands, header
from pamqp import frame as amqp
from pamqp.exceptions import UnmarshalingException

from bench.process import Failed
from bench.rabbitmq.frames import Frame, Settled, Splitter, frame_of, settled
from bench.rabbitmq.site import wait_until, within

__all__ = ["Publisher"]

_HEADER = b"AMQP\x00\x00\x09\x01"
_REPLY_SECONDS = 30.0
_LARGEST = 131072


class Publisher:
    """A connection to a node, a channel, and the frames that came.

    Args:
        port: of the node, on the loopback interface.

    Raises:
        Failed: the node does not answer, or refuses.
    """

    def __init__(self, port: int) -> None:
        self.published = 0
        self.began = time.monotonic()
        self._frames: list[Frame] = []
        self._lock = threading.Lock()
        self._lost: str | None = None
        self._awaited = 0
        self._socket = socket.create_connection(("127.0.0.1", port), _REPLY_SECONDS)
        self._socket.settimeout(None)
        self._reader = threading.Thread(target=self._read, daemon=True, name="publisher")
        self._reader.start()
        self._open()

    def __enter__(self) -> Publisher:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):  # the broker may have closed it first
            self._socket.shutdown(socket.SHUT_RDWR)
        self._reader.join(_REPLY_SECONDS)
        self._socket.close()

    # -- asking ---------------------------------------------------------------------------------

    def _open(self) -> None:
        self._socket.sendall(_HEADER)
        self._await("Connection.Start")
        self._send(0, commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US"))
        self._await("Connection.Tune")
        # No heartbeats: the experiments are shorter than a broker's patience.
        self._send(0, commands.Connection.TuneOk(2047, _LARGEST, 0), commands.Connection.Open("/"))
        self._await("Connection.OpenOk")
        self._call("Channel.OpenOk", commands.Channel.Open())

    def declare(self, queue: str, **arguments: object) -> None:
        """Declare a durable queue; `_` in the name of an argument stands for `-`.

        Raises:
            Failed: the broker refuses.
        """
        table = {name.replace("_", "-"): value for name, value in arguments.items()}
        self._call(
            "Queue.DeclareOk",
            commands.Queue.Declare(queue=queue, durable=True, arguments=table),  # type: ignore[arg-type]
        )

    def select(self) -> None:
        """Ask for confirm mode.

        Raises:
            Failed: the broker refuses.
        """
        self._call("Confirm.SelectOk", commands.Confirm.Select())

    def consume(self, queue: str) -> None:
        """Consume, and keep what comes; wait for the first delivery.

        Raises:
            Failed: the broker refuses, or delivers nothing.
        """
        self._call("Basic.ConsumeOk", commands.Basic.Consume(queue=queue))
        self._await("Basic.Deliver")

    def publish(self, queue: str, count: int, *, persistent: bool) -> None:
        """Publish messages without waiting for anything.

        Args:
            queue: where they go, through the default exchange.
            count: how many.
            persistent: whether their delivery mode says so.

        Raises:
            Failed: the connection is lost.
        """
        text = b"a message"
        properties = commands.Basic.Properties(delivery_mode=2 if persistent else 1)
        one = (
            commands.Basic.Publish(routing_key=queue),
            header.ContentHeader(0, len(text), properties),
            body.ContentBody(text),
        )
        self._send(1, *one * count)
        self.published += count

    def pipeline(self, *methods: amqp.FrameTypes) -> None:
        """Send methods and contents at once, and wait for no reply.

        Raises:
            Failed: the connection is lost.
        """
        self._send(1, *methods)
        self.published += sum(isinstance(one, commands.Basic.Publish) for one in methods)

    def _call(self, reply: str, method: amqp.FrameTypes) -> None:
        self._send(1, method)
        self._await(reply)

    def _send(self, channel: int, *frames: amqp.FrameTypes) -> None:
        try:
            self._socket.sendall(b"".join(amqp.marshal(one, channel) for one in frames))
        except OSError as error:
            raise Failed(f"the broker is gone: {error}; {self._said()}") from None

    def _await(self, kind: str) -> None:
        """Wait for the next method of that name among those not awaited yet."""

        def came() -> bool:
            frames = self.frames()
            for number, one in enumerate(frames[self._awaited :], self._awaited):
                if one.kind.endswith("Close"):
                    raise Failed(f"the broker refuses: {one}")
                if one.kind == kind:
                    self._awaited = number + 1
                    return True
            self.check()
            return False

        wait_until(f"{kind} from the broker", came, _REPLY_SECONDS)

    # -- hearing --------------------------------------------------------------------------------

    def frames(self) -> tuple[Frame, ...]:
        """Return everything that came until now."""
        with self._lock:
            return tuple(self._frames)

    def confirms(self) -> tuple[Frame, ...]:
        """Return all that came since the channel was made ready, so after the last reply."""
        return self.frames()[self._awaited :]

    def fates(self) -> dict[int, Settled]:
        """Return what became of each tag since the last reply, as far as it is known."""
        return settled(self.confirms(), self.published)

    def settles(self, last: int, seconds: float) -> bool:
        """Wait until all tags from 1 to `last` are settled; say whether they are, in time.

        Raises:
            Failed: the connection is lost, so that more will never be known.
        """
        tags = set(range(1, last + 1))

        def known() -> bool:
            return tags <= self.fates().keys()

        def over() -> bool:
            if not known():
                self.check()
            return known()

        return within(seconds, over)

    def check(self) -> None:
        """Make sure that the connection is there.

        Raises:
            Failed: it is lost.
        """
        if self._lost is not None:
            raise Failed(f"the connection is lost: {self._lost}; {self._said()}")

    def _said(self) -> str:
        return "the broker said: " + (", ".join(map(str, self.frames()[-10:])) or "nothing")

    def _read(self) -> None:
        splitter = Splitter()
        try:
            while data := self._socket.recv(65536):
                now = time.monotonic() - self.began
                kept = [frame_of(one, now) for one in splitter.feed(data)]
                with self._lock:
                    self._frames += [one for one in kept if one is not None]
            self._lost = "the broker closed it"
        except (OSError, ValueError, UnmarshalingException) as error:
            self._lost = str(error)
