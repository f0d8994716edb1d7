"""Operations: what a client program is made of, one line of JSON each.

A program is a list of operations that says nothing of what the broker answers, so it can be run
again, on another broker, and with some of its lines left out.  Therefore an operation that makes no
sense where it stands, an ack without a delivery, a queue declared twice, is passed over.

A channel is opened by the first operation on it.  Queues have short names here; each run puts a
name of its own before them, so that programs do not get into each other's way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

__all__ = [
    "FAILING",
    "FAULTS",
    "HELD",
    "OF_QUEUES",
    "Do",
    "Operation",
    "Overflow",
    "ProgramError",
    "read_program",
    "said",
    "write_program",
]

_FORMAT = "ackproof program"
_VERSION = 1

_Few = Annotated[int, Meta(ge=1, le=9)]
_Name = Annotated[str, Meta(pattern="^[a-z0-9]{0,20}$")]
_SIZE_MOST = 1 << 20
_LIMIT_MOST = 1000
#: RabbitMQ has a limit for times, too; this one is below it.
_TIME_MOST = 1 << 31


class Do(StrEnum):
    """What an operation does."""

    DECLARE = "declare"
    DELETE = "delete"
    BIND = "bind"
    CONFIRM = "confirm"
    TRANSACT = "transact"
    PUBLISH = "publish"
    COMMIT = "commit"
    ROLLBACK = "rollback"
    QOS = "qos"
    CONSUME = "consume"
    CANCEL = "cancel"
    GET = "get"
    ACK = "ack"
    NACK = "nack"
    REJECT = "reject"
    RECOVER = "recover"
    WRONG = "wrong"  # ack a delivery that there never was: the channel is closed
    CLOSE = "close"
    DROP = "drop"  # end the connection without a word
    SEND = "send"  # send what was not sent yet
    WAIT = "wait"  # wait until all channels have answered
    SETTLE = "settle"  # wait until all publishes of the channel are settled
    FAULT = "fault"


class Overflow(StrEnum):
    """What a full queue does, by the names of the argument x-overflow."""

    DROP_HEAD = "drop-head"
    REJECT_PUBLISH = "reject-publish"


#: Faults that a program can ask for, where something can cause them.
FAULTS = (
    "crash_queue",
    "restart_node",
    "hold_fsync",
    "release_fsync",
    "suspend_queue",
    "resume_queue",
    "suspend_node",
    "resume_node",
    "restart_peer",
    "suspend_peer",
    "resume_peer",
    "suspend_mirror",
    "resume_mirror",
)
#: Those after which a queue or a node is another process.
FAILING = frozenset({"crash_queue", "restart_node", "restart_peer"})
#: What is held back until something else lets it go on: what begins it, and what ends it.
HELD = {
    "hold_fsync": "release_fsync",
    "suspend_queue": "resume_queue",
    "suspend_node": "resume_node",
    "suspend_peer": "resume_peer",
    "suspend_mirror": "resume_mirror",
}
#: Those that strike one queue.
OF_QUEUES = frozenset(
    {"crash_queue", "suspend_queue", "resume_queue", "suspend_mirror", "resume_mirror"}
)


class Operation(msgspec.Struct, omit_defaults=True, frozen=True, forbid_unknown_fields=True):
    """One operation; what does not apply to it has its default.

    Attributes:
        do: what it does.
        connection: number of the connection.
        channel: number of the channel on it.
        queue: the queue; of a publish, none if it goes nowhere.
        nowait: an answer is not wanted.
        durable: of a queue.
        limit: most messages that are ready in the queue; None for any number.
        overflow: what the queue does when it is full.
        ttl: milliseconds after which the queue need not keep a message; None for ever.
        exclusive: the queue belongs to the connection, and ends with it.
        fanout: a publish goes to all queues that are bound, and not to one by its name.
        alternate: it goes there by an exchange that has no bindings, and that one for an alternate.
        expires: milliseconds after which no queue need keep the message; None for ever.
        mandatory: of a publish.
        persistent: of a publish.
        size: bytes of a body, at least.
        prefetch: unsettled deliveries at most; 0 is any number.
        shared: the limit is for the whole channel.
        no_ack: deliveries need no ack.
        consumer: name of the consumer.
        which: which of the unsettled deliveries, from the oldest, modulo their number.
        multiple: those before it, too.
        requeue: of a nack or a reject.
        fault: which one.
    """

    do: Do
    connection: _Few = 1
    channel: _Few = 1
    queue: _Name = ""
    nowait: bool = False
    durable: bool = True
    limit: Annotated[int, Meta(ge=0, le=_LIMIT_MOST)] | None = None
    overflow: Overflow = Overflow.DROP_HEAD
    ttl: Annotated[int, Meta(ge=0, le=_TIME_MOST)] | None = None
    exclusive: bool = False
    fanout: bool = False
    alternate: bool = False
    expires: Annotated[int, Meta(ge=0, le=_TIME_MOST)] | None = None
    mandatory: bool = False
    persistent: bool = False
    size: Annotated[int, Meta(ge=0, le=_SIZE_MOST)] = 0
    prefetch: Annotated[int, Meta(ge=0, le=65535)] = 0
    shared: bool = False
    no_ack: bool = False
    consumer: _Name = ""
    which: Annotated[int, Meta(ge=0, le=65535)] = 0
    multiple: bool = False
    requeue: bool = False
    fault: str = ""

    def __str__(self) -> str:
        """Return it as one line."""
        return said(msgspec.to_builtins(self))


def said(operation: Mapping[str, Any]) -> str:
    """Return an operation as one line: where, what, and what is not as usual."""
    where = f"{operation.get('connection', 1)}.{operation.get('channel', 1)}"
    words = [
        key if value is True else f"{key}={str(value).lower()}"
        for key, value in operation.items()
        if key not in ("do", "connection", "channel")
    ]
    return " ".join([where, str(operation["do"]), *words])


class ProgramError(Exception):
    """A file is no program: where, what is wrong, what to do instead."""


class _Header(msgspec.Struct):
    format: str = ""
    version: int = 0


def write_program(path: Path, program: Iterable[Operation]) -> None:
    """Keep a program in a file."""
    encode = msgspec.json.Encoder().encode
    lines = [encode(_Header(_FORMAT, _VERSION)), *map(encode, program)]
    path.write_bytes(b"".join(line + b"\n" for line in lines))


def read_program(path: Path) -> list[Operation]:
    """Return the program of a file.

    Raises:
        ProgramError: it has none.
    """
    head, *lines = path.read_bytes().splitlines() or [b""]
    _check_header(path, head)
    program = []
    for number, line in enumerate(lines, 2):
        try:
            operation = msgspec.json.decode(line, type=Operation)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ProgramError(
                f"{path}:{number}: {error}; correct the line, or remove it"
            ) from None
        if operation.do == Do.FAULT and operation.fault not in FAULTS:
            known = ", ".join(FAULTS)
            said = f"there is no fault {operation.fault!r}; there are {known}"
            raise ProgramError(f"{path}:{number}: {said}")
        program.append(operation)
    return program


def _check_header(path: Path, line: bytes) -> None:
    try:
        header = msgspec.json.decode(line, type=_Header)
    except (msgspec.DecodeError, UnicodeDecodeError):
        header = _Header()
    if header.format != _FORMAT:
        raise ProgramError(
            f"{path}: this is no program; give a file that `ackproof conform` has written"
        )
    if header.version != _VERSION:
        raise ProgramError(
            f"{path}: a program of version {header.version}, and this command reads version "
            f"{_VERSION}; use the ackproof that has written it"
        )
