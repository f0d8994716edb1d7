"""Designs: what a change must be, so that a slip of the pen is not taken for one.

A design whose class adds a step that nobody calls changes nothing, and a check of it would verify
the base: most likely the name of the step it was meant to override is spelled otherwise.  So that
is rejected, and so are classes and designs that change nothing at all.  Overrides are compared
with what they override before any body is read, so that the error stands where the mistake is.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from ackproof.lang.errors import BindError, SpecError, close_to
from ackproof.lang.kept import once
from ackproof.lang.model import Design
from ackproof.lang.process import Process, mark_of
from ackproof.lang.scope import Registry, Scope
from ackproof.lang.source import class_span, function_ast

__all__ = ["check_design"]


def check_design(design: Design, registry: Registry) -> None:
    """Reject a design that changes nothing, or adds what nobody uses.

    Raises:
        BindError: the design replaces no class and sets no constant.
        SpecError: a class of the design changes nothing, or defines a step that nobody calls.
    """
    if not design.replace and not design.constants:
        raise BindError(
            f"the design {design.claim!r} changes nothing; "
            "name the classes it replaces: replace=(Changed,)"
        )
    used = {name for cls in registry.classes.values() for name in _used_in(cls)}
    for cls in design.replace:
        brought = [base for base in cls.__mro__ if registry.brings(cls, base)]
        if not any(not name.startswith("__") for base in brought for name in vars(base)):
            raise SpecError(
                class_span(cls),
                f"`{cls.__name__}` changes nothing",
                "override a step of the class that it extends, or leave it out of the design",
            )
        _check_used(cls, used, registry)


def _check_used(cls: type[Process], used: set[str], registry: Registry) -> None:
    inherited = {name for base in cls.__mro__[1:] for name in vars(base)}
    for name, function in vars(cls).items():
        mark = mark_of(function)
        if mark is None or mark.kind not in {"handler", "helper"}:
            continue
        if name in inherited or name in used:
            continue
        file, node = function_ast(function)
        meant = close_to(name, (n for n in inherited if mark_of(getattr(cls, n, None))))
        raise Scope(file, {}, registry).error(
            node,
            f"nothing calls `{name}`",
            f"did you mean `{meant}`?" if meant else "call it from a step, or leave it out",
        )


def _used_in(cls: type) -> Iterator[str]:
    """Yield the names of all attributes that the methods of a class and its bases mention."""
    for base in cls.__mro__:
        for function in vars(base).values():
            if inspect.isfunction(function) and mark_of(function) is not None:
                yield from once(_mentioned, function)


def _mentioned(function: Callable[..., Any]) -> frozenset[str]:
    _, node = function_ast(function)
    return frozenset(n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute))
