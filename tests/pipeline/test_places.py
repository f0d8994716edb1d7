"""In a directory a file is there as a whole, or not at all, and is mapped as it was written."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from ackproof.pipeline import places
from ackproof.pipeline.errors import StoreFailed
from ackproof.pipeline.places import LocalPlace
from ackproof.pipeline.sealed import FileChanged, seal_of
from ackproof.pipeline.storage import placed


@pytest.fixture
def place(tmp_path: Path) -> LocalPlace:
    """A directory."""
    return LocalPlace(tmp_path)


def test_a_path_names_a_place_and_is_one(tmp_path: Path) -> None:
    for name in (tmp_path, str(tmp_path), f"file://{tmp_path}", LocalPlace(tmp_path)):
        found = placed(name)
        assert (found, found.address) == (tmp_path, str(tmp_path))
        assert isinstance(found / "a/b", LocalPlace)
        assert pickle.loads(pickle.dumps(found / "a")) == tmp_path / "a"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("nowhere://x/y", "nowhere://x/y: there is no way there: Unrecognized filesystem type"),
        ("s3://b/a?colour=blue", "Unexpected query parameter in S3 URI: 'colour'"),
        ("s3://b/a#c", "s3://b/a: its address has a #; write %23 for it"),
    ],
)
def test_an_address_that_leads_nowhere_is_refused(address: str, said: str) -> None:
    with pytest.raises(StoreFailed) as refused:
        placed(address)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "address",
    [
        "s3://me:SESAME@b/a",
        "s3://SESAME@b/a",
        "s3://b/a?secret_key=SESAME",
        "abfss://c@d/a?client_secret=SESAME",
        "abfss://c:SESAME@d.dfs.core.windows.net/a",
        "gs://b/a?access_token=SESAME&scheme=http",
    ],
)
def test_an_address_with_a_secret_in_it_is_refused_and_not_shown(address: str) -> None:
    with pytest.raises(StoreFailed, match="has credentials in it") as refused:
        placed(address)
    assert "SESAME" not in str(refused.value)


def test_a_text_replaces_what_was_there_as_a_whole(place: LocalPlace) -> None:
    path = place / "deep" / "text"
    path.write("first and longer\n")
    path.write("second\n")
    assert path.read_text() == "second\n"
    assert path.parent.files() == [path]
    assert (place / "absent").files() == []


def test_a_file_that_was_not_finished_is_not_there(place: LocalPlace) -> None:
    path = place / "file"
    path.write("before")

    def fail(temporary: Path) -> None:
        temporary.write_text("half")
        assert place.files() == [path]
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError):
        path.make(fail)
    assert path.read_text() == "before"
    assert list(place.iterdir()) == [path]


def test_a_file_is_on_the_disk_before_it_has_its_name(
    place: LocalPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, bool]] = []
    path = place / "file"

    def to_disk(what: Path) -> None:
        done.append((what.name if what.is_dir() else what.read_text(), path.exists()))

    monkeypatch.setattr(places, "_to_disk", to_disk)
    path.write("all of it")
    assert done == [("all of it", False), (place.name, True)]
    path.make(lambda temporary: temporary.write_text("for a moment"), lasting=False)
    assert len(done) == 2


def test_what_is_made_has_a_size_and_a_seal(place: LocalPlace) -> None:
    for content in ("", "content"):
        path = place / "file"
        stored = path.make(lambda made, content=content: made.write_text(content))
        assert stored == (len(content), seal_of(content.encode()))
        assert path.mapped(stored.seal).to_pybytes() == content.encode()
        with pytest.raises(FileChanged, match="its seal is broken"):
            path.mapped(seal_of(b"another"))


def test_a_name_is_claimed_once(place: LocalPlace) -> None:
    path = place / "deep" / "file"
    assert path.claim("first") == path
    with pytest.raises(FileExistsError):
        path.claim("second")
    assert path.read_text() == "first"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_does_not_arrive_is_missing(
    place: LocalPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_ARRIVAL", 0.0)
    with pytest.raises(FileChanged, match="is missing; is the folder the same on all machines"):
        (place / "file").mapped(seal_of(b""))
