"""What the management answers, and how it refuses: status, JSON, headers, in RabbitMQ's words."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, NamedTuple

__all__ = ["Answer", "Refusal", "bad", "created", "done", "missing"]


class Answer(NamedTuple):
    """An answer; a document of None is none at all."""

    status: HTTPStatus
    document: Any = None
    headers: tuple[tuple[str, str], ...] = ()


class Refusal(Exception):
    """A request that is answered with an error and its reason."""

    def __init__(
        self,
        status: HTTPStatus,
        error: str,
        reason: str,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(reason)
        self.status = status
        self.answer = Answer(status, {"error": error, "reason": reason}, headers)


def bad(reason: str) -> Refusal:
    """Return the refusal of a request that makes no sense."""
    return Refusal(HTTPStatus.BAD_REQUEST, "bad_request", reason)


def missing() -> Refusal:
    """Return the refusal of a request about what is not there."""
    return Refusal(HTTPStatus.NOT_FOUND, "Object Not Found", "Not Found")


def done() -> Answer:
    """Return that it was done."""
    return Answer(HTTPStatus.NO_CONTENT)


def created(*, new: bool) -> Answer:
    """Return that something is there now, or was there."""
    return Answer(HTTPStatus.CREATED if new else HTTPStatus.NO_CONTENT)
