"""A server that answers from a database: whoever gets an answer has asked for it.

The example `client_server_db_ae` of Feldman et al. ("Bounded Quantifier Instantiation for Checking
Inductive Invariants", TACAS 2017; github.com/wilcoxjay/mypyvy, `examples/fol`).  The server gives
each request a ticket under which it asks the database, and sends the answer to whom the ticket
belongs.  What it shows: invariants of the form "for each there is one", each needed for the next.
"""

from __future__ import annotations

import sys

from ackproof.lang import (
    Const,
    Each,
    Instance,
    Map,
    Model,
    Process,
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
    """Who asks."""


class Request(Sort, prefix="r"):
    """What may be asked."""


class Response(Sort, prefix="p"):
    """What may be answered."""


class Ticket(Sort, prefix="t"):
    """Under which the server asks the database, once."""


class Question(Process):
    """A request, and what answers it."""

    answers: Const[Set[Response]]


class ClientServer(System):
    """Clients, server and database, and every message ever sent."""

    questions: Each[Request, Question]
    asked: Map[Client, Set[Request]]
    answered: Map[Client, Set[Response]]
    received: Map[Client, Set[Response]]
    looked_up: Map[Ticket, Set[Request]]
    found: Map[Ticket, Set[Response]]
    owners: Map[Ticket, Set[Client]]

    @action
    def ask(self, client: Client, request: Request) -> None:
        """A client sends a request."""
        self.asked[client].add(request)

    @action
    def look_up(self, client: Client, request: Request, ticket: Ticket) -> None:
        """The server receives a request, and asks the database under a new ticket."""
        require(request in self.asked[client] and not self.owners[ticket])
        self.owners[ticket].add(client)
        self.looked_up[ticket].add(request)

    @action
    def find(self, ticket: Ticket, request: Request, response: Response) -> None:
        """The database answers."""
        require(request in self.looked_up[ticket])
        require(response in self.questions[request].answers)
        self.found[ticket].add(response)

    @action
    def answer(self, client: Client, ticket: Ticket, response: Response) -> None:
        """The server passes the answer on to whom the ticket belongs."""
        require(response in self.found[ticket] and client in self.owners[ticket])
        self.answered[client].add(response)

    @action
    def receive(self, client: Client, response: Response) -> None:
        """A client receives an answer."""
        require(response in self.answered[client])
        self.received[client].add(response)


@invariant
def EachAnswerWasAskedFor(s: ClientServer) -> bool:
    """Who receives an answer has sent a request that it answers."""
    return all(
        any(r in s.asked[c] and p in s.questions[r].answers for r in Request)
        for c in Client
        for p in Response
        if p in s.received[c]
    )


@lemma("FoundWasLookedUp", "LookedUpWasAsked", "OneOwner")
def AnsweredWasAskedFor(s: ClientServer) -> bool:
    """Answers on their way are answers to requests."""
    return all(
        any(r in s.asked[c] and p in s.questions[r].answers for r in Request)
        for c in Client
        for p in Response
        if p in s.answered[c]
    )


@lemma()
def LookedUpWasAsked(s: ClientServer) -> bool:
    """What is looked up under a ticket, its owner has asked for."""
    return all(
        any(c in s.owners[t] and r in s.asked[c] for c in Client)
        for t in Ticket
        for r in Request
        if r in s.looked_up[t]
    )


@lemma()
def FoundWasLookedUp(s: ClientServer) -> bool:
    """What is found under a ticket answers what is looked up under it."""
    return all(
        any(r in s.looked_up[t] and p in s.questions[r].answers for r in Request)
        for t in Ticket
        for p in Response
        if p in s.found[t]
    )


@lemma()
def OneOwner(s: ClientServer) -> bool:
    """A ticket belongs to one client."""
    return all(
        a == b
        for t in Ticket
        for a in Client
        for b in Client
        if a in s.owners[t] and b in s.owners[t]
    )


PROOFS = {"EachAnswerWasAskedFor": ("AnsweredWasAskedFor",)}

MODEL = Model(
    "client and server",
    ClientServer,
    properties_in(EachAnswerWasAskedFor),
    (
        Instance(
            "pair",
            "two clients that ask different things, under one ticket",
            {Client: 2, Request: 2, Response: 2, Ticket: 1},
            constants={
                "Question.answers": {"r1": frozenset({"p1"}), "r2": frozenset({"p2"})},
            },
            states=144,
        ),
    ),
)

LIBRARY = Library.of(sys.modules[__name__])
