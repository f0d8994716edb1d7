"""What is documented: the model, its machines and steps, its properties, instances and designs.

Everything is found by importing the specification and compiling it with the front end, once per
build.  A new machine, property, instance or design gets its page without a change here.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any

from ackproof.spec import designs as designs_package
from ackproof.spec.lang import Design, Event, Instance, Model
from ackproof.spec.lang.frontend import compile_model
from ackproof.spec.lang.process import mark_of
from ackproof.spec.lang.program import Method, ProcessDecl, Program, PropertyDecl
from ackproof.spec.lang.properties import BUILT_IN
from ackproof.spec.lang.source import docstring
from ackproof.spec.model import MODEL

from specdoc.source import section_of, signature

__all__ = ["Claim", "Exhibit", "Library", "Machine", "Step", "library", "split_doc"]


@dataclass(frozen=True)
class Step:
    """A method of a machine; `method` is its IR, which a helper has not."""

    machine: str
    name: str
    function: Callable[..., Any]
    kind: str
    fair: str | None
    method: Method | None
    section: str

    @property
    def key(self) -> str:
        """How pages refer to it: `Channel.settle`."""
        return f"{self.machine}.{self.name}"

    @property
    def signature(self) -> str:
        """Name and parameters as written."""
        return signature(self.function)

    @property
    def doc(self) -> str:
        """The docstring."""
        return inspect.getdoc(self.function) or ""


@dataclass(frozen=True)
class Machine:
    """A process class with the module it is written in."""

    decl: ProcessDecl
    cls: type
    module: ModuleType
    steps: tuple[Step, ...]

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.decl.name

    @property
    def chapter(self) -> str:
        """The docstring of the module, which is the machine's chapter."""
        return docstring(self.module)

    def step(self, name: str) -> Step | None:
        """Return the step of that name, if there is one."""
        return next((s for s in self.steps if s.name == name), None)


@dataclass(frozen=True)
class Claim:
    """A property with the heading it stands under."""

    decl: PropertyDecl
    function: Callable[..., Any]
    section: str

    @property
    def name(self) -> str:
        """The name that reports use."""
        return self.decl.name

    @property
    def doc(self) -> str:
        """The docstring."""
        return inspect.getdoc(self.function) or ""


@dataclass(frozen=True)
class Exhibit:
    """A design of the museum, by the name of its file."""

    name: str
    module: ModuleType
    design: Design


@dataclass(frozen=True)
class Library:
    """All that is documented."""

    model: Model
    program: Program
    machines: tuple[Machine, ...]
    claims: tuple[Claim, ...]
    exhibits: tuple[Exhibit, ...]
    events: tuple[type[Event], ...]

    def machine(self, name: str) -> Machine | None:
        """Return the machine of that class name, if there is one."""
        return next((m for m in self.machines if m.name == name), None)

    def step(self, key: str) -> Step | None:
        """Return the step `Class.method`, if there is one."""
        owner, _, name = key.partition(".")
        machine = self.machine(owner)
        return machine.step(name) if machine else None

    def claim(self, name: str) -> Claim | None:
        """Return the property of that name, if there is one."""
        return next((c for c in self.claims if c.name == name), None)

    def exhibit(self, name: str) -> Exhibit | None:
        """Return the design of that name, if there is one."""
        return next((e for e in self.exhibits if e.name == name), None)

    def instance(self, name: str) -> Instance | None:
        """Return the instance of that name, if there is one."""
        return self.model.instance(name)

    def is_property(self, name: str) -> bool:
        """Tell whether a property of the model or of the checker has that name."""
        return name in BUILT_IN or self.claim(name) is not None


def split_doc(doc: str) -> tuple[str, str, str]:
    """Cut a chapter into title, first paragraph and rest.

    The first paragraph is written `Title: what it is for.`
    """
    first, _, rest = doc.strip().partition("\n\n")
    title, colon, lead = " ".join(first.split()).partition(": ")
    if not colon:
        return title.rstrip("."), "", rest
    return title, lead[:1].upper() + lead[1:], rest


@lru_cache(maxsize=1)
def library() -> Library:
    """Return everything, compiled.

    Raises:
        SpecError: the specification is outside the language.
    """
    return build_library(MODEL, _exhibits())


def build_library(model: Model, exhibits: tuple[Exhibit, ...] = ()) -> Library:
    """Return what there is to document about a model."""
    program = compile_model(model)
    machines = tuple(_machine(decl, program) for decl in program.processes)
    functions = {p.name: p.function for p in model.properties}
    claims = tuple(
        Claim(decl, functions[decl.name], section_of(functions[decl.name]))
        for decl in program.properties
    )
    return Library(model, program, machines, claims, exhibits, _events(machines))


def _machine(decl: ProcessDecl, program: Program) -> Machine:
    cls = program.players[decl.name]
    module = importlib.import_module(cls.__module__)
    steps = []
    for name, function in _functions(cls):
        mark = mark_of(function)
        if mark is not None:
            section = section_of(function)
            method = decl.method(name)
            steps.append(Step(decl.name, name, function, mark.kind, mark.fair, method, section))
    return Machine(decl, cls, module, tuple(steps))


def _functions(cls: type) -> list[tuple[str, Callable[..., Any]]]:
    found: dict[str, Callable[..., Any]] = {}
    for owner in reversed(cls.__mro__):
        found |= {n: f for n, f in vars(owner).items() if inspect.isfunction(f)}
    return sorted(found.items(), key=lambda item: item[1].__code__.co_firstlineno)


def _events(machines: tuple[Machine, ...]) -> tuple[type[Event], ...]:
    """Return the event classes that the machines' modules speak of, in order of definition."""
    found: dict[type[Event], None] = {}
    for machine in machines:
        for value in vars(machine.module).values():
            if isinstance(value, type) and issubclass(value, Event) and value is not Event:
                found.setdefault(value)
    return tuple(sorted(found, key=lambda e: (e.__module__, inspect.getsourcelines(e)[1])))


def _exhibits() -> tuple[Exhibit, ...]:
    found = []
    for info in pkgutil.iter_modules(designs_package.__path__):
        module = importlib.import_module(f"{designs_package.__name__}.{info.name}")
        design = getattr(module, "design", None)
        if isinstance(design, Design):
            found.append(Exhibit(info.name, module, design))
    return tuple(sorted(found, key=lambda e: _natural(e.name)))


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
