"""A client of the management, of this broker or another one."""

from __future__ import annotations

import base64
import http.client
import json
from typing import Any
from urllib.parse import quote

__all__ = ["Asker", "named"]


def named(*names: str) -> str:
    """Return names as pieces of a path."""
    return "/".join(quote(name, safe="") for name in names)


class Asker:
    """Asks the management on a port, as somebody."""

    def __init__(self, port: int, user: str = "guest", password: str = "guest") -> None:
        self._port = port
        login = base64.b64encode(f"{user}:{password}".encode()).decode()
        self._headers = {"Authorization": f"Basic {login}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        """Send a request; return the status and the document, None if there is none."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        text = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, f"/api/{path}", text, {**self._headers, **headers})
        answer = connection.getresponse()
        told = answer.read()
        connection.close()
        return answer.status, json.loads(told) if told else None

    def get(self, path: str) -> Any:
        """Return a document that must be there."""
        status, document = self.ask("GET", path)
        assert status == 200, document
        return document

    def put(self, path: str, **body: Any) -> int:
        """Put something; return the status."""
        return self.ask("PUT", path, body)[0]
