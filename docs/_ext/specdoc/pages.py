"""One page for each machine, property, design and instance: written before the build reads pages.

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

The numbers in parentheses, as in (A9.3), number what RabbitMQ's server, versions 3.6 to 3.13, was
observed to do, in its source and when it runs.  The letter is the part of the server: A the
channel, B the queue, C the store, D mirrors, E credit flow, F consumers; the other letters have
their headings below.  The first number is a topic within that part, and what follows the point is
one statement about it: A9 is what a channel does when a queue process goes down, A9.3 the third
thing to say about that.  INV is followed by the part whose invariant it is.

Nothing has to be looked up elsewhere: the behaviour itself is stated by the specification, and a
number only tells apart, and finds again, what rests on the same observation.  Below is every number
that is cited, each with the sentence of the specification that states it.

.. rules::
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


def pages_of(lib: Library) -> dict[str, str]:
    """Return the text of every generated page by its path below the folder."""
    pages = {
        "rules.rst": _RULES,
        "events.rst": _EVENTS,
        "sorts.rst": _SORTS,
        "machines/index.rst": _index(
            "Machines",
            "The system is composed of these; each has a page.",
            "machines",
            [m.name for m in lib.machines],
        )
        + _matrix(),
        "properties/index.rst": _index(
            "Properties",
            _chapter("ackproof.spec.properties"),
            "properties",
            [c.name for c in lib.claims],
        ),
        "designs/index.rst": _index(
            "The museum of designs",
            "Each of these looks reasonable. Most are not.\n\n.. trace-legend::",
            "designs",
            [e.name for e in lib.exhibits],
        ),
        "instances/index.rst": _index(
            "Instances",
            _chapter("ackproof.spec.instances"),
            "instances",
            [i.name for i in lib.model.instances],
        ),
    }
    for machine in lib.machines:
        pages[f"machines/{slug(machine.name)}.rst"] = f".. machine:: {machine.name}\n"
    for claim in lib.claims:
        pages[f"properties/{slug(claim.name)}.rst"] = f".. property:: {claim.name}\n"
    for exhibit in lib.exhibits:
        pages[f"designs/{slug(exhibit.name)}.rst"] = f".. design:: {exhibit.name}\n"
    for instance in lib.model.instances:
        pages[f"instances/{slug(instance.name)}.rst"] = f".. instance:: {instance.name}\n"
    return pages


def _chapter(module: str) -> str:
    return f".. module-chapter:: {module}"


def _index(title: str, intro: str, directive: str, names: list[str]) -> str:
    entries = "\n".join(f"   {slug(name)}" for name in names)
    return (
        f"{title}\n{'=' * len(title)}\n\n{intro}\n\n.. {directive}::\n\n"
        f".. toctree::\n   :hidden:\n\n{entries}\n"
    )


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
