"""The folder of a search has whole levels only, and says what is wrong with others."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from ackproof.pipeline.folder import Folder, Level, RunFile, StatesFile
from ackproof.pipeline.sealed import FileChanged

from tests.pipeline.sealing import rewrite


def runs_of(*names: str) -> tuple[RunFile, ...]:
    """Return runs of these names."""
    return tuple(RunFile(name, 4, "c") for name in names)


def level(number: int, rows: tuple[int, ...] = (2, 0, 3), token: int = 1) -> Level:
    """Return what could be known of a level."""
    return Level(
        level=number,
        token=token,
        rows=rows,
        files=(StatesFile(0, "a"), StatesFile(2, "b")),
        generated=9,
        actions={"go": 7, "come": 2},
        seen=1 << 100,
        broken=("Safe",),
        candidates=8,
        shuffled=100,
        stored=50,
        runs=(runs_of("00001-00002"), (), runs_of("00001-00001", "00002-00002")),
        indexed=2,
        seconds=0.5,
    )


def test_levels_are_read_as_they_were_written(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "search")
    written = [level(1), level(2, (0, 0, 0))]
    for one in written:
        folder.finish(one)
    assert folder.levels() == written
    assert sorted(p.name for p in (folder.root / "levels").iterdir()) == [
        "00001-00001.json",
        "00002-00001.json",
    ]


def test_a_folder_without_levels_has_none(tmp_path: Path) -> None:
    assert Folder(tmp_path / "absent").levels() == []


def test_levels_end_at_the_first_that_is_not_finished(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for number in (1, 2, 4):
        folder.finish(level(number))
    assert [found.level for found in folder.levels()] == [1, 2]


def test_positions_begin_where_the_parts_before_end() -> None:
    assert level(1, (2, 0, 3, 0)).offsets == (0, 2, 2, 5)
    assert level(1, (2, 0, 3, 0)).states == 5
    assert level(1, (4,)).offsets == (0,)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        "{}",
        json.dumps({"rows": [1], "broken": [], "runs": []}),
        json.dumps({"rows": 1, "broken": [], "runs": []}),
        '\xff{"rows"}',
    ],
)
def test_a_damaged_manifest_is_named(text: str, tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.finish(level(1))
    folder.manifest(2, 1).write_text(text, encoding="latin-1")
    with pytest.raises(FileChanged, match="is not as it was written") as refused:
        folder.levels()
    assert refused.value.path == folder.manifest(2, 1)
    assert folder.remedy(refused.value.path) == (
        f"remove {tmp_path}/levels/00002-*.json, and add --resume: the search goes on after level 1"
    )


def test_a_manifest_in_the_place_of_another_is_named(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for number in (1, 2):
        folder.finish(level(number))
    folder.manifest(2, 1).replace(folder.manifest(1, 1))
    with pytest.raises(FileChanged, match="is by driver 1, of level 2"):
        folder.levels()


def test_a_level_by_a_driver_that_was_given_up_is_named(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for number, token in ((1, 1), (2, 3), (3, 2)):
        folder.finish(level(number, token=token))
    with pytest.raises(FileChanged, match="is by driver 2, and driver 3 came after it"):
        folder.levels()


@pytest.mark.parametrize("tokens", [(1, 2), (2, 1)])
def test_of_two_drivers_that_make_a_level_the_later_one_counts(
    tokens: tuple[int, int], tmp_path: Path
) -> None:
    folder = Folder(tmp_path)
    for token in tokens:
        folder.finish(level(1, token=token))
    folder.finish(level(2, token=2))
    assert folder.levels() == [level(1, token=2), level(2, token=2)]
    folder.forget(2)
    assert sorted(path.name for path in (tmp_path / "levels").iterdir()) == [
        "00001-00002.json",
        "00002-00002.json",
    ]


def test_a_file_that_is_no_manifest_is_named(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.finish(level(1))
    (tmp_path / "levels" / "notes.json").touch()
    with pytest.raises(FileChanged, match=r"notes.json has not the name of a manifest"):
        folder.levels()


def test_what_is_behind_the_last_level_is_forgotten(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for number in (1, 2, 4, 5):
        folder.finish(level(number))
    folder.forget(2)
    assert sorted(path.name for path in (tmp_path / "levels").iterdir()) == [
        "00001-00001.json",
        "00002-00001.json",
    ]


@pytest.mark.parametrize(
    ("file", "remedy"),
    [
        ("search.json", "search anew in another folder"),
        ("levels/00001-00002.json", "search anew in another folder"),
        ("states/level=00001/part-00003-00001.parquet", "search anew in another folder"),
        ("levels/00007-00002.json", "remove {root}/levels/00007-*.json, and add --resume"),
        (
            "states/level=00007/part-00003-00001.parquet",
            "remove {root}/levels/00007-*.json, and add",
        ),
        ("index/part-00003/00001-00007.arrow", "add --resume: "),
        ("kernel.ll", "add --resume: "),
        ("goals/level=00007/part-00003.arrow", "add --resume: "),
        ("region/steps-00001.arrow", "add --resume: "),
    ],
)
def test_each_file_has_a_remedy(file: str, remedy: str, tmp_path: Path) -> None:
    said = Folder(tmp_path).remedy(tmp_path / file)
    assert said.startswith(remedy.format(root=tmp_path))


def test_a_manifest_with_more_in_it_than_is_known_is_refused(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.finish(level(1))
    rewrite(folder.manifest(1, 1), lambda found: found.update(colour="blue"))
    with pytest.raises(FileChanged, match="colour"):
        folder.levels()


def test_runs_that_later_ones_have_taken_in_are_removed(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    before = level(1)
    runs = runs_of("00001-00002"), runs_of("00002-00002"), runs_of("00001-00003")
    after = msgspec.structs.replace(level(2), runs=runs)
    for part, found in enumerate(before.runs):
        for run in (*found, *after.runs[part]):
            folder.run(part, run.name).parent.mkdir(parents=True, exist_ok=True)
            folder.run(part, run.name).touch()
    for _ in range(2):
        folder.drop_runs(before, after)
        left = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.arrow"))
        assert left == [
            "index/part-00000/00001-00002.arrow",
            "index/part-00001/00002-00002.arrow",
            "index/part-00002/00001-00003.arrow",
        ]


def test_paths_are_in_the_order_of_levels_and_parts() -> None:
    folder = Folder(Path("work"))
    assert str(folder.states(7, 3, 2)) == "work/states/level=00007/part-00003-00002.parquet"
    assert str(folder.run(3, "00001-00007")) == "work/index/part-00003/00001-00007.arrow"
    assert str(folder.manifest(7, 2)) == "work/levels/00007-00002.json"
