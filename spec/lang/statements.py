"""Statements: from `ast` to typed IR.

Everything that Python offers to change a set, a map or a sequence is reduced to a few statements
of the IR.  An early `return` becomes the other branch of the `if` it stands in, so that bodies
have one way through.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from ackproof.spec.lang import ir
from ackproof.spec.lang.calls import Calls, parameters
from ackproof.spec.lang.ir import Binder, Expr, Span, Stmt
from ackproof.spec.lang.process import mark_of, require
from ackproof.spec.lang.scope import known_after
from ackproof.spec.lang.source import function_ast
from ackproof.spec.lang.types import (
    IntT,
    MapT,
    ProcT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    is_mutable,
)
from ackproof.spec.lang.values import Event

__all__ = ["Statements"]

_REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.While: (
        "`while` is outside the language: nothing bounds it",
        "take one step per action, or loop over a set with `for`",
    ),
    ast.Try: ("exceptions are outside the language", "state when a step is enabled with require"),
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
_AUGMENTED = {
    ast.BitOr: "|",
    ast.BitAnd: "&",
    ast.Sub: "-",
    ast.BitXor: "^",
    ast.Add: "+",
    ast.Mult: "*",
}
_UPDATES = {"update": "|", "difference_update": "-", "intersection_update": "&"}


class Statements(Calls):
    """Reads the body of a step."""

    def block(self, nodes: list[ast.stmt]) -> tuple[Stmt, ...]:
        """Return the statements of a block; locals it introduces are known until its end."""
        out: list[Stmt] = []
        before_names, before_facts = dict(self.scope.bound), self.scope.facts
        for position, node in enumerate(nodes):
            if isinstance(node, ast.If) and self._leaves(node):
                out.append(self._early_return(node, nodes[position + 1 :]))
                break
            if isinstance(node, ast.Return):
                self._end(node, nodes[position + 1 :])
                break
            out.extend(self.statement(node))
        self.scope.bound, self.scope.facts = before_names, before_facts
        return tuple(out)

    def _leaves(self, node: ast.If) -> bool:
        return any(
            isinstance(n, ast.Return)
            for part in (node.body, node.orelse)
            for s in part
            for n in ast.walk(s)
        )

    def _end(self, node: ast.Return, rest: list[ast.stmt]) -> None:
        if node.value is not None:
            self.scope.refuse(
                node,
                "a step returns nothing",
                "write what it decides into the state, or make it a @helper",
            )
        if rest:
            self.scope.refuse(
                rest[0], "this is never reached", "remove it, or the return before it"
            )

    def _early_return(self, node: ast.If, rest: list[ast.stmt]) -> Stmt:
        ends_then = bool(node.body) and isinstance(node.body[-1], ast.Return)
        ends_else = bool(node.orelse) and isinstance(node.orelse[-1], ast.Return)
        inner = [
            n
            for part in (node.body, node.orelse)
            for s in part
            for n in ast.walk(s)
            if isinstance(n, ast.Return)
        ]
        if len(inner) != int(ends_then) + int(ends_else):
            return self._if(node, node.body + rest, node.orelse + rest)
        then = node.body if ends_then else node.body + rest
        orelse = node.orelse if ends_else else node.orelse + rest
        return self._if(node, then, orelse)

    def statement(self, node: ast.stmt) -> list[Stmt]:
        """Return what one statement becomes.

        Raises:
            SpecError: the statement is outside the language.
        """
        for kind, (problem, instead) in _REFUSED.items():
            if isinstance(node, kind):
                self.scope.refuse(node, problem, instead)
        if isinstance(node, ast.Pass):
            return []
        if isinstance(node, ast.If):
            return self._conditional(node)
        if isinstance(node, ast.For):
            return [self._for(node)]
        if isinstance(node, ast.Assert):
            return [ir.Assert(self.boolean(node.test), span=self.scope.span(node))]
        if isinstance(node, ast.Assign | ast.AnnAssign):
            return self._assignment(node)
        if isinstance(node, ast.AugAssign):
            return [self._augmented(node)]
        if isinstance(node, ast.Expr):
            return self._expression_statement(node)
        self.scope.refuse(
            node,
            f"`{type(node).__name__}` is outside the language",
            "see the list of statements in the language reference",
        )

    # -- branches and loops ---------------------------------------------------------------------

    def _if(self, node: ast.If, then: list[ast.stmt], orelse: list[ast.stmt]) -> Stmt:
        cond = self.boolean(node.test)
        with self.scope.knowing(known_after(cond, True)):
            yes = self.block(then)
        with self.scope.knowing(known_after(cond, False)):
            no = self.block(orelse)
        return ir.If(cond, yes, no, span=self.scope.span(node))

    def _conditional(self, node: ast.If) -> list[Stmt]:
        joined = self._joined_locals(node)
        if not joined:
            return [self._if(node, node.body, node.orelse)]
        cond = self.boolean(node.test)
        out: list[Stmt] = []
        for name, (then, orelse) in joined.items():
            with self.scope.knowing(known_after(cond, True)):
                yes = self.expr(then)
            with self.scope.knowing(known_after(cond, False)):
                no = self.expr(orelse)
            yes, no = self._same(node, yes, no)
            value = ir.Ite(cond, yes, no, type=yes.type, span=self.scope.span(node))
            out.append(self._local(node, name, value))
        return out

    def _joined_locals(self, node: ast.If) -> dict[str, tuple[ast.expr, ast.expr]]:
        """Return locals that both branches assign, if the branches do nothing else."""
        sides: list[dict[str, ast.expr]] = []
        for part in (node.body, node.orelse):
            found: dict[str, ast.expr] = {}
            for s in part:
                if not (
                    isinstance(s, ast.Assign)
                    and len(s.targets) == 1
                    and isinstance(s.targets[0], ast.Name)
                ):
                    return {}
                found[s.targets[0].id] = s.value
            sides.append(found)
        if not sides[0] or sides[0].keys() != sides[1].keys():
            return {}
        return {name: (sides[0][name], sides[1][name]) for name in sides[0]}

    def _for(self, node: ast.For) -> Stmt:
        if node.orelse:
            self.scope.refuse(
                node, "`for … else` is outside the language", "write the else part after the loop"
            )
        if not isinstance(node.target, ast.Name):
            self.scope.refuse(node.target, "a loop binds one name", "loop over one set at a time")
        ordered = (
            isinstance(node.iter, ast.Call)
            and isinstance(node.iter.func, ast.Name)
            and self.scope.lookup(node.iter.func) is sorted
        )
        assert not ordered or isinstance(node.iter, ast.Call)
        source = self._only(node.iter) if ordered else node.iter  # type: ignore[arg-type]
        copied = ordered or isinstance(source, ast.Call | ast.SetComp | ast.BinOp)
        domain = self.iterable(source)
        assert isinstance(domain.type, SetT)
        elem = domain.type.elem
        if (
            ordered
            and not isinstance(elem, IntT)
            and not (isinstance(elem, SortT) and elem.ordered)
        ):
            self.scope.refuse(
                node.iter,
                f"{elem!r} has no order to sort by",
                "loop without sorted, or use an OrderedSort",
            )
        binder = Binder(self.scope.fresh(node.target.id), domain)
        var = ir.Var(binder.name, type=elem, span=self.scope.span(node.target))
        outer = self._in_loop
        self._in_loop = True
        with self.scope.binding({node.target.id: var}):
            body = self.block(node.body)
        self._in_loop = outer
        if not copied:
            self._refuse_live_iteration(node, domain, body)
        return ir.For(binder, body, ordered, span=self.scope.span(node))

    _in_loop = False

    def _refuse_live_iteration(self, node: ast.For, domain: Expr, body: tuple[Stmt, ...]) -> None:
        source = domain.map if isinstance(domain, ir.Support) else domain
        for inner in (n for s in body for n in ir.walk(s)):
            if isinstance(inner, ir.SetAdd | ir.SetDiscard | ir.Assign) and _within(
                inner.place, source
            ):
                self.scope.refuse(
                    node.iter,
                    "the loop changes the set that it ranges over",
                    "loop over a copy: for x in set(…)",
                )

    # -- assignments ----------------------------------------------------------------------------

    def _assignment(self, node: ast.Assign | ast.AnnAssign) -> list[Stmt]:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
        if len(targets) != 1 or node.value is None:
            self.scope.refuse(
                node,
                "one value is assigned to one place at a time",
                "write one assignment for each",
            )
        target = targets[0]
        if isinstance(target, ast.Name):
            value = self.expr(node.value)
            if is_mutable(value.type) and not _fresh(node.value):
                self.scope.refuse(
                    node.value,
                    "a second name for a set in the state would change with it",
                    "copy it: set(…)",
                )
            return [self._local(target, target.id, value)]
        if not isinstance(target, ast.Attribute | ast.Subscript):
            self.scope.refuse(
                target,
                "this is not a place that can be assigned to",
                "assign to a variable of a process, an entry of a map, or a local",
            )
        place = self.place(target)
        if isinstance(place.type, MapT):
            self.scope.refuse(
                node,
                "a map is not assigned as a whole",
                "clear it, and assign its entries in a `for` loop",
            )
        value = self.expr(node.value, place.type)
        if is_mutable(place.type) and not _fresh(node.value):
            self.scope.refuse(
                node.value, "two places of the state would share this set", "copy it: set(…)"
            )
        self._forget(place)
        return [ir.Assign(place, value, span=self.scope.span(node))]

    def _local(self, node: ast.AST, name: str, value: Expr) -> Stmt:
        if name in self.scope.bound:
            self.scope.refuse(
                node,
                f"the local `{name}` is assigned a second time",
                "give the second value a name of its own",
            )
        fresh = self.scope.fresh(name)
        span = self.scope.span(node)
        self.scope.bound[name] = ir.Var(fresh, type=value.type, span=span)
        return ir.Local(fresh, value, span=span)

    def place(self, node: ast.expr) -> Expr:
        """Return an expression that can be written to."""
        found = self.expr(node)
        if isinstance(found, ir.Unwrap):
            found = found.arg  # what is known of the old value says nothing of the new one
        root = found
        while isinstance(root, ir.Field | ir.Index):
            if isinstance(root, ir.Field) and isinstance(root.obj.type, RecordT):
                self.scope.refuse(
                    node, "a record does not change", "assign a new record with the changed field"
                )
            root = root.obj
        if not isinstance(root, ir.Root):
            self.scope.refuse(
                node, "only state can be changed, and this is a value", "start from self"
            )
        if isinstance(found.type, ProcT):
            self.scope.refuse(
                node,
                "a process is not assigned as a whole",
                "assign its variables, or call its handlers",
            )
        return found

    def _forget(self, place: Expr) -> None:
        shown = repr(place)
        self.scope.facts = frozenset(f for f in self.scope.facts if shown not in f)

    def _augmented(self, node: ast.AugAssign) -> Stmt:
        if isinstance(node.target, ast.Name):
            self.scope.refuse(
                node,
                f"the local `{node.target.id}` is assigned a second time",
                "give the second value a name of its own",
            )
        place, span = self.place(node.target), self.scope.span(node)
        op = _AUGMENTED.get(type(node.op))
        if op is not None and isinstance(place.type, SetT) and op in "|&-^":
            value = self._as_set(node.value, self.expr(node.value, place.type))
            return ir.Assign(
                place, ir.SetOp(op, place, value, type=place.type, span=span), span=span
            )
        if op is not None and isinstance(place.type, IntT) and op in "+-*":
            value = self.expr(node.value)
            if isinstance(value.type, IntT):
                return ir.Assign(place, self.arith(op, place, value, node), span=span)
        self.scope.refuse(
            node,
            f"this operator is not defined on {place.type!r}",
            "use |= &= -= ^= on sets and += -= on integers",
        )

    # -- calls as statements --------------------------------------------------------------------

    def _expression_statement(self, node: ast.Expr) -> list[Stmt]:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return []
        if not isinstance(node.value, ast.Call):
            self.scope.refuse(
                node, "this statement has no effect", "remove it, or assign its value"
            )
        call = node.value
        span = self.scope.span(node)
        if isinstance(call.func, ast.Name):
            if self.scope.lookup(call.func) is require:
                if self._in_loop:
                    self.scope.refuse(
                        node,
                        "a require inside a loop is outside the language",
                        "write require(all(… for x in …)) before the loop",
                    )
                return [ir.Require(self.boolean(self._only(call)), span=span)]
            self.scope.refuse(
                node,
                f"`{call.func.id}` cannot be called as a statement",
                "call a handler of a process, or require",
            )
        if not isinstance(call.func, ast.Attribute):
            self.scope.refuse(
                node, "only names and methods can be called", "call a handler of a process"
            )
        return self._method_statement(call, call.func, span)

    def _method_statement(self, call: ast.Call, func: ast.Attribute, span: Span) -> list[Stmt]:
        if self._is_super(func.value):
            owner = self.scope.owner
            assert owner is not None
            base = owner.__mro__[1]
            return [self._step_call(call, func.attr, self.scope.roots["self"], base, span)]
        if func.attr == "emit":
            return [self._emit(call, span)]
        obj = self.expr(func.value)
        if isinstance(obj.type, ProcT):
            cls = self.scope.registry.classes[obj.type.name]
            return [self._step_call(call, func.attr, obj, cls, span)]
        place = self.place(func.value)
        return [self._mutation(call, func.attr, place, span)]

    def _emit(self, call: ast.Call, span: Span) -> Stmt:
        event = self.expr(self._only(call))
        argument = self._only(call)
        cls = (
            self.scope.lookup(argument.func)
            if isinstance(argument, ast.Call) and isinstance(argument.func, ast.Name)
            else None
        )
        if not (isinstance(cls, type) and issubclass(cls, Event)):
            self.scope.refuse(
                call,
                "what is emitted is an Event, written in place",
                "write self.emit(SomeEvent(…)) with class SomeEvent(Event)",
            )
        return ir.Emit(event, span=span)

    def _step_call(self, call: ast.Call, name: str, obj: Expr, cls: type, span: Span) -> Stmt:
        function = getattr(cls, name, None)
        mark = mark_of(function)
        if function is None or mark is None:
            self.scope.refuse(
                call,
                f"{cls.__name__} has no step `{name}`",
                f"declare it in class {cls.__name__} with @handler",
            )
        if mark.kind == "helper":
            self.scope.refuse(
                call,
                f"the value of the helper `{name}` is not used",
                "assign it or test it, or make it a @handler",
            )
        file, definition = function_ast(function)
        owner = next(c for c in cls.__mro__ if name in vars(c))
        scope = type(self.scope)(file, self.scope.names, self.scope.registry)
        params = parameters(scope, function, definition, method=True)
        args = self.bind_arguments(call, params, name)
        self.scope.facts = frozenset(f for f in self.scope.facts if "(field" not in f)
        return ir.Call(obj, owner.__name__, name, tuple(args), span=span)

    def _mutation(self, call: ast.Call, name: str, place: Expr, span: Span) -> Stmt:
        t = place.type
        table: dict[str, Callable[[ast.Call, Expr, Span], Stmt]] = {}
        if isinstance(t, SetT):
            table = {
                "add": self._add,
                "discard": self._discard,
                "clear": self._clear,
                **dict.fromkeys(_UPDATES, self._update),
            }
        elif isinstance(t, MapT):
            table = {"clear": self._clear}
        elif isinstance(t, SeqT):
            table = {"append": self._append, "pop": self._pop, "clear": self._clear}
        if name not in table:
            usable = ", ".join(table) or "none"
            self.scope.refuse(
                call, f"`.{name}()` is not a change that {t!r} knows", f"its changes are: {usable}"
            )
        return table[name](call, place, span)

    def _add(self, call: ast.Call, place: Expr, span: Span) -> Stmt:
        assert isinstance(place.type, SetT)
        return ir.SetAdd(place, self.expr(self._only(call), place.type.elem), span=span)

    def _discard(self, call: ast.Call, place: Expr, span: Span) -> Stmt:
        assert isinstance(place.type, SetT)
        return ir.SetDiscard(place, self.expr(self._only(call), place.type.elem), span=span)

    def _clear(self, call: ast.Call, place: Expr, span: Span) -> Stmt:
        if call.args:
            self.scope.refuse(call, "clear takes no argument", "write .clear()")
        return ir.Assign(place, ir.Default(type=place.type, span=span), span=span)

    def _update(self, call: ast.Call, place: Expr, span: Span) -> Stmt:
        assert isinstance(call.func, ast.Attribute)
        op = _UPDATES[call.func.attr]
        value = self.coerce(call, self.iterable(self._only(call)), place.type)
        return ir.Assign(place, ir.SetOp(op, place, value, type=place.type, span=span), span=span)

    def _append(self, call: ast.Call, place: Expr, span: Span) -> Stmt:
        assert isinstance(place.type, SeqT)
        return ir.Push(place, self.expr(self._only(call), place.type.elem), span=span)

    def _pop(self, call: ast.Call, place: Expr, span: Span) -> Stmt:
        argument = call.args[0] if call.args else None
        if not (isinstance(argument, ast.Constant) and argument.value == 0):
            self.scope.refuse(call, "a sequence gives up its head only", "write .pop(0)")
        return ir.Pop(place, span=span)


def _within(place: Expr, source: Expr) -> bool:
    """Whether a place is `source` or an entry of it."""
    while True:
        if place == source:
            return True
        if not isinstance(place, ir.Index):
            return False
        place = place.obj


def _fresh(node: ast.expr) -> bool:
    """Whether an expression builds a new set, as opposed to naming one that exists."""
    if isinstance(node, ast.IfExp):
        return _fresh(node.body) and _fresh(node.orelse)
    return isinstance(node, ast.Set | ast.SetComp | ast.BinOp) or (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"set", "frozenset"}
    )
