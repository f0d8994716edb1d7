"""Expressions in Promela.

Promela has no quantifier: what is said of all of something is said of each, one after the other.
What is said of an element only by the sets that it is in is said of all at once, by operations on
the bits of sets.  A set is written out only where it is wanted as a whole: where it is asked
whether something is in it, only that is written.

Nor is there a name for a value in an expression: it is written wherever it is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import assert_never

from ackproof.export.places import Place, VarPath, place_of
from ackproof.export.promela.codes import BITS, Codes, Line, Value, some
from ackproof.export.promela.terms import (
    Term,
    add,
    all_of,
    any_of,
    bit,
    both,
    choose,
    count,
    divide,
    equal,
    first_of,
    has,
    last_of,
    less,
    negation,
    rest_of,
    set_of,
    sub,
    times,
    union,
    without,
    xor,
)
from ackproof.export.promela.variables import Ref, State, Variables
from ackproof.lang import ir
from ackproof.lang.errors import BindError
from ackproof.lang.types import BoolT, EnumT, MapT, OptionT, RecordT, SeqT, SetT, SortT

__all__ = ["Process", "Scope", "Writer"]

#: How often something is said of a value of a variable that is bound, in a whole model.
_MOST = 1_000_000

#: A process: members of families are terms.
Process = Place[Term]


@dataclass
class Scope:
    """What names stand for.

    Args:
        roots: for each root its state.
        values: what parameters, locals and bound variables are.
    """

    roots: Mapping[str, State]
    values: dict[str, Value | Process] = field(default_factory=dict)

    def having(self, name: str, value: Value | Process) -> Scope:
        """Return a scope with one more name."""
        return replace(self, values={**self.values, name: value})


class Writer:
    """Writes expressions of a bound program.

    Args:
        codes: says what stands for a value.
        variables: those of the model.
    """

    def __init__(self, codes: Codes, variables: Variables) -> None:
        self.codes, self.variables = codes, variables
        self._path: Term = True
        self._undefined: list[Term] | None = None
        self._bound = 0

    @contextmanager
    def collecting(self, path: Term) -> Iterator[list[Term]]:
        """Collect when something is undefined, of what is written where a condition holds."""
        before = self._path, self._undefined
        found: list[Term] = []
        self._path, self._undefined = path, found
        try:
            yield found
        finally:
            self._path, self._undefined = before

    @contextmanager
    def _under(self, cond: Term) -> Iterator[None]:
        before = self._path
        if self._undefined is not None:
            self._path = all_of(before, cond)
        yield
        self._path = before

    def _fail_unless(self, cond: Term) -> None:
        if self._undefined is not None:
            self._undefined.append(all_of(self._path, negation(cond)))

    # -- places --------------------------------------------------------------------------------

    def place(self, e: ir.Expr, scope: Scope) -> Process | None:
        """Return the process, or family of processes, that an expression is, if it is one."""
        return place_of(e, scope.values, lambda key: self.term(key, scope))

    def ref(self, e: ir.Expr, scope: Scope) -> Ref:
        """Return the place that an expression is, or the map."""
        match e:
            case ir.Field(obj=obj, name=name):
                owner = self.place(obj, scope)
                assert owner is not None
                path: VarPath = (*owner.path, name)
                return Ref(owner.root, self.variables.kept[path], owner.keys)
            case ir.Index(obj=obj, key=key):
                return self.ref(obj, scope).at(self._code(key, scope))
            case ir.Var(name=name):
                found = scope.values[name]
                assert isinstance(found, Ref)
                return found
        raise AssertionError(f"{e!r} is no place")

    def _code(self, e: ir.Expr, scope: Scope) -> Term:
        return self.codes.code(e.type, self.term(e, scope))

    # -- expressions ---------------------------------------------------------------------------

    def term(self, e: ir.Expr, scope: Scope) -> Term:
        """Return an expression that is one number."""
        found = self.value(e, scope)
        assert isinstance(found, int | str), e
        return found

    def value(self, e: ir.Expr, scope: Scope) -> Value:
        """Return an expression."""
        assert isinstance(e, ir.AnyExpr)

        def of(part: ir.Expr) -> Term:
            return self.term(part, scope)

        match e:
            case ir.Lit():
                return e.value if isinstance(e.type, SortT) else self.codes.data(e.type, e.value)
            case ir.Var(name=name):
                return scope.values[name]
            case ir.First(owner=owner):
                return 0 if owner is None else times(of(owner), self.codes.each(e.type))
            case ir.Universe():
                assert isinstance(e.type, SetT)
                return self.codes.universe(e.type.elem)
            case ir.Default():
                return self.codes.default(e.type)
            case ir.Field(obj=obj, name=name) if isinstance(obj.type, RecordT):
                return self.codes.field(obj.type, of(obj), name)
            case ir.Field() | ir.Index():
                return self.variables.load(self.ref(e, scope), scope.roots)
            case ir.Support(map=m):
                assert isinstance(e.type, SetT)
                size = self.codes.size(e.type.elem)
                return set_of((i, self._supports(m, i, scope)) for i in range(size))
            case ir.Not(arg=arg):
                return negation(of(arg))
            case ir.And(args=args):
                return self._in_order(args, scope, all_of, lambda so_far: so_far)
            case ir.Or(args=args):
                return self._in_order(args, scope, any_of, negation)
            case ir.Eq(left=left, right=right):
                return self._equal(self.value(left, scope), self.value(right, scope), scope)
            case ir.Less(left=ir.Lit(value=0), right=ir.Length() | ir.Card() as right, strict=True):
                return negation(equal(of(right), 0))
            case ir.Less(left=left, right=right, strict=strict) if isinstance(left.type, SortT):
                return less(of(left), of(right), strict=strict, least=0)
            case ir.Less(left=left, right=right, strict=strict):
                return less(of(left), of(right), strict=strict)
            case ir.In(elem=elem, set=among):
                return self._member(of(elem), among, scope)
            case ir.Subset(left=left, right=right, strict=strict):
                return self._subset(left, right, strict, scope)
            case ir.Ite(cond=cond, then=then, orelse=orelse):
                return self._chosen(of(cond), then, orelse, scope)
            case ir.Let(name=name, value=value, body=body):
                named = self.place(value, scope) or self.value(value, scope)
                return self.value(body, scope.having(name, named))
            case ir.Forall(binders=binders, body=body):
                return self._quantified(binders, body, scope, every=True)
            case ir.Exists(binders=binders, body=body):
                return self._quantified(binders, body, scope, every=False)
            case ir.Comprehension():
                return self._collected(e, e.binders, True, scope)
            case ir.SetLit(elems=elems):
                found: Term = 0
                for elem in elems:
                    found = union(found, bit(self._code(elem, scope)))
                return found
            case ir.SetOp():
                return self._operation(e, scope)
            case ir.Extreme():
                return self._extreme(e, scope)
            case ir.Card(set=among):
                assert isinstance(among.type, SetT)
                return count(of(among), self.codes.size(among.type.elem))
            case ir.Arith(op="min" | "max" as op, left=left, right=right):
                return _either_end(op, of(left), of(right))
            case ir.Arith(op=op, left=left, right=right):
                return {"+": add, "-": sub, "*": times}[op](of(left), of(right))
            case ir.Some(arg=arg):
                return some(of(arg))
            case ir.Unwrap(arg=arg):
                found = of(arg)
                known = isinstance(found, int) and isinstance(e.type, BoolT)
                return bool(found) if known else found
            case ir.IsNone(arg=arg):
                assert isinstance(arg.type, OptionT)
                return equal(of(arg), self.codes.none(arg.type))
            case ir.Owner(arg=arg):
                return divide(of(arg), self.codes.each(arg.type))
            case ir.Succ(arg=arg):
                return self._next(arg, scope)
            case ir.MakeRecord(args=args):
                assert isinstance(e.type, RecordT)
                return self.codes.record(e.type, tuple(map(of, args)))
            case ir.Head(seq=seq):
                line = self.value(seq, scope)
                assert isinstance(line, Line)
                self._fail_unless(negation(equal(line.length, 0)))
                return self.codes.value(e.type, line.slots[0])
            case ir.Length(seq=seq):
                line = self.value(seq, scope)
                assert isinstance(line, Line)
                return line.length
            case ir.Root() | ir.Key():
                raise AssertionError(f"{e!r} is no value")
            case _:
                assert_never(e)

    # -- truth ---------------------------------------------------------------------------------

    def _in_order(
        self,
        args: tuple[ir.Expr, ...],
        scope: Scope,
        join: Callable[..., Term],
        going_on: Callable[[Term], Term],
    ) -> Term:
        """Return conditions joined; one is looked at only where those before do not decide."""
        found: list[Term] = []
        for arg in args:
            with self._under(going_on(join(*found))):
                found.append(self.term(arg, scope))
            if isinstance(join(*found), int) and join(*found) is not join():
                break
        return join(*found)

    def _chosen(self, cond: Term, then: ir.Expr, orelse: ir.Expr, scope: Scope) -> Value:
        if isinstance(cond, int):
            return self.value(then if cond else orelse, scope)
        with self._under(cond):
            one = self.value(then, scope)
        with self._under(negation(cond)):
            other = self.value(orelse, scope)
        return self.codes.choose(cond, one, other)

    def _equal(self, a: Value, b: Value, scope: Scope) -> Term:
        if not isinstance(a, Ref):
            return self.codes.equal(a, b)
        t = a.type
        assert isinstance(t, MapT)
        pairs = ((a.at(i), b.at(i)) for i in range(self.codes.size(t.key)))
        load, roots = self.variables.load, scope.roots
        return all_of(*(self._equal(load(x, roots), load(y, roots), scope) for x, y in pairs))

    def _subset(self, left: ir.Expr, right: ir.Expr, strict: bool, scope: Scope) -> Term:
        assert isinstance(left.type, SetT)
        one, other = self.term(left, scope), self.term(right, scope)
        inside = equal(without(one, other, self.codes.universe(left.type.elem)), 0)
        return all_of(inside, negation(equal(one, other))) if strict else inside

    # -- membership ----------------------------------------------------------------------------

    def _member(self, elem: Term, among: ir.Expr, scope: Scope) -> Term:
        """Return whether a value is in a set or in a sequence."""
        if isinstance(among.type, SeqT):
            line = self.value(among, scope)
            code = self.codes.code(among.type.elem, elem)
            slots = enumerate(line.slots)
            return any_of(
                *(all_of(less(i, line.length, strict=True), equal(slot, code)) for i, slot in slots)
            )
        assert isinstance(among.type, SetT)
        t = among.type.elem
        code = self.codes.code(t, elem)
        match among:
            case ir.Universe():
                return True
            case ir.SetLit(elems=elems):
                return any_of(*(equal(elem, self.term(x, scope)) for x in elems))
            case ir.Support(map=m):
                return self._supports(m, code, scope)
            case ir.Comprehension(elem=ir.Var(name=name), binders=(binder,), cond=cond) if (
                name == binder.name and not among.can_fail
            ):
                inside = self._member(elem, binder.domain, scope)
                return all_of(inside, self.term(cond, scope.having(name, elem)))
            case ir.SetOp(op="|" | "&" | "-" as op, left=left, right=right):
                one, other = self._member(elem, left, scope), self._member(elem, right, scope)
                if op == "|":
                    return any_of(one, other)
                return all_of(one, other if op == "&" else negation(other))
        return has(self.term(among, scope), code)

    def _supports(self, m: ir.Expr, code: Term, scope: Scope) -> Term:
        """Return whether what a map has at a key is not the default."""
        assert isinstance(m.type, MapT)
        ref = self.value(m, scope)
        assert isinstance(ref, Ref)
        found = self.variables.load(ref.at(code), scope.roots)
        return negation(self.variables.is_default(m.type.value, found, scope.roots))

    def members(self, binder: ir.Binder, scope: Scope) -> Iterator[tuple[int, Term, Scope]]:
        """Yield each value that a variable may have: its code, whether it has it, the scope.

        Raises:
            BindError: that is done too often in this model.
        """
        self._bound += self.codes.size(binder.type)
        if self._bound > _MOST:
            raise BindError(
                f"{self.codes.where}: what is said of all of something is said of each in Promela, "
                f"and that is more than {_MOST:,} times\n  instead: choose smaller sizes"
            )
        for i in range(self.codes.size(binder.type)):
            value = self.codes.value(binder.type, i)
            inside = self._member(value, binder.domain, scope)
            if inside is not False:
                yield i, inside, scope.having(binder.name, value)

    # -- quantifiers ---------------------------------------------------------------------------

    def _quantified(
        self, binders: tuple[ir.Binder, ...], body: ir.Expr, scope: Scope, *, every: bool
    ) -> Term:
        """Return whether a condition holds for every value of each variable, or for some."""
        binder, *rest = binders
        mask = None if rest else self._mask(binder, body, scope)
        if mask is not None:
            domain, full = self.term(binder.domain, scope), self.codes.universe(binder.type)
            if every:
                return equal(without(domain, mask, full), 0)
            return negation(equal(both(domain, mask, full), 0))
        found = []
        for _, inside, within in self.members(binder, scope):
            with self._under(inside):
                if rest:
                    holds = self._quantified(tuple(rest), body, within, every=every)
                else:
                    holds = self.term(body, within)
            found.append(any_of(negation(inside), holds) if every else all_of(inside, holds))
        return all_of(*found) if every else any_of(*found)

    def _mask(self, binder: ir.Binder, cond: ir.Expr, scope: Scope) -> Term | None:
        """Return the set of the values for which a condition holds, if its form allows that."""
        if cond.can_fail or not isinstance(binder.type, SortT | EnumT):
            return None
        if self.codes.size(binder.type) > BITS:
            return None
        full = self.codes.universe(binder.type)
        match cond:
            case ir.Not(arg=arg):
                found = self._mask(binder, arg, scope)
                return None if found is None else without(full, found, full)
            case ir.And(args=args) | ir.Or(args=args):
                masks = [self._mask(binder, arg, scope) for arg in args]
                total: Term = full if isinstance(cond, ir.And) else 0
                for mask in masks:
                    if mask is None:
                        return None
                    conjunction = isinstance(cond, ir.And)
                    total = both(total, mask, full) if conjunction else union(total, mask)
                return total
            case ir.In(elem=ir.Var(name=name), set=among) if (
                name == binder.name
                and name not in among.names
                and isinstance(among, ir.Field | ir.Index | ir.Var | ir.SetOp)
                and isinstance(among.type, SetT)
            ):
                return self.term(among, scope)
        return None

    def _collected(
        self, e: ir.Comprehension, binders: tuple[ir.Binder, ...], member: Term, scope: Scope
    ) -> Term:
        """Return a set comprehension, for what is bound so far."""
        if not binders:
            with self._under(member):
                taken = all_of(member, self.term(e.cond, scope))
            if taken is False:
                return 0
            with self._under(taken):
                return choose(taken, bit(self._code(e.elem, scope)), 0)
        binder, *rest = binders
        if not rest and isinstance(e.elem, ir.Var) and e.elem.name == binder.name:
            return choose(member, self._filtered(binder, e.cond, member, scope), 0)
        found: Term = 0
        for _, inside, within in self.members(binder, scope):
            here = all_of(member, inside)
            found = union(found, self._collected(e, tuple(rest), here, within))
        return found

    def _filtered(self, binder: ir.Binder, cond: ir.Expr, member: Term, scope: Scope) -> Term:
        """Return the elements of a domain for which a condition holds."""
        mask = self._mask(binder, cond, scope)
        if mask is not None:
            return both(self.term(binder.domain, scope), mask, self.codes.universe(binder.type))
        if isinstance(cond, ir.Lit) and cond.value is True:
            return self.term(binder.domain, scope)
        self.codes.universe(binder.type)
        found = []
        for i, inside, within in self.members(binder, scope):
            with self._under(all_of(member, inside)):
                found.append((i, all_of(inside, self.term(cond, within))))
        return set_of(found)

    # -- sets, options, elements ---------------------------------------------------------------

    def _operation(self, e: ir.SetOp, scope: Scope) -> Term:
        assert isinstance(e.type, SetT)
        one, other = self.term(e.left, scope), self.term(e.right, scope)
        full = self.codes.universe(e.type.elem)
        match e.op:
            case "|":
                return union(one, other)
            case "&":
                return both(one, other, full)
            case "-":
                return without(one, other, full)
        return xor(one, other)

    def _extreme(self, e: ir.Extreme, scope: Scope) -> Term:
        assert isinstance(e.set.type, SetT)
        t = e.set.type.elem
        if isinstance(e.set, ir.SetLit) and e.set.elems:
            first, *rest = (self.term(x, scope) for x in e.set.elems)
            for other in rest:
                first = _either_end(e.op, first, other)
            return some(first) if e.optional else first
        mask, size = self.term(e.set, scope), self.codes.size(t)
        if not e.optional:
            self._fail_unless(negation(equal(mask, 0)))
        found = (first_of if e.op == "min" else last_of)(mask, size)
        if isinstance(found, int):
            return self.codes.value(OptionT(t) if e.optional else t, min(found, size))
        return add(found, self.codes.offset(t))

    def _next(self, arg: ir.Expr, scope: Scope) -> Term:
        assert isinstance(arg.type, SortT)
        following = add(self.term(arg, scope), 1)
        if arg.type.owner is None:
            return following  # beyond the last one is None
        last = equal(rest_of(following, max(1, self.codes.each(arg.type))), 0)
        return choose(last, self.codes.none(OptionT(arg.type)), following)


def _either_end(op: str, a: Term, b: Term) -> Term:
    """Return the lesser or greater of two numbers."""
    return choose(less(a, b, strict=False), *((a, b) if op == "min" else (b, a)))
