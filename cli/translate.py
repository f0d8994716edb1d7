"""`ackproof translate`: a specification on an instance, for another model checker."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from ackproof.cli.inputs import InputError, clean_exit
from ackproof.cli.options import OneDesign, OneInstance

if TYPE_CHECKING:
    from ackproof.cli.targets import Target
    from ackproof.export.tla.module import TlaModule

__all__ = ["translate"]

_HELP = """
Write a specification on an instance in TLA+, as a module and its configuration, for TLC.

TLC has the same states and steps, and judges the same properties but for those that speak of
events. So what this checker says can be had from another one, which shares nothing with it but the
reading of the specification. It takes TLC minutes where the kernel takes seconds.

FILE is the module, in `.tla`; the configuration goes beside it, in `.cfg`. Elements of sorts are
numbers there.

Exit codes: 0 it was written, 2 the input is wrong.

Examples:

    ackproof translate confirms.tla -i tiny

    ackproof translate mine.tla my_design.py -i small
"""

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="What is written: the module, a file in .tla.")
]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@clean_exit
def translate(file: File, design: OneDesign = None, instance: OneInstance = None) -> int:
    """Write a module; the text of the help is in `_HELP`."""
    from ackproof.cli.check_files import check_writable, write_file
    from ackproof.cli.targets import base_target, load

    _check_name(file)
    beside = file.with_suffix(".cfg")
    for path in (file, beside):
        check_writable("FILE", path)
        _refuse_others(path)
    target = load(design) if design else base_target()
    said, title, deadlock = _translated(target, instance, file.stem)
    write_file("FILE", file, said.module.encode())
    write_file("FILE", beside, said.configuration.encode())
    option = "" if deadlock else "-deadlock "
    typer.echo(f"wrote {file} and {beside.name}: {title}")
    typer.echo(f"  java -cp tla2tools.jar tlc2.TLC {option}{file.name}")
    return 0


translate.__doc__ = _HELP


def _check_name(file: Path) -> None:
    if file.suffix != ".tla":
        raise InputError(f"{file}: a module of TLA+ is a file in .tla; end the name in that")
    if not _NAME.fullmatch(file.stem):
        raise InputError(
            f"{file}: a module is called as its file is, and {file.stem!r} is no name in TLA+\n"
            "  instead: use letters, digits and underscores, and begin with a letter"
        )


def _refuse_others(file: Path) -> None:
    """Refuse to write over a file that was not written here."""
    from ackproof.export.mark import is_translation

    if file.is_file() and not is_translation(file):
        raise InputError(
            f"{file} is there, and was not written by `ackproof translate`\n"
            "  instead: give another name, or move it away"
        )


def _translated(target: Target, instance: str | None, name: str) -> tuple[TlaModule, str, bool]:
    """Return the module, what it is of, and whether nothing may be stuck in it."""
    from ackproof.cli.jobs import cache_for, plan
    from ackproof.export.tla.module import tla_module
    from ackproof.model.check import chosen
    from ackproof.model.limits import refuse_large_sorts

    job = plan([target], [instance] if instance else [], [])[0]
    refuse_large_sorts(job.instance)
    cache = cache_for(no_cache=False)
    bound = chosen(target.model, job.instance, target.design, cache=cache)
    title = f"{target.label} on {job.instance.name}"
    return tla_module(bound, name), title, bound.program.deadlock_free
