"""The mistakes that can be made in one method: each is one edit of its syntax tree.

A statement is left out, or an update is turned round; a condition is weakened, turned round, or
decided once and for all; a value is taken for the one beside it.  An edit that leaves a text which
another edit has left already is not made twice.
"""

from __future__ import annotations

import ast
import copy
import enum
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

from ackproof.model.mutation.places import Place, Surroundings, is_local

__all__ = ["Edit", "edited", "edits_of"]

T = TypeVar("T", bound=ast.AST)

#: What takes the place of a node: another one, or statements.
New = ast.expr | ast.comprehension | list[ast.stmt]


@dataclass(frozen=True)
class Edit:
    """One mistake.

    Args:
        node: the node that is replaced.
        new: what takes its place.
        what: the mistake in words.
    """

    node: ast.AST
    new: New
    what: str


_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.In: ast.NotIn,
    ast.Is: ast.IsNot,
    ast.NotEq: ast.Eq,
    ast.NotIn: ast.In,
    ast.IsNot: ast.Is,
}

#: Comparisons that are off by one.
_BESIDE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}

_OTHER_WRITE = {"add": "discard", "discard": "add"}
_OTHER_CALL = {"any": "all", "all": "any", "min": "max", "max": "min"}


def edited(tree: T, edit: Edit) -> T:
    """Return a copy of a function, or of a part of one, with a mistake in it."""
    known: dict[int, ast.AST] = {}
    new = copy.deepcopy(tree, known)
    _Replace(known[id(edit.node)], copy.deepcopy(edit.new)).visit(new)
    for node in ast.walk(new):
        if isinstance(node, ast.If | ast.For | ast.FunctionDef) and not node.body:
            node.body = [ast.Pass()]
    return ast.fix_missing_locations(new)


class _Replace(ast.NodeTransformer):
    """Puts something in the place of one node."""

    def __init__(self, node: ast.AST, new: New) -> None:
        self._node = node
        self._new = new

    def visit(self, node: ast.AST) -> ast.AST:
        found: ast.AST = self._new if node is self._node else super().visit(node)  # type: ignore[assignment]
        return found


def edits_of(place: Place, around: Surroundings) -> Iterator[Edit]:
    """Yield the mistakes that can be made in a method, in the order of its text."""
    _, function = place.source
    edits = _Edits(place, around)
    texts = [ast.unparse(statement) for statement in function.body]
    seen = {tuple(texts)}
    for number, statement in enumerate(function.body):
        for edit in edits.of(statement, function):
            # What is not in this statement stays as it is, and need not be copied.
            new = ast.unparse(edited(ast.Module([statement], []), edit))
            text = (*texts[:number], *([new] if new else []), *texts[number + 1 :])
            if text not in seen:
                seen.add(text)
                yield edit


class _Edits:
    """The edits of the statements of one method, and of the expressions in them."""

    def __init__(self, place: Place, around: Surroundings) -> None:
        self._place = place
        self._around = around

    def of(self, statement: ast.stmt, function: ast.FunctionDef) -> Iterator[Edit]:
        """Yield those of a statement of a function."""
        returns = function.returns
        answers = isinstance(returns, ast.Name) and returns.id == "bool"
        yield from self._statement(statement, answers=answers)

    # -- statements -----------------------------------------------------------------------------

    def _statement(self, node: ast.stmt, *, answers: bool) -> Iterator[Edit]:
        if self._around.is_idle(node, self._place.process) and not is_local(node):
            return
        match node:
            case ast.Expr(value=ast.Call() as call):
                yield from self._call(node, call)
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield _dropped(node)
            case ast.AugAssign():
                yield from _updated(node)
            case ast.If():
                yield from _branched(node)
            case ast.For():
                yield _dropped(node)
            case ast.Return(value=ast.expr() as value) if answers:
                yield Edit(value, _negated(value), f"answers the opposite of `{_text(value)}`")
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                yield from self._statement(child, answers=answers)
            elif isinstance(child, ast.expr) and not isinstance(
                getattr(child, "ctx", None), ast.Store
            ):
                yield from self._expression(child)

    def _call(self, node: ast.stmt, call: ast.Call) -> Iterator[Edit]:
        yield _dropped(node)
        match call:
            case ast.Call(func=ast.Name(id="require"), args=[condition]):
                new = _negated(condition)
                yield Edit(condition, new, f"requires `{_text(new)}` for `{_text(condition)}`")
            case ast.Call(func=ast.Attribute(attr="emit")):
                yield Edit(node, [node, node], f"does `{_text(node)}` twice")
            case ast.Call(func=ast.Attribute(value=value, attr=("add" | "discard") as name)):
                other = _OTHER_WRITE[name]
                new = ast.Call(ast.Attribute(value, other, ast.Load()), call.args, call.keywords)
                yield Edit(call, new, f"has `{other}` for `{name}` in `{_text(call)}`")

    # -- expressions ----------------------------------------------------------------------------

    def _expression(self, node: ast.expr) -> Iterator[Edit]:
        yield from self._of(node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from self._expression(child)
            elif isinstance(child, ast.comprehension):
                yield from self._filters(child)
            elif isinstance(child, ast.keyword):
                yield from self._expression(child.value)

    def _of(self, node: ast.expr) -> Iterator[Edit]:
        match node:
            case ast.BoolOp():
                yield from _weakened(node)
            case ast.Compare(ops=[op]):
                yield from _compared(node, op)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield Edit(node, operand, f"has `{_text(operand)}` for `{_text(node)}`")
            case ast.BinOp():
                yield from _combined(node)
            case ast.IfExp(body=body, orelse=orelse):
                yield Edit(node, body, f"has always `{_text(body)}` of `{_text(node)}`")
                yield Edit(node, orelse, f"has always `{_text(orelse)}` of `{_text(node)}`")
            case ast.Constant(value=bool() as value):
                yield Edit(node, ast.Constant(not value), f"has {not value} for {value}")
            case ast.Constant(value=int() as value):
                for other in (value + 1, value - 1):
                    if other >= 0:
                        yield Edit(node, ast.Constant(other), f"has {other} for {value}")
            case ast.Attribute(value=ast.Name(id=name), attr=attr):
                yield from self._member(node, name, attr)
            case ast.Call():
                yield from self._called(node)

    def _member(self, node: ast.expr, name: str, attr: str) -> Iterator[Edit]:
        """Yield the edit that has the next member of an enum."""
        cls = self._place.names.get(name)
        if isinstance(cls, type) and issubclass(cls, enum.Enum):
            members = list(cls.__members__)
            other = members[(members.index(attr) + 1) % len(members)]
            new = ast.Attribute(ast.Name(name, ast.Load()), other, ast.Load())
            yield Edit(node, new, f"has `{name}.{other}` for `{name}.{attr}`")

    def _called(self, node: ast.Call) -> Iterator[Edit]:
        if isinstance(node.func, ast.Name) and node.func.id in _OTHER_CALL:
            other = _OTHER_CALL[node.func.id]
            new = ast.Call(ast.Name(other, ast.Load()), node.args, node.keywords)
            yield Edit(node, new, f"has `{other}` for `{node.func.id}` in `{_text(node)}`")
        types = self._around.parameters(node, self._place)
        if types is None or len(types) != len(node.args):
            return
        for i, j in combinations(range(len(types)), 2):
            if types[i] == types[j]:
                args = list(node.args)
                args[i], args[j] = args[j], args[i]
                new = ast.Call(node.func, args, node.keywords)
                yield Edit(node, new, f"swaps arguments: `{_text(new)}`")

    def _filters(self, node: ast.comprehension) -> Iterator[Edit]:
        for condition in node.ifs:
            rest = [c for c in node.ifs if c is not condition]
            new = ast.comprehension(node.target, node.iter, rest, node.is_async)
            yield Edit(node, new, f"drops the filter `{_text(condition)}`")
            yield from self._expression(condition)
        yield from self._expression(node.iter)


def _text(node: ast.AST) -> str:
    """Return a node on one line; of a loop, the first line."""
    text = ast.unparse(node)
    return text.partition("\n")[0] if isinstance(node, ast.For) else " ".join(text.split())


def _dropped(node: ast.stmt) -> Edit:
    return Edit(node, [], f"drops `{_text(node)}`")


def _updated(node: ast.AugAssign) -> Iterator[Edit]:
    yield _dropped(node)
    others = {ast.BitOr: ast.Sub(), ast.Sub: ast.BitOr(), ast.BitAnd: ast.Sub()}
    other = others.get(type(node.op))
    if other is not None:
        new = ast.AugAssign(node.target, other, node.value)
        yield Edit(node, [new], f"has `{_text(new)}` for `{_text(node)}`")


def _branched(node: ast.If) -> Iterator[Edit]:
    test = _text(node.test)
    new = _negated(node.test)
    yield Edit(node.test, new, f"goes by `{_text(new)}` for `{test}`")
    yield Edit(node, list(node.body), f"takes `{test}` for true")
    yield Edit(node, list(node.orelse), f"takes `{test}` for false")


def _negated(node: ast.expr) -> ast.expr:
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.Compare(left=left, ops=[op], comparators=right) if type(op) in _OPPOSITE:
            return ast.Compare(left, [_OPPOSITE[type(op)]()], right)
    return ast.UnaryOp(ast.Not(), node)


def _weakened(node: ast.BoolOp) -> Iterator[Edit]:
    for number, operand in enumerate(node.values):
        rest = [v for k, v in enumerate(node.values) if k != number]
        new = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
        yield Edit(node, new, f"drops `{_text(operand)}` from `{_text(node)}`")


def _compared(node: ast.Compare, op: ast.cmpop) -> Iterator[Edit]:
    other = {**_OPPOSITE, **_BESIDE}.get(type(op))
    if other is not None:
        new = ast.Compare(node.left, [other()], node.comparators)
        yield Edit(node, new, f"has `{_text(new)}` for `{_text(node)}`")


def _combined(node: ast.BinOp) -> Iterator[Edit]:
    match node.op:
        case ast.Sub() | ast.BitAnd() | ast.BitOr():
            yield Edit(node, node.left, f"has `{_text(node.left)}` for `{_text(node)}`")
        case ast.Add():
            new = ast.BinOp(node.left, ast.Sub(), node.right)
            yield Edit(node, new, f"has `{_text(new)}` for `{_text(node)}`")
    if isinstance(node.op, ast.BitAnd | ast.BitOr):
        yield Edit(node, node.right, f"has `{_text(node.right)}` for `{_text(node)}`")
