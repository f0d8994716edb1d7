"""Rule numbers: how they are found in prose, and that each one cited exists."""

from __future__ import annotations

import pytest
from specdoc.library import build_library, library
from specdoc.rules import CITATION, anchor, chapter_of, citations, order, sentence_with

from tests.docs.lighthouse import MODEL


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Waits (A9, A9.3).", ["A9", "A9.3"]),
        ("See A6-A11 and INV-A12.", ["A6", "A11", "INV-A12"]),
        ("The bug G-B01 of RabbitMQ 3.8.", ["G-B01"]),
        ("Seen in X8, modelled by L6.11.", ["X8", "L6.11"]),
        ("UTF8, HTTP2, a B-tree, and message 3 have none.", []),
    ],
)
def test_citations_are_rule_numbers_and_nothing_else(text: str, found: list[str]) -> None:
    assert CITATION.findall(text) == found


def test_a_rule_belongs_to_the_chapter_of_its_letter() -> None:
    chapter = chapter_of("A9.3")
    assert chapter is not None
    assert chapter.title == "The channel"
    assert chapter_of("INV-B2") is not None
    assert chapter_of("A99") is None


def test_rules_are_sorted_as_numbers() -> None:
    rules = ["A10", "A2", "A2.10", "A2.9", "INV-A1"]
    assert sorted(rules, key=order) == ["A2", "A2.9", "A2.10", "A10", "INV-A1"]


def test_an_anchor_is_fit_for_an_address() -> None:
    assert anchor("A9.3") == "a9-3"


def test_a_rule_is_quoted_with_the_sentence_that_cites_it() -> None:
    doc = "It waits.  Then it goes on (A1, B2).\n\n* first: this (A3);\n* second."
    assert sentence_with("B2", doc) == "Then it goes on"
    assert sentence_with("A3", doc) == "first: this"


def test_citations_are_found_in_chapters_classes_steps_and_properties() -> None:
    found = {(c.rule, c.kind, c.target) for c in citations(build_library(MODEL))}
    assert ("A4.1", "machine", "Lighthouse") in found
    assert ("B1", "machine", "Watch") in found
    assert ("B1.2", "step", "Watch.note") in found
    assert ("A4.1", "property", "ToldIsNear") in found


def test_every_rule_that_the_specification_cites_exists() -> None:
    unknown = [(c.rule, c.target) for c in citations(library()) if chapter_of(c.rule) is None]
    assert unknown == []
