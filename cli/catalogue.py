"""`ackproof check --list`: what there is to check, and on what."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer
from ackproof.cli.inputs import InputError
from ackproof.cli.output import sizes_text
from ackproof.cli.targets import Target, design_names, load
from ackproof.lang.model import Model
from ackproof.lang.properties import BUILT_IN, CLAIMS, DEADLOCK, SETTINGS, heading_of
from ackproof.model.museum import describe

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["SCHEMA", "show_catalogue"]

SCHEMA = "ackproof/list/1"


def show_catalogue(
    targets: Sequence[Target], *, as_json: bool, with_museum: bool, like: str = ""
) -> int:
    """Show the instances and properties of models, and designs with what they expect.

    With `with_museum`, the designs of the museum are among them, and the eras.  What does not have
    the text `like` in its name or its description is left out.

    Raises:
        InputError: that leaves nothing.
    """
    names = design_names() if with_museum else ()
    designs = [*(t for t in targets if t.design), *map(load, names)]
    models = list({t.model.name: t.model for t in targets}.values())
    data = _document(models, designs)
    if like and not _filter(data, like):
        raise InputError(
            f"nothing has {like!r} in its name or its description\n"
            "  instead: give a part of a word, or see everything with --list alone"
        )
    if as_json:
        typer.echo(json.dumps(data, indent=2))
        return 0
    from ackproof.cli.page import console

    out = console()
    for model, found in zip(models, data["models"], strict=True):
        _show_model(out, model, found)
    rows = [
        (d["name"], d["claim"], *(f"expects: {text}" for text in d["expects"]))
        for d in data["designs"]
    ]
    _show_rows(out, "designs", rows)
    return 0


def _filter(data: dict[str, Any], like: str) -> bool:
    """Leave out what does not have a text; return whether anything is left."""
    wanted, left = like.lower(), False
    sections = [
        (m, name) for m in data["models"] for name in ("instances", "properties", "built_in")
    ]
    for holder, name in [*sections, (data, "designs")]:
        holder[name] = [e for e in holder[name] if wanted in _text(e).lower()]
        left = left or bool(holder[name])
    return left


def _text(entry: dict[str, Any]) -> str:
    """Return what an entry says, in words."""
    said = (v if isinstance(v, list | dict) else [v] for v in entry.values())
    return "\n".join(str(word) for words in said for word in words)


def _show_model(out: Console, model: Model, found: dict[str, Any]) -> None:
    out.print(model.name, style="bold")
    chosen = {entry["name"] for entry in found["instances"]}
    rows = []
    for i in model.instances:
        if i.name in chosen:
            states = f"{i.states:,} states" if i.states else "states not counted yet"
            rows.append((i.name, i.purpose, "; ".join(p for p in (sizes_text(i), states) if p)))
    whole = len(rows) == len(model.instances)
    _show_rows(out, f"instances{' (the first is the default)' if whole else ''}", rows)
    for kind in (*CLAIMS, *SETTINGS):
        of_kind = [p for p in found["properties"] if p["kind"] == kind]
        _show_rows(out, heading_of(kind), [(p["name"], _first(p["doc"])) for p in of_kind])
    _show_rows(out, "built in", [(p["name"], p["doc"]) for p in found["built_in"]])


def _built_in(model: Model) -> dict[str, str]:
    asked = "" if model.deadlock_free else f" Checked only with --property {DEADLOCK}."
    return {n: d + (asked if n == DEADLOCK else "") for n, d in BUILT_IN.items()}


def _first(doc: str) -> str:
    return doc.partition("\n")[0]


def _show_rows(out: Console, title: str, rows: Sequence[tuple[str, ...]]) -> None:
    if not rows:
        return
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
