"""Control: how a broker is made to fail, where there is a way.

The reference broker has a control API, which takes faults by name over HTTP.
"""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

__all__ = ["ControlError", "HttpControl"]

_OK = 200


class ControlError(Exception):
    """A fault cannot be caused: what is wrong, and what to do instead."""


class HttpControl:
    """The control API of the reference broker.

    Args:
        url: where it is, as `ackproof serve --control` says it.
        patience: seconds that it may take for an answer.

    Raises:
        ControlError: there is no such thing.
    """

    def __init__(self, url: str, patience: float = 30.0) -> None:
        parts = urlsplit(url)
        if parts.scheme != "http" or not parts.hostname:
            raise ControlError(
                f"{url!r} is no control API; give what `ackproof serve --control` says, as "
                "http://127.0.0.1:5680"
            )
        self._url = url
        self._where = parts.netloc
        self._patience = patience
        self._ask("GET", "/health", None)

    def strike(self, fault: str, queue: str) -> None:
        """Cause a fault, of a queue if it is one of queues.

        Raises:
            ControlError: the broker does not do it.
        """
        arguments = {"name": queue} if fault == "crash_queue" else {}
        self._ask("POST", f"/faults/{fault}", arguments)

    def _ask(self, verb: str, path: str, arguments: dict[str, str] | None) -> None:
        connection = http.client.HTTPConnection(self._where, timeout=self._patience)
        try:
            body = None if arguments is None else json.dumps(arguments)
            connection.request(verb, path, body)
            answer = connection.getresponse()
            said = answer.read().decode(errors="replace")
        except (OSError, http.client.HTTPException) as error:
            raise ControlError(
                f"{self._url} does not answer: {error}; start the broker with --control"
            ) from None
        finally:
            connection.close()
        if answer.status != _OK:
            raise ControlError(
                f"{self._url}{path} is answered with {answer.status}: {said.strip()}"
            )
