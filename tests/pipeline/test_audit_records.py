"""Whatever is in a file, reading it goes on, and says where something is no event, and why."""

from __future__ import annotations

import random
import struct
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from ackproof.conform.capture.listening import Listening
from ackproof.conform.events import Event, Kind
from ackproof.conform.judging.stream import NUMBER
from ackproof.conform.judging.texts import HERE
from ackproof.conform.recording import writer
from ackproof.pipeline.audit import records
from ackproof.pipeline.audit.records import Bad, Read, read_of
from ackproof.pipeline.audit.splits import Split, shared_out, splits_of

from tests.conform.streams import unsummed
from tests.exploring import chance, examples, sample


def written(path: Path, count: int = 20) -> Path:
    """A recording of some events of one channel."""
    sink = writer(path)
    for number in range(1, count + 1):
        sink.write(Event(Kind.CLIENT_OTHER, channel=1, number=number, text="x" * (number % 7)))
    sink.close()
    return path


def read(path: Path, most: int = 1 << 30) -> tuple[list[int], list[Bad]]:
    """The numbers of the events in all splits of a file, and what is bad."""
    found = [
        read
        for split in splits_of([[path.stat().st_size]], most)
        for read in read_of([path], split, Listening(), HERE)
    ]
    return numbers_in(found), [read for read in found if isinstance(read, Bad)]


def numbers_in(found: list[Read | Bad]) -> list[int]:
    """The numbers of events that were read."""
    columns = [read.columns.numbers[NUMBER] for read in found if isinstance(read, Read)]
    return [number for column in columns for number in column.tolist()]


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
def test_every_event_is_in_one_split_wherever_a_file_is_cut(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name)
    for most in sample(range(1, path.stat().st_size + 1), 300):
        assert read(path, most) == (list(range(1, 21)), []), most


def test_every_row_group_is_in_one_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ackproof.conform.parquet.GROUP", 6)
    path = written(tmp_path / "r.parquet")
    assert pq.ParquetFile(path).num_row_groups == 4
    for most in (100, 1000, 5000):
        assert read(path, most) == (list(range(1, 21)), []), most


@pytest.mark.parametrize("most", [30, 1 << 30])
def test_a_line_that_was_cut_off_is_the_end(tmp_path: Path, most: int) -> None:
    path = written(tmp_path / "r.jsonl")
    path.write_bytes(path.read_bytes()[:-10])
    assert read(path, most) == (list(range(1, 20)), [])


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
def test_a_file_that_is_no_recording_is_one_bad_record(tmp_path: Path, name: str) -> None:
    (path := tmp_path / name).write_text("nothing of the kind\n" * 9)
    good, (bad,) = read(path, 20)
    assert (good, bad.offset) == ([], 0)
    assert bad.reason.startswith("this is no ")


def test_a_damaged_capture_is_bad_at_the_byte(tmp_path: Path) -> None:
    packet = struct.pack("<IIII", 1, 2, 4, 4) + b"abcd"
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 16, 1)
    long = struct.pack("<IIII", 1, 2, 1 << 30, 1)
    (path := tmp_path / "r.pcap").write_bytes(header + packet + long)
    good, (bad,) = read(path, 1 << 30)
    assert (good, bad.offset) == ([], len(header + packet))
    assert bad.reason.startswith(f"at byte {bad.offset}: ")


def test_a_file_that_is_gone_is_bad_in_each_split(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl")
    splits = splits_of([[path.stat().st_size]], 300)
    path.unlink()
    for split in splits:
        (bad,) = read_of([path], split, Listening(), HERE)
        assert isinstance(bad, Bad)
        assert bad.offset == split.start
        assert "No such file" in bad.reason


def test_a_file_that_has_become_shorter_is_told(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl")
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[: size // 2])
    found = list(read_of([path], Split(0, 0, size, size), Listening(), HERE))
    (bad,) = (read for read in found if isinstance(read, Bad))
    assert "was longer when the audit began" in bad.reason
    assert 5 < len(numbers_in(found)) < 15


def test_what_was_appended_meanwhile_is_left_for_the_next_audit(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl")
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(b'{"kind":"Ack","number":21}\n')
    assert len(numbers_in(list(read_of([path], Split(0, 0, size, size), Listening(), HERE)))) == 20


def test_a_line_that_was_half_there_is_left_for_the_next_audit(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl")
    size = path.stat().st_size - 10
    found = list(read_of([path], Split(0, 0, size, size), Listening(), HERE))
    assert numbers_in(found) == list(range(1, 20))
    assert not [read for read in found if isinstance(read, Bad)]


def test_a_line_without_an_end_takes_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "LONGEST", 256)
    path = unsummed(written(tmp_path / "r.jsonl"))
    at = path.stat().st_size
    with path.open("ab") as file:
        file.write(b" " * 1000 + b'\n{"kind":"Ack","number":21}\n')
    good, (bad,) = read(path)
    assert good == list(range(1, 22))
    assert (bad.offset, bad.reason) == (at, "a line of 1,001 bytes; an event has 256 at most")


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
def test_flipped_bits_end_no_task(tmp_path: Path, name: str) -> None:
    rng = chance(f"flipped bits {name}")
    path = written(tmp_path / name)
    whole, told = path.read_bytes(), Counter[bool]()
    for _ in range(examples(200)):
        data = bytearray(whole)
        at = rng.randrange(8 * len(data))
        data[at // 8] ^= 1 << at % 8
        path.write_bytes(data)
        good, bad = read(path, rng.choice([100, 1 << 30]))
        assert bad or good == list(range(1, 21)), f"bit {at} is silent"
        told[bool(bad)] += 1
    assert told[True] > examples(50), told


def test_small_files_share_a_task_and_large_ones_have_several() -> None:
    rng = random.Random(1)
    sizes = [rng.randrange(200) for _ in range(50)] + [1000, 0]
    splits = splits_of([[size] for size in sizes], 100)
    tasks = shared_out(splits, 100)
    assert [split for task in tasks for split in task] == splits
    assert sum(split.end - split.start for split in splits) == sum(sizes)
    assert {split.recording for split in splits} == set(range(52))
    assert all(sum(s.end - s.start for s in task) <= 100 for task in tasks)
    assert len(tasks) < len(splits)
