"""`ackproof museum`: check what every design of the museum expects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import typer
from ackproof.cli.engines import Asked
from ackproof.cli.inputs import InputError, clean_exit
from ackproof.cli.options import (
    AsJson,
    Designs,
    FarmEngine,
    Master,
    Memory,
    NoCache,
    Workers,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackproof.cli.jobs import Job
    from ackproof.cli.worker_processes import Finished

__all__ = ["museum", "run_museum"]

_HELP = """
Check what the designs of the museum expect, and show a table.

Each design says which property breaks, on which instance and after how many steps, or that all
hold. Exit codes: 0 if every expectation came true, 1 if one did not, 3 if a search was incomplete.

Examples:

    ackproof museum                 all of them

    ackproof museum b10 b11         these two

    ackproof museum my_design.py    one of your own

    ackproof check b10              one of them, with its counterexample

    ackproof museum --engine spark --master spark://HOST:7077
"""


@clean_exit
def museum(
    designs: Designs = None,
    engine: FarmEngine = "kernel",
    workers: Workers = None,
    memory: Memory = None,
    master: Master = None,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> int:
    """Check the museum; the text of the help is in `_HELP`."""
    from ackproof.cli.jobs import cache_for, memory_limit, worker_count

    asked = Asked(engine, worker_count(workers), master)
    asked.check_options(farm=True)
    options = {
        "engine": asked,
        "workers": asked.workers,
        "memory": memory_limit(memory),
        "cache": cache_for(no_cache),
    }
    return run_museum(designs or [], options, as_json=as_json)


museum.__doc__ = _HELP


def run_museum(names: list[str], options: dict[str, Any], *, as_json: bool) -> int:
    """Check the named designs or files, or all designs, and show what became of their expectations.

    Raises:
        InputError: a design is unknown, or there is none, or one expects nothing.
    """
    from ackproof.cli.jobs import plan
    from ackproof.cli.targets import base_target, load_all
    from ackproof.model.museum import museum_names

    chosen = names or list(museum_names(base_target().model))
    if not chosen:
        raise InputError(
            "the museum has no designs; check a file of your own: ackproof check my_design.py"
        )
    jobs = plan(load_all(chosen), [], [])
    silent = [j.target.label for j in jobs if j.expectation is None]
    if silent:
        raise InputError(
            f"the design {silent[0]} does not say what a check must find\n"
            '  instead: write expect=(Breaks("Property", "instance", 5),) in it'
        )
    finished = _checked(jobs, options, with_entries=as_json)
    results = [f.result for f in finished]
    code = _exit_code(results, len(jobs))
    if as_json:
        from ackproof.model.document import document

        entries = [f.entry for f in finished]
        typer.echo(json.dumps({**document([]), "results": entries, "exit_code": code}, indent=2))
    else:
        _show(results, len(jobs))
    return code


def _checked(
    jobs: Sequence[Job], options: dict[str, Any], *, with_entries: bool
) -> Sequence[Finished]:
    """Run checks, those of several designs in several processes."""
    from ackproof.cli.worker_processes import check_here, check_in_processes

    designs = len({id(job.target) for job in jobs})
    with options["engine"].pool(designs) as pool:
        if pool is None:
            return check_here(jobs, options, with_entries=with_entries)
        return check_in_processes(jobs, options, pool, with_entries=with_entries)


def _exit_code(results: list[Any], jobs: int) -> int:
    wrong = [r for r in results if not r.judgement.came_true]
    if any(r.report.outcome.limit is None for r in wrong):
        return 1
    return 3 if wrong or len(results) < jobs else 0


def _show(results: list[Any], jobs: int) -> None:
    from ackproof.cli.page import Page, console
    from ackproof.cli.table import show_cached, show_expectations

    out = console()
    show_expectations(out, results)
    show_cached(Page(out), [r.report for r in results])
    true = sum(r.judgement.came_true for r in results)
    if len(results) < jobs:
        out.print(f"interrupted: {jobs - len(results)} of {jobs} expectations were not checked")
    out.print(f"{true} of {jobs} expectations came true")
