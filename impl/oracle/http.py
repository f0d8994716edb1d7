"""HTTP, as little as the control API needs: one request with JSON, one answer with JSON.

Everything is bounded: the bytes of the head, the bytes of the body, and by whoever reads, the time.
What is not such a request is refused with what to send instead.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

__all__ = ["HEAD_MAX", "Refused", "Request", "encode", "read"]

#: Bytes of everything up to the empty line, at most.
HEAD_MAX = 8192
#: Bytes of a body, at most.
_BODY_MAX = 65536


class Refused(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: HTTPStatus, error: str) -> None:
        super().__init__(error)
        self.status = status
        self.error = error


class Request(NamedTuple):
    """What was asked: a method, a path in pieces, its query, and the JSON object of the body."""

    method: str
    path: tuple[str, ...]
    query: dict[str, list[str]]
    arguments: dict[str, Any]


async def read(reader: asyncio.StreamReader) -> Request:
    """Read a request.

    Raises:
        Refused: it is none, or too large, or comes from a web page.
    """
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise Refused(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"send {HEAD_MAX} bytes of head at most"
        ) from None
    except asyncio.IncompleteReadError:
        raise Refused(HTTPStatus.BAD_REQUEST, "the request ends before its empty line") from None
    start, *lines = head.decode("latin-1").split("\r\n")
    words = start.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise Refused(HTTPStatus.BAD_REQUEST, "send an HTTP/1.1 request")
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines if line)
    }
    if "origin" in headers or not _is_direct(headers.get("host", "")):
        raise Refused(
            HTTPStatus.FORBIDDEN,
            "this is not for web pages; ask without a browser, by address or as localhost",
        )
    try:
        target = urlsplit(words[1])
    except ValueError:
        raise Refused(HTTPStatus.BAD_REQUEST, "the address cannot be read") from None
    path = tuple(part for part in target.path.split("/") if part)
    return Request(words[0], path, parse_qs(target.query), await _body(reader, headers))


def _is_direct(host: str) -> bool:
    """Tell whether the server was asked by its address, or as localhost.

    A name that leads here may be one that a web page has for its own server as well: then a
    browser takes the answer for the page's own, and sends no `Origin`.
    """
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    if name in ("", "localhost"):
        return True
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


async def _body(reader: asyncio.StreamReader, headers: dict[str, str]) -> dict[str, Any]:
    if "transfer-encoding" in headers:
        raise Refused(HTTPStatus.LENGTH_REQUIRED, "send the body with a Content-Length")
    said = headers.get("content-length", "0")
    if not (said.isascii() and said.isdigit()):
        raise Refused(HTTPStatus.BAD_REQUEST, f"Content-Length is {said!r}; send a number")
    if len(said) > 9 or int(said) > _BODY_MAX:
        raise Refused(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"send a body of {_BODY_MAX} bytes at most"
        )
    try:
        body = await reader.readexactly(int(said))
    except asyncio.IncompleteReadError:
        raise Refused(HTTPStatus.BAD_REQUEST, "the body is shorter than it says") from None
    if not body.strip():
        return {}
    try:
        arguments = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(HTTPStatus.BAD_REQUEST, "the body is not JSON") from None
    if not isinstance(arguments, dict):
        raise Refused(HTTPStatus.BAD_REQUEST, 'send a JSON object, as in {"n": 1}')
    return arguments


def encode(status: HTTPStatus, answer: dict[str, Any]) -> bytes:
    """Return the bytes of an answer, after which nothing comes."""
    body = json.dumps(answer, default=str).encode() + b"\n"
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode() + body
