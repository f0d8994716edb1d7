"""The unbounded domain: sorts with any number of elements, none included.

An ordered sort is the integers from 0 up to a size that nobody knows; another sort is a set of
things of which some are there.  A state has nothing of an element that is not there: `typing` says
so of each symbol of a state, so that a quantifier over what is in a set need not.

Three things are not functions of what is in a set by first-order means, and get a name and an axiom
instead, which is used where the name occurs:

* the least and the greatest member of a set: it is one, and none is beyond it.  That there is one
  holds in all states of an instance, for their sets are finite;
* the number of members of a set: of it is known only that it is positive if there is a member.
  What is proved with that holds for the real number all the more;
* the first element of a sort without order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import z3
from ackproof.proofs.smt.domain import Domain, Shape, Untranslatable
from ackproof.proofs.smt.logic import (
    FALSE,
    TRUE,
    Term,
    both,
    constants,
    has_quantifier,
    implies,
    one_point,
    replaced,
)
from ackproof.proofs.smt.values import Scalar, SetValue
from ackproof.spec.lang.types import (
    BoolT,
    EnumT,
    IntT,
    OptionT,
    RecordT,
    SetT,
    SortT,
    Type,
)

__all__ = ["Unbounded"]


class Unbounded(Domain):
    """Any number of elements of each sort.

    Attributes:
        axioms: what is known of a name that was made here, by the name's declaration.
        definitions: of sets that got a name, what they are a function of, and what is in them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.axioms: dict[str, list[Term]] = {}
        self.definitions: dict[str, tuple[tuple[Term, ...], Term]] = {}
        self._sorts: dict[str, z3.SortRef] = {}
        self._bound: dict[int, Term] = {}
        self._probes: dict[Type, Scalar] = {}
        self._named: dict[tuple[str, Type, int], tuple[Term, Term]] = {}
        self._numbers: dict[str, int] = {}
        self._depths: dict[int, tuple[Term, int]] = {}

    # -- leaves ---------------------------------------------------------------------------------

    def sort(self, t: Type) -> z3.SortRef:
        """Return the sort of a type with one leaf: integers for what is ordered."""
        if isinstance(t, BoolT):
            return z3.BoolSort()
        if isinstance(t, EnumT):
            return self.enum(t)
        if isinstance(t, IntT) or (isinstance(t, SortT) and t.ordered):
            return z3.IntSort()
        if isinstance(t, SortT):
            if t.name not in self._sorts:
                self._sorts[t.name] = z3.DeclareSort(t.name)
            return self._sorts[t.name]
        raise Untranslatable(
            f"a value of type {t!r} has no bound: prove it at the sizes of an instance"
        )

    def first(self, t: SortT) -> Term:
        """Return the first element; of a sort without order, some element."""
        return z3.IntVal(0) if t.ordered else z3.Const(f"first.{t.name}", self.sort(t))

    def element(self, t: SortT, number: int) -> Term:
        """Return an element by its number, which only an ordered sort has."""
        if not t.ordered:
            raise Untranslatable(
                f"{t.name} is not ordered, so none of its elements has number {number}"
            )
        return z3.IntVal(number)

    def size(self, t: SortT) -> Term:
        """Return how many elements an ordered sort has."""
        return z3.Int(f"size.{t.name}")

    def successor(self, t: SortT, x: Term) -> Scalar:
        """Return the next element, if the sort has one more."""
        return (x + 1 < self.size(t), x + 1)

    def there(self, t: Type, x: Scalar) -> Term:
        """Return the formula that says that a value exists."""
        if isinstance(t, SortT) and t.ordered:
            return both((x[0] >= 0, x[0] < self.size(t)))
        if isinstance(t, SortT):
            return z3.Function(f"there.{t.name}", self.sort(t), z3.BoolSort())(x[0])
        if isinstance(t, IntT):
            return both((x[0] >= t.lo, x[0] <= t.hi))
        if isinstance(t, OptionT):
            return implies(x[0], self.there(t.inner, x[1:]))
        if isinstance(t, RecordT):
            parts, start = [], 0
            for _, inner in t.fields:
                end = start + len(self.sorts(inner))
                parts.append(self.there(inner, x[start:end]))
                start = end
            return both(parts)
        return TRUE

    def less(self, t: Type, a: Term, b: Term, strict: bool) -> Term:
        """Return the formula that says that one integer is below the other."""
        if z3.eq(a, b):
            return z3.BoolVal(not strict)
        return a < b if strict else a <= b

    # -- quantifiers ----------------------------------------------------------------------------

    def number(self, name: str) -> int:
        """Return a number that nothing else of that name has."""
        self._numbers[name] = self._numbers.get(name, 0) + 1
        return self._numbers[name]

    def variable(self, t: Type) -> Term:
        """Return a new constant that formulas may be about, to be bound or replaced."""
        name = getattr(t, "name", "int").lower()
        made = z3.Const(f"{name}!{self.number(name)}", self.sort(t))
        self._bound[made.get_id()] = made
        return made

    def shapes(self, t: Type) -> list[Shape]:
        """Return ways to name all values: truth values and enums one by one."""
        if isinstance(t, BoolT):
            return [((TRUE,), ()), ((FALSE,), ())]
        if isinstance(t, EnumT):
            self.enum(t)
            return [((self.enums[t.name][m],), ()) for m in t.members]
        if isinstance(t, OptionT):
            some = [((TRUE, *x), bound) for x, bound in self.shapes(t.inner)]
            return [((FALSE, *self.scalar_default(t.inner)), ()), *some]
        if isinstance(t, RecordT):
            return self.combined(t)
        x = self.variable(t)
        return [((x,), (x,))]

    def quantify(self, everywhere: bool, bound: tuple[Term, ...], body: Term) -> Term:
        """Return a formula with quantifiers for those constants that are in it."""
        left: Sequence[Term]
        if everywhere:
            used = constants(body)
            left = [x for x in bound if x.get_id() in used]
        else:
            left, body = one_point(bound, body)
        return self._closed(everywhere, left, body) if left else body

    def _closed(self, everywhere: bool, left: Sequence[Term], body: Term) -> Term:
        """Return a quantified formula whose variables have the names that any like it has.

        Two formulas that differ in the names of variables only are one and the same to Z3 then.
        """
        depth = self._depth(body)
        names = [z3.Const(f"x{depth}.{i}", x.sort()) for i, x in enumerate(left)]
        body = replaced(body, left, names)
        return z3.ForAll(names, body) if everywhere else z3.Exists(names, body)

    def _depth(self, term: Term) -> int:
        """Return how many quantifiers are inside each other in a formula."""
        known = self._depths.get(term.get_id())
        if known is not None:
            return known[1]
        if z3.is_quantifier(term):
            depth = 1 + self._depth(term.body())
        else:
            depth = max((self._depth(part) for part in term.children()), default=0)
        self._depths[term.get_id()] = (term, depth)
        return depth

    # -- what gets a name -----------------------------------------------------------------------

    def _probe(self, t: Type) -> Scalar:
        if t not in self._probes:
            self._probes[t] = tuple(
                z3.Const(f"probe.{t!r}.{i}", sort) for i, sort in enumerate(self.sorts(t))
            )
        return self._probes[t]

    def _name(
        self, kind: str, members: SetValue, result: z3.SortRef
    ) -> tuple[Term, bool, Scalar, Term]:
        """Return the name of what a set determines, and whether it is new.

        It is a function of the bound constants that the set depends on.  Where the formula does
        not speak of the element, sets of two types have the same one, but not as many members.
        """
        probe = self._probe(members.elem)
        formula = members(probe)
        key = (kind, members.elem, formula.get_id())
        known = self._named.get(key)
        if known is not None:
            return known[1], False, probe, formula
        depends = [x for i, x in constants(formula).items() if i in self._bound]
        name = f"{kind}!{self.number(kind)}"
        if depends:
            made = z3.Function(name, *(x.sort() for x in depends), result)(*depends)
        else:
            made = z3.Const(name, result)
        self._named[key] = (formula, made)
        return made, True, probe, formula

    def _state(self, made: Term, bound: Iterable[Term], axiom: Term) -> None:
        used = constants(axiom)
        names = [x for x in (*made.children(), *bound) if x.get_id() in used]
        closed = z3.ForAll(names, axiom) if names else axiom
        self.axioms.setdefault(made.decl().name(), []).append(closed)

    def defined(self, members: SetValue) -> SetValue:
        """Return a set under a name, with what it means as an axiom, if that takes a quantifier.

        What is said of it again and again is so said in one word, and each time the same.
        """
        if not isinstance(members.elem, SortT):
            return members
        x = self.variable(members.elem)
        formula = members((x,))
        if not has_quantifier(formula):
            return members
        depends = [y for i, y in constants(formula).items() if i in self._bound and not z3.eq(x, y)]
        name = f"set!{self.number('set')}"
        made = z3.Function(name, x.sort(), *(y.sort() for y in depends), z3.BoolSort())
        self.definitions[name] = ((x, *depends), formula)
        self.axioms[name] = [z3.ForAll([x, *depends], made(x, *depends) == formula)]
        return SetValue(members.elem, lambda elem: made(*elem, *depends))

    def extreme(self, op: str, members: SetValue) -> Scalar:
        """Return the least or greatest member, as an option."""
        made, new, probe, formula = self._name(op, members, self.sort(members.elem))
        is_member = replaced(formula, probe, [made])
        if new:
            x = self.variable(members.elem)
            beyond = made <= x if op == "min" else x <= made
            holds = replaced(formula, probe, [x])
            self._state(made, [x], implies(holds, both((is_member, beyond))))
        return (is_member, made)

    def count(self, members: SetValue) -> Term:
        """Return a number that is positive if there is a member, and zero otherwise."""
        made, new, probe, formula = self._name("count", members, z3.IntSort())
        if new:
            shapes = self.shapes(members.elem)
            for x, bound in shapes:
                self._state(made, bound, implies(replaced(formula, probe, x), made >= 1))
            some = self.some(members, lambda _: TRUE)
            self._state(made, [], both((made >= 0, implies(made >= 1, some))))
        return made

    # -- what is known of a state ---------------------------------------------------------------

    def typing(self, t: Type, apply: z3.FuncDeclRef, dims: Sequence[Type], leaf: int) -> list[Term]:
        """Return what is known of a symbol of a state: it has nothing of what does not exist.

        Args:
            t: the type of the value, when all of `dims` are given.
            apply: the symbol.
            dims: what it is a function of.
            leaf: for which leaf of the value it stands; of an option, the first says if it is one.
        """
        names = [
            z3.Const(f"at!{i}", s) for i, s in enumerate(s for d in dims for s in self.sorts(d))
        ]
        here, start = [], 0
        for dim in dims:
            end = start + len(self.sorts(dim))
            here.append(self.there(dim, tuple(names[start:end])))
            start = end
        value = apply(*names) if names else apply()
        inside = both(here)
        if isinstance(t, SetT):
            said = implies(value, inside)
        elif isinstance(t, SortT | IntT):
            said = implies(inside, self.there(t, (value,)))
        else:
            return []
        if z3.is_true(said):
            return []
        return [z3.ForAll(names, said) if names else said]
