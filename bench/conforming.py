"""Random programs of the conformance kit against a real RabbitMQ that is made to fail.

    python bench/conforming.py                             Debian's own, 200 runs
    python bench/conforming.py --root build/rabbitmq/sid   one that make-root has made
    python bench/conforming.py --fault crash_queue         with this fault only

One node is started on the loopback interface, in a directory that is removed at the end.  Its
queues crash and are suspended, and it is killed and suspended itself, where a program says so.
A line is printed for each run that breaks a rule or does not come to its end.  In the end
a summary is written, with small programs that break what was broken beside it.

Exit code 0: all runs conform; 1: one does not, or RabbitMQ did not start; 2: wrong arguments.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

# A script finds modules beside itself; these are found from the project's root, as in the tests.
if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from ackproof.conform.kit.campaign import Campaign, Ran
from ackproof.conform.kit.operations import write_program
from ackproof.conform.kit.running import Setting
from ackproof.conform.kit.url import parse

from bench.process import Failed, Missing
from bench.rabbitmq.faults import NodeControl
from bench.rabbitmq.node import Node
from bench.rabbitmq.site import site, version


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


def main(
    root: Annotated[Path | None, typer.Option(help="A root directory with a RabbitMQ.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="How many programs.")] = 200,
    seed: Annotated[int, typer.Option(help="The seed of the first.")] = 1,
    seconds: Annotated[float | None, typer.Option(help="No run begins after so long.")] = None,
    shrink: Annotated[float, typer.Option(help="Seconds to minimise one violation.")] = 60.0,
    fault: Annotated[list[str] | None, typer.Option(help="A fault; all without one.")] = None,
    keep: Annotated[Path, typer.Option(help="Where programs and the summary go.")] = Path(),
) -> None:
    """Try a RabbitMQ that fails.  Example: bench/conforming.py --runs 2000 --keep found"""
    wrong = [one for one in fault or [] if one not in NodeControl.faults]
    if wrong:
        known = ", ".join(NodeControl.faults)
        raise typer.BadParameter(f"there is no fault {wrong[0]!r} here; there are {known}")
    keep.mkdir(parents=True, exist_ok=True)
    try:
        with site(root) as here, Node(here, "k1") as node:
            node.start()
            node.ready()
            control = NodeControl(node)
            control.faults = tuple(fault or NodeControl.faults)
            address = parse(f"amqp://guest:guest@127.0.0.1:{node.port}/")
            campaign = Campaign(Setting(address, control), shrink, hear)
            campaign.conduct(seed, runs, seconds)
    except (Failed, Missing) as error:
        print(f"error: {error}", file=sys.stderr)
        raise typer.Exit(1) from error
    for rule, violated in campaign.violated.items():
        write_program(keep / f"{rule}-{violated.seed}.jsonl", violated.program)
    (keep / "summary.json").write_text(json.dumps(summary(campaign, version(root)), indent=2))
    print(f"{len(campaign.ran)} runs, {len(campaign.violated)} rules broken")
    raise typer.Exit(1 if campaign.violated else 0)


if __name__ == "__main__":
    typer.run(main)
