"""Captures: the events and verdicts of a proxy, and no violation of what nobody saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from ackproof.conform.capture.listening import Listening
from ackproof.conform.capture.reading import read_capture
from ackproof.conform.events import CLIENT, Event, Kind
from ackproof.conform.judgement import Judgement
from ackproof.conform.kit.drawing import draw
from ackproof.conform.kit.running import Setting, run
from ackproof.conform.kit.url import parse
from ackproof.impl.running import RunningBroker
from ackproof.impl.wire.frames import PROTOCOL_HEADER, encode_method
from pamqp import commands

from tests.conform.capture.spoiling import cut, lost, overlapping, shuffled
from tests.conform.capture.tap import KEY, Dialogue, events_of, tapped
from tests.conform.capture.wires import Sent, sent, written
from tests.conform.traffic import mixed, use
from tests.exploring import chance, seeds

NAME = "10.0.0.1:40000-10.0.0.2:5672"


@pytest.fixture(scope="module")
def dialogues() -> list[Dialogue]:
    """What clients and the broker say: of all kinds, closed, dropped, and opened again."""
    with RunningBroker() as broker, tapped(broker.port) as tap:
        use(tap.port)
        mixed(tap.port, 5)
        setting = Setting(parse(f"amqp://127.0.0.1:{tap.port}"))
        for seed in range(12):
            assert not run(draw(seed), setting).findings
    return [dialogue for dialogue in tap.dialogues if dialogue]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a capture is written."""
    return tmp_path / "a.pcap"


def heard(file: Path, segments: Sequence[Sent]) -> list[Event]:
    """The events of a capture."""
    return list(read_capture([written(file, segments)], Listening(KEY)))


def judged(events: Sequence[Event]) -> Judgement:
    """What is found in events."""
    judgement = Judgement()
    for event in events:
        judgement.take(event)
    return judgement


Said = dict[tuple[int, bool], list[Event]]


def said(events: Sequence[Event]) -> Said:
    """What each side says on each channel, without when, which is another on each way."""
    found: Said = {}
    for event in events:
        if event.kind != Kind.GAP:
            event.number, event.time = 1, 0.0
            found.setdefault((event.channel, event.kind in CLIENT), []).append(event)
    return found


def is_part(some: Said, whole: Said) -> bool:
    """Tell whether each side says nothing that it did not say, in that order."""

    def within(few: list[Event], many: Iterator[Event]) -> bool:
        return all(event in many for event in few)

    return all(within(events, iter(whole.get(side, []))) for side, events in some.items())


def picked(dialogues: list[Dialogue], *names: object) -> tuple[list[Sent], list[Event]]:
    """A dialogue as segments, and the events of a proxy."""
    random = chance("dialogue", *names)
    dialogue = random.choice(dialogues)
    size = random.choice([20, 300, 1400])
    return sent(dialogue, size), events_of(dialogue, NAME)


def test_a_whole_capture_has_the_events_of_a_proxy(dialogues: list[Dialogue], file: Path) -> None:
    kinds: Counter[str] = Counter()
    for dialogue in dialogues:
        for size in (100, 60_000):
            events = heard(file, sent(dialogue, size))
            for event in events:
                event.time = 0.0
            assert events == events_of(dialogue, NAME)
        kinds.update(event.kind for event in events)
    assert {Kind.OPEN, Kind.ACK, Kind.NACK, Kind.RETURN, Kind.DELIVER, Kind.CHANNEL_CLOSE} < set(
        kinds
    )


def test_what_comes_out_of_order_or_twice_makes_no_difference(
    dialogues: list[Dialogue], file: Path
) -> None:
    for seed in seeds(60):
        segments, events = picked(dialogues, "order", seed)
        random = chance("spoil", seed)
        found = heard(
            file, shuffled(overlapping(segments, random), random, random.choice([0, 3, 20]))
        )
        judgement = judged(found)
        assert (judgement.violations, judgement.gaps) == ([], 0)
        assert said(found) == said(events)


def test_nothing_is_made_up_of_what_is_missing(dialogues: list[Dialogue], file: Path) -> None:
    told = 0
    for seed in seeds(250):
        segments, events = picked(dialogues, "missing", seed)
        random = chance("lose", seed)
        left = cut(segments, random) if seed % 3 == 0 else lost(segments, random)
        if seed % 5 == 0:
            left = shuffled(overlapping(left, random), random, 8)
        found = heard(file, left)
        judgement = judged(found)
        assert (seed, judgement.violations) == (seed, [])
        assert is_part(said(found), said(events))
        told += judgement.gaps > 0
    assert told > 100


def test_a_channel_that_is_opened_after_a_gap_is_known(file: Path) -> None:
    doubled = dialogue_of([0, 1], doubled=True)
    segments = [s for n, s in enumerate(sent(doubled, 40)) if n != 12]
    events = heard(file, segments)
    judgement = judged(events)
    assert judgement.gaps > 0
    (violation,) = judgement.violations
    assert (violation.name, violation.event.kind) == ("SettledOnce", Kind.ACK)


def dialogue_of(rounds: Sequence[int], doubled: bool = False) -> Dialogue:
    """A channel is opened, confirms, and is closed, some times over; the last ack comes twice."""
    found: Dialogue = [(0, PROTOCOL_HEADER)]
    client = [commands.Channel.Open(), commands.Confirm.Select()]
    broker = [commands.Channel.OpenOk(), commands.Confirm.SelectOk()]
    for number in rounds:
        for asked, answered in zip(client, broker, strict=True):
            found += [(0, encode_method(asked, 1)), (1, encode_method(answered, 1))]
        body = b"\x02\x00\x01\x00\x00\x00\x0e\x00\x3c" + bytes(12) + b"\xce"
        for tag in range(1, 6):
            found.append((0, encode_method(commands.Basic.Publish(0, "", "q"), 1) + body))
            found.append((1, encode_method(commands.Basic.Ack(tag), 1)))
        if number == rounds[-1] and doubled:
            found.append((1, encode_method(commands.Basic.Ack(5), 1)))
        found.append((0, encode_method(commands.Channel.Close(200, "", 0, 0), 1)))
        found.append((1, encode_method(commands.Channel.CloseOk(), 1)))
    return found


@pytest.mark.parametrize(
    ("spoil", "rule"),
    [
        (lambda tag: [tag, tag], "SettledOnce"),
        (lambda tag: [tag + 1], "NoPhantomConfirm"),
        (lambda tag: [tag, tag + 9], "NoPhantomConfirm"),
    ],
)
def test_an_edited_capture_is_caught_at_the_first_wrong_frame(
    file: Path, spoil: Callable[[int], list[int]], rule: str
) -> None:
    whole = dialogue_of([0, 1])
    for place, (side, data) in enumerate(whole):
        if side == 1 and data[9:11] == b"\x00\x50":
            tag = int.from_bytes(data[11:19], "big")
            acks = b"".join(encode_method(commands.Basic.Ack(t), 1) for t in spoil(tag))
            spoilt = [*whole[:place], (1, acks), *whole[place + 1 :]]
            (found,) = judged(heard(file, sent(spoilt))).violations[:1]
            (wanted,) = judged(events_of(spoilt, NAME)).violations[:1]
            assert (found.name, found.event.number) == (wanted.name, wanted.event.number)
            assert found.name == rule


def test_a_connection_that_was_joined_late_is_known_by_its_port(
    dialogues: list[Dialogue], file: Path
) -> None:
    segments = [segment for segment in sent(dialogues[0], 500) if not segment.flags & 2][20:]
    assert heard(file, segments) != []
    elsewhere = [Sent(s.side, s.seq, s.ack, s.data, s.flags, (40_000, 7000)) for s in segments]
    assert heard(file, elsewhere) == []
    listening = Listening(KEY, 7000)
    assert list(read_capture([written(file, elsewhere)], listening)) != []


def test_a_client_that_greets_is_known_at_any_port(dialogues: list[Dialogue], file: Path) -> None:
    segments = sent(dialogues[0], 500, ports=(40_000, 7000))
    for some in (segments, [segment for segment in segments if not segment.flags & 2]):
        events = heard(file, some)
        assert said(events).keys() == said(events_of(dialogues[0])).keys()
        assert {event.connection for event in events} == {"10.0.0.1:40000-10.0.0.2:7000"}


def test_connections_that_use_the_same_ports_have_names_of_their_own(file: Path) -> None:
    dialogue = dialogue_of([0])
    both = sent(dialogue) + sent(dialogue, first=(9_000_000, 5_000_000))
    events = heard(file, both)
    assert [event.connection for event in events if event.kind == Kind.OPEN] == [NAME, f"{NAME}#2"]
    assert judged(events).violations == []
    assert judged(events).gaps == 0


def test_a_connection_behind_the_end_of_one_with_the_same_ports_is_heard(file: Path) -> None:
    """Of the first one only the last packets were captured, so few that its SYN might be late."""
    said = [
        (0, PROTOCOL_HEADER + encode_method(commands.Channel.Open(), 1)),
        (1, encode_method(commands.Channel.OpenOk(), 1)),
        (0, encode_method(commands.Confirm.Select(), 1)),
        (1, encode_method(commands.Confirm.SelectOk(), 1)),
    ]
    rest, then = sent(said, 20)[7:], sent(said, 20, first=(500_000, 700_000))
    kinds = [event.kind for event in heard(file, [*rest, *then]) if event.connection == f"{NAME}#2"]
    assert kinds == [Kind.OPEN, Kind.OPEN_OK, Kind.SELECT, Kind.SELECT_OK]
    assert heard(file, rest), "there is something of the first one, too"


def test_connections_that_are_interleaved_are_kept_apart(
    dialogues: list[Dialogue], file: Path
) -> None:
    one, two = dialogues[0], dialogues[1]
    segments = [sent(one, 300), sent(two, 300, ports=(40_001, 5672), v6=True)]
    random = chance("interleaved")
    mixed_up: list[Sent] = []
    while any(segments):
        mixed_up.append(random.choice([some for some in segments if some]).pop(0))
    events = heard(file, mixed_up)
    assert said([e for e in events if e.connection == NAME]) == said(events_of(one, NAME))
    other = "[fd00::1]:40001-[fd00::2]:5672"
    assert said([e for e in events if e.connection == other]) == said(events_of(two, other))


def test_what_speaks_something_else_is_passed_over_unless_it_is_at_the_port(file: Path) -> None:
    http: Dialogue = [(0, b"GET / HTTP/1.1\r\n\r\n"), (1, b"HTTP/1.1 200 OK\r\n\r\n")]
    smtp: Dialogue = [(1, b"220 mail\r\n"), (0, b"HELO me\r\n")]
    for dialogue in (http, smtp):
        assert heard(file, sent(dialogue, ports=(40_000, 80))) == []
        (gap,) = heard(file, sent(dialogue))
        assert (gap.kind, gap.channel, gap.connection) == (Kind.GAP, 0, NAME)
        assert judged([gap]).gaps == 1
    assert heard(file, sent([])) == []
