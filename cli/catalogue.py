"""`ackproof check --list`: what there is to check, and on what.

Where there is much of a kind, instances have a line each, and so have classes for their steps; of
properties and designs there are the names.  What was narrowed down is shown with all that is said
of it, and so is everything with `--verbose`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer
from ackproof.cli.inputs import InputError
from ackproof.cli.output import sizes_text
from ackproof.cli.targets import Target, design_names, load
from ackproof.lang.model import Model
from ackproof.lang.properties import BUILT_IN, CLAIMS, DEADLOCK, SETTINGS, heading_of
from ackproof.model.cache import default_cache
from ackproof.model.museum import describe
from ackproof.model.programs import program_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["SCHEMA", "show_catalogue"]

SCHEMA = "ackproof/list/2"

#: More than that of a kind is much.
_MUCH = 20


def show_catalogue(
    targets: Sequence[Target],
    *,
    as_json: bool,
    with_museum: bool,
    like: str = "",
    verbose: bool = False,
) -> int:
    """Show the instances, properties and steps of models, and designs with what they expect.

    Args:
        targets: models and designs.
        as_json: whether to show them as JSON.
        with_museum: whether the designs of the museum are among them, and the eras.
        like: what does not have this text in its name or its description is left out.
        verbose: whether to show all that is said of each, however much there is.

    Raises:
        InputError: that leaves nothing.
        SpecError: a specification is outside the language.
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
    sections = [s for m, d in zip(models, data["models"], strict=True) for s in _sections(m, d)]
    sections.append(_designs(data["designs"]))
    most = None if like or verbose else _MUCH
    for section in sections:
        section.show(out, most)
    if most and any(len(section.rows) > most for section in sections):
        out.print("\n--like TEXT shows what is said of those that have it, --verbose of all")
    return 0


@dataclass(frozen=True)
class _Section:
    """What there is of a kind.

    Args:
        title: which kind that is.
        rows: of each its name, what it is in a line, and what else is said of it.
        above: what stands above the title.
        in_lines: what is shown where there is much, a line each; if left out, the names.
    """

    title: str
    rows: list[tuple[str, ...]]
    above: str = ""
    in_lines: list[tuple[str, ...]] | None = None

    def show(self, out: Console, most: int | None) -> None:
        """Show it, in short if there is more than that of it."""
        if self.above:
            out.print(self.above, style="bold")
        if not self.rows:
            return
        out.print(f"\n {self.title}", style="dim")
        if most is None or len(self.rows) <= most:
            _show_whole(out, self.rows)
        elif self.in_lines is not None:
            _show_lines(out, self.in_lines)
        else:
            _show_names(out, [name for name, *_ in self.rows])


def _filter(data: dict[str, Any], like: str) -> bool:
    """Leave out what does not have a text; return whether anything is left."""
    wanted, left = like.lower(), False
    parts = ("instances", "properties", "built_in", "steps")
    sections = [(m, name) for m in data["models"] for name in parts]
    for holder, name in [*sections, (data, "designs")]:
        holder[name] = [e for e in holder[name] if wanted in _text(e).lower()]
        left = left or bool(holder[name])
    return left


def _text(entry: dict[str, Any]) -> str:
    """Return what an entry says, in words."""
    said = (v if isinstance(v, list | dict) else [v] for v in entry.values())
    return "\n".join(str(word) for words in said for word in words)


def _sections(model: Model, found: dict[str, Any]) -> Iterator[_Section]:
    """Yield what a model has, of which some may have been left out."""
    chosen = {entry["name"] for entry in found["instances"]}
    rows: list[tuple[str, ...]] = []
    for i in model.instances:
        if i.name in chosen:
            states = f"{i.states:,} states" if i.states else "states not counted yet"
            rows.append((i.name, i.purpose, "; ".join(p for p in (sizes_text(i), states) if p)))
    first = " (the first is the default)" if len(rows) == len(model.instances) else ""
    yield _Section(f"instances{first}", rows, above=model.name, in_lines=rows)
    for kind in (*CLAIMS, *SETTINGS):
        of_kind = [p for p in found["properties"] if p["kind"] == kind]
        yield _Section(heading_of(kind), [(p["name"], _first(p["doc"])) for p in of_kind])
    yield _Section("built in", [(p["name"], p["doc"]) for p in found["built_in"]])
    yield _steps(found["steps"])


def _steps(found: list[dict[str, Any]]) -> _Section:
    rows: list[tuple[str, ...]] = [
        (f"{s['class']}.{s['name']}", f"{s['kind']}: {_first(s['doc'])}") for s in found
    ]
    counts = Counter((s["class"], s["module"]) for s in found)
    lines: list[tuple[str, ...]] = [
        (name, f"{n} of {module}") for (name, module), n in counts.items()
    ]
    return _Section("steps, by class", rows, in_lines=lines)


def _designs(found: list[dict[str, Any]]) -> _Section:
    rows = [(d["name"], d["claim"], *(f"expects: {e}" for e in d["expects"])) for d in found]
    return _Section("designs", rows)


def _built_in(model: Model) -> dict[str, str]:
    asked = "" if model.deadlock_free else f" Checked only with --property {DEADLOCK}."
    return {n: d + (asked if n == DEADLOCK else "") for n, d in BUILT_IN.items()}


def _first(doc: str) -> str:
    return doc.partition("\n")[0]


def _show_whole(out: Console, rows: Sequence[tuple[str, ...]]) -> None:
    from ackproof.cli.page import print_table
    from rich.text import Text

    table = _table()
    table.add_column(overflow="fold")
    for name, *said in rows:
        table.add_row(f"  {name}", Text("\n".join(said)))
    print_table(out, table)


def _show_lines(out: Console, rows: Sequence[tuple[str, ...]]) -> None:
    from ackproof.cli.page import print_table
    from rich.text import Text

    table = _table(max(len(name) + 2 for name, *_ in rows))
    table.add_column(no_wrap=True, overflow="ellipsis")
    for name, first, *_ in rows:
        table.add_row(f"  {name}", Text(first))
    print_table(out, table)


def _show_names(out: Console, names: Sequence[str]) -> None:
    """Show names in columns, in their order from top to bottom."""
    from ackproof.cli.page import print_table

    count = max(1, (out.width - 2) // (max(map(len, names)) + 2))
    height = -(-len(names) // count)
    table = _table()
    for row in range(height):
        table.add_row(*(f"  {name}" for name in names[row::height]))
    print_table(out, table)


def _table(width: int | None = None) -> Table:
    """Return a table that has one column yet, of at least that width."""
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, min_width=width)
    return table


def _steps_of(model: Model) -> Iterator[dict[str, Any]]:
    """Yield what a design may replace: the steps that each class of a model has."""
    program = program_of(model, cache=default_cache())
    for process in program.processes:
        module = program.players[process.name].__module__
        for name in dict.fromkeys(m.name for m in reversed(process.methods)):
            method = process.method(name)
            if method is not None and method.kind != "observer":
                said = {"kind": method.kind, "doc": method.doc}
                yield {"class": process.name, "module": module, "name": name, **said}


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
                "steps": list(_steps_of(m)),
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
