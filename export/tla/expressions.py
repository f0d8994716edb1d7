"""Expressions and values in TLA+.

An element of a sort is its number, counted from 1, whether the sort is ordered or not: that is what
TLC compares and counts fastest, and what `<` and successors are defined on.  The elements of an
owned sort are numbered owner by owner.  A member of an enum is a string, a record a record, a map a
function, a variable of a family a function of its members.  `None` is a model value, which TLC
compares with anything.

What stands for a variable is not its name while a step is written: see `steps`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from ackproof.export.names import Names
from ackproof.export.places import Place, VarPath, place_of
from ackproof.lang import ir
from ackproof.lang.binding import Bound
from ackproof.lang.data import default_data
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

__all__ = ["OPERATORS", "Process", "Scope", "Writer"]

#: A process: members of families are texts.
Process = Place[str]

#: Operators that every module defines.
OPERATORS = r"""
Least(S) == CHOOSE x \in S : \A y \in S : x <= y
Greatest(S) == CHOOSE x \in S : \A y \in S : y <= x
LeastOrNone(S) == IF S = {} THEN None ELSE Least(S)
GreatestOrNone(S) == IF S = {} THEN None ELSE Greatest(S)
Smaller(a, b) == IF a <= b THEN a ELSE b
Larger(a, b) == IF a <= b THEN b ELSE a
"""

_AND, _OR = " /\\ ", " \\/ "
_SET_OPS = {"|": r"\cup", "&": r"\cap", "-": "\\"}
_EXTREMES = {
    ("min", True): "LeastOrNone",
    ("max", True): "GreatestOrNone",
    ("min", False): "Least",
    ("max", False): "Greatest",
}


@dataclass
class Scope:
    """What names stand for.

    Args:
        roots: for each root what the variables are now, as text.
        values: what parameters, locals and bound variables are, as text, or a process.
    """

    roots: Mapping[str, Mapping[VarPath, str]]
    values: dict[str, str | Process] = field(default_factory=dict)

    def having(self, name: str, value: str | Process) -> Scope:
        """Return a scope with one more name."""
        return replace(self, values={**self.values, name: value})


class Writer:
    """Writes expressions of a bound program.

    Args:
        bound: the program.
        names: those of the module.
        sorts: what sorts are called.
        constants: what constants are called, by the names that lead to them.
    """

    def __init__(
        self,
        bound: Bound,
        names: Names,
        sorts: Mapping[str, str],
        constants: Mapping[VarPath, str],
    ) -> None:
        self.bound, self.sorts, self.constants = bound, sorts, constants
        self._module, self.names = names, names.inside()

    def begin(self) -> None:
        """Begin a definition: what others have called their own is free again."""
        self.names = self._module.inside()

    # -- values and types -----------------------------------------------------------------------

    def literal(self, t: Type, data: Any) -> str:
        """Return a value of a type, given as data."""
        match t:
            case BoolT():
                return "TRUE" if data else "FALSE"
            case IntT():
                return str(data) if data >= 0 else f"({data})"
            case EnumT():
                return f'"{data}"'
            case SortT(name=name):
                return str(self.bound.elements[name].index(data) + 1)
            case OptionT(inner):
                return "None" if data is None else self.literal(inner, data)
            case RecordT(fields=fields):
                parts = (
                    f"{n} |-> {self.literal(f, x)}" for (n, f), x in zip(fields, data, strict=True)
                )
                return _record(list(parts))
            case SetT(elem):
                found = sorted(self.literal(elem, x) for x in data)
                return f"{{{', '.join(found)}}}"
            case SeqT(elem=elem):
                return f"<<{', '.join(self.literal(elem, x) for x in data)}>>"
            case MapT(key, value):
                return self._function(key, value, dict(data))
            case ProcT() | FamilyT():
                raise AssertionError(f"{t!r} is no type of data")
            case _:
                assert_never(t)

    def _function(self, key: Type, value: Type, entries: dict[Any, Any]) -> str:
        """Return a map as a function: a case for each value that is not the default."""
        name, default = self.names.new("k"), default_data(value, self.bound.elements)
        text = self.literal(value, default)
        for at, data in entries.items():
            text = (
                f"IF {name} = {self.literal(key, at)} THEN {self.literal(value, data)} ELSE {text}"
            )
        return f"[{name} \\in {self.set_of(key)} |-> {text}]"

    def set_of(self, t: Type) -> str:
        """Return the set of all values of a type."""
        match t:
            case BoolT():
                return "BOOLEAN"
            case IntT(lo, hi):
                return f"({lo}..{hi})"
            case EnumT(members=members):
                listed = ", ".join(f'"{m}"' for m in members)
                return f"{{{listed}}}"
            case SortT(name=name):
                return self.sorts[name]
            case OptionT(inner):
                return f"({self.set_of(inner)} \\cup {{None}})"
            case RecordT(fields=fields):
                listed = ", ".join(f"{n}: {self.set_of(f)}" for n, f in fields)
                return f"[{listed}]" if fields else "{<<>>}"
            case SetT(elem):
                return f"(SUBSET {self.set_of(elem)})"
            case SeqT(elem=elem, cap=cap):
                n = self.names.new("n")
                return f"UNION {{[1..{n} -> {self.set_of(elem)}] : {n} \\in 0..{cap}}}"
            case MapT(key, value):
                return f"[{self.set_of(key)} -> {self.set_of(value)}]"
            case ProcT() | FamilyT():
                raise AssertionError(f"{t!r} is no type of data")
            case _:
                assert_never(t)

    # -- expressions ----------------------------------------------------------------------------

    def place(self, e: ir.Expr, scope: Scope) -> Process | None:
        """Return the process, or family of processes, that an expression is, if it is one."""
        return place_of(e, scope.values, lambda key: self.text(key, scope))

    def text(self, e: ir.Expr, scope: Scope) -> str:
        """Return an expression; it is a whole, which needs no brackets."""
        assert isinstance(e, ir.AnyExpr)

        def of(part: ir.Expr) -> str:
            return self.text(part, scope)

        match e:
            case ir.Lit():
                return self._literal(e)
            case ir.Var(name=name):
                found = scope.values[name]
                assert isinstance(found, str)
                return found
            case ir.First():
                return self._first(e, scope)
            case ir.Universe():
                assert isinstance(e.type, SetT)
                return self.set_of(e.type.elem)
            case ir.Default():
                return self.literal(e.type, default_data(e.type, self.bound.elements))
            case ir.Field():
                return self._field(e, scope)
            case ir.Index(obj=obj, key=key):
                return f"{of(obj)}[{of(key)}]"
            case ir.Support(map=m):
                return self._support(m, scope)
            case ir.Not(arg=arg):
                return f"~{of(arg)}"
            case ir.And(args=args):
                return f"({_AND.join(map(of, args))})" if args else "TRUE"
            case ir.Or(args=args):
                return f"({_OR.join(map(of, args))})" if args else "FALSE"
            case ir.Eq(left=left, right=right):
                return f"({of(left)} = {of(right)})"
            case ir.Less(left=left, right=right, strict=strict):
                return f"({of(left)} {'<' if strict else '<='} {of(right)})"
            case ir.In(elem=elem, set=among):
                return self._in(of(elem), among, scope)
            case ir.Subset(left=left, right=right, strict=strict):
                inside = f"{of(left)} \\subseteq {of(right)}"
                return f"({inside} /\\ {of(left)} # {of(right)})" if strict else f"({inside})"
            case ir.Ite(cond=cond, then=then, orelse=orelse):
                return f"(IF {of(cond)} THEN {of(then)} ELSE {of(orelse)})"
            case ir.Let(name=name, value=value, body=body):
                return self._let(name, value, body, scope)
            case ir.Forall(binders=binders, body=body):
                return self._quantified("\\A", binders, body, scope)
            case ir.Exists(binders=binders, body=body):
                return self._quantified("\\E", binders, body, scope)
            case ir.Comprehension():
                return self._comprehension(e, e.binders, scope)
            case ir.SetLit(elems=elems):
                return f"{{{', '.join(map(of, elems))}}}"
            case ir.SetOp(op="^", left=left, right=right):
                one, other = of(left), of(right)
                return f"(({one} \\ {other}) \\cup ({other} \\ {one}))"
            case ir.SetOp(op=op, left=left, right=right):
                return f"({of(left)} {_SET_OPS[op]} {of(right)})"
            case ir.Extreme(op=op, set=among, optional=optional):
                return f"{_EXTREMES[op, optional]}({of(among)})"
            case ir.Card(set=among):
                return f"Cardinality({of(among)})"
            case ir.Arith(op="min" | "max" as op, left=left, right=right):
                return f"{'Smaller' if op == 'min' else 'Larger'}({of(left)}, {of(right)})"
            case ir.Arith(op=op, left=left, right=right):
                return f"({of(left)} {op} {of(right)})"
            case ir.Some(arg=arg) | ir.Unwrap(arg=arg):
                return of(arg)
            case ir.IsNone(arg=arg):
                return f"({of(arg)} = None)"
            case ir.Owner(arg=arg):
                return f"(({of(arg)} - 1) \\div {self._each(arg.type)} + 1)"
            case ir.Succ(arg=arg):
                return self._next(arg, scope)
            case ir.MakeRecord(args=args):
                assert isinstance(e.type, RecordT)
                parts = zip(e.type.fields, args, strict=True)
                return _record([f"{n} |-> {of(a)}" for (n, _), a in parts])
            case ir.Head(seq=seq):
                return f"Head({of(seq)})"
            case ir.Length(seq=seq):
                return f"Len({of(seq)})"
            case ir.Root() | ir.Key():
                raise AssertionError(f"{e!r} is no value")
            case _:
                assert_never(e)

    def _literal(self, e: ir.Lit) -> str:
        if isinstance(e.type, SortT):
            assert isinstance(e.value, int)
            return str(e.value + 1)
        return self.literal(e.type, e.value)

    def _each(self, t: Type) -> int:
        """Return how many elements of an owned sort each owner has."""
        assert isinstance(t, SortT)
        assert t.owner is not None
        elements = self.bound.elements
        return len(elements[t.name]) // max(1, len(elements[t.owner.name]))

    def _first(self, e: ir.First, scope: Scope) -> str:
        if e.owner is None:
            return "1"
        return f"(({self.text(e.owner, scope)} - 1) * {self._each(e.type)} + 1)"

    def _next(self, arg: ir.Expr, scope: Scope) -> str:
        assert isinstance(arg.type, SortT)
        text = self.text(arg, scope)
        last = f"{text} = {len(self.bound.elements[arg.type.name])}"
        if arg.type.owner is not None:
            last = f"{text} % {self._each(arg.type)} = 0"
        return f"(IF {last} THEN None ELSE {text} + 1)"

    def _field(self, e: ir.Field, scope: Scope) -> str:
        owner = self.place(e.obj, scope)
        if owner is None:
            return f"{self.text(e.obj, scope)}.{e.name}"
        path = (*owner.path, e.name)
        known = self.constants.get(path)
        text = scope.roots[owner.root][path] if known is None else known
        return f"{text}{''.join(f'[{key}]' for key in owner.keys)}"

    def _support(self, of: ir.Expr, scope: Scope) -> str:
        assert isinstance(of.type, MapT)
        key = self.names.new("k")
        default = self.literal(of.type.value, default_data(of.type.value, self.bound.elements))
        text = f"{self.text(of, scope)}[{key}] # {default}"
        return f"{{{key} \\in {self.set_of(of.type.key)} : {text}}}"

    def _in(self, elem: str, among: ir.Expr, scope: Scope) -> str:
        text = self.text(among, scope)
        if isinstance(among.type, SetT):
            return f"({elem} \\in {text})"
        at = self.names.new("i")
        return f"(\\E {at} \\in 1..Len({text}) : {text}[{at}] = {elem})"

    def _let(self, name: str, value: ir.Expr, body: ir.Expr, scope: Scope) -> str:
        process = self.place(value, scope)
        if process is not None:
            return self.text(body, scope.having(name, process))
        own = self.names.new(name)
        inside = self.text(body, scope.having(name, own))
        return f"(LET {own} == {self.text(value, scope)} IN {inside})"

    def _quantified(
        self, sign: str, binders: tuple[ir.Binder, ...], body: ir.Expr, scope: Scope
    ) -> str:
        heads = []
        for binder in binders:
            own = self.names.new(binder.name)
            heads.append(f"{sign} {own} \\in {self.text(binder.domain, scope)} : ")
            scope = scope.having(binder.name, own)
        return f"({''.join(heads)}{self.text(body, scope)})"

    def _comprehension(
        self, e: ir.Comprehension, binders: tuple[ir.Binder, ...], scope: Scope
    ) -> str:
        binder, *rest = binders
        own, among = self.names.new(binder.name), self.text(binder.domain, scope)
        scope = scope.having(binder.name, own)
        if rest:
            inside = self._comprehension(e, tuple(rest), scope)
            return f"(UNION {{{inside} : {own} \\in {among}}})"
        chosen = f"{{{own} \\in {among} : {self.text(e.cond, scope)}}}"
        if isinstance(e.elem, ir.Var) and e.elem.name == binder.name:
            return chosen
        again = self.names.new(binder.name)
        elem = self.text(e.elem, scope.having(binder.name, again))
        return f"{{{elem} : {again} \\in {chosen}}}"


def _record(parts: list[str]) -> str:
    return f"[{', '.join(parts)}]" if parts else "<<>>"
