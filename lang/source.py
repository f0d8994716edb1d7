"""From live Python objects to their source: `ast` nodes and the places they stand at.

The front end starts from classes and functions that were imported, not from text: Python itself
has then resolved imports and inheritance, and the syntax tree is needed for bodies only.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import os
import textwrap
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from ackproof.lang.errors import SpecError
from ackproof.lang.ir import Span

__all__ = [
    "annotation_span",
    "class_ast",
    "class_span",
    "docstring",
    "function_ast",
    "names_of",
    "span_at",
]


@cache
def _lines(file: str) -> tuple[str, ...]:
    return tuple(line.rstrip("\n") for line in linecache.getlines(file))


@cache
def _tree(file: str) -> ast.Module:
    return ast.parse("\n".join(_lines(file)))


def _display(file: str) -> str:
    """Return a path as a reader at the current directory would write it."""
    return _relative(file, os.getcwd())


@cache
def _relative(file: str, to: str) -> str:
    path = Path(file).resolve()  # an editable installation reaches the source by links
    try:
        return str(path.relative_to(to))
    except ValueError:
        return "/".join(path.parts[-2:]) if path.is_absolute() else file


def span_at(file: str, node: ast.AST) -> Span:
    """Return the span of `node`; where it runs over several lines, of the first one."""
    line = int(getattr(node, "lineno", 1))
    text = _lines(file)[line - 1] if line <= len(_lines(file)) else ""
    start = _characters(text, int(getattr(node, "col_offset", 0)))
    if getattr(node, "end_lineno", line) == line:
        end = _characters(text, int(getattr(node, "end_col_offset", start + 1)))
    else:
        end = len(text)
    return Span(_display(file), line, start + 1, end + 1, text)


def _characters(text: str, position: int) -> int:
    """Return how many characters the first `position` bytes of a line are."""
    if text.isascii():
        return min(position, len(text))
    return len(text.encode()[:position].decode(errors="replace"))


_Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def _functions(file: str) -> dict[int, _Function]:
    found: dict[int, _Function] = {}
    for node in ast.walk(_tree(file)):
        if isinstance(node, _Function):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found[first] = node
    return found


def function_ast(function: Callable[..., Any]) -> tuple[str, ast.FunctionDef]:
    """Return the file and the syntax tree of a function.

    Raises:
        SpecError: it is not written with `def`, or the source cannot be read.
    """
    code = inspect.unwrap(function).__code__
    file = code.co_filename
    node = _functions(file).get(code.co_firstlineno) if Path(file).is_file() else None
    if isinstance(node, ast.AsyncFunctionDef):
        raise SpecError(
            span_at(file, node),
            "`async` is outside the language",
            "leave it out: a step takes no time, and waiting is what `require` says",
        )
    if node is None:
        line = _lines(file)[code.co_firstlineno - 1 : code.co_firstlineno]
        text = line[0] if line else ""
        indent = len(text) - len(text.lstrip())
        raise SpecError(
            Span(_display(file), code.co_firstlineno, 1 + indent, 1 + len(text), text),
            f"`{function.__name__}` has no source that can be read",
            "write it with `def` in a file",
        )
    return file, node


@cache
def _classes(file: str) -> dict[str, ast.ClassDef]:
    """Return the classes of a file by their qualified names."""
    found: dict[str, ast.ClassDef] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                found[prefix + child.name] = child
                visit(child, f"{prefix}{child.name}.")
            elif isinstance(child, _Function):
                visit(child, f"{prefix}{child.name}.<locals>.")
            else:
                visit(child, prefix)

    visit(_tree(file), "")
    return found


def class_ast(cls: type) -> tuple[str, ast.ClassDef | None]:
    """Return the file and the syntax tree of a class; no tree if there is no source."""
    try:
        file = inspect.getsourcefile(cls)
    except (OSError, TypeError):
        file = None
    if file is None:
        return f"<{cls.__module__}>", None
    return file, _classes(file).get(cls.__qualname__)


def class_span(cls: type) -> Span:
    """Return where a class is defined."""
    file, node = class_ast(cls)
    return Span(_display(file), 1, 1, 2, "") if node is None else span_at(file, node)


def annotation_span(cls: type, name: str) -> Span:
    """Return where a variable of a class is declared, or the class if it is not."""
    file, node = class_ast(cls)
    for item in node.body if node is not None else []:
        target = getattr(item, "target", None)
        if isinstance(item, ast.AnnAssign | ast.Assign) and (
            (isinstance(target, ast.Name) and target.id == name)
            or any(isinstance(t, ast.Name) and t.id == name for t in getattr(item, "targets", []))
        ):
            return span_at(file, item)
    return class_span(cls)


def names_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return what global and enclosing names mean inside a function."""
    plain = inspect.unwrap(function)
    names = dict(plain.__globals__)
    for name, cell in zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:
            continue
    return names


def docstring(thing: object) -> str:
    """Return the docstring without its indentation, empty if there is none."""
    doc = thing.__dict__.get("__doc__") if isinstance(thing, type) else thing.__doc__
    if not doc:
        return ""
    first, _, rest = doc.partition("\n")
    return f"{first.strip()}\n{textwrap.dedent(rest)}".strip()
