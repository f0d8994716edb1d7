"""Control: how a broker is made to fail, where there is a way.

The reference broker has a control API, which takes faults by name over HTTP.  For any other broker
somebody writes a program that knows how: called with `faults` it prints which it can cause, and
called with one of them, and a queue if it is a fault of queues, it ends when that is done.
"""

from __future__ import annotations

import http.client
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from ackproof.conform.kit.operations import FAULTS, OF_QUEUES

__all__ = ["CommandControl", "ControlError", "HttpControl", "control_of"]

_OK = 200


class ControlError(Exception):
    """A fault cannot be caused: what is wrong, and what to do instead."""


class HttpControl:
    """The control API of the reference broker.

    Args:
        url: where it is, as `ackproof serve --control` says it.
        patience: seconds that it may take for an answer.

    Attributes:
        faults: which faults it can cause.

    Raises:
        ControlError: there is no such thing.
    """

    faults: Sequence[str] = ("crash_queue", "restart_node", "hold_fsync", "release_fsync")

    def __init__(self, url: str, patience: float = 30.0) -> None:
        self._url = url
        self._where = urlsplit(url).netloc
        self._patience = patience
        self._ask("GET", "/health", None)

    def strike(self, fault: str, queue: str) -> None:
        """Cause a fault, of a queue if it is one of queues.

        Raises:
            ControlError: the broker does not do it.
        """
        arguments = {"name": queue} if fault in OF_QUEUES else {}
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


class CommandControl:
    """A program that causes faults.

    Args:
        program: it.
        patience: seconds that it may take.

    Attributes:
        faults: which faults it can cause.

    Raises:
        ControlError: it cannot be run, or knows of no fault.
    """

    def __init__(self, program: Path, patience: float = 120.0) -> None:
        self._program = program
        self._patience = patience
        self.faults: Sequence[str] = self._run("faults").split()
        strange = [fault for fault in self.faults if fault not in FAULTS]
        if strange or not self.faults:
            printed = " ".join(self.faults) or "nothing"
            raise ControlError(
                f"{program} faults: prints {printed}; let it print which of these it can cause: "
                f"{', '.join(FAULTS)}"
            )

    def strike(self, fault: str, queue: str) -> None:
        """Cause a fault, of a queue if it is one of queues.

        Raises:
            ControlError: the program does not do it.
        """
        self._run(fault, *([queue] if fault in OF_QUEUES else []))

    def _run(self, *words: str) -> str:
        said = f"{self._program} {' '.join(words)}"
        try:
            done = subprocess.run(
                [self._program.absolute(), *words],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=self._patience,
            )
        except OSError as error:
            raise ControlError(
                f"{said}: {error.strerror}; give a program that can be run"
            ) from None
        except subprocess.TimeoutExpired:
            raise ControlError(f"{said}: does not end within {self._patience:g} s") from None
        if done.returncode:
            raise ControlError(f"{said}: ends with {done.returncode}: {done.stderr.strip()}")
        return done.stdout


def control_of(text: str) -> HttpControl | CommandControl:
    """Return what a text stands for: the address of a control API, or a program.

    Raises:
        ControlError: it is neither.
    """
    if text.startswith("http://"):
        return HttpControl(text)
    if not Path(text).exists():
        raise ControlError(
            f"{text!r} is no control API, and there is no such program; give what `ackproof serve "
            "--control` says, as http://127.0.0.1:5680, or a program that causes faults"
        )
    return CommandControl(Path(text))
