"""Names in a module of TLA+."""

from __future__ import annotations

from ackproof.export.names import Names

__all__ = ["tla_names"]

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


def tla_names() -> Names:
    """Return the names that a module may have."""
    return Names((word for line in _WORDS for word in line.split()), heads=("WF_", "SF_"))
