"""The unbounded domain: sorts with any number of elements, none included.

A domain gives meaning to sorts and to "for all".  This one is for proofs; at the sizes of an
instance everything is written out instead (`ackproof.proofs.smt.finite`).

An ordered sort is the integers from 0 up to a size that nobody knows; another sort is a set of
things of which some are there.  A state has nothing of an element that is not there: `typing` says
so of each symbol of a state, so that a quantifier over what is in a set need not.

An integer that steps have changed is any integer.  The range of its type is how much room an
instance has for it, and a run that needs more ends there, as the checker says.  So whatever is
proved for all integers holds for those runs, too.

Three things are not functions of what is in a set by first-order means, and get a name and an axiom
instead, which is used where the name occurs:

* the least and the greatest member of a set: it is one, and none is beyond it.  That there is one
  holds in all states of an instance, for their sets are finite;
* the number of members of a set: of it is known only that it is positive if there is a member, and
  what comes of holding two such numbers against each other (`counting.py`).  What is proved with
  that holds for the real number all the more;
* the first element of a sort without order.

So do the owner of an element of an owned sort, the next of that owner, and its first (`owned.py`).
A name is a function of all bound constants that the set depends on, however deep it lies in others.

No two things share a symbol, whatever a specification calls its own.  Each symbol starts with its
kind: `s.` for the variables of the state `s`, `const.`, `arg.`, `size.`, `there.`, `first.`,
`owner.`, `succ.`, and for sorts `sort.` and `enum.`.  What is made up here has a number behind a
`!`, and a quantifier binds `x0.0` and the like.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import assert_never

import z3
from ackproof.lang.types import (
    UNBOUNDED,
    BoolT,
    EnumT,
    FamilyT,
    IntT,
    MapT,
    OptionT,
    ProcT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
)
from ackproof.proofs.smt.direct import Address, address, sort_of
from ackproof.proofs.smt.logic import (
    FALSE,
    TRUE,
    Term,
    alike,
    conjunction,
    constants,
    disjunction,
    equal,
    has_quantifier,
    implies,
    is_true,
    negation,
    one_point,
    replaced,
)
from ackproof.proofs.smt.making import applied, quantified
from ackproof.proofs.smt.owned import Owning, axioms_of, owning
from ackproof.proofs.smt.values import MapValue, Scalar, SetValue, Value, parts_of
from ackproof.proofs.smt.walking import BoundIn, scope_of

__all__ = ["Named", "Unbounded", "Untranslatable"]

#: One way to name all values of some shape: leaves, and the constants in them that vary.
Shape = tuple[Scalar, tuple[Term, ...]]


class Untranslatable(Exception):
    """Something of the specification has no counterpart in this domain.

    The message names it, and says what to do instead.
    """


@dataclass(frozen=True)
class Named:
    """What a function that was made here stands for: something that a set determines.

    Attributes:
        kind: "min", "max" or "count".
        type: of the elements of the set.
        given: what the function is applied to, in the formula.
        element: leaves that stand for an element.
        formula: says whether that is in the set.
        function: the function.
    """

    kind: str
    type: Type
    given: tuple[Term, ...]
    element: Scalar
    formula: Term
    function: z3.FuncDeclRef


#: Enums made so far: Z3 has one sort of a name, for as long as the process lives.
_ENUMS: dict[tuple[str, tuple[str, ...]], tuple[z3.SortRef, dict[str, Term]]] = {}


def _enum(t: EnumT) -> tuple[z3.SortRef, dict[str, Term]]:
    """Return the sort of an enum and its members; another enum of its name gets a number."""
    key = (t.name, t.members)
    if key not in _ENUMS:
        others = sum(name == t.name for name, _ in _ENUMS)
        end = f"!{others}" if others else ""
        names = [f"enum.{t.name}.{m}{end}" for m in t.members]
        sort, members = z3.EnumSort(f"enum.{t.name}{end}", names)
        _ENUMS[key] = (sort, dict(zip(t.members, members, strict=True)))
    return _ENUMS[key]


class Unbounded:
    """Any number of elements of each sort.

    Attributes:
        enums: the members of each enum, by its name, as terms.
        axioms: what is known of a name that was made here, by the name's declaration.
        definitions: of sets that got a name, what they are a function of, and what is in them.
        named: what else got a name, by that.
    """

    def __init__(self) -> None:
        self.enums: dict[str, dict[str, Term]] = {}
        self._enum_sorts: dict[str, z3.SortRef] = {}
        self.axioms: dict[str, list[Term]] = {}
        self.definitions: dict[str, tuple[tuple[Term, ...], Term]] = {}
        self._sorts: dict[str, z3.SortRef] = {}
        self._ownings: dict[str, Owning] = {}
        self._bound: dict[int, Term] = {}
        self.named: dict[str, Named] = {}
        self._blank: dict[tuple[str, Type, int], tuple[Term, Named]] = {}
        self._numbers: dict[str, int] = {}
        self._scopes: dict[Address, BoundIn] = {}
        self._kept: list[Term] = []
        self._constants: dict[tuple[str, int], Term] = {}

    # -- sorts and elements ---------------------------------------------------------------------

    def enum(self, t: EnumT) -> z3.SortRef:
        """Return the sort of an enum, made when it is first needed."""
        if t.name not in self._enum_sorts:
            self._enum_sorts[t.name], self.enums[t.name] = _enum(t)
        return self._enum_sorts[t.name]

    def sort(self, t: Type) -> z3.SortRef:
        """Return the sort of a type with one leaf: integers for what is ordered.

        Raises:
            Untranslatable: values of the type are no single terms.
        """
        match t:
            case BoolT():
                return z3.BoolSort()
            case EnumT():
                return self.enum(t)
            case IntT():
                return z3.IntSort()
            case SortT():
                return z3.IntSort() if t.ordered else self._unordered(t)
            case OptionT() | RecordT() | SetT() | MapT() | SeqT() | ProcT() | FamilyT():
                raise Untranslatable(
                    f"a value of type {t!r} has no bound: prove it at the sizes of an instance"
                )
            case _:
                assert_never(t)

    def _unordered(self, t: SortT) -> z3.SortRef:
        if t.name not in self._sorts:
            self._sorts[t.name] = z3.DeclareSort(f"sort.{t.name}")
        return self._sorts[t.name]

    def sorts(self, t: Type) -> tuple[z3.SortRef, ...]:
        """Return the sorts of the leaves of a scalar type."""
        if isinstance(t, OptionT):
            return (z3.BoolSort(), *self.sorts(t.inner))
        if isinstance(t, RecordT):
            return tuple(s for _, inner in t.fields for s in self.sorts(inner))
        return (self.sort(t),)

    def first(self, t: SortT) -> Term:
        """Return the first element; of a sort without order, some element."""
        return z3.IntVal(0) if t.ordered else z3.Const(f"first.{t.name}", self.sort(t))

    def first_of(self, t: SortT, owner: Term) -> Term:
        """Return the first element of an owner, which need not be there."""
        return self._owning(t).first(owner)

    def owner(self, t: SortT, x: Term) -> Term:
        """Return the owner of an element."""
        return self._owning(t).owner(x)

    def _owning(self, t: SortT) -> Owning:
        """Return the functions of an owned sort; what is known of them is noted the first time."""
        assert t.owner is not None
        owners = t.owner
        if t.name not in self._ownings:
            made = self._ownings[t.name] = owning(t, self.sort(owners))
            self.axioms |= axioms_of(
                made, lambda x: self.there(t, (x,)), lambda x: self.there(owners, (x,))
            )
        return self._ownings[t.name]

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
        """Return the next element, if the sort, or the owner of an owned one, has one more."""
        if t.owner is not None:
            following = self._owning(t).succ(x)
            return (following < self.size(t), following)
        return (x + 1 < self.size(t), x + 1)

    def there(self, t: Type, x: Scalar, *, in_range: bool = True) -> Term:
        """Return the formula that says that leaves are those of a value of the type.

        Args:
            t: the type.
            x: the leaves.
            in_range: whether that goes for integers, too; else they may be any.
        """
        match t:
            case SortT() if t.ordered:
                return conjunction((x[0] >= 0, x[0] < self.size(t)))
            case SortT():
                return z3.Function(f"there.{t.name}", self.sort(t), z3.BoolSort())(x[0])
            case IntT():
                return conjunction((x[0] >= t.lo, x[0] <= t.hi)) if in_range else TRUE
            case OptionT():
                return implies(x[0], self.there(t.inner, x[1:], in_range=in_range))
            case RecordT():
                fields = [inner for _, inner in t.fields]
                parts = parts_of(fields, x)
                return conjunction(self.there(*part, in_range=in_range) for part in parts)
            case BoolT() | EnumT():
                return TRUE
            case SetT() | MapT() | SeqT() | ProcT() | FamilyT():
                raise AssertionError(f"{t!r} is no scalar")
            case _:
                assert_never(t)

    def less(self, a: Term, b: Term, strict: bool) -> Term:
        """Return the formula that says that one integer is below the other."""
        if alike(a, b):
            return z3.BoolVal(not strict)
        return a < b if strict else a <= b

    # -- quantifiers ----------------------------------------------------------------------------

    def _number(self, name: str) -> int:
        """Return a number that nothing else of that name has."""
        self._numbers[name] = self._numbers.get(name, 0) + 1
        return self._numbers[name]

    def _variable(self, t: Type) -> Term:
        """Return a new constant that formulas may be about, to be bound or replaced."""
        return self._constant(getattr(t, "name", "int").lower(), self.sort(t))

    def _constant(self, stem: str, sort: z3.SortRef) -> Term:
        made = z3.Const(f"{stem}!{self._number(stem)}", sort)
        self._bound[address(made)] = made
        return made

    def _named_constant(self, name: str, like: Term) -> Term:
        """Return the constant of a name that is of the sort of a term."""
        key = (name, sort_of(like))
        if key not in self._constants:
            self._constants[key] = z3.Const(name, like.sort())
        return self._constants[key]

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
            return self._record_shapes(t)
        x = self._variable(t)
        return [((x,), (x,))]

    def _record_shapes(self, t: RecordT) -> list[Shape]:
        """Return the shapes of a record: each combination of shapes of its fields."""
        return [
            (
                tuple(leaf for leaves, _ in parts for leaf in leaves),
                tuple(x for _, bound in parts for x in bound),
            )
            for parts in itertools.product(*(self.shapes(inner) for _, inner in t.fields))
        ]

    def quantify(self, everywhere: bool, bound: tuple[Term, ...], body: Term) -> Term:
        """Return a formula with quantifiers for those constants that are in it."""
        left: Sequence[Term]
        if everywhere:
            _, used = self._scope(body)
            left = [x for x in bound if address(x) in used]
        else:
            left, body = one_point(bound, body)
        return self._closed(everywhere, left, body) if left else body

    def _closed(self, everywhere: bool, left: Sequence[Term], body: Term) -> Term:
        """Return a quantified formula whose variables have the names that any like it has.

        Two formulas that differ in the names of variables only are one and the same to Z3 then.
        """
        inside, _ = self._scope(body)
        names = [self._named_constant(f"x{inside}.{i}", x) for i, x in enumerate(left)]
        body = replaced(body, left, names)
        return quantified(everywhere, names, body)

    def _scope(self, body: Term) -> BoundIn:
        """Return how many quantifiers are inside each other in a formula, and which constants."""
        self._kept.append(body)
        return scope_of(body, self._scopes)

    def every(self, members: SetValue, body: Callable[[Scalar], Term]) -> Term:
        """Return the formula that says something of each member of a set."""
        return conjunction(
            self.quantify(True, bound, implies(members(x), body(x)))
            for x, bound in self.shapes(members.elem)
        )

    def some(self, members: SetValue, body: Callable[[Scalar], Term]) -> Term:
        """Return the formula that says something of one member of a set."""
        return disjunction(
            self.quantify(False, bound, conjunction((members(x), body(x))))
            for x, bound in self.shapes(members.elem)
        )

    def universe(self, t: Type) -> SetValue:
        """Return the set of all values of a scalar type."""
        return SetValue(t, lambda x: self.there(t, x))

    def at_least(self, members: SetValue, number: int) -> Term:
        """Return the formula that says that a set has that many members, or more."""

        def further(chosen: list[Scalar]) -> Term:
            if len(chosen) == number:
                return TRUE
            return self.some(
                members, lambda x: conjunction((*_apart(x, chosen), further([*chosen, x])))
            )

        return further([])

    # -- defaults -------------------------------------------------------------------------------

    def default(self, t: Type) -> Value:
        """Return the value that a variable of a type starts with when none is given.

        Raises:
            Untranslatable: the type has sequences.
        """
        match t:
            case SetT():
                return SetValue(t.elem, lambda _: FALSE)
            case MapT():
                value = self.default(t.value)
                return MapValue(t.key, t.value, lambda _: value)
            case OptionT():
                return (FALSE, *self.scalar_default(t.inner))
            case RecordT():
                return tuple(x for _, inner in t.fields for x in self.scalar_default(inner))
            case BoolT():
                return (FALSE,)
            case EnumT():
                self.enum(t)
                return (self.enums[t.name][t.members[0]],)
            case IntT():
                return (z3.IntVal(0 if t.lo == -UNBOUNDED else t.lo),)
            case SortT():
                return (self.first(t),)
            case SeqT() | ProcT() | FamilyT():
                raise Untranslatable(f"a value of type {t!r} is no set and no function")
            case _:
                assert_never(t)

    def scalar_default(self, t: Type) -> Scalar:
        """Return the leaves of the default of a scalar type."""
        value = self.default(t)
        assert isinstance(value, tuple)
        return value

    # -- what gets a name -----------------------------------------------------------------------

    def _name(
        self, kind: str, members: SetValue, result: z3.SortRef
    ) -> tuple[Term, bool, Scalar, Term]:
        """Return what a set determines under its name, whether that is new, and what the set is.

        The set is a formula about an element of its own, which no other formula speaks of: a set
        inside of it, or around it, has another.  The name is a function of the bound constants
        that the set depends on.  Sets that differ in those only have the same function, so each
        constant is a blank where they are compared; no formula has blanks of its own.  Where the
        formula does not speak of the element, sets of two types have the same one, but not as many
        members.
        """
        element = tuple(self._constant("elem", sort) for sort in self.sorts(members.elem))
        formula = members(element)
        own = {address(x) for x in element}
        free = constants(formula).items()
        given = tuple(x for i, x in free if i in self._bound and i not in own)
        bound = (*element, *given)
        blanks = [self._named_constant(f"blank!{i}", x) for i, x in enumerate(bound)]
        blank = replaced(formula, bound, blanks)
        key = (kind, members.elem, address(blank))
        new = key not in self._blank
        if new:
            name = f"{kind}!{self._number(kind)}"
            function = z3.Function(name, *(x.sort() for x in given), result)
            known = Named(kind, members.elem, given, element, formula, function)
            self.named[name] = known
            self._blank[key] = (blank, known)
        return applied(self._blank[key][1].function, given), new, element, formula

    def _state(self, made: Term, bound: Iterable[Term], axiom: Term) -> None:
        used = constants(axiom)
        names = [x for x in (*made.children(), *bound) if address(x) in used]
        closed = z3.ForAll(names, axiom) if names else axiom
        self.axioms.setdefault(made.decl().name(), []).append(closed)

    def defined(self, members: SetValue) -> SetValue:
        """Return a set under a name, with what it means as an axiom, if that takes a quantifier.

        What is said of it again and again is so said in one word, and each time the same.
        """
        if not isinstance(members.elem, SortT):
            return members
        x = self._variable(members.elem)
        formula = members((x,))
        if not has_quantifier(formula):
            return members
        depends = [y for i, y in constants(formula).items() if i in self._bound and not alike(x, y)]
        name = f"set!{self._number('set')}"
        made = z3.Function(name, x.sort(), *(y.sort() for y in depends), z3.BoolSort())
        self.definitions[name] = ((x, *depends), formula)
        self.axioms[name] = [z3.ForAll([x, *depends], made(x, *depends) == formula)]
        return SetValue(members.elem, lambda elem: made(*elem, *depends))

    def extreme(self, op: str, members: SetValue) -> Scalar:
        """Return the least or greatest member, as an option."""
        made, new, element, formula = self._name(op, members, self.sort(members.elem))
        is_member = replaced(formula, element, [made])
        if new:
            x = self._variable(members.elem)
            beyond = made <= x if op == "min" else x <= made
            holds = replaced(formula, element, [x])
            self._state(made, [x], implies(holds, conjunction((is_member, beyond))))
        return (is_member, made)

    def count(self, members: SetValue) -> Term:
        """Return a number that is positive if there is a member, and zero otherwise."""
        made, new, element, formula = self._name("count", members, z3.IntSort())
        if new:
            shapes = self.shapes(members.elem)
            for x, bound in shapes:
                self._state(made, bound, implies(replaced(formula, element, x), made >= 1))
            some = self.some(members, lambda _: TRUE)
            self._state(made, [], conjunction((made >= 0, implies(made >= 1, some))))
        return made

    # -- what is known of a state ---------------------------------------------------------------

    def typing(
        self,
        t: Type,
        apply: z3.FuncDeclRef,
        dims: Sequence[Type],
        options: Sequence[z3.FuncDeclRef],
        *,
        in_range: bool,
    ) -> list[Term]:
        """Return what is known of a symbol of a state: it has nothing of what does not exist.

        Args:
            t: the type of the value, when all of `dims` are given.
            apply: the symbol.
            dims: what it is a function of.
            options: the symbols that say whether there is a value.  Where there is none, nothing
                is known of it: what stands for it may be of a sort without elements.
            in_range: whether integers are known to be in their ranges.
        """
        names = [
            z3.Const(f"at!{i}", s) for i, s in enumerate(s for d in dims for s in self.sorts(d))
        ]
        value = apply(*names) if names else apply()
        keys = parts_of(dims, tuple(names))
        inside = conjunction(self.there(*key, in_range=in_range) for key in keys)
        if isinstance(t, SetT):
            said = implies(value, inside)
        elif isinstance(t, SortT | IntT):
            given = conjunction(o(*names) for o in options)
            one = self.there(t, (value,), in_range=in_range)
            said = implies(conjunction((inside, given)), one)
        else:
            return []
        if is_true(said):
            return []
        return [z3.ForAll(names, said) if names else said]


def _apart(x: Scalar, others: list[Scalar]) -> list[Term]:
    return [negation(conjunction(equal(a, b) for a, b in zip(x, o, strict=True))) for o in others]
