"""The text of a clause: its name, how it is written, and the expression that it stands for.

The text is what a person would write, and the front end reads it as the same property: a set that
has nothing in common with another, a set that is empty, and only where nothing shorter says it, a
property of each element.
"""

from __future__ import annotations

import re

from ackproof.lang import ir
from ackproof.lang.program import Program
from ackproof.lang.types import BOOL, SetT, SortT
from ackproof.proofs.templates import Clause, Literal

__all__ = ["body", "name", "text", "variables"]


def variables(sorts: tuple[SortT, ...]) -> tuple[str, ...]:
    """Return names for the variables of a clause: letters, where these tell sorts apart."""
    letters = {sort.name[0].lower() for sort in sorts} - {"s"}
    short = len(letters) == len(set(sorts))
    found = []
    for i, sort in enumerate(sorts):
        plain = sort.name[0].lower() if short else sort.name.lower()
        number = str(sorts[:i].count(sort) + 1) if sorts.count(sort) > 1 else ""
        found.append(plain + number)
    return tuple(found)


# -- the expression ----------------------------------------------------------------------------


def body(clause: Clause, program: Program) -> ir.Expr:
    """Return what a clause says of the state `s`."""
    names = variables(clause.sorts)
    said: list[ir.Expr] = []
    for one in _in_order(clause):
        atom = one.atom.expression(tuple(names[i] for i in one.at), program)
        said.append(atom if one.holds else ir.Not(atom, type=BOOL))
    joined = said[0] if len(said) == 1 else ir.Or(tuple(said), type=BOOL)
    if not names:
        return joined
    binders = tuple(
        ir.Binder(n, ir.Universe(type=SetT(sort)))
        for n, sort in zip(names, clause.sorts, strict=True)
    )
    return ir.Forall(binders, joined, type=BOOL)


def _in_order(clause: Clause) -> list[Literal]:
    """Return what is assumed before what follows, and relations last."""
    return sorted(
        clause.literals,
        key=lambda x: (
            x.atom.variable is None,
            x.holds,
            x.atom.variable.path if x.atom.variable else (),
            x.at,
            str(x.atom.value),
        ),
    )


# -- the text ----------------------------------------------------------------------------------


def text(clause: Clause) -> str:
    """Return a clause as a specification writes it."""
    names = variables(clause.sorts)
    literals = _in_order(clause)
    if all(_alone(x, clause) for x in literals):
        return " or ".join(_whole(x, names) for x in literals)
    compared = _compared(literals, clause, names)
    if compared is not None:
        said, last = compared
        outer = [(n, s.name) for i, (n, s) in enumerate(_paired(clause, names)) if i != last]
        return _for_all(said, outer)
    domains = [(n, s.name) for n, s in _paired(clause, names)]
    for x in literals[:]:
        last = x.at[-1] if x.at else -1
        # A set may stand for all elements where what chooses it is known by then.
        known = all(i < last for i in x.at[:-1]) and domains[last][1] == clause.sorts[last].name
        if len(literals) > 1 and _is_member(x) and not x.holds and known:
            domains[last] = (names[last], x.atom.place(_named(x, names)))
            literals.remove(x)
    said = " or ".join(x.atom.text(_named(x, names), x.holds) for x in literals)
    return _for_all(said, domains)


def _paired(clause: Clause, names: tuple[str, ...]) -> list[tuple[str, SortT]]:
    return list(zip(names, clause.sorts, strict=True))


def _for_all(said: str, domains: list[tuple[str, str]]) -> str:
    if not domains:
        return said
    return f"all({said} {' '.join(f'for {n} in {where}' for n, where in domains)})"


def _named(x: Literal, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(names[i] for i in x.at)


def _is_member(x: Literal) -> bool:
    return x.atom.kind == "member"


def _alone(x: Literal, clause: Clause) -> bool:
    """Tell whether a literal needs no quantifier: a flag, or that some set has no member."""
    if not x.at:
        return True
    others = {i for y in clause.literals if y is not x for i in y.at}
    return _is_member(x) and not x.holds and len(x.at) == 1 and x.at[0] not in others


def _whole(x: Literal, names: tuple[str, ...]) -> str:
    return f"not {x.atom.place(())}" if x.at else x.atom.text((), x.holds)


def _compared(
    literals: list[Literal], clause: Clause, names: tuple[str, ...]
) -> tuple[str, int] | None:
    """Return two sets as one comparison, and the variable that is not needed for it."""
    if len(literals) != 2 or not all(map(_is_member, literals)):
        return None
    one, other = literals
    last = one.at[-1]
    if other.at[-1] != last or last in (*one.at[:-1], *other.at[:-1]) or one.holds:
        return None
    if {*one.at, *other.at} != set(range(len(clause.sorts))):
        return None
    left, right = (x.atom.place(_named(x, names)) for x in literals)
    return (f"{left} <= {right}" if other.holds else f"not ({left} & {right})"), last


# -- the name ----------------------------------------------------------------------------------


def name(clause: Clause) -> str:
    """Return a name that says what a clause says; another clause may have it, too."""
    literals = [x for x in _in_order(clause) if x.atom.variable is not None]
    relation = next((x for x in clause.literals if x.atom.variable is None), None)
    given = list(dict.fromkeys(_word(x) for x in literals if not x.holds))
    then = "Or".join(dict.fromkeys(_word(x) for x in literals if x.holds))
    if relation is not None:
        end = "Agree" if relation.atom.kind == "same" else "InOrder"
        if len(given) == 1 and not then:
            return f"{'AtMostOneIn' if end == 'Agree' else ''}{given[0]}{end.removeprefix('Agree')}"
        return "And".join([*given, *([then] if then else [])]) + end
    if len(literals) == 2 and all(map(_is_member, literals)):
        one, other = literals
        if not one.holds and one.at[-1] == other.at[-1]:
            return f"{_word(one)}{'Within' if other.holds else 'ApartFrom'}{_word(other)}"
    if not given:
        return f"Always{then}"
    if then:
        return f"{'And'.join(given)}Means{then}"
    *first, last = given
    return f"{'And'.join(first)}Excludes{last}" if first else f"Never{last}"


def _word(x: Literal) -> str:
    assert x.atom.variable is not None
    *_, last = x.atom.variable.path
    value = str(x.atom.value).lower() if x.atom.kind == "value" else ""
    return "".join(p.capitalize() for p in re.split(r"_+", f"{last}_{value}") if p)
