"""What searches on Spark cost is read from a file, and what is extrapolated is computed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from specdoc.spark import FILE, REMEDY, SCHEMA, sizing_rows

from bench import spark as bench
from tests.bench.test_spark import measured
from tests.docs.test_build import build, text_of

PAGE = """
Spark
=====

.. spark-costs::

.. spark-growth::

.. spark-levels::

.. spark-sizing::

.. spark-seen::
"""


def drawn(folder: Path, document: dict[str, Any]) -> tuple[str, str]:
    """Return the page and the warnings for what was measured."""
    (folder / FILE).write_text(json.dumps(document))
    html, warnings = build(folder, index=PAGE)
    return text_of(html), warnings


def test_the_kept_measurement_is_in_the_format_that_is_written() -> None:
    kept = json.loads((Path(__file__).parents[2] / "docs" / FILE).read_text())
    assert kept["schema"] == SCHEMA == bench.SCHEMA
    assert {"machine", "master", "rounds", "cases", "seen"} <= set(kept)


def test_each_case_has_its_times_and_sizes_by_states(tmp_path: Path) -> None:
    text, warnings = drawn(tmp_path, measured(("tiny", 490, 4.9), ("wide", 4_900, 98.0)))
    assert "Measured on a machine; local[2], once each." in text
    assert "tiny 490 3 0.50 s, 1020.41 µs a state 4.90 s, 10000.00 µs a state 9.8 4.0 s" in text
    assert "tiny 2.00 48 bytes 40 bytes 1,000 MB in all 700 MB" in text
    assert "spark.json" not in warnings


def test_growth_levels_and_what_was_seen_are_shown(tmp_path: Path) -> None:
    text, _ = drawn(tmp_path, measured(("tiny", 490, 4.9), ("wide", 4_900, 98.0)))
    assert "From to Times the states Times the cost of a state tiny wide 10.0 2.00" in text
    assert "The levels of wide: Level States Time Time by states 1 1 0.10 s 100000.0 µs" in text
    assert "Bloom filter, then runs" in text
    assert "all 1.00 s, 2.0 MB 1.00 s, 2.0 MB 1.00 s, 2.0 MB" in text


def test_what_a_thousand_million_states_take_is_extrapolated_by_model(tmp_path: Path) -> None:
    text, _ = drawn(tmp_path, measured(("tiny", 10**5, 1.0), ("wide", 10**6, 20.0)))
    assert "10⁹ states from wide" in text
    # 20 µs by 10⁹ states on two tasks, then twice as much for each of three tenfolds.
    assert "core-hours, if a state costs the same 11.1" in text
    assert "core-hours, if its cost grows on as measured 88.9" in text


def test_a_cost_that_falls_is_not_expected_to_fall_on() -> None:
    (case,) = measured(("tiny", 10**6, 20.0))["cases"]
    rows = sizing_rows(case, 2, (10.0, 0.5))
    assert rows["core-hours, if its cost grows on as measured"] == "11.1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "is not there"),
        ("{", "is not JSON"),
        ('{"schema": "ackproof/bench-spark/0"}', f"is not in the format {SCHEMA}"),
    ],
)
def test_a_file_that_is_missing_or_another_is_told_once(
    tmp_path: Path, text: str | None, said: str
) -> None:
    if text is not None:
        (tmp_path / FILE).write_text(text)
    _, warnings = build(tmp_path, index=PAGE)
    assert warnings.count(f"docs/spark.json {said}") == 1
    assert REMEDY in warnings
