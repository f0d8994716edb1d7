"""What the constructors of models, instances and designs take, from their own docstrings.

.. constructor:: Instance

A docstring is prose, and below `Args:` an entry for each argument.  What stands in the table of a
page is that entry, with the default from the signature, so neither can be out of date.
"""

from __future__ import annotations

import inspect
import re
import textwrap

from ackproof import lang
from docutils import nodes

from specdoc.markup import Cell, SpecDirective, paragraph, section, table

__all__ = ["ConstructorDirective", "arguments_of", "lead_of"]

_ARGS = re.compile(r"^Args:\n", flags=re.MULTILINE)
_ENTRY = re.compile(r"^(\w+): ", flags=re.MULTILINE)
_MADE = "<factory>"  # what a signature shows for a default that is made anew


def lead_of(doc: str) -> str:
    """Return a docstring's prose: what stands above its arguments."""
    return _ARGS.split(doc, maxsplit=1)[0].strip()


def arguments_of(doc: str) -> dict[str, str]:
    """Return what a docstring says of each argument; empty without a list of them."""
    _, *rest = _ARGS.split(doc, maxsplit=1)
    if not rest:
        return {}
    listed = re.split(r"\n\n(?=\S)", rest[0], maxsplit=1)[0]
    _, *pieces = _ENTRY.split(textwrap.dedent(listed))
    return {
        name: " ".join(text.split()) for name, text in zip(pieces[::2], pieces[1::2], strict=True)
    }


class ConstructorDirective(SpecDirective):
    """`.. constructor:: Instance`: a class of the language with its arguments."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return a section: the prose of the docstring, and a table of the arguments."""
        name = self.arguments[0]
        cls = getattr(lang, name, None)
        if not inspect.isclass(cls):
            raise self.error(f"the language has no class {name!r}")
        doc = inspect.getdoc(cls) or ""
        part = section(f"class-{name}", nodes.literal("", name))
        part += self.prose(lead_of(doc))
        said = arguments_of(doc)
        parameters = inspect.signature(cls).parameters
        if set(said) != set(parameters):
            raise self.error(f"the docstring of {name} must tell of: {', '.join(parameters)}")
        rows: list[list[Cell]] = [
            [nodes.literal("", argument), _default(parameters[argument]), self.sentence(text)]
            for argument, text in said.items()
        ]
        part += table(["Argument", "If left out", "Meaning"], rows)
        return [part]


def _default(parameter: inspect.Parameter) -> Cell:
    if parameter.default is inspect.Parameter.empty:
        return paragraph("must be given")
    shown = repr(parameter.default)
    return nodes.literal("", "{}") if shown == _MADE else nodes.literal("", shown)
