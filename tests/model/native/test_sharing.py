"""A set that a step would compute twice it computes once, unless something has changed."""

from __future__ import annotations

import ast

import pytest
from ackproof.model.native.sharing import sharing

TWICE = """
def step(self, wanted):
    for one in {x for x in wanted if x not in self.gone}:
        self.sent[one].add(1)
    LATER
    asked = {y for y in wanted if y not in self.gone}
    return asked
"""


def shared(later: str) -> str:
    """Return what becomes of a step that computes a set, does something, and computes it again."""
    (tree,) = ast.parse(TWICE.replace("LATER", later)).body
    assert isinstance(tree, ast.FunctionDef)
    return ast.unparse(ast.fix_missing_locations(sharing(tree)))


@pytest.mark.parametrize("later", ["pass", "self.other.add(3)", "told = 3", "self.sent[4] = 5"])
def test_it_is_computed_once(later: str) -> None:
    assert shared(later).count("for x in wanted") == 1
    assert "asked = shared_1" in shared(later)


@pytest.mark.parametrize(
    "later",
    [
        "self.gone.add(3)",  # it is another set now
        "wanted = {3}",
        "self.change()",  # a step, which may change anything
        "asked = set()\n    asked.add(3)",  # it is changed where it is
    ],
)
def test_it_is_computed_again_where_it_may_have_changed(later: str) -> None:
    assert "asked = {y for y in wanted" in shared(later)


NAMED = """
def step(self, wanted):
    FIRST = {x for x in wanted if x not in self.gone}
    asked = {y for y in wanted if y not in self.gone}
    return asked
"""


def named(first: str) -> str:
    """Return what becomes of a step that has a name for a set, and computes it again."""
    (tree,) = ast.parse(NAMED.replace("FIRST", first)).body
    assert isinstance(tree, ast.FunctionDef)
    return ast.unparse(ast.fix_missing_locations(sharing(tree)))


def test_a_set_that_has_a_name_already_keeps_it() -> None:
    assert "asked = first" in named("first")


def test_a_set_whose_name_it_speaks_of_itself_is_another_one_afterwards() -> None:
    assert "asked = {y for y in wanted" in named("wanted")


def test_sets_that_differ_are_not_taken_for_one() -> None:
    other = TWICE.replace("y not in self.gone", "y in self.gone").replace("LATER", "pass")
    (tree,) = ast.parse(other).body
    assert isinstance(tree, ast.FunctionDef)
    assert "shared" not in ast.unparse(ast.fix_missing_locations(sharing(tree)))


def test_a_name_is_not_taken_for_the_place_of_an_element() -> None:
    text = TWICE.replace("y not in self.gone", "_0 not in self.gone").replace("LATER", "pass")
    (tree,) = ast.parse(text).body
    assert isinstance(tree, ast.FunctionDef)
    assert "shared" not in ast.unparse(ast.fix_missing_locations(sharing(tree)))
