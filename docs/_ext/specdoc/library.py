"""What is documented: the model, its machines and steps, its properties, instances and designs.

Everything is found by importing the specification and compiling it with the front end, once per
build.  A new machine, property, instance or design gets its page without a change here.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from types import ModuleType
from typing import Any

from ackproof.lang import Design, Event, Instance, Model, Sort
from ackproof.lang.frontend import compile_model
from ackproof.lang.process import Process, mark_of
from ackproof.lang.program import Method, ProcessDecl, Program, PropertyDecl
from ackproof.lang.properties import BUILT_IN
from ackproof.lang.source import docstring
from ackproof.model.eras import eras_of
from ackproof.model.museum import museum
from ackproof.spec.model import MODEL

from specdoc.source import section_of, signature

__all__ = ["Claim", "Exhibit", "Layer", "Library", "Machine", "Step", "library", "split_doc"]


@dataclass(frozen=True)
class Step:
    """A method of a machine as one of its layers has it; `method` is its IR, if it has any."""

    machine: str
    layer: str
    name: str
    function: Callable[..., Any]
    kind: str
    fair: str | None
    method: Method | None
    section: str

    @property
    def key(self) -> str:
        """How pages refer to it as it is in the end: `Channel.settle`."""
        return f"{self.machine}.{self.name}"

    @property
    def place(self) -> str:
        """How pages refer to it as this layer has it: `Publishing.flush`."""
        return f"{self.layer}.{self.name}"

    @property
    def signature(self) -> str:
        """Name and parameters as written."""
        return signature(self.function)

    @property
    def doc(self) -> str:
        """The docstring."""
        return inspect.getdoc(self.function) or ""


@dataclass(frozen=True)
class Layer:
    """One class of a machine, with what it adds to the class that it extends."""

    cls: type
    module: ModuleType
    steps: tuple[Step, ...]

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.cls.__name__

    @property
    def doc(self) -> str:
        """The docstring of the class."""
        return docstring(self.cls)

    @property
    def chapter(self) -> str:
        """The docstring of the module."""
        return docstring(self.module)

    def declares(self, variable: str) -> bool:
        """Tell whether a variable or a part is declared here."""
        return variable in inspect.get_annotations(self.cls)


@dataclass(frozen=True)
class Machine:
    """A process class; `layers` are it and the classes it extends, the first one first."""

    decl: ProcessDecl
    layers: tuple[Layer, ...]

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.decl.name

    @property
    def cls(self) -> type:
        """The class."""
        return self.layers[-1].cls

    @property
    def chapter(self) -> str:
        """The docstring of the module, which is the machine's chapter."""
        return self.layers[-1].chapter

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps as they are in the end: of each name the last one."""
        last = {s.name: s for layer in self.layers for s in layer.steps}
        return tuple(s for layer in self.layers for s in layer.steps if last[s.name] is s)

    def versions(self, name: str) -> tuple[Step, ...]:
        """Return a step in each of the layers that have it."""
        return tuple(s for layer in self.layers for s in layer.steps if s.name == name)

    def step(self, name: str) -> Step | None:
        """Return the step of that name, if there is one."""
        return next(iter(reversed(self.versions(name))), None)


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
    """A design of the museum, or an era, by the name of its file."""

    name: str
    module: ModuleType
    design: Design
    kind: str = "design"

    @property
    def prose(self) -> str:
        """All that it says in words: claim, source, and every docstring."""
        docs = [docstring(cls) for cls in self.design.replace]
        docs += [
            inspect.getdoc(function) or ""
            for cls in self.design.replace
            if cls.__module__ == self.module.__name__
            for function in vars(cls).values()
            if inspect.isfunction(function)
        ]
        return "\n\n".join((self.design.claim, self.design.source, docstring(self.module), *docs))


@dataclass(frozen=True)
class Library:
    """All that is documented."""

    model: Model
    program: Program
    machines: tuple[Machine, ...]
    claims: tuple[Claim, ...]
    exhibits: tuple[Exhibit, ...]
    eras: tuple[Exhibit, ...]
    events: tuple[type[Event], ...]
    sorts: tuple[type, ...]

    def machine(self, name: str) -> Machine | None:
        """Return the machine of that class name, if there is one."""
        return next((m for m in self.machines if m.name == name), None)

    def layer(self, name: str) -> tuple[Machine, Layer] | None:
        """Return the layer of that class name, and the machine that it is of."""
        return next(((m, x) for m in self.machines for x in m.layers if x.name == name), None)

    def step(self, key: str) -> Step | None:
        """Return the step `Class.method`, as that class has it, if there is one."""
        owner, _, name = key.partition(".")
        found = self.layer(owner)
        if found is None:
            return None
        machine, layer = found
        known = machine.layers[: machine.layers.index(layer) + 1]
        return next((s for x in reversed(known) for s in x.steps if s.name == name), None)

    def claim(self, name: str) -> Claim | None:
        """Return the property of that name, if there is one."""
        return next((c for c in self.claims if c.name == name), None)

    def exhibit(self, name: str) -> Exhibit | None:
        """Return the design of that name, if there is one."""
        return next((e for e in self.exhibits if e.name == name), None)

    def era(self, name: str) -> Exhibit | None:
        """Return the era of that name, if there is one."""
        return next((e for e in self.eras if e.name == name), None)

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
    return build_library(MODEL, _exhibits(), _eras())


def build_library(
    model: Model, exhibits: tuple[Exhibit, ...] = (), eras: tuple[Exhibit, ...] = ()
) -> Library:
    """Return what there is to document about a model."""
    program = compile_model(model)
    machines = tuple(_machine(decl, program) for decl in program.processes)
    functions = {p.name: p.function for p in model.properties}
    claims = tuple(
        Claim(decl, functions[decl.name], section_of(functions[decl.name]))
        for decl in program.properties
    )
    events = _named(machines, Event)
    sorts = _named(machines, Sort, Enum)
    return Library(model, program, machines, claims, exhibits, eras, events, sorts)


def _machine(decl: ProcessDecl, program: Program) -> Machine:
    return Machine(decl, tuple(_layer(cls, decl) for cls in _layers(program.players[decl.name])))


def _layers(cls: type) -> Iterator[type]:
    """Yield a process class and those that it extends, the language's own first classes left out.

    A class of the specification declares something, or has steps.
    """
    for owner in reversed(cls.__mro__):
        if issubclass(owner, Process) and not owner.__module__.startswith("ackproof.lang"):
            yield owner


def _layer(cls: type, decl: ProcessDecl) -> Layer:
    steps = []
    for name, function in vars(cls).items():
        mark = mark_of(function) if inspect.isfunction(function) else None
        if mark is not None:
            method = next(
                (m for m in decl.methods if (m.owner, m.name) == (cls.__name__, name)), None
            )
            section = section_of(function)
            steps.append(
                Step(decl.name, cls.__name__, name, function, mark.kind, mark.fair, method, section)
            )
    return Layer(cls, sys.modules[cls.__module__], tuple(steps))


def _named(machines: tuple[Machine, ...], *bases: type) -> tuple[Any, ...]:
    """Return the classes of some kinds that the machines' modules speak of.

    In order of definition; those of the language itself are left out.
    """
    found: dict[type, None] = {}
    for layer in (layer for machine in machines for layer in machine.layers):
        for value in vars(layer.module).values():
            if (
                isinstance(value, type)
                and issubclass(value, bases)
                and not value.__module__.startswith(("ackproof.lang", "enum"))
            ):
                found.setdefault(value)
    return tuple(sorted(found, key=lambda c: (c.__module__, inspect.getsourcelines(c)[1])))


def _exhibits() -> tuple[Exhibit, ...]:
    found = [
        Exhibit(name, sys.modules[f"{MODEL.designs}.{name}"], design)
        for name, design in museum(MODEL).items()
    ]
    return tuple(sorted(found, key=lambda e: _natural(e.name)))


def _eras() -> tuple[Exhibit, ...]:
    return tuple(
        Exhibit(era.name, sys.modules[f"{MODEL.eras}.{era.name}"], era.design, "era")
        for era in eras_of(MODEL)
        if era.design
    )


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
