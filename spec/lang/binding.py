"""Binding: a program at the sizes of an instance.

Here sorts get their elements, constants their values, faults their budgets, and every variable
its places in the state: one for each combination of elements of the families it lies in.  What
does not fit (an unknown fault, a size of 0, a constant of the wrong type) is refused in one
sentence.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ackproof.spec.lang.data import Elements, default_data, domain, in_range, to_data
from ackproof.spec.lang.errors import BindError
from ackproof.spec.lang.frontend import compile_model
from ackproof.spec.lang.ir import Expr, First, Lit, MakeRecord, Some
from ackproof.spec.lang.model import Design, Instance, Model
from ackproof.spec.lang.program import Action, Program, PropertyDecl, Variable
from ackproof.spec.lang.sorts import Sort
from ackproof.spec.lang.types import BoolT, EnumT, IntT, OptionT, SetT, SortT, Type

__all__ = ["ActionInstance", "Bound", "Location", "bind"]


@dataclass(frozen=True)
class Location:
    """One place of the state: a variable of one process."""

    variable: Variable
    elements: tuple[Any, ...]

    @property
    def name(self) -> str:
        """How traces call it: `queues[q1].ready`."""
        keys = iter(self.elements)
        depth = len(self.variable.families)
        parts = list(self.variable.path)
        first = len(parts) - 1 - depth if depth else 0
        shown = [
            f"{p}[{next(keys)}]" if first <= i < first + depth else p for i, p in enumerate(parts)
        ]
        return ".".join(shown)


@dataclass(frozen=True)
class ActionInstance:
    """An action with its arguments, as data."""

    action: Action
    args: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{self.action.name}({', '.join(map(show, self.args))})"


def show(value: Any) -> str:
    """Return plain data as a reader wants it: sets in braces and in order."""
    if isinstance(value, frozenset):
        if value and all(isinstance(v, tuple) and len(v) == 2 for v in value):
            entries = sorted(value, key=lambda e: str(e[0]))
            return "{" + ", ".join(f"{show(k)}: {show(v)}" for k, v in entries) + "}"
        return "{" + ", ".join(sorted(map(show, value))) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(show, value)) + ")"
    return str(value)


@dataclass(frozen=True)
class Bound:
    """A program with sizes: what an engine is given.

    A state is, as data, the tuple of the values of `locations`, followed by what is left of the
    budget of each fault in `budgets`, in their order.
    """

    program: Program
    model: Model
    instance: Instance
    design: Design | None
    elements: Elements
    sizes: dict[type[Sort], int]
    locations: tuple[Location, ...]
    constants: dict[tuple[str, tuple[Any, ...]], Any]
    budgets: dict[str, int]
    actions: tuple[Action, ...]
    properties: tuple[PropertyDecl, ...]

    def instances(self) -> tuple[ActionInstance, ...]:
        """Return every action with every choice of arguments; their order numbers them."""
        return tuple(
            ActionInstance(a, args)
            for a in self.actions
            for args in itertools.product(*(domain(p.type, self.elements) for p in a.params))
        )

    def initial(self) -> tuple[Any, ...]:
        """Return the initial state as data."""
        values = [self._initial(loc.variable.initial, loc.variable.type) for loc in self.locations]
        return (*values, *self.budgets.values())

    def _initial(self, expr: Expr, t: Type) -> Any:
        if isinstance(expr, Lit):
            return expr.value
        if isinstance(expr, First):
            assert isinstance(t, SortT | OptionT)
            return self.elements[expr.type.name][0]  # type: ignore[union-attr]
        if isinstance(expr, Some):
            return self._initial(expr.arg, expr.arg.type)
        if isinstance(expr, MakeRecord):
            return tuple(self._initial(a, a.type) for a in expr.args)
        return default_data(t, self.elements)

    def digest(self) -> str:
        """Return a hash of everything the state space depends on."""
        text = repr(
            (
                self.program.variables,
                self.actions,
                self.properties,
                self.elements,
                sorted(map(repr, self.constants.items())),
                self.budgets,
            )
        )
        return hashlib.sha256(text.encode()).hexdigest()


def bind(
    model: Model,
    instance: Instance,
    design: Design | None = None,
    properties: Iterable[str] | None = None,
    program: Program | None = None,
) -> Bound:
    """Return a model at the sizes of an instance, with a design applied.

    Args:
        properties: names of those to check; all of them when left out.
        program: the compiled model, if it is at hand.

    Raises:
        SpecError: the specification or design is outside the language.
        BindError: the instance or the choice of properties does not fit the model.
    """
    program = program or compile_model(model, design)
    elements = _elements(program, instance)
    constants = _constants(program, instance, design, elements)
    faults = {a.name: a for a in program.actions if a.kind == "fault"}
    for name, budget in instance.faults.items():
        if name not in faults:
            raise BindError(
                f"instance {instance.name}: there is no fault {name!r}; "
                f"the faults are: {', '.join(faults) or 'none'}"
            )
        if not isinstance(budget, int) or budget < 0:
            raise BindError(
                f"instance {instance.name}: the budget of {name} is {budget!r}; "
                "give a whole number, 0 or more"
            )
    budgets = {name: n for name, n in instance.faults.items() if n > 0}
    return Bound(
        program=program,
        model=model,
        instance=instance,
        design=design,
        elements=elements,
        sizes=dict(instance.sizes),
        locations=tuple(_locations(program, elements)),
        constants=constants,
        budgets=budgets,
        actions=tuple(a for a in program.actions if a.kind != "fault" or a.name in budgets),
        properties=_chosen(program, properties),
    )


def _chosen(program: Program, names: Iterable[str] | None) -> tuple[PropertyDecl, ...]:
    if names is None:
        return program.properties
    known = {p.name: p for p in program.properties}
    chosen = list(dict.fromkeys(names))
    for name in chosen:
        if name not in known:
            raise BindError(f"{program.name} has no property {name!r}; it has: {', '.join(known)}")
    return tuple(known[n] for n in chosen)


def _elements(program: Program, instance: Instance) -> Elements:
    found: dict[str, tuple[Any, ...]] = {}
    for sort, size in instance.sizes.items():
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise BindError(
                f"instance {instance.name}: the size of {sort.__name__} is {size!r}; "
                "give a whole number, 1 or more"
            )
        found[sort.__name__] = sort.named(size)
    for needed in program.sorts:
        if needed.name not in found:
            raise BindError(
                f"instance {instance.name} gives no size for the sort {needed.name}; "
                f"add it: sizes={{…, {needed.name}: 2}}"
            )
    return found


def _locations(program: Program, elements: Elements) -> Iterable[Location]:
    for v in program.variables:
        if not v.const:
            for keys in itertools.product(*(elements[f.name] for f in v.families)):
                yield Location(v, keys)


def _constants(
    program: Program, instance: Instance, design: Design | None, elements: Elements
) -> dict[tuple[str, tuple[Any, ...]], Any]:
    given = {**(design.constants if design else {}), **instance.constants}
    known = {f"{v.owner}.{v.name.split('.')[-1]}": v for v in program.variables if v.const}
    for name in given:
        if name not in known:
            raise BindError(
                f"instance {instance.name}: there is no constant {name!r}; "
                f"the constants are: {', '.join(known) or 'none'}"
            )
    found = {}
    for v in (v for v in program.variables if v.const):
        name = f"{v.owner}.{v.name.split('.')[-1]}"
        for keys in itertools.product(*(elements[f.name] for f in v.families)):
            found[v.name, keys] = _constant(v, name, keys, given, instance, elements)
    return found


def _constant(
    v: Variable,
    name: str,
    keys: tuple[Any, ...],
    given: dict[str, Any],
    instance: Instance,
    elements: Elements,
) -> Any:
    if name not in given:
        if isinstance(v.initial, Lit):
            return v.initial.value
        return default_data(v.type, elements) if not isinstance(v.type, IntT) else 0
    value = given[name]
    if isinstance(value, dict) and keys:
        value = value.get(keys[0] if len(keys) == 1 else keys, default_data(v.type, elements))
    value = to_data(value)
    if not _has_type(value, v.type, elements):
        raise BindError(
            f"instance {instance.name}: the constant {name} is {value!r}, "
            f"which is not a value of type {v.type!r}"
        )
    return value


def _has_type(value: Any, t: Type, elements: Elements) -> bool:
    if isinstance(t, BoolT):
        return isinstance(value, bool)
    if isinstance(t, EnumT):
        return value in t.members
    if isinstance(t, IntT):
        return isinstance(value, int) and not isinstance(value, bool) and in_range(value, t)
    if isinstance(t, SetT):
        return isinstance(value, frozenset) and all(_has_type(x, t.elem, elements) for x in value)
    return value in domain(t, elements)
