"""Captures: tshark reads the same files, and finds the same ack for each publish."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import time
import xml.etree.ElementTree as Xml
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from ackproof.conform.audit import audit
from ackproof.conform.capture.listening import Listening
from ackproof.conform.capture.reading import read_capture
from ackproof.conform.events import BROKER, Event, Kind
from ackproof.conform.following import Follower, Identity
from ackproof.conform.judgement import Judgement
from ackproof.conform.recording import read
from ackproof.impl.running import RunningBroker

from tests.conform.capture.tap import tapped
from tests.conform.capture.wires import sent, written
from tests.conform.through_a_proxy import KEY, proxied
from tests.conform.traffic import mixed, use
from tests.impl.sockets import blocking

pytestmark = pytest.mark.peer

_PATIENCE = 60
_PUBLISH, _ACK = (["60"], ["40"]), (["60"], ["80"])

#: A confirm and a publish that it settles: when each was captured.
Pairs = Counter[tuple[float, float]]


@pytest.fixture(autouse=True)
def programs() -> None:
    """Where there is no tshark, fail if this run decides, and skip if not."""
    for program in ("tshark", "mergecap", "tcpdump"):
        if shutil.which(program) is None:
            if os.environ.get("CI") == "true":
                pytest.fail(f"there is no {program}, and the comparison must be made here")
            pytest.skip(f"there is no {program}")


@contextmanager
def capturing(path: Path, port: int, *options: str) -> Iterator[None]:
    """Capture what passes on a local port."""
    words = ["tcpdump", "-i", "lo", "-U", "-B", "65536", "--time-stamp-precision=nano"]
    process = subprocess.Popen(
        [*words, *options, "-w", str(path), "tcp", "port", str(port)],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said = ""
    while "listening on" not in said:
        line = process.stderr.readline()
        if not line:
            pytest.skip(f"tcpdump may not capture here: {said}")
        said += line
    try:
        yield
        time.sleep(1)  # the kernel hands on what it has seen with some delay
    finally:
        process.terminate()
        assert "0 packets dropped by kernel" in process.communicate(timeout=_PATIENCE)[1]


def read_by_tshark(path: Path, port: int) -> Iterator[tuple[dict[str, str], Xml.Element]]:
    """Yield each method of AMQP that tshark finds, with the fields of its packet."""
    done = subprocess.run(
        ["tshark", "-r", str(path), "-d", f"tcp.port=={port},amqp", "-T", "pdml"],
        capture_output=True,
        timeout=_PATIENCE,
        check=True,
    )
    for packet in Xml.fromstring(done.stdout).iter("packet"):
        show = {field.get("name") or "": field.get("show") or "" for field in packet.iter("field")}
        for method in packet.findall("proto[@name='amqp']"):
            yield show, method


def fields(method: Xml.Element, name: str) -> list[str]:
    """What the fields of this name show."""
    return [field.get("show") or "" for field in method.iter("field") if field.get("name") == name]


class OfTshark:
    """What tshark finds: when the publishes of each channel came, and which of them acks settle."""

    def __init__(self, path: Path, port: int) -> None:
        self.published: dict[tuple[str, str], list[float]] = defaultdict(list)
        self.pairs: Pairs = Counter()
        times: dict[str, float] = {}
        for show, method in read_by_tshark(path, port):
            time = times[show["frame.number"]] = float(show["frame.time_epoch"])
            kind = fields(method, "amqp.method.class"), fields(method, "amqp.method.method")
            if kind == _PUBLISH:
                channel = show["tcp.srcport"], fields(method, "amqp.channel")[0]
                self.published[channel].append(time)
            elif kind == _ACK and show["tcp.srcport"] == str(port):
                for frame in fields(method, "amqp.message_in"):
                    self.pairs[time, times[frame]] += 1


class Acks:
    """What a follower tells of acks, of messages that are called by their places in the channel."""

    def __init__(self) -> None:
        self.settles: list[str] = []

    def settled(self, message: Identity, ack: bool, seconds: float) -> None:
        """Keep what an ack settles."""
        if ack:
            self.settles.append(message[0])

    def published(self, message: Identity) -> None:
        """Nothing is to be done."""

    returned = published

    def delivered(self, message: Identity, queue: str, marked: bool) -> None:
        """Nothing is to be done."""


def pairs_of(events: list[Event], published: dict[tuple[str, str], list[float]]) -> Pairs:
    """Which acks settle which publishes, each by the time at which tshark has seen it."""
    acks = Acks()
    followers: dict[tuple[str, str], Follower] = defaultdict(lambda: Follower(acks))
    count: Counter[tuple[str, str]] = Counter()
    pairs: Pairs = Counter()
    for event in events:
        client = event.connection.split("-")[0].rsplit(":", 1)[1]
        channel = client, str(event.channel)
        if event.kind == Kind.PUBLISH:
            event.message = str(count[channel])
            count[channel] += 1
        followers[channel].take([event])
        if event.kind == Kind.ACK:
            for message in acks.settles:
                pairs[event.time, published[channel][int(message)]] += 1
        acks.settles.clear()
    assert count == {channel: len(times) for channel, times in published.items()}
    return pairs


def assert_alike(path: Path, port: int) -> list[Event]:
    """Both find the same in a file; return its events."""
    wanted = OfTshark(path, port)
    pairs = pairs_of(list(read_capture([path], Listening(KEY, port))), wanted.published)
    assert pairs == wanted.pairs
    assert pairs.total() > 20
    return list(read_capture([path], Listening(KEY, port)))


def assert_explained(events: list[Event]) -> None:
    """Nothing is missing, and nothing is wrong."""
    judgement = Judgement()
    for event in events:
        judgement.take(event)
    assert (judgement.violations, judgement.gaps) == ([], 0)


def test_packets_that_were_written_are_read_as_tshark_does(tmp_path: Path) -> None:
    with RunningBroker() as broker, tapped(broker.port) as tap:
        mixed(tap.port, 30)
        use(tap.port)
    for number, dialogue in enumerate(tap.dialogues):
        if b"".join(data for _, data in dialogue).count(b"\x00\x3c\x00\x28") > 20:
            for v6 in (False, True):
                path = tmp_path / f"{number}-{v6}.pcap"
                assert_explained(assert_alike(written(path, sent(dialogue, 60_000, v6=v6)), 5672))


def test_a_broker_captured_by_proxy_and_by_tcpdump_at_once_is_the_same(
    port: int, tmp_path: Path
) -> None:
    recording, capture = tmp_path / "r.jsonl", tmp_path / "r.pcap"
    with capturing(capture, port), proxied(port, recording) as recorded:
        mixed(recorded.port, 40)
        use(recorded.port)
    with blocking(port) as channel:
        channel.queue_delete("q")  # others use the node, and mean another queue by that name
    assert recorded.judgement.violations == []
    events = assert_alike(capture, port)
    assert_explained(events)
    assert _said(events) == _said(list(read(recording)))


def test_what_tcpdump_has_written_in_pieces_is_what_mergecap_makes_of_them(tmp_path: Path) -> None:
    with RunningBroker() as broker:
        # Without -Z, tcpdump gives up the right to begin a second file here.
        with capturing(tmp_path / "r.pcap", broker.port, "-C", "1", "-Z", getpass.getuser()):
            with blocking(broker.port) as channel:
                channel.queue_declare("q")
                channel.confirm_delivery()
                for number in range(60):
                    channel.basic_publish("", "q", bytes(100 + 2_000 * number))
            use(broker.port)
        port = broker.port
    pieces = sorted(tmp_path.iterdir())
    assert len(pieces) > 3
    (tmp_path / "joined").mkdir()
    joined = tmp_path / "joined" / "r.pcapng"
    subprocess.run(["mergecap", "-w", joined, *pieces], timeout=_PATIENCE, check=True)
    events = list(read_capture(pieces, Listening(KEY, port)))
    assert_explained(list(events))
    assert events == list(read_capture([joined], Listening(KEY, port)))
    found = audit(pieces, how=Listening(KEY, port))
    assert (found.verdict, found.gaps) == ("explained", 0)
    assert found.messages == audit([joined], how=Listening(KEY, port)).messages
    assert found.messages.confirmed > 80
    alone = audit(pieces[2:3], how=Listening(KEY, port))
    assert alone.gaps


def _said(events: list[Event]) -> list[list[bytes]]:
    """What each side of each channel says, whatever its connection is called."""
    said: dict[object, list[bytes]] = defaultdict(list)
    for event in events:
        way = event.connection, event.channel, event.kind in BROKER
        event.connection, event.number, event.time = "", 0, 0.0
        said[way].append(msgspec.json.encode(event))
    return sorted(said.values())
