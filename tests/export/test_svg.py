"""A counterexample as an SVG: well-formed, whole, and nothing of it outside of the page."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

import pytest
from ackproof.export.sequence import diagram
from ackproof.export.svg import svg
from ackproof.model.trace import Trace

from tests.export.traces import breaking, counterexamples, for_ever, staying

SVG = "{http://www.w3.org/2000/svg}"

TRACES = pytest.mark.parametrize(
    "trace", [*counterexamples(), for_ever(), staying()], ids=lambda trace: trace.property
)


def drawn(trace: Trace) -> ET.Element:
    return ET.fromstring(svg(diagram(trace, "this")))


def texts(root: ET.Element, style: str) -> list[str]:
    return [one.text or "" for one in root.iter(f"{SVG}text") if one.get("class") == style]


@TRACES
def test_it_has_a_line_for_each_step_frame_and_change(trace: Trace) -> None:
    root = drawn(trace)
    steps = (*trace.steps, *(trace.cycle or ()))
    said = texts(root, "action") + texts(root, "fault")
    assert sorted(said) == sorted(
        step.text + (" and fails" if step.after is None else "") for step in steps
    )
    assert texts(root, "event") == [str(event) for step in steps for event in step.events]
    assert texts(root, "change") == [
        line for step in steps for change in step.changes for line in change.lines
    ]


@TRACES
def test_nothing_is_outside_of_the_page(trace: Trace) -> None:
    root = drawn(trace)
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    assert root.get("viewBox") == f"0 0 {width:g} {height:g}"
    for one in root.iter():
        for name, bound in itertools.product(("x", "x1", "x2", "cx"), (width,)):
            assert 0 <= float(one.get(name, "0")) <= bound
        for name, bound in itertools.product(("y", "y1", "y2", "cy"), (height,)):
            assert 0 <= float(one.get(name, "0")) <= bound
    for one in root.iter(f"{SVG}text"):
        if one.get("text-anchor") == "start":
            assert float(one.get("x", "")) + 7 * len(one.text or "") <= width


@TRACES
def test_no_two_texts_lie_on_one_another(trace: Trace) -> None:
    places = [(one.get("x"), one.get("y")) for one in drawn(trace).iter(f"{SVG}text")]
    assert len(places) == len(set(places))


def test_a_fault_is_a_cross_and_a_frame_an_arrow() -> None:
    root = drawn(breaking("ToldIsKept"))
    assert sum(one.get("class") == "failed" for one in root.iter(f"{SVG}line")) == 2
    assert sum(one.get("class") == "frame" for one in root.iter(f"{SVG}line")) == 1
    assert len(list(root.iter(f"{SVG}polygon"))) == 1


def test_how_a_run_goes_on_for_ever_is_said() -> None:
    assert "for ever:" in texts(drawn(for_ever()), "title")
    assert "and there it stays: nothing is enabled that must happen" in texts(
        drawn(staying()), "title"
    )
