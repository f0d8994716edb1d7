"""`ackproof check`: search every state of a specification, or of a design, at a given size."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from ackproof.cli.inputs import InputError, choose, clean_exit
from ackproof.cli.options import (
    AsJson,
    Depth,
    Designs,
    EngineName,
    Instances,
    Itf,
    ListAll,
    Memory,
    Museum,
    PrintLlvm,
    Properties,
    Workers,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackproof.cli.jobs import Job
    from ackproof.cli.output import Result

__all__ = ["check", "run_jobs"]

_HELP = """
Search every state that a specification can reach, and check its properties on each.

Without DESIGN, the base specification of publisher confirms is checked. A DESIGN is a change to
it: the name of one in the museum, or the path of a Python file of your own that ends in
`design = Design(...)`, or in `MODEL = Model(...)` for a system of your own.

Exit codes: 0 verified, 1 a property is violated or an expectation did not come true, 2 the input is
wrong, 3 the search is incomplete (bounded, truncated, or something that must happen never did).

Examples:

    ackproof check --instance core            the base, a million states

    ackproof check my_design.py               your own change to it

    ackproof check b10 --itf trace.itf.json   keep the counterexample for other tools

    ackproof check --list                     instances, designs and properties
"""


@clean_exit
def check(
    designs: Designs = None,
    instance: Instances = None,
    properties: Properties = None,
    engine: EngineName = "kernel",
    workers: Workers = None,
    memory: Memory = None,
    depth: Depth = None,
    as_json: AsJson = False,
    itf: Itf = None,
    print_llvm: PrintLlvm = False,
    museum: Museum = False,
    list_all: ListAll = False,
) -> int:
    """Search every state; the text of the help is in `_HELP`."""
    from ackproof.cli.jobs import memory_limit, plan, worker_count
    from ackproof.cli.targets import base_target, load_all
    from ackproof.model.check import ENGINES

    choose("engine", engine, ENGINES)
    options = {
        "engine": engine,
        "workers": worker_count(workers),
        "memory": memory_limit(memory),
        "max_depth": depth,
    }
    if museum:
        from ackproof.cli.museum import run_museum

        _alone("--museum", designs, instance, properties)
        return run_museum([], options, as_json=as_json)
    targets = load_all(designs or []) or [base_target()]
    if list_all:
        from ackproof.cli.catalogue import show_catalogue

        return show_catalogue(targets, as_json=as_json, with_museum=not designs)
    jobs = plan(targets, instance or [], properties or [])
    if print_llvm:
        return _print_llvm(jobs, properties)
    _check_writable(itf)
    results = run_jobs(jobs, {**options, "properties": properties})
    _write_itf(results, itf)
    return _show(results, as_json=as_json)


check.__doc__ = _HELP


def _alone(option: str, *others: list[str] | None) -> None:
    if any(others):
        raise InputError(
            f"{option} checks all designs on the instances that they name; "
            "leave out DESIGN, --instance and --property"
        )


def run_jobs(jobs: Sequence[Job], options: dict[str, Any]) -> list[Result]:
    """Run checks one after the other; an interrupted one is the last."""
    from ackproof.model.outcome import Limit

    programs: dict[int, Any] = {}
    reports: dict[int, dict[str, Any]] = {}
    results = []
    for job in jobs:
        target = job.target
        known = reports.setdefault(id(target), {})
        result = _run(job, {**options, "program": programs.get(id(target))}, known)
        # A check that asked for NoDeadlock has turned it on; the next may not ask.
        programs[id(target)] = replace(
            result.report.bound.program, deadlock_free=target.model.deadlock_free
        )
        results.append(result)
        if result.report.outcome.limit is Limit.INTERRUPTED:
            break
    return results


def _run(job: Job, options: dict[str, Any], reports: dict[str, Any]) -> Result:
    from ackproof.cli.output import Result
    from ackproof.cli.progress import Watch
    from ackproof.model.check import check as run_check
    from ackproof.model.museum import judge

    target, known = job.target, job.instance.states
    with Watch(job.label, None if target.design else known) as watch:
        options = {**options, "name": target.name, "progress": watch}
        if job.expectation is not None and target.design is not None:
            judged = judge(target.model, target.design, job.expectation, reports=reports, **options)
            return Result(job, judged.report, judged)
        return Result(job, run_check(target.model, job.instance, target.design, **options))


def _show(results: list[Result], *, as_json: bool) -> int:
    from ackproof.model.verdict import worst

    wrong = [r for r in results if r.judgement and not r.judgement.came_true]
    # A search that stopped early has decided nothing, and its verdict says so.
    failed = [1 for r in wrong if r.report.outcome.limit is None]
    code = worst([*(r.report.verdict.exit_code for r in results), *failed])
    if as_json:
        from ackproof.model.report import document

        expected = [r.judgement.to_json() if r.judgement else None for r in results]
        found = document([r.report for r in results], expected)
        typer.echo(json.dumps({**found, "exit_code": code}, indent=2))
    else:
        from ackproof.cli.output import show_result, show_traces
        from ackproof.cli.page import console
        from ackproof.cli.table import show_expectations, show_sum, show_table

        out = console()
        if len(results) == 1:
            show_result(out, results[0])
        else:
            show_traces(out, results)
            show = show_expectations if any(r.judgement for r in results) else show_table
            show(out, results)
            show_sum(out, results)
    return code


def _print_llvm(jobs: Sequence[Job], properties: list[str] | None) -> int:
    from ackproof.model.check import chosen
    from ackproof.model.lower.compile import compile_kernel

    for job in jobs:
        bound = chosen(job.target.model, job.instance, job.target.design, properties)
        typer.echo(compile_kernel(bound).ir_text)
    return 0


def _check_writable(path: Path | None) -> None:
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"--itf {path} is a directory; name a file")
    if not path.resolve().parent.is_dir():
        raise InputError(f"--itf {path}: there is no directory {path.resolve().parent}")


def _write_itf(results: list[Result], path: Path | None) -> None:
    """Write each counterexample to a file of its own: trace.itf.json, trace-2.itf.json…"""
    if path is None:
        return
    from ackproof.model.itf import itf_trace

    traces = [t for r in results for t in r.traces]
    if not traces:
        typer.echo(f"there is no counterexample, so {path} was not written", err=True)
    name, dot, suffix = path.name.partition(".")
    for number, trace in enumerate(traces, start=1):
        file = path if number == 1 else path.with_name(f"{name}-{number}{dot}{suffix}")
        try:
            file.write_text(json.dumps(itf_trace(trace)) + "\n", encoding="utf-8")
        except OSError as error:
            raise InputError(f"--itf {file} cannot be written: {error.strerror}") from None
        typer.echo(f"wrote {file}: the counterexample to {trace.property}", err=True)
