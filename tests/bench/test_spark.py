"""Two engines must find the same, and what is printed follows from what was measured."""

from __future__ import annotations

import dataclasses
import io
import subprocess
import sys
from typing import Any

import pytest
from rich.console import Console

from bench.cases import CASES
from bench.costs import growth, show
from bench.process import Failed
from bench.searches import Found, Search, middle
from bench.spark import SCHEMA, Pair
from bench.watching import Peak, descendants

FOUND = Found(490, 1657, (1, 4, 485), (("publish", 2),), "verified")
KEPT = {
    "words": 2,
    "partitions": 4,
    "candidates": 980,
    "most_candidates": 600,
    "shuffled": 23_520,
    "stored": 19_600,
    "links": 9_800,
}
LOCAL = Search(FOUND, 2.0, 1.0, 0.5, 2.0, 10**8, 0, {}, ())
SPARK = Search(FOUND, 9.0, 4.0, 2.0, 2.0, 10**9, 7 * 10**8, KEPT, ((1, 0.1), (4, 0.1), (485, 1.8)))


def pair() -> Pair:
    """Return one round on the instance `tiny`."""
    found = Pair(CASES["tiny"])
    found.add(LOCAL, SPARK)
    return found


def measured(*times: tuple[str, int, float]) -> dict[str, Any]:
    """Return a document of cases with so many states, searched on Spark in so many seconds."""
    cases = []
    for name, states, seconds in times:
        case = pair().document() | {"name": name, "states": states}
        cases.append(case | {"spark": case["spark"] | {"search": seconds}})
    cost = {"seconds": 0.5, "read": 1_000_000}
    ways = dict.fromkeys(("runs", "scan", "filter"), cost)
    level = {"level": 1, "candidates": 1, "new": 1, "seen": 0, **ways}
    return {
        "schema": SCHEMA,
        "machine": "a machine",
        "master": "local[2]",
        "rounds": 1,
        "cases": cases,
        "seen": {"case": "tiny", "levels": [level, level]},
    }


@pytest.mark.parametrize(
    "change",
    [{"states": 491}, {"generated": 1}, {"levels": (1, 489)}, {"actions": ()}, {"verdict": "no"}],
    ids=lambda change: next(iter(change)),
)
def test_a_search_that_finds_something_else_stops_the_measurement(change: dict[str, Any]) -> None:
    other = dataclasses.replace(SPARK, found=dataclasses.replace(FOUND, **change))
    with pytest.raises(Failed, match=r"Spark finds .* for tiny"):
        Pair(CASES["tiny"]).add(LOCAL, other)


def test_two_searches_that_agree_on_a_wrong_number_stop_it_too() -> None:
    wrong = dataclasses.replace(FOUND, states=489)
    with pytest.raises(Failed, match="the kernel finds 489 states"):
        Pair(CASES["tiny"]).add(*(dataclasses.replace(s, found=wrong) for s in (LOCAL, SPARK)))


def test_the_search_in_the_middle_counts() -> None:
    turns = [dataclasses.replace(SPARK, search=seconds) for seconds in (3.0, 1.0, 2.0)]
    assert middle(turns).search == 2.0


def test_the_growth_of_the_cost_is_told_within_a_model_only() -> None:
    cases = measured(("small", 1_000, 1.0), ("large", 10_000, 20.0), ("other", 10, 1.0))["cases"]
    cases[2]["model"] = "another"
    assert growth(cases) == [("small", "large", 10.0, pytest.approx(2.0))]


def test_costs_are_told_by_states() -> None:
    text = io.StringIO()
    show(measured(("tiny", 490, 4.9)), Console(file=text, width=80))
    lines = text.getvalue().splitlines()
    row = next(line.split() for line in lines if line.startswith(" tiny"))
    assert row[4:9] == ["0.50", "1020.41", "4.90", "10000.00", "9.8"]
    assert row[10:13] == ["2.00", "48", "40"]
    assert any(line.split()[:1] == ["all"] and "1.000" in line for line in lines)


def test_processes_are_found_with_what_they_have_started() -> None:
    assert descendants(1, {2: 1, 3: 2, 4: 3, 5: 9}) == {2, 3, 4}
    assert descendants(5, {2: 1, 5: 1}) == set()


def test_the_memory_of_a_child_is_seen() -> None:
    program = "import sys; held = bytearray(80_000_000); print(flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        peak = Peak()
        peak.look()
    assert peak.python >= 80_000_000
    assert peak.total >= peak.python
    assert peak.java == 0
