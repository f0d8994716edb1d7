"""Rule numbers: what they are called, and where the specification cites them.

A citation is a rule number in a docstring: `(A9, A9.3)`, `INV-A8`, `G-B01`.  The rules page lists
them all with the place and the sentence that cites them, so it is the way from a rule to the line
of the specification that states it.  `rules.toml` gives the titles, and a number that fits no
title is a mistake.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from specdoc.library import Library

__all__ = ["CITATION", "Chapter", "Citation", "anchor", "chapter_of", "chapters", "citations"]

#: A rule number as docstrings write it.
CITATION = re.compile(r"\b(INV-[A-Z]+\d+|G-[BD]\d+|[A-FI-OX]\d{1,2}(?:\.\d+)*)\b")

#: Where a sentence ends, seen from the blank after it.
_SENTENCE_END = re.compile(r"(?<=[a-z\d)`*]\.)\s+(?=[A-Z`*\"])")

_TITLES = Path(__file__).resolve().parents[2] / "rules.toml"


@dataclass(frozen=True)
class Chapter:
    """A group of rules: `rules` maps a number without its part (`A9`) to a title."""

    letter: str
    title: str
    rules: dict[str, str]


@dataclass(frozen=True)
class Citation:
    """One place that cites a rule: an object of the specification, and the sentence."""

    rule: str
    kind: str
    target: str
    sentence: str


def chapters() -> tuple[Chapter, ...]:
    """Return the chapters in the order of `rules.toml`."""
    data = tomllib.loads(_TITLES.read_text(encoding="utf-8"))
    return tuple(Chapter(c["letter"], c["title"], c.get("rules", {})) for c in data["chapter"])


def chapter_of(rule: str) -> Chapter | None:
    """Return the chapter of a rule, or None if there is no such rule."""
    letter = "INV" if rule.startswith("INV-") else rule[0]
    found = next((c for c in chapters() if c.letter == letter), None)
    if found is None or (found.rules and section(rule) not in found.rules):
        return None
    return found


def section(rule: str) -> str:
    """Return the rule that a part belongs to: `A9` for `A9.3`."""
    return rule.partition(".")[0]


def anchor(rule: str) -> str:
    """Return the fragment that a rule has on its page."""
    return rule.lower().replace(".", "-")


def order(rule: str) -> tuple[str, tuple[int, ...]]:
    """Return a key that sorts A2 before A10."""
    return re.sub(r"[\d.]+$", "", rule), tuple(map(int, re.findall(r"\d+", rule)))


def citations(lib: Library) -> tuple[Citation, ...]:
    """Return every citation of the specification, by place."""
    return tuple(
        Citation(rule, kind, target, sentence_with(rule, doc))
        for kind, target, doc in _docs(lib)
        for rule in dict.fromkeys(CITATION.findall(doc))
    )


def _docs(lib: Library) -> Iterator[tuple[str, str, str]]:
    for machine in lib.machines:
        yield "machine", machine.name, f"{machine.decl.doc}\n\n{machine.chapter}"
        for step in machine.steps:
            yield "step", step.key, step.doc
    for event in lib.events:
        yield "event", event.__name__, event.__doc__ or ""
    for claim in lib.claims:
        yield "property", claim.name, claim.doc
    for exhibit in lib.exhibits:
        doc = f"{exhibit.design.claim}\n\n{exhibit.design.source}\n\n{exhibit.module.__doc__}"
        yield "design", exhibit.name, doc


def sentence_with(rule: str, doc: str) -> str:
    """Return the sentence of a docstring that cites a rule, without citations at its end."""
    for paragraph in re.split(r"\n\s*\n|\n\s*\* ", doc):
        for sentence in _SENTENCE_END.split(" ".join(paragraph.split()).removeprefix("* ")):
            if rule in CITATION.findall(sentence):
                return re.sub(r"\s*\([^()]*\d[^()]*\)$", "", sentence.rstrip(".;"))
    raise AssertionError(f"{rule} is not cited in {doc!r}")
