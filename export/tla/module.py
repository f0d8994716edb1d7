"""The module: a bound program in TLA+, and the configuration with which TLC searches it.

All that an instance says is in the module: the sizes of sorts, constants, budgets of faults.  So
TLC has the same state space, and comes to the same numbers of states and of steps.  What is not in
it is said in it: properties that speak of events.  Ranges of integers are an invariant,
`TypesHold`, and no part of steps.  Where a model has constraints, TLC does not count the states
that are cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import assert_never

from ackproof.export.mark import TRANSLATED
from ackproof.export.places import VarPath
from ackproof.export.tla.expressions import OPERATORS, Scope, Writer
from ackproof.export.tla.names import tla_names
from ackproof.export.tla.steps import Steps
from ackproof.lang.binding import Bound
from ackproof.lang.ir import Expr
from ackproof.lang.program import Action, PropertyDecl, Variable
from ackproof.lang.types import IntT, MapT, OptionT, RecordT, Type

__all__ = ["TlaModule", "tla_module"]

#: Whose variable it is: the elements of its families.
Members = tuple[object, ...]

_WIDTH = 76


@dataclass(frozen=True)
class TlaModule:
    """A module and its configuration, as texts.

    Args:
        module: what stands in `NAME.tla`.
        configuration: what stands in `NAME.cfg`.
    """

    module: str
    configuration: str


def tla_module(bound: Bound, name: str) -> TlaModule:
    """Return a bound program in TLA+.

    Args:
        bound: the program at the sizes of an instance.
        name: what the module is called, as its file is.
    """
    return _Module(bound, name).written()


class _Module:
    """Writes a module."""

    def __init__(self, bound: Bound, name: str) -> None:
        self.bound, self.name, self.names = bound, name, tla_names()
        self.names.new(name)
        for operator in re.findall(r"^\w+", OPERATORS, re.MULTILINE):
            self.names.new(operator)
        program = bound.program
        self.sorts = {sort.name: self.names.new(sort.name) for sort in program.sorts}
        self.kept = [v for v in program.variables if not v.const]
        self.variables = {v.path: self.names.new("_".join(v.path)) for v in self.kept}
        self.budgets = {fault: self.names.new(f"left_{fault}") for fault in bound.budgets}
        constants = [v for v in program.variables if v.const]
        self.constants = {v.path: self.names.new("_".join(v.path)) for v in constants}
        self.writer = Writer(bound, self.names, self.sorts, self.constants)
        self.steps = Steps(self.writer, self.variables, self.budgets)
        self.actions = {a.name: self.names.new(_capital(a.name)) for a in bound.actions}
        self.invariants: list[str] = []
        self.temporal: list[str] = []
        self.constraints: list[str] = []

    def written(self) -> TlaModule:
        """Return the module and its configuration."""
        lines = [f" MODULE {self.name} ".center(_WIDTH, "-"), *self._head(), *self._begin()]
        for action in self.bound.actions:
            lines += ["", *self.steps.definition(self.actions[action.name], action)]
        lines += ["", *self._next(), *self._properties(), "=" * _WIDTH]
        return TlaModule("\n".join(lines) + "\n", "\n".join(self._configuration()) + "\n")

    # -- declarations ---------------------------------------------------------------------------

    def _head(self) -> Iterator[str]:
        bound = self.bound
        instance = bound.instance
        yield f"\\* {bound.program.name} on {instance.name}: {instance.purpose}".rstrip()
        yield f"\\* {TRANSLATED}  The elements of a sort are numbered from 1."
        if not bound.program.deadlock_free:
            yield "\\* That nothing can go on is allowed: give TLC the option -deadlock."
        yield "EXTENDS Integers, Sequences, FiniteSets, TLC"
        yield ""
        yield "\\* A model value: what an option has that has no value."
        yield "CONSTANT None"
        yield OPERATORS.rstrip()
        yield ""
        for sort, own in self.sorts.items():
            elements = bound.elements[sort]
            listed = f"  \\* {', '.join(map(str, elements[:6]))}" if elements else ""
            yield f"{own} == 1..{len(elements)}{listed}{', …' if len(elements) > 6 else ''}"
        for v in (v for v in bound.program.variables if v.const):
            yield f"{self.constants[v.path]} == {self._for_members(v, self._constant)}"
        yield ""
        listed = ", ".join([*self.variables.values(), *self.budgets.values()])
        yield f"VARIABLES {listed}"
        yield ""
        yield f"vars == <<{listed}>>"
        yield ""

    def _constant(self, v: Variable, members: Members) -> str:
        return self.writer.literal(v.type, self.bound.constants[v.name, members])

    def _for_members(
        self, v: Variable, value: Callable[[Variable, Members], str], members: Members = ()
    ) -> str:
        """Return what a variable is for each member of its families, as a function of them."""
        if len(members) == len(v.families):
            return value(v, members)
        sort = v.families[len(members)]
        elements, own = self.bound.elements[sort.name], self.writer.names.new(sort.name[0].lower())
        each = (self._for_members(v, value, (*members, element)) for element in elements)
        texts = list(each) or ["None"]
        text = texts[-1]
        if len(set(texts)) > 1:
            for number, other in reversed(list(enumerate(texts[:-1], start=1))):
                text = f"IF {own} = {number} THEN {other} ELSE {text}"
        return f"[{own} \\in {self.sorts[sort.name]} |-> {text}]"

    # -- where runs begin, and how they go on ---------------------------------------------------

    def _begin(self) -> Iterator[str]:
        first = dict(
            zip(
                ((loc.variable.path, loc.elements) for loc in self.bound.locations),
                self.bound.first(),
                strict=False,
            )
        )

        def value(v: Variable, members: Members) -> str:
            return self.writer.literal(v.type, first[v.path, members])

        yield "Init =="
        for v in self.kept:
            own = self.variables[v.path]
            if v.anything:
                yield f"  /\\ {own} \\in {self._set_for(v)}"
            else:
                yield f"  /\\ {own} = {self._for_members(v, value)}"
        for fault, own in self.budgets.items():
            yield f"  /\\ {own} = {self.bound.budgets[fault]}"
        for prop in self.bound.initially:
            yield f"  /\\ {self._said(prop)}  \\* {prop.name}"

    def _set_for(self, v: Variable) -> str:
        """Return the set of all values of a variable, for all members of its families."""
        text = self.writer.set_of(v.type)
        for sort in reversed(v.families):
            text = f"[{self.sorts[sort.name]} -> {text}]"
        return text

    def _next(self) -> Iterator[str]:
        yield "Next =="
        for action in self.bound.actions:
            chosen, taken = self._taken(action)
            yield f"  \\/ \\E {chosen} : {taken}" if chosen else f"  \\/ {taken}"
        # TLC wants an action even where no argument of any has a value.
        yield "  \\/ FALSE /\\ UNCHANGED vars"
        yield ""
        yield "Spec =="
        yield "  /\\ Init"
        yield "  /\\ [][Next]_vars"
        for action in (a for a in self.bound.actions if a.fair):
            chosen, taken = self._taken(action)
            formula = f"{'WF' if action.fair == 'weak' else 'SF'}_vars({taken})"
            yield f"  /\\ \\A {chosen} : {formula}" if chosen else f"  /\\ {formula}"

    def _taken(self, action: Action) -> tuple[str, str]:
        """Return the choice of an action's arguments, and the action with them."""
        name = self.actions[action.name]
        self.writer.begin()
        names = self.writer.names
        params = [(names.new(p.name), self.writer.set_of(p.type)) for p in action.params]
        chosen = ", ".join(f"{own} \\in {among}" for own, among in params)
        return chosen, f"{name}({', '.join(own for own, _ in params)})" if params else name

    # -- what is claimed ------------------------------------------------------------------------

    def _properties(self) -> Iterator[str]:
        yield from self._types()
        for prop in self.bound.properties:
            yield ""
            if prop.event is not None or prop.of:
                what = "an event" if prop.event is not None else "one action"
                yield f"\\* {prop.name} speaks of {what}, and is not here: {_first_line(prop)}"
                continue
            own, said = self.names.new(prop.name), self._said(prop)
            yield f"\\* {_first_line(prop)}"
            match prop.claim:
                case "invariant":
                    self.invariants.append(own)
                    yield f"{own} == {self._of_a_state(said)}"
                case "step":
                    self.temporal.append(own)
                    yield f"{own} == [][{said}]_vars"
                case "eventually":
                    self.temporal.append(own)
                    yield f"{own} == []<>{said}"
                case "leads_to":
                    self.temporal.append(own)
                    trigger = self._of_a_state(self._text(prop, prop.trigger))
                    yield f"{own} == {trigger} ~> {self._of_a_state(said)}"
                case "reachable":
                    yield "\\* It should come up: as an invariant, its negation is violated."
                    yield f"{own} == {said}"
                case _:
                    assert_never(prop.claim)
        for prop in self.bound.constraints:
            own = self.names.new(prop.name)
            self.constraints.append(own)
            yield from ("", f"\\* {_first_line(prop)}", f"{own} == {self._said(prop)}")

    def _types(self) -> Iterator[str]:
        """Yield the invariant that integers are in their ranges."""
        bounded = [v for v in self.kept if _has_range(v.type)]
        if bounded:
            own = self.names.new("TypesHold")
            self.invariants.append(own)
            yield from ("", f"{own} ==")
            for v in bounded:
                yield f"  /\\ {self.variables[v.path]} \\in {self._set_for(v)}"

    def _of_a_state(self, said: str) -> str:
        """Return something that is said of a state, also where it is true of all or of none.

        Of formulas without a variable TLC says that `(x = 1) ~> TRUE` is violated, and it ends
        without a search where an invariant is such a one, and false.
        """
        listed = "|".join(map(re.escape, self.variables.values()))
        if not listed or re.search(rf"(?<![\w.\"])(?:{listed})\b", said):
            return said
        return f"({said} /\\ vars = vars)"

    def _said(self, prop: PropertyDecl) -> str:
        return self._text(prop, prop.body)

    def _text(self, prop: PropertyDecl, e: Expr | None) -> str:
        assert e is not None
        self.writer.begin()
        primed = {path: f"{own}'" for path, own in self.variables.items()}
        now: list[dict[VarPath, str]] = [self.variables, primed]
        return self.writer.text(e, Scope(dict(zip(prop.roots, now, strict=False))))

    def _configuration(self) -> Iterator[str]:
        yield f"\\* {TRANSLATED}"
        yield "SPECIFICATION Spec"
        yield "CONSTANT None = None"
        for what, names in (
            ("INVARIANT", self.invariants),
            ("PROPERTY", self.temporal),
            ("CONSTRAINT", self.constraints),
        ):
            yield from (f"{what} {name}" for name in names)


def _capital(name: str) -> str:
    """Return the name of an action as it is usual in TLA+."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _first_line(prop: PropertyDecl) -> str:
    return prop.doc.partition("\n")[0]


def _has_range(t: Type) -> bool:
    """Tell whether an integer of a range is in a variable, but for sequences."""
    match t:
        case IntT():
            return True
        case OptionT(inner):
            return _has_range(inner)
        case MapT(_, value):
            return _has_range(value)
        case RecordT(fields=fields):
            return any(_has_range(f) for _, f in fields)
    return False
