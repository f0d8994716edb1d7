"""What should hold is put beside what was found, and a difference has to be explained."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from specdoc.evidence import Evidence
from specdoc.library import library
from specdoc.numbers import chapter_of
from specdoc.promises import FILE, Promise, breaks_of, complaints, promises_in

from tests.docs.test_build import build, text_of

DOCS = Path(__file__).parents[2] / "docs"

KEPT = (DOCS / FILE).read_text(encoding="utf-8")

ONCE = Promise(
    "Nothing is settled twice.",
    ("NeverBothAckAndNack",),
    "3.8",
    ("rabbitmq_3_8",),
    (("G-B02", "b02_multiple_ignores_rejected"),),
    {},
)


def table(era: str, result: str) -> dict[str, Any]:
    """Return a table of eras with one cell."""
    broken = [{"instance": "trio", "steps": 7}] if result == "breaks" else []
    cell = {"era": era, "result": result, "broken": broken}
    return {
        "eras": [{"name": era}],
        "properties": [{"name": "NeverBothAckAndNack", "cells": [cell]}],
    }


def test_the_promises_fit_the_specification() -> None:
    found = [text for p in promises_in(KEPT) for text in complaints(p, library(), None)]
    assert found == []


def test_the_rules_that_break_promises_exist() -> None:
    rules = [rule for p in promises_in(KEPT) for rule, _ in p.bugs]
    assert [rule for rule in rules if chapter_of(rule) is None] == []


def test_the_eras_in_which_a_promise_should_hold_exist() -> None:
    eras = {era for p in promises_in(KEPT) for era in p.holds}
    assert [era for era in eras if library().era(era) is None] == []


def test_a_bug_is_shown_with_what_its_design_breaks() -> None:
    exhibit = library().exhibit("b02_multiple_ignores_rejected")
    assert exhibit is not None
    assert [b.property for b in breaks_of(ONCE, exhibit)] == ["NeverBothAckAndNack"]


@pytest.mark.parametrize(
    ("promise", "complaint"),
    [
        (replace(ONCE, properties=("Peace",)), "there is no property Peace"),
        (replace(ONCE, bugs=(("G-B02", "telepathy"),)), "there is no design telepathy"),
        (replace(ONCE, bugs=(("G-B14", ""),)), "G-B14 has no design, and nothing says why"),
        (
            replace(ONCE, bugs=(("G-B01", "b01_benign_down_confirms"),)),
            "the design b01_benign_down_confirms breaks none of NeverBothAckAndNack",
        ),
    ],
)
def test_what_does_not_fit_is_complained_of(promise: Promise, complaint: str) -> None:
    assert complaint in list(complaints(promise, library(), None))


def test_a_promise_that_is_broken_where_it_should_hold_has_to_say_why() -> None:
    broken = table("rabbitmq_3_8", "breaks")
    (text,) = complaints(ONCE, library(), broken)
    assert text == "NeverBothAckAndNack should hold in rabbitmq_3_8, and breaks there; say why"
    explained = replace(ONCE, why={"rabbitmq_3_8": "Because."})
    assert list(complaints(explained, library(), broken)) == []


def test_a_promise_may_be_broken_where_nobody_said_that_it_holds() -> None:
    assert list(complaints(ONCE, library(), table("rabbitmq_3_6", "breaks"))) == []


def test_the_specification_itself_keeps_every_promise() -> None:
    assert list(complaints(ONCE, library(), table("documented", "breaks"))) != []


def test_the_page_shows_promise_property_bug_and_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Evidence, "document", table("rabbitmq_3_8", "breaks"))
    (tmp_path / FILE).write_text(
        '[[promise]]\ntext = "Nothing is settled twice."\nproperties = ["NeverBothAckAndNack"]\n'
        'since = "3.8"\nholds = []\nbugs = [{rule = "G-B14"}]\n'
        '[promise.why]\nG-B14 = "No store is shared."\nrabbitmq_3_6 = "Too old."\n'
    )
    html, warnings = build(tmp_path, index="Promises\n========\n\n.. promises::\n")
    text = text_of(html)
    assert "Said by: NeverBothAckAndNack" in text
    assert "G-B14. No store is shared." in text
    assert "rabbitmq_3_6: Too old." in text
    assert "entry 1" not in warnings
