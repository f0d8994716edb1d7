"""The management of RabbitMQ over HTTP, below `/api`: the requests that clients and tools make.

A request names a user and a password.  Somebody without a tag may not ask at all; who is no
administrator sees the virtual hosts that are open to that user, and cannot change who may do what.
What AMQP has a method for is done by that method, with the permissions of the user
(`ackproof.impl.management.direct_connection`).

An answer comes when what has changed is on the disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

from ackproof.impl.management import administering, declaring, listing, messages
from ackproof.impl.management.answers import Answer, Refusal, bad, missing
from ackproof.impl.management.requests import Asked, identified
from ackproof.impl.management.showing import chosen
from ackproof.impl.management.waiting import until
from ackproof.impl.node import Node

__all__ = ["ManagementApi"]

#: What answers a request.
Handler = Callable[[Node, Asked], Awaitable[Answer]]

_ROUTES: dict[str, dict[str, Handler]] = {
    **listing.ROUTES,
    **administering.ROUTES,
    **declaring.ROUTES,
    **messages.ROUTES,
}


class ManagementApi:
    """Answers requests about a node."""

    def __init__(self, node: Node) -> None:
        self._node = node

    async def answer(
        self,
        method: str,
        path: tuple[str, ...],
        query: Mapping[str, list[str]],
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
    ) -> Answer:
        """Return the answer to a request.

        Args:
            method: of HTTP.
            path: behind `/api/`, in pieces.
            query: behind the path.
            body: the JSON object that came along; None for something else.
            headers: by name, in small letters.
        """
        over = self._node.over
        try:
            user = identified(headers.get("authorization", ""), self._node.broker.directory)
            handlers, names = _found(path)
            handler = handlers.get("GET" if method == "HEAD" else method)
            if handler is None:
                return Answer(HTTPStatus.METHOD_NOT_ALLOWED, None, _allowed(handlers))
            if body is None:
                raise bad("not_json")
            asked = Asked(user, names, body, query, headers.get("x-reason", ""))
            answer = await handler(self._node, asked)
            if method not in ("GET", "HEAD"):
                await self._settled(over)
            return chosen(answer, query)
        except Refusal as refusal:
            return refusal.answer

    async def _settled(self, over: asyncio.Event) -> None:
        """Wait until what has changed is on the disk, unless a fault keeps it from there."""
        journal = self._node.broker.journal
        self._node.pump()
        if not journal.pending or journal.held:
            return
        stored = asyncio.Event()
        journal.after_commit(stored.set)
        self._node.pump()
        await until(stored, over, "the disk has not taken it yet")


def _found(path: tuple[str, ...]) -> tuple[dict[str, Handler], dict[str, str]]:
    """Return what answers requests of a path, and the names in it."""
    for pattern, handlers in _ROUTES.items():
        pieces = pattern.split("/")
        if len(pieces) == len(path) and all(
            piece.startswith("{") or piece == said for piece, said in zip(pieces, path, strict=True)
        ):
            names = {p[1:-1]: s for p, s in zip(pieces, path, strict=True) if p.startswith("{")}
            return handlers, names
    raise missing()


def _allowed(handlers: Mapping[str, Handler]) -> tuple[tuple[str, str], ...]:
    return (("Allow", ", ".join(handlers)),)
