"""Statements: from `ast` to typed IR.

An early `return` becomes the other branch of the `if` it stands in, so that bodies have one way
through.  What is called with a set gets a set of its own: a handler that changes the state must
not see its argument change with it.
"""

from __future__ import annotations

import ast

from ackproof.spec.lang import ir
from ackproof.spec.lang.ir import Binder, Expr, Span, Stmt
from ackproof.spec.lang.mutations import Mutations
from ackproof.spec.lang.parameters import parameters, scope_of
from ackproof.spec.lang.process import require
from ackproof.spec.lang.scope import known_after
from ackproof.spec.lang.types import IntT, ProcT, SetT, SortT, is_mutable, written
from ackproof.spec.lang.values import Event

__all__ = ["Statements"]

_REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.While: (
        "`while` is outside the language: nothing bounds it",
        "take one step per action, or loop over a set with `for`",
    ),
    ast.Try: (
        "exceptions are outside the language",
        "state when a step is enabled with require(condition)",
    ),
    ast.TryStar: (
        "exceptions are outside the language",
        "state when a step is enabled with require(condition)",
    ),
    ast.Raise: (
        "exceptions are outside the language",
        "state when a step is enabled with require(condition)",
    ),
    ast.With: ("`with` is outside the language", "write its effects as statements"),
    ast.Break: (
        "`break` is outside the language: iterations are parallel",
        "narrow the set that the loop ranges over",
    ),
    ast.Continue: ("`continue` is outside the language", "use `if` inside the loop"),
    ast.FunctionDef: (
        "a function inside a step is outside the language",
        "move it to the module and decorate it @helper",
    ),
    ast.ClassDef: ("a class inside a step is outside the language", "move it to the module"),
    ast.Global: ("`global` is outside the language", "declare state on a process"),
    ast.Nonlocal: ("`nonlocal` is outside the language", "declare state on a process"),
    ast.Import: ("an import inside a step is outside the language", "import at the top"),
    ast.ImportFrom: ("an import inside a step is outside the language", "import at the top"),
    ast.Delete: (
        "`del` is outside the language",
        "use discard on a set; assign the default to an entry of a map",
    ),
    ast.Match: ("`match` is outside the language", "use if and elif"),
}


class Statements(Mutations):
    """Reads the body of a step."""

    _in_loop = False

    # -- blocks and returns ---------------------------------------------------------------------

    def block(self, nodes: list[ast.stmt]) -> tuple[Stmt, ...]:
        """Return the statements of a block; locals it introduces are known until its end."""
        out: list[Stmt] = []
        with self.scope.binding(), self.scope.knowing():
            for position, node in enumerate(nodes):
                rest = nodes[position + 1 :]
                if isinstance(node, ast.If) and _returns([node]):
                    out.append(self._early_return(node, rest))
                    break
                if isinstance(node, ast.Return):
                    self._end(node, rest)
                    break
                out.extend(self.statement(node))
        return tuple(out)

    def _end(self, node: ast.Return, rest: list[ast.stmt]) -> None:
        if self._in_loop:
            raise self.error(
                node,
                "a return inside a loop is outside the language: iterations are parallel",
                "narrow the set that the loop ranges over, or use `if` inside the loop",
            )
        if node.value is not None:
            raise self.error(
                node,
                "a step returns nothing",
                "write what it decides into the state, or make it a @helper",
            )
        if rest:
            raise self.error(rest[0], "this is never reached", "remove it, or the return before it")

    def _early_return(self, node: ast.If, rest: list[ast.stmt]) -> Stmt:
        """Return a branch with what follows it moved into the sides that go on."""
        ends = [
            bool(side) and isinstance(side[-1], ast.Return) for side in (node.body, node.orelse)
        ]
        if all(ends) and rest:
            raise self.error(rest[0], "this is never reached", "remove it, or the return before it")
        then = node.body if ends[0] else node.body + rest
        orelse = node.orelse if ends[1] else node.orelse + rest
        return self._if(node, then, orelse)

    # -- statements -----------------------------------------------------------------------------

    def statement(self, node: ast.stmt) -> list[Stmt]:
        """Return what one statement becomes.

        Raises:
            SpecError: the statement is outside the language.
        """
        for kind, (problem, instead) in _REFUSED.items():
            if isinstance(node, kind):
                raise self.error(node, problem, instead)
        if isinstance(node, ast.Pass):
            return []
        if isinstance(node, ast.If):
            return self._joined(node) or [self._if(node, node.body, node.orelse)]
        if isinstance(node, ast.For):
            return [self._for(node)]
        if isinstance(node, ast.Assert):
            return [self._assert(node)]
        if isinstance(node, ast.Assign | ast.AnnAssign):
            return self._assignment(node)
        if isinstance(node, ast.AugAssign):
            return [self._augmented(node)]
        if isinstance(node, ast.Expr):
            return self._expression(node)
        raise self.error(
            node,
            f"`{ast.unparse(node).split()[0]}` is outside the language",
            "see the list of statements in the language reference",
        )

    def _assert(self, node: ast.Assert) -> Stmt:
        if node.msg is not None and not isinstance(node.msg, ast.Constant):
            raise self.error(
                node.msg, "text is outside the language", "write a plain string, or nothing"
            )
        cond = self.boolean(node.test)
        self.scope.facts |= known_after(cond, True)
        return ir.Assert(cond, span=self.scope.span(node))

    def _if(self, node: ast.If, then: list[ast.stmt], orelse: list[ast.stmt]) -> Stmt:
        cond = self.boolean(node.test)
        with self.scope.knowing(known_after(cond, True)):
            yes = self.block(then)
        with self.scope.knowing(known_after(cond, False)):
            no = self.block(orelse)
        return ir.If(cond, yes, no, span=self.scope.span(node))

    def _for(self, node: ast.For) -> Stmt:
        if node.orelse:
            raise self.error(
                node,
                "`for … else` is outside the language",
                "write the else part after the loop",
            )
        if not isinstance(node.target, ast.Name):
            raise self.error(node.target, "a loop binds one name", "loop over one set at a time")
        self._refuse_again(node.target, node.target.id)
        domain, ordered, live = self._range(node.iter)
        binder = Binder(self.scope.fresh(node.target.id), domain)
        var = ir.Var(binder.name, type=binder.type, span=self.scope.span(node.target))
        outer, self._in_loop = self._in_loop, True
        with self.scope.binding({node.target.id: var}):
            body = self.block(node.body)
        self._in_loop = outer
        return ir.For(binder, body, ordered, live=live, span=self.scope.span(node))

    def _range(self, node: ast.expr) -> tuple[Expr, bool, bool]:
        """Return the set a loop ranges over, whether in order, and whether it is not a copy."""
        if isinstance(node, ast.GeneratorExp):
            self.expr(node)
        if not (isinstance(node, ast.Call) and self.scope.static(node.func) is sorted):
            return self.members(node), False, not self.is_fresh(node)
        domain = self.members(self.only(node))
        assert isinstance(domain.type, SetT)
        elem = domain.type.elem
        if not isinstance(elem, IntT) and not (isinstance(elem, SortT) and elem.ordered):
            raise self.error(
                node,
                f"{written(elem)} has no order to sort by",
                "loop without sorted, or use an OrderedSort",
            )
        return domain, True, False

    # -- calls as statements --------------------------------------------------------------------

    def _expression(self, node: ast.Expr) -> list[Stmt]:
        call, span = node.value, self.scope.span(node)
        if isinstance(call, ast.Yield | ast.YieldFrom):
            self.expr(call)
        if isinstance(call, ast.Constant) and isinstance(call.value, str):
            return []
        if not isinstance(call, ast.Call):
            raise self.error(node, "this statement has no effect", "remove it, or assign its value")
        if self.scope.static(call.func) is require:
            if self._in_loop:
                raise self.error(
                    node,
                    "a require inside a loop is outside the language",
                    "write require(all(… for x in …)) before the loop",
                )
            return [ir.Require(self.boolean(self.only(call)), span=span)]
        if not isinstance(call.func, ast.Attribute):
            raise self.error(
                node,
                f"`{ast.unparse(call.func)}` cannot be called as a statement",
                "call a handler of a process, or require",
            )
        return [self._method_statement(call, call.func, span)]

    def _method_statement(self, call: ast.Call, func: ast.Attribute, span: Span) -> Stmt:
        if self.is_super(func.value):
            obj = self.scope.roots["self"]
            return self._step_call(call, func.attr, obj, self.bases(func.value), span)
        if func.attr == "emit":
            return self._emit(call, func, span)
        obj = self.expr(func.value)
        if isinstance(obj.type, ProcT):
            order = self.scope.registry.classes[obj.type.name].__mro__
            return self._step_call(call, func.attr, obj, order, span)
        return self._mutation(call, func, span)

    def _emit(self, call: ast.Call, func: ast.Attribute, span: Span) -> Stmt:
        if not (isinstance(func.value, ast.Name) and func.value.id == "self"):
            raise self.error(call, "a process emits for itself", "write self.emit(…)")
        argument = self.only(call)
        cls = self.scope.static(argument.func) if isinstance(argument, ast.Call) else None
        if not (isinstance(cls, type) and issubclass(cls, Event)):
            raise self.error(
                call,
                "what is emitted is an Event, written in place",
                "write self.emit(SomeEvent(…)) with class SomeEvent(Event)",
            )
        event = self.expr(argument)
        self.scope.forget()
        return ir.Emit(event, span=span)

    def _step_call(
        self, call: ast.Call, name: str, obj: Expr, order: tuple[type, ...], span: Span
    ) -> Stmt:
        assert isinstance(obj.type, ProcT)
        owner, function, mark = self.method(order, name)
        if mark is None or owner is None:
            raise self.error(
                call,
                f"{obj.type.name} has no step `{name}`",
                self.instead(obj.type, name, f"declare it in class {obj.type.name} with @handler"),
            )
        if mark.kind == "helper":
            raise self.error(
                call,
                f"the value of the helper `{name}` is not used",
                "assign it or test it, or make it a @handler",
            )
        scope, definition = scope_of(function, self.scope)
        params = parameters(scope, function, definition, method=True)
        args = self.arguments(call, params, name, "parameters")
        types = dict(params)
        given = [*zip((n for n, _ in params), call.args, strict=False)]
        for parameter, node in [*given, *((k.arg or "", k.value) for k in call.keywords)]:
            if is_mutable(types[parameter]):
                self._refuse_alias(node)
        self.scope.forget()
        return ir.Call(obj, owner.__name__, name, tuple(args), span=span)

    def _refuse_alias(self, node: ast.expr) -> None:
        """Refuse a set of the state as an argument; parameters and locals are no such sets."""
        local = isinstance(node, ast.Name) and node.id in self.scope.bound
        if not local and not self.is_fresh(node):
            raise self.error(
                node,
                "the step would be given the set itself, and see it change",
                "copy it: set(…)",
            )


def _returns(nodes: list[ast.stmt]) -> bool:
    """Tell whether a `return` stands in these statements; loops are looked into separately."""
    for node in nodes:
        if isinstance(node, ast.Return):
            return True
        if isinstance(node, ast.If) and _returns(node.body + node.orelse):
            return True
    return False
