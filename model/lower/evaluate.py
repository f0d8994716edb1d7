"""Evaluating expressions: from typed IR to words and bits, for one instance.

An expression may be undefined (the `min` of an empty set, the head of an empty sequence).  Python
evaluates from left to right and stops at what decides, so whoever evaluates under a condition
says so with `under`, and `undefined` collects where something went wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ackproof.model.lower.access import Access, Place, Process
from ackproof.model.lower.codec import Value
from ackproof.model.lower.masks import bitwise, is_variable
from ackproof.model.lower.ops import Bit, Word
from ackproof.model.lower.state import SymbolicState
from ackproof.spec.lang import ir
from ackproof.spec.lang.ir import Binder, Expr
from ackproof.spec.lang.types import FamilyT, IntT, MapT, ProcT, RecordT, SeqT, SetT

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

    def fail_unless(self, defined: Bit) -> None:
        """Note that the step is undefined here unless `defined` holds."""
        wrong = self.ops.all(self.path, self.ops.no(defined))
        self.undefined = self.ops.any(self.undefined, wrong)

    # -- dispatch -------------------------------------------------------------------------------

    def bit(self, expr: Expr) -> Bit:
        """Evaluate a condition."""
        value: Bit = self.value(expr)
        return value

    def word(self, expr: Expr) -> Word:
        """Evaluate an expression of a type that is held in a word."""
        value: Word = self.value(expr)
        return value

    def value(self, expr: Expr) -> Value:
        """Evaluate any expression."""
        method: Callable[[Any], Value] = getattr(self, f"_{type(expr).__name__.lower()}")
        return method(expr)

    def _lit(self, e: ir.Lit) -> Value:
        return self.codec.from_data(e.type, e.value)

    def _var(self, e: ir.Var) -> Value:
        return self.names[e.name]

    def _first(self, e: ir.First) -> Value:
        return 0

    def _universe(self, e: ir.Universe) -> Value:
        assert isinstance(e.type, SetT)
        return self.codec.universe(e.type.elem)

    def _default(self, e: ir.Default) -> Value:
        assert not isinstance(e.type, MapT), "a map's default is written entry by entry"
        return self.codec.default(e.type)

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

    def _index(self, e: ir.Index) -> Value:
        return self.access.read(self.place(e), self.states)

    def _support(self, e: ir.Support) -> Value:
        assert isinstance(e.map.type, MapT)
        result: Word = 0
        for i, entry in enumerate(self.value(e.map)):
            here = self.ops.no(self.access.is_default(e.map.type.value, entry))
            result = self.ops.either(result, self.ops.left(self.ops.widen(here), i))
        return result

    # -- logic ----------------------------------------------------------------------------------

    def _not(self, e: ir.Not) -> Bit:
        return self.ops.no(self.bit(e.arg))

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

    def _eq(self, e: ir.Eq) -> Bit:
        return self.codec.equal(e.left.type, self.value(e.left), self.value(e.right))

    def _less(self, e: ir.Less) -> Bit:
        return self.ops.less(self.word(e.left), self.word(e.right), e.strict)

    def _in(self, e: ir.In) -> Bit:
        elem, where = self.value(e.elem), self.value(e.set)
        if isinstance(e.set.type, SeqT):
            code = self.codec.code(e.set.type.elem, elem)
            found = (
                self.ops.all(self.ops.less(i, where.length, True), self.ops.equal(slot, code))
                for i, slot in enumerate(where.slots)
            )
            return self.ops.any(*found)
        assert isinstance(e.set.type, SetT)
        code, inside = self.element(e.set.type, elem)
        return self.ops.all(inside, self.ops.test(where, code))

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

    def _let(self, e: ir.Let) -> Value:
        self.names[e.name] = self.value(e.value)
        return self.value(e.body)

    # -- quantifiers ----------------------------------------------------------------------------

    def _forall(self, e: ir.Forall) -> Bit:
        return self.ops.no(self._for_some(e.binders, e.body, wanted=False))

    def _exists(self, e: ir.Exists) -> Bit:
        return self._for_some(e.binders, e.body, wanted=True)

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
                inner = self._for_some(rest, body, wanted=wanted)
            found = self.ops.any(found, self.ops.all(member, inner))
        return found

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
        full = self.codec.universe(binder.type)
        if binder.name not in cond.names:
            with self.under(self.ops.no(self.ops.equal(domain, 0))):
                return self.ops.choose(self.bit(cond), full, 0)
        if not cond.can_fail:
            whole = bitwise(
                self.ops,
                binder,
                cond,
                full,
                lambda part: self.mask(binder, part, domain),
                self.word,
            )
            if whole is not None:
                return whole
        result: Word = 0
        for i, member in self.members(binder, domain):
            with self.under(member):
                holds = self.ops.widen(self.bit(cond))
            result = self.ops.either(result, self.ops.left(holds, i))
        return result

    def _comprehension(self, e: ir.Comprehension) -> Word:
        if len(e.binders) == 1 and is_variable(e.elem, e.binders[0]):
            domain = self.word(e.binders[0].domain)
            if domain == 0:
                return 0
            return self.ops.both(domain, self.mask(e.binders[0], e.cond, domain))
        return self._collect(e, e.binders, True)

    def _collect(self, e: ir.Comprehension, binders: tuple[Binder, ...], member: Bit) -> Word:
        if not binders:
            assert isinstance(e.type, SetT)
            taken = self.ops.all(member, self.bit(e.cond))
            if taken is False:
                return 0
            with self.under(taken):
                return self.ops.choose(taken, self.singleton(e.type, self.value(e.elem)), 0)
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
        return self.ops.both(code, 63), inside

    def singleton(self, t: SetT, elem: object) -> Word:
        """Return the mask of one element; undefined where it is outside its domain."""
        code, inside = self.element(t, elem)
        self.fail_unless(inside)
        return self.ops.left(1, code)

    def _setlit(self, e: ir.SetLit) -> Word:
        assert isinstance(e.type, SetT)
        result: Word = 0
        for elem in e.elems:
            result = self.ops.either(result, self.singleton(e.type, self.value(elem)))
        return result

    def _setop(self, e: ir.SetOp) -> Word:
        assert isinstance(e.type, SetT)
        left, right = self.word(e.left), self.word(e.right)
        if e.op == "-":
            return self.ops.without(left, right, self.codec.universe(e.type.elem))
        join = {"|": self.ops.either, "&": self.ops.both, "^": self.ops.differ}[e.op]
        return join(left, right)

    def _extreme(self, e: ir.Extreme) -> Word:
        mask = self.word(e.set)
        assert isinstance(e.set.type, SetT)
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

    def _card(self, e: ir.Card) -> Word:
        return self.ops.count(self.word(e.set))

    def _arith(self, e: ir.Arith) -> Word:
        left, right = self.word(e.left), self.word(e.right)
        if e.op in {"min", "max"}:
            first = self.ops.less(left, right, True)
            return self.ops.choose(first if e.op == "min" else self.ops.no(first), left, right)
        return {"+": self.ops.add, "-": self.ops.sub, "*": self.ops.mul}[e.op](left, right)

    def _some(self, e: ir.Some) -> Word:
        return self.ops.add(self.codec.code(e.arg.type, self.value(e.arg)), 1)

    def _unwrap(self, e: ir.Unwrap) -> Value:
        return self.codec.decode(e.type, self.ops.sub(self.word(e.arg), 1))

    def _isnone(self, e: ir.IsNone) -> Bit:
        return self.ops.equal(self.word(e.arg), 0)

    def _succ(self, e: ir.Succ) -> Word:
        last = self.codec.cardinality(e.arg.type) - 1
        position = self.word(e.arg)
        return self.ops.choose(self.ops.equal(position, last), 0, self.ops.add(position, 2))

    def _makerecord(self, e: ir.MakeRecord) -> Value:
        return tuple(self.value(a) for a in e.args)

    def _head(self, e: ir.Head) -> Value:
        seq = self.value(e.seq)
        self.fail_unless(self.ops.no(self.ops.equal(seq.length, 0)))
        return self.codec.decode(e.type, seq.slots[0])

    def _length(self, e: ir.Length) -> Word:
        length: Word = self.value(e.seq).length
        return length
