"""Evaluating expressions: from typed IR to words and bits, for one instance.

An expression may be undefined (the `min` of an empty set, the head of an empty sequence).  Python
evaluates from left to right and stops at what decides, so whoever evaluates under a condition
says so with `under`, and `undefined` collects where something went wrong.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import assert_never, cast

from ackproof.lang import ir
from ackproof.lang.ir import Binder, Expr
from ackproof.lang.types import FamilyT, IntT, MapT, ProcT, RecordT, SeqT, SetT, SortT, Type
from ackproof.model.lower.access import Access, Place, Process
from ackproof.model.lower.codec import Value
from ackproof.model.lower.masks import bitwise, is_variable
from ackproof.model.lower.ops import Bit, Word
from ackproof.model.lower.state import SymbolicState

__all__ = ["Evaluator"]


class Evaluator:
    """Evaluates expressions over symbolic states.

    Args:
        states: the state that each root name stands for.
        names: values of parameters, locals and bound variables.
    """

    def __init__(
        self, access: Access, states: dict[str, SymbolicState], names: dict[str, Value]
    ) -> None:
        self.access = access
        self.codec = access.codec
        self.ops = access.ops
        self.states = states
        self.names = names
        self.path: Bit = True
        self.undefined: Bit = False

    @contextmanager
    def under(self, cond: Bit) -> Iterator[None]:
        """Evaluate what is only evaluated where `cond` holds."""
        before = self.path
        self.path = self.ops.all(before, cond)
        yield
        self.path = before

    @contextmanager
    def sure(self) -> Iterator[None]:
        """Evaluate what is always defined, also where Python would not have come to it."""
        before = self.undefined
        yield
        self.undefined = before

    def fail_unless(self, defined: Bit) -> None:
        """Note that the step is undefined here unless `defined` holds."""
        wrong = self.ops.all(self.path, self.ops.no(defined))
        self.undefined = self.ops.any(self.undefined, wrong)

    # -- by type --------------------------------------------------------------------------------

    def bit(self, expr: Expr) -> Bit:
        """Evaluate a condition."""
        value: Bit = self.value(expr)
        return value

    def word(self, expr: Expr) -> Word:
        """Evaluate an expression of a type that is held in a word."""
        value: Word = self.value(expr)
        return value

    # -- by kind of node ------------------------------------------------------------------------

    def value(self, expr: Expr) -> Value:
        """Evaluate any expression; the kinds of which there are most are asked for first."""
        e = cast(ir.AnyExpr, expr)
        match e:
            case ir.Var():
                return self.names[e.name]
            case ir.Field():
                return self._field(e)
            case ir.Eq():
                return self.codec.equal(e.left.type, self.value(e.left), self.value(e.right))
            case ir.SetOp():
                return self._set_operation(e)
            case ir.Lit():
                if isinstance(e.type, SortT):
                    return e.value  # an element is held as its position, and given by it
                return self.codec.from_data(e.type, e.value)
            case ir.Universe():
                return self._universe(e)
            case ir.Not():
                return self.ops.no(self.bit(e.arg))
            case ir.And():
                return self._and(e)
            case ir.Index():
                return self.access.read(self.place(e), self.states)
            case ir.Or():
                return self._or(e)
            case ir.Comprehension():
                return self._comprehension(e)
            case ir.SetLit():
                return self._set_literal(e)
            case ir.Exists():
                return self._for_some(e.binders, e.body, wanted=True)
            case ir.In():
                return self._in(e)
            case ir.Let():
                self.names[e.name] = self.value(e.value)
                return self.value(e.body)
            case ir.IsNone():
                return self.ops.equal(self.word(e.arg), 0)
            case ir.Forall():
                return self.ops.no(self._for_some(e.binders, e.body, wanted=False))
            case ir.First():
                return self._first(e)
            case ir.Default():
                assert not isinstance(e.type, MapT), "a map's default is written entry by entry"
                return self.codec.default(e.type)
            case ir.Support():
                return self._support(e)
            case ir.Less():
                return self.ops.less(self.word(e.left), self.word(e.right), e.strict)
            case ir.Subset():
                return self._subset(e)
            case ir.Ite():
                return self._ite(e)
            case ir.Extreme():
                return self._extreme(e)
            case ir.Card():
                return self.ops.count(self.word(e.set))
            case ir.Arith():
                return self._arithmetic(e)
            case ir.Some():
                return self.ops.add(self.codec.code(e.arg.type, self.value(e.arg)), 1)
            case ir.Unwrap():
                return self.codec.decode(e.type, self.ops.sub(self.word(e.arg), 1))
            case ir.Owner():
                owners, count = self.codec.owners(e.arg.type)
                return self.ops.block(self.word(e.arg), count, owners)
            case ir.Succ():
                return self._successor(e)
            case ir.MakeRecord():
                return tuple(self.value(a) for a in e.args)
            case ir.Head():
                seq = self.value(e.seq)
                self.fail_unless(self.ops.no(self.ops.equal(seq.length, 0)))
                return self.codec.decode(e.type, seq.slots[0])
            case ir.Length():
                return self.value(e.seq).length
            case ir.Root() | ir.Key():
                raise AssertionError("processes are no values, and inlining replaces keys")
            case _:
                assert_never(e)

    # -- leaves ---------------------------------------------------------------------------------

    def _first(self, e: ir.First) -> Value:
        if e.owner is None:
            return 0
        _, count = self.codec.owners(e.type)
        return self.codec.by_owner(e.type, self.word(e.owner), lambda i: i * count)

    def _universe(self, e: ir.Universe) -> Value:
        assert isinstance(e.type, SetT)
        return self.codec.universe(e.type.elem)

    # -- access ---------------------------------------------------------------------------------

    def process(self, e: Expr) -> Process:
        """Resolve an expression that is a process."""
        if isinstance(e, ir.Root):
            return Process(e.name, (), ())
        if isinstance(e, ir.Index):
            assert isinstance(e.obj, ir.Field)
            assert isinstance(e.obj.type, FamilyT)
            owner = self.process(e.obj.obj)
            key = self.codec.code(e.obj.type.key, self.value(e.key))
            return Process(owner.root, (*owner.path, e.obj.name), (*owner.members, key))
        assert isinstance(e, ir.Field)
        owner = self.process(e.obj)
        return Process(owner.root, (*owner.path, e.name), owner.members)

    def place(self, e: Expr) -> Place:
        """Resolve an expression that is a variable or an entry of a map."""
        if isinstance(e, ir.Index):
            assert isinstance(e.obj.type, MapT)
            key = self.codec.code(e.obj.type.key, self.value(e.key))
            return self.access.entry(self.place(e.obj), key)
        assert isinstance(e, ir.Field)
        return self.access.variable(self.process(e.obj), e.name)

    def _field(self, e: ir.Field) -> Value:
        if isinstance(e.obj.type, RecordT):
            names = [n for n, _ in e.obj.type.fields]
            return self.value(e.obj)[names.index(e.name)]
        assert isinstance(e.obj.type, ProcT)
        return self.access.read(self.place(e), self.states)

    def _support(self, e: ir.Support) -> Value:
        t = e.map.type
        assert isinstance(t, MapT)
        here = (self.ops.no(self.access.is_default(t.value, x)) for x in self.value(e.map))
        return self.ops.gather(enumerate(here))

    # -- logic ----------------------------------------------------------------------------------

    def _and(self, e: ir.And) -> Bit:
        result: Bit = True
        for arg in e.args:
            with self.under(result):
                result = self.ops.all(result, self.bit(arg))
            if result is False:
                break
        return result

    def _or(self, e: ir.Or) -> Bit:
        result: Bit = False
        for arg in e.args:
            with self.under(self.ops.no(result)):
                result = self.ops.any(result, self.bit(arg))
            if result is True:
                break
        return result

    def _in(self, e: ir.In) -> Bit:
        elem = self.value(e.elem)
        if isinstance(e.set, ir.SetLit):  # needs no mask, however wide the range of integers is
            given = [self.value(x) for x in e.set.elems]
            return self.ops.any(*(self.codec.equal(e.elem.type, elem, x) for x in given))
        where = self.value(e.set)
        if isinstance(e.set.type, SeqT):
            code = self.codec.code(e.set.type.elem, elem)
            found = (
                self.ops.all(self.ops.less(i, where.length, True), self.ops.equal(slot, code))
                for i, slot in enumerate(where.slots)
            )
            return self.ops.any(*found)
        assert isinstance(e.set.type, SetT)
        code, inside = self.element(e.set.type, elem)
        return self.ops.all(inside, self.ops.test(where, code, self.codec.width(e.set.type)))

    def _subset(self, e: ir.Subset) -> Bit:
        assert isinstance(e.left.type, SetT)
        left, right = self.word(e.left), self.word(e.right)
        rest = self.ops.without(left, right, self.codec.universe(e.left.type.elem))
        inside = self.ops.equal(rest, 0)
        if not e.strict:
            return inside
        return self.ops.all(inside, self.ops.no(self.ops.equal(left, right)))

    def _ite(self, e: ir.Ite) -> Value:
        cond = self.bit(e.cond)
        if isinstance(cond, bool):
            return self.value(e.then if cond else e.orelse)
        with self.under(cond):
            then = self.value(e.then)
        with self.under(self.ops.no(cond)):
            orelse = self.value(e.orelse)
        return self.codec.choose(e.type, cond, then, orelse)

    # -- quantifiers ----------------------------------------------------------------------------

    def _for_some(self, binders: tuple[Binder, ...], body: Expr, *, wanted: bool) -> Bit:
        """Whether the body comes out as wanted for some value of the binders."""
        head, rest = binders[0], binders[1:]
        domain = self.word(head.domain)
        if domain == 0:
            return False
        if not rest:
            mask = self.mask(head, body, domain)
            if not wanted:
                mask = self.ops.differ(mask, self.codec.universe(head.type))
            return self.ops.no(self.ops.equal(self.ops.both(domain, mask), 0))
        found: Bit = False
        for _, member in self.members(head, domain):
            with self.under(member):
                if self._is_settled(rest, body, wanted):
                    continue
                inner = self._for_some(rest, body, wanted=wanted)
            found = self.ops.any(found, self.ops.all(member, inner))
        return found

    def _is_settled(self, binders: tuple[Binder, ...], body: Expr, wanted: bool) -> bool:
        """Tell whether what comes first in a body, and is about no binder, decides against it."""
        if not isinstance(body, ir.And if wanted else ir.Or):
            return False
        bound = {b.name for b in binders}
        first = itertools.takewhile(lambda e: not e.names & bound and not e.can_fail, body.args)
        with self.sure():
            return any(self.bit(e) is (not wanted) for e in first)

    def members(self, binder: Binder, domain: Word) -> Iterator[tuple[int, Bit]]:
        """Bind a variable to each value of its type; yield its code and whether it is in a set."""
        for i in range(self.codec.cardinality(binder.type)):
            member = self.ops.test(domain, i)
            if member is not False:
                self.names[binder.name] = self.codec.decode(binder.type, i)
                yield i, member

    def mask(self, binder: Binder, cond: Expr, domain: Word) -> Word:
        """Return the mask of the values of a bound variable for which a condition holds.

        Outside of `domain` the mask may be anything.
        """
        whole = self._whole(binder, cond, domain)
        return self.ops.gather(self._each(binder, cond, domain)) if whole is None else whole

    def _whole(self, binder: Binder, cond: Expr, domain: Word) -> Word | None:
        """Return the mask if it need not be found for each value apart."""
        full, width = self.codec.universe(binder.type), self.codec.width(binder.domain.type)
        if binder.name not in cond.names:
            with self.under(self.ops.no(self.ops.equal(domain, 0))):
                return self.ops.choose(self.bit(cond), full, 0)
        if cond.can_fail:
            return None
        with self.sure():
            return bitwise(
                self.ops,
                binder,
                cond,
                full,
                width,
                lambda part, among: self._whole(binder, part, self._within(domain, among)),
                lambda part, among: self.ops.gather(
                    self._each(binder, part, self._within(domain, among))
                ),
                self.word,
                lambda owner: self._owned_by(binder.type, owner),
            )

    def _within(self, domain: Word, among: int) -> Word:
        """Return what a domain may have of the elements that matter."""
        may = self.ops.bits(domain)[0] & among
        return 0 if not may else self.ops.both(domain, may)

    def _each(self, binder: Binder, cond: Expr, domain: Word) -> Iterator[tuple[int, Bit]]:
        """Yield the code of each value of a bound variable, and whether a condition holds."""
        for i, member in self.members(binder, domain):
            with self.under(member):
                holds = self.bit(cond)
            yield i, holds

    def _owned_by(self, t: Type, owner: Word) -> Word:
        """Return the mask of the elements of an owned sort that an owner has."""
        _, count = self.codec.owners(t)
        return self.codec.by_owner(t, owner, lambda i: (2**count - 1) << i * count)

    def _comprehension(self, e: ir.Comprehension) -> Word:
        return self._collect(e, e.binders, True)

    def _filter(self, binder: Binder, cond: Expr) -> Word:
        """Return the elements of a domain for which a condition holds."""
        domain = self.word(binder.domain)
        if domain == 0:
            return 0
        mask = self.mask(binder, cond, domain)
        everything = mask == self.codec.universe(binder.type)
        return domain if everything else self.ops.both(domain, mask)

    def _collect(self, e: ir.Comprehension, binders: tuple[Binder, ...], member: Bit) -> Word:
        if not binders:
            assert isinstance(e.type, SetT)
            taken = self.ops.all(member, self.bit(e.cond))
            if taken is False:
                return 0
            with self.under(taken):
                return self.ops.choose(taken, self.singleton(e.type, self.value(e.elem)), 0)
        if len(binders) == 1 and is_variable(e.elem, binders[0]):
            with self.under(member):
                return self.ops.choose(member, self._filter(binders[0], e.cond), 0)
        result: Word = 0
        domain = self.word(binders[0].domain)
        for _, here in self.members(binders[0], domain):
            with self.under(here):
                inner = self._collect(e, binders[1:], self.ops.all(member, here))
            result = self.ops.either(result, inner)
        return result

    # -- sets, options, integers, records, sequences --------------------------------------------

    def element(self, t: SetT, elem: object) -> tuple[Word, Bit]:
        """Return the code of a possible element, and whether it is in the domain at all."""
        code = self.codec.code(t.elem, elem)
        if not isinstance(t.elem, IntT):
            return code, True
        size = self.codec.cardinality(t.elem)
        inside = self.ops.all(self.ops.less(-1, code, True), self.ops.less(code, size, True))
        return code, inside

    def singleton(self, t: SetT, elem: object) -> Word:
        """Return the mask of one element; undefined where it is outside its domain."""
        code, inside = self.element(t, elem)
        self.fail_unless(inside)
        return self.ops.left(1, code, self.codec.width(t))

    def _set_literal(self, e: ir.SetLit) -> Word:
        assert isinstance(e.type, SetT)
        result: Word = 0
        for elem in e.elems:
            result = self.ops.either(result, self.singleton(e.type, self.value(elem)))
        return result

    def _set_operation(self, e: ir.SetOp) -> Word:
        assert isinstance(e.type, SetT)
        left, right = self.word(e.left), self.word(e.right)
        if e.op == "-":
            return self.ops.without(left, right, self.codec.universe(e.type.elem))
        join = {"|": self.ops.either, "&": self.ops.both, "^": self.ops.differ}[e.op]
        return join(left, right)

    def _extreme(self, e: ir.Extreme) -> Word:
        assert isinstance(e.set.type, SetT)
        if isinstance(e.set, ir.SetLit) and e.set.elems:
            return self._outermost(e.op, e.set, e.set.type.elem, e.optional)
        mask = self.word(e.set)
        empty = self.ops.equal(mask, 0)
        if not e.optional:
            self.fail_unless(self.ops.no(empty))
        if mask == 0:
            return 0
        found = self.ops.lowest(mask) if e.op == "min" else self.ops.highest(mask)
        if e.optional:
            return self.ops.choose(empty, 0, self.ops.add(found, 1))
        result: Word = self.codec.decode(e.set.type.elem, found)
        return result

    def _outermost(self, op: str, e: ir.SetLit, t: Type, optional: bool) -> Word:
        """Return the least or greatest of what a display lists, which needs no mask."""
        first, *rest = (self.word(x) for x in e.elems)
        for other in rest:
            first = self._either_end(op, first, other)
        return self.ops.add(self.codec.code(t, first), 1) if optional else first

    def _either_end(self, op: str, left: Word, right: Word) -> Word:
        """Return the lesser or greater of two."""
        first = self.ops.less(left, right, True)
        return self.ops.choose(first if op == "min" else self.ops.no(first), left, right)

    def _arithmetic(self, e: ir.Arith) -> Word:
        left, right = self.word(e.left), self.word(e.right)
        if e.op in {"min", "max"}:
            return self._either_end(e.op, left, right)
        return {"+": self.ops.add, "-": self.ops.sub, "*": self.ops.mul}[e.op](left, right)

    def _successor(self, e: ir.Succ) -> Word:
        owners, count = self.codec.owners(e.arg.type)
        position = self.word(e.arg)
        last = (self.ops.equal(position, i * count + count - 1) for i in range(max(owners, 1)))
        return self.ops.choose(self.ops.any(*last), 0, self.ops.add(position, 2))
