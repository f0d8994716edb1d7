"""Each rule of the server is stated by the specification, or left out for a reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))

from specdoc.coverage import COVERAGE, all_rules, left_out, sources, stated, words_of
from specdoc.numbers import cited, order

LEFT_OUT = left_out(COVERAGE.read_text(encoding="utf-8"))
STATED = stated(sources())


def test_each_rule_is_stated_or_left_out_with_a_reason() -> None:
    forgotten = set(all_rules()) - STATED - set(LEFT_OUT)
    assert sorted(forgotten, key=order) == []


def test_nothing_is_left_out_that_is_stated_after_all() -> None:
    assert sorted(STATED & set(LEFT_OUT), key=order) == []


def test_nothing_is_left_out_that_is_no_rule() -> None:
    assert sorted(set(LEFT_OUT) - set(all_rules()), key=order) == []


def test_a_reason_says_something() -> None:
    assert [rule for rule, reason in LEFT_OUT.items() if len(reason.split()) < 4] == []


def test_the_rules_of_each_part_of_the_server_are_known() -> None:
    rules = {rule[0] for rule in all_rules() if not rule.startswith("INV-")}
    assert rules == set("ABCDEFQ")
    assert len(all_rules()) > 250


def test_a_comment_and_a_docstring_state_rules_and_a_string_does_not() -> None:
    source = '"""One (A1.1)."""\nx = "A1.2"  # two (A1.3)\n\n\ndef f():\n    """Three (A1.4)."""\n'
    found = {rule for words in words_of(source) for rule in cited(words)}
    assert found == {"A1.1", "A1.3", "A1.4"}


def test_a_row_leaves_out_several_rules_and_ranges() -> None:
    assert left_out("| A1.1-A1.3, D8 L2, L3 | for a reason |\n") == dict.fromkeys(
        ["A1.1", "A1.2", "A1.3", "D8 L2", "D8 L3"], "for a reason"
    )


def test_a_rule_is_left_out_once() -> None:
    with pytest.raises(ValueError, match=r"A1\.1 stands in two rows"):
        left_out("| A1.1 | one |\n| A1.1 | two |\n")
