"""A lock server: one lock, clients that ask for it by message, and a proof of nine invariants.

The lock service of Verdi (Wilcox et al., PLDI 2015) in the form in which Ivy and mypyvy prove it
(Padon et al., PLDI 2016; `examples/lockserv.pyv` of github.com/wilcoxjay/mypyvy).  At any time
the lock is in one place: at the server, in a grant on its way, at a client, or in a release on its
way.  What it shows: an inductive invariant that nothing can be taken from.

There is no published count of states.  With n clients there are 2 ** n sets of requests, and
1 + 3n places for the lock, which no request depends on: (3n + 1) * 2 ** n states.
"""

from __future__ import annotations

import sys

from ackproof.lang import (
    Design,
    Instance,
    Model,
    Set,
    Sort,
    System,
    action,
    invariant,
    lemma,
    properties_in,
    require,
)
from ackproof.lang.lemmas import Library


class Client(Sort, prefix="c"):
    """Somebody who wants the lock now and then."""


class LockServer(System):
    """The server, its clients, and the messages on their way."""

    free: bool = True  # the server has the lock
    requests: Set[Client]
    grants: Set[Client]
    releases: Set[Client]
    holders: Set[Client]

    @action
    def ask(self, c: Client) -> None:
        """A client sends a request."""
        self.requests.add(c)

    @action
    def grant(self, c: Client) -> None:
        """The server receives a request, and gives away the lock that it has."""
        require(self.free and c in self.requests)
        self.free = False
        self.requests.discard(c)
        self.grants.add(c)

    @action
    def take(self, c: Client) -> None:
        """A client receives the lock."""
        require(c in self.grants)
        self.grants.discard(c)
        self.holders.add(c)

    @action
    def release(self, c: Client) -> None:
        """A client sends the lock back."""
        require(c in self.holders)
        self.holders.discard(c)
        self.releases.add(c)

    @action
    def regain(self, c: Client) -> None:
        """The server receives the lock."""
        require(c in self.releases)
        self.releases.discard(c)
        self.free = True


@invariant
def MutualExclusion(s: LockServer) -> bool:
    """No two clients hold the lock."""
    return all(a == b for a in s.holders for b in s.holders)


@lemma("GrantedIsNotFree")
def OneGrant(s: LockServer) -> bool:
    """No two grants are on their way."""
    return all(a == b for a in s.grants for b in s.grants)


@lemma("HeldIsNotReleased")
def OneRelease(s: LockServer) -> bool:
    """No two releases are on their way."""
    return all(a == b for a in s.releases for b in s.releases)


@lemma("OneGrant", "HeldIsNotFree")
def HeldIsNotGranted(s: LockServer) -> bool:
    """Where a client holds the lock, no grant is on its way."""
    return not s.holders or not s.grants


@lemma("MutualExclusion", "GrantedIsNotReleased")
def HeldIsNotReleased(s: LockServer) -> bool:
    """Where a client holds the lock, no release is on its way."""
    return not s.holders or not s.releases


@lemma("HeldIsNotGranted", "ReleasedIsNotFree")
def GrantedIsNotReleased(s: LockServer) -> bool:
    """Where a grant is on its way, no release is."""
    return not s.grants or not s.releases


@lemma("GrantedIsNotReleased")
def GrantedIsNotFree(s: LockServer) -> bool:
    """Where a grant is on its way, the server does not have the lock."""
    return not s.free or not s.grants


@lemma("HeldIsNotReleased", "GrantedIsNotFree")
def HeldIsNotFree(s: LockServer) -> bool:
    """Where a client holds the lock, the server does not."""
    return not s.free or not s.holders


@lemma("OneRelease", "HeldIsNotFree")
def ReleasedIsNotFree(s: LockServer) -> bool:
    """Where a release is on its way, the server does not have the lock."""
    return not s.free or not s.releases


PROOFS = {"MutualExclusion": ("HeldIsNotGranted",)}

MODEL = Model(
    "lock server",
    LockServer,
    properties_in(MutualExclusion),
    tuple(
        Instance(f"c{n}", f"{n} clients", {Client: n}, states=(3 * n + 1) * 2**n) for n in (2, 3, 4)
    ),
)

LIBRARY = Library.of(sys.modules[__name__])


class Generous(LockServer):
    """Grants the lock and keeps it."""

    @action
    def grant(self, c: Client) -> None:
        """The server believes that it still has the lock."""
        require(self.free and c in self.requests)
        self.requests.discard(c)
        self.grants.add(c)


generous = Design(claim="A server need not remember.", replace=(Generous,))
