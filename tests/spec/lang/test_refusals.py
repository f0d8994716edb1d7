"""What the language does not allow is refused where it stands, with what to write instead.

Each file in `refusals/` holds one mistake; the file of the same name ending in `.err` is, letter
by letter, what the front end says about it.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ackproof.spec import lang
from ackproof.spec.lang import reader, scope, statements
from ackproof.spec.lang.errors import SpecError
from ackproof.spec.lang.frontend import compile_model

_FOLDER = Path(__file__).parent / "refusals"
_CASES = sorted(_FOLDER.glob("*.py"))
_LANGUAGE = Path(lang.__file__).parent


def load(path: Path) -> Any:
    """Import a case as a module of its own."""
    name = f"refusal_{path.stem}"
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module


def refusal(path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what the front end says about a case, with the file's name alone as its path."""
    monkeypatch.chdir(_FOLDER)
    module = load(path)
    with pytest.raises(SpecError) as caught:
        compile_model(module.MODEL, getattr(module, "DESIGN", None))
    return f"{caught.value}\n"


@pytest.mark.parametrize("path", _CASES, ids=lambda path: path.stem)
def test_it_is_refused_in_these_words(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal(path, monkeypatch) == path.with_suffix(".err").read_text()


def problems() -> list[str]:
    """Return what is wrong in each case, without the place and what to write instead."""
    first_lines = [path.with_suffix(".err").read_text().splitlines()[0] for path in _CASES]
    return [line.split(": ", 1)[1] for line in first_lines]


def test_no_expectation_is_left_over() -> None:
    assert {p.stem for p in _FOLDER.glob("*.err")} == {p.stem for p in _CASES}


@pytest.mark.parametrize("module", [reader, statements], ids=["expressions", "statements"])
def test_every_construct_that_is_not_in_the_language_has_a_case(module: Any) -> None:
    assert {problem for problem, _ in module._REFUSED.values()} <= set(problems())


def raising() -> set[tuple[str, int]]:
    """Return the places in the front end that make a refusal: the file and line of each call."""
    found = set()
    for path in _LANGUAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _makes_refusal(node.func):
                found.add((path.name, node.lineno))
    return found


def _makes_refusal(func: ast.expr) -> bool:
    return (isinstance(func, ast.Name) and func.id == "SpecError") or (
        isinstance(func, ast.Attribute) and func.attr == "error"
    )


def test_every_refusal_of_the_front_end_has_a_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal that no case reaches is either not tested or cannot happen."""
    reached: set[tuple[str, int]] = set()
    make = SpecError.__init__

    def noting(self: SpecError, *args: Any) -> None:
        reached.update(_callers())
        make(self, *args)

    monkeypatch.setattr(SpecError, "__init__", noting)
    for path in _CASES:
        refusal(path, monkeypatch)
    forwarding = {(Path(m.__file__ or "").name, line) for m, line in _forwarding()}
    assert raising() - forwarding - reached == set()


def _callers() -> Iterator[tuple[str, int]]:
    frame = sys._getframe(2)
    while frame is not None and Path(frame.f_code.co_filename).parent == _LANGUAGE:
        yield Path(frame.f_code.co_filename).name, frame.f_lineno
        assert frame.f_back is not None
        frame = frame.f_back


def _forwarding() -> Iterator[tuple[Any, int]]:
    """Yield the calls that pass a refusal on, and are reached by all the others."""
    for module in (scope, reader):
        assert module.__file__ is not None
        for node in ast.walk(ast.parse(Path(module.__file__).read_text())):
            if isinstance(node, ast.FunctionDef) and node.name == "error":
                yield from ((module, n.lineno) for n in ast.walk(node) if isinstance(n, ast.Call))
