"""However a part keeps what it has seen, it tells the same states to be new."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ackproof.model.kernel.batches import States
from ackproof.pipeline.ordering import Sorted, distinct, fingerprints, parts_of
from ackproof.pipeline.search import SparkExplorer

from bench.process import Failed
from bench.seen import compare
from bench.ways import Filtered, Runs, Way
from tests.models import dining
from tests.pipeline.searches import ALONE, bound_of, explorer_of, folder_of

#: Searched in three parts, all of it in this process.
PARTS = 3


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A finished search of six philosophers at their table, who come back to where they were."""
    explore: SparkExplorer = explorer_of(tmp_path / "work", PARTS, small=ALONE)
    assert explore(bound_of(dining.MODEL, "seats6")).states == 1_297
    return tmp_path / "work"


def some(first: int, count: int) -> Sorted:
    """Return distinct states of one word that all fall into one part."""
    states: States = np.arange(first, first + count, dtype=np.uint64).reshape(-1, 1)
    states = states[parts_of(fingerprints(states), PARTS) == 1]
    return distinct(states, np.arange(len(states)))


@pytest.fixture(params=["runs", "filter"])
def way(request: pytest.FixtureRequest, tmp_path: Path) -> Way:
    """A way to keep states, in part 1, before any is kept."""
    runs = Runs(tmp_path)
    return runs if request.param == "runs" else Filtered(runs, PARTS, 1, 3_000)


def test_what_was_kept_is_known_and_nothing_else_is(way: Way) -> None:
    for level, first in enumerate((0, 3_000, 6_000), start=1):
        assert way.fresh(level, some(first, 3_000)).all()
        way.keep(level, some(first, 3_000))
    known = ~way.fresh(4, some(0, 12_000))
    assert known.sum() == len(some(0, 9_000))


def test_a_filter_of_few_bits_makes_no_state_known_that_is_not(tmp_path: Path) -> None:
    crowded = Filtered(Runs(tmp_path), PARTS, 1, states=10)
    crowded.keep(1, some(0, 3_000))
    assert crowded.fresh(2, some(3_000, 3_000)).all()


def test_what_is_read_is_counted(way: Way) -> None:
    way.keep(1, some(0, 3_000))
    before = way.read
    way.account(2, some(0, 10))
    assert 0 < way.read - before < 100_000


def test_all_ways_find_what_the_search_found(work: Path, tmp_path: Path) -> None:
    rows = compare(folder_of(work).root, tmp_path / "scratch")
    assert sum(row["new"] for row in rows) == 1_297
    assert rows[-1]["seen"] == 1_297
    assert all(row["candidates"] >= row["new"] for row in rows)
    assert all(row[way]["seconds"] > 0 for row in rows for way in ("runs", "scan", "filter"))


def test_reading_everything_reads_more_from_level_to_level(work: Path, tmp_path: Path) -> None:
    rows = compare(folder_of(work).root, tmp_path / "scratch")
    read = [row["scan"]["read"] for row in rows if row["candidates"]]
    assert read[0] == 0
    assert read[2] < read[5] < read[8]


def test_a_way_that_finds_something_else_stops_the_measurement(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Runs, "keep", lambda self, level, found: None)
    with pytest.raises(Failed, match=r"Runs finds \d+ new states .* where \d+ are right"):
        compare(folder_of(work).root, tmp_path / "scratch")
