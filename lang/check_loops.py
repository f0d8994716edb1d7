"""Pass: loops are parallel: no iteration reads what another one wrote.

A loop variable `x` splits the state: what is indexed by `x` (`self.state[x]`) belongs to the
iteration of `x`, everything else is shared.  An iteration may read and write what belongs to it.
Of what is shared it may read what no iteration writes, and write only what comes out the same in
any order: it may add elements to a set, or remove elements, but not both; it may add and discard
its own `x`, and ask whether its own `x` is a member; and it may assign a value that is the same
in every iteration.  A local that was given `x`, and a field of a record that was made of it, is `x`
as well: an observer of an event that a loop emits is given such a record.  That is why a loop can
become bit operations, a quantified formula or Python.

Python adds one rule: a set that is ranged over must not change meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from ackproof.lang import ir
from ackproof.lang.errors import SpecError
from ackproof.lang.inline import Methods, inline_method
from ackproof.lang.ir import AnyWrite, Expr, Node, Stmt
from ackproof.lang.kept import once
from ackproof.lang.places import aliases, keys_of, overlap, path_of, reads
from ackproof.lang.program import Method, ProcessDecl, Program
from ackproof.lang.types import RecordT

__all__ = ["check_loops"]


def check_loops(program: Program) -> Program:
    """Reject loops whose iterations depend on each other.

    Raises:
        SpecError: at the read or write that makes them depend.
    """
    for action in program.actions:
        once(_check_block, action.body)
    methods, looping = Methods(program), _looping(program)
    for process in program.processes:
        for method in process.methods:
            seen = process.name == program.root and _is_action(process, method)
            if not seen and (method.owner, method.name) in looping:
                once(_check_block, inline_method(methods, process, method))
    return program


def _looping(program: Program) -> set[tuple[str, str]]:
    """Return the methods, by owner and name, that have a loop or call one that has."""
    found: set[tuple[str, str]] = set()
    callers: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for method in (m for process in program.processes for m in process.methods):
        me = (method.owner, method.name)
        loops, calls = once(_loops_and_calls, method)
        if loops:
            found.add(me)
        for called in calls:
            callers.setdefault(called, set()).add(me)
    waiting = list(found)
    while waiting:
        new = callers.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _loops_and_calls(method: Method) -> tuple[bool, frozenset[tuple[str, str]]]:
    """Tell whether a method has a loop, and which methods it calls, by owner and name."""
    nodes = list(_statements(method.body))
    calls = {(node.owner, node.method) for node in nodes if isinstance(node, ir.Call)}
    return any(isinstance(node, ir.For) for node in nodes), frozenset(calls)


def _is_action(process: ProcessDecl, method: Method) -> bool:
    """Whether a method of the root process is an action, and has been looked at as such."""
    return method.kind in {"action", "fault"} and process.method(method.name) is method


def _check_block(body: Iterable[Stmt]) -> None:
    for stmt in _statements(body):
        if isinstance(stmt, ir.For):
            try:
                _Loop(stmt).check()
            except SpecError as error:
                raise _placed(error, stmt) from None


def _placed(error: SpecError, loop: ir.For) -> SpecError:
    """Return an error that says where the loop is, if what is wrong is called from elsewhere."""
    here, there = error.span, loop.span
    if here.file == there.file and here.line >= there.line:
        return error
    problem = f"{error.problem}; the loop is at {there.file}:{there.line}"
    return SpecError(here, problem, error.instead)


def _statements(body: Iterable[Stmt]) -> Iterator[Stmt]:
    """Yield statements and those inside them, in order; expressions, of which most is, are not."""
    for stmt in body:
        yield stmt
        if isinstance(stmt, ir.If):
            yield from _statements(stmt.then)
            yield from _statements(stmt.orelse)
        elif isinstance(stmt, ir.For):
            yield from _statements(stmt.body)


@dataclass
class _Loop:
    """One loop, with what its iterations do to the state."""

    loop: ir.For
    shared: list[AnyWrite] = field(default_factory=list)
    owned: list[AnyWrite] = field(default_factory=list)
    inner: set[str] = field(default_factory=set)
    locals: dict[str, Expr] = field(default_factory=dict)

    def check(self) -> None:
        """Reject the loop if the order of its iterations would tell."""
        self._collect()
        if self.loop.live:
            self._reject_live()
        for write in self.shared:
            self._check_shared(write)
        for write in self.owned:
            self._check_owned(write)
        for stmt in self._possible(self.loop.body):
            self._check_reads(stmt)

    def _collect(self) -> None:
        self.inner = {self.loop.binder.name}
        for node in _statements(self.loop.body):
            if isinstance(node, ir.Local):
                self.locals[node.name] = node.value  # a local is assigned once
                self.inner.add(node.name)
            elif isinstance(node, ir.For):
                self.inner.add(node.binder.name)
            elif isinstance(node, ir.Emit) and not self.loop.ordered:
                raise SpecError(
                    node.span,
                    "the loop emits, and nothing says in which order",
                    "loop over sorted(…)",
                )
        for node in _statements(self._possible(self.loop.body)):
            if isinstance(node, AnyWrite):
                mine = self._positions(node.place)
                (self.owned if mine else self.shared).append(node)

    # -- what belongs to an iteration -----------------------------------------------------------

    def _positions(self, place: Expr) -> frozenset[int]:
        """Return at which keys of a place the loop variable stands, counted from the process."""
        keys = list(keys_of(place))[::-1]
        return frozenset(i for i, key in enumerate(keys) if self._is_own(key))

    def _is_own(self, elem: Expr) -> bool:
        """Whether a value is the loop variable, be it by another name or in a record just made."""
        meant = self._meant(elem)
        return isinstance(meant, ir.Var) and meant.name == self.loop.binder.name

    def _meant(self, value: Expr) -> Expr:
        """Return what stands for a value: a local for what it was given, a field for its value."""
        match value:
            case ir.Var(name=name) if name in self.locals:
                return self._meant(self.locals[name])
            case ir.Field(obj=obj, name=name):
                record = self._meant(obj)
                if isinstance(record, ir.MakeRecord) and isinstance(record.type, RecordT):
                    names = [n for n, _ in record.type.fields]
                    return self._meant(record.args[names.index(name)])
            case ir.Some(arg=arg) | ir.Unwrap(arg=arg):
                return self._meant(arg)
        return value

    def _possible(self, body: Iterable[Stmt]) -> Iterator[Stmt]:
        """Yield statements without the branches for a value that is given as None, or the rest."""
        for stmt in body:
            match stmt:
                case ir.If(cond=ir.Not(arg=ir.IsNone(arg=arg))) if self._is_none(arg):
                    yield from self._possible(stmt.orelse)
                case ir.If(cond=ir.IsNone(arg=arg)) if self._is_none(arg):
                    yield from self._possible(stmt.then)
                case ir.If():
                    then, orelse = tuple(self._possible(stmt.then)), self._possible(stmt.orelse)
                    yield replace(stmt, then=then, orelse=tuple(orelse))
                case ir.For():
                    yield replace(stmt, body=tuple(self._possible(stmt.body)))
                case _:
                    yield stmt

    def _is_none(self, value: Expr) -> bool:
        meant = self._meant(value)
        return isinstance(meant, ir.Lit) and meant.value is None

    # -- writes ---------------------------------------------------------------------------------

    def _reject_live(self) -> None:
        for place in aliases(self.loop.binder.domain):
            for write in (*self.shared, *self.owned):
                if overlap(path_of(write.place), path_of(place)):
                    raise SpecError(
                        self.loop.binder.domain.span,
                        "the loop changes the set that it ranges over",
                        "loop over a copy: for x in set(…)",
                    )

    def _check_shared(self, write: AnyWrite) -> None:
        """Reject a write to shared state whose result depends on the order of iterations."""
        others = self._writes_over(write.place, self.shared)
        if len(self._writes_over(write.place, self.owned)) == 0:
            if all(self._adds_or_discards_own(w) for w in others):
                return
            if all(_grows(w) for w in others) or all(_shrinks(w) for w in others):
                return
            if len(others) == 1 and self._same_everywhere(write):
                return
        raise SpecError(
            write.span,
            "iterations write the same place, and their order would tell",
            "index it by the loop variable, or compute the value before the loop",
        )

    def _check_owned(self, write: AnyWrite) -> None:
        """Reject a write to an entry of this iteration that may be another one's as well."""
        for other in self._writes_over(write.place, self.owned):
            if not self._positions(write.place) & self._positions(other.place):
                raise SpecError(
                    write.span,
                    "iterations write the same place, and their order would tell",
                    "let the loop variable be the same key in all of them",
                )

    def _writes_over(self, place: Expr, among: list[AnyWrite]) -> list[AnyWrite]:
        return [w for w in among if overlap(path_of(w.place), path_of(place))]

    def _adds_or_discards_own(self, write: AnyWrite) -> bool:
        return isinstance(write, ir.SetAdd | ir.SetDiscard) and self._is_own(write.elem)

    def _same_everywhere(self, write: AnyWrite) -> bool:
        return isinstance(write, ir.Assign) and not any(
            isinstance(n, ir.Var) and n.name in self.inner for n in ir.walk(write)
        )

    # -- reads ----------------------------------------------------------------------------------

    def _check_reads(self, node: Node) -> None:
        for place in _reads(node):
            if self._writes_over(place, self.shared) and not self._asks_for_own(node, place):
                raise SpecError(
                    place.span,
                    "this reads what another iteration of the loop wrote",
                    "read it into a local before the loop",
                )
            for write in self._writes_over(place, self.owned):
                if not self._positions(write.place) & self._positions(place):
                    raise SpecError(
                        place.span,
                        "this reads what another iteration of the loop wrote",
                        "read only the entry of the loop variable, or copy before the loop",
                    )

    def _asks_for_own(self, node: Node, place: Expr) -> bool:
        """Whether a place is read only by asking whether the loop variable is a member."""
        writes = self._writes_over(place, self.shared)
        if not all(self._adds_or_discards_own(w) for w in writes):
            return False
        tests = [n for n in ir.walk(node) if isinstance(n, ir.In) and n.set == place]
        return (
            bool(tests)
            and all(self._is_own(t.elem) for t in tests)
            and sum(1 for r in _reads(node) if r == place) == len(tests)
        )


def _grows(write: AnyWrite) -> bool:
    return isinstance(write, ir.SetAdd) or _accumulated(write, "|") is not None


def _shrinks(write: AnyWrite) -> bool:
    return isinstance(write, ir.SetDiscard) or _accumulated(write, "-&") is not None


def _accumulated(write: AnyWrite, operators: str) -> Expr | None:
    """Return `value` where a statement is `place op= value` with one of these operators."""
    match write:
        case ir.Assign(place=place, value=ir.SetOp(op=op, left=left, right=right)):
            return right if op in operators and left == place else None
    return None


def _reads(node: Node) -> Iterator[Expr]:
    """Yield the places that a statement reads, the place it changes in place left out."""
    if isinstance(node, AnyWrite):
        for key in keys_of(node.place):
            yield from reads(key)
    match node:
        case ir.Assign():
            yield from reads(_accumulated(node, "|-&") or node.value)
        case ir.SetAdd() | ir.SetDiscard() | ir.Push():
            yield from reads(node.elem)
        case ir.Pop():
            pass
        case ir.Expr():
            yield from reads(node)
        case _:
            for child in ir.children(node):
                yield from _reads(child)
