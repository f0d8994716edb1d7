"""Terms of Promela: texts of expressions, and constants that are known while they are written.

Sizes and arguments are known, so much of what a specification says is decided here: a term is a
constant of Python where it can be, and else a text, which is a whole and needs no brackets.  A
`Named` constant is known and has a name in the model all the same.

A set is an integer that has a bit for each possible element.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = [
    "MACROS",
    "Named",
    "Term",
    "add",
    "all_of",
    "any_of",
    "bare",
    "bit",
    "both",
    "choose",
    "count",
    "divide",
    "equal",
    "expanded",
    "first_of",
    "has",
    "last_of",
    "less",
    "negation",
    "rest_of",
    "set_of",
    "show",
    "sub",
    "times",
    "union",
    "without",
    "wrapped",
    "xor",
]

Term = int | str

#: How long a line may be.
_LINE = 100

#: What every model defines.
MACROS = {
    "BIT": "#define BIT(i) (1 << (i))",
    "HAS": "#define HAS(s, i) ((s) >> (i) & 1)",
}


#: Whether two simple values are equal, or not.
_COMPARED = re.compile(r"\(([^()&|!<>=]+) (==|!=) ([^()&|!<>=]+)\)")


#: Something in brackets, or its opposite, with a sign that joins it to what follows.
_IN_BRACKETS = re.compile(r"(!?)(\(.*\))(| &&| \|\|)")


#: A macro of sets, with how often its argument is in it; and what is around that, about.
_MACRO = re.compile(r"\b(?:HAS|BIT|(?:COUNT|LEAST|GREATEST)_(\d+))\(")
_AROUND = 24


class Named(int):
    """A constant with a name."""

    name: str

    def __new__(cls, value: int, name: str) -> Named:
        """Return a constant."""
        found = super().__new__(cls, value)
        found.name = name
        return found


def show(term: Term) -> str:
    """Return a term as it is written."""
    if isinstance(term, str):
        return term
    if isinstance(term, bool):
        return "true" if term else "false"
    if isinstance(term, Named):
        return term.name
    return str(term) if term >= 0 else f"({term})"


def bare(term: Term) -> str:
    """Return a term as it is written where nothing else is, without its outer brackets."""
    text = show(term)
    if not text.startswith("("):
        return text
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return text[1:-1] if at == len(text) - 1 else text
        if depth == 1 and text.startswith("->", at):
            break  # a choice is written in brackets wherever it is
    return text


def wrapped(term: Term, indent: int) -> str:
    """Return a term as `bare` does, in lines if it is long: what is joined in it has one each."""
    text = bare(term)
    if len(text) + indent <= _LINE:
        return text
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and text[at : at + 4] in (" && ", " || "):
            parts.append(text[start : at + 3])
            start = at + 4
    parts.append(text[start:])
    if len(parts) > 1:
        return f"\n{' ' * indent}".join(_bracketed(part, indent) for part in parts)
    return text


def _bracketed(text: str, indent: int) -> str:
    """Return what stands in brackets in lines, if it is long; a sign may follow."""
    found = _IN_BRACKETS.fullmatch(text)
    if found is None or len(text) + indent <= _LINE or bare(found[2]) == found[2]:
        return text
    head = f"{found[1]}("
    return f"{head}{wrapped(found[2], indent + len(head))}){found[3]}"


# -- truth ----------------------------------------------------------------------------------------


def negation(a: Term) -> Term:
    """Return the opposite of a truth value."""
    if isinstance(a, int):
        return not a
    compared = _COMPARED.fullmatch(a)
    if compared is not None:
        one, sign, other = compared.groups()
        return f"({one} {'!=' if sign == '==' else '=='} {other})"
    return a[1:] if a.startswith("!") else f"!{a}"


def all_of(*terms: Term) -> Term:
    """Return whether all hold; they are looked at in order, and no further than is needed."""
    return _joined(terms, "&&", neutral=True)


def any_of(*terms: Term) -> Term:
    """Return whether one holds; they are looked at in order, and no further than is needed."""
    return _joined(terms, "||", neutral=False)


def _joined(terms: Iterable[Term], sign: str, *, neutral: bool) -> Term:
    parts: list[str] = []
    for term in terms:
        if isinstance(term, int):
            if bool(term) is neutral:
                continue
            if not parts:
                return not neutral
            parts.append(show(not neutral))
            break
        if term not in parts:
            parts.append(term)
    if not parts:
        return neutral
    if parts[-1] == show(not neutral):
        return not neutral
    return parts[0] if len(parts) == 1 else f"({f' {sign} '.join(parts)})"


def equal(a: Term, b: Term) -> Term:
    """Return whether two values are equal."""
    if isinstance(a, int):
        a, b = b, a
    if isinstance(a, int) and isinstance(b, int):
        return int(a) == int(b)
    if isinstance(b, bool):
        return a if b else negation(a)
    return True if a == b else f"({show(a)} == {show(b)})"


def less(a: Term, b: Term, *, strict: bool, least: int | None = None) -> Term:
    """Return whether a number is less than another, or, if it is not strict, equal to it.

    Args:
        a: the number.
        b: the other.
        strict: whether it must be less.
        least: what neither is less than, if that is known.
    """
    if isinstance(a, int) and isinstance(b, int):
        return int(a) < int(b) if strict else int(a) <= int(b)
    if a == b or (least is not None and (b if strict else a) == least):
        return not strict
    return f"({show(a)} {'<' if strict else '<='} {show(b)})"


def choose(cond: Term, a: Term, b: Term) -> Term:
    """Return `a` where a condition holds, and else `b`."""
    if isinstance(cond, int):
        return a if cond else b
    if type(a) is type(b) and a == b:
        return a
    match a, b:
        case True, False:
            return cond
        case False, True:
            return negation(cond)
    if a is True or a is False:
        return any_of(cond, b) if a else all_of(negation(cond), b)
    if b is True or b is False:
        return any_of(negation(cond), a) if b else all_of(cond, a)
    return f"({cond} -> {show(a)} : {show(b)})"


# -- numbers --------------------------------------------------------------------------------------


def add(a: Term, b: Term) -> Term:
    """Return a sum."""
    if isinstance(a, int) and isinstance(b, int):
        return int(a) + int(b)
    if a == 0 and isinstance(a, int):
        return b
    if b == 0 and isinstance(b, int):
        return a
    if isinstance(b, int) and b < 0:
        return sub(a, -b)
    return f"({show(a)} + {show(b)})"


def sub(a: Term, b: Term) -> Term:
    """Return a difference."""
    if isinstance(a, int) and isinstance(b, int):
        return int(a) - int(b)
    if isinstance(b, int) and b <= 0:
        return add(a, -b)
    return f"({show(a)} - {show(b)})"


def times(a: Term, b: Term) -> Term:
    """Return a product."""
    if isinstance(a, int) and isinstance(b, int):
        return int(a) * int(b)
    for one, other in ((a, b), (b, a)):
        if isinstance(one, int) and one in (0, 1):
            return other if one else 0
    return f"({show(a)} * {show(b)})"


def divide(a: Term, b: int) -> Term:
    """Return the whole part of a quotient of numbers that are not negative."""
    if isinstance(a, int):
        return int(a) // b
    return a if b == 1 else f"({a} / {b})"


# -- sets -----------------------------------------------------------------------------------------


def bit(code: Term) -> Term:
    """Return the set of one element."""
    return 1 << code if isinstance(code, int) else f"BIT({bare(code)})"


def has(mask: Term, code: Term) -> Term:
    """Return whether an element is in a set."""
    if isinstance(mask, int) and isinstance(code, int):
        return bool(mask >> code & 1)
    if isinstance(mask, int) and mask == 0:
        return False
    return f"HAS({bare(mask)}, {bare(code)})"


def union(a: Term, b: Term) -> Term:
    """Return what is in either set."""
    return _bits(a, b, "|", 0)


def xor(a: Term, b: Term) -> Term:
    """Return what is in one of two sets."""
    return _bits(a, b, "^", 0)


def both(a: Term, b: Term, full: int) -> Term:
    """Return what is in both sets, of all that there may be."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, int) and isinstance(other, str) and one == full:
            return other
    if isinstance(a, int) and isinstance(b, int):
        return int(a) & int(b)
    if 0 in (a, b):
        return 0
    return a if a == b else f"({show(a)} & {show(b)})"


def without(a: Term, b: Term, full: int) -> Term:
    """Return what is in the first set and not in the second, of all that there may be."""
    if isinstance(b, int):
        return both(a, full & ~b, full)
    if isinstance(a, int) and a == 0:
        return 0
    return 0 if a == b else f"({show(a)} & ~{b})"


def _bits(a: Term, b: Term, sign: str, neutral: int) -> Term:
    if isinstance(a, int) and isinstance(b, int):
        return int(a) | int(b) if sign == "|" else int(a) ^ int(b)
    for one, other in ((a, b), (b, a)):
        if isinstance(one, int) and one == neutral:
            return other
    if a == b:
        return a if sign == "|" else 0
    return f"({show(a)} {sign} {show(b)})"


def set_of(members: Iterable[tuple[int, Term]]) -> Term:
    """Return the set of the elements for which something holds."""
    known: int = 0
    parts = []
    for code, cond in members:
        if isinstance(cond, int):
            known |= bool(cond) << code
        else:
            parts.append(f"({cond} << {code})" if code else cond)
    if not parts:
        return known
    if known:
        parts.append(str(known))
    return f"({' | '.join(parts)})" if len(parts) > 1 else parts[0]


def count(mask: Term, size: int) -> Term:
    """Return how many elements a set has, of so many that it may have."""
    if isinstance(mask, int):
        return mask.bit_count()
    return f"COUNT_{size}({bare(mask)})" if size else 0


def first_of(mask: Term, size: int) -> Term:
    """Return the least element of a set, or one beyond all if it is empty."""
    if isinstance(mask, int):
        return next((i for i in range(size) if mask >> i & 1), size)
    return f"LEAST_{size}({bare(mask)})" if size else 0


def last_of(mask: Term, size: int) -> Term:
    """Return the greatest element of a set, or one beyond all if it is empty."""
    if isinstance(mask, int):
        return next((i for i in reversed(range(size)) if mask >> i & 1), size)
    return f"GREATEST_{size}({bare(mask)})" if size else 0


def rest_of(a: Term, b: int) -> Term:
    """Return what a division of a number that is not negative leaves."""
    if isinstance(a, int) or b == 1:
        return int(a) % b if isinstance(a, int) else 0
    return f"({a} % {b})"


# -- macros ---------------------------------------------------------------------------------------


def expanded(text: str) -> int:
    """Return about how long a text is when its macros are expanded."""
    total = position = 0
    for found in _MACRO.finditer(text):
        if found.start() < position:
            continue  # it is in the argument of another
        end = _closing(text, found.end())
        times = int(found[1] or 1)
        total += found.start() - position + times * (expanded(text[found.end() : end]) + _AROUND)
        position = end
    return total + len(text) - position


def _closing(text: str, start: int) -> int:
    """Return where the bracket ends that is open at a position."""
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return len(text)
