"""A toy consensus: each node votes once, and what a quorum has voted for is decided.

The example `toy_consensus` of Ivy and mypyvy (github.com/wilcoxjay/mypyvy, `examples/fol`), in
both its forms: one remembers the quorum that decided last, which a proof without existential
quantifiers needs (`forall`); the other does not, and its proof says that there is a quorum (`epr`).

What it shows: families of processes whose constants are sets, a supposition of the constants (any
two quorums have a node in common), and quantifiers that alternate.
"""

from __future__ import annotations

import sys

from ackproof.lang import (
    Const,
    Each,
    Instance,
    Map,
    Model,
    Option,
    Process,
    Set,
    Sort,
    System,
    action,
    assumption,
    invariant,
    lemma,
    properties_in,
    require,
)
from ackproof.lang.lemmas import Library


class Node(Sort, prefix="n"):
    """Who votes."""


class Value(Sort, prefix="v"):
    """What may be voted for."""


class Quorum(Sort, prefix="q"):
    """Nodes that may decide together."""


class Assembly(Process):
    """A quorum."""

    members: Const[Set[Node]]


class Consensus(System):
    """All votes, and what was decided."""

    assemblies: Each[Quorum, Assembly]
    voted: Set[Node]
    votes: Map[Node, Set[Value]]
    decided: Set[Value]
    last: Option[Quorum]  # the quorum that decided last

    @action
    def vote(self, node: Node, value: Value) -> None:
        """A node votes, once."""
        require(node not in self.voted)
        self.voted.add(node)
        self.votes[node].add(value)

    @action
    def decide(self, quorum: Quorum, value: Value) -> None:
        """A quorum is found to have voted alike."""
        require(all(value in self.votes[n] for n in self.assemblies[quorum].members))
        self.decided.add(value)
        self.last = quorum


@assumption
def QuorumsMeet(s: Consensus) -> bool:
    """Any two quorums have a node in common."""
    return all(
        any(n in s.assemblies[p].members and n in s.assemblies[q].members for n in Node)
        for p in Quorum
        for q in Quorum
    )


@invariant
def Agreement(s: Consensus) -> bool:
    """No two values are decided."""
    return all(v == w for v in s.decided for w in s.decided)


@lemma()
def VotesAreNoted(s: Consensus) -> bool:
    """Who has voted is known to have voted."""
    return all(n in s.voted for n in Node for v in Value if v in s.votes[n])


@lemma("VotesAreNoted")
def OneVoteEach(s: Consensus) -> bool:
    """Nobody votes for two values."""
    return all(
        v == w for n in Node for v in Value for w in Value if v in s.votes[n] and w in s.votes[n]
    )


@lemma()
def DecidedByAQuorum(s: Consensus) -> bool:
    """What is decided has the votes of some quorum."""
    return all(
        any(all(v in s.votes[n] for n in s.assemblies[q].members) for q in Quorum)
        for v in s.decided
    )


@lemma("OneVoteEach", "SomebodyWasLast", "QuorumsMeet")
def DecidedByTheLastQuorum(s: Consensus) -> bool:
    """What is decided has the votes of the quorum that decided last."""
    return all(
        v in s.votes[n]
        for v in s.decided
        for q in Quorum
        if s.last == q
        for n in s.assemblies[q].members
    )


@lemma()
def SomebodyWasLast(s: Consensus) -> bool:
    """Where something is decided, some quorum was the last to decide."""
    return s.last is not None or not s.decided


MODEL = Model(
    "toy consensus",
    Consensus,
    properties_in(Agreement),
    (
        Instance(
            "three",
            "three nodes of which any two are a quorum, and two values",
            {Node: 3, Value: 2, Quorum: 3},
            constants={
                "Assembly.members": {
                    "q1": frozenset({"n1", "n2"}),
                    "q2": frozenset({"n1", "n3"}),
                    "q3": frozenset({"n2", "n3"}),
                }
            },
            states=45,
        ),
        Instance(
            "split",
            "two quorums that do not meet: what is supposed does not hold",
            {Node: 2, Value: 2, Quorum: 2},
            constants={"Assembly.members": {"q1": frozenset({"n1"}), "q2": frozenset({"n2"})}},
        ),
    ),
)

_LEMMAS = Library.of(sys.modules[__name__])

#: The proof that says that there is a quorum.
EPR = Library(
    _LEMMAS.lemmas,
    _LEMMAS.assumptions,
    follows={"Agreement": ("OneVoteEach", "DecidedByAQuorum", "QuorumsMeet")},
)

#: The proof that names it.
FORALL = Library(
    _LEMMAS.lemmas,
    _LEMMAS.assumptions,
    proofs={
        "Agreement": ("OneVoteEach", "DecidedByTheLastQuorum", "SomebodyWasLast", "QuorumsMeet")
    },
)
