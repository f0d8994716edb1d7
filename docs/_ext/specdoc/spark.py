"""What searches on Spark cost, as it was measured: tables for the page about them.

To measure takes most of an hour, so a build reads what `bench/spark.py --json` wrote.  No number on
the page is typed; what is extrapolated is computed here, from that file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from docutils import nodes
from sphinx.environment import BuildEnvironment

from specdoc.eras import scrolling
from specdoc.kept import kept_document
from specdoc.markup import Cell, SpecDirective, paragraph, table

__all__ = [
    "FILE",
    "REMEDY",
    "SCHEMA",
    "CostTable",
    "GrowthTable",
    "LevelTable",
    "SeenTable",
    "Sizing",
    "growth",
    "kept_costs",
    "sizing_rows",
]

#: The file beside the pages, and how it is made.
FILE = "spark.json"
SCHEMA = "ackproof/bench-spark/1"
REMEDY = "make it again: python bench/spark.py --json docs/spark.json"

#: How many states the sizing is for, and into how many parts they would be divided.
_STATES, _PARTS = 10**9, 512

_WAYS = {"runs": "Sorted runs", "scan": "Reading everything", "filter": "Bloom filter, then runs"}


def kept_costs(env: BuildEnvironment, *, warn: bool = True) -> dict[str, Any] | None:
    """Return what was measured as it was kept, or None if there is nothing to be used.

    Args:
        env: knows where the pages are.
        warn: whether to say so then.
    """
    return kept_document(env, FILE, SCHEMA, REMEDY, warn=warn)


class _Measured(SpecDirective):
    """A directive that shows a part of what was measured."""

    warns = False

    def run(self) -> list[nodes.Node]:
        """Return what it shows; nothing where nothing was measured."""
        kept = kept_costs(self.env, warn=self.warns)
        return [] if kept is None else self.shown(kept)

    def shown(self, kept: Mapping[str, Any]) -> list[nodes.Node]:
        """Return what it shows of what was measured."""
        raise NotImplementedError


class CostTable(_Measured):
    """`.. spark-costs::`: each case on Spark and with the local kernel, and on which machine."""

    warns = True

    def shown(self, kept: Mapping[str, Any]) -> list[nodes.Node]:
        """Return two tables, of times and of sizes, and the machine."""
        times = ["Searched", "States", "Levels", "Kernel", "Spark", "Times", "Before it"]
        sizes = ["Searched", "Candidates", "Shuffled", "Stored", "Memory", "of it the JVM"]
        rounds = "once each" if kept["rounds"] == 1 else f"medians of {kept['rounds']}"
        return [
            paragraph(f"Measured on {kept['machine']}; {kept['master']}, {rounds}."),
            scrolling(table(times, map(_times, kept["cases"]))),
            paragraph("And by distinct states:"),
            scrolling(table(sizes, map(_sizes, kept["cases"]))),
        ]


def _times(case: Mapping[str, Any]) -> list[Cell]:
    kernel, spark = case["local"]["search"], case["spark"]["search"]
    return [
        case["name"],
        f"{case['states']:,}",
        str(case["levels"]),
        f"{kernel:.2f} s, {_each(case, 'local'):.2f} µs a state",
        f"{spark:.2f} s, {_each(case, 'spark'):.2f} µs a state",
        f"{spark / kernel:.1f}",
        f"{case['spark']['start']:.1f} s",
    ]


def _sizes(case: Mapping[str, Any]) -> list[Cell]:
    states, kept = case["states"], case["spark"]["kept"]
    return [
        case["name"],
        f"{kept['candidates'] / states:.2f}",
        f"{kept['shuffled'] / states:.0f} bytes",
        f"{kept['stored'] / states:.0f} bytes",
        f"{case['spark']['peak'] / 1e6:,.0f} MB in all",
        f"{case['spark']['java'] / 1e6:,.0f} MB",
    ]


def _each(case: Mapping[str, Any], engine: str) -> float:
    """Return microseconds by distinct states."""
    return float(case[engine]["search"] / case["states"] * 1e6)


# -- growth -------------------------------------------------------------------------------------


def growth(cases: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Any, Any, float, float]]:
    """Yield pairs of neighbouring sizes of a model: times the states, times the cost of each."""
    for smaller, larger in pairwise(cases):
        if smaller["model"] == larger["model"]:
            more = larger["states"] / smaller["states"]
            yield smaller, larger, more, _each(larger, "spark") / _each(smaller, "spark")


class GrowthTable(_Measured):
    """`.. spark-growth::`: how the cost of a state grows with the number of states."""

    def shown(self, kept: Mapping[str, Any]) -> list[nodes.Node]:
        """Return the table; nothing if each model was searched at one size only."""
        header = ["From", "to", "Times the states", "Times the cost of a state"]
        rows: list[list[Cell]] = [
            [smaller["name"], larger["name"], f"{more:.1f}", f"{cost:.2f}"]
            for smaller, larger, more, cost in growth(kept["cases"])
        ]
        return [table(header, rows)] if rows else []


class LevelTable(_Measured):
    """`.. spark-levels::`: the levels of the largest case."""

    def shown(self, kept: Mapping[str, Any]) -> list[nodes.Node]:
        """Return the table."""
        largest = max(kept["cases"], key=lambda c: int(c["states"]))
        rows: list[list[Cell]] = [
            [str(i), f"{states:,}", f"{seconds:.2f} s", _per(seconds, states)]
            for i, (states, seconds) in enumerate(largest["table"], start=1)
        ]
        header = ["Level", "States", "Time", "Time by states"]
        return [paragraph(f"The levels of {largest['name']}:"), table(header, rows)]


def _per(seconds: float, states: int) -> str:
    return f"{seconds / states * 1e6:.1f} µs" if states else "–"


# -- sizing -------------------------------------------------------------------------------------


class Sizing(_Measured):
    """`.. spark-sizing::`: what a thousand million states would take, from what was measured."""

    def shown(self, kept: Mapping[str, Any]) -> list[nodes.Node]:
        """Return the table: a column for each model, by its largest case."""
        largest: dict[str, Mapping[str, Any]] = {}
        last: dict[str, tuple[float, float]] = {}
        for case in kept["cases"]:
            largest[case["model"]] = case
        for _, larger, more, cost in growth(kept["cases"]):
            last[larger["model"]] = (more, cost)
        tasks = int(kept["master"].removeprefix("local[").removesuffix("]"))
        columns = [sizing_rows(c, tasks, last.get(m)) for m, c in largest.items()]
        header: list[Cell] = ["10⁹ states", *(f"from {c['name']}" for c in largest.values())]
        rows: list[list[Cell]] = [
            [label, *(column[label] for column in columns)] for label in columns[0]
        ]
        return [scrolling(table(header, rows))]


def sizing_rows(
    case: Mapping[str, Any], tasks: int, last: tuple[float, float] | None
) -> dict[str, str]:
    """Return what 10⁹ states would take if they are like those of a case.

    Args:
        case: what was measured.
        tasks: how many tasks ran at once.
        last: from the next smaller size to this one, times the states and times the cost of each.
    """
    kept, states = case["spark"]["kept"], case["states"]
    hours = _each(case, "spark") * _STATES / 1e6 * tasks / 3600
    more, cost = last or (10.0, 1.0)
    # A state that has become cheaper, for overheads weigh less, is not expected to go on so.
    grown = hours * max(1.0, cost) ** (math.log(_STATES / states) / math.log(more))
    share = kept["most_candidates"] / states
    part = share * _STATES / _PARTS
    words = kept["words"]
    settled = (32 * words + 64) * part + 8 * (words + 1) * _STATES / _PARTS
    return {
        "core-hours, if a state costs the same": f"{hours:.1f}",
        "core-hours, if its cost grows on as measured": f"{grown:.1f}",
        "through the shuffle": f"{kept['shuffled'] / states:,.0f} GB",
        "through the shuffle in the widest level": (
            f"{share * kept['shuffled'] / kept['candidates']:,.1f} GB"
        ),
        "in the folder at the end": f"{kept['stored'] / states:,.0f} GB",
        "of it states and links": f"{kept['links'] / states:,.0f} GB",
        f"memory of a task that settles one of {_PARTS} parts": f"{settled / 1e6:,.0f} MB",
    }


# -- what was seen ------------------------------------------------------------------------------


class SeenTable(_Measured):
    """`.. spark-seen::`: three ways to know which states are new, on the levels of one search."""

    def shown(self, kept: Mapping[str, Any]) -> list[nodes.Node]:
        """Return a table: a level in the middle, the widest, two at the end, and all together."""
        levels = kept["seen"]["levels"]
        widest = max(levels, key=lambda r: int(r["candidates"]))
        half = next(r for r in levels if 2 * r["seen"] >= levels[-1]["seen"])
        chosen = {row["level"]: row for row in (widest, half, levels[-3:][0], levels[-1])}
        header = ["Level", "Candidates", "New", "Seen before", *_WAYS.values()]
        rows: list[list[Cell]] = [
            [str(r["level"]), *(f"{r[k]:,}" for k in ("candidates", "new", "seen")), *_costs(r)]
            for _, r in sorted(chosen.items())
        ]
        rows.append(["all", "", "", "", *_costs(_sum(levels))])
        return [
            paragraph(f"On {kept['seen']['case']}, some levels, and the sum of all:"),
            scrolling(table(header, rows)),
        ]


def _sum(levels: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    keys = ("seconds", "read")
    return {way: {k: sum(float(r[way][k]) for r in levels) for k in keys} for way in _WAYS}


def _costs(row: Mapping[str, Any]) -> list[str]:
    return [f"{row[way]['seconds']:.2f} s, {row[way]['read'] / 1e6:,.1f} MB" for way in _WAYS]
