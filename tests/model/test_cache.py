"""The cache gives back what was put in, or nothing, whatever happens to its files."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest
from ackproof.cli import mutant_runs
from ackproof.model.cache import (
    ANEW,
    FOUND,
    OFF,
    OUTCOMES,
    VARIABLE,
    Cache,
    default_cache,
    digest,
    sources,
)
from ackproof.proofs import finished, kept

KEY, OTHER = digest("one"), digest("other")


def entry(folder: Path) -> Path:
    """Return the only file of a cache."""
    (found,) = (p for p in folder.rglob("*") if p.is_file())
    return found


def test_what_was_put_in_is_there_for_others(tmp_path: Path) -> None:
    Cache(tmp_path).put("searches", KEY, b"found")
    assert Cache(tmp_path).get("searches", KEY) == b"found"


def test_what_was_not_put_in_is_not_there(tmp_path: Path) -> None:
    Cache(tmp_path).put("searches", KEY, b"found")
    assert Cache(tmp_path).get("searches", OTHER) is None
    assert Cache(tmp_path).get("programs", KEY) is None


@pytest.mark.parametrize("damage", ["cut", "emptied", "flipped", "lengthened"])
def test_a_damaged_entry_is_removed_and_can_be_replaced(tmp_path: Path, damage: str) -> None:
    Cache(tmp_path).put("searches", KEY, b"found" * 100)
    file = entry(tmp_path)
    data = file.read_bytes()
    flipped = bytes([*data[:-1], data[-1] ^ 1])
    broken = {"cut": data[:-1], "emptied": b"", "flipped": flipped, "lengthened": data + b"x"}
    file.write_bytes(broken[damage])
    assert Cache(tmp_path).get("searches", KEY) is None
    assert not file.exists()
    Cache(tmp_path).put("searches", KEY, b"found")
    assert Cache(tmp_path).get("searches", KEY) == b"found"


@pytest.mark.parametrize("at", range(0, 50, 7))
def test_no_flipped_bit_is_believed(tmp_path: Path, at: int) -> None:
    Cache(tmp_path).put("searches", KEY, b"a result that is of some length")
    file = entry(tmp_path)
    data = bytearray(file.read_bytes())
    data[at] ^= 0x10
    file.write_bytes(data)
    assert Cache(tmp_path).get("searches", KEY) is None


def test_an_entry_under_another_name_is_not_believed(tmp_path: Path) -> None:
    Cache(tmp_path).put("searches", KEY, b"found")
    file = entry(tmp_path)
    file.rename(file.with_name(file.name.replace(KEY, OTHER)))
    assert Cache(tmp_path).get("searches", OTHER) is None


def _fill(folder: Path, count: int) -> None:
    cache = Cache(folder, most=20_000)
    for number in range(count):
        key = digest(str(number))
        found = cache.get("searches", key)
        assert found is None or found == os.fsencode(str(number)) * 200
        cache.put("searches", key, os.fsencode(str(number)) * 200)


def test_processes_that_write_and_remove_the_same_entries_do_not_disturb_each_other(
    tmp_path: Path,
) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_fill, args=(tmp_path, 300)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    _fill(tmp_path, 300)
    assert not list(tmp_path.rglob("*.entry-*"))


def test_a_cache_that_is_full_loses_what_was_not_used_for_the_longest_time(tmp_path: Path) -> None:
    cache = Cache(tmp_path, most=4_000)
    keys = [digest(str(number)) for number in range(4)]
    for age, key in zip((400, 300, 200), keys, strict=False):
        cache.put("searches", key, os.urandom(1_000))
        file = tmp_path / "searches" / f"{key}.entry"
        os.utime(file, (file.stat().st_mtime - age,) * 2)
    assert cache.get("searches", keys[0]) is not None  # used a moment ago
    cache.put("programs", keys[3], os.urandom(1_000))
    there = [cache.get("searches", key) is not None for key in keys[:3]]
    assert there == [True, False, True] or there == [True, False, False]
    assert cache.get("programs", keys[3]) is not None
    assert sum(p.stat().st_size for p in tmp_path.rglob("*.entry")) <= 4_000


def test_what_was_half_written_when_a_process_died_goes_in_the_end(tmp_path: Path) -> None:
    left = tmp_path / "searches" / f"{OTHER}.entry-x1"
    left.parent.mkdir()
    left.write_bytes(b"x" * 5_000)
    os.utime(left, (0, 0))
    Cache(tmp_path, most=4_000).put("searches", KEY, b"found")
    assert not left.exists()
    assert Cache(tmp_path).get("searches", KEY) == b"found"


def test_a_file_that_is_no_entry_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "searches" / "notes.txt"
    mine.parent.mkdir()
    mine.write_text("mine" * 2_000)
    os.utime(mine, (0, 0))
    cache = Cache(tmp_path, most=2_000)
    for number in range(4):
        cache.put("searches", digest(str(number)), os.urandom(900))
    assert mine.exists()


def test_where_nothing_can_be_written_that_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    closed = tmp_path / "file"
    closed.touch()
    cache = Cache(closed / "below")
    cache.put("searches", KEY, b"found")
    cache.put("searches", OTHER, b"found")
    assert cache.get("searches", KEY) is None
    assert capsys.readouterr().err == (
        f"the cache {closed / 'below'} cannot be written: Not a directory; "
        "what is found is not kept\n"
    )


def test_the_environment_says_where_the_cache_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(VARIABLE)
    usual = default_cache()
    assert usual is not None
    assert usual.folder == tmp_path / "home" / "ackproof" / "results"
    monkeypatch.setenv(VARIABLE, str(tmp_path / "mine"))
    mine = default_cache()
    assert mine is not None
    assert mine.folder == tmp_path / "mine"
    monkeypatch.setenv(VARIABLE, OFF)
    assert default_cache() is None


def test_the_environment_says_that_everything_is_found_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, f"{ANEW}{tmp_path}")
    cache = default_cache()
    assert cache is not None
    assert cache.folder == tmp_path
    for kind in ("programs", *FOUND):
        cache.put(kind, KEY, b"made")
    assert [kind for kind in ("programs", *FOUND) if cache.get(kind, KEY)] == ["programs"]
    assert cache.without("programs").get(OUTCOMES, KEY) is None


def test_what_was_searched_proved_or_judged_is_found() -> None:
    assert {OUTCOMES, *kept.KINDS, finished.FINISHED, mutant_runs.KIND} == set(FOUND)


def test_texts_that_are_divided_otherwise_have_another_digest() -> None:
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")


def test_a_changed_line_a_new_file_and_a_renamed_one_change_the_digest_of_sources(
    tmp_path: Path,
) -> None:
    def now() -> str:
        for path in tmp_path.rglob("*"):
            os.utime(path, (1_000_000, 1_000_000))
        sources.cache_clear()
        return sources(tmp_path)

    (tmp_path / "below").mkdir()
    file = tmp_path / "below" / "one.py"
    file.write_text("a = 1\n")
    seen = [now()]
    file.write_text("a = 2\n")
    seen.append(now())
    (tmp_path / "two.py").write_text("a = 2\n")
    seen.append(now())
    (tmp_path / "two.py").rename(tmp_path / "three.py")
    seen.append(now())
    assert len(set(seen)) == 4
    (tmp_path / "notes.txt").write_text("nothing")
    assert now() == seen[-1]


def test_a_source_that_was_written_after_the_process_began_is_like_no_other(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("a = 1\n")
    first = sources(tmp_path)
    sources.cache_clear()
    assert sources(tmp_path) != first


def test_a_store_without_a_kind_neither_reads_nor_writes_it(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("searches", KEY, b"found")
    less = cache.without("searches")
    assert less.get("searches", KEY) is None
    less.put("searches", KEY, b"other")
    less.put("programs", OTHER, b"read")
    assert cache.get("searches", KEY) == b"found"
    assert cache.get("programs", OTHER) == b"read"
