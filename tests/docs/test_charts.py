"""Sequence charts: the rows a step's text makes, and the picture of them."""

from __future__ import annotations

import shutil
import subprocess
from xml.etree import ElementTree

import pytest
from ackproof.lang.frontend import compile_model
from specdoc.calls import WIRE, Row, callers, rows_of
from specdoc.charts import chart_code, sequence_chart

from tests.docs.lighthouse import MODEL

PROGRAM = compile_model(MODEL)

CALL = Row("A", "B", "note", "call")

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def rows(process: str, method: str) -> tuple[Row, ...]:
    """Return the rows of a step of the lighthouse."""
    found = PROGRAM.process(process).method(method)
    assert found is not None
    return rows_of(PROGRAM, process, found)


def test_an_action_shows_calls_events_and_observers_in_order() -> None:
    assert rows("Lighthouse", "sight") == (
        Row("Lighthouse", "Watch", "note", "call", each="keeper"),
        Row("Watch", WIRE, "Flash", "emit", each="keeper"),
        Row(WIRE, "Lighthouse", "hears", "observe", each="keeper", observed=True),
    )


def test_a_handler_shows_what_it_emits_but_not_who_listens() -> None:
    assert rows("Watch", "note") == (Row("Watch", WIRE, "Flash", "emit"),)


def test_callers_are_known_by_name() -> None:
    assert callers(PROGRAM) == {("Watch", "note"): ("Lighthouse.sight",)}


def drawn(*chart: Row) -> dict[str, list[tuple[float, float]]]:
    """Have Graphviz draw a chart whose first lane is A; return where each text stands."""
    done = subprocess.run(
        ["dot", "-Tsvg"], input=chart_code("A", chart), capture_output=True, text=True, check=True
    )
    found: dict[str, list[tuple[float, float]]] = {}
    for e in ElementTree.fromstring(done.stdout).iter("{http://www.w3.org/2000/svg}text"):
        found.setdefault(e.text or "", []).append((float(e.get("x", "")), float(e.get("y", ""))))
    return found


@needs_dot
def test_lanes_stand_in_order_of_appearance_with_the_wire_last() -> None:
    texts = drawn(Row("A", WIRE, "Flash", "emit"), Row("A", "C", "see", "call"), CALL)
    ((a, top),), ((b, _),), ((c, _),), ((wire, _),) = (texts[n] for n in ("A", "B", "C", WIRE))
    assert a < c < b < wire
    assert {y for name in ("A", "B", "C", WIRE) for _, y in texts[name]} == {top}


@needs_dot
def test_arrows_stand_in_the_order_of_the_rows_between_the_lanes_they_join() -> None:
    again = Row("B", "B", "think", "call", maybe=True)
    each = Row("A", "B", "count", "call", each="keeper")
    texts = drawn(CALL, again, each)
    assert [*sorted(("note", "think ?", "each keeper: count"), key=lambda t: texts[t][0][1])] == [
        "note",
        "think ?",
        "each keeper: count",
    ]
    assert texts["A"][0][0] < texts["note"][0][0] < texts["B"][0][0]
    assert texts["think ?"][0][0] > texts["B"][0][0]


@needs_dot
def test_labels_have_room_between_the_lanes_they_join() -> None:
    long = "a_handler_with_quite_a_long_name_indeed"
    texts = drawn(Row("A", "B", long, "call"))
    assert texts["B"][0][0] - texts["A"][0][0] > 6 * len(long)


def test_a_chart_says_what_it_shows_to_those_who_cannot_see_it() -> None:
    chart = sequence_chart("Lighthouse", rows("Lighthouse", "sight"), "What sight calls")
    assert chart["alt"] == "What sight calls"
