"""`ackproof check`: search every state of a specification, or of a design, at a given size."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import typer
from ackproof.cli.engines import SPARK, Asked
from ackproof.cli.inputs import InputError, clean_exit, located
from ackproof.cli.options import (
    AsJson,
    CheckEngine,
    Continue,
    Depth,
    Designs,
    Export,
    Instances,
    Itf,
    Junit,
    Like,
    ListAll,
    Master,
    Memory,
    Museum,
    NoCache,
    Partitions,
    PrintLlvm,
    PrintPython,
    Properties,
    Resume,
    Sweep,
    Symmetry,
    Verbose,
    Watch,
    Work,
    Workers,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackproof.cli.jobs import Job
    from ackproof.cli.output import Result

__all__ = ["check"]

_HELP = """
Search every state that a specification can reach, and check its properties on each.

Without DESIGN, the base specification of publisher confirms is checked. A DESIGN is a change to
it: the name of one in the museum, or the path of a Python file of your own that ends in
`design = Design(...)`, or in `MODEL = Model(...)` for a system of your own.

With `--work`, each search has a directory of its own there, with every level that is finished, and
`--resume` goes on after the last of them, whatever ended the run before. It takes less memory, for
how states were reached is in files, and needs `pip install "ackproof[check,parquet]"`.

With `--engine collapsed`, what states of several words have in common is held once: they take half
of the memory or less, and the search takes up to twice the time. It finds the same.

With `--engine spark`, a cluster searches what is too much for the memory of one machine, and finds
the same. What either keeps in `--work` the other goes on from: a search may begin on one machine,
and end on a cluster. It needs Java 17 or later and `pip install "ackproof[spark]"`; without
`--master`, it runs on this machine. `--memory` is then what the properties of runs may take of this
process. With `--museum` or `--sweep` there are many searches: each is a task, and needs no
directory.

What was searched once is not searched again while nothing that it depends on has changed: the
report says that it is from the cache, and when the search was made. The variable `ACKPROOF_CACHE`
names the folder, `ACKPROOF_CACHE=off` switches it off, and `--no-cache` searches anew, as
`ACKPROOF_CACHE=anew:FOLDER` does for every command.

What broke stands first, with the shortest run that leads there. A search ends at the level of the
first violation; with `--continue` it goes on, and every property is decided. What is no news is
counted, and `--verbose` names it; `--json` always has everything.

Without `--instance`, a design that says nothing of what it expects is checked on the instances
where it makes a difference, the smallest first, up to the first violation, and as long as these
instances have no more than two million states together; plain Python has ten thousand. A design
that comes to as many states and steps as the base is not verified but unchanged. One that makes an
action or a situation of the base impossible, wherever it was looked at, is not verified but
narrowed: who does nothing breaks no promise.

With `--symmetry`, states that differ in the names of elements only are searched as one: of
two-phase commit with eight managers, 1,461 in place of more than a million. First it is made sure
that nothing tells the elements apart. Properties of runs are not judged then; the check is
undecided if there are some, unless `--property` names others.

With `--sweep STATES`, nobody says how large: instances are made from what the model declares, the
smallest first, each by itself with all faults at once, or with as many as it has states for. A
table says what was finished, what was cut, and what was not begun.

Exit codes: 0 verified, 1 a property is violated or an expectation did not come true, 2 the input is
wrong, 3 the search is incomplete (bounded, truncated, or something that must happen never did), or
may have reached nothing that the design changes (unchanged, where that was not expected), or found
that something of the base never happens any more (narrowed).

Examples:

    ackproof check --instance core            the base, a million states

    ackproof check my_design.py               your own change to it

    ackproof check my_design.py --continue    all that it breaks, and not the first only

    ackproof check my_design.py --watch       again, whenever the file is saved

    ackproof check b10 --itf trace.itf.json   keep the counterexample for other tools

    ackproof check b10 --export run.svg --export test_b10.py

    ackproof check -i deep --work /data/found          what is finished can be gone on with

    ackproof check -i deep --work /data/found --resume --engine spark

    ackproof check -i tiny --print-python     what is left of the specification there

    ackproof check my_design.py --sweep 1000000   on what nobody has thought of

    ackproof check my_model.py --symmetry     states up to the names of elements

    ackproof check --list                     instances, properties, steps and designs

    ackproof check --list --like fsync        those that speak of that
"""


@clean_exit
def check(
    designs: Designs = None,
    instance: Instances = None,
    properties: Properties = None,
    engine: CheckEngine = "kernel",
    workers: Workers = None,
    memory: Memory = None,
    depth: Depth = None,
    go_on: Continue = False,
    symmetry: Symmetry = False,
    verbose: Verbose = False,
    watch: Watch = False,
    master: Master = None,
    partitions: Partitions = None,
    work: Work = None,
    resume: Resume = False,
    no_cache: NoCache = False,
    as_json: AsJson = False,
    itf: Itf = None,
    export: Export = None,
    junit: Junit = None,
    print_llvm: PrintLlvm = False,
    print_python: PrintPython = False,
    sweep: Sweep = None,
    museum: Museum = False,
    list_all: ListAll = False,
    like: Like = None,
) -> int:
    """Search every state; the text of the help is in `_HELP`."""
    from ackproof.cli.check_files import check_writable, write_itf, write_junit
    from ackproof.cli.check_runs import run_jobs
    from ackproof.cli.exit_codes import exit_code
    from ackproof.cli.exports import check_exports, write_exports
    from ackproof.cli.jobs import cache_for, memory_limit, plan, worker_count
    from ackproof.cli.targets import base_target, load_all

    where = None if work is None else located(work)
    asked = Asked(engine, workers, master, partitions, where, resume)
    asked.check_options(farm=museum or sweep is not None)
    others = {
        "--engine spark": engine == SPARK,
        "--work": asked.keeps,
        "--museum": museum,
        "--sweep": sweep is not None,
    }
    _refuse_with("--symmetry", symmetry, others)
    if watch:
        return _watch(designs or [], asked, as_json=as_json)
    options: dict[str, Any] = {
        "engine": asked,
        "workers": worker_count(workers),
        "memory": memory_limit(memory),
        "max_depth": depth,
        "cache": cache_for(no_cache),
    }
    if museum:
        from ackproof.cli.museum import run_museum

        _alone("--museum", designs, instance, properties)
        return run_museum([], options, as_json=as_json)
    targets = load_all(designs or []) or [base_target()]
    if like is not None and not list_all:
        raise InputError("--like chooses from what --list shows; give both, or leave it out")
    if list_all:
        from ackproof.cli.catalogue import show_catalogue

        return show_catalogue(
            targets,
            as_json=as_json,
            with_museum=not designs,
            like=like or "",
            verbose=verbose,
        )
    if sweep is not None:
        from ackproof.cli.sweep import Swept, run_and_show

        refused = {
            "--depth": depth,
            "--export": export,
            "--itf": itf,
            "--junit": junit,
            "--print-llvm": print_llvm,
            "--print-python": print_python,
        }
        swept = Swept(sweep, instance or [], properties, go_on, no_cache)
        return run_and_show(targets, swept, options, refused, as_json=as_json, verbose=verbose)
    jobs = plan(targets, instance or [], properties or [], engine)
    if print_llvm:
        return _print_llvm(jobs, properties)
    if print_python:
        return _print_python(jobs)
    check_writable("--itf", itf)
    check_writable("--junit", junit)
    check_exports(export or [], targets)
    options |= {"properties": properties, "survey": go_on, "symmetry": symmetry}
    results = run_jobs(jobs, options)
    code = exit_code(results)
    write_itf(results, itf)
    write_exports(results, export or [])
    write_junit(results, junit)
    _show(results, code, as_json=as_json, verbose=verbose)
    return code


check.__doc__ = _HELP


def _watch(designs: list[str], asked: Asked, *, as_json: bool) -> int:
    from ackproof.cli.watching import watch

    if as_json or asked.engine == SPARK or asked.keeps:
        other = "--json" if as_json else f"--engine {SPARK}" if asked.engine == SPARK else "--work"
        raise InputError(
            f"--watch shows each check to somebody who waits for it, and {other} is for others\n"
            "  instead: leave out one of the two"
        )
    return watch(designs, clear=sys.stdout.isatty())


def _refuse_with(option: str, given: bool, others: dict[str, bool]) -> None:
    for other in (name for name, asked in others.items() if given and asked):
        raise InputError(f"{option} has no effect with {other}; leave out one of the two")


def _alone(option: str, *others: list[str] | None) -> None:
    if any(others):
        raise InputError(
            f"{option} checks all designs on the instances that they name; "
            "leave out DESIGN, --instance and --property"
        )


def _show(results: list[Result], code: int, *, as_json: bool, verbose: bool) -> None:
    if as_json:
        from ackproof.model.document import document

        expected = [r.judgement.to_json() if r.judgement else None for r in results]
        found = document([r.report for r in results], expected, [r.job.note for r in results])
        typer.echo(json.dumps({**found, "exit_code": code}, indent=2))
    else:
        from ackproof.cli.output import show_result, show_traces
        from ackproof.cli.page import console
        from ackproof.cli.table import show_expectations, show_sum, show_table

        out = console()
        if len(results) == 1:
            show_result(out, results[0], verbose=verbose)
        else:
            show_traces(out, results, verbose=verbose)
            if any(r.judgement for r in results):
                show_expectations(out, results)
            else:
                show_table(out, results, verbose=verbose)
            show_sum(out, results)


def _print_llvm(jobs: Sequence[Job], properties: list[str] | None) -> int:
    from ackproof.model.check import chosen
    from ackproof.model.lower.compile import compile_kernel

    for job in jobs:
        bound = chosen(job.target.model, job.instance, job.target.design, properties)
        typer.echo(compile_kernel(bound).ir_text)
    return 0


def _print_python(jobs: Sequence[Job]) -> int:
    from ackproof.lang.binding import bind
    from ackproof.model.native.translate import translate_instance

    for job in jobs:
        bound = bind(job.target.model, job.instance, job.target.design)
        typer.echo(translate_instance(bound).text)
    return 0
