"""Arguments and options of `ackproof prove`, each with the text that `--help` shows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Certificate",
    "Core",
    "Induction",
    "Limit",
    "ListAll",
    "Processes",
    "Recheck",
    "RunDepth",
    "Seed",
    "Seeds",
    "Show",
    "Using",
    "Words",
]

Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PROPERTY…] [DESIGN]",
        help="Properties or lemmas to prove, all if there is none; and a design, as a file, or by "
        "its name in the museum (the beginning will do).",
        show_default=False,
    ),
]
Processes = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        metavar="N",
        help="Processes that work on obligations; as many as can run at once if not given.",
        show_default=False,
    ),
]
Limit = Annotated[
    float | None,
    typer.Option(
        min=0.01,
        metavar="SECONDS",
        help="Time for each obligation on an idle machine, 20 if not given; with `--depth` "
        "and `--induction` for each property, and then 60.",
        show_default=False,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        min=0,
        metavar="N",
        help="Make other choices where Z3 and cvc5 make them at random. What is proved does not "
        "depend on it; how long that takes may.",
    ),
]
Certificate = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Write the invariant, a file for each obligation in SMT-LIB 2, and a manifest.",
        show_default=False,
    ),
]
Recheck = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Do not prove: have cvc5 and Z3 check a certificate in a process of its own.",
        show_default=False,
    ),
]
Show = Annotated[
    int,
    typer.Option(
        "--counterexamples",
        min=0,
        metavar="N",
        help="For how many obligations that are not proved to look for a counterexample to "
        "induction, and to ask the checker whether it can be reached.",
    ),
]
Core = Annotated[
    bool,
    typer.Option(
        "--core",
        help="Show the core of the proof: for each lemma whether the proof fails without it, and "
        "which hypotheses are not needed.",
    ),
]
RunDepth = Annotated[
    int | None,
    typer.Option(
        "--depth",
        min=1,
        metavar="K",
        help="Do not prove: have Z3 look for a run of at most so many steps that breaks a property "
        "at the sizes of an instance.",
        show_default=False,
    ),
]
Induction = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="K",
        help="Prove properties at the sizes of an instance only, from so many steps in a row on "
        "which they hold.",
        show_default=False,
    ),
]
Seeds = Annotated[
    list[str] | None,
    typer.Option(
        "--instance",
        "-i",
        metavar="NAME",
        help="Instance for `--depth` and `--induction`; may be repeated. The model's first if not "
        "given.",
        show_default=False,
    ),
]
Using = Annotated[
    str | None,
    typer.Option(
        metavar="LEMMA,…",
        help="Lemmas that `--induction` may assume, and proves with the property.",
        show_default=False,
    ),
]
ListAll = Annotated[
    bool,
    typer.Option("--list", help="Show what is proved with what, and do not prove it."),
]
