"""No bit that flips in a recording in Parquet makes another recording of it."""

from __future__ import annotations

import resource
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ackproof.conform.columns import Columns
from ackproof.conform.events import Event
from ackproof.conform.parquet import ParquetWriter, read_parquet_columns
from ackproof.conform.parquet_seals import SealBroken, add_seals, seals_of
from ackproof.conform.recording import read
from ackproof.conform.schema import RecordingError

from tests.conform.streams import CONFIRMING, ack, numbered, publish

EVENTS = numbered([*CONFIRMING, publish(1), publish(2), ack(1), ack(2)])


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A recording of a few events."""
    path = tmp_path / "r.parquet"
    sink = ParquetWriter(path)
    for event in EVENTS:
        sink.write(event)
    sink.close()
    return path


def both(path: Path) -> tuple[list[Event], list[Event]]:
    """The events of a recording, read one by one and as columns."""
    listed: list[Columns] = list(read_parquet_columns(path))
    found = [group.event(row) for group in listed for row in range(group.numbers.shape[1])]
    return list(read(path)), found


def test_whoever_reads_parquet_reads_it(recording: Path) -> None:
    assert both(recording) == (EVENTS, EVENTS)
    assert pq.read_table(recording).num_rows == len(EVENTS)
    assert seals_of(recording, pq.read_metadata(recording)) is not None


def test_a_bit_that_flips_is_told_or_changes_nothing(recording: Path) -> None:
    whole, told = recording.read_bytes(), list[str]()
    for place in range(0, len(whole), 3):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        recording.write_bytes(damaged)
        try:
            assert both(recording) == (EVENTS, EVENTS), f"bit {place % 8} of byte {place}"
        except RecordingError as error:
            told.append(str(error))
    assert all(str(recording) in said for said in told)
    assert len(told) > len(whole) / 3 - 10


def test_a_row_group_that_was_changed_is_told_with_its_rows(recording: Path) -> None:
    damaged = bytearray(recording.read_bytes())
    damaged[pq.read_metadata(recording).row_group(0).column(0).data_page_offset + 1] ^= 1
    recording.write_bytes(damaged)
    with pytest.raises(RecordingError, match=r"rows 0 to \d+ cannot be read: .* seal is broken"):
        list(read(recording))


def test_half_a_mark_is_damage_and_not_a_file_without_seals(recording: Path) -> None:
    damaged = recording.read_bytes().replace(b"ackproof" + b"\x15", b"ackprooF" + b"\x15")
    assert damaged != recording.read_bytes()
    recording.write_bytes(damaged)
    with pytest.raises(RecordingError, match="seal is broken"):
        list(read(recording))


def test_one_that_was_written_anew_has_no_seals_and_is_read(recording: Path) -> None:
    pq.write_table(pq.read_table(recording), recording)
    assert seals_of(recording, pq.read_metadata(recording)) is None
    assert both(recording) == (EVENTS, EVENTS)


def test_where_there_is_no_room_for_seals_the_recording_is_whole(recording: Path) -> None:
    pq.write_table(pq.read_table(recording), recording)
    before, limits = recording.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    metadata = pq.read_metadata(recording)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 5, limits[1]))
        with pytest.raises(OSError, match="too large"):
            add_seals(recording, metadata)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert recording.read_bytes() == before


def test_each_row_group_has_a_seal_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": range(1000)}), path, row_group_size=100)
    metadata = pq.read_metadata(path)
    add_seals(path, metadata)
    damaged = bytearray(path.read_bytes())
    damaged[metadata.row_group(7).column(0).data_page_offset] ^= 1
    path.write_bytes(damaged)
    seals = seals_of(path, metadata)
    assert seals is not None
    for group in range(metadata.num_row_groups):
        if group == 7:
            with pytest.raises(SealBroken):
                seals.read(group)
        else:
            piece = pq.ParquetFile(seals.read(group), metadata=metadata)
            assert piece.read_row_group(group) == pa.table(
                {"a": range(100 * group, 100 * group + 100)}
            )
