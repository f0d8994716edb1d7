"""Sharing: a set that a step computes twice, with nothing changed between, it computes once.

Two steps that are put into one often ask the same: to which processes a message goes, and for which
of them its channel waits.  After inlining these are two comprehensions that differ in the names of
their elements.  The second is the first if nothing was written meanwhile that it speaks of, and
neither set is changed where it is.
"""

from __future__ import annotations

import ast
from collections import Counter

from ackproof.model.native.classes import CHANGES
from ackproof.model.native.inlining import all_names
from ackproof.model.native.requirements import is_pure, words_of, written_by
from ackproof.model.native.trees import copied, walk

__all__ = ["sharing"]


def sharing(tree: ast.FunctionDef) -> ast.FunctionDef:
    """Return a method that computes no set twice in a row of statements; the tree is changed."""
    changed, taken = _changed_in_place(tree), all_names(tree)
    texts = Counter(map(_text, (comp for stmt in tree.body if (comp := _set_of(stmt)) is not None)))
    known: dict[str, tuple[str, frozenset[str]]] = {}
    body: list[ast.stmt] = []
    for stmt in tree.body:
        comp = _set_of(stmt)
        text = "" if comp is None else _text(comp)
        if comp is not None and text in known and _kept(stmt) not in changed:
            _give(stmt, ast.Name(known[text][0], ast.Load()))
        elif comp is not None and texts[text] > 1 and is_pure(comp):
            name = _kept(stmt) or _fresh(taken)
            if isinstance(stmt, ast.For):
                body.append(ast.Assign([ast.Name(name, ast.Store())], comp, lineno=0))
                _give(stmt, ast.Name(name, ast.Load()))
            spoken = words_of(comp)
            if name not in changed | spoken:  # or it is another set that it speaks of by then
                known[text] = (name, spoken | {name})
        body.append(stmt)
        given = written_by(stmt)
        own = {_kept(stmt), *_elements(comp)} if comp is not None else set()
        known = {
            text: (name, spoken)
            for text, (name, spoken) in known.items()
            if given is not None and not spoken & (given - own)
        }
    tree.body = body
    return tree


def _set_of(stmt: ast.stmt) -> ast.SetComp | None:
    """Return the set that a statement gives a name to, or goes through."""
    match stmt:
        case ast.Assign(targets=[ast.Name()], value=ast.SetComp() as comp):
            return comp
        case ast.For(iter=ast.SetComp() as comp):
            return comp
    return None


def _kept(stmt: ast.stmt) -> str:
    """Return the name that a statement gives to a set; empty if it gives none."""
    match stmt:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


def _give(stmt: ast.stmt, value: ast.expr) -> None:
    if isinstance(stmt, ast.Assign):
        stmt.value = value
    elif isinstance(stmt, ast.For):
        stmt.iter = value


def _fresh(taken: set[str]) -> str:
    number = 1
    while f"shared_{number}" in taken:
        number += 1
    taken.add(f"shared_{number}")
    return f"shared_{number}"


def _text(comp: ast.SetComp) -> str:
    """Return a set in words, in which its elements have names by their places."""
    named = copied(comp)
    places = {name: f"<{place}>" for place, name in enumerate(_elements(named))}
    for node in walk(named):
        if isinstance(node, ast.Name):
            node.id = places.get(node.id, node.id)
    return ast.dump(named)


def _elements(comp: ast.SetComp) -> list[str]:
    """Return the names of the elements that a set goes through; outside they mean nothing."""
    found = [node for one in comp.generators for node in walk(one.target)]
    return [node.id for node in found if isinstance(node, ast.Name)]


def _changed_in_place(tree: ast.FunctionDef) -> set[str]:
    """Return the names of sets that are changed where they are."""
    found: set[str] = set()
    for node in walk(tree):
        match node:
            case ast.AugAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if (
                attr in CHANGES
            ):
                found.add(name)
    return found
