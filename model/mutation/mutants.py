"""A mutant as a design, and all mutants of a model.

A mutant is told apart by where it is and what it does, and not by lines, so that what is said of it
stays true when the text around it changes.  Where a method can be wrong in the same way in several
places, they are counted.

It is written as anybody would write the design: a class that extends the one with the mistake, and
has the one method.  If that class is a base of the process's own, the process's class and the new
one are joined, so that `super()` leads from one to the other.
"""

from __future__ import annotations

import ast
import copy
import importlib.util
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackproof.lang.model import Design, Model
from ackproof.lang.source import span_at
from ackproof.model.mutation.edits import Edit, edited, edits_of
from ackproof.model.mutation.places import Place, Surroundings, places_of

__all__ = ["Mutant", "loaded", "mutants_of"]


@dataclass(frozen=True)
class Mutant:
    """One mistake in one method of a model.

    Args:
        place: the method.
        edit: the mistake.
        what: the mistake in words, with a number if there are several like it.
    """

    place: Place
    edit: Edit
    what: str

    @property
    def name(self) -> str:
        """What it is called: where it is, and what it does."""
        return f"{self.place.name}: {self.what}"

    @property
    def where(self) -> str:
        """The file and the line."""
        span = span_at(self.place.source[0], self.edit.node)
        return f"{span.file}:{span.line}"

    def text(self) -> str:
        """Return it as the text of a design."""
        return _Writer(self.place).design(self)


def mutants_of(model: Model) -> list[Mutant]:
    """Return all mutants of a model, in the order of its text."""
    places = places_of(model)
    around = Surroundings(places)
    asked = [p for p in places if p.kind != "helper" or p.function.__name__ in around.live]
    return [mutant for place in asked for mutant in _of_place(place, around)]


def _of_place(place: Place, around: Surroundings) -> Iterator[Mutant]:
    edits = list(edits_of(place, around))
    several = Counter(edit.what for edit in edits)
    met: Counter[str] = Counter()
    for edit in edits:
        met[edit.what] += 1
        number = f" ({met[edit.what]} of {several[edit.what]})" if several[edit.what] > 1 else ""
        yield Mutant(place, edit, edit.what + number)


@contextmanager
def loaded(mutant: Mutant, folder: Path) -> Iterator[Design]:
    """Import a mutant from a file in a folder, for the length of a `with` block."""
    name = f"mutant_{len(list(folder.iterdir()))}"
    file = folder / f"{name}.py"
    file.write_text(mutant.text(), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None, "it is a Python file"
    assert spec.loader is not None, "it is a Python file"
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        yield module.design
    finally:
        del sys.modules[name]


class _Writer:
    """Writes the class of a mutant, with what it imports."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._imported: dict[str, str] = {}

    def design(self, mutant: Mutant) -> str:
        process, owner = self._place.process, self._place.owner
        self._import(process.__name__, process.__module__)
        self._import(owner.__name__, owner.__module__)
        own = process is owner
        methods = self._methods(edited(self._place.source[1], mutant.edit), self._place)
        classes = [_class("Mutant" if own else "Mistaken", [owner.__name__], mutant.what, methods)]
        if not own:
            classes.append(_class("Mutant", [process.__name__, "Mistaken"], mutant.what, []))
        imports = [f"from {m} import {n}" for n, m in sorted(self._imported.items())]
        head = [f'"""{_safe(mutant.name)}"""', "", "from __future__ import annotations", ""]
        head += ["from ackproof.lang import Design", *imports]
        said = f"design = Design(claim={mutant.name!r}, replace=(Mutant,))"
        return "\n".join([*head, "", "", "\n\n\n".join(classes), "", "", said, ""])

    def _import(self, name: str, module: str) -> None:
        self._imported[name] = module

    def _methods(self, function: ast.FunctionDef, place: Place) -> list[ast.FunctionDef]:
        """Return a method, and those of the base classes that it calls, under another name.

        `super()` would lead to the method with the mistake's own original.
        """
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in place.names:
                self._import(node.id, place.owner.__module__)
        above = _Above()
        above.visit(function)
        found = [function]
        for name in above.names:
            order = place.process.__mro__
            rest = order[order.index(place.owner) + 1 :]
            owner = next(c for c in rest if name in vars(c))
            base = Place(place.process, owner, vars(owner)[name])
            method = copy.deepcopy(base.source[1])
            method.name = f"{name}_above"
            found += self._methods(method, base)
        return found


class _Above(ast.NodeTransformer):
    """Turns `super().x(…)` into `self.x_above(…)`, and notes the names."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        match node.value:
            case ast.Call(func=ast.Name(id="super"), args=[]):
                self.names.append(node.attr)
                self_ = ast.Name("self", ast.Load())
                return ast.Attribute(self_, f"{node.attr}_above", node.ctx)
        return self.generic_visit(node)


def _class(name: str, bases: list[str], what: str, methods: list[ast.FunctionDef]) -> str:
    lines = [f"class {name}({', '.join(bases)}):", f'    """{_safe(what)}"""']
    for method in methods:
        lines += ["", *(f"    {line}" for line in ast.unparse(method).splitlines())]
    return "\n".join(lines)


def _safe(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', "'")
