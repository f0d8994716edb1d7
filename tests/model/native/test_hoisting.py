"""A process or an owner has one name for as long as what it goes by is the same."""

from __future__ import annotations

import ast

from ackproof.lang import Process
from ackproof.model.native.classes import Layout
from ackproof.model.native.hoisting import hoisted

LAYOUT = Layout(Process, {})


def of(body: str) -> str:
    """Return the statements of a method after hoisting."""
    (tree,) = ast.parse(f"def step(self, msg, other):\n    {body}").body
    assert isinstance(tree, ast.FunctionDef)
    return "; ".join(map(ast.unparse, hoisted(tree, Process, LAYOUT).body))


def test_an_owner_that_has_a_name_goes_by_it() -> None:
    assert of("c = Msg.owner(msg); f(Msg.owner(msg))") == "c = Msg.owner(msg); f(c)"


def test_an_owner_of_what_has_changed_is_asked_for_again() -> None:
    body = "m = msg; c = Msg.owner(m); m = other; f(c, Msg.owner(m))"
    assert of(body) == body
