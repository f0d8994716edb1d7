"""Requirements: one that is known to hold is not tested again, and what it does is written out.

A step requires what it needs, and so does each step that it calls.  Where these have been put into
it, the same condition is required again.  What a requirement has settled stays settled until
something is written that the condition speaks of.

In the end `require(c)` is `if not c: raise NotEnabled`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from ackproof.model.native.classes import CHANGES
from ackproof.model.native.trees import Transformer, walk

__all__ = ["is_pure", "raising", "without_known", "words_of", "written_by"]

#: Functions that say nothing but what their arguments say, and change nothing.
_PURE = {"all", "any", "bool", "having", "least", "len", "max", "min", "set", "sorted"}


def without_known(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a method without what is required though it is known to hold."""
    known: dict[str, frozenset[str]] = {}
    left: list[ast.stmt] = []
    for stmt in body:
        match stmt:
            case ast.Expr(value=ast.Call(func=ast.Name(id="require"), args=[cond])):
                new = [part for part in _conjuncts(cond) if ast.dump(part) not in known]
                known |= {ast.dump(part): words_of(part) for part in new if is_pure(part)}
                if new:
                    left.append(
                        ast.Expr(ast.Call(ast.Name("require", ast.Load()), [_both(new)], []))
                    )
                continue
        written = written_by(stmt)
        if written is None:
            known.clear()
        else:
            known = {text: words for text, words in known.items() if not words & written}
        left.append(stmt)
    return left


def _conjuncts(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        for value in node.values:
            yield from _conjuncts(value)
    else:
        yield node


def words_of(node: ast.AST) -> frozenset[str]:
    """Return the names and attributes that an expression speaks of."""
    names = {n.id for n in walk(node) if isinstance(n, ast.Name)}
    return frozenset(names | {n.attr for n in walk(node) if isinstance(n, ast.Attribute)})


def is_pure(node: ast.AST) -> bool:
    """Tell whether an expression reads no more than what it names."""
    return all(_says_all(call) for call in walk(node) if isinstance(call, ast.Call))


def _says_all(call: ast.Call) -> bool:
    match call.func:
        case ast.Name(id=name):
            return name in _PURE
        case ast.Attribute(value=ast.Name(id=name)):
            return name[:1].isupper()  # of a sort: `Msg.owner(msg)`
    return False


def written_by(stmt: ast.stmt) -> set[str] | None:
    """Return the names and attributes that a statement may give a value; None if any of them."""
    found: set[str] = set()
    for node in walk(stmt):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                found.add(name)
            case ast.Subscript(ctx=ast.Store()):
                found.add(_variable(node))
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr=name))):
                if _is_told(target):
                    continue
                if name not in CHANGES:
                    return None  # a step, which may write anything; a helper writes nothing
                found.add(_variable(target))
    return found


def _is_told(target: ast.expr) -> bool:
    """Tell whether something is what a program is told by, which changes nothing (`waking`)."""
    match target:
        case ast.Attribute(value=ast.Name(id="self"), attr="wake"):
            return True
    return False


def _variable(node: ast.expr) -> str:
    """Return the name of the variable that holds what is at a place."""
    match node:
        case ast.Subscript(value=inner):
            return _variable(inner)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


class _Raising(Transformer):
    """Writes a requirement as what it does: if it does not hold, the step is not enabled.

    What is required of all of something is looked at in a loop, since a generator costs more than
    it looks at.
    """

    def __init__(self, tree: ast.FunctionDef) -> None:
        self._names = Counter(_named(tree))

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        match node.value:
            case ast.Call(func=ast.Name(id="require"), args=[cond]):
                return [stmt for part in _together(cond) for stmt in self._required(part)]
        return node

    def _required(self, cond: ast.expr) -> list[ast.stmt]:
        stop = ast.Raise(ast.Name("NotEnabled", ast.Load()), None)
        match cond:
            case ast.Constant(value=value) if not value:
                return [stop]
            case ast.Call(func=ast.Name(id="all"), args=[ast.GeneratorExp() as asked]):
                if not self._elsewhere(asked):
                    return self._looped(asked)
        return [ast.If(_negated(cond), [stop], [])]

    def _elsewhere(self, asked: ast.GeneratorExp) -> bool:
        """Tell whether a name of a generator stands for something outside of it, too."""
        own = Counter(_named(asked))
        targets = {n.id for one in asked.generators for n in _stored(one.target)}
        return any(self._names[name] != own[name] for name in targets)

    def _looped(self, asked: ast.GeneratorExp) -> list[ast.stmt]:
        body = self._required(asked.elt)
        for one in reversed(asked.generators):
            for cond in reversed(one.ifs):
                body = [ast.If(cond, body, [])]
            body = [ast.For(one.target, one.iter, body, [], lineno=0)]
        return body


def _together(cond: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of a condition: what is required of all of something, and what is between."""
    rest: list[ast.expr] = []
    for part in _conjuncts(cond):
        if isinstance(part, ast.Call) and ast.unparse(part.func) == "all":
            if rest:
                yield _both(rest)
            rest = []
            yield part
        else:
            rest.append(part)
    if rest:
        yield _both(rest)


def _both(parts: list[ast.expr]) -> ast.expr:
    return parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)


def _named(tree: ast.AST) -> Iterator[str]:
    for node in walk(tree):
        if isinstance(node, ast.Name | ast.arg):
            yield node.id if isinstance(node, ast.Name) else node.arg


def _stored(target: ast.expr) -> list[ast.Name]:
    return [node for node in walk(target) if isinstance(node, ast.Name)]


def raising(tree: ast.FunctionDef) -> ast.FunctionDef:
    """Return a method that raises `NotEnabled` itself where a requirement does not hold."""
    found: ast.FunctionDef = _Raising(tree).visit(tree)
    return found


_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


def _negated(node: ast.expr) -> ast.expr:
    """Return the opposite of a condition, of which only the truth is asked."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return inner
        case ast.Call(func=ast.Name(id="bool"), args=[inner]):
            return _negated(inner)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPPOSITES:
            return ast.Compare(left, [_OPPOSITES[type(op)]()], [right])
        case ast.BoolOp(op=ast.And(), values=values):
            return ast.BoolOp(ast.Or(), [_negated(value) for value in values])
        case ast.BoolOp(op=ast.Or(), values=values):
            return ast.BoolOp(ast.And(), [_negated(value) for value in values])
    return ast.UnaryOp(ast.Not(), node)
