"""Expressions written out as the Python they came from.

A report names the smallest false part of a property, and that part may come out of a helper that
was inlined, a local, or a line that goes on for three.  So its text is made from the typed
representation rather than cut from the file: parameters of helpers appear as the arguments they
stand for, and everything is said in terms of the property's own state.

Only the text is undone that the front end did: `not (a == b)` is `a != b` again, a support is the
map again, and the condition of a comprehension goes back behind its `if`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import assert_never

from ackproof.lang import ir
from ackproof.lang.data import Elements
from ackproof.lang.types import EnumT, SetT, SortT

__all__ = ["Phrases", "base_name"]

#: Python's precedence, loosest first.
_TERNARY, _OR, _AND, _NOT, _COMPARE, _UNION, _XOR, _MEET, _SUM, _PRODUCT, _ATOM = range(11)

_BINARY = {
    "|": _UNION,
    "^": _XOR,
    "&": _MEET,
    "-": _SUM,
    "+": _SUM,
    "*": _PRODUCT,
}


def base_name(name: str) -> str:
    """Return a variable's name without the number that makes it unique."""
    return name.partition(".")[0]


_WORD = re.compile(r"\w+")

_LOOSE = (ast.BoolOp, ast.Compare, ast.BinOp, ast.IfExp, ast.UnaryOp)


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return None


def _turned(e: ir.Less | ir.Subset) -> bool:
    """Tell whether a comparison was written with `>`, which the front end turns round."""
    written = _parsed(e.span.text[e.span.column - 1 : e.span.end_column - 1])
    return (
        isinstance(written, ast.Compare)
        and len(written.ops) == 1
        and isinstance(written.ops[0], ast.Gt | ast.GtE)
    )


#: The expressions that bind as tightly as a name does.
_Atom = (
    ir.Root
    | ir.First
    | ir.Universe
    | ir.Default
    | ir.Field
    | ir.Index
    | ir.Key
    | ir.Forall
    | ir.Exists
    | ir.Comprehension
    | ir.SetLit
    | ir.Extreme
    | ir.Card
    | ir.Owner
    | ir.Succ
    | ir.MakeRecord
    | ir.Head
    | ir.Length
)


class Phrases:
    """Writes expressions out.

    Args:
        names: what stands for a variable: another name, or the text of a value.
        elements: those of each sort, in an instance.
    """

    def __init__(
        self, names: Mapping[str, str] | None = None, elements: Elements | None = None
    ) -> None:
        self.names = dict(names or {})
        self.elements = elements or {}

    def text(self, e: ir.Expr, least: int = _TERNARY) -> str:
        """Return an expression's text, in parentheses if it binds looser than `least`."""
        text, precedence = self._phrase(e)
        return text if precedence >= least else f"({text})"

    def _phrase(self, e: ir.Expr) -> tuple[str, int]:
        """Return an expression's text, and how tightly it binds."""
        assert isinstance(e, ir.AnyExpr)
        match e:
            case ir.Some() | ir.Unwrap():
                return self._phrase(e.arg)
            case ir.Support():
                return self._phrase(e.map)
            case ir.Lit():
                return self._lit(e), _ATOM
            case ir.Var():
                return self._var(e)
            case ir.Not():
                return self._not(e)
            case ir.And():
                return " and ".join(self.text(a, _NOT) for a in e.args) or "True", _AND
            case ir.Or():
                return " or ".join(self.text(a, _AND) for a in e.args) or "False", _OR
            case ir.Eq():
                return self._eq(e)
            case ir.Less() | ir.Subset():
                return self._ordered(e)
            case ir.In():
                return self._joined(e.elem, "in", e.set)
            case ir.IsNone():
                return f"{self.text(e.arg, _UNION)} is None", _COMPARE
            case ir.Let():
                return self._let(e)
            case ir.Ite():
                cond, then = self.text(e.cond, _OR), self.text(e.then, _OR)
                return f"{then} if {cond} else {self.text(e.orelse)}", _TERNARY
            case ir.SetOp() | ir.Arith():
                return self._binary(e)
            case _:
                return self._atom(e), _ATOM

    def _atom(self, e: _Atom) -> str:
        """Return the text of an expression that needs no parentheses anywhere."""
        match e:
            case ir.Root():
                return e.name
            case ir.First():
                return f"{e.type!r}.first({self.text(e.owner) if e.owner else ''})"
            case ir.Owner():
                return f"{e.arg.type!r}.owner({self.text(e.arg)})"
            case ir.Succ():
                return f"{e.arg.type!r}.succ({self.text(e.arg)})"
            case ir.Universe():
                assert isinstance(e.type, SetT)
                return repr(e.type.elem)
            case ir.Default():
                return "set()"
            case ir.Field():
                return f"{self.text(e.obj, _ATOM)}.{e.name}"
            case ir.Index():
                return f"{self.text(e.obj, _ATOM)}[{self.text(e.key)}]"
            case ir.SetLit():
                return "{" + self._list(e.elems) + "}" if e.elems else "set()"
            case ir.Comprehension():
                return "{" + self._generator(e.elem, e.binders, e.cond) + "}"
            case ir.Forall() | ir.Exists():
                return self._quantified(e)
            case ir.Extreme():
                default = ", default=None" if e.optional else ""
                return f"{e.op}({self.text(e.set)}{default})"
            case ir.Card():
                return f"len({self.text(e.set)})"
            case ir.Length():
                return f"len({self.text(e.seq)})"
            case ir.Head():
                return f"{self.text(e.seq, _ATOM)}[0]"
            case ir.MakeRecord():
                return f"{e.type!r}({self._list(e.args)})"
            case ir.Key():
                raise AssertionError("inlining replaces keys")
            case _:
                assert_never(e)

    def _joined(self, left: ir.Expr, sign: str, right: ir.Expr) -> tuple[str, int]:
        return f"{self.text(left, _UNION)} {sign} {self.text(right, _UNION)}", _COMPARE

    def _ordered(self, e: ir.Less | ir.Subset) -> tuple[str, int]:
        equal = "" if e.strict else "="
        if _turned(e):
            return self._joined(e.right, f">{equal}", e.left)
        return self._joined(e.left, f"<{equal}", e.right)

    def _list(self, items: tuple[ir.Expr, ...]) -> str:
        return ", ".join(map(self.text, items))

    def _lit(self, e: ir.Lit) -> str:
        if isinstance(e.type, EnumT):
            return f"{e.type.name}.{e.value}"
        if isinstance(e.type, SortT) and isinstance(e.value, int) and self.elements:
            return str(self.elements[e.type.name][e.value])
        return str(e.value)

    def _var(self, e: ir.Var) -> tuple[str, int]:
        text = self.names.get(e.name, base_name(e.name))
        return text, _TERNARY if isinstance(_parsed(text), _LOOSE) else _ATOM

    def _not(self, e: ir.Not) -> tuple[str, int]:
        inner = e.arg
        if isinstance(inner, ir.Eq) and self._is_empty(inner.right):
            text = self.text(inner.left, _UNION)
            return text, _UNION
        if isinstance(inner, ir.Eq):
            return self._joined(inner.left, "!=", inner.right)
        if isinstance(inner, ir.In):
            return self._joined(inner.elem, "not in", inner.set)
        if isinstance(inner, ir.IsNone):
            return f"{self.text(inner.arg, _UNION)} is not None", _COMPARE
        return f"not {self.text(inner, _NOT)}", _NOT

    def _eq(self, e: ir.Eq) -> tuple[str, int]:
        if self._is_empty(e.right):
            return f"not {self.text(e.left, _NOT)}", _NOT
        return self._joined(e.left, "==", e.right)

    def _is_empty(self, e: ir.Expr) -> bool:
        return isinstance(e, ir.SetLit) and not e.elems

    def _let(self, e: ir.Let) -> tuple[str, int]:
        before = self.names.get(e.name)
        self.names[e.name] = self.text(e.value)
        text = self.text(e.body)
        if before is None:
            del self.names[e.name]
        else:
            self.names[e.name] = before
        return text, _TERNARY

    def _binary(self, e: ir.SetOp | ir.Arith) -> tuple[str, int]:
        if e.op in {"min", "max"}:
            return f"{e.op}({self.text(e.left)}, {self.text(e.right)})", _ATOM
        level = _BINARY[e.op]
        return f"{self.text(e.left, level)} {e.op} {self.text(e.right, level + 1)}", level

    def _quantified(self, e: ir.Forall | ir.Exists) -> str:
        body, cond = split_condition(e)
        name = "all" if isinstance(e, ir.Forall) else "any"
        return f"{name}({self._generator(body, e.binders, cond)})"

    def _generator(
        self, body: ir.Expr, binders: tuple[ir.Binder, ...], cond: ir.Expr | None
    ) -> str:
        before = dict(self.names)
        always = cond is None or cond == ir.And((), type=cond.type)
        self._tell_apart(binders, (body, *(() if cond is None else (cond,))))
        clauses = " ".join(
            f"for {self.names[b.name]} in {self.text(b.domain, _OR)}" for b in binders
        )
        only = "" if cond is None or always else f" if {self.text(cond, _OR)}"
        text = f"{self.text(body)} {clauses}{only}"
        self.names = before
        return text

    def _tell_apart(self, binders: tuple[ir.Binder, ...], scope: tuple[ir.Expr, ...]) -> None:
        """Name what a generator binds so that nothing else in it is called the same.

        What a helper calls `r` may be compared with an argument that is an `r`, too.
        """
        bound = {b.name for b in binders}
        others = _free((*scope, *(b.domain for b in binders))) - bound
        taken = {w for n in others for w in _WORD.findall(self.names.get(n, base_name(n)))}
        for b in binders:
            name = self.names.get(b.name, base_name(b.name))
            while name in taken:
                name += "_"
            self.names[b.name] = name
            taken.add(name)


def _free(expressions: tuple[ir.Expr, ...]) -> set[str]:
    """Return the variables that expressions mention and do not bind."""
    named: set[str] = set()
    bound: set[str] = set()
    for node in (n for e in expressions for n in ir.walk(e)):
        if isinstance(node, ir.Var | ir.Let):
            (named if isinstance(node, ir.Var) else bound).add(node.name)
        elif isinstance(node, ir.Forall | ir.Exists | ir.Comprehension):
            bound |= {b.name for b in node.binders}
    return named - bound


def split_condition(e: ir.Forall | ir.Exists) -> tuple[ir.Expr, ir.Expr | None]:
    """Return the body of a quantifier and the condition that stood behind its `if`.

    The front end joins the two, and the joint has no place in the source.
    """
    body = e.body
    if body.span == ir.NOWHERE and isinstance(body, ir.Or | ir.And) and len(body.args) == 2:
        cond, inner = body.args
        if isinstance(e, ir.Forall) and isinstance(cond, ir.Not):
            return inner, cond.arg
        if isinstance(e, ir.Exists):
            return inner, cond
    return body, None
