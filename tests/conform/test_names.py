"""What the judge names exists: properties of the specification, and rules."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest
from ackproof.conform.violations import RULES

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = tomllib.loads((ROOT / "docs" / "rules.toml").read_text())["chapter"]
KNOWN = {rule for chapter in CHAPTERS for rule in chapter.get("rules", ())}
_RULE = re.compile(r"[A-Z]\d+\.\d+")


def rules_named() -> set[str]:
    """The rules that stand alone as a string in the judge's modules."""
    return {
        node.value
        for path in (ROOT / "conform").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if _RULE.fullmatch(node.value)
    }


def test_the_judge_names_rules() -> None:
    assert {"A2.6", "A6.1", "A11.2", "B7.6", "F1.1"} <= rules_named()


@pytest.mark.parametrize("rule", sorted(rules_named()))
def test_a_rule_that_the_judge_names_exists(rule: str) -> None:
    assert rule in KNOWN


@pytest.mark.parametrize("name", RULES)
def test_a_property_is_named_with_rules_that_exist(name: str) -> None:
    assert RULES[name]
    assert all(rule in KNOWN for rule in RULES[name])
