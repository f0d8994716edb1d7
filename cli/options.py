"""Arguments and options that commands share, each with the text that `--help` shows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = [
    "AsJson",
    "CheckEngine",
    "Continue",
    "Depth",
    "Designs",
    "Export",
    "FarmEngine",
    "Instances",
    "Itf",
    "Junit",
    "Like",
    "ListAll",
    "Master",
    "Memory",
    "Museum",
    "NoCache",
    "OneDesign",
    "OneInstance",
    "Partitions",
    "PrintLlvm",
    "PrintPython",
    "Properties",
    "Resume",
    "SearchEngine",
    "Sweep",
    "Verbose",
    "Watch",
    "Work",
    "Workers",
    "design_argument",
    "instance_option",
]


def design_argument(what: str, metavar: str = "DESIGN") -> Any:
    """Return the argument that names a design; `what` says what is done with it."""
    text = f"{what}: a file, or a name in the museum (the beginning will do)."
    return typer.Argument(metavar=metavar, help=text, show_default=False)


def instance_option(what: str, otherwise: str) -> Any:
    """Return the option that names an instance; `otherwise` says which it is if it is not given."""
    text = f"{what}. If not given: {otherwise}, else the model's first."
    return typer.Option("--instance", "-i", metavar="NAME", help=text, show_default=False)


OneDesign = Annotated[str | None, design_argument("The design to look at")]
OneInstance = Annotated[
    str | None,
    instance_option(
        "Instance to look at",
        "the first that the design's expectations name or that the file brings",
    ),
]

Designs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="DESIGN",
        help="Designs to check: files, or names in the museum (the beginning will do).",
        show_default=False,
    ),
]
Instances = Annotated[
    list[str] | None,
    typer.Option(
        "--instance",
        "-i",
        metavar="NAME",
        help="Instance to check on; may be repeated. If not given: those that the design's "
        "expectations name, or that the file brings; else, for a design, those where it makes a "
        "difference, and for all others the model's first.",
        show_default=False,
    ),
]
Properties = Annotated[
    list[str] | None,
    typer.Option(
        "--property",
        "-p",
        metavar="NAME",
        help="Check this property only; may be repeated. The built-in NoDeadlock is checked if "
        "it is named here.",
        show_default=False,
    ),
]
FarmEngine = Annotated[
    str,
    typer.Option(
        "--engine",
        "-e",
        metavar="kernel|collapsed|plain|spark",
        help="kernel: compiled. collapsed: the same, in less memory and more time. plain: the "
        "specification's own Python, for small instances. "
        "spark: compiled, each search a task on a cluster.",
    ),
]
SearchEngine = Annotated[
    str,
    typer.Option(
        "--engine",
        "-e",
        metavar="kernel|spark",
        help="kernel: compiled, on this machine. spark: the same, each search a task on a cluster.",
    ),
]
CheckEngine = Annotated[
    str,
    typer.Option(
        "--engine",
        "-e",
        metavar="kernel|collapsed|plain|spark",
        help="kernel: compiled. collapsed: the same, in less memory and more time. plain: the "
        "specification's own Python, for small instances. "
        "spark: compiled, for more states than one machine has memory for; needs `--work`. With "
        "`--museum` or `--sweep`, each search is a task.",
    ),
]
Symmetry = Annotated[
    bool,
    typer.Option(
        "--symmetry",
        help="Search states that differ in the names of elements only as one, for all sorts whose "
        "elements nothing tells apart. Properties of runs are not judged then.",
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="With spark: the cluster, such as `spark://HOST:7077`. `local[2]` is two tasks at a "
        "time on this machine; `local[*]`, as many as can run at once, if not given.",
        show_default=False,
    ),
]
Partitions = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=65_535,
        metavar="N",
        help="With `--work`: parts that the states are divided into, each one a task; chosen from "
        "what can run at once if not given. A search keeps its number, so choose for the cluster "
        "that is to end it.",
        show_default=False,
    ),
]
Work = Annotated[
    str | None,
    typer.Option(
        metavar="DIR",
        help="Where each search makes a directory and keeps its levels; all machines of a cluster "
        "must share it. It may be in an object store, such as `s3://BUCKET/found`.",
        show_default=False,
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="With `--work`: go on after the last level that an earlier run finished, with "
        "whatever engine; what has not begun begins.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Threads; as many as can run at once if not given, and no more than that.",
        show_default=False,
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Stop at this much memory (512M, 2G); most of what is available if not given. "
        "`--engine collapsed` holds more states in it.",
        show_default=False,
    ),
]
Depth = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Stop after this many levels; the initial state is the first.",
        show_default=False,
    ),
]
Continue = Annotated[
    bool,
    typer.Option(
        "--continue",
        help="Go on after a violation, and so decide every property: each that breaks is named "
        "with the length of its shortest run, and the first run is shown.",
    ),
]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        help="Show the run of each property that breaks, name the properties and actions that "
        "are otherwise counted, and count the transitions of each action.",
    ),
]
Watch = Annotated[
    bool,
    typer.Option(
        "--watch",
        help="Check again whenever a DESIGN, a module beside it that it imports, or the "
        "specification is saved; Ctrl-C ends it.",
    ),
]
NoCache = Annotated[
    bool,
    typer.Option(
        "--no-cache",
        help="Search anew, and keep nothing of what is found. Without it, what was found before "
        "is taken from the cache, as long as nothing that it depends on has changed.",
    ),
]
AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document and nothing else."),
]
Itf = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the counterexample in the Informal Trace Format.",
        show_default=False,
    ),
]
Export = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="Write the counterexample in the form that the file's name asks for: `.mmd` a Mermaid "
        "sequence diagram, `.svg` one in SVG, `test_….py` a pytest that fails until the design is "
        "mended, any other `.py` a client program that drives the reference broker along the run. "
        "Can be given several times.",
        show_default=False,
    ),
]
Junit = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the result as JUnit's XML, too: a test case for each property, or for each "
        "expectation of a design.",
        show_default=False,
    ),
]
Like = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="With `--list`: show only what has this text in its name or its description, "
        "upper and lower case alike.",
        show_default=False,
    ),
]
PrintLlvm = Annotated[
    bool,
    typer.Option("--print-llvm", help="Print the kernel's code, and do not search."),
]
PrintPython = Annotated[
    bool,
    typer.Option(
        "--print-python",
        help="Print what is left of the specification at an instance, and do not search.",
    ),
]
Sweep = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="STATES",
        help="Check on instances that are made from the sorts, constants and faults that the model "
        "declares, in order of growth, until so many states are spent; with `--instance`, on those "
        "that grow from that one.",
        show_default=False,
    ),
]
Museum = Annotated[
    bool,
    typer.Option("--museum", help="Check what every design of the museum expects."),
]
ListAll = Annotated[
    bool,
    typer.Option(
        "--list",
        help="Show instances, properties, steps and designs, and do not search; where there are "
        "many, in short, unless it is with --like or --verbose.",
    ),
]
