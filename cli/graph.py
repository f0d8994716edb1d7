"""`ackproof graph`: the state graph of a small instance, in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from ackproof.cli.inputs import InputError, clean_exit
from ackproof.cli.options import OneDesign, OneInstance

if TYPE_CHECKING:
    from ackproof.cli.jobs import Job
    from ackproof.model.state_graph import Graph

__all__ = ["graph"]

_HELP = """
Write the state graph of a specification to a file: its states, and the steps between them.

The end of the file's name says what is written: `.graphml` for other programs, with everything that
is known of each state and step; `.dot` for Graphviz; and `.svg`, what Graphviz draws of that, if it
is installed. In a drawing a state shows what differs from the initial one, and what is false is
red.

The steps are those of plain Python, and their number is that of `ackproof check`. A step that fails
has an edge more, to a node that is the property it breaks. What is looked at goes on behind what is
false, so that the graph is whole.

Nobody reads a graph of very many states. One that has more than `--states` is refused.

Exit codes: 0 it was written, 2 the input is wrong.

Examples:

    ackproof graph states.svg -i tiny

    ackproof graph states.graphml my_design.py -i power --states 5000
"""

File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="What is written: a file in .graphml, .dot or .svg."),
]
Asked = Annotated[
    list[str] | None,
    typer.Option(
        "--property",
        "-p",
        metavar="NAME",
        help="Look at this property only; may be repeated.",
        show_default=False,
    ),
]
States = Annotated[
    int, typer.Option(min=1, metavar="N", help="How many states the graph may have.")
]

#: The forms that a graph can be written in.
_FORMS = (".graphml", ".dot", ".svg")
_OPTION = "FILE"


@clean_exit
def graph(
    file: File,
    design: OneDesign = None,
    instance: OneInstance = None,
    properties: Asked = None,
    states: States = 1000,
) -> int:
    """Write a state graph; the text of the help is in `_HELP`."""
    from ackproof.cli.check_files import check_writable, write_file
    from ackproof.cli.jobs import plan
    from ackproof.cli.targets import base_target, load

    _check_form(file)
    check_writable(_OPTION, file)
    target = load(design) if design else base_target()
    job = plan([target], [instance] if instance else [], properties or [])[0]
    title = f"{target.label} on {job.instance.name}"
    found = _graph(job, properties, states, title)
    write_file(_OPTION, file, _text(found, file, title).encode())
    failing = sum(isinstance(node, str) for node in found)
    typer.echo(
        f"wrote {file}: {len(found) - failing:,} states and {found.number_of_edges():,} steps "
        f"of {title}"
    )
    return 0


graph.__doc__ = _HELP


def _form(file: Path) -> str:
    """Return the form that the end of a file's name asks for."""
    return file.suffix.lower()


def _check_form(file: Path) -> None:
    from ackproof.export.graph_file import NoGraphviz, graphviz

    if _form(file) not in _FORMS:
        raise InputError(
            f"{file}: a state graph has no form for a file of that name\n"
            "  instead: end it in .graphml, .dot, or .svg"
        )
    if _form(file) == ".svg":
        try:
            graphviz()
        except NoGraphviz as error:
            raise InputError(
                f"{file}: {error}\n  instead: install it, or end the name in .dot"
            ) from None


def _graph(job: Job, properties: list[str] | None, limit: int, title: str) -> Graph:
    from ackproof.cli.jobs import cache_for
    from ackproof.cli.ticker import Ticker
    from ackproof.model.check import chosen
    from ackproof.model.limits import refuse_large_sorts, refuse_too_many_choices
    from ackproof.model.state_graph import TooManyStates, state_graph

    target = job.target
    known = None if target.design else job.instance.states
    if known is not None and known > limit:
        raise _too_many(f"{known:,}", limit, title)
    refuse_large_sorts(job.instance)
    cache = cache_for(no_cache=False)
    bound = chosen(target.model, job.instance, target.design, properties, cache=cache)
    refuse_too_many_choices(bound)
    with Ticker(title) as tell:
        try:
            return state_graph(
                bound,
                limit=limit,
                progress=lambda count: tell(f"{title}  {count:,} states"),
            )
        except TooManyStates:
            tell(f"{title}  has more than {limit:,} states; they are being counted")
            raise _too_many(_counted(job), limit, title) from None


def _counted(job: Job) -> str:
    """Return how many states there are, as far as the compiled engine can count them."""
    from ackproof.cli.jobs import cache_for
    from ackproof.lang.errors import BindError
    from ackproof.model.check import check

    target, cache = job.target, cache_for(no_cache=False)
    try:
        outcome = check(
            target.model, job.instance, target.design, properties=[], compare=False, cache=cache
        ).outcome
    except BindError:
        return "more"
    whole = outcome.exhausted
    return f"{outcome.states:,}" if whole else f"at least {outcome.states:,}"


def _too_many(count: str, limit: int, title: str) -> InputError:
    return InputError(
        f"{title} has {count} states, and the graph may have {limit:,}\n"
        "  instead: name a smaller instance, or allow more with --states"
    )


def _text(found: Graph, file: Path, title: str) -> str:
    from ackproof.export.graph_file import NoGraphviz, dot, graphml, svg

    if _form(file) == ".graphml":
        return graphml(found)
    if _form(file) == ".dot":
        return dot(found, title)
    try:
        return svg(found, title)
    except NoGraphviz as error:
        raise InputError(
            f"{file}: Graphviz did not draw it: {error}\n"
            "  instead: end the name in .dot, and have something else draw that"
        ) from None
