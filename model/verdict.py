"""Verdicts: what a check has established, as a type and never as a colour.

Only `VERIFIED` is good news.  A search that stopped early has established something about the part
it saw and nothing about the rest; one that saw every state and could not judge runs has established
what is true of states and steps; a search that never met a situation it was told to expect may have
verified nothing at all; one that found of a design as much as it finds without it may not have
looked at the design; and a design under which something never happens any more may keep its
promises by doing nothing.  All have names of their own, so that no script mistakes them for
success.
"""

from __future__ import annotations

from enum import Enum

from ackproof.model.outcome import Limit, Outcome

__all__ = ["Verdict", "worst"]


class Verdict(Enum):
    """The result of a check."""

    VERIFIED = "verified"
    VIOLATED = "violated"
    BOUNDED = "bounded"
    TRUNCATED = "truncated"
    UNDECIDED = "undecided"
    UNWITNESSED = "unwitnessed"
    UNCHANGED = "unchanged"
    NARROWED = "narrowed"

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 verified, 1 violated, 3 incomplete (2: wrong input)."""
        return {Verdict.VERIFIED: 0, Verdict.VIOLATED: 1}.get(self, 3)

    @property
    def meaning(self) -> str:
        """The verdict in a sentence."""
        return _MEANING[self]

    @classmethod
    def of(cls, outcome: Outcome, *, witnessed: bool) -> Verdict:
        """Judge an exploration; `witnessed`: whatever must happen in it happened somewhere."""
        if outcome.violations:
            return cls.VIOLATED
        if outcome.limit is Limit.DEPTH:
            return cls.BOUNDED
        if outcome.limit is not None and outcome.exhausted:
            return cls.UNDECIDED
        if outcome.limit is not None:
            return cls.TRUNCATED
        return cls.VERIFIED if witnessed else cls.UNWITNESSED


_MEANING = {
    Verdict.VERIFIED: "every property holds in the whole state space",
    Verdict.VIOLATED: "a property is false; the steps that lead there follow",
    Verdict.BOUNDED: "no property is false up to this depth; what lies deeper was not looked at",
    Verdict.TRUNCATED: "no property is false in what was seen, but the search did not finish",
    Verdict.UNDECIDED: "no property of states and steps is false; those of runs are not judged",
    Verdict.UNWITNESSED: "no property is false, but something that has to happen never does",
    Verdict.UNCHANGED: "every property holds, but there are as many states and steps as without "
    "the design; what it changes may not have been reached, or only shows in what clients are sent",
    Verdict.NARROWED: "every property holds, but what happens without the design never does with "
    "it",
}


def worst(codes: list[int]) -> int:
    """Return the exit code of several together: violated before incomplete before fine.

    Before all comes 4, a defect of the prover.
    """
    return next((code for code in (4, 1, 3) if code in codes), 0)
