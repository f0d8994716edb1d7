"""Judged in pieces, wherever they are cut, recordings are what they are judged whole."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest
from ackproof.conform.audit import audit
from ackproof.conform.capture.listening import Listening
from ackproof.conform.capture.reading import read_capture
from ackproof.conform.recording import writer
from ackproof.conform.schema import RecordingError
from ackproof.impl.running import RunningBroker
from ackproof.impl.wire.frames import PROTOCOL_HEADER, encode_method
from pamqp import commands

from tests.conform.capture.tap import KEY, tapped
from tests.conform.capture.wires import sent, written
from tests.conform.traffic import mixed, use
from tests.exploring import seeds
from tests.pipeline.here import tables_of
from tests.pipeline.recorded import Recorded, drawn, spoiled


@pytest.fixture(params=seeds(3))
def recorded(request: pytest.FixtureRequest, tmp_path: Path) -> Recorded:
    """Some recordings."""
    return drawn(tmp_path / "recordings", random.Random(request.param))


def test_all_that_is_planted_is_found_and_nothing_else(recorded: Recorded) -> None:
    found = tables_of(recorded.paths, parts=3, split=1000)["violations"]
    assert {row[:4] for row in found} == recorded.planted
    assert recorded.planted, "something was planted"


@pytest.mark.parametrize("parts", [1, 2, 16])
@pytest.mark.parametrize("split", [700, 4000, 1 << 30])
def test_tables_are_the_same_wherever_files_are_cut(
    recorded: Recorded, parts: int, split: int
) -> None:
    whole = tables_of(recorded.paths, 1, 1 << 30)
    assert tables_of(recorded.paths, parts, split) == whole
    assert whole["quarantine"] == []


def test_tables_add_up_to_what_the_local_audit_says(recorded: Recorded) -> None:
    tables, local = tables_of(recorded.paths, 3, 500), audit(recorded.paths)
    assert len(tables["channels"]) == local.channels
    said = {
        (*(v.recording, v.connection, v.channel, v.number, v.time), v.event, v.property, v.why)
        for v in local.violations
    }
    assert {(*r[:4], *r[5:8], r[9]) for r in tables["violations"]} == said
    assert local.gaps, "some events are missing"
    told, (_, _, *columns) = local.messages, zip(*tables["messages"], strict=True)
    assert [sum(column) for column in columns] == [
        *(told.published, told.confirmed, told.nacked, told.returned, told.deliveries),
        *(told.strangers, told.delivered.least, told.delivered.most),
        *(audit(recorded.paths, drained=True).messages.lost.least, told.lost.most),
        *(told.duplicated.least, told.duplicated.most),
    ]


@pytest.mark.parametrize("split", [50, 1 << 30])
def test_bad_lines_are_told_with_their_place_and_the_rest_is_judged(
    tmp_path: Path, split: int
) -> None:
    rng = random.Random(1)
    whole = drawn(tmp_path, rng, files=1).paths[0]
    spoilt, places = spoiled(whole, rng)
    tables, expected = tables_of([spoilt], 3, split), tables_of([whole], 1, 1 << 30)
    assert [row[1] for row in sorted(tables["quarantine"], key=lambda r: r[1])] == sorted(places)
    assert {row[0] for row in tables["quarantine"]} == {str(spoilt)}
    assert [row[1:] for row in tables["channels"]] == [row[1:] for row in expected["channels"]]
    assert tables["messages"] == expected["messages"]


def test_the_reasons_are_those_of_the_local_audit(tmp_path: Path) -> None:
    spoilt, _ = spoiled(drawn(tmp_path, random.Random(1), files=1).paths[0], random.Random(2))
    with pytest.raises(RecordingError) as raised:
        audit([spoilt])
    first = min(tables_of([spoilt], 1, 1 << 30)["quarantine"], key=lambda row: int(row[1]))
    assert str(raised.value).endswith(f": {first[2]}")


@pytest.mark.parametrize("split", [50, 1 << 30])
def test_a_capture_has_the_tables_of_its_recording(tmp_path: Path, split: int) -> None:
    with RunningBroker() as broker, tapped(broker.port) as tap:
        use(tap.port)
        mixed(tap.port, 3)
    segments = [
        segment
        for number, dialogue in enumerate(tap.dialogues)
        for segment in sent(dialogue, ports=(40_000 + number, 5672))
    ]
    capture, recording = written(tmp_path / "r.pcap", segments), tmp_path / "r.jsonl"
    how = Listening(KEY)
    sink = writer(recording)
    for event in read_capture([capture], how):
        sink.write(event)
    sink.close()
    found, wanted = tables_of([capture], 3, split, how), tables_of([recording], 1, 1 << 30)
    assert found["messages"] == wanted["messages"] != []
    assert [row[1:] for row in found["channels"]] == [row[1:] for row in wanted["channels"]]
    assert found["quarantine"] == []


@pytest.mark.parametrize("split", [50, 1 << 30])
def test_a_capture_in_pieces_has_the_tables_of_the_whole(tmp_path: Path, split: int) -> None:
    with RunningBroker() as broker, tapped(broker.port) as tap:
        use(tap.port)
    segments = [segment for dialogue in tap.dialogues for segment in sent(dialogue)]
    (tmp_path / "whole").mkdir()
    whole = written(tmp_path / "whole" / "r.pcap", segments)
    header, packets = whole.read_bytes()[:24], whole.read_bytes()[24:]
    size = struct.unpack_from("<I", packets, 8)[0] + 16
    pieces = [tmp_path / "r.pcap1", tmp_path / "r.pcap2"]
    for piece, part in zip(pieces, (packets[:size], packets[size:]), strict=True):
        piece.write_bytes(header + part)
    found, wanted = (tables_of(some, 2, split, Listening(KEY)) for some in (pieces, [whole]))
    assert {row[0] for row in found["channels"]} == {str(pieces[0])}
    for name in ("channels", "violations", "messages"):
        assert [row[1:] for row in found[name]] == [row[1:] for row in wanted[name]]
    pieces[1].write_bytes(b"nothing of the kind")
    ((file, place, reason),) = tables_of(pieces, 2, split)["quarantine"]
    assert (file, place) == (str(pieces[1]), 0)
    assert reason.startswith("this is no capture")


def test_a_damaged_capture_is_read_up_to_there_and_told(tmp_path: Path) -> None:
    opened = PROTOCOL_HEADER + encode_method(commands.Channel.Open(), 1)
    capture = written(tmp_path / "r.pcap", sent([(0, opened)]))
    size = capture.stat().st_size
    with capture.open("ab") as file:
        file.write(b"\xff" * 32)
    tables = tables_of([capture], 2, 100)
    ((_, place, reason),) = tables["quarantine"]
    ((*_, channel),) = [row[:3] for row in tables["channels"]]
    assert channel == 1, "what came before is judged"
    assert place == size
    assert reason.startswith(f"at byte {size}: a packet of 4,294,967,295 bytes cannot be")
