"""The result of inference: the lemmas of a search, as a library and as text to keep.

The text is a module in the language of the specification, with each lemma marked as found.  Whoever
keeps it may give better names and reasons: a search knows that something is so, not why.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ackproof.lang.lemmas import Library
from ackproof.lang.process import Process
from ackproof.lang.program import Program, PropertyDecl
from ackproof.lang.properties import Lemma, Property
from ackproof.lang.sorts import Sort
from ackproof.proofs import clause_text
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.templates import Clause

__all__ = ["InferenceResult", "InferredLemma", "distinct_names"]

_WIDTH = 100


@dataclass(frozen=True)
class InferredLemma:
    """A lemma that a search has found.

    Attributes:
        name: made of what it speaks of; nothing else of the model has it.
        clause: what it says.
        by: the names of what it is proved with, itself aside.
    """

    name: str
    clause: Clause
    by: tuple[str, ...]

    @property
    def text(self) -> str:
        """What it says of the state `s`, as a specification writes it."""
        return clause_text.text(self.clause)

    @property
    def doc(self) -> str:
        """A docstring, which does not know a reason."""
        return "InferenceResult by a search; each step preserves it."

    def declaration(self, program: Program) -> PropertyDecl:
        """Return it as the front end would read it."""
        body, place = clause_text.body(self.clause, program), program.actions[0].span
        return PropertyDecl(self.name, "invariant", ("s",), None, body, self.doc, place)

    def lemma(self, program: Program) -> Lemma:
        """Return it as a lemma of a library, with a function that plain Python runs."""
        names = {**_vocabulary(program), "lemma": lambda *_, **__: lambda f: f}
        exec(compile(self.source(program), f"<{self.name}>", "exec"), names)
        function: Callable[..., bool] = names[self.name]
        return Lemma(Property("invariant", function), self.by, found=True)

    def source(self, program: Program) -> str:
        """Return its definition in the language of the specification."""
        by = [f'"{n}"' for n in self.by]
        head = f"@lemma({', '.join([*by, 'found=True'])})\n"
        if len(head) > _WIDTH:
            head = "@lemma(\n" + "".join(f"    {n},\n" for n in [*by, "found=True"]) + ")\n"
        said = f"    return {self.text}\n"
        if len(said) > _WIDTH:
            said = textwrap.fill(
                self.text,
                _WIDTH,
                initial_indent=" " * 8,
                subsequent_indent=" " * 8,
                break_long_words=False,
                break_on_hyphens=False,
            )
            said = f"    return (\n{said}\n    )\n"
        return f'{head}def {self.name}(s: {program.root}) -> bool:\n    """{self.doc}"""\n{said}'


@dataclass(frozen=True)
class InferenceResult:
    """What a search for lemmas came to.

    Attributes:
        program: the specification.
        lemmas: those that what is proved needs, each of which is proved with the others.
        proofs: for each property that is proved, the names of what it is proved with.
        missing: for each property that is not proved, why.
        obligations: all of it as obligations; every one of the lemmas and proofs is discharged.
        states: how many reachable states candidates were held against.
        candidates: how many there were at most.
        possible: how many of these were true of all those states.
        inductive: how many of these the steps preserve together, at small sizes.
        seconds: how long it took.
    """

    program: Program = field(repr=False)
    lemmas: tuple[InferredLemma, ...]
    proofs: Mapping[str, tuple[str, ...]]
    missing: Mapping[str, str]
    obligations: Obligations = field(repr=False)
    states: int
    candidates: int
    possible: int
    inductive: int
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether all properties that were requested are proved."""
        return not self.missing

    @property
    def library(self) -> Library:
        """The lemmas, marked as found, with what properties are proved with."""
        return self.obligations.library

    def module(self) -> str:
        """Return the text of a module with the lemmas, to be kept beside the specification."""
        known = _vocabulary(self.program)
        defined = "\n\n".join(one.source(self.program) for one in self.lemmas)
        places: dict[str, list[str]] = {}
        for name in sorted(set(re.findall(r"\w+", defined)) & set(known)):
            places.setdefault(known[name].__module__, []).append(name)
        imports = [
            "from __future__ import annotations\n",
            "from ackproof.lang import lemma",
            *(f"from {place} import {', '.join(names)}" for place, names in sorted(places.items())),
        ]
        proofs = "".join(f'    "{n}": {_names(by)},\n' for n, by in self.proofs.items())
        return (
            '"""Lemmas that a search has found."""\n\n'
            + "\n".join(imports)
            + f"\n\n\n{defined}\n\n#: What properties are proved with.\nPROOFS = {{\n{proofs}}}\n"
        )


def _names(names: Iterable[str]) -> str:
    return "(" + "".join(f'"{n}", ' for n in names).rstrip() + ")"


def distinct_names(clauses: Iterable[Clause], taken: Iterable[str]) -> dict[Clause, str]:
    """Return names for clauses, numbered where another has the same."""
    used, found = set(taken), {}
    for clause in clauses:
        plain = clause_text.name(clause)
        numbers = (f"{plain}{n}" for n in range(2, len(used) + 3))
        found[clause] = plain if plain not in used else next(n for n in numbers if n not in used)
        used.add(found[clause])
    return found


def _vocabulary(program: Program) -> dict[str, Any]:
    """Return the sorts, enums and processes of a specification, by name."""
    found: dict[str, Any] = {}
    for player in program.players.values():
        for name, value in vars(sys.modules[player.__module__]).items():
            if isinstance(value, type) and issubclass(value, Sort | Enum | Process):
                found.setdefault(name, value)
    return found
