"""Batches: which recordings are new, and which are refused."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import msgspec
import pytest
from ackproof.conform.capture.listening import Listening
from ackproof.pipeline.audit.batches import Batch, Batches, Recording, mark_of
from ackproof.pipeline.errors import AuditRefused
from ackproof.pipeline.places import LocalPlace

from tests.pipeline.test_flipped_bits import flip

#: How captures are read.
HOW = mark_of(Listening(b"key"))


def recorded(path: Path, first: bytes = b"", size: int = 3 << 20, last: bytes = b"") -> Path:
    """A file that begins and ends with something."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(first + bytes(size) + last)
    return path


def recording(path: Path) -> Recording:
    """What an audit knows of it."""
    return Recording(path.name, str(path), path.stat().st_size).marked()


@pytest.fixture
def batches(tmp_path: Path) -> Batches:
    """The batches of an audit that has one recording."""
    found = Batches(tmp_path / "tables")
    known = recording(recorded(tmp_path / "a", b"monday"))
    batch = found.new([known], HOW)
    assert batch.recordings == (known,)
    found.place(batch).mkdir(parents=True)
    found.finish(batch)
    return found


def test_what_is_there_is_left_out(batches: Batches, tmp_path: Path) -> None:
    other = recorded(tmp_path / "b", b"tuesday")
    batch = batches.new([recording(tmp_path / "a"), recording(other)], HOW)
    assert [r.name for r in batch.recordings] == ["b"]


@pytest.mark.parametrize(("first", "last"), [(b"friday", b""), (b"", b"friday")])
def test_another_recording_of_that_name_is_refused(
    batches: Batches, tmp_path: Path, first: bytes, last: bytes
) -> None:
    path = recorded(tmp_path / "a", first, 3 << 20, last)
    with pytest.raises(AuditRefused, match=r"^a is another recording than .*\n  instead: if it"):
        batches.new([recording(path)], HOW)


def test_a_recording_that_has_grown_is_refused(batches: Batches, tmp_path: Path) -> None:
    path = recorded(tmp_path / "a", b"monday", 4 << 20)
    with pytest.raises(AuditRefused, match=r"a has [\d,]+ bytes, and had [\d,]+"):
        batches.new([recording(path)], HOW)


@pytest.mark.parametrize("moved", [True, False])
def test_a_recording_that_comes_again_under_another_name_is_refused(
    batches: Batches, tmp_path: Path, moved: bool
) -> None:
    copy = tmp_path / "other" / "a copy"
    copy.parent.mkdir()
    (shutil.move if moved else shutil.copy)(tmp_path / "a", copy)
    with pytest.raises(AuditRefused, match=r"^a copy is the same recording as a, and would count"):
        batches.new([recording(copy)], HOW)


def test_a_recording_that_is_named_twice_at_once_is_refused(tmp_path: Path) -> None:
    paths = [recorded(tmp_path / name, b"monday") for name in "ab"]
    with pytest.raises(AuditRefused, match="b is the same recording as a"):
        Batches(tmp_path / "tables").new([recording(path) for path in paths], HOW)


def test_recordings_in_which_nothing_has_happened_may_be_alike(tmp_path: Path) -> None:
    paths = [recorded(tmp_path / name, b"nothing", 100) for name in "ab"]
    found = Batches(tmp_path / "tables").new([recording(path) for path in paths], HOW)
    assert len(found.recordings) == 2


def test_what_cannot_be_read_has_no_mark(tmp_path: Path) -> None:
    gone = Recording("gone", str(tmp_path / "gone"), 1 << 20)
    assert gone.marked() == gone
    two = [gone, Recording("too", str(tmp_path / "too"), 1 << 20)]
    assert len(Batches(tmp_path / "tables").new(two, HOW).recordings) == 2


@pytest.fixture
def pieces(tmp_path: Path) -> list[Recording]:
    """What may be the pieces of a capture."""
    paths = [recorded(tmp_path / f"t-{number}.pcap", b"%d" % number) for number in range(4)]
    return [recording(path) for path in paths]


def added(batches: Batches, *recordings: Recording) -> Batch:
    """Add recordings to an audit; return their batch."""
    batch = batches.new(recordings, HOW)
    batches.place(batch).mkdir(parents=True)
    batches.finish(batch)
    return batch


def test_what_goes_on_from_a_piece_is_judged_with_it(
    batches: Batches, pieces: list[Recording], tmp_path: Path
) -> None:
    other = recording(recorded(tmp_path / "other", b"other"))
    first = added(batches, pieces[1], other)
    second = added(batches, pieces[0])
    assert set(second.recordings) == {*pieces[:2], other}
    third = added(batches, pieces[3], pieces[2])
    assert set(third.recordings) == {*pieces, other}
    assert {b.name for b in batches.known()} > {third.name}
    assert sorted(r for b in batches.known() for r in b.recordings if r.name != "a") == sorted(
        [*pieces, other]
    )
    left = {file.name for file in (tmp_path / "tables" / "batches").iterdir()}
    assert {first.name, second.name, f"{first.name}.json"}.isdisjoint(left)
    assert batches.new(pieces, HOW).recordings == ()


def test_a_batch_that_was_replaced_is_none_even_if_it_was_left(
    batches: Batches, pieces: list[Recording], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = added(batches, pieces[0])
    with monkeypatch.context() as patched:
        patched.setattr(LocalPlace, "unlink", lambda *_, **__: None)
        second = added(batches, pieces[1])
    assert Path(str(batches.place(first)) + ".json").exists()
    assert first.name not in {batch.name for batch in batches.known()}
    third = added(batches, pieces[2])
    assert set(third.replaces) == {first.name, second.name}
    assert {r.name for b in batches.known() for r in b.recordings} == {
        "a",
        *(piece.name for piece in pieces[:3]),
    }
    assert len(batches.known()) == 2


@pytest.mark.parametrize("gone", ["the piece", "another"])
def test_a_capture_does_not_go_on_from_what_is_gone(
    batches: Batches, pieces: list[Recording], tmp_path: Path, gone: str
) -> None:
    other = recording(recorded(tmp_path / "other", b"other"))
    added(batches, pieces[0], other)
    Path(pieces[0].path if gone == "the piece" else other.path).write_bytes(b"something else")
    assert added(batches, pieces[1]).recordings == (pieces[1],)


def test_what_is_taken_away_while_it_is_judged_again_is_kept(
    batches: Batches, pieces: list[Recording]
) -> None:
    first = added(batches, pieces[0])
    second = batches.new([pieces[1]], HOW)
    Path(pieces[0].path).unlink()
    with pytest.raises(AuditRefused, match=r"^t-0.pcap was changed or taken .*\n  instead: add"):
        batches.finish(second)
    assert first.name in {batch.name for batch in batches.known()}
    assert added(batches, pieces[1]).recordings == (pieces[1],)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (Listening(b"key", port=5673), Listening(b"key")),
        (Listening(b"key"), Listening(b"another key")),
        (Listening(b"key"), Listening()),
        (Listening(), Listening(b"key")),
        (Listening(), Listening()),
    ],
)
def test_captures_are_added_if_they_are_read_as_those_that_are_there(
    batches: Batches, pieces: list[Recording], tmp_path: Path, before: Listening, now: Listening
) -> None:
    """With another key, or one that nobody has kept, a message would be two."""
    batch = batches.new([pieces[0]], mark_of(before))
    batches.place(batch).mkdir(parents=True)
    batches.finish(batch)
    another = recording(recorded(tmp_path / "elsewhere" / "another.pcap", b"another"))
    for more in (pieces[1], another):
        with pytest.raises(AuditRefused, match=r"cannot be added to t-0.pcap: captures .* need"):
            batches.new([more], mark_of(now))
    alone = recording(recorded(tmp_path / "r", b"r"))
    assert batches.new([alone], mark_of(now)).recordings == (alone,)
    if before.given is not None:
        assert len(batches.new([pieces[1]], mark_of(before)).recordings) == 2


def test_a_recording_in_two_batches_is_refused(batches: Batches, pieces: list[Recording]) -> None:
    """A driver that was held up does not know what another has done meanwhile."""
    added(batches, pieces[0])
    late = batches.new([pieces[1]], HOW)
    added(batches, pieces[2])
    batches.finish(late)
    with pytest.raises(AuditRefused, match=r"^t-0.pcap is in two batches, .*\n  instead: remove"):
        batches.known()


def test_what_could_not_be_read_is_read_once_it_can_be(
    batches: Batches, pieces: list[Recording]
) -> None:
    unread = msgspec.structs.replace(pieces[0], mark="")
    added(batches, unread, pieces[1])
    assert batches.new([unread], HOW).recordings == ()
    assert set(batches.new([pieces[0]], HOW).recordings) == set(pieces[:2])
    with pytest.raises(AuditRefused, match="need the same --port"):
        batches.new([pieces[0]], mark_of(Listening(b"another")))
    assert set(added(batches, pieces[2]).recordings) == {unread, *pieces[1:3]}


def test_a_bit_that_flips_in_the_document_is_told(batches: Batches) -> None:
    batches.replace({}, {}, '{"events":5}\n')
    batches.require_tables()
    flip(Path(str(batches.document)), random.Random(5))
    with pytest.raises(AuditRefused, match=r"its seal is broken\n  instead: .* --add") as refused:
        batches.require_tables()
    assert str(batches.document) in str(refused.value)


def test_a_document_that_is_gone_is_told(batches: Batches) -> None:
    batches.replace({}, {}, '{"events":5}\n')
    batches.document.unlink()
    with pytest.raises(AuditRefused, match=r"audit.json cannot be read: .*\n  instead: .* --add"):
        batches.require_tables()
