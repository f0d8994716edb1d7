"""Every construct of the language, and what the front end makes of it.

Each file in `golden/` is a specification; the file of the same name ending in `.ir` is, letter by
letter, the program: its variables, its actions with every call inlined, its properties.
"""

from __future__ import annotations

import importlib.util
import itertools
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from ackproof.lang import ir
from ackproof.lang.frontend import compile_model
from ackproof.lang.program import Program, Variable

_FOLDER = Path(__file__).parent / "golden"
_CASES = sorted(_FOLDER.glob("*.py"))


def program(path: Path) -> Program:
    """Compile a case, with its design if it has one."""
    name = f"golden_{path.stem}"
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module: Any = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return compile_model(module.MODEL, getattr(module, "DESIGN", None))


def printed(compiled: Program) -> str:
    """Return a program as text, one block for each of its parts."""
    blocks = [
        f"(program {compiled.root} ({' '.join(map(repr, compiled.sorts))}))",
        "\n".join(map(_variable, compiled.variables)),
        *(pretty(repr(a)) for a in compiled.actions),
        *(pretty(repr(p)) for p in (*compiled.properties, *compiled.initially)),
    ]
    return "\n\n".join(blocks) + "\n"


def _variable(v: Variable) -> str:
    kind = "ghost" if v.ghost else "const" if v.const else "var"
    initial = "anything" if v.anything else repr(v.initial)
    families = f" of {' '.join(map(repr, v.families))}" if v.families else ""
    return f"({kind} {v.name} {v.type!r} {initial}{families})"


def pretty(text: str, width: int = 96) -> str:
    """Return an S-expression with what is too long for a line on lines of its own."""
    stack: list[list[Any]] = [[]]
    for token in re.findall(r"[()]|[^()\s]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return _laid_out(stack[0][0], width)


def _laid_out(tree: Any, width: int) -> str:
    line = _on_one_line(tree)
    if isinstance(tree, str) or len(line) <= width:
        return line
    words = list(itertools.takewhile(lambda t: isinstance(t, str), tree))
    rest = tree[len(words) :]
    head = " ".join(words) or _laid_out(rest.pop(0), width - 1)
    inner = [_laid_out(t, width - 2).replace("\n", "\n  ") for t in rest]
    return "\n  ".join([f"({head}", *inner]) + ")"


def _on_one_line(tree: Any) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(map(_on_one_line, tree))})"


@pytest.mark.parametrize("path", _CASES, ids=lambda path: path.stem)
def test_it_means_this(path: Path) -> None:
    assert printed(program(path)) == path.with_suffix(".ir").read_text()


def test_no_expectation_is_left_over() -> None:
    assert {p.stem for p in _FOLDER.glob("*.ir")} == {p.stem for p in _CASES}


def test_every_kind_of_node_occurs() -> None:
    """All of the language is shown here; calls and keys are gone once they are inlined."""
    seen: set[type] = set()
    for path in _CASES:
        compiled = program(path)
        tops: list[ir.Node] = [v.initial for v in compiled.variables]
        tops += [s for a in compiled.actions for s in a.body]
        tops += [p.body for p in compiled.properties]
        seen |= {type(n) for top in tops for n in ir.walk(top)}
    kinds = {k for k in vars(ir).values() if isinstance(k, type) and issubclass(k, ir.Node)}
    assert kinds - seen == {ir.Node, ir.Expr, ir.Stmt, ir.Call, ir.Key}
