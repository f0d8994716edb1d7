"""What can be asked of a broker when it is started, in one place.

A node takes these options, a broker in a thread takes them as its arguments, and the command line
makes them of its own.  Nothing of it changes while the broker runs, and a restart begins with the
same; what can change later is asked of the node.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

from ackproof.impl.access.directory import User
from ackproof.impl.limits import Limits

if TYPE_CHECKING:
    import ssl

    from ackproof.impl.scenario.scenario import Scenario
    from ackproof.impl.storage.batch_commit import Storage

__all__ = ["REPLICAS_MAX", "SYNC_INTERVAL", "Options", "given"]

P = ParamSpec("P")

#: Processes that a queue may have; each has a store of its own.
REPLICAS_MAX = 9
#: Seconds that a message may wait for others to be committed with.
SYNC_INTERVAL = 0.025


def _as_it_is(disk: Storage) -> Storage:
    return disk


@dataclass(frozen=True)
class Options:
    """What a broker is to be.

    Attributes:
        directory: where its data lies; what is found there is recovered.  None to keep it in
            memory, which takes the same steps and no time for the disk.
        host: address to listen on.
        port: 0 to let the system choose.
        seed: any order of steps that the specification allows, drawn by this; None for the order
            that a user expects.
        interval: seconds between commits under load, if there is no seed.
        recording: take down what happens, and check it.
        remember: how many entries of that are kept, the latest; None for all.
        lockstep: take each step by the specification's own system as well, and compare, which
            is slow.
        tls: speak TLS with it, and nothing else; see `ackproof.impl.server.tls_context`.
        users: who may come in, and do everything in all virtual hosts that there are at the
            start; None for those that the directory knows of, or else guest, with password guest.
        vhosts: names of virtual hosts that there are at the start, besides `/`.
        definitions: virtual hosts, users, permissions and what is in them, as RabbitMQ writes them
            down; see `ackproof.impl.administration.definitions`.
        version: which RabbitMQ it says it is; None for what it is.
        limits: how much clients may take.
        immediate: publishers may ask for `immediate`, as before RabbitMQ 3.0.
        wrap: put around the disk, to make it slow or fail.
        replicas: how many processes each durable queue has: a master and mirrors (D1).
        scenario: faults that are asked for at their moments; see `ackproof.impl.scenario`.
        record_scenario: a file to which the faults of this run are written as a scenario.

    Raises:
        ValueError: a value is none that the option can have.
    """

    directory: Path | None = None
    _: KW_ONLY
    host: str = "127.0.0.1"
    port: int = 0
    seed: int | None = None
    interval: float = SYNC_INTERVAL
    recording: bool = True
    remember: int | None = 100_000
    lockstep: bool = False
    tls: ssl.SSLContext | None = None
    users: Sequence[User] | None = None
    vhosts: Sequence[str] = ()
    definitions: Mapping[str, Any] | None = None
    version: str | None = None
    limits: Limits = field(default_factory=Limits)
    immediate: bool = False
    wrap: Callable[[Storage], Storage] = _as_it_is
    replicas: int = 1
    scenario: Scenario | None = None
    record_scenario: Path | None = None

    def __post_init__(self) -> None:
        if type(self.replicas) is not int or not 1 <= self.replicas <= REPLICAS_MAX:
            raise ValueError(f"replicas is {self.replicas!r}; it must be from 1 to {REPLICAS_MAX}")
        if self.seed is not None and type(self.seed) is not int:
            raise ValueError(f"seed is {self.seed!r}; it must be a whole number, or None")
        for name in ("directory", "record_scenario"):
            path = getattr(self, name)
            if not isinstance(path, Path | None):
                raise ValueError(f"{name} is {path!r}; it must be a pathlib.Path, or None")


def given(
    options: Callable[P, Options],
) -> Callable[[Callable[[Any, Options], None]], Callable[Concatenate[Any, P], None]]:
    """Let a class be made with the arguments of `Options`, and get them as one object.

        @given(Options)
        def __init__(self, options: Options) -> None: ...

    Args:
        options: the class `Options`, whose arguments the class will take.
    """

    def decorate(init: Callable[[Any, Options], None]) -> Callable[Concatenate[Any, P], None]:
        @wraps(init)
        def make(self: Any, /, *args: P.args, **named: P.kwargs) -> None:
            init(self, options(*args, **named))

        arguments = inspect.signature(options).parameters.values()
        me = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        make.__signature__ = inspect.Signature([me, *arguments])  # type: ignore[attr-defined]
        return make

    return decorate
