"""What a client program of `--export` is made with; the program has this text in it.

A `Run` drives a broker along the run of a counterexample.  A session is a connection with one
channel, in a thread of its own.  What comes on it is written as the run writes it, so that the two
can be compared.
"""

from __future__ import annotations

import argparse
import json
import queue
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import pika

#: Seconds in which a frame must come, and in which none must.
PATIENCE, SILENCE = 3.0, 0.5

EXCHANGE = "ackproof.run"
RELEASES = {"release_fsync": "hold_fsync", "release_confirms": "withhold_confirms"}
COMPLAINTS = {
    "cannot switch from tx to confirm mode": "TX_TO_CONFIRM",
    "cannot switch from confirm to tx mode": "CONFIRM_TO_TX",
    "channel is not transactional": "NOT_TRANSACTIONAL",
    "partial tx completion": "PARTIAL_COMPLETION",
}


class Parted(Exception):
    """The broker has not done what the run does."""


class Beyond(Exception):
    """The run goes on with what the broker cannot be asked for."""


class Session:
    """A connection with one channel; what comes on it waits in a line, as text."""

    def __init__(self, name: str, port: int) -> None:
        self.name = name
        self.before = ""  # what stands before a message's number where there are several channels
        self.skipped = 0  # numbers that the run gives to messages which nobody confirms
        self.seen: queue.Queue[str] = queue.Queue()
        self.channel: Any = None
        self.closed = threading.Event()
        self._opened = threading.Event()
        self._connection = pika.SelectConnection(
            pika.ConnectionParameters("127.0.0.1", port),
            on_open_callback=lambda connection: connection.channel(on_open_callback=self._open),
            on_open_error_callback=lambda connection, _: connection.ioloop.stop(),
            on_close_callback=lambda connection, _: connection.ioloop.stop(),
        )
        threading.Thread(target=self._connection.ioloop.start, daemon=True).start()
        if not self._opened.wait(PATIENCE):
            raise Parted(f"{name} cannot connect to port {port}")

    def _open(self, channel: Any) -> None:
        self.channel = channel
        channel.add_on_return_callback(lambda _, method, about, body: self._returned(about))
        channel.add_on_close_callback(lambda _, reason: self._closed(str(reason)))
        self._connection.add_on_connection_blocked_callback(
            lambda *_: self.note(f"Blocked(channel={self.name})")
        )
        self._connection.add_on_connection_unblocked_callback(
            lambda *_: self.note(f"Unblocked(channel={self.name})")
        )
        self._opened.set()

    def note(self, frame: str) -> None:
        """Put what has come at the end of the line."""
        self.seen.put(frame)

    def settled(self, frame: Any) -> None:
        """Note an ack or a nack of a publish."""
        method = frame.method
        msg = f"{self.before}{method.delivery_tag + self.skipped}"
        kind = type(method).__name__
        self.note(f"{kind}(channel={self.name}, tag={msg}, multiple={method.multiple})")

    def _returned(self, about: Any) -> None:
        self.note(f"Return(channel={self.name}, msg={about.message_id})")

    def _closed(self, reason: str) -> None:
        for text, name in COMPLAINTS.items():
            if text in reason:
                self.note(f"ChannelClose(channel={self.name}, complaint={name})")
        self.closed.set()

    def do(self, work: Callable[[Any], object]) -> None:
        """Do something with the channel, in the thread of its connection."""
        done: queue.Queue[BaseException | None] = queue.Queue()

        def doing() -> None:
            try:
                work(self.channel)
                done.put(None)
            except Exception as error:
                done.put(error)

        self._connection.ioloop.add_callback_threadsafe(doing)
        try:
            failed = done.get(timeout=PATIENCE)
        except queue.Empty:
            raise Parted(f"the connection of {self.name} is gone") from None
        if failed is not None:
            raise Parted(f"{self.name}: {failed}") from None

    def wait(self) -> None:
        """Wait until the broker has read all that was sent: it answers in order."""
        answered = threading.Event()
        self.do(lambda channel: channel.basic_qos(callback=lambda _: answered.set()))
        answered.wait(PATIENCE)


class Run:
    """A run of the specification, driven on a broker that listens to its control API."""

    def __init__(self, port: int, control: int) -> None:
        self._port, self._control = port, control
        self._sessions: dict[str, Session] = {}
        self._held: set[str] = set()
        self._hands: dict[tuple[str, str], int] = {}
        self._admin: Any = None
        self.at = ""

    # -- the broker -----------------------------------------------------------------------------

    def ask(self, path: str, body: object = None) -> Any:
        """Ask the control API."""
        url = f"http://127.0.0.1:{self._control}{path}"
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data), timeout=10) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            raise Parted(f"the broker refuses {path}: {json.loads(error.read())}") from None

    def fault(self, name: str, /, **arguments: object) -> None:
        """Let something go wrong, or be held, or released."""
        self.ask(f"/faults/{name}", arguments)
        if name in RELEASES:
            self._held.discard(RELEASES[name])
        elif name in RELEASES.values():
            self._held.add(name)

    def sync(self, name: str) -> None:
        """Let the disk have all that waits for it in a queue, and then nothing more."""
        self.fault("release_fsync")
        deadline = time.monotonic() + PATIENCE
        while any(
            one["name"] == name and one["unconfirmed"] for one in self.ask("/queues")["queues"]
        ):
            if time.monotonic() > deadline:
                raise Parted(f"the disk does not get what is in {name}")
            time.sleep(0.01)
        self.fault("hold_fsync")

    def restart_node(self) -> None:
        """Crash the node and start it again; all connections are gone."""
        self.fault("restart_node")
        self._sessions.clear()
        self._admin = None
        for held in sorted(self._held):
            self.fault(held)

    def declare(self, name: str, durable: bool, arguments: dict[str, Any], keys: list[str]) -> None:
        """Declare a queue, which gets what is published with one of these keys."""
        admin = self._own()
        admin.queue_delete(name)
        admin.exchange_declare(EXCHANGE, durable=True)
        admin.queue_declare(name, durable=durable, arguments=arguments)
        for key in keys:
            admin.queue_bind(name, EXCHANGE, key)

    def _own(self) -> Any:
        """Return a channel of the program's own, which is no channel of the run."""
        if self._admin is None:
            there = pika.ConnectionParameters("127.0.0.1", self._port)
            self._admin = pika.BlockingConnection(there).channel()
        return self._admin

    def session(self, name: str) -> Session:
        """Return the session of a channel of the run, which is opened if it is not."""
        if name not in self._sessions:
            self._sessions[name] = Session(name, self._port)
        return self._sessions[name]

    # -- what is compared -----------------------------------------------------------------------

    def step(self, number: int, text: str) -> None:
        """Say which step of the run comes now."""
        self.at = f"step {number}, {text}"
        print(f"{number:>4}  {text}", flush=True)

    def sees(self, name: str, frame: str) -> None:
        """Wait for a frame, which must be the next."""
        try:
            got = self.session(name).seen.get(timeout=PATIENCE)
        except queue.Empty:
            raise Parted(f"the run has {frame}, and the broker says nothing") from None
        if got != frame:
            raise Parted(f"the run has {frame}, and the broker says {got}")
        print(f"      ▸ {frame}", flush=True)

    def quiet(self, name: str) -> None:
        """See that a client hears nothing more."""
        time.sleep(SILENCE)
        line = self.session(name).seen
        if not line.empty():
            raise Parted(f"the run has nothing more for {name}, and the broker says {line.get()}")

    def ready(self, name: str, count: int) -> None:
        """See how many messages are ready in a queue."""
        deadline = time.monotonic() + PATIENCE
        while True:
            found = [one["ready"] for one in self.ask("/queues")["queues"] if one["name"] == name]
            if found == [count]:
                print(f"      {name} has {count} ready", flush=True)
                return
            if time.monotonic() > deadline:
                raise Parted(f"the run has {count} ready in {name}, and the broker has {found}")
            time.sleep(0.05)

    def beyond(self, why: str) -> None:
        """End here: what the run does now the broker cannot be asked for."""
        raise Beyond(why)

    # -- what publishers do ---------------------------------------------------------------------

    def select(self, name: str) -> None:
        """Ask for confirm mode."""
        one = self.session(name)
        one.do(
            lambda channel: channel.confirm_delivery(
                one.settled, callback=lambda _: one.note(f"SelectOk(channel={name})")
            )
        )

    def publish(
        self, name: str, msg: str, key: str, mandatory: bool, persistent: bool, counts: bool
    ) -> None:
        """Publish a message; `counts` says whether the broker counts it, too."""
        one = self.session(name)
        one.before = msg[: msg.rfind(".") + 1]
        one.skipped += not counts and msg != "None"
        about = pika.BasicProperties(delivery_mode=2 if persistent else 1, message_id=msg)
        one.do(lambda channel: channel.basic_publish(EXCHANGE, key, msg.encode(), about, mandatory))
        one.wait()

    def transact(self, name: str, method: str) -> None:
        """Send tx.select, tx.commit or tx.rollback."""
        one = self.session(name)
        frame = {
            "tx_select": f"TxSelectOk(channel={name})",
            "tx_commit": f"CommitOk(channel={name})",
            "tx_rollback": f"RollbackOk(channel={name})",
        }[method]
        one.do(lambda channel: getattr(channel, method)(callback=lambda _: one.note(frame)))

    def close(self, name: str) -> None:
        """Close a channel."""
        one = self.session(name)
        one.do(lambda channel: channel.close())
        one.closed.wait(PATIENCE)

    # -- what consumers do ----------------------------------------------------------------------

    def take(self, name: str, msg: str) -> None:
        """Some consumer gets the head of a queue."""
        method, about, _ = self._own().basic_get(name)
        got = None if method is None else about.message_id
        if got != msg:
            raise Parted(f"the head of {name} is {msg} in the run, and {got} in the broker")
        self._hands[name, msg] = method.delivery_tag

    def acknowledge(self, name: str, msg: str) -> None:
        """It acknowledges what it got."""
        self._own().basic_ack(self._hands.pop((name, msg)))

    def requeue(self, name: str, msg: str) -> None:
        """It puts back what it got."""
        self._own().basic_nack(self._hands.pop((name, msg)), requeue=True)

    def purge(self, name: str) -> None:
        """Drop what is ready in a queue."""
        self._own().queue_purge(name)


def main(title: str, story: Callable[[Run], None], *, allowed: bool) -> int:
    """Drive a broker along a run; return 0 if it went along, 1 if it parted, 3 if that cannot be.

    Args:
        title: what the run shows.
        story: the run.
        allowed: whether the specification takes the run, too.
    """
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--port", type=int, default=5672, help="where the broker listens")
    parser.add_argument("--control", type=int, default=5680, help="where its control API does")
    given = parser.parse_args()
    run = Run(given.port, given.control)
    try:
        run.fault("clear")
        story(run)
    except Parted as parted:
        print(f"parted at {run.at}: {parted}")
        return 1
    except Beyond as beyond:
        print(f"ends before {run.at}: {beyond}" if run.at else f"cannot be driven: {beyond}")
        return 3
    except (OSError, pika.exceptions.AMQPError) as error:
        print(f"there is no broker on these ports, or it is gone: {error!r}", file=sys.stderr)
        return 2
    if not allowed:
        print("parted where no client sees it: the frames are those of another run as well")
        return 1
    print("the broker has gone along with the whole run")
    return 0
