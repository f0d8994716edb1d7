"""Lemmas for two-phase commit: why no resource manager aborts where another has committed.

An inductive invariant in the manner of Lamport's proofs: what was sent says what was decided, what
was decided says what was promised, and who has promised aborts only when told to.
"""

from __future__ import annotations

import sys

from ackproof.lang import lemma
from ackproof.lang.lemmas import Library

from tests.models.two_phase_commit import Decision, Manager, Phase, TwoPhaseCommit


@lemma()
def CommitWasDecided(s: TwoPhaseCommit) -> bool:
    """The commit message says what was decided."""
    return not s.commit_sent or s.decision == Decision.COMMIT


@lemma()
def AbortWasDecided(s: TwoPhaseCommit) -> bool:
    """The abort message says what was decided."""
    return not s.abort_sent or s.decision == Decision.ABORT


@lemma()
def HeardWasSent(s: TwoPhaseCommit) -> bool:
    """The transaction manager knows of promises that were made."""
    return s.heard <= s.prepared_sent


@lemma("HeardWasSent")
def CommitWasPromised(s: TwoPhaseCommit) -> bool:
    """Before a commit, everybody has promised."""
    return not s.commit_sent or s.prepared_sent == set(Manager)


@lemma()
def WorkersPromiseNothing(s: TwoPhaseCommit) -> bool:
    """Who is still working has promised nothing."""
    return all(s.phase[m] != Phase.WORKING for m in s.prepared_sent)


@lemma("WorkersPromiseNothing")
def PromisesAreKept(s: TwoPhaseCommit) -> bool:
    """Who has promised to commit aborts only when told to."""
    return all(s.phase[m] != Phase.ABORTED or s.abort_sent for m in s.prepared_sent)


@lemma()
def CommittedWasTold(s: TwoPhaseCommit) -> bool:
    """Who has committed was told to."""
    return all(s.phase[m] != Phase.COMMITTED or s.commit_sent for m in Manager)


FOLLOWS = {
    "Agreement": (
        "CommittedWasTold",
        "CommitWasPromised",
        "PromisesAreKept",
        "CommitWasDecided",
        "AbortWasDecided",
    )
}

LIBRARY = Library.of(sys.modules[__name__])
