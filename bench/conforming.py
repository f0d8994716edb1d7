"""Random programs of the conformance kit against a real RabbitMQ that is made to fail.

    python bench/conforming.py                             Debian's own, 200 runs
    python bench/conforming.py --root build/rabbitmq/sid   one that make-root has made
    python bench/conforming.py --mirrored                  two nodes, each queue on both
    python bench/conforming.py --fault crash_queue         with this fault only
    python bench/conforming.py --replay FILE               one program, until it breaks a rule

Nodes are started on the loopback interface, in a directory that is removed at the end.  Their
queues crash and are suspended, and they are killed and suspended themselves, where a program says
so.  Of two nodes, clients are connected to the first, and masters are on either.
A line is printed for each run that breaks a rule or does not come to its end.  In the end
a summary is written, with small programs that break what was broken beside it.

Exit code 0: all runs conform; 1: one does not, or RabbitMQ did not start; 2: wrong arguments.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import msgspec
import typer

# A script finds modules beside itself; these are found from the project's root, as in the tests.
if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from ackproof.conform.kit.campaign import Campaign, Ran
from ackproof.conform.kit.operations import (
    Operation,
    ProgramError,
    read_program,
    write_program,
)
from ackproof.conform.kit.running import Setting
from ackproof.conform.kit.url import parse

from bench.process import Failed, Missing
from bench.rabbitmq.cluster import cluster
from bench.rabbitmq.faults import NodeControl, PairControl
from bench.rabbitmq.node import Node
from bench.rabbitmq.site import site, version

#: How often a program is run until it breaks a rule.
_REPLAYS = 20


def hear(ran: Ran) -> None:
    """Print what a run has found, or why it has no end, and now and then how far it is."""
    for finding in ran.result.findings:
        print(f"seed {ran.seed}: {finding.name}: {finding.why}", flush=True)
    if ran.result.incomplete:
        print(f"seed {ran.seed} incomplete: {ran.result.incomplete}", flush=True)
    if ran.seed % 50 == 0:
        print(f"… seed {ran.seed}", flush=True)


def summary(campaign: Campaign, name: str) -> dict[str, object]:
    """Return what has been run, and what was found."""
    return {
        "rabbitmq": name,
        "runs": len(campaign.ran),
        "incomplete": len(campaign.incomplete),
        "seconds": round(sum(ran.seconds for ran in campaign.ran)),
        "operations": dict(campaign.operations),
        "counts": dict(campaign.counts),
        "violated": {
            rule: {"runs": v.runs, "seed": v.seed, "at": v.at, "why": v.finding.why}
            for rule, v in campaign.violated.items()
        },
        "programs": {
            rule: msgspec.to_builtins(violated.program)
            for rule, violated in campaign.violated.items()
        },
    }


@contextmanager
def failing(root: Path | None, mirrored: bool) -> Iterator[tuple[Node, NodeControl]]:
    """Start what is tried; give the node that clients connect to, and what makes it fail.

    Raises:
        Failed: it does not start.
        Missing: it is not installed.
    """
    if mirrored:
        with cluster("ackproof-", **{"queue-master-locator": "min-masters"}) as pair:
            yield pair.first, PairControl(pair)
        return
    with site(root) as here, Node(here, "k1") as node:
        node.start()
        node.ready()
        yield node, NodeControl(node)


def known_faults(control: type[NodeControl], wanted: list[str] | None) -> tuple[str, ...]:
    """Return the faults that are wanted; all without any.

    Raises:
        typer.BadParameter: there is no such fault.
    """
    wrong = [one for one in wanted or [] if one not in control.faults]
    if wrong:
        known = ", ".join(control.faults)
        raise typer.BadParameter(f"there is no fault {wrong[0]!r} here; there are {known}")
    return tuple(wanted or control.faults)


def main(
    root: Annotated[Path | None, typer.Option(help="A root directory with a RabbitMQ.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="How many programs.")] = 200,
    seed: Annotated[int, typer.Option(help="The seed of the first.")] = 1,
    seconds: Annotated[float | None, typer.Option(help="No run begins after so long.")] = None,
    shrink: Annotated[float, typer.Option(help="Seconds to minimise one violation.")] = 60.0,
    fault: Annotated[list[str] | None, typer.Option(help="A fault; all without one.")] = None,
    mirrored: Annotated[bool, typer.Option("--mirrored", help="Two nodes with mirrors.")] = False,
    replay: Annotated[Path | None, typer.Option(help="Run this program instead.")] = None,
    keep: Annotated[Path, typer.Option(help="Where programs and the summary go.")] = Path(),
) -> None:
    """Try a RabbitMQ that fails.  Example: bench/conforming.py --runs 2000 --keep found"""
    if mirrored and root is not None:
        raise typer.BadParameter("mirrors are tried with the RabbitMQ that is installed")
    faults = known_faults(PairControl if mirrored else NodeControl, fault)
    program = None if replay is None else read(replay)
    keep.mkdir(parents=True, exist_ok=True)
    try:
        with failing(root, mirrored) as (node, control):
            control.faults = faults
            address = parse(f"amqp://guest:guest@127.0.0.1:{node.port}/")
            campaign = Campaign(Setting(address, control), shrink, hear)
            if program is None:
                campaign.conduct(seed, runs, seconds)
            else:
                campaign.perform(program, _REPLAYS)
    except (Failed, Missing) as error:
        print(f"error: {error}", file=sys.stderr)
        raise typer.Exit(1) from error
    if program is None:
        put(campaign, keep, version(root))
    print(f"{len(campaign.ran)} runs, {len(campaign.violated)} rules broken")
    raise typer.Exit(1 if campaign.violated else 0)


def read(path: Path) -> list[Operation]:
    """Return the program of a file.

    Raises:
        typer.BadParameter: it has none.
    """
    try:
        return read_program(path)
    except (OSError, ProgramError) as error:
        raise typer.BadParameter(str(error)) from None


def put(campaign: Campaign, keep: Path, name: str) -> None:
    """Write what was found: the summary, and programs."""
    for rule, violated in campaign.violated.items():
        write_program(keep / f"{rule}-{violated.seed}.jsonl", violated.program)
    (keep / "summary.json").write_text(json.dumps(summary(campaign, name), indent=2))


if __name__ == "__main__":
    typer.run(main)
