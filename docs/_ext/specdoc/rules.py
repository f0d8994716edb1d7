"""Where the specification cites which rule.

A citation is a rule number in a docstring: `(A9, A9.3)`, `INV-A8`, `G-B01`.  The rules page lists
all rules with the places and the sentences that cite them, so it is the way from a rule to the line
of the specification that states it.  A number that `rules.toml` does not have is a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from specdoc.library import Library
from specdoc.numbers import anchor, chapter_of, chapters, cited

__all__ = ["Citation", "anchor", "chapter_of", "chapters", "citations"]

#: Where a sentence ends, seen from the blank after it.
_SENTENCE_END = re.compile(r"(?<=[a-z\d)`*]\.)\s+(?=[A-Z`*\"])")


@dataclass(frozen=True)
class Citation:
    """One place that cites a rule: an object of the specification, and the sentence."""

    rule: str
    kind: str
    target: str
    sentence: str


def citations(lib: Library) -> tuple[Citation, ...]:
    """Return every citation of the specification, by place."""
    return tuple(
        Citation(rule, kind, target, sentence_with(rule, doc))
        for kind, target, doc in _docs(lib)
        for rule in cited(doc)
    )


def _docs(lib: Library) -> Iterator[tuple[str, str, str]]:
    for machine in lib.machines:
        for layer in machine.layers:
            yield "machine", layer.name, f"{layer.doc}\n\n{layer.chapter}"
            for step in layer.steps:
                yield "step", step.place, step.doc
    for event in lib.events:
        yield "event", event.__name__, event.__doc__ or ""
    for sort in lib.sorts:
        yield "sort", sort.__name__, sort.__doc__ or ""
    for claim in lib.claims:
        yield "property", claim.name, claim.doc
    for exhibit in (*lib.exhibits, *lib.eras):
        yield exhibit.kind, exhibit.name, exhibit.prose


def sentence_with(rule: str, doc: str) -> str:
    """Return the sentence of a docstring that cites a rule, without citations at its end."""
    for paragraph in re.split(r"\n\s*\n|\n\s*\* ", doc):
        for sentence in _SENTENCE_END.split(" ".join(paragraph.split()).removeprefix("* ")):
            if rule in cited(sentence):
                return re.sub(r"\s*\([^()]*\d[^()]*\)$", "", sentence.rstrip(".;"))
    raise AssertionError(f"{rule} is not cited in {doc!r}")
