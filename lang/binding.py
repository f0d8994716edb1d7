"""Binding: a program at the sizes of an instance.

Here sorts get their elements, constants their values, faults their budgets, and every variable
its places in the state: one for each combination of elements of the families it lies in.  A sort
may be empty, which switches off whatever is done for its elements.  What does not fit (an unknown
fault, a negative size, a constant of the wrong type, the first element of an empty sort) is
rejected in one sentence.

What is bound may come from an earlier run (see `ackproof.lang.later`); the front end is imported
only where something is bound anew.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ackproof.lang.data import Elements, domain, domain_size, show, to_data
from ackproof.lang.errors import BindError, SpecError
from ackproof.lang.kept import ById, Latest, once
from ackproof.lang.later import Later
from ackproof.lang.likeness import likeness
from ackproof.lang.model import Design, Instance, Model
from ackproof.lang.program import Action, Param, Program, PropertyDecl, Variable
from ackproof.lang.sorts import OwnedSort, Sort, elements_of

if TYPE_CHECKING:
    from ackproof.lang.ir import Expr

__all__ = ["ActionInstance", "Bound", "Location", "base_of", "bind"]

#: The names of more elements of an unordered sort are not in the order of the elements.
_UNORDERED_OWNERS = 9


@dataclass(frozen=True)
class Location:
    """One place of the state: a variable of one process."""

    variable: Variable
    elements: tuple[Any, ...]

    @property
    def name(self) -> str:
        """How traces call it: `queues[q1].ready`."""
        keys = dict(zip(self.variable.depths, self.elements, strict=True))
        return ".".join(
            f"{part}[{keys[i]}]" if i in keys else part for i, part in enumerate(self.variable.path)
        )


@dataclass(frozen=True)
class ActionInstance:
    """An action with its arguments, as data."""

    action: Action
    args: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{self.action.name}({', '.join(map(show, self.args))})"


@dataclass(frozen=True)
class Bound(Later):
    """A program with sizes: what an engine is given.

    A state is, as data, the tuple of the values of `locations`, followed by what is left of the
    budget of each fault in `budgets`, in their order.

    States that differ in the names of elements of `folded` sorts only are to be searched as one;
    see `ackproof.model.symmetry`.
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
    folded: tuple[str, ...] = ()

    @property
    def constraints(self) -> tuple[PropertyDecl, ...]:
        """What bounds a search: no step is taken from a state where one of them is false."""
        return self.program.constraints

    def instances(self) -> tuple[ActionInstance, ...]:
        """Return every action with every choice of arguments; their order numbers them."""
        return tuple(
            ActionInstance(a, args)
            for a in self.actions
            for args in _choices(a.params, self.elements)
        )

    @property
    def initially(self) -> tuple[PropertyDecl, ...]:
        """What is true of every initial state, of the values that declarations leave open."""
        return self.program.initially

    def initial(self) -> tuple[Any, ...]:
        """Return the initial state of a program that has only one, as data."""
        assert not self.initially, "there are several initial states, or none"
        assert not any(loc.variable.anything for loc in self.locations)
        return self.first()

    def first(self) -> tuple[Any, ...]:
        """Return the state in which what may start with anything has the first value of its type.

        Elsewhere it is as every initial state; see `ackproof.model.beginnings` for those.
        """
        from ackproof.lang.constants import initial_data

        values = [
            initial_data(
                loc.variable.initial,
                loc.variable.type,
                self.elements,
                dict(zip(loc.variable.keys, loc.elements, strict=True)),
            )
            for loc in self.locations
        ]
        return (*values, *self.budgets.values())

    def digest(self) -> str:
        """Return a hash of everything the state space depends on."""
        text = repr(
            (
                self.program.variables,
                [(a.kind, a.name, a.params, likeness(a.body), a.fair) for a in self.actions],
                *(
                    [
                        (
                            p.kind,
                            p.name,
                            p.roots,
                            p.event,
                            p.params,
                            p.of,
                            p.asked,
                            *map(likeness, p.parts),
                        )
                        for p in part
                    ]
                    for part in (self.properties, self.constraints, self.initially)
                ),
                self.elements,
                [(*at, show(value)) for at, value in self.constants.items()],
                self.budgets,
                self.folded,
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
        model: what to bind.
        instance: sizes, constants and budgets.
        design: a change to the model.
        properties: names of those to check; all of them when left out.
        program: the compiled model, if it is at hand.

    Raises:
        SpecError: the specification or design is outside the language.
        BindError: the instance or the choice of properties does not fit the model.
    """
    from ackproof.lang.constants import constants_of
    from ackproof.lang.empty import reject_first_of_empty
    from ackproof.lang.frontend import compile_model

    program = program or compile_model(model, design)
    elements = _elements(program, instance)
    reject_first_of_empty(program, instance.name, elements)
    constants = constants_of(program, instance, design, elements)
    faults = {a.name: a for a in program.actions if a.kind == "fault"}
    for name, budget in instance.faults.items():
        if name not in faults:
            raise BindError(
                f"instance {instance.name}: there is no fault {name!r}; "
                f"the faults are: {', '.join(faults) or 'none'}"
            )
        if type(budget) is not int or budget < 0:
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
        properties=_chosen(program, elements, properties, instance),
    )


#: What designs were bound to without them, the latest ones.
_BASES: Latest[Hashable, tuple[Bound | None]] = Latest(16)


def base_of(bound: Bound) -> Bound | None:
    """Return what is bound without its design; None if it has none, or is right with it only."""
    if bound.design is None:
        return None
    names = tuple(p.name for p in bound.properties)
    key = (ById(bound.model), ById(bound.instance), names)
    known = _BASES.get(key)
    if known is None:
        known = (_without_design(bound, names),)
        _BASES.put(key, known)
    return known[0]


def _without_design(bound: Bound, names: tuple[str, ...]) -> Bound | None:
    try:
        return bind(bound.model, bound.instance, properties=names)
    except (BindError, SpecError):
        return None


def _chosen(
    program: Program, elements: Elements, names: Iterable[str] | None, instance: Instance
) -> tuple[PropertyDecl, ...]:
    sizes = tuple(elements.items())
    every = {p.name: once(_for_each, p, sizes) for p in program.properties}
    if names is None:
        return tuple(one for many in every.values() for one in many)
    single = {one.name: (one,) for many in every.values() for one in many}
    chosen = list(dict.fromkeys(names))
    for name in chosen:
        if name not in every and name not in single:
            raise BindError(f"{program.name} has no property {name!r}; it has: {', '.join(every)}")
    return tuple(
        dict.fromkeys(one for n in chosen for one in (every[n] if n in every else single[n]))
    )


def _for_each(
    prop: PropertyDecl, sizes: tuple[tuple[str, tuple[Any, ...]], ...]
) -> tuple[PropertyDecl, ...]:
    """Return a property for each choice of elements that it is about, named after them."""
    from ackproof.lang import ir
    from ackproof.lang.inline import substitute

    elements = dict(sizes)
    choices = list(_choices(prop.params, elements))
    found = []
    for args in choices:
        name = f"{prop.name}[{', '.join(map(show, args))}]" if len(choices) > 1 else prop.name
        names: dict[str, Expr] = {
            p.name: ir.Lit(domain(p.type, elements).index(arg), type=p.type)
            for p, arg in zip(prop.params, args, strict=True)
        }
        put = partial(substitute, roots={}, names=names)
        trigger = None if prop.trigger is None else put(prop.trigger)
        body = put(prop.body)
        found.append(replace(prop, name=name, body=body, trigger=trigger, params=(), args=args))
    return tuple(found)


def _choices(params: tuple[Param, ...], elements: Elements) -> Iterable[tuple[Any, ...]]:
    """Return every choice of arguments; where one has no value, the others are not listed."""
    if any(domain_size(p.type, elements) == 0 for p in params):
        return ()
    return itertools.product(*(domain(p.type, elements) for p in params))


def _elements(program: Program, instance: Instance) -> Elements:
    found: dict[str, tuple[Any, ...]] = {}
    for sort, size in instance.sizes.items():
        if not (isinstance(sort, type) and issubclass(sort, Sort)):
            raise BindError(
                f"instance {instance.name}: {sort!r} is no sort; give sizes as {{SomeSort: 2}}"
            )
        if type(size) is not int or size < 0:
            raise BindError(
                f"instance {instance.name}: the size of {sort.__name__} is {size!r}; "
                "give a whole number, 0 or more"
            )
        found[sort.__name__] = ()
    _check_owners(instance)
    for sort, usual in elements_of(instance.sizes).items():
        found[sort.__name__] = tuple(map(to_data, usual))
    for needed in program.sorts:
        if needed.name not in found:
            raise BindError(
                f"instance {instance.name} gives no size for the sort {needed.name}; "
                f"add it: sizes={{…, {needed.name}: 2}}"
            )
    return found


def _check_owners(instance: Instance) -> None:
    """Reject an owned sort without owners, or with so many that their names are not in order."""
    for sort in instance.sizes:
        owner = sort.owned_by if issubclass(sort, OwnedSort) else None
        if owner is None:
            continue
        if owner not in instance.sizes:
            raise BindError(
                f"instance {instance.name} gives no size for {owner.__name__}, which owns "
                f"{sort.__name__}; add it: sizes={{…, {owner.__name__}: 2}}"
            )
        if not owner.ordered and instance.sizes[owner] > _UNORDERED_OWNERS:
            raise BindError(
                f"instance {instance.name}: {sort.__name__} has {instance.sizes[owner]} owners, "
                f"and those of an unordered sort are {_UNORDERED_OWNERS} at most; "
                f"declare class {owner.__name__}(OrderedSort, prefix=…)"
            )


def _locations(program: Program, elements: Elements) -> Iterable[Location]:
    for v in program.variables:
        if not v.const:
            for keys in itertools.product(*(elements[f.name] for f in v.families)):
                yield Location(v, keys)
