"""The model: a bound program in Promela, as SPIN verifies it.

All that an instance says is in it: the sizes of sorts, constants, budgets of faults.  There is one
process, which goes round a loop: it takes a step, of those that are enabled, and then looks at what
is claimed.  Both are one `atomic`, so there is one state in the loop for each state of the program,
and one more for where the process begins.

What is claimed of states and steps is asserted, each claim under its own name, of every state and
every step.  For what is claimed of steps, the state before a step is kept until it is looked at.
What is claimed of runs is in it, too, where SPIN can tell; see `runs`.  What is not is said in it:
properties that speak of events.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from ackproof.export.mark import TRANSLATED
from ackproof.export.promela.codes import Codes, numbers
from ackproof.export.promela.expressions import Scope, Writer
from ackproof.export.promela.names import BEFORE, promela_names
from ackproof.export.promela.runs import VECTOR, Choices, Runs, why_not
from ackproof.export.promela.steps import Steps, is_loose
from ackproof.export.promela.terms import Term, all_of, bare, expanded, show, wrapped
from ackproof.export.promela.variables import Kept, State, Store, Variables, holding
from ackproof.lang import ir
from ackproof.lang.binding import Bound
from ackproof.lang.data import domain
from ackproof.lang.data import show as shown
from ackproof.lang.ir import Expr
from ackproof.lang.program import Action, PropertyDecl
from ackproof.lang.properties import FAILURES
from ackproof.model.limits import refuse_too_many_choices

__all__ = ["PromelaModel", "promela_model"]

#: Characters that SPIN takes in an `inline`, with macros expanded, are some more; what is longer
#: is a macro itself.
_INLINE = 50_000


@dataclass(frozen=True)
class PromelaModel:
    """A model.

    Args:
        text: what stands in the file.
        claims: what is asserted, by name, and the name of the property that it is.
        runs: the same of formulas about runs; none if they are left out.
        vector: how many bytes of a state a verifier must have room for, None if that is usual.
        commands: how the first formula about runs is asked of the file `FILE`; none if there is
            none.
    """

    text: str
    claims: dict[str, str]
    runs: dict[str, str]
    vector: int | None
    commands: tuple[str, ...] = ()


def promela_model(bound: Bound) -> PromelaModel:
    """Return a bound program in Promela.

    Args:
        bound: the program at the sizes of an instance.

    Raises:
        BindError: a value or a set does not fit into an integer of SPIN, or there is too much to
            write out.
    """
    refuse_too_many_choices(bound)
    return _Model(bound).written()


class _Model:
    """Writes a model."""

    def __init__(self, bound: Bound) -> None:
        self.bound, self.names = bound, promela_names()
        where = f"instance {bound.instance.name}"
        self.codes = Codes(bound.elements, self.names, where)
        self.variables = Variables(bound, self.codes, self.names)
        self.writer = Writer(self.codes, self.variables)
        self.budgets = {fault: self.names.new(f"left_{fault}") for fault in bound.budgets}
        self.failures = tuple(self.names.new(name) for name in FAILURES)
        self.claims = dict(zip(self.failures, FAILURES, strict=True))
        one, other = self.failures
        self.steps = Steps(self.writer, self.names, self.budgets, (one, other))
        self.before = Store(BEFORE)
        self.runs = Runs(bound, self.codes, self.names, self._text)
        self.within = self._within()

    def written(self) -> PromelaModel:
        """Return the model."""
        claims = list(self._claims())
        reached = list(self._reached())
        loose = any(is_loose(n) for a in self.bound.actions for s in a.body for n in ir.walk(s))
        remember = "remember" if self.before.asked or loose else ""
        taken: list[Choices] = []
        actions: list[str] = []
        for action in self.bound.actions:
            choices = self._choices(action)
            if choices.given:
                own = choices.name
                lines, possible = self.steps.definition(own, action, self.within, remember, "undo")
                if possible:
                    actions += ["", *_inline(lines)]
                    taken.append(choices)
        self.before.asked |= self.steps.undone
        if not self.steps.may_fail:
            for name in self.failures:
                del self.claims[name]
        asked = list(self._reachable(reached))
        looking = ["", *self._check(claims, reached)]
        first = []
        if remember:
            first += ["", "inline remember() {", *self._remembered(), "}"]
        if self.steps.undone:
            first += ["", "/* Make a step undone. */", "inline undo() {", *self._undone(), "}"]
        unread = self._unread([*actions, *looking])
        process = ["", *self._process(taken, unread)]
        declared = list(self._declarations())
        size = self._bytes(declared)
        left_out = why_not(taken, cut=bool(self.within))
        commands: tuple[str, ...] = ()
        if not left_out and any(p.of_runs for p in self.bound.properties):
            runs = self.runs.written(taken, [*self._first(back="false")], size)
            process = ["", "#ifdef RUNS", *runs, "#else", *process, "#endif"]
            commands = self.runs.commands("FILE", taken, size)
        text = [*first, *actions, *asked, *looking, *process]
        head = [*self._head(left_out), *self._macros("\n".join(text)), "", *declared]
        whole = "\n".join([*head, *text]) + "\n"
        vector = 2 * size if size > VECTOR else None
        return PromelaModel(whole, self.claims, self.runs.claims, vector, commands)

    # -- declarations ---------------------------------------------------------------------------

    def _head(self, left_out: str) -> Iterator[str]:
        bound = self.bound
        title = f"{bound.program.name} on {bound.instance.name}: {bound.instance.purpose}"
        yield f"/* {_safe(title.rstrip(' :'))}"
        yield f" * {TRANSLATED}"
        yield " *"
        yield " * Elements of sorts and members of enums are numbers, counted from 0; None is the"
        yield " * number beyond.  A set has a bit for each element.  An array that is indexed by"
        yield " * several has the last of them fastest.  SPIN stores a state more than there are:"
        yield " * that in which the process begins."
        yield " */"
        for sort in bound.program.sorts:
            elements = bound.elements[sort.name]
            listed = ", ".join(map(str, elements[:8])) or "none"
            yield f"/* {sort.name}: {listed}{', …' if len(elements) > 8 else ''} */"
        events = [p.name for p in bound.properties if p.event is not None]
        runs = [p.name for p in bound.properties if p.of_runs]
        yield from _listed("Not here, since it speaks of events:", events)
        asked = [p.name for p in bound.properties if p.of and p.event is None]
        yield from _listed("Not here, since it speaks of the steps of one action:", asked)
        if left_out:
            yield from _listed(f"Not here, since it is about runs, and {left_out}:", runs)
        yield ""

    def _macros(self, text: str) -> Iterator[str]:
        """Yield the macros that are used."""
        macros = dict(self.codes.macros)
        text += "\n".join(macros.values())
        for kind in ("COUNT", "LEAST", "GREATEST"):
            for size in sorted({int(n) for n in re.findall(rf"\b{kind}_(\d+)\(", text)}):
                macros[f"{kind}_{size}"] = f"#define {kind}_{size}(s) {_counted(kind, size)}"
        yield from macros.values()

    def _declarations(self) -> Iterator[str]:
        for kept in self.variables.state:
            yield from self.variables.declared(kept)
        for fault, own in self.budgets.items():
            left = self.bound.budgets[fault]
            yield f"{holding(0, left)} {own} = {left};"
        if self.before.asked:
            yield ""
            yield "/* The state before a step, for what is claimed of steps; 0 between steps. */"
            for kept in self.before.asked.values():
                yield from self.variables.declared(kept, BEFORE, begin=False)
        if self.steps.locals:
            yield ""
            yield "/* What a step counts with; 0 between steps. */"
            yield from (f"{holding(*b)} {name};" for name, b in self.steps.locals.items())
        yield ""
        yield "/* Whether what is claimed holds; true but where it is asserted. */"
        yield from (f"bool {name} = true;" for name in self.claims)

    @staticmethod
    def _bytes(declared: list[str]) -> int:
        """Return how many bytes the variables of a state take, about."""
        widths = {"bool": 1, "byte": 1, "short": 2, "int": 4}
        found = re.findall(r"^(bool|byte|short|int) \w+(?:\[(\d+)\])?", "\n".join(declared), re.M)
        return sum(widths[t] * int(count or 1) for t, count in found)

    # -- steps ----------------------------------------------------------------------------------

    def _choices(self, action: Action) -> Choices:
        """Return an action with each choice of its arguments, and a name."""
        elements = self.bound.elements
        given, said = [], []
        for args in product(*(domain(p.type, elements) for p in action.params)):
            pairs = list(zip(action.params, args, strict=True))
            given.append(", ".join(show(self.codes.data(p.type, arg)) for p, arg in pairs))
            said.append(_safe(_called(action.name, [(p.name, arg) for p, arg in pairs])))
        return Choices(action, self.names.new(action.name), tuple(given), tuple(said))

    def _remembered(self) -> Iterator[str]:
        found = [
            f"  {show(old)} = {show(now)};" for old, now in self._pairs(self.before.asked.values())
        ]
        yield from found or ["  skip"]

    def _undone(self) -> Iterator[str]:
        for old, now in self._pairs(self.steps.undone.values()):
            yield f"  {show(now)} = {show(old)};"

    def _pairs(self, variables: Iterable[Kept]) -> Iterator[tuple[Term, Term]]:
        """Yield the numbers of variables, as they were before a step and as they are."""
        now = Store()
        for kept in variables:
            for index in range(kept.count):
                old, new = self.before.read(kept, index), now.read(kept, index)
                yield from zip(numbers(old), numbers(new), strict=True)

    def _unread(self, lines: list[str]) -> str:
        """Return what reads the variables that are read nowhere else; "" if there are none.

        What comes up is not always asked.
        """
        text = "\n".join(lines)
        found = []
        for kept in self.variables.state:
            for name in filter(None, (kept.name, kept.length)):
                all_, written = rf"\b{name}\b", rf"^ *{name}(\[.*\])?(\+\+|--| = )"
                if len(re.findall(all_, text)) == len(re.findall(written, text, re.M)):
                    many = kept.count > 1 or (name == kept.name and kept.length)
                    found.append(f"{name}[0]" if many else name)
        return " + ".join(found)

    def _process(self, taken: list[Choices], unread: str) -> Iterator[str]:
        options = [option for one in taken for option in one.options]
        yield "active proctype System() {"
        yield from self._begin(unread)
        if not self.bound.program.deadlock_free:
            yield "end:  /* that nothing can go on is allowed */"
        yield "  do"
        if options:
            yield "  :: atomic {"
            yield "       if"
            yield from (f"       :: {option}" for option in options)
            yield "       fi;"
            yield "       d_step { check_step(); check_state() }"
            yield "     }"
        if self.within and self.bound.program.deadlock_free:
            yield f"  :: !{self.within}  /* nothing is said of what is cut */"
        elif not options:
            yield "  :: false"
        yield "  od"
        yield "}"

    # -- where runs begin -----------------------------------------------------------------------

    def _begin(self, unread: str) -> Iterator[str]:
        """Yield what the process does first: it chooses what may be anything, and looks at it."""
        if unread:
            yield "  /* SPIN leaves out of a state what is read nowhere: what is, is read here. */"
            unread = f"true || {unread} > 0; "
        first = list(self._first("goto beginning", f"{unread}check_state()"))
        if first:
            yield from ("beginning:", "  atomic {", *first, "  };")
        else:
            yield f"  d_step {{ {unread}check_state() }};"

    def _first(self, back: str, then: str = "skip") -> Iterator[str]:
        """Yield what chooses values that may be anything, if there are any.

        Args:
            back: what is done where what is chosen is not meant.
            then: what is done where it is.
        """
        chosen = list(self._chosen())
        if not chosen and not self.bound.initially:
            return
        for cell, values, _ in chosen:
            yield f"    if {' '.join(f':: {cell} = {value}' for value in values)} fi;"
        meant = all_of(*(self._said(prop) for prop in self.bound.initially))
        yield "    if"
        yield f"    :: {bare(meant)} -> d_step {{ {then} }}"
        if self.bound.initially:
            again = " ".join(f"{cell} = {first};" for cell, _, first in chosen)
            yield f"    :: else -> d_step {{ {again or 'skip'} }}; {back}"
        yield "    fi;"

    def _chosen(self) -> Iterator[tuple[str, list[str], str]]:
        """Yield the numbers that may be anything: which values they may have, and have first."""
        store = Store()
        for kept in (k for k in self.variables.state if k.variable.anything):
            every = [
                show(self.codes.data(kept.type, data))
                for data in domain(kept.type, self.bound.elements)
            ]
            firsts = self.variables.begin(kept)
            for index in range(kept.count):
                yield store.cell(kept, index), every, show(firsts[index])

    # -- what is claimed ------------------------------------------------------------------------

    def _within(self) -> str:
        """Return the condition under which a search goes on, as it is written; "" if always."""
        found = all_of(*(self._said(prop) for prop in self.bound.constraints))
        if found is True:
            return ""
        own = self.names.new("Within")
        self.codes.macros[own] = f"#define {own} ({bare(found)})"
        return own

    def _claims(self) -> Iterator[tuple[str, Term, PropertyDecl]]:
        """Yield what is claimed of states and of steps, with names."""
        for prop in self.bound.properties:
            if prop.claim in ("invariant", "step") and prop.event is None and not prop.of:
                own = self.names.new(prop.name)
                self.claims[own] = prop.name
                yield own, self._said(prop), prop

    def _reached(self) -> Iterator[tuple[str, Term, PropertyDecl]]:
        """Yield what must come up, with names."""
        for prop in self.bound.properties:
            if prop.claim == "reachable" and prop.event is None:
                yield self.names.new(prop.name), self._said(prop), prop

    def _said(self, prop: PropertyDecl) -> Term:
        return self._text(prop, prop.body)

    def _text(self, prop: PropertyDecl, e: Expr) -> Term:
        states: list[State] = [self.before, Store()] if prop.of_steps else [Store()]
        return self.writer.term(e, Scope(dict(zip(prop.roots, states, strict=True))))

    def _check(
        self,
        claims: list[tuple[str, Term, PropertyDecl]],
        reached: list[tuple[str, Term, PropertyDecl]],
    ) -> Iterator[str]:
        """Yield what looks at a state, and at the step that has led there."""
        of_states = [one for one in claims if not one[2].of_steps]
        of_steps = [one for one in claims if one[2].of_steps]
        body = [line for one in of_states for line in _asserted(*one)]
        body += ["  reach_state();"] if any(not p.of_steps for *_, p in reached) else []
        yield from _inline(["inline check_state() {", *(body or ["  skip"]), "}"])
        body = [line for one in of_steps for line in _asserted(*one)]
        body += ["  reach_step();"] if any(p.of_steps for *_, p in reached) else []
        if self.steps.may_fail:
            first = [f"  assert({name});" for name in self.failures]
            if body:
                fine = " && ".join(self.failures)
                body = ["  if", f"  :: {fine} ->", *_deeper(body), "  :: else", "  fi;"]
            body = [*first, *body, *(f"  {name} = true;" for name in self.failures)]
        body += self._forgotten()
        yield ""
        yield from _inline(["inline check_step() {", *(body or ["  skip"]), "}"])

    def _forgotten(self) -> Iterator[str]:
        """Yield what makes the state before a step 0 again."""
        for old, _ in self._pairs(self.before.asked.values()):
            yield f"  {show(old)} = 0;"

    def _reachable(self, reached: list[tuple[str, Term, PropertyDecl]]) -> Iterator[str]:
        """Yield what says that something comes up, for who asks for it."""
        if not reached:
            return
        yield from ("", "/* With `spin -a -DREACHABLE`, what comes up violates an assertion. */")
        yield "#ifdef REACHABLE"
        yield from (f"bool {name};" for name, _, _ in reached)
        for own, of_steps in (("reach_state", False), ("reach_step", True)):
            lines = []
            for name, said, prop in reached:
                if prop.of_steps is of_steps:
                    lines += [f"  /* {_safe(_first_line(prop))} */"]
                    lines += [f"  {name} = {wrapped(said, 4)};"]
                    lines += [f"  assert(!{name}); {name} = false;"]
            yield from _inline([f"inline {own}() {{", *(lines or ["  skip"]), "}"])
        yield "#else"
        yield from ("#define reach_state() skip", "#define reach_step() skip", "#endif")


def _asserted(name: str, said: Term, prop: PropertyDecl) -> Iterator[str]:
    """Yield what asserts a claim under its name."""
    yield f"  /* {_safe(_first_line(prop))} */"
    yield f"  {name} = {wrapped(said, 4)};"
    yield f"  assert({name}); {name} = true;"


def _first_line(prop: PropertyDecl) -> str:
    return prop.doc.partition("\n")[0]


def _deeper(lines: list[str]) -> Iterator[str]:
    yield from (f"   {line}" for text in lines for line in text.splitlines())


def _inline(lines: list[str]) -> list[str]:
    """Return a definition as SPIN takes it, however long it is."""
    if expanded("\n".join(lines)) < _INLINE:
        return lines
    start = next(i for i, line in enumerate(lines) if line.startswith("inline "))
    head = lines[start].removeprefix("inline ").removesuffix(" {")
    body = [f"{line} \\" for text in lines[start + 1 : -1] for line in text.splitlines()]
    return [*lines[:start], f"#define {head} \\", *body, ""]


def _counted(kind: str, size: int) -> str:
    """Return what a macro about a set says."""
    if kind == "COUNT":
        return f"({' + '.join(f'HAS(s, {i})' for i in range(size))})"
    order = range(size) if kind == "LEAST" else reversed(range(size))
    text = str(size)
    for i in reversed(list(order)):
        text = f"(HAS(s, {i}) -> {i} : {text})"
    return text


def _listed(title: str, names: list[str]) -> list[str]:
    """Return a comment that lists some names."""
    if not names:
        return []
    return textwrap.wrap(f"/* {title} {', '.join(names)}. */", 92, subsequent_indent="   ")


def _called(name: str, args: list[tuple[str, object]]) -> str:
    return f"{name}({', '.join(f'{param}={shown(arg)}' for param, arg in args)})"


def _safe(text: str) -> str:
    """Return a text that ends no comment."""
    return text.replace("*/", "* /")
