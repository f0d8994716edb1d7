"""What the language does not allow is reported where it stands, with what to write instead.

Each file in `diagnostics/` holds the cases of one topic.  A case is the lines that end a module
begun by `preamble.txt`, and then what the front end says about them, letter by letter:

    # step: the_name_of_the_case
            self.flag = nothing
    # says:
    the_name_of_the_case.py:100:21: the name `nothing` is not defined here
    ...

The first word tells where the preamble stops and the case goes on: `step`, in the body of an
action; `system`, in the body of the system; `module`, before the system, which the case writes
itself.  The first line of a case has number 100, however long the preamble is.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ackproof import lang
from ackproof.lang import Model, expressions, properties_in, reader, scope, statements
from ackproof.lang.errors import SpecError
from ackproof.lang.frontend import compile_model

_FOLDER = Path(__file__).parent / "diagnostics"
_LANGUAGE = Path(lang.__file__).parent
_FIRST_LINE = 100


@dataclass(frozen=True)
class Case:
    """Lines that are rejected, and the diagnostic."""

    name: str
    begins: str
    source: str
    diagnostic: str

    def module(self, folder: Path) -> ModuleType:
        """Write the case into a folder as a module, and import it."""
        path = folder / f"{self.name}.py"
        path.write_text(f"{_PREAMBLES[self.begins]}{self.source}\n")
        found = importlib.util.spec_from_file_location(f"diagnostic_{self.name}", path)
        assert found is not None
        assert found.loader is not None
        module = importlib.util.module_from_spec(found)
        sys.modules[module.__name__] = module
        found.loader.exec_module(module)
        return module


def preambles() -> dict[str, str]:
    """Return what comes before a case, by where the case goes on, each as long as the others."""
    module, system, step = re.split(
        r"^# (?:system|step):\n", (_FOLDER / "preamble.txt").read_text(), flags=re.MULTILINE
    )
    whole = {"module": module, "system": module + system, "step": module + system + step}
    return {k: text + "\n" * (_FIRST_LINE - 1 - text.count("\n")) for k, text in whole.items()}


def cases(topic: Path) -> Iterator[Case]:
    """Yield the cases of a topic."""
    parts = re.split(r"^# (module|system|step): (\w+)\n", topic.read_text(), flags=re.MULTILINE)[1:]
    for begins, name, text in zip(*[iter(parts)] * 3, strict=True):
        source, diagnostic = text.split("\n# says:\n")
        yield Case(name, begins, source, diagnostic.rstrip("\n"))


_PREAMBLES = preambles()
_TOPICS = sorted(p for p in _FOLDER.glob("*.txt") if p.stem != "preamble")
_CASES = [case for topic in _TOPICS for case in cases(topic)]


def diagnostic(case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what the front end says about a case, with the file's name alone as its path."""
    monkeypatch.chdir(folder)
    module = case.module(folder)
    model = getattr(module, "MODEL", None)
    if model is None:
        model = Model(case.name, module.Root, properties_in(module), ())
    with pytest.raises(SpecError) as caught:
        compile_model(model, getattr(module, "DESIGN", None))
    return str(caught.value)


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
def test_it_is_rejected_in_these_words(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert diagnostic(case, tmp_path, monkeypatch) == case.diagnostic


def test_no_two_cases_have_the_same_name() -> None:
    assert len({case.name for case in _CASES}) == len(_CASES)


@pytest.mark.parametrize("module", [expressions, statements], ids=["expressions", "statements"])
def test_every_construct_that_is_not_in_the_language_has_a_case(module: Any) -> None:
    problems = {case.diagnostic.splitlines()[0].split(": ", 1)[1] for case in _CASES}
    assert {problem for problem, _ in module._REJECTED.values()} <= problems


def test_every_diagnostic_of_the_front_end_has_a_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A diagnostic that no case reaches is either not tested or cannot happen."""
    reached: set[tuple[str, int]] = set()
    make = SpecError.__init__

    def noting(self: SpecError, *args: Any) -> None:
        reached.update(_callers())
        make(self, *args)

    monkeypatch.setattr(SpecError, "__init__", noting)
    for case in _CASES:
        diagnostic(case, tmp_path, monkeypatch)
    forwarding = {(Path(m.__file__ or "").name, line) for m, line in _forwarding()}
    assert raising() - forwarding - reached == set()


def raising() -> set[tuple[str, int]]:
    """Return the places in the front end that make a diagnostic: the file and line of each call."""
    found = set()
    for path in _LANGUAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _makes_diagnostic(node.func):
                found.add((path.name, node.lineno))
    return found


def _makes_diagnostic(func: ast.expr) -> bool:
    return (isinstance(func, ast.Name) and func.id == "SpecError") or (
        isinstance(func, ast.Attribute) and func.attr == "error"
    )


def _callers() -> Iterator[tuple[str, int]]:
    frame = sys._getframe(2)
    while frame is not None and Path(frame.f_code.co_filename).parent == _LANGUAGE:
        yield Path(frame.f_code.co_filename).name, frame.f_lineno
        assert frame.f_back is not None
        frame = frame.f_back


def _forwarding() -> Iterator[tuple[Any, int]]:
    """Yield the calls that pass a diagnostic on, and are reached by all the others."""
    for module in (scope, reader):
        assert module.__file__ is not None
        for node in ast.walk(ast.parse(Path(module.__file__).read_text())):
            if isinstance(node, ast.FunctionDef) and node.name == "error":
                yield from ((module, n.lineno) for n in ast.walk(node) if isinstance(n, ast.Call))
