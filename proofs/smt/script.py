"""Scripts: formulas in the language of SMT-LIB 2, which every solver reads.

The same formulas give the same text: names that a translation makes up are numbered anew in each
script.  What it says is what the formulas say: printing lets an inner quantifier bind a name that
an outer one has bound, which would change what the text means, so that is looked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import z3
from ackproof.proofs.smt.logic import Term
from ackproof.proofs.smt.unbounded import Untranslatable

__all__ = ["script", "shadowed"]

#: What a translation numbers, and what Z3 numbers where a term occurs more than once.
_NUMBERED = re.compile(r"([$?]x|[\w.]+!)\d+")
#: How Z3 prints a member of an enum that has come from elsewhere, which no other solver reads.
_MEMBER = re.compile(r"\(_ (\S+) \1\)")
_TOKEN = re.compile(r"[()]|\|[^|]*\||[^\s()]+")


def script(formulas: Sequence[Term]) -> str:
    """Return formulas as a script that asks whether they have a model.

    Args:
        formulas: what is asserted.

    Raises:
        Untranslatable: a quantifier binds a name inside of one that has bound it already.
    """
    # What Z3 gives a name of its own depends on what else there is; here there is nothing else.
    alone = z3.Context()
    first, *rest = (formula.translate(alone) for formula in formulas)
    asts = (z3.Ast * len(rest))(*(f.as_ast() for f in rest))
    printed = z3.Z3_benchmark_to_smtlib_string(
        first.ctx_ref(), "", "ALL", "unknown", "", len(rest), asts, first.as_ast()
    )
    kept = [line for line in printed.splitlines() if not line.startswith((";", "(set-info"))]
    text = _renumbered(_MEMBER.sub(r"\1", "\n".join(line.rstrip() for line in kept) + "\n"))
    twice = shadowed(text)
    if twice:
        raise Untranslatable(f"{twice[0]} is bound inside of what it is bound in; rename it")
    return text


def _renumbered(text: str) -> str:
    names: dict[str, str] = {}
    counts: dict[str, int] = {}

    def numbered(match: re.Match[str]) -> str:
        name, stem = match.group(), match.group(1)
        if name not in names:
            counts[stem] = counts.get(stem, 0) + 1
            names[name] = f"{stem}{counts[stem]}"
        return names[name]

    return _NUMBERED.sub(numbered, text)


def shadowed(text: str) -> list[str]:
    """Return the names in a script that a quantifier binds where another has bound them."""
    tokens = _TOKEN.findall(text)
    bound: list[str] = []
    opened: list[int] = []
    found, i = [], 0
    while i < len(tokens):
        if tokens[i] == "(":
            opened.append(len(bound))
            if tokens[i + 1] in ("forall", "exists"):
                names, i = _binders(tokens, i + 3)
                found += [name for name in names if name in bound]
                bound += names
        elif tokens[i] == ")":
            del bound[opened.pop() :]
        i += 1
    return found


def _binders(tokens: Sequence[str], i: int) -> tuple[list[str], int]:
    """Return the names in a list of binders, and where it ends."""
    names = []
    while tokens[i] == "(":
        names.append(tokens[i + 1])
        depth = 0
        while True:
            depth += (tokens[i] == "(") - (tokens[i] == ")")
            i += 1
            if depth == 0:
                break
    return names, i
