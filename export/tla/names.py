"""Names in a module of TLA+: each is declared once, wherever it is in scope."""

from __future__ import annotations

import re

__all__ = ["Names"]

#: What TLA+ and the modules that are extended mean by a name.
_WORDS = (
    "ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE",
    "DEFS DOMAIN ELSE ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL",
    "MODULE NEW OBVIOUS OMITTED ONLY OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE STATE STRING",
    "SUBSET SUFFICES TAKE TEMPORAL THEN THEOREM TRUE UNCHANGED UNION USE VARIABLE VARIABLES WITH",
    "WITNESS Any Append Assert Cardinality Head Init Int IsFiniteSet JavaTime Len Nat Next None",
    "Permutations Print PrintT RandomElement SelectSeq Seq SortSeq Spec SubSeq TLCEval TLCGet",
    "TLCSet Tail ToString vars",
)

_NO_NAME = re.compile(r"\W+")
_NUMBERED = re.compile(r"_\d+$")


class Names:
    """Gives names that nothing else in scope has."""

    def __init__(self) -> None:
        self._taken = {word for line in _WORDS for word in line.split()}

    def inside(self) -> Names:
        """Return the names of a scope inside of this one."""
        found = Names()
        found._taken = set(self._taken)
        return found

    def new(self, wanted: str) -> str:
        """Return a name that is as much like the wanted one as possible."""
        name = _NUMBERED.sub("", _NO_NAME.sub("_", wanted).strip("_")) or "x"
        if not name[0].isalpha() or name.startswith(("WF_", "SF_")):
            name = f"n_{name}"
        found, count = name, 1
        while found in self._taken:
            count += 1
            found = f"{name}_{count}"
        self._taken.add(found)
        return found
