"""HTTP for the control API: one request with JSON, one answer with JSON, and then the end.

h11 knows the protocol; here is what the control API asks of a request beyond it.  Everything is
bounded: the bytes of the head, the bytes of the body, and by whoever reads, the time.  What is not
such a request is refused with what to send instead.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

import h11
from ackproof.impl.wire.json_text import parse_json, write_json

__all__ = ["HEAD_MAX", "Exchange", "Refused", "Request"]

#: Bytes of everything up to the empty line, at most.
HEAD_MAX = 8192
#: Bytes of a body, at most.
_BODY_MAX = 65536
#: Of a body for the management, which may have all definitions of a broker.
_DEFINITIONS_MAX = 16 << 20
#: Where the management begins.
_MANAGEMENT = "api"
#: What may be as long as definitions.
_LONG = ((_MANAGEMENT,), ("scenario",))


class Refused(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: HTTPStatus, error: str) -> None:
        super().__init__(error)
        self.status = status
        self.error = error


class Request(NamedTuple):
    """What was asked: a method, a path in pieces, its query, the JSON object of the body, headers.

    A body that is something else is None.
    """

    method: str
    path: tuple[str, ...]
    query: dict[str, list[str]]
    arguments: dict[str, Any] | None
    headers: dict[str, str]


class Exchange:
    """A request, and its answer.

    Args:
        by_name: whoever asks may call this server by any name.
    """

    def __init__(self, *, by_name: bool = False) -> None:
        self._by_name = by_name
        # This makes a head of more bytes too long, since `_event` never feeds it more than that.
        self._connection = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_MAX - 1)
        self._method = ""

    async def read(self, reader: asyncio.StreamReader) -> Request:
        """Read the request.

        Raises:
            Refused: it is none, or too large, or comes from a web page.
        """
        try:
            return await self._read(reader)
        except h11.RemoteProtocolError as error:
            status = HTTPStatus(error.error_status_hint)
            if status is HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
                raise Refused(status, f"send {HEAD_MAX} bytes of head at most") from None
            raise Refused(status, f"{error}; send an HTTP/1.1 request") from None

    async def _read(self, reader: asyncio.StreamReader) -> Request:
        head = await self._event(reader)
        assert isinstance(head, h11.Request)
        self._method = head.method.decode("ascii")
        headers = dict(head.headers)
        host = headers.get(b"host", b"").decode("latin-1")
        if b"origin" in headers or not (self._by_name or _is_direct(host)):
            raise Refused(
                HTTPStatus.FORBIDDEN,
                "this is not for web pages; ask without a browser, by address or as localhost",
            )
        try:
            target = urlsplit(head.target.decode("ascii"))
            parts = [part for part in target.path.split("/") if part]
            path = tuple(unquote(part, errors="strict") for part in parts)
        except ValueError:
            raise Refused(HTTPStatus.BAD_REQUEST, "the address cannot be read") from None
        managed = path[:1] == (_MANAGEMENT,)
        announced = int(headers.get(b"content-length", 0))
        body = await self._body(
            reader, announced, _DEFINITIONS_MAX if path[:1] in _LONG else _BODY_MAX
        )
        arguments = _object_if_any(body) if managed else _object(body)
        query = parse_qs(target.query, keep_blank_values=True)
        named = {name.decode("ascii"): said.decode("latin-1") for name, said in headers.items()}
        return Request(self._method, path, query, arguments, named)

    async def _body(self, reader: asyncio.StreamReader, announced: int, most: int) -> bytes:
        body = bytearray()
        while max(announced, len(body)) <= most:
            event = await self._event(reader)
            if not isinstance(event, h11.Data):
                return bytes(body)
            body += event.data
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"send a body of {most} bytes at most")

    async def _event(self, reader: asyncio.StreamReader) -> h11.Event:
        """Return the next part of the request."""
        left = HEAD_MAX
        while (event := self._connection.next_event()) is h11.NEED_DATA:
            data = await reader.read(left)
            if not data:
                raise Refused(HTTPStatus.BAD_REQUEST, "the request ends before it is complete")
            self._connection.receive_data(data)
            left -= len(data)
        assert isinstance(event, h11.Event), "it pauses between requests only, and there is one"
        return event

    def encode(
        self, status: HTTPStatus, answer: Any, more: Iterable[tuple[str, str]] = ()
    ) -> bytes:
        """Return the bytes of the answer, after which nothing comes.

        Args:
            status: how it went.
            answer: JSON; None for nothing.
            more: headers.
        """
        body = b"" if answer is None else write_json(answer).encode() + b"\n"
        headers = {"Connection": "close", **dict(more)}
        if answer is not None:
            headers["Content-Type"] = "application/json"
        if status is not HTTPStatus.NO_CONTENT:
            headers["Content-Length"] = str(len(body))
        events: tuple[h11.Event, ...] = (
            h11.Response(status_code=status, headers=[*headers.items()], reason=status.phrase),
            h11.Data(data=b"" if self._method == "HEAD" else body),
            h11.EndOfMessage(),
        )
        return b"".join(self._connection.send(event) or b"" for event in events)


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


def _object_if_any(body: bytes) -> dict[str, Any] | None:
    """Return the JSON object of a body; None if it is something else."""
    try:
        return _object(body)
    except Refused:
        return None


def _object(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body; an empty one if there is none."""
    if not body.strip():
        return {}
    try:
        arguments = parse_json(body)
    except (ValueError, RecursionError) as error:
        raise Refused(HTTPStatus.BAD_REQUEST, f"the body is not JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise Refused(HTTPStatus.BAD_REQUEST, 'send a JSON object, as in {"n": 1}')
    return arguments
