"""The front end: from a model and a design to a `Program`.

`compile_model` finds the process classes below the system, reads their declarations and methods,
and runs `PASSES`, each a function from a program under construction to the same with more known
about it.  Nothing here knows what the specification is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import assert_never

from ackproof.lang import ir
from ackproof.lang.check_defined import check_defined
from ackproof.lang.check_design import check_design
from ackproof.lang.check_ghosts import check_ghosts
from ackproof.lang.check_loops import check_loops
from ackproof.lang.check_ranges import check_ranges
from ackproof.lang.check_requires import check_requires
from ackproof.lang.classes import distinct_names
from ackproof.lang.collection import without_collection
from ackproof.lang.discover import discover, registry_of
from ackproof.lang.errors import SpecError
from ackproof.lang.inline import inline_actions
from ackproof.lang.ir import Expr, walk
from ackproof.lang.kept import once
from ackproof.lang.methods import check_overrides, read_process
from ackproof.lang.model import Design, Model
from ackproof.lang.program import ProcessDecl, Program, Variable, base_first, key_names
from ackproof.lang.properties import RANKED, SETTINGS
from ackproof.lang.property_reader import read_properties
from ackproof.lang.types import (
    BoolT,
    EnumT,
    FamilyT,
    IntT,
    MapT,
    OptionT,
    ProcT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
)

__all__ = ["PASSES", "compile_model", "known_program", "remember"]

Pass = Callable[[Program], Program]

#: What every program goes through, in this order.
PASSES: tuple[Pass, ...] = (
    check_requires,
    check_ghosts,
    inline_actions,
    check_loops,
    check_defined,
    check_ranges,
)


#: The latest programs, with what they were compiled from, which is thereby kept alive: those of
#: designs, and those of their bases, which are asked for beside them.
_LATEST: list[tuple[Model, Design | None, Program]] = []
_BASES: list[tuple[Model, Design | None, Program]] = []
_KEPT = 8


def compile_model(model: Model, design: Design | None = None) -> Program:
    """Return the typed program of a model, with a design's changes applied.

    The same model and design give the same program, so the latest ones are kept.

    Raises:
        SpecError: something in the specification or the design is outside the language.
        BindError: the design changes nothing.
    """
    known = known_program(model, design)
    if known is not None:
        return known
    program = compile_anew(model, design)
    remember(model, design, program)
    return program


def known_program(model: Model, design: Design | None) -> Program | None:
    """Return the program of a model and a design if it is one of the latest."""
    for known, change, program in _BASES if design is None else _LATEST:
        if known is model and change is design:
            return program
    return None


def remember(model: Model, design: Design | None, program: Program) -> None:
    """Have `compile_model` return a program that was compiled in another process.

    Args:
        model: what the program was compiled from.
        design: the change that was applied.
        program: the program.
    """
    latest = _BASES if design is None else _LATEST
    latest.insert(0, (model, design, program))
    del latest[_KEPT:]


@without_collection()
def compile_anew(model: Model, design: Design | None = None) -> Program:
    """Return a program as `compile_model` does, though it may be one of the latest.

    Raises:
        SpecError: something in the specification or the design is outside the language.
        BindError: the design changes nothing.
    """
    with distinct_names():
        registry = registry_of(model, design)
        classes = discover(model.system, registry)
        for cls in classes:
            check_overrides(cls, registry)
        if design is not None:
            check_design(design, registry)
        processes = tuple(read_process(cls, registry) for cls in classes)
        declared = read_properties(model, registry)
    by_name = {p.name: p for p in processes}
    program = Program(
        name=model.name,
        root=model.system.__name__,
        sorts=(),
        processes=processes,
        variables=base_first(_variables(model.system.__name__, by_name)),
        actions=(),
        properties=tuple(p for p in declared if p.kind not in (*SETTINGS, *RANKED)),
        deadlock_free=model.deadlock_free,
        players=dict(registry.classes),
        constraints=tuple(p for p in declared if p.kind == "constraint"),
        initially=tuple(p for p in declared if p.kind == "initially"),
        ranked=tuple(p for p in declared if p.kind in RANKED),
    )
    for step in PASSES:
        program = step(program)
    return replace(program, sorts=_sorts(program))


def _variables(
    name: str,
    processes: dict[str, ProcessDecl],
    path: tuple[str, ...] = (),
    families: tuple[SortT, ...] = (),
    depths: tuple[int, ...] = (),
    added: bool = False,
) -> Iterator[Variable]:
    process = processes[name]
    for key, sort in process.keys:
        if sort not in families:
            raise SpecError(
                process.span,
                f"`{key}` is the key of a family over {sort.name}, and {name} lies in none",
                f"declare Each[{sort.name}, {name}], or leave the key out",
            )
    for v in process.variables:
        initial = _of_member(v.initial, families)
        own = added or v.name in process.added
        yield Variable(
            path=(*path, v.name),
            families=families,
            type=v.type,
            ghost=v.ghost,
            const=v.const,
            initial=initial,
            owner=name,
            depths=depths,
            anything=v.anything,
            added=own,
        )
    for part, t in process.parts:
        inner, own = (*path, part), added or part in process.added
        if isinstance(t, FamilyT):
            keys, at = (*families, t.key), (*depths, len(path))
            yield from _variables(t.proc.name, processes, inner, keys, at, own)
        else:
            yield from _variables(t.name, processes, inner, families, depths, own)


def _of_member(initial: Expr, families: tuple[SortT, ...]) -> Expr:
    """Return an initial value in which the first element of an owned sort has its owner.

    Raises:
        SpecError: the variable lies in no member of a family of owners.
    """
    if isinstance(initial, ir.Some):
        return replace(initial, arg=_of_member(initial.arg, families))
    if isinstance(initial, ir.MakeRecord):
        return replace(initial, args=tuple(_of_member(a, families) for a in initial.args))
    if not (isinstance(initial, ir.First) and isinstance(initial.type, SortT)):
        return initial
    owner = initial.type.owner
    if owner is None:
        return initial
    named = zip(families, key_names(families), strict=True)
    innermost = [ir.Var(name, type=owner) for sort, name in named if sort == owner][-1:]
    if not innermost:
        sort = initial.type.name
        raise SpecError(
            initial.span,
            f"{sort}.first() does not say which {owner.name} it is the first of: the variable is "
            f"not in a process of Each[{owner.name}, …]",
            f"start with None, declared Option[{sort}], and write {sort}.first(x) in a step",
        )
    return replace(initial, owner=innermost[0])


def _sorts(program: Program) -> tuple[SortT, ...]:
    """Return the sorts that a program speaks of, in order of first use."""
    types = [t for v in program.variables for t in (*v.families, v.type)]
    types += [p.type for action in program.actions for p in action.params]
    types += [p.type for claim in program.stated for p in claim.params]
    found = dict.fromkeys(sort for t in types for sort in _sorts_in(t))
    for action in program.actions:
        found.update(once(_sorts_of, action.body))
    for said in (part for claim in program.stated for part in claim.parts):
        found.update(once(_sorts_of, said))
    return tuple(found)


def _sorts_of(body: tuple[ir.Stmt, ...] | Expr) -> dict[SortT, None]:
    """Return the sorts that statements or an expression speak of, in order of first use."""
    nodes = (n for part in (body if isinstance(body, tuple) else (body,)) for n in walk(part))
    types = dict.fromkeys(node.type for node in nodes if isinstance(node, Expr))
    return dict.fromkeys(sort for t in types for sort in _sorts_in(t))


def _sorts_in(t: Type) -> Iterator[SortT]:
    match t:
        case SortT(owner=owner):
            yield t
            if owner is not None:
                yield owner
        case SetT(elem) | SeqT(elem):
            yield from _sorts_in(elem)
        case MapT(key, value):
            yield from _sorts_in(key)
            yield from _sorts_in(value)
        case OptionT(inner):
            yield from _sorts_in(inner)
        case FamilyT(sort):
            yield from _sorts_in(sort)
        case RecordT(fields=fields):
            for _, field in fields:
                yield from _sorts_in(field)
        case BoolT() | EnumT() | IntT() | ProcT():
            pass
        case _:
            assert_never(t)
