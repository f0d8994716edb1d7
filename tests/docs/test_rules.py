"""Rule numbers: how they are found in prose, and that each one cited exists."""

from __future__ import annotations

import pytest
from specdoc.library import build_library, library
from specdoc.numbers import anchor, chapter_of, chapters, cited, order, pieces, section, statement
from specdoc.rules import citations, sentence_with

from tests.docs.lighthouse import MODEL


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Waits (A9, A9.3).", ["A9", "A9.3"]),
        ("See A6-A8 and INV-A12.", ["A6", "A8", "INV-A12", "A7"]),
        ("Copies (D4.9-D4.11), H1 to H3.", ["D4.9", "D4.11", "H1", "H3", "D4.10", "H2"]),
        ("Lost (H7, D8 L2, L3), in one step (L3).", ["H7", "D8 L2", "D8 L3", "L3"]),
        ("From A9.4 to B2 nothing.", ["A9.4", "B2"]),
        ("The promise INV-A3' and INV-A3's reason.", ["INV-A3'", "INV-A3"]),
        ("The bug G-B01 of RabbitMQ 3.8.", ["G-B01"]),
        ("Seen in X8, modelled by L6.11.", ["X8", "L6.11"]),
        ("UTF8, HTTP2, a B-tree, and message 3 have none.", []),
    ],
)
def test_citations_are_rule_numbers_and_nothing_else(text: str, found: list[str]) -> None:
    assert list(cited(text)) == found


def test_a_rule_belongs_to_the_chapter_of_its_letter() -> None:
    chapter = chapter_of("A9.3")
    assert chapter is not None
    assert chapter.title == "The channel"
    assert chapter_of("INV-B2") is not None
    assert chapter_of("A99") is None
    assert chapter_of("A9.99") is None


def test_prose_is_cut_into_pieces_that_put_it_together_again() -> None:
    text = "Lost (D8 L2, L3), as in A9."
    found = [("Lost (", ""), ("D8 L2", "D8 L2"), (", ", ""), ("L3", "D8 L3")]
    found += [("), as in ", ""), ("A9", "A9"), (".", "")]
    assert [p for p in pieces(text) if p[0]] == found


def test_a_topic_is_the_heading_of_its_rules_and_no_rule() -> None:
    chapter = chapter_of("D8")
    assert chapter is not None
    assert chapter.is_heading("D8")
    assert "D8" not in chapter.statements()
    assert {"D8 L1", "D3"} <= set(chapter.statements())
    assert section("D8 L1") == section("D8") == "D8"


def test_each_rule_is_said_in_a_sentence() -> None:
    rules = [r for chapter in chapters() for r in chapter.statements() if r not in {"L1", "L2"}]
    assert [r for r in rules if r[0] != "L" and not statement(r).endswith((".", ")"))] == []


def test_rules_are_sorted_as_numbers() -> None:
    rules = ["A10", "A2", "A2.10", "A2.9", "D8 L10", "D8 L9", "INV-A1"]
    assert sorted(rules, key=order) == ["A2", "A2.9", "A2.10", "A10", "D8 L9", "D8 L10", "INV-A1"]


def test_an_anchor_is_fit_for_an_address() -> None:
    assert anchor("A9.3") == "a9-3"
    assert anchor("D8 L2") == "d8-l2"
    assert anchor("INV-A3'") != anchor("INV-A3")


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
