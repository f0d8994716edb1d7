"""`ackproof serve`: the reference broker as a command.

Whoever starts a broker in each of many tests waits for it each time.  So this one command is said
to click, which is there sooner than typer, and nothing else of the command line is loaded; the
broker itself is imported when the options make sense, without looking for garbage meanwhile.
"""

from __future__ import annotations

import gc
import math
from pathlib import Path

import click
from ackproof.cli.inputs import InputError, clean_exit
from ackproof.impl.limits import Limits
from ackproof.impl.options import REPLICAS_MAX, Options

__all__ = ["serve"]

_PORT_MAX = 65535
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_CHANNELS_MAX = 65535
_PATH = click.Path(path_type=Path)


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option(
    "--port",
    type=click.IntRange(0, _PORT_MAX),
    default=5672,
    help="TCP port; 0 lets the system choose one.",
)
@click.option(
    "--host",
    default=Options.host,
    help="Name or address to listen on; localhost and :: are IPv4 and IPv6.",
)
@click.option(
    "--data",
    type=_PATH,
    metavar="DIR",
    help="Directory for durable queues and persistent messages; without it, a temporary one that "
    "is removed at the end.",
)
@click.option(
    "--in-memory", is_flag=True, help="Keep everything in memory; nothing waits for a disk."
)
@click.option(
    "--sync-interval",
    type=click.FloatRange(min=0),
    default=Options.interval * 1000,
    help="Milliseconds between commits under load.",
)
@click.option(
    "--seed",
    type=int,
    help="Take steps in any order that the specification allows, drawn by this number.",
)
@click.option(
    "--replicas",
    type=click.IntRange(1, REPLICAS_MAX),
    default=Options.replicas,
    help="Processes of each durable queue, a master and mirrors, each with its own store.",
)
@click.option(
    "--control",
    type=click.IntRange(0, _PORT_MAX),
    help="Port for the control API; 0 lets the system choose.",
)
@click.option(
    "--control-host",
    default="127.0.0.1",
    help="Name or address on which the control API listens; another than loopback needs a token.",
)
@click.option(
    "--control-token",
    envvar="ACKPROOF_CONTROL_TOKEN",
    metavar="TOKEN",
    help="What requests to the control API must say under Authorization: Bearer; also read from "
    "ACKPROOF_CONTROL_TOKEN.",
)
@click.option(
    "--tls-cert", type=_PATH, metavar="FILE", help="Speak TLS with this certificate, a PEM file."
)
@click.option(
    "--tls-key", type=_PATH, metavar="FILE", help="The private key to that certificate, a PEM file."
)
@click.option(
    "--users",
    type=_PATH,
    metavar="FILE",
    help="File with who may log in, a line of NAME:PASSWORD for each; without it, guest:guest.",
)
@click.option(
    "--vhost",
    "vhosts",
    multiple=True,
    metavar="NAME",
    help="A virtual host besides /, for all who may log in; may be given several times.",
)
@click.option(
    "--definitions",
    type=_PATH,
    metavar="FILE",
    help="File with virtual hosts, users, permissions, exchanges, queues and bindings, in JSON as "
    "RabbitMQ exports them.",
)
@click.option(
    "--rabbitmq-version",
    metavar="VERSION",
    help="Say in server-properties to be RabbitMQ in this version, for clients that look.",
)
@click.option(
    "--max-connections",
    type=click.IntRange(min=1),
    default=Limits.connections,
    help="Connections that may be open at the same time.",
)
@click.option(
    "--max-channels",
    type=click.IntRange(1, _CHANNELS_MAX),
    default=Limits.channels,
    help="Channels that a connection may have open at the same time.",
)
@click.option(
    "--max-queues",
    type=click.IntRange(min=1),
    default=Limits.queues,
    help="Queues that there may be.",
)
@click.option(
    "--max-message-size",
    type=click.IntRange(min=0),
    default=Limits.body_size,
    help="Bytes that the body of a message may have.",
)
@click.option(
    "--memory-limit",
    type=click.IntRange(min=1),
    default=Limits.memory,
    help="Bytes of messages from which on nothing is read from who publishes.",
)
@click.option(
    "--disk-free-limit",
    type=click.IntRange(min=0),
    default=Limits.disk_free,
    help="Bytes that must be free for the data, or nothing is read from who publishes.",
)
@click.option(
    "--lockstep",
    is_flag=True,
    help="Take each step by the specification's own system as well, and complain where they "
    "differ; slow.",
)
@click.option(
    "--immediate",
    is_flag=True,
    help="Take messages that are published as immediate, as brokers before RabbitMQ 3.0 did: what "
    "no consumer can take at once is returned.",
)
@click.option(
    "--scenario",
    type=_PATH,
    metavar="FILE",
    help="Ask for the faults of this file at their moments, on a broker with its options.",
)
@click.option(
    "--record-scenario",
    type=_PATH,
    metavar="FILE",
    help="Write the faults that are asked for, and when, to this file, to be played again.",
)
@click.option(
    "--stop-at-eof",
    is_flag=True,
    help="Stop when standard input ends, as it does with the program at its other end.",
)
@click.option("--quiet", is_flag=True, help="Log only what is wrong.")
@click.option("--verbose", is_flag=True, help="Log everything that happens, a line for each.")
@clean_exit
def serve(
    *,
    port: int,
    host: str,
    data: Path | None,
    in_memory: bool,
    sync_interval: float,
    seed: int | None,
    replicas: int,
    control: int | None,
    control_host: str,
    control_token: str | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    users: Path | None,
    vhosts: tuple[str, ...],
    definitions: Path | None,
    rabbitmq_version: str | None,
    max_connections: int,
    max_channels: int,
    max_queues: int,
    max_message_size: int,
    memory_limit: int,
    disk_free_limit: int,
    lockstep: bool,
    immediate: bool,
    scenario: Path | None,
    record_scenario: Path | None,
    stop_at_eof: bool,
    quiet: bool,
    verbose: bool,
) -> int:
    """Run the reference broker: AMQP 0-9-1 with confirms decided by the specification.

    Log in as guest with password guest, on virtual host /. Ctrl-C stops it. What it does not
    implement is answered 540 NOT_IMPLEMENTED.

    Example: ackproof serve --port 5672 --data ./broker-data
    """
    if in_memory and data is not None:
        raise InputError("--in-memory keeps nothing in --data; choose one of the two")
    if quiet and verbose:
        raise InputError("--quiet logs little and --verbose everything; choose one of the two")
    if (tls_cert is None) != (tls_key is None):
        raise InputError("TLS needs both --tls-cert and --tls-key")
    if control is not None and control_host not in _LOOPBACK and not control_token:
        raise InputError(
            f"--control-host {control_host} lets others in; give --control-token, too, or set "
            "ACKPROOF_CONTROL_TOKEN"
        )
    if not sync_interval < math.inf:
        raise InputError(f"--sync-interval is {sync_interval}; give a number of milliseconds")
    if memory_limit <= max_message_size:
        raise InputError(
            f"--memory-limit is {memory_limit}, and --max-message-size {max_message_size}: one "
            "message could fill the memory, and would then wait for itself; give a larger limit, "
            "or a smaller size"
        )
    gc.disable()  # `run` enables it again
    from ackproof.cli.serving import (
        Listening,
        Logging,
        definitions_of,
        run,
        scenario_of,
        tls_of,
        users_of,
    )

    options = Options(
        data,
        host=host,
        port=port,
        seed=seed,
        interval=sync_interval / 1000,
        recording=verbose or control is not None,
        lockstep=lockstep,
        tls=None if tls_cert is None or tls_key is None else tls_of(tls_cert, tls_key),
        users=users_of(users),
        vhosts=vhosts,
        definitions=definitions_of(definitions),
        version=rabbitmq_version,
        limits=Limits(
            connections=max_connections,
            channels=max_channels,
            queues=max_queues,
            body_size=max_message_size,
            memory=memory_limit,
            disk_free=disk_free_limit,
        ),
        immediate=immediate,
        replicas=replicas,
        scenario=scenario_of(scenario),
        record_scenario=record_scenario,
    )
    listening = None if control is None else Listening(control_host, control, control_token)
    log = Logging.QUIET if quiet else Logging.VERBOSE if verbose else Logging.USUAL
    run(options, in_memory=in_memory, control=listening, log=log, stop_at_eof=stop_at_eof)
    return 0
