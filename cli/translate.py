"""`ackproof translate`: a specification on an instance, for another model checker."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from ackproof.cli.inputs import InputError, clean_exit
from ackproof.cli.options import OneDesign, OneInstance

if TYPE_CHECKING:
    from ackproof.cli.targets import Target
    from ackproof.lang.binding import Bound

__all__ = ["translate"]

_HELP = """
Write a specification on an instance for TLC, in TLA+, or for SPIN, in Promela.

They have the same states and steps, and judge the same properties but for those that speak of
events, and SPIN but for those of runs under strong fairness. So what this checker says can be had
from another one, which shares nothing with it but the reading of the specification.

FILE says which: a module of TLA+ is a file in `.tla`, and its configuration goes beside it, in
`.cfg`; a model in Promela is a file in `.pml`. Elements of sorts are numbers there.

Exit codes: 0 it was written, 2 the input is wrong.

Examples:

    ackproof translate confirms.tla -i tiny

    ackproof translate mine.pml my_design.py -i small
"""

File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="What is written: a module in .tla, or a model in .pml."),
]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class _Files:
    """What is written, and how it is checked.

    Args:
        texts: what stands in each file.
        commands: what somebody types who has them.
    """

    texts: dict[Path, str]
    commands: tuple[str, ...]


@clean_exit
def translate(file: File, design: OneDesign = None, instance: OneInstance = None) -> int:
    """Write a translation; the text of the help is in `_HELP`."""
    from ackproof.cli.check_files import check_writable, write_file
    from ackproof.cli.targets import base_target, load

    writer = _WRITERS.get(file.suffix)
    if writer is None:
        raise InputError(
            f"{file}: a module of TLA+ is a file in .tla, and a model in Promela one in .pml\n"
            "  instead: end the name in one of them"
        )
    files = [file]
    if file.suffix == ".tla":
        _check_module(file)
        files.append(file.with_suffix(".cfg"))
    for path in files:
        check_writable("FILE", path)
        _refuse_others(path)
    bound, title = _bound(load(design) if design else base_target(), instance)
    said = writer(bound, file)
    for path, text in said.texts.items():
        write_file("FILE", path, text.encode())
    beside = "".join(f" and {path.name}" for path in files[1:])
    typer.echo(f"wrote {file}{beside}: {title}")
    for command in said.commands:
        typer.echo(f"  {command}")
    return 0


translate.__doc__ = _HELP


def _check_module(file: Path) -> None:
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


def _bound(target: Target, instance: str | None) -> tuple[Bound, str]:
    """Return what is translated, and what it is called."""
    from ackproof.cli.jobs import cache_for, plan
    from ackproof.model.check import chosen
    from ackproof.model.limits import refuse_large_sorts

    job = plan([target], [instance] if instance else [], [])[0]
    refuse_large_sorts(job.instance)
    cache = cache_for(no_cache=False)
    bound = chosen(target.model, job.instance, target.design, cache=cache)
    return bound, f"{target.label} on {job.instance.name}"


def _tla(bound: Bound, file: Path) -> _Files:
    from ackproof.export.tla.module import tla_module

    said = tla_module(bound, file.stem)
    option = "" if bound.program.deadlock_free else "-deadlock "
    return _Files(
        {file: said.module, file.with_suffix(".cfg"): said.configuration},
        (f"java -cp tla2tools.jar tlc2.TLC {option}{file.name}",),
    )


def _promela(bound: Bound, file: Path) -> _Files:
    from ackproof.export.promela.model import promela_model

    said = promela_model(bound)
    room = "" if said.vector is None else f" -DVECTORSZ={said.vector}"
    states = f"spin -a {file.name} && gcc -O2 -DSAFETY{room} -o pan pan.c && ./pan -m1000000"
    runs = " && ".join(said.commands).replace("FILE", file.name)
    return _Files({file: said.text}, (states, *([runs] if runs else [])))


_WRITERS: dict[str, Callable[[Bound, Path], _Files]] = {".tla": _tla, ".pml": _promela}
