"""The front end: from a model and a design to a `Program`.

`compile_model` finds the process classes below the system, reads their declarations and methods,
and runs `PASSES`, each a function from a program under construction to the same with more known
about it.  Nothing here knows what the specification is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ackproof.spec.lang.check_defined import check_defined
from ackproof.spec.lang.check_design import check_design
from ackproof.spec.lang.check_ghosts import check_ghosts
from ackproof.spec.lang.check_loops import check_loops
from ackproof.spec.lang.check_ranges import check_ranges
from ackproof.spec.lang.check_requires import check_requires
from ackproof.spec.lang.claims import read_properties
from ackproof.spec.lang.classes import distinct_names
from ackproof.spec.lang.discover import discover, registry_of
from ackproof.spec.lang.inline import inline_actions
from ackproof.spec.lang.ir import Expr, walk
from ackproof.spec.lang.methods import check_overrides, read_process
from ackproof.spec.lang.model import Design, Model
from ackproof.spec.lang.program import ProcessDecl, Program, Variable
from ackproof.spec.lang.types import FamilyT, RecordT, SortT, Type

__all__ = ["PASSES", "compile_model"]

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


#: The latest programs, with what they were compiled from, which is thereby kept alive.
_LATEST: list[tuple[Model, Design | None, Program]] = []
_KEPT = 8


def compile_model(model: Model, design: Design | None = None) -> Program:
    """Return the typed program of a model, with a design's changes applied.

    The same model and design give the same program, so the latest ones are kept.

    Raises:
        SpecError: something in the specification or the design is outside the language.
        BindError: the design changes nothing.
    """
    for known, change, program in _LATEST:
        if known is model and change is design:
            return program
    program = _compile(model, design)
    _LATEST.insert(0, (model, design, program))
    del _LATEST[_KEPT:]
    return program


def _compile(model: Model, design: Design | None) -> Program:
    with distinct_names():
        registry = registry_of(model, design)
        classes = discover(model.system, registry)
        for cls in classes:
            check_overrides(cls, registry)
        if design is not None:
            check_design(design, registry)
        processes = tuple(read_process(cls, registry) for cls in classes)
        properties = read_properties(model, registry)
    by_name = {p.name: p for p in processes}
    program = Program(
        name=model.name,
        root=model.system.__name__,
        sorts=(),
        processes=processes,
        variables=tuple(_variables(model.system.__name__, by_name)),
        actions=(),
        properties=properties,
        deadlock_free=model.deadlock_free,
        players=dict(registry.classes),
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
) -> Iterator[Variable]:
    process = processes[name]
    for v in process.variables:
        yield Variable((*path, v.name), families, v.type, v.ghost, v.const, v.initial, name, depths)
    for part, t in process.parts:
        inner = (*path, part)
        if isinstance(t, FamilyT):
            keys, at = (*families, t.key), (*depths, len(path))
            yield from _variables(t.proc.name, processes, inner, keys, at)
        else:
            yield from _variables(t.name, processes, inner, families, depths)


def _sorts(program: Program) -> tuple[SortT, ...]:
    """Return the sorts that a program speaks of, in order of first use."""
    found: dict[SortT, None] = {}

    def visit(t: Type) -> None:
        if isinstance(t, SortT):
            found.setdefault(t)
        for inner in ("elem", "key", "value", "inner"):
            if hasattr(t, inner):
                visit(getattr(t, inner))
        if isinstance(t, RecordT):
            for _, field in t.fields:
                visit(field)

    for v in program.variables:
        for sort in v.families:
            visit(sort)
        visit(v.type)
    for action in program.actions:
        for p in action.params:
            visit(p.type)
    bodies = [*(s for a in program.actions for s in a.body), *(p.body for p in program.properties)]
    for body in bodies:
        for node in walk(body):
            if isinstance(node, Expr):
                visit(node.type)
    return tuple(found)
