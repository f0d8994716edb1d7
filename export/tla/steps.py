"""Steps in TLA+: the body of an action as one formula.

A body is gone through as it runs.  What each variable is at a point is a text: at first its name,
and after a write the name of a definition, of which a `LET` has one for each write.  What must hold
for the step to be enabled is collected in the same way, and becomes a conjunction, in order, so
that TLC sees a guard before what it guards.  The two branches of an `if` are gone through one after
the other, and what they wrote becomes a choice.

A loop becomes a recursive operator on what is left of its set and on a tuple of all that its body
writes, with whether it is enabled so far.  Elements are taken in any order, since iterations do not
depend on each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from ackproof.export.places import VarPath, variables_written
from ackproof.export.tla.expressions import Process, Scope, Writer
from ackproof.lang import ir
from ackproof.lang.program import Action
from ackproof.lang.types import RecordT

__all__ = ["Steps"]

_ROOT = "self"
_AND = " /\\ "


@dataclass
class _At:
    """Where a body is gone through: what is known there.

    Args:
        values: what names stand for.
        now: what variables are, as text.
        lets: the definitions so far.
        demands: what must hold for the step to be enabled, in order.
    """

    values: dict[str, str | Process]
    now: dict[VarPath, str]
    lets: list[str] = field(default_factory=list)
    demands: list[str] = field(default_factory=list)

    @property
    def scope(self) -> Scope:
        """What names stand for."""
        return Scope({_ROOT: self.now}, self.values)

    @property
    def enabled(self) -> str:
        """Whether the step is enabled as far as is known."""
        return f"({_AND.join(self.demands)})" if self.demands else "TRUE"

    def branch(self) -> _At:
        """Return the same, for a branch: definitions are common, demands are its own."""
        return replace(self, values=dict(self.values), now=dict(self.now), demands=[])


class Steps:
    """Writes actions.

    Args:
        writer: writes expressions.
        variables: what the variables are called, in the order of the module.
        budgets: what is called what is left of the budget of a fault.
    """

    def __init__(
        self, writer: Writer, variables: dict[VarPath, str], budgets: dict[str, str]
    ) -> None:
        self.writer, self.variables, self.budgets = writer, variables, budgets

    def definition(self, name: str, action: Action) -> Iterator[str]:
        """Yield the lines of the definition of an action."""
        self.writer.begin()
        params = [self.writer.names.new(p.name) for p in action.params]
        values: dict[str, str | Process] = dict(
            zip((p.name for p in action.params), params, strict=True)
        )
        at = _At(values, dict(self.variables))
        self._block(action.body, at)
        for path, own in self.variables.items():
            if at.now[path] != own:
                at.now[path] = _inlined(at.now[path], at)
        head = f"{name}({', '.join(params)})" if params else name
        if action.doc:
            yield f"\\* {action.doc.splitlines()[0]}"
        yield f"{head} =="
        if at.lets:
            yield "  LET"
            yield from (f"    {line}" for text in at.lets for line in text.splitlines())
            yield "  IN"
        yield from (f"  /\\ {_as_a_whole(demand)}" for demand in at.demands)
        budget = self.budgets.get(action.name)
        if budget is not None:
            yield f"  /\\ {budget} > 0 /\\ {budget}' = {budget} - 1"
        written = [path for path, own in self.variables.items() if at.now[path] != own]
        yield from (f"  /\\ {self.variables[path]}' = {at.now[path]}" for path in written)
        kept = [own for path, own in self.variables.items() if path not in written]
        kept += [own for own in self.budgets.values() if own != budget]
        if kept:
            yield f"  /\\ UNCHANGED <<{', '.join(kept)}>>"

    # -- statements -----------------------------------------------------------------------------

    def _block(self, body: Iterable[ir.Stmt], at: _At) -> None:
        for stmt in body:
            self._statement(stmt, at)

    def _statement(self, stmt: ir.Stmt, at: _At) -> None:
        match stmt:
            case ir.Require(cond=cond):
                at.demands.append(self.writer.text(cond, at.scope))
            case ir.Assert(cond=cond):
                where = f"{stmt.span.file}:{stmt.span.line}"
                at.demands.append(f'Assert({self.writer.text(cond, at.scope)}, "{where}")')
            case ir.Local(name=name, value=value):
                process = self.writer.place(value, at.scope)
                at.values[name] = process or self._let(name, self.writer.text(value, at.scope), at)
            case ir.If():
                self._branches(stmt, at)
            case ir.For():
                self._loop(stmt, at)
            case ir.Emit():
                pass  # observers are written where an event is emitted; nobody else sees it here
            case ir.Assign() | ir.SetAdd() | ir.SetDiscard() | ir.Push() | ir.Pop():
                self._write(stmt, at)
            case _:
                raise AssertionError(f"{stmt!r} is not in an action")

    def _let(self, wanted: str, text: str, at: _At) -> str:
        name = self.writer.names.new(wanted)
        at.lets.append(f"{name} == {text}")
        return name

    def _write(self, stmt: ir.AnyWrite, at: _At) -> None:
        path, keys = self._target(stmt.place, at)
        old = "@" if keys else at.now[path]
        new = self._value(stmt, old, at)
        if keys:
            new = f"[{at.now[path]} EXCEPT !{''.join(keys)} = {new}]"
        at.now[path] = self._let(f"{self.variables[path]}_", new, at)

    def _value(self, stmt: ir.AnyWrite, old: str, at: _At) -> str:
        """Return what a place becomes, which was `old`."""
        match stmt:
            case ir.Assign(value=value):
                return self.writer.text(value, at.scope)
            case ir.SetAdd(elem=elem):
                return f"({old} \\cup {{{self.writer.text(elem, at.scope)}}})"
            case ir.SetDiscard(elem=elem):
                return f"({old} \\ {{{self.writer.text(elem, at.scope)}}})"
            case ir.Push(elem=elem):
                return f"Append({old}, {self.writer.text(elem, at.scope)})"
            case ir.Pop():
                return f"Tail({old})"

    def _target(self, place: ir.Expr, at: _At) -> tuple[VarPath, list[str]]:
        """Return the variable that a place lies in, and how to come to the place from there."""
        match place:
            case ir.Index(obj=obj, key=key):
                path, keys = self._target(obj, at)
                return path, [*keys, f"[{self.writer.text(key, at.scope)}]"]
            case ir.Field(obj=obj, name=name) if isinstance(obj.type, RecordT):
                path, keys = self._target(obj, at)
                return path, [*keys, f".{name}"]
            case ir.Field(obj=obj, name=name):
                owner = self.writer.place(obj, at.scope)
                assert owner is not None
                return (*owner.path, name), [f"[{key}]" for key in owner.keys]
        raise AssertionError(f"{place!r} is no place")

    def _branches(self, stmt: ir.If, at: _At) -> None:
        cond = self._let("c", self.writer.text(stmt.cond, at.scope), at)
        then, orelse = at.branch(), at.branch()
        self._block(stmt.then, then)
        self._block(stmt.orelse, orelse)
        if then.demands or orelse.demands:
            at.demands.append(f"(IF {cond} THEN {then.enabled} ELSE {orelse.enabled})")
        for name in [n for n in then.values if n in orelse.values and n not in at.values]:
            one, other = then.values[name], orelse.values[name]
            at.values[name] = self._let(name, f"IF {cond} THEN {one} ELSE {other}", at)
        for path, text in at.now.items():
            one, other = then.now[path], orelse.now[path]
            if (one, other) != (text, text):
                chosen = f"IF {cond} THEN {one} ELSE {other}"
                at.now[path] = self._let(f"{self.variables[path]}_", chosen, at)

    def _loop(self, stmt: ir.For, at: _At) -> None:
        written = list(dict.fromkeys(variables_written(stmt.body, at.values)))
        loop, left, so_far, own = (
            self.writer.names.new(n) for n in ("loop", "left", "so", stmt.binder.name)
        )
        inside = at.branch()
        inside.lets = []
        inside.values[stmt.binder.name] = own
        for number, path in enumerate(written, start=1):
            inside.now[path] = f"{so_far}[{number}]"
        self._block(stmt.body, inside)
        flag = f"{so_far}[{len(written) + 1}]"
        results = ", ".join([*(inside.now[path] for path in written), "TRUE"])
        result = f"<<{results}>>"
        if inside.demands:
            failed = f"[{so_far} EXCEPT ![{len(written) + 1}] = FALSE]"
            result = f"IF {inside.enabled} THEN {result} ELSE {failed}"
        lets = "".join(f"\n      {line}" for text in inside.lets for line in text.splitlines())
        some = self.writer.names.new("y")
        at.lets.append(
            f"RECURSIVE {loop}(_, _)\n"
            f"{loop}({left}, {so_far}) ==\n"
            f"  IF {left} = {{}} \\/ ~{flag} THEN {so_far} ELSE\n"
            f"  LET\n"
            f"      {own} == CHOOSE {some} \\in {left} : TRUE{lets}\n"
            f"  IN {loop}({left} \\ {{{own}}}, {result})"
        )
        before = ", ".join([*(at.now[path] for path in written), "TRUE"])
        over = self.writer.text(stmt.binder.domain, at.scope)
        after = self._let("after", f"{loop}({over}, <<{before}>>)", at)
        if inside.demands:
            at.demands.append(f"{after}[{len(written) + 1}]")
        for number, path in enumerate(written, start=1):
            at.now[path] = f"{after}[{number}]"


def _as_a_whole(demand: str) -> str:
    """Return a demand so that TLC does not take a step for each of its disjuncts that is true."""
    return f"{demand} = TRUE" if "\\/" in demand or "\\E" in demand else demand


def _inlined(name: str, at: _At) -> str:
    """Return what a name stands for, if it stands nowhere else; then its definition is gone."""
    head = f"{name} == "
    defined = next((text for text in at.lets if text.startswith(head)), None)
    others = [*at.lets, *at.demands, *at.now.values()]
    uses = sum(len(re.findall(rf"\b{re.escape(name)}\b", text)) for text in others)
    if defined is None or uses > 2:  # there, and where it is defined
        return name
    at.lets.remove(defined)
    return defined.removeprefix(head)
