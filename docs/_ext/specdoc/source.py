"""What the documentation takes from source text: bodies, guards, sections, comments.

The IR says what a step does; a reader wants to see how it is written.  Everything here returns
lines of the specification's own files, so a page cannot say anything else than the source.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Body", "body_of", "display_path", "note_of", "section_of", "signature", "source_text"]

_SECTION = re.compile(r"^\s*# -- (.+?) -*\s*$")


@dataclass(frozen=True)
class Body:
    """A function's text without decorators and docstring, cut in two.

    `guard` is everything up to the last `require` at the top level, `effect` is the rest.
    """

    guard: str
    effect: str


def display_path(file: str) -> str:
    """Return a source path as a reader of the repository knows it.

    An editable installation is made of links, so links are followed first.
    """
    path = Path(file).resolve()
    root = Path(__file__).resolve().parents[3]
    return str(path.relative_to(root)) if path.is_relative_to(root) else path.name


@cache
def _lines(file: str) -> tuple[str, ...]:
    return tuple(Path(file).read_text(encoding="utf-8").splitlines())


def _parsed(function: Callable[..., Any]) -> tuple[list[str], ast.FunctionDef]:
    plain = inspect.unwrap(function)
    text = textwrap.dedent(inspect.getsource(plain))
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    return text.splitlines(), node


def source_text(function: Callable[..., Any]) -> str:
    """Return a function's source, decorators included, from column 0."""
    return textwrap.dedent(inspect.getsource(inspect.unwrap(function))).rstrip()


def body_of(function: Callable[..., Any]) -> Body:
    """Return the guard and the effect of a step, as they are written."""
    lines, node = _parsed(function)
    statements = list(node.body)
    if ast.get_docstring(node) is not None:
        statements = statements[1:]
    cut = max((i + 1 for i, s in enumerate(statements) if _is_require(s)), default=0)
    return Body(_text(lines, statements[:cut]), _text(lines, statements[cut:]))


def _is_require(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Name)
        and statement.value.func.id == "require"
    )


def _text(lines: list[str], statements: list[ast.stmt]) -> str:
    if not statements:
        return ""
    last = statements[-1].end_lineno
    return textwrap.dedent("\n".join(lines[statements[0].lineno - 1 : last]))


def signature(function: Callable[..., Any]) -> str:
    """Return `name(parameter: Type, …)` as written, without `self` and without the result."""
    _, node = _parsed(function)
    shown = [
        f"{a.arg}: {ast.unparse(a.annotation)}" if a.annotation else a.arg
        for a in node.args.args
        if a.arg != "self"
    ]
    return f"{node.name}({', '.join(shown)})"


def section_of(function: Callable[..., Any]) -> str:
    """Return the heading that a function stands under: the last `# -- heading ---` above it.

    In a class, only headings inside that class count.
    """
    code = inspect.unwrap(function).__code__
    lines = _lines(code.co_filename)
    indent = len(lines[code.co_firstlineno - 1]) - len(lines[code.co_firstlineno - 1].lstrip())
    for line in reversed(lines[: code.co_firstlineno - 1]):
        if indent and re.match(r"class \w", line):
            return ""
        found = _SECTION.match(line)
        if found:
            return found.group(1)
    return ""


def note_of(cls: type, variable: str) -> str:
    """Return what the source says of a variable; empty if it says nothing.

    That is the comment beside its declaration, or the `#:` lines above it, or the item of a list
    in the module's docstring that begins with the variable's name.
    """
    for owner in cls.__mro__:
        if variable in inspect.get_annotations(owner):
            return _note(owner, variable) or _item(owner, variable)
    return ""


def _item(owner: type, variable: str) -> str:
    chapter = inspect.getdoc(inspect.getmodule(owner)) or ""
    found = re.search(
        rf"^\* (?:`\w+(?:\[\w+\])?`, )*`{re.escape(variable)}(?:\[\w+\])?`"
        r"(?:, `\w+(?:\[\w+\])?`)*: (.+?)(?=^\* |^\s*$|\Z)",
        chapter,
        flags=re.MULTILINE | re.DOTALL,
    )
    return " ".join(found.group(1).split()).rstrip(";.") if found else ""


def _note(owner: type, variable: str) -> str:
    file = inspect.getsourcefile(owner)
    start = inspect.getsourcelines(owner)[1]
    lines = _lines(file) if file else ()
    for number in range(start - 1, len(lines)):
        if re.match(rf"\s+{re.escape(variable)}\s*:", lines[number]):
            beside = re.search(r"\s#:?\s(.+)$", lines[number])
            if beside:
                return beside.group(1)
            above: list[str] = []
            while number and (found := re.match(r"\s+#: ?(.*)$", lines[number - 1])):
                above.insert(0, found.group(1))
                number -= 1
            return " ".join(above)
    return ""
