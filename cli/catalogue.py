"""`ackproof check --list`: what there is to check, and on what."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer
from ackproof.cli.output import sizes_text
from ackproof.cli.targets import Target, design_names, load
from ackproof.lang.model import Model
from ackproof.lang.properties import BUILT_IN, DEADLOCK
from ackproof.model.museum import describe

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["SCHEMA", "show_catalogue"]

SCHEMA = "ackproof/list/1"


def show_catalogue(targets: Sequence[Target], *, as_json: bool, with_museum: bool) -> int:
    """Show the instances and properties of models, and designs with what they expect.

    With `with_museum`, the designs of the museum are among them, and the eras.
    """
    names = design_names() if with_museum else ()
    designs = [*(t for t in targets if t.design), *map(load, names)]
    models = list({t.model.name: t.model for t in targets}.values())
    if as_json:
        typer.echo(json.dumps(_document(models, designs), indent=2))
        return 0
    from ackproof.cli.page import console

    out = console()
    for model in models:
        _show_model(out, model)
    if designs:
        _show_rows(
            out, "designs", [(t.label, t.design.claim, *_expected(t)) for t in designs if t.design]
        )
    return 0


def _expected(target: Target) -> list[str]:
    assert target.design is not None
    return [f"expects: {describe(e)}" for e in target.design.expect]


def _show_model(out: Console, model: Model) -> None:
    out.print(model.name, style="bold")
    rows = []
    for i in model.instances:
        states = f"{i.states:,} states" if i.states else "states not counted yet"
        rows.append((i.name, i.purpose, "; ".join(p for p in (sizes_text(i), states) if p)))
    _show_rows(out, "instances (the first is the default)", rows)
    for kind, title in (
        ("invariant", "properties of states"),
        ("step", "properties of steps"),
        ("eventually", "what must happen"),
        ("reachable", "situations that must be reachable"),
    ):
        chosen = [(p.name, _first(p.doc)) for p in model.properties if p.kind == kind]
        if chosen:
            _show_rows(out, title, chosen)
    _show_rows(out, "built in", list(_built_in(model).items()))


def _built_in(model: Model) -> dict[str, str]:
    asked = "" if model.deadlock_free else f" Checked only with --property {DEADLOCK}."
    return {n: d + (asked if n == DEADLOCK else "") for n, d in BUILT_IN.items()}


def _first(doc: str) -> str:
    return doc.partition("\n")[0]


def _show_rows(out: Console, title: str, rows: Sequence[tuple[str, ...]]) -> None:
    from ackproof.cli.page import print_table
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, first, *more in rows:
        table.add_row(f"  {name}", Text("\n".join([first, *more])))
    out.print(f"\n {title}", style="dim")
    print_table(out, table)


def _document(models: Sequence[Model], designs: Sequence[Target]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "models": [
            {
                "name": m.name,
                "instances": [
                    {
                        "name": i.name,
                        "purpose": i.purpose,
                        "states": i.states,
                        "sizes": {sort.__name__: n for sort, n in i.sizes.items()},
                        "faults": dict(i.faults),
                    }
                    for i in m.instances
                ],
                "properties": [
                    {"name": p.name, "kind": p.kind, "doc": p.doc} for p in m.properties
                ],
                "built_in": [{"name": n, "doc": d} for n, d in _built_in(m).items()],
            }
            for m in models
        ],
        "designs": [
            {
                "name": t.label,
                "claim": t.design.claim,
                "source": t.design.source,
                "expects": [describe(e) for e in t.design.expect],
            }
            for t in designs
            if t.design
        ],
    }
