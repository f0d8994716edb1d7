"""In an object store a file is as in a directory; who claims a name is alone; failures are told."""

from __future__ import annotations

import pickle
import re
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from ackproof.pipeline import nearby, objects
from ackproof.pipeline.errors import StoreFailed
from ackproof.pipeline.objects import ObjectPlace
from ackproof.pipeline.places import Place
from ackproof.pipeline.sealed import FileChanged, read_sealed, require_seal, seal_of
from ackproof.pipeline.storage import placed

from tests.pipeline.store import Store


@pytest.fixture
def place(store: Store, request: pytest.FixtureRequest) -> Iterator[Place]:
    """A folder in the store."""
    found = placed(store.address(f"objects/{request.node.name.partition('[')[0]}"))
    yield found
    found.clear()


def names(place: Place) -> list[str]:
    """The names of the files in a folder."""
    return [found.name for found in place.files()]


def test_an_address_names_a_place_and_is_one(store: Store) -> None:
    address = store.address("a/b")
    found = placed(address)
    assert isinstance(found, ObjectPlace)
    assert (str(found), found.address) == ("s3://bucket/a/b", address)
    below = found / "c" / "level=00001/part-00002.parquet"
    assert str(below) == "s3://bucket/a/b/c/level=00001/part-00002.parquet"
    assert (below.name, below.stem) == ("part-00002.parquet", "part-00002")
    assert below.parent == found / "c/level=00001"
    assert placed(below.address).address == below.address
    assert pickle.loads(pickle.dumps(below)) == below


def test_a_text_replaces_what_was_there_as_a_whole(place: Place) -> None:
    path = place / "deep" / "text"
    assert not path.exists()
    assert names(path.parent) == []
    path.write("first and longer\n")
    path.write("second\n")
    assert path.exists()
    assert path.read_bytes() == b"second\n"
    assert names(path.parent) == ["text"]
    assert names(place) == []
    path.unlink()
    path.unlink(missing_ok=True)
    with pytest.raises(FileNotFoundError, match=re.escape(str(path))):
        path.unlink()
    with pytest.raises(FileNotFoundError, match=re.escape(str(path))):
        path.read_bytes()


def test_a_folder_is_cleared_with_all_that_is_in_it(place: Place) -> None:
    for name in ("a", "b/c", "b/d/e"):
        (place / name).write(name)
    for _ in range(2):
        (place / "b").clear()
        assert names(place) == ["a"]
        assert not (place / "b/d/e").exists()


def test_what_is_made_is_put_when_it_is_whole(place: Place) -> None:
    path = place / "file"

    def fail(made: Path) -> None:
        made.write_text("half")
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError):
        path.make(fail)
    assert not path.exists()
    for content in (b"", b"content", bytes(9 << 20)):
        stored = path.make(lambda made, content=content: made.write_bytes(content))
        assert stored == (len(content), seal_of(content))
        assert path.read_bytes() == content
        require_seal(path, stored.seal)
        assert read_sealed(path, stored.seal).to_pybytes() == content
    with pytest.raises(FileChanged, match="its seal is broken"):
        require_seal(path, seal_of(b"another"))


@pytest.mark.parametrize("near", [True, False])
def test_what_is_mapped_is_a_copy_on_this_machine(place: Place, near: bool) -> None:
    path = place / "file"
    seal = path.make(lambda made: made.write_text(f"kept {near}"), near=near).seal
    assert path.mapped(seal).to_pybytes() == f"kept {near}".encode()
    # The copy is as good as the object, whatever becomes of that.
    path.write("another")
    assert path.mapped(seal).to_pybytes() == f"kept {near}".encode()
    nearby.dropped(seal)
    with pytest.raises(FileChanged, match="its seal is broken") as told:
        path.mapped(seal)
    assert told.value.path == path


def test_a_copy_that_was_spoiled_is_fetched_again(place: Place) -> None:
    path = place / "file"
    seal = path.make(lambda made: made.write_text("content")).seal
    copy = nearby.copied(seal, path._fetch)
    copy.write_text("cOntent")
    assert path.mapped(seal).to_pybytes() == b"content"


def test_a_file_that_is_missing_is_named(place: Place) -> None:
    for ask in (lambda: (place / "no").mapped(seal_of(b"no")), (place / "no").stamp):
        with pytest.raises(FileChanged, match="/no is missing"):
            ask()


def test_copies_make_room_for_others(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    seals = [
        (place / name).make(lambda made, name=name: made.write_text(name)).seal for name in "abc"
    ]
    for name, seal in zip("abc", seals, strict=True):
        (place / name).mapped(seal)
        time.sleep(0.01)
    (place / "a").mapped(seals[0])
    usage = type("Usage", (), {"total": 20, "free": 0})
    monkeypatch.setattr(nearby.shutil, "disk_usage", lambda folder: usage)
    folder = nearby.copied(seals[0], Path.touch).parent
    others = [path for path in folder.iterdir() if path.name not in seals]
    for path in others:
        path.unlink()
    nearby.copied(seal_of(b"new"), Path.touch)
    left = {path.name for path in folder.iterdir()}
    assert left == {seals[0], seals[2], seal_of(b"new")}, "b was not asked for the longest"
    assert (place / "b").mapped(seals[1]).to_pybytes() == b"b"


def test_a_name_is_claimed_once(place: Place) -> None:
    first = (place / "00001.json").claim("first")
    assert re.fullmatch(r"00001-\w{12}\.json", first.name)
    with pytest.raises(FileExistsError):
        (place / "00001.json").claim("second")
    other = (place / "00002.json").claim("other")
    assert names(place) == [first.name, other.name]


def test_of_many_who_claim_a_name_at_once_one_has_it_at_most(place: Place) -> None:
    for number in range(5):
        barrier, won = threading.Barrier(4), []

        def claim(number: int = number, barrier: Any = barrier, won: Any = won) -> None:
            barrier.wait()
            with suppress(FileExistsError):
                won.append((place / f"{number}.json").claim("mine").name)

        threads = [threading.Thread(target=claim) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        left = [name for name in names(place) if name.startswith(f"{number}-")]
        assert left == won
        assert len(won) <= 1


def test_a_file_is_renewed_by_the_clock_of_the_store(place: Place) -> None:
    path = place / "file"
    path.write("here")
    time.sleep(2.1)
    assert path.silence() >= 1
    began = time.monotonic()
    path.renew()
    assert path.silence() <= time.monotonic() - began + 1, "by whole seconds"
    assert path.read_bytes() == b"here"
    assert names(place) == ["file"]
    path.unlink()
    assert path.silence() == 0
    with pytest.raises(FileNotFoundError):
        path.renew()


def said_of(call: Any) -> str:
    """What a call fails with: one line, which tells no secret."""
    with pytest.raises(StoreFailed) as failed:
        call()
    said = str(failed.value)
    assert "\n" not in said
    assert "SESAME" not in said
    return said


def test_a_bucket_that_is_not_there_is_told(store: Store) -> None:
    place = placed(store.address("found", "nosuch"))
    said = said_of(place.ready)
    assert said == "s3://nosuch/found: there is no such bucket; make it, or name another"
    said = said_of(lambda: (place / "file").write("text"))
    assert said.startswith("s3://nosuch/found/file: there is no such bucket (")
    assert said.endswith("; make it, or name another")
    placed(store.address("found")).ready()


def test_who_has_no_rights_is_told(store: Store) -> None:
    place = placed(store.address("rights"))
    (place / "file").write("text")
    store.allow(everything=False)
    try:
        calls = {
            "": place.ready,
            "/file": lambda: (place / "file").write("text"),
            "/file ": (place / "file").read_bytes,
            "/file  ": (place / "file").exists,
        }
        for name, call in calls.items():
            said = said_of(call)
            place_of_it = f"s3://bucket/rights{name.strip()}"
            assert said.startswith(f"{place_of_it}: the credentials of this process do not allow")
            assert said.endswith("have them allowed to list, read, write and remove")
    finally:
        store.allow(everything=True)


def test_a_store_that_stops_in_the_middle_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objects, "_AHEAD", 1 << 16)
    with Store(tmp_path) as own:
        path = placed(own.address()) / "file"
        path.make(lambda made: made.write_bytes(bytes(1 << 20)))
        with path.open("rb") as file:
            assert file.read(10) == bytes(10)
            own.close()
            said = said_of(lambda: file.read(1 << 19))
        assert said.startswith("s3://bucket/file: the store does not answer (")
        assert said.endswith("; see whether it is up, and whether its address is right")
