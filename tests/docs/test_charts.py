"""Sequence charts: the rows a step's text makes, and the picture of them."""

from __future__ import annotations

from xml.etree import ElementTree

from ackproof.spec.lang.frontend import compile_model
from specdoc.calls import WIRE, Row, callers, rows_of
from specdoc.charts import sequence_chart

from tests.docs.lighthouse import MODEL

PROGRAM = compile_model(MODEL)


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


def test_a_chart_is_well_formed_and_has_a_lane_for_each_process() -> None:
    svg = sequence_chart("Lighthouse", rows("Lighthouse", "sight"), "Sighting <a ship>")
    root = ElementTree.fromstring(svg)
    space = "{http://www.w3.org/2000/svg}"
    assert [t.text for t in root.iter(f"{space}text") if t.get("class") == "spec-name"] == [
        "Lighthouse",
        "Watch",
        WIRE,
    ]
    title = root.find(f"{space}title")
    assert title is not None
    assert title.text == "Sighting <a ship>"


def test_labels_have_room_between_the_lanes_they_join() -> None:
    long = "a_handler_with_quite_a_long_name_indeed"
    svg = sequence_chart("A", (Row("A", "B", long, "call"),), "")
    root = ElementTree.fromstring(svg)
    lines = [e for e in root.iter() if e.get("class") == "spec-life"]
    first, second = (float(line.get("x1") or 0) for line in lines)
    assert second - first > 6 * len(long)


def test_a_step_that_calls_nobody_has_no_chart() -> None:
    assert sequence_chart("Lighthouse", rows("Lighthouse", "fog"), "") == ""
