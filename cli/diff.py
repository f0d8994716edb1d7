"""`ackproof diff`: what a client can see of one design and not of another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from ackproof.cli.inputs import InputError, choose, clean_exit
from ackproof.cli.options import design_argument, instance_option

if TYPE_CHECKING:
    from ackproof.cli.targets import Target
    from ackproof.lang.binding import Bound
    from ackproof.lang.model import Instance

__all__ = ["diff"]

_HELP = """
Compare two designs as a client does: by what they can be seen to do.

A client sees frames, and knows what it does itself, as far as the model names that; it sees nothing
of what goes on behind. So two designs are the same to it if each sequence of such steps and frames
that the one can show, the other can show as well. Where they are not, a
shortest sequence is shown that only the one can show, with a run that does, and another that only
the other can. Without B, A is compared with the specification itself.

What goes wrong is not seen unless `--also` names the step: whether a nack is one too many may
depend on whether a queue has crashed. With `--frames-only`, what clients do is not seen either.

Sets of states are kept for this, of which there may be very many; where there are more than
`--states` in all of them together, nothing was decided.

Exit codes: 0 what is seen does not tell the two apart, 1 it does, 2 the input is wrong, 3 it was
not decided.

Examples:

    ackproof diff always_multiple                  with the specification, on the smallest instance

    ackproof diff b10 -i tiny --also crash_queue --also lose_node

    ackproof diff mine.py mended.py -i small
"""

First = Annotated[str, design_argument("A design", "A")]
Second = Annotated[
    str | None,
    typer.Argument(
        metavar="B",
        help="Another one; the specification itself, if it is not given.",
        show_default=False,
    ),
]
OnInstance = Annotated[
    str | None,
    instance_option("Instance to compare them on", "the smallest one whose size is known"),
]
Also = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ACTION",
        help="A step that is seen as it is taken, too. Can be given several times.",
        show_default=False,
    ),
]
FramesOnly = Annotated[
    bool, typer.Option("--frames-only", help="Frames are seen, and nothing that clients do.")
]
States = Annotated[
    int, typer.Option(min=1, metavar="N", help="How many states may be kept in all sets.")
]


@clean_exit
def diff(
    first: First,
    second: Second = None,
    instance: OnInstance = None,
    also: Also = None,
    frames_only: FramesOnly = False,
    states: States = 500_000,
) -> int:
    """Compare two designs; the text of the help is in `_HELP`."""
    from ackproof.cli.diff_page import show_difference
    from ackproof.cli.page import console
    from ackproof.cli.targets import base_target, load
    from ackproof.cli.ticker import Ticker
    from ackproof.model.observing import differ

    one = load(first)
    # A file that is read twice has two classes of each name, and what is kept goes by names.
    again = second is not None and Path(second).resolve() == Path(first).resolve()
    targets = (one, one if again else load(second) if second else base_target())
    sizes = _instances(targets, instance)
    bounds = [_bound(target, size) for target, size in zip(targets, sizes, strict=True)]
    _refuse_unseen(bounds, also or [])
    label = f"{targets[0].label} and {targets[1].label} on {sizes[0].name}"
    with Ticker(label) as tell:
        found = differ(
            bounds[0],
            bounds[1],
            limit=states,
            also=frozenset(also or []),
            frames_only=frames_only,
            progress=lambda kept: tell(f"{label}  {kept:,} states kept"),
        )
    names = [target.label for target in targets]
    acts = not frames_only and any(bound.model.clients for bound in bounds)
    seen = ["frames", *(["what clients do"] if acts else []), *(also or [])]
    known = {*(also or []), *(name for b in bounds for name in b.model.clients if acts)}
    unseen = [name for name in sizes[0].faults if name not in known]
    show_difference(console(), names, sizes[0], found, (seen, unseen), states)
    if found.first or found.second:
        return 1
    return 0 if found.decided else 3


diff.__doc__ = _HELP


def _instances(targets: tuple[Target, Target], name: str | None) -> tuple[Instance, Instance]:
    """Return where each of the two is looked at; for designs of one model that is the same.

    Raises:
        InputError: there is no such instance, or they have nothing in common.
    """
    known = [{i.name: i for i in target.model.instances} for target in targets]
    first, second = (target.model.system for target in targets)
    alike = issubclass(first, second) or issubclass(second, first)
    if alike:
        known = [known[1] | known[0]] * 2
    elif targets[1].name is None:
        raise InputError(
            f"{targets[0].label} is no design of {targets[1].label}\n"
            "  instead: name what it is to be compared with, too"
        )
    if name is None:
        measured = [i for i in known[0].values() if i.states and i.name in known[1]]
        name = min(
            measured, key=lambda i: i.states or 0, default=targets[0].model.instances[0]
        ).name
    names = [choose("instance", name, each) for each in known]
    return known[0][names[0]], known[1][names[1]]


def _bound(target: Target, instance: Instance) -> Bound:
    from ackproof.cli.jobs import cache_for
    from ackproof.model.check import chosen
    from ackproof.model.limits import refuse_large_sorts, refuse_too_many_choices

    refuse_large_sorts(instance)
    found = chosen(
        target.model, instance, target.design, properties=[], cache=cache_for(no_cache=False)
    )
    refuse_too_many_choices(found)
    return found


def _refuse_unseen(bounds: list[Bound], also: list[str]) -> None:
    """Refuse names of steps that neither of the two has."""
    actions = dict.fromkeys(a.name for bound in bounds for a in bound.actions)
    for name in also:
        choose("action", name, actions)
