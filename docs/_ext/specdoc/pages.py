"""A page for each machine, property, design, era and instance, written before the build starts.

A page is a directive and nothing else; the directive draws it from the specification.  The folder
is made anew where something changed, so a page of something that is gone goes too.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

from specdoc.domain import slug
from specdoc.library import Library, library

__all__ = ["depend_on_everything", "pages_of", "write_pages"]

#: Folder of the written pages below the documentation.
FOLDER = "generated"

_RULES = """
Rules
=====

The numbers in parentheses, as in (A9.3), number what RabbitMQ's server, versions 3.6 to 4.3, was
observed to do, in its source and when it runs.  The letter is the part of the server: A the
channel, B the queue, C the store, D mirrors, E credit flow, F consumers; the other letters have
their headings below.  The first number is a topic within that part, and what follows the point is
one statement about it: A9 is what a channel does when a queue process goes down, A9.3 the third
thing to say about that.  INV is followed by the part whose invariant it is.

What this page says of a rule is a reminder; what it means exactly is what the specification does
where it cites it.  Below each rule stands every sentence that does.  What the specification leaves
out has the reason instead, and `spec/COVERAGE.md` lists that together.

.. rules::
"""

_MACHINES = """
The system is composed of these; each has a page.  A machine may extend another class and that one
more: such classes are its *layers*, stand below it with dots, the first one first, and have pages
too.  The layers of the system are the chapters of the specification: what a broker does when all
goes well, and then, one thing after the other, what may come in between.
"""

_PROPERTIES = """
Every property is a function of the specification, and has a page with its formula, the history that
it reads, and the designs that break it.  What a :doc:`version of RabbitMQ <../eras/index>` breaks
is shown there.
"""

_EVENTS = """
On the wire
===========

.. module-chapter:: ackproof.spec.wire

.. events::
"""

_SORTS = """
Sorts and enumerations
======================

.. sorts::
"""


_ERAS = """
An *era* is a design that stands for what a version of RabbitMQ did; `documented` is the
specification itself, what a user may rely on.  A property *breaks* in an era if it is false in any
run of it; the number says how many steps the shortest of these takes, and leads to it.  What
*holds* does so in every run on every instance that the table is made on.  A situation is *reached*,
or *never*.  A dash says that no instance has what it takes to break the property there, or to come
to the situation.

.. trace-legend::
"""


def pages_of(lib: Library) -> dict[str, str]:
    """Return the text of every generated page by its path below the folder."""
    # A class that is a machine, and a layer of another one, has one page.
    layers = list(dict.fromkeys(layer.name for m in lib.machines for layer in m.layers))
    pages = {
        "rules.rst": _RULES,
        "events.rst": _EVENTS,
        "sorts.rst": _SORTS,
        "machines/index.rst": _index(
            "Machines",
            _MACHINES,
            "machines",
            layers,
        )
        + _matrix(),
        "properties/index.rst": _index(
            "Properties",
            _PROPERTIES,
            "properties",
            [],
        ),
        "designs/index.rst": _index(
            "The museum of designs",
            "Each of these looks reasonable. Most are not.\n\n.. trace-legend::",
            "designs",
            [e.name for e in lib.exhibits],
        ),
        "eras/index.rst": _index("Eras", _ERAS, "era-table", [e.name for e in lib.eras]),
        "instances/index.rst": _index(
            "Instances",
            _chapter("ackproof.spec.instances"),
            "instances",
            [i.name for i in lib.model.instances],
        ),
    }
    for name in layers:
        pages[f"machines/{slug(name)}.rst"] = f".. machine:: {name}\n"
    for claim in lib.claims:
        pages[f"properties/{slug(claim.name)}.rst"] = f":orphan:\n\n.. property:: {claim.name}\n"
    for exhibit in lib.exhibits:
        pages[f"designs/{slug(exhibit.name)}.rst"] = f".. design:: {exhibit.name}\n"
    for era in lib.eras:
        pages[f"eras/{slug(era.name)}.rst"] = f".. era:: {era.name}\n"
    for instance in lib.model.instances:
        pages[f"instances/{slug(instance.name)}.rst"] = f".. instance:: {instance.name}\n"
    return pages


def _chapter(module: str) -> str:
    return f".. module-chapter:: {module}"


def _index(title: str, intro: str, directive: str, names: list[str]) -> str:
    """Return a page with a table, whose pages are in the sidebar unless there are too many."""
    entries = "\n".join(f"   {slug(name)}" for name in names)
    tree = f".. toctree::\n   :hidden:\n\n{entries}\n" if names else ""
    return f"{title}\n{'=' * len(title)}\n\n{intro}\n\n.. {directive}::\n\n{tree}"


def _matrix() -> str:
    title = "Which action reaches which machine"
    return (
        f"\n{title}\n{'-' * len(title)}\n\nA row is a step of the system, a column a machine, "
        "an entry a handler that the step calls there, itself or through another.  The page of a "
        "machine has charts of this in order: an arrow is a call, a dashed one with `?` depends "
        "on a condition, a blue one is what the wire carries.\n\n"
        ".. step-matrix::\n"
    )


def write_pages(app: Sphinx) -> None:
    """Write what differs, and remove what is not there any more."""
    root = Path(app.srcdir) / FOLDER
    pages = pages_of(library())
    for path in sorted(root.rglob("*.rst")):
        if str(path.relative_to(root)) not in pages:
            path.unlink()
    for name, text in pages.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def depend_on_everything(app: Sphinx, doctree: object) -> None:
    """Have every page read again when the specification or this package changes."""
    env = app.env
    for name, module in list(sys.modules.items()):
        if name.startswith(("ackproof.spec", "specdoc")):
            file = getattr(module, "__file__", None)
            if file:
                env.note_dependency(str(Path(file).resolve()))
