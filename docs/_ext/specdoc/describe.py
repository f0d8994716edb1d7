"""The typed IR in words: types as they are declared, and what a method does to what.

Nothing here reads source text.  `Uses` is what a method calls, emits and writes, found by
walking its body; the tables and diagrams of the machine pages are drawn from it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ackproof.lang import ir
from ackproof.lang.program import Method, VarDecl
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

__all__ = ["Uses", "initial_text", "type_text", "uses_of"]


@dataclass(frozen=True)
class Uses:
    """What a method does: calls as (process class, method), event names, variables as
    (process class, variable), each in order of first use and once.
    """

    calls: tuple[tuple[str, str], ...]
    emits: tuple[str, ...]
    writes: tuple[tuple[str, str], ...]


def type_text(t: Type) -> str:
    """Return a type as a specification declares it."""
    match t:
        case BoolT():
            return "bool"
        case IntT(lo, hi):
            return f"int from {lo} to {hi}"
        case EnumT(name) | SortT(name) | RecordT(name) | ProcT(name):
            return name
        case OptionT(inner):
            return f"Option[{type_text(inner)}]"
        case SetT(elem):
            return f"Set[{type_text(elem)}]"
        case MapT(key, value):
            return f"Map[{type_text(key)}, {type_text(value)}]"
        case SeqT(elem, cap):
            return f"Seq[{type_text(elem)}] of at most {cap}"
        case FamilyT(key, proc):
            return f"Each[{key.name}, {proc.name}]"


def initial_text(variable: VarDecl) -> str:
    """Return what a variable starts with, in words."""
    return "anything" if variable.anything else _value_text(variable.initial)


def _value_text(value: ir.Expr) -> str:
    match value:
        case ir.Lit(literal) if isinstance(value.type, EnumT):
            return f"{value.type.name}.{literal}"
        case ir.Lit(literal):
            return str(literal)
        case ir.Some(inner):
            return _value_text(inner)
        case ir.First():
            assert isinstance(value.type, SortT)
            return f"{value.type.name}.first()"
        case ir.MakeRecord(args):
            return f"{type_text(value.type)}({', '.join(map(_value_text, args))})"
        case _:
            return _default_text(value.type)


def _default_text(t: Type) -> str:
    match t:
        case SetT() | SeqT():
            return "empty"
        case MapT(_, value):
            return f"all {_default_text(value)}"
        case BoolT():
            return "False"
        case OptionT():
            return "None"
        case IntT(lo, _):
            return str(lo)
        case EnumT(name, members):
            return f"{name}.{members[0]}"
        case SortT(name):
            return f"first {name}"
        case _:
            return "defaults"


def uses_of(method: Method) -> Uses:
    """Return what a method calls, emits and writes by itself (not what its callees do)."""
    calls: dict[tuple[str, str], None] = {}
    emits: dict[str, None] = {}
    writes: dict[tuple[str, str], None] = {}
    for statement in method.body:
        for node in ir.walk(statement):
            match node:
                case ir.Call():
                    assert isinstance(node.obj.type, ProcT)
                    calls.setdefault((node.obj.type.name, node.method))
                case ir.Emit():
                    assert isinstance(node.event.type, RecordT)
                    emits.setdefault(node.event.type.name)
                case _ if isinstance(node, ir.AnyWrite):
                    writes.setdefault(_variable(node.place))
    return Uses(tuple(calls), tuple(emits), tuple(writes))


def _variable(place: ir.Expr) -> tuple[str, str]:
    """Return the variable that a place lies in."""
    while not (isinstance(place, ir.Field) and isinstance(place.obj.type, ProcT)):
        assert isinstance(place, ir.Field | ir.Index)
        place = place.obj
    assert isinstance(place.obj.type, ProcT)
    return place.obj.type.name, place.name
