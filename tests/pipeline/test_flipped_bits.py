"""No bit that flips in a file of a search is silent: the file is named, or made again."""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ackproof.lang.binding import Bound
from ackproof.model.outcome import Progress
from ackproof.pipeline import region, shortest
from ackproof.pipeline.errors import SearchFailed, SearchRefused
from ackproof.pipeline.tables import Tables

from tests.exploring import chance, examples
from tests.model import liveness_models as live
from tests.pipeline.searches import ALONE, bound_of, explorer_of, folder_of, summary
from tests.pipeline.wrong import wrong

#: Where steps lead back to levels before, so that what was seen counts.
BOUND = bound_of(live.LINE, "values2")

#: The files without which a search cannot go on, and those that are made again.
LOST, MADE_AGAIN = ("search.json", "levels", "states", "lease"), ("index", "kernel.ll")


def flip(path: Path, rng: random.Random, bits: int = 1) -> None:
    """Flip bits of a file."""
    data = bytearray(path.read_bytes())
    for at in rng.sample(range(8 * len(data)), bits):
        data[at // 8] ^= 1 << at % 8
    path.write_bytes(data)


def files_in(root: Path, kind: str) -> list[Path]:
    """All files of a kind."""
    found = root / kind
    return [found] if found.is_file() else sorted(p for p in found.rglob("*") if p.is_file())


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A search that was stopped in the middle."""
    work = tmp_path_factory.mktemp("begun")
    explorer_of(work)(BOUND, max_depth=8)
    return work


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What all of the search finds."""
    return summary(explorer_of(tmp_path_factory.mktemp("whole"), small=ALONE)(BOUND))


def resumed(work: Path) -> dict[str, Any]:
    """What the search finds when it goes on."""
    return summary(explorer_of(work, small=ALONE, resume=True)(BOUND))


def outcome_of(work: Path, bound: Bound, **options: Any) -> tuple[dict[str, Any] | None, str]:
    """What a search finds, or what it is refused with."""
    try:
        return summary(explorer_of(work)(bound, **options)), ""
    except (SearchRefused, SearchFailed) as error:
        return None, str(error)


@pytest.mark.parametrize("kind", [*LOST, *MADE_AGAIN])
def test_a_bit_that_flips_between_two_runs_is_told_or_mended(
    kind: str, begun: Path, whole: dict[str, Any], tmp_path: Path
) -> None:
    rng = chance(f"flips {kind}")
    for trial in range(examples(12)):
        work = tmp_path / str(trial)
        shutil.copytree(begun, work)
        root = folder_of(work).root
        path = rng.choice(files_in(root, kind))
        flip(path, rng, rng.choice([1, 1, 40]))
        if kind in MADE_AGAIN:
            assert resumed(work) == whole
            continue
        with pytest.raises(SearchRefused) as refused:
            resumed(work)
        said = str(refused.value)
        assert str(path) in said or str(root) in said
        remedy = re.search(r"remove (\S+), and add --resume", said)
        if remedy is not None:
            where = Path(remedy[1])
            for manifest in where.parent.glob(where.name):
                manifest.unlink()
            assert resumed(work) == whole


@pytest.mark.parametrize("kind", ["index", "kernel.ll"])
def test_a_file_that_is_gone_and_can_be_made_again_is(
    kind: str, begun: Path, whole: dict[str, Any], tmp_path: Path
) -> None:
    shutil.copytree(begun, work := tmp_path / "work")
    for path in files_in(folder_of(work).root, kind):
        path.unlink()
    assert resumed(work) == whole


def test_an_index_that_is_whole_and_of_another_time_is_made_again(
    begun: Path, whole: dict[str, Any], tmp_path: Path
) -> None:
    shutil.copytree(begun, work := tmp_path / "work")
    runs = files_in(folder_of(work).root, "index")
    largest = max(runs, key=lambda path: path.stat().st_size)
    smallest = min(runs, key=lambda path: path.stat().st_size)
    shutil.copy(smallest, largest)
    assert resumed(work) == whole


def test_a_bit_that_flips_while_a_search_runs_is_told_or_harmless(
    whole: dict[str, Any], tmp_path: Path
) -> None:
    rng, told = chance("flips on the way"), Counter[bool]()
    for trial in range(examples(30)):
        work, at = tmp_path / str(trial), rng.randrange(2, 10)
        kind = rng.choice(["states", "index"])

        def spoil(progress: Progress, work: Path = work, at: int = at, kind: str = kind) -> None:
            if progress.levels == at:
                flip(max(files_in(folder_of(work).root, kind)), rng)

        found, said = outcome_of(work, BOUND, progress=spoil)
        assert found == whole or ("its seal is broken" in said and f"/{kind}/" in said), said
        told[bool(said)] += 1
    assert told[True] > 5, told


@pytest.mark.parametrize("scratch", ["goals", "region"])
def test_a_bit_that_flips_in_what_is_kept_for_a_moment_is_told(
    scratch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if scratch == "goals":
        bound, module, name = wrong("two at once", tmp_path), shortest, "_forth"
    else:
        bound, module, name = bound_of(live.LINE, "values2", live.UNLUCKY), region, "_judge"
    rng, goes_on = chance(f"flips {scratch}"), getattr(module, name)
    expected, told = outcome_of(tmp_path / "whole", bound)[0], 0
    assert expected is not None
    assert expected["violations"]

    def spoiled(search: Any, *rest: Any) -> Any:
        kept = files_in(search.folder.root, scratch)
        # Of a region, what is left and its steps are read yet; what led to that is not.
        left = [path for path in kept if path.name.startswith(("notes-left", "steps-left"))]
        flip(rng.choice(left or kept), rng)
        return goes_on(search, *rest)

    monkeypatch.setattr(module, name, spoiled)
    for trial in range(examples(12)):
        found, said = outcome_of(tmp_path / str(trial), bound)
        assert found == expected or (f"/{scratch}/" in said and "add --resume" in said), said
        told += bool(said)
    assert told > 3


def test_a_query_reads_no_states_that_were_changed(begun: Path, tmp_path: Path) -> None:
    rng = chance("flips before a query")
    shutil.copytree(begun, work := tmp_path / "work")
    root = folder_of(work).root
    Tables(root).require_files()
    path = rng.choice(files_in(root, "states"))
    flip(path, rng)
    with pytest.raises(SearchRefused, match="its seal is broken\n  instead: bring it back") as told:
        Tables(root).require_files()
    assert str(path) in str(told.value)


def refused_by(call: Callable[[], object]) -> str:
    """What a call is refused with."""
    with pytest.raises(SearchRefused) as refused:
        call()
    return str(refused.value)


def test_states_that_are_gone_are_named_at_once(begun: Path, tmp_path: Path) -> None:
    shutil.copytree(begun, work := tmp_path / "work")
    root = folder_of(work).root
    path = max(files_in(root, "states"))
    path.unlink()
    assert refused_by(lambda: resumed(work)).startswith(f"{path} cannot be read: No such file")
    assert refused_by(Tables(root).require_files).startswith(f"{path} cannot be read: ")
