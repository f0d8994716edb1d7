"""The options of `ackproof serve`, and two ways to read them.

A broker for tests is started often, so `serve` does not wait for typer to load if it can be helped.
`read` understands options that are written without a mistake, and gives up on everything else:
then typer does it all, as for the other commands: help, errors, and what it knows besides.  Both
work from one list, the fields of `Asked`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ackproof.impl.limits import Limits
from ackproof.impl.options import REPLICAS_MAX, Options

__all__ = ["Asked", "as_command", "read"]

_PORT_MAX = 65535


@dataclass(frozen=True)
class _Option:
    """How a field is said on the command line: what its value is, and the least and the most."""

    kind: Callable[[str], Any]
    meaning: str
    least: float | None = None
    most: float | None = None

    def convert(self, text: str) -> Any:
        """Return the value.

        Raises:
            ValueError: it is none.
        """
        value = self.kind(text)
        if self.least is not None and not value >= self.least:
            raise ValueError
        if self.most is not None and not value <= self.most:
            raise ValueError
        return value


def _is(kind: Callable[[str], Any], meaning: str, **bounds: float) -> dict[str, _Option]:
    return {"option": _Option(kind, meaning, **bounds)}


@dataclass(frozen=True)
class Asked:
    """What was asked for."""

    port: int = field(
        default=5672,
        metadata=_is(int, "TCP port; 0 lets the system choose one.", least=0, most=_PORT_MAX),
    )
    host: str = field(default=Options.host, metadata=_is(str, "Address to listen on."))
    data: Path | None = field(
        default=None,
        metadata=_is(
            Path,
            "Directory for durable queues and persistent messages; "
            "without it, a temporary one that is removed at the end.",
        ),
    )
    in_memory: bool = field(
        default=False, metadata=_is(bool, "Keep everything in memory; nothing waits for a disk.")
    )
    sync_interval: float = field(
        default=Options.interval * 1000,
        metadata=_is(float, "Milliseconds between commits under load.", least=0),
    )
    seed: int | None = field(
        default=None,
        metadata=_is(
            int, "Take steps in any order that the specification allows, drawn by this number."
        ),
    )
    replicas: int = field(
        default=Options.replicas,
        metadata=_is(
            int,
            "Processes of each durable queue, a master and mirrors, each with its own store.",
            least=1,
            most=REPLICAS_MAX,
        ),
    )
    control: int | None = field(
        default=None,
        metadata=_is(
            int,
            "Port for the control API, on the loopback address; 0 lets the system choose.",
            least=0,
            most=_PORT_MAX,
        ),
    )
    tls_cert: Path | None = field(
        default=None, metadata=_is(Path, "Speak TLS with this certificate, a PEM file.")
    )
    tls_key: Path | None = field(
        default=None, metadata=_is(Path, "The private key to that certificate, a PEM file.")
    )
    users: Path | None = field(
        default=None,
        metadata=_is(
            Path,
            "File with who may log in, a line of NAME:PASSWORD for each; without it, guest:guest.",
        ),
    )
    max_connections: int = field(
        default=Limits.connections,
        metadata=_is(int, "Connections that may be open at the same time.", least=1),
    )
    max_channels: int = field(
        default=Limits.channels,
        metadata=_is(
            int,
            "Channels that a connection may have open at the same time.",
            least=1,
            most=65535,
        ),
    )
    max_queues: int = field(
        default=Limits.queues, metadata=_is(int, "Queues that there may be.", least=1)
    )
    max_message_size: int = field(
        default=Limits.body_size,
        metadata=_is(int, "Bytes that the body of a message may have.", least=0),
    )
    memory_limit: int = field(
        default=Limits.memory,
        metadata=_is(
            int,
            "Bytes of messages from which on nothing is read from who publishes.",
            least=1,
        ),
    )
    lockstep: bool = field(
        default=False,
        metadata=_is(
            bool,
            "Take each step by the specification's own system as well, and complain where they "
            "differ; slow.",
        ),
    )
    immediate: bool = field(
        default=False,
        metadata=_is(
            bool,
            "Take messages that are published as immediate, as brokers before RabbitMQ 3.0 did: "
            "what no consumer can take at once is returned.",
        ),
    )
    verbose: bool = field(
        default=False, metadata=_is(bool, "Log everything that happens, a line for each.")
    )


_OPTIONS: dict[str, _Option] = {one.name: one.metadata["option"] for one in fields(Asked)}


def _spelled(name: str) -> str:
    return f"--{name.replace('_', '-')}"


_BY_SPELLING = {_spelled(name): name for name in _OPTIONS}


def read(words: Iterable[str]) -> Asked | None:
    """Return what these words ask for; None if that is for typer to find out."""
    given: dict[str, Any] = {}
    coming = iter(words)
    for word in coming:
        spelled, equals, text = word.partition("=")
        name = _BY_SPELLING.get(spelled)
        if name is None:
            return None
        if _OPTIONS[name].kind is bool:
            if equals:
                return None
            given[name] = True
            continue
        if not equals:
            text = next(coming, "-")
        if text.startswith("-"):
            return None
        try:
            given[name] = _OPTIONS[name].convert(text)
        except ValueError:
            return None
    return Asked(**given)


def as_command(run: Callable[[Asked], None]) -> Callable[..., None]:
    """Return a function that typer takes for a command with these options.

    Args:
        run: is called with what was asked for; its docstring is the command's help.
    """
    import typer

    def command(**given: Any) -> None:
        run(Asked(**given))

    kinds = inspect.get_annotations(Asked, eval_str=True)
    parameters = []
    for one in fields(Asked):
        option = _OPTIONS[one.name]
        default = typer.Option(
            one.default,
            _spelled(one.name),
            help=option.meaning,
            min=option.least,
            max=option.most,
        )
        parameters.append(
            inspect.Parameter(
                one.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=kinds[one.name],
            )
        )
    command.__doc__ = run.__doc__
    command.__annotations__ = kinds
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command
