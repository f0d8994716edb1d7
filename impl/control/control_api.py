"""The control API: what a test in any language can ask of a broker, over HTTP with JSON.

==============================  ===================================================================
GET /health                     that it runs, its port, its seed, how many complaints there are
GET /queues                     every queue, with what is in it
GET /history?since=N&limit=M    entries after number N, M at most (1,000 if it is not said)
GET /check                      whether what has happened is what the specification promises
GET /faults                     the faults that wait for something, and how often each struck
POST /faults/NAME               a fault by its name, with its arguments as a JSON object
POST /schedule                  {"seed": N} to draw the order of steps, {"seed": null} to stop that
GET /scenario                   the faults that were asked for so far, and when, to be played again
POST /scenario                  play such a document from its beginning, before anybody connects
POST /reset                     begin again with nothing; says what there was to complain of
POST /stop                      stop as when told by a signal
/api/…                          RabbitMQ's management (`ackproof.impl.management.api`)
==============================  ===================================================================

An answer is a JSON object.  One that refuses has a status from 400, and says under `error` what is
wrong and what to do instead.

It is a server for tests: one request to a connection, everything of bounded size and time.  A
request that a browser makes for some page is refused, which its header `Origin` shows.  On loopback
no password is asked for, but for the management, and who asks by a name other than localhost is
refused, too.  Elsewhere there is a *token*, without which nothing is answered but the management.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from hmac import compare_digest
from http import HTTPStatus
from typing import Any

from ackproof.impl.control.http import HEAD_MAX, Exchange, Refused, Request
from ackproof.impl.faults.calling import no_fault
from ackproof.impl.management.answers import Answer
from ackproof.impl.management.api import ManagementApi
from ackproof.impl.node import Node, known_faults
from ackproof.impl.scenario.scenario import Scenario, ScenarioError
from ackproof.impl.staging.scenario_run import ScenarioRun
from ackproof.impl.storage.disk import DiskError

__all__ = ["LOOPBACK", "ControlApi"]

_LOG = logging.getLogger(__name__)

#: An answer.
Told = tuple[HTTPStatus, dict[str, Any]]

#: Where nobody else can ask.
LOOPBACK = ("127.0.0.1", "::1", "localhost")
#: Seconds that a request may take to arrive.
_PATIENCE = 10.0
#: Requests at a time; more have to wait.
_AT_A_TIME = 32
#: Entries of the history in one answer, at most and if nothing is said.
_ENTRIES_MAX = 10_000
_ENTRIES = 1_000


class ControlApi:
    """Serves the control API of a node.

    Args:
        stop: called when a client asks to stop the node.
        token: what a request has to say under `Authorization: Bearer`; None for nothing.
    """

    def __init__(self, node: Node, stop: Callable[[], None], token: str | None = None) -> None:
        self._token = token
        self._by_name = False
        self._node = node
        self._management = ManagementApi(node)
        self._stop = stop
        self._turns = asyncio.Semaphore(_AT_A_TIME)
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port, which the system chooses if 0 is given.

        Raises:
            OSError: the address cannot be listened on.
        """
        self._by_name = host not in LOOPBACK
        self._server = await asyncio.start_server(self._serve, host, port, limit=HEAD_MAX)
        bound: int = self._server.sockets[0].getsockname()[1]
        return bound

    async def stop(self) -> None:
        """Listen no more, and drop what has not been asked completely."""
        if self._server is not None:
            self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- HTTP -----------------------------------------------------------------------------------

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        exchange = Exchange(by_name=self._by_name)
        try:
            async with self._turns:
                answer = await self._answered(exchange, reader)
            status = answer.status
            writer.write(exchange.encode(status, answer.document, answer.headers))
            await asyncio.wait_for(writer.drain(), _PATIENCE)
            if status is HTTPStatus.ACCEPTED:
                self._stop()
        except (TimeoutError, OSError):
            pass  # whoever asked is gone
        except asyncio.CancelledError:
            pass  # so are we, and asyncio would tell of it as of a fault
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answered(self, exchange: Exchange, reader: asyncio.StreamReader) -> Answer:
        try:
            request = await asyncio.wait_for(exchange.read(reader), _PATIENCE)
            return await self._route(request)
        except Refused as refused:
            return Answer(refused.status, {"error": refused.error})
        except TimeoutError:
            late = {"error": f"send it within {_PATIENCE:g} seconds"}
            return Answer(HTTPStatus.REQUEST_TIMEOUT, late)
        except Exception:
            _LOG.exception("the control API failed; the broker goes on")
            failed = {"error": "internal error", "reason": "see the log"}
            return Answer(HTTPStatus.INTERNAL_SERVER_ERROR, failed)

    async def _route(self, request: Request) -> Answer:
        method, path = request.method, request.path
        if path[:1] == ("api",):
            return await self._management.answer(
                method, path[1:], request.query, request.arguments, request.headers
            )
        self._admit(request)
        return Answer(*await self._asked(request))

    def _admit(self, request: Request) -> None:
        """Refuse a request without the token, if there is one."""
        said = request.headers.get("authorization", "").encode("latin-1", "replace")
        if self._token is not None and not compare_digest(said, f"Bearer {self._token}".encode()):
            raise Refused(HTTPStatus.UNAUTHORIZED, "send the token: Authorization: Bearer TOKEN")

    async def _asked(self, request: Request) -> Told:
        method, path = request.method, request.path
        if path[:1] == ("faults",) and len(path) == 2:
            _expect(method, ("POST",))
            return await self._fault(path[1], request.arguments or {})
        found = _ROUTES.get("/".join(path))
        if found is None:
            known = ", ".join(
                f"{verb} /{name}" for name, verbs in _ROUTES.items() for verb in verbs
            )
            raise Refused(
                HTTPStatus.NOT_FOUND,
                f"there is no /{'/'.join(path)}; there are {known}, POST /faults/NAME, and /api",
            )
        _expect(method, tuple(found))
        told = found[method](self, request)
        return await told if isinstance(told, Awaitable) else told

    # -- asking ---------------------------------------------------------------------------------

    def _health(self, _: Request) -> Told:
        complaints = len(self._node.complaints())
        return HTTPStatus.OK, {
            "status": "ok",
            "port": self._node.port,
            "seed": self._node.options.seed,
            "complaints": complaints,
        }

    def _queues(self, _: Request) -> Told:
        return HTTPStatus.OK, {"queues": self._node.queues()}

    def _history(self, request: Request) -> Told:
        since = _number(request.query, "since", 0)
        limit = _number(request.query, "limit", _ENTRIES)
        entries = self._node.history.since(since, min(limit, _ENTRIES_MAX))
        return HTTPStatus.OK, {"entries": [entry.as_json() for entry in entries]}

    def _check(self, _: Request) -> Told:
        complaints = self._node.complaints()
        return HTTPStatus.OK, {"passed": not complaints, "complaints": complaints}

    # -- telling --------------------------------------------------------------------------------

    def _faults(self, _: Request) -> Told:
        armed = self._node.broker.faults.armed()
        return HTTPStatus.OK, {"faults": armed, "unstruck": self._node.unstruck()}

    async def _fault(self, name: str, arguments: dict[str, Any]) -> Told:
        known = self._node.faults()
        if name not in known:
            raise Refused(HTTPStatus.NOT_FOUND, no_fault(name, known))
        try:
            await self._node.fault(name, arguments)
        except LookupError as error:
            raise Refused(HTTPStatus.NOT_FOUND, str(error.args[0])) from None
        except (TypeError, ValueError) as error:
            raise Refused(HTTPStatus.BAD_REQUEST, f"{name}: {error}") from None
        except (DiskError, OSError) as error:
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, f"{name}: {error}") from None
        return HTTPStatus.OK, {"fault": name}

    async def _schedule(self, request: Request) -> Told:
        arguments = dict(request.arguments or {})
        seed = arguments.pop("seed", ...)
        if arguments or isinstance(seed, bool) or not isinstance(seed, int | None):
            raise Refused(
                HTTPStatus.BAD_REQUEST, 'schedule takes {"seed": N} with an integer, or null'
            )
        await self._node.fault("schedule", {"seed": seed})
        return HTTPStatus.OK, {"seed": seed}

    def _scenario(self, _: Request) -> Told:
        return HTTPStatus.OK, self._scenarios.scenario.as_json()

    def _play(self, request: Request) -> Told:
        try:
            scenario = Scenario.from_json(request.arguments, known_faults())
        except ScenarioError as error:
            raise Refused(HTTPStatus.BAD_REQUEST, str(error)) from None
        try:
            self._scenarios.play(scenario, self._node.pump)
        except ScenarioError as error:
            raise Refused(HTTPStatus.CONFLICT, str(error)) from None
        return HTTPStatus.OK, {"faults": len(scenario.faults)}

    @property
    def _scenarios(self) -> ScenarioRun:
        assert self._node.scenarios is not None, "who can be asked for faults records them"
        return self._node.scenarios

    async def _reset(self, _: Request) -> Told:
        try:
            left = await self._node.reset()
        except (DiskError, OSError) as error:
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, f"reset: {error}") from None
        return HTTPStatus.OK, {"reset": True, **left}

    def _stopping(self, _: Request) -> Told:
        return HTTPStatus.ACCEPTED, {"status": "stopping"}


_ROUTES: dict[str, dict[str, Callable[[ControlApi, Request], Told | Awaitable[Told]]]] = {
    "health": {"GET": ControlApi._health},
    "queues": {"GET": ControlApi._queues},
    "history": {"GET": ControlApi._history},
    "check": {"GET": ControlApi._check},
    "faults": {"GET": ControlApi._faults},
    "schedule": {"POST": ControlApi._schedule},
    "scenario": {"GET": ControlApi._scenario, "POST": ControlApi._play},
    "reset": {"POST": ControlApi._reset},
    "stop": {"POST": ControlApi._stopping},
}


def _expect(method: str, verbs: tuple[str, ...]) -> None:
    if method not in verbs:
        raise Refused(
            HTTPStatus.METHOD_NOT_ALLOWED, f"ask for it with {' or '.join(verbs)}, not {method}"
        )


def _number(query: dict[str, list[str]], name: str, default: int) -> int:
    said = query.get(name, [str(default)])[-1]
    if not (said.isascii() and said.isdigit() and len(said) < 19):
        raise Refused(HTTPStatus.BAD_REQUEST, f"{name} is {said!r}; send a number")
    return int(said)
