"""`ackproof mutate`: make small mistakes in a specification, and see which of them is noticed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from ackproof.cli.inputs import InputError, choose, clean_exit
from ackproof.cli.options import AsJson, Master, NoCache, SearchEngine, Workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackproof.cli.targets import Target
    from ackproof.model.mutation.matrix import Explanations, Matrix
    from ackproof.model.mutation.mutants import Mutant

__all__ = ["mutate"]

_HELP = """
Make small mistakes in a specification, one at a time, and see which of them is noticed.

A *mutant* is the specification with one mistake: a guard or an update is left out, a condition is
turned round, two arguments are swapped. Each is searched on the instances where it makes a
difference, the smallest first, until something notices it: a property that breaks, or a situation
or an action that never comes up any more. One that nothing notices is shown: either it is no
mistake, and the model says why (`Model(equivalents="…")`), or a property or an instance is missing.

Without FILE, the base specification is taken; a FILE ends in `MODEL = Model(...)`. All mutants of
the base take hours the first time; `--step` and `--sample` choose some.

Exit codes: 0 all that was looked at is noticed or explained, 1 something is not, or an explanation
is not true, 2 the input is wrong, 3 it was interrupted.

Examples:

    ackproof mutate --sample 20                  some, always the same

    ackproof mutate --step Channel               those of one class

    ackproof mutate --step Channel.settle --json

    ackproof mutate --unexplained                after a change: what it lets pass

    ackproof mutate --engine spark --master spark://HOST:7077

    ackproof mutate --step settle --keep found   write those that nothing notices as designs
"""

File = Annotated[
    str | None,
    typer.Argument(metavar="FILE", help="A file that defines a model.", show_default=False),
]
Sample = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="Look at so many mutants, drawn at random.", show_default=False
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", help="What `--sample` draws from.")]
Steps = Annotated[
    list[str] | None,
    typer.Option(
        "--step",
        metavar="NAME",
        help="Look at the mutants of this method (`settle`, `Channel.settle`) or class "
        "(`Channel`); may be repeated.",
        show_default=False,
    ),
]
Unexplained = Annotated[
    bool,
    typer.Option(
        "--unexplained",
        help="Leave out those that the model explains: that nothing notices them is seen only when "
        "all states are spent, so that a tenth of the mutants takes most of the time.",
    ),
]
States = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="BUDGET",
        help="Look at instances that have no more states than this together, for each mutant; as "
        "many as `check` looks at for a design, two million, if not given.",
        show_default=False,
    ),
]
Keep = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Write the mutants that nothing notices or explains to this directory, each as a "
        "design that `ackproof check` takes.",
        show_default=False,
    ),
]


@clean_exit
def mutate(
    file: File = None,
    sample: Sample = None,
    seed: Seed = 0,
    step: Steps = None,
    unexplained: Unexplained = False,
    states: States = None,
    keep: Keep = None,
    engine: SearchEngine = "kernel",
    workers: Workers = None,
    master: Master = None,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> int:
    """Make mistakes; the text of the help is in `_HELP`."""
    from ackproof.cli.engines import SPARK, Asked
    from ackproof.cli.jobs import worker_count
    from ackproof.cli.mutant_runs import judged
    from ackproof.cli.targets import base_target, load
    from ackproof.model.difference import BUDGETS
    from ackproof.model.mutation.matrix import explanations

    choose("engine", engine, ["kernel", SPARK])
    asked = Asked(engine, worker_count(workers), master)
    asked.check_options(farm=True)
    target = load(file) if file else base_target()
    if target.design is not None:
        raise InputError(
            f"{target.label} is a design, and mistakes are made in a model\n"
            "  instead: give a file that defines MODEL = Model(…) alone, or none for the base"
        )
    _check_folder(keep, target)
    said = explanations(target.model) if unexplained else {}
    matrix = judged(
        target,
        lambda mutants: _chosen(mutants, step or [], sample, seed, said),
        states or BUDGETS["kernel"],
        asked,
        cached=not no_cache,
    )
    _keep(matrix, keep)
    if as_json:
        from ackproof.model.mutation.document import document

        typer.echo(json.dumps(document(matrix), indent=2))
    else:
        from ackproof.cli.mutant_page import show_matrix
        from ackproof.cli.page import console

        show_matrix(console(), matrix)
    return matrix.exit_code


mutate.__doc__ = _HELP


def _chosen(
    mutants: Sequence[Mutant],
    steps: Sequence[str],
    sample: int | None,
    seed: int,
    left_out: Explanations,
) -> list[int]:
    """Return the numbers of the mutants to look at; those that are explained may be left out.

    Raises:
        InputError: no method or class has such a name.
    """
    import random

    names = [_names(m) for m in mutants]
    known = dict.fromkeys(n for several in names for n in several)
    wanted = {choose("method or class", name, known) for name in steps}
    found = [
        k
        for k, (mutant, several) in enumerate(zip(mutants, names, strict=True))
        if not steps or wanted & several
        if mutant.what not in left_out.get(mutant.place.name, {})
    ]
    if sample is not None and sample < len(found):
        return sorted(random.Random(seed).sample(found, sample))
    return found


def _names(mutant: Mutant) -> set[str]:
    place = mutant.place
    return {place.name, place.owner.__name__, place.function.__name__}


def _check_folder(keep: Path | None, target: Target) -> None:
    if keep is None:
        return
    if target.module is not None:
        raise InputError(
            "--keep writes designs, and those of a model in a file cannot be told from its own\n"
            "  instead: leave --keep out; --json has what is to be known of each mutant"
        )
    if keep.exists() and not keep.is_dir():
        raise InputError(f"--keep {keep} is not a directory; name one, or one that is not there")


def _keep(matrix: Matrix, folder: Path | None) -> None:
    """Write what nothing notices as designs."""
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, entry in enumerate(matrix.open, start=1):
            place = entry.mutant.place.name.replace(".", "_").lower()
            (folder / f"{place}_{number}.py").write_text(entry.mutant.text(), encoding="utf-8")
    except OSError as error:
        raise InputError(f"--keep {folder} cannot be written: {error.strerror}") from None
    typer.echo(f"wrote {len(matrix.open)} designs to {folder}", err=True)
