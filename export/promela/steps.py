"""Steps in Promela: an action is an `inline` that is one `d_step`, called with its arguments.

At its beginning is all that must hold for the step to be enabled, see `guards`; then comes the body
as it runs.  SPIN has no variables that are there within a step only, so locals and the counters of
loops are variables of the model, and are 0 whenever a step has ended: they are in every state, and
make no difference between states.

A step after which an integer is out of its range is undone, since there is no such state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ackproof.export.names import Names
from ackproof.export.places import VarPath
from ackproof.export.promela.codes import Line, Value, numbers
from ackproof.export.promela.expressions import Scope, Writer
from ackproof.export.promela.guards import Guard, guard_of, places_below
from ackproof.export.promela.terms import (
    Term,
    all_of,
    bare,
    bit,
    has,
    less,
    negation,
    show,
    wrapped,
)
from ackproof.export.promela.variables import Kept, Ref, Store
from ackproof.lang import ir
from ackproof.lang.program import Action
from ackproof.lang.types import IntT, MapT, SeqT, SetT, Type, within

__all__ = ["Steps", "is_loose"]

_ROOT = "self"
_NUMBERED = re.compile(r"(\W+\d*)+$")


@dataclass
class _At:
    """Where a body is gone through.

    Args:
        scope: what names stand for.
        lines: what is written.
        indent: how far inside.
        branches: in how many branches.
        locals: the variable of each name that has one.
        counts: how often a name was wanted.
        used: the variables that are 0 again in the end.
        wanted: the names whose values are used.
        loose: the variables that may hold an integer out of its range in the end.
    """

    scope: Scope
    lines: list[str] = field(default_factory=list)
    indent: str = "    "
    branches: int = 0
    locals: dict[str, Term | Line] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    used: dict[str, None] = field(default_factory=dict)
    wanted: frozenset[str] = frozenset()
    loose: dict[VarPath, Kept] = field(default_factory=dict)

    def line(self, text: str) -> None:
        """Write a line."""
        self.lines.append(f"{self.indent}{text}")

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """What is written within is one step further inside."""
        before, self.indent = self.indent, self.indent + "   "
        yield
        self.indent = before


class Steps:
    """Writes actions.

    Args:
        writer: writes expressions.
        names: those of the model.
        budgets: what is called what is left of the budget of a fault.
        failures: what is called whether no step fails, in either way.
    """

    def __init__(
        self, writer: Writer, names: Names, budgets: dict[str, str], failures: tuple[str, str]
    ) -> None:
        self.writer, self.codes, self.budgets = writer, writer.codes, budgets
        self.names, self.failures = names, failures
        self.store = Store()
        #: The variables that are used within steps, and what they hold.
        self.locals: dict[str, tuple[int, int]] = {}
        self.may_fail = False
        #: The variables that are written, so far; and those that are to be undone.
        self.writes: dict[VarPath, Kept] = {}
        self.undone: dict[VarPath, Kept] = {}
        self._own: dict[tuple[str, int], str] = {}

    def definition(
        self, name: str, action: Action, within: str, remember: str, undo: str
    ) -> tuple[list[str], bool]:
        """Return the lines of the definition of an action, and whether it may ever be enabled.

        Args:
            name: what it is called.
            action: the action.
            within: what bounds the search, if that is not empty.
            remember: what is called before anything is changed, if that is not empty.
            undo: what is called to undo it.
        """
        at = _At(Scope({_ROOT: self.store}), wanted=frozenset(_used(action.body, set())))
        params = [self._name(p.name, at) for p in action.params]
        at.scope.values.update(zip((p.name for p in action.params), params, strict=True))
        guard = guard_of(action.body, self.writer, at.scope.values, _ROOT)
        demands: list[Term] = [within] if within else []
        budget = self.budgets.get(action.name)
        if budget is not None:
            demands.append(f"({budget} > 0)")
        conditions = all_of(*demands, *guard.enabled)
        head = [f"/* {line} */" for line in action.doc.splitlines()[:1]]
        head.append(f"inline {name}({', '.join(params)}) {{")
        head.append(f"  d_step {{ {wrapped(conditions, 11)} ->")
        if remember:
            at.line(f"{remember}();")
        said = ", ".join(f"{p.name} = %d" for p in action.params)
        at.line(f'printf("{action.name}({said})\\n"{"".join(f", {p}" for p in params)});')
        self._failing(guard, undo, action, at)
        return [*head, *at.lines, "  }", "}"], conditions is not False

    def _failing(self, guard: Guard, undo: str, action: Action, at: _At) -> None:
        conditions = (guard.asserted, guard.undefined)
        wrong = [
            (cond, name)
            for cond, name in zip(conditions, self.failures, strict=True)
            if cond is not False
        ]
        if not wrong:
            self._done(undo, action, at)
            return
        self.may_fail = True
        at.line("if")
        for cond, name in wrong:
            at.line(f":: {bare(cond)} -> {name} = false")
        at.line(":: else ->")
        with at.deeper():
            self._done(undo, action, at)
        at.line("fi")

    def _done(self, undo: str, action: Action, at: _At) -> None:
        """Write the body, what makes it undone if a number is too large, and what then is 0."""
        budget = self.budgets.get(action.name)
        start = len(at.lines)
        if budget is not None:
            at.line(f"{budget}--;")
        before, self.writes = self.writes, {}
        self._block(action.body, at)
        written, self.writes = self.writes, before
        for name in at.used:
            at.line(f"{name} = 0;")
        if at.loose:
            self.may_fail = True
            self.undone |= written
            ranges = (self._in_range(kept) for kept in at.loose.values())
            at.line("if")
            at.line(f":: {wrapped(all_of(*ranges), 7)}")
            at.line(f":: else -> {self.failures[1]} = false; {undo}();")
            if budget is not None:
                at.line(f"   {budget}++;")
            at.line("fi;")
        if len(at.lines) == start:
            at.line("skip")

    def _in_range(self, kept: Kept) -> Term:
        """Return whether the integers in a variable are in their range."""
        assert isinstance(kept.type, IntT)
        found: list[Term] = []
        for index in range(kept.count):
            now = self.store.cell(kept, index)
            found.append(less(kept.type.lo, now, strict=False))
            found.append(less(now, kept.type.hi, strict=False))
        return all_of(*found)

    # -- variables within steps -----------------------------------------------------------------

    def _name(self, wanted: str, at: _At) -> str:
        """Return a name for what one action calls so; others may have it for the same."""
        wanted = _NUMBERED.sub("", wanted)
        number = at.counts[wanted] = at.counts.get(wanted, 0) + 1
        key = (wanted, number)
        if key not in self._own:
            self._own[key] = self.names.new(wanted)
        return self._own[key]

    def _variable(self, wanted: str, bounds: tuple[int, int], at: _At) -> str:
        """Return a variable that holds numbers from one to another within a step."""
        name = self._name(wanted, at)
        lo, hi = self.locals.get(name, (0, 0))
        self.locals[name] = min(lo, bounds[0]), max(hi, bounds[1])
        at.used[name] = None
        return name

    def _local(self, name: str, t: Type, value: Value, at: _At) -> None:
        """Give a name to a value, which is what it is now."""
        if name not in at.locals:
            if isinstance(t, SeqT):
                hi = max(0, self.codes.size(t.elem) - 1)
                slots = tuple(self._variable(name, (0, hi), at) for _ in range(t.cap))
                at.locals[name] = Line(self._variable(f"{name}_len", (0, t.cap), at), slots)
            else:
                at.locals[name] = self._variable(name, self.codes.range(t, name), at)
        own = at.locals[name]
        for place, new in zip(numbers(own), numbers(value), strict=True):
            at.line(f"{show(place)} = {bare(new)};")
        at.scope.values[name] = own

    # -- statements -----------------------------------------------------------------------------

    def _block(self, body: Iterable[ir.Stmt], at: _At) -> None:
        for stmt in body:
            self._statement(stmt, at)

    def _statement(self, stmt: ir.Stmt, at: _At) -> None:
        match stmt:
            case ir.Require() | ir.Assert() | ir.Emit():
                pass  # known to hold; and only what is left out asks for events
            case ir.Local(name=name, value=value):
                self._named(name, value, at)
            case ir.If():
                self._branches(stmt, at)
            case ir.For():
                self._loop(stmt, at)
            case ir.Assign() | ir.SetAdd() | ir.SetDiscard() | ir.Push() | ir.Pop():
                self._write(stmt, at)
            case _:
                raise AssertionError(f"{stmt!r} is not in an action")

    def _named(self, name: str, e: ir.Expr, at: _At) -> None:
        if name not in at.wanted:
            return
        process = self.writer.place(e, at.scope)
        value = process or self.writer.value(e, at.scope)
        known = isinstance(e, ir.Var) and not at.branches
        if process or isinstance(value, Ref) or known:
            at.scope.values[name] = value
            return
        self._local(name, e.type, value, at)

    def _term(self, e: ir.Expr, at: _At) -> Term:
        return self.writer.term(e, at.scope)

    def _branches(self, stmt: ir.If, at: _At) -> None:
        cond = self._term(stmt.cond, at)
        if isinstance(cond, int):
            self._block(stmt.then if cond else stmt.orelse, at)
            return
        then, orelse = self._apart(stmt.then, at), self._apart(stmt.orelse, at)
        if not then and not orelse:
            return
        if not then:
            cond, then, orelse = negation(cond), orelse, then
        at.line("if")
        at.line(f":: {bare(cond)} ->")
        at.lines += then
        if orelse:
            at.line(":: else ->")
            at.lines += orelse
        else:
            at.line(":: else")
        at.line("fi;")

    def _apart(self, body: Iterable[ir.Stmt], at: _At) -> list[str]:
        """Return the lines of statements that are executed in some cases."""
        before, at.lines = at.lines, []
        at.branches += 1
        with at.deeper():
            self._block(body, at)
        at.branches -= 1
        found, at.lines = at.lines, before
        return found

    def _loop(self, stmt: ir.For, at: _At) -> None:
        binder = stmt.binder
        domain = self._domain(binder, at)
        if domain is None:
            return
        size = self.codes.size(binder.type)
        if size == 1:
            at.scope.values[binder.name] = self.codes.value(binder.type, 0)
            self._where(domain(0), stmt.body, at)
            return
        own = self._variable(binder.name, (0, size), at)
        at.scope.values[binder.name] = self.codes.value(binder.type, own)
        with at.deeper():
            body = self._inside(domain(own), stmt.body, at)
        if not body:
            return
        at.line(f"{own} = 0;")
        at.line("do")
        at.line(f":: {own} < {size} ->")
        at.lines += body
        with at.deeper():
            at.line(f"{own}++")
        at.line(":: else -> break")
        at.line("od;")

    def _inside(self, member: Term, body: Iterable[ir.Stmt], at: _At) -> list[str]:
        before, at.lines = at.lines, []
        self._where(member, body, at)
        found, at.lines = at.lines, before
        return found

    def _where(self, cond: Term, body: Iterable[ir.Stmt], at: _At) -> None:
        """Write statements that are executed where a condition holds."""
        if cond is True:
            self._block(body, at)
        elif cond is not False:
            inside = self._apart(body, at)
            if inside:
                at.line("if")
                at.line(f":: {bare(cond)} ->")
                at.lines += inside
                at.line(":: else")
                at.line("fi;")

    def _domain(self, binder: ir.Binder, at: _At) -> Callable[[Term], Term] | None:
        """Return what says whether a value is among those that a loop goes through."""
        if isinstance(binder.domain, ir.Universe):
            return (lambda code: True) if self.codes.size(binder.type) else None
        mask = self._term(binder.domain, at)
        if isinstance(mask, int):
            return (lambda code: has(mask, code)) if mask else None
        among = self._variable("among", (0, self.codes.universe(binder.type)), at)
        at.line(f"{among} = {bare(mask)};")
        return lambda code: has(among, code)

    # -- writes ---------------------------------------------------------------------------------

    def _write(self, stmt: ir.AnyWrite, at: _At) -> None:
        ref = self.writer.ref(stmt.place, at.scope)
        if not ref.kept.count:
            return  # nobody comes here: there is no such place
        self.writes[ref.kept.variable.path] = ref.kept
        match stmt:
            case ir.Assign(value=value):
                if is_loose(stmt):
                    at.loose[ref.kept.variable.path] = ref.kept
                self._assign(ref, value, at)
            case ir.SetAdd(place=place, elem=elem):
                cell = self._cell(ref)
                code = self._code(elem, at)
                at.line(f"{cell} = {cell} | {show(bit(code))};")
            case ir.SetDiscard(place=place, elem=elem):
                assert isinstance(place.type, SetT)
                cell = self._cell(ref)
                code = self._code(elem, at)
                at.line(f"{cell} = {cell} & ~{show(bit(code))};")
            case ir.Push(elem=elem):
                index = ref.kept.index(ref.codes)
                length = self.store.length(ref.kept, index)
                code = self._code(elem, at)
                at.line(f"{self.store.slot(ref.kept, index, length)} = {bare(code)};")
                at.line(f"{length}++;")
            case ir.Pop():
                self._pop(ref, at)

    def _code(self, e: ir.Expr, at: _At) -> Term:
        return self.codes.code(e.type, self._term(e, at))

    def _cell(self, ref: Ref) -> str:
        return self.store.cell(ref.kept, ref.kept.index(ref.codes))

    def _assign(self, ref: Ref, value: ir.Expr, at: _At) -> None:
        new = None if isinstance(ref.type, MapT) else self.writer.value(value, at.scope)
        if isinstance(new, Line) and any(ref.kept.name in show(n) for n in numbers(new)):
            self._local(ref.kept.name, ref.type, new, at)  # as it is before it is written
            new = at.scope.values[ref.kept.name]
        for place in places_below(ref, self.writer):
            found = self.codes.default(place.type) if new is None else new
            old = self.store.read(place.kept, place.kept.index(place.codes))
            for cell, number in zip(numbers(old), numbers(found), strict=True):
                if cell != number:
                    at.line(f"{show(cell)} = {bare(number)};")

    def _pop(self, ref: Ref, at: _At) -> None:
        index = ref.kept.index(ref.codes)
        assert isinstance(ref.type, SeqT)
        slots = [self.store.slot(ref.kept, index, i) for i in range(ref.type.cap)]
        for one, following in zip(slots, [*slots[1:], "0"], strict=True):
            at.line(f"{one} = {following};")
        at.line(f"{self.store.length(ref.kept, index)}--;")


def is_loose(node: ir.Node) -> bool:
    """Tell whether a statement may write an integer that is out of its range."""
    if not isinstance(node, ir.Assign) or not isinstance(node.place.type, IntT):
        return False
    assert isinstance(node.value.type, IntT)
    return not within(node.value.type, node.place.type)


def _used(body: Iterable[ir.Stmt], after: set[str]) -> set[str]:
    """Return the names whose values are used in statements, or after them."""
    used = set(after)
    for stmt in reversed(tuple(body)):
        match stmt:
            case ir.Require() | ir.Assert() | ir.Emit():
                pass
            case ir.Local(name=name, value=value):
                used |= value.names if name in used else set()
            case ir.If(cond=cond, then=then, orelse=orelse):
                used = _used(then, used) | _used(orelse, used) | cond.names
            case ir.For(binder=binder, body=inside):
                used = _used(inside, used) | binder.domain.names
            case _:
                used |= stmt.names
    return used
