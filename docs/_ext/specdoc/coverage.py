"""Which rules the specification states, and which it leaves out.

A rule is *stated* if a docstring or a comment of the specification cites it: in `spec/` and
`spec/eras/`, not in the designs, which say what is otherwise.  It is *left out* if a table of
`spec/COVERAGE.md` names it, with the reason beside it.  Of the parts of a server that the
specification is about, each rule has to be one of the two, and none both.

To cite a topic, as in (A9), is not to cite the rules that belong to it; to cite a range, as in
(D4.1-D4.5), is to cite all between.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

from specdoc.numbers import chapters, cited

__all__ = ["COVERAGE", "SPEC", "all_rules", "left_out", "sources", "stated", "words_of"]

SPEC = Path(__file__).resolve().parents[3] / "spec"

COVERAGE = SPEC / "COVERAGE.md"


def all_rules() -> dict[str, str]:
    """Return the rules that must be stated or left out, with what they say."""
    return {
        rule: text
        for chapter in chapters()
        if chapter.covered
        for rule, text in chapter.statements().items()
    }


def sources() -> tuple[Path, ...]:
    """Return the files that state rules."""
    return tuple(sorted([*SPEC.glob("*.py"), *(SPEC / "eras").glob("*.py")]))


def words_of(source: str) -> Iterator[str]:
    """Yield the docstrings and the comments of a Python text."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def stated(files: Iterable[Path]) -> set[str]:
    """Return the rules that files cite."""
    return {
        rule
        for file in files
        for words in words_of(file.read_text(encoding="utf-8"))
        for rule in cited(words)
    }


def left_out(text: str) -> dict[str, str]:
    """Return the rules that the tables of a Markdown text name, with the reason beside each.

    Raises:
        ValueError: two rows name the same rule.
    """
    found: dict[str, str] = {}
    for rules, reason in re.findall(r"^\| ([^|]+?) *\| ([^|]+?) *\|$", text, re.MULTILINE):
        for rule in cited(rules):
            if rule in found:
                raise ValueError(f"{rule} stands in two rows: {found[rule]!r} and {reason!r}")
            found[rule] = reason
    return found
