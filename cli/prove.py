"""`ackproof prove`: prove properties by induction, for sorts of any size."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from ackproof.cli.inputs import InputError, clean_exit
from ackproof.cli.options import AsJson, NoCache
from ackproof.cli.prove_options import (
    Certificate,
    Core,
    Induction,
    Limit,
    ListAll,
    Processes,
    Recheck,
    RunDepth,
    Seed,
    Seeds,
    Show,
    Using,
    Words,
)

if TYPE_CHECKING:
    from ackproof.cli.targets import Target
    from ackproof.lang.lemmas import Library
    from ackproof.model.cache import Cache
    from ackproof.proofs.attempt import Attempt
    from ackproof.proofs.cti import Counterexample
    from ackproof.proofs.obligation import Obligation
    from ackproof.proofs.report import Proof

    Found = tuple[Obligation, Counterexample | None]

__all__ = ["prove"]

#: Seconds for each obligation.
_EACH = 20.0

_HELP = """
Prove properties by induction with Z3, for any number of channels, messages, queues, replicas and
faults.

A property is proved with lemmas, which are written beside the specification. Each lemma and each
property must hold at first, and be preserved by each step: these are the obligations, and each is
proved, refuted, or not decided in time, which is no proof.

A DESIGN is a change to the specification: the name of one in the museum, or the path of a Python
file. The properties are then proved of it, with the lemmas of the base and its own.

What was proved once is not proved again while nothing that it depends on has changed, so that a
design proves what it touches; `--no-cache` proves all.

What is proved is held against the checker, which searches the smallest instances. A run that
breaks what is proved is a defect of the prover, and is reported as one.

Exit codes: 0 all is proved, 1 an obligation is refuted or a run breaks a property, 2 the input is
wrong, 3 something is not decided, or vacuous, 4 a run breaks what is proved.

Examples:

    ackproof prove                            all properties that there are lemmas for

    ackproof prove SettledOnce                one, with each of its obligations

    ackproof prove SettledOnce b11            of a design that breaks it: where the proof fails

    ackproof prove --certificate proof        write the proof down, for other solvers

    ackproof prove --recheck proof            have cvc5, and Z3 again, check what was written

    ackproof prove SettledOnce --core         which lemmas the proof needs

    ackproof prove P --depth 9 -i core        a run of at most 9 steps that breaks it, if there is

    ackproof prove P --induction 2 -i core    a proof for the sizes of that instance

    ackproof prove --list                     properties and lemmas, and what is proved with what
"""


@clean_exit
def prove(
    words: Words = None,
    workers: Processes = None,
    limit: Limit = None,
    seed: Seed = 0,
    counterexamples: Show = 1,
    certificate: Certificate = None,
    recheck: Recheck = None,
    core: Core = False,
    depth: RunDepth = None,
    induction: Induction = None,
    instance: Seeds = None,
    using: Using = None,
    list_all: ListAll = False,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> int:
    """Prove properties; the text of the help is in `_HELP`."""
    from ackproof.cli.jobs import cache_for, worker_count
    from ackproof.cli.proof_arguments import attempt_of, library_of, parse_arguments
    from ackproof.cli.prove_search import Search, check_options
    from ackproof.model.resources import default_workers
    from ackproof.proofs.finished import Finished

    count = worker_count(workers) or default_workers()
    if recheck is not None and (certificate is not None or list_all):
        raise InputError("--recheck proves nothing; leave out --certificate and --list")
    search = Search(depth, induction, instance or [], using, limit)
    check_options(search, recheck, certificate, core=core, list_all=list_all)
    properties, target = parse_arguments(words or [])
    each = _EACH if limit is None else limit
    if recheck is not None:
        from ackproof.cli.recheck import recheck_certificate

        if properties:
            raise InputError(
                f"--recheck checks all that a certificate has; leave out {properties[0]}"
            )
        return recheck_certificate(recheck, target, workers=count, limit=each, as_json=as_json)
    library = library_of(target)
    if search.wanted:
        return search.run(target, library, properties, as_json=as_json)
    if certificate is not None:
        _check_folder(certificate)
    cache = cache_for(no_cache)
    finished = Finished(cache, target.model, library, properties, target.design, target.name)
    known = None if core or list_all or certificate else finished.proof(each, count)
    if known is not None:
        _show(known, [], detailed=bool(properties), as_json=as_json)
        return known.exit_code
    attempt = attempt_of(target, library, properties)
    if list_all:
        from ackproof.cli.proof_page import show_list

        return show_list(attempt, as_json=as_json)
    proof = _made(attempt, target, count, each, seed, cache)
    finished.keep(proof)
    if core and proof.exit_code == 0:
        from ackproof.cli.proof_core import show_proof_core

        return show_proof_core(attempt, target.label, each, as_json=as_json)
    if core:
        typer.echo("only a complete proof has a core", err=True)
    if certificate is not None:
        _write(certificate, attempt, proof, target, library)
    found = _counterexamples(attempt, proof, target, library, counterexamples)
    proof = proof.refuting([obligation.name for obligation, one in found if one is not None])
    _show(proof, found, detailed=bool(properties), as_json=as_json)
    return proof.exit_code


prove.__doc__ = _HELP


def _show(proof: Proof, found: list[Found], *, detailed: bool, as_json: bool) -> None:
    if as_json:
        from ackproof.proofs.document import cti_json, document

        said = [cti_json(obligation, one) for obligation, one in found]
        typer.echo(json.dumps(document([proof], [said]), indent=2))
    else:
        from ackproof.cli.page import console
        from ackproof.cli.proof_page import show_proof

        show_proof(console(), proof, found, detailed=detailed)


# -- proving it -------------------------------------------------------------------------------


def _made(
    attempt: Attempt,
    target: Target,
    workers: int,
    limit: float,
    seed: int,
    cache: Cache | None,
) -> Proof:
    from ackproof.cli.ticker import Ticker
    from ackproof.proofs.attempt import Progress
    from ackproof.proofs.contradiction import held_against

    with Ticker(f"{target.label}  translating") as ticker:

        def report(p: Progress) -> None:
            left = f"{p.done - p.proved} not proved  " if p.done > p.proved else ""
            ticker(f"{target.label}  {p.done} of {p.total} obligations  {left}{p.what}")

        def searched(instance: str) -> None:
            ticker(f"{target.label}  held against {instance}")

        proof = attempt.run(workers=workers, limit=limit, seed=seed, progress=report, cache=cache)
        return held_against(attempt, proof, workers=workers, cache=cache, progress=searched)


def _counterexamples(
    attempt: Attempt, proof: Proof, target: Target, library: Library, most: int
) -> list[Found]:
    """Look for counterexamples to induction: to what is refuted first."""
    from ackproof.cli.ticker import Ticker
    from ackproof.proofs.cti import counterexample
    from ackproof.proofs.ranking import KINDS

    # Of a ranking no step is a counterexample by itself; the page says what is wrong.
    failed = [o.obligation for o in proof.unproved if o.obligation.kind not in KINDS]
    chosen = [] if proof.interrupted else failed[:most]
    found: list[Found] = []
    if not chosen:
        return found
    with Ticker(f"{target.label}  looking for a counterexample to induction") as ticker:
        for obligation in chosen:
            ticker(f"{target.label}  looking for a counterexample to {obligation.name}")
            program = attempt.obligations.program
            with suppress(KeyboardInterrupt):
                one = counterexample(
                    target.model, target.design, library, obligation, program=program
                )
                found.append((obligation, one))
    return found


# -- writing it down --------------------------------------------------------------------------


def _check_folder(folder: Path) -> None:
    from ackproof.proofs.certificate import INVARIANT, MANIFEST, OBLIGATIONS

    if folder.exists() and not folder.is_dir():
        raise InputError(f"--certificate {folder} is a file; name a directory")
    there = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    # One without a manifest was interrupted.
    if there - {INVARIANT, OBLIGATIONS} and MANIFEST not in there:
        raise InputError(
            f"--certificate {folder} has something else in it\n"
            "  instead: name a directory that is empty, or not there, or has a certificate"
        )


def _write(folder: Path, attempt: Attempt, proof: Proof, target: Target, library: Library) -> None:
    from ackproof.cli.ticker import Ticker
    from ackproof.proofs.certificate import write

    with Ticker(f"{target.label}  writing the certificate") as ticker:
        manifest = write(
            folder,
            attempt,
            (*target.model.properties, *library.claims()),
            lambda name: ticker(f"{target.label}  writing {name}"),
        )
    count = len(manifest["obligations"])
    said = f"wrote {folder}: {count} obligations; check it: ackproof prove --recheck {folder}"
    typer.echo(said, err=True)
    if proof.unproved:
        several = len(proof.unproved)
        typer.echo(f"{several} of them {'is' if several == 1 else 'are'} not proved", err=True)
