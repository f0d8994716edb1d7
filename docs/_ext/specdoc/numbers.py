"""Rule numbers in prose: how they are found, what ranges stand for, what each of them says.

A number is written `A9.3`, `INV-A8`, `G-B01`, `L6.11`; the ways to lose a message are `D8 L4`, and
what follows one of those is one, too, as in `D8 L2, L3`.  `D4.1-D4.5`, `C1-C3` and `H1 to H7` are
ranges, and cite everything between.

`rules.toml` says what a number means.  One without a point that others belong to is a heading, and
to cite it is not to cite those.  Nothing here needs the specification to be compiled.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

__all__ = [
    "TITLES",
    "Chapter",
    "anchor",
    "chapter_of",
    "chapters",
    "cited",
    "order",
    "pieces",
    "section",
    "statement",
]

_NUMBER = r"INV-A3'(?!s)|INV-[A-Z]+\d+|G-[BDE]\d+|[A-FH-OQX]\d{1,2}(?:\.\d+)*"

#: A number, or a way to lose a message and those that follow it.
_CITATION = re.compile(rf"\b(?:D8 L\d+(?:(?:, | and |-| to )L\d+)*|{_NUMBER})(?!\w)")

#: Two numbers of one kind, and that everything between is meant.
_RANGE = re.compile(rf"\b({_NUMBER}|D8 L\d+)(?:-| to )({_NUMBER}|L\d+)(?!\w)")

TITLES = Path(__file__).resolve().parents[2] / "rules.toml"


@dataclass(frozen=True)
class Chapter:
    """A group of rules.

    Args:
        letter: what their numbers begin with.
        title: the heading of the group.
        rules: what each of them says, by number.
        covered: whether the specification must cite each of them, or say why not.
    """

    letter: str
    title: str
    rules: dict[str, str]
    covered: bool

    def headings(self) -> dict[str, str]:
        """Return the numbers that others belong to, with their titles."""
        return {rule: text for rule, text in self.rules.items() if self.is_heading(rule)}

    def is_heading(self, rule: str) -> bool:
        """Tell whether a number is no rule, but the topic of others."""
        return any(other.startswith((f"{rule}.", f"{rule} ")) for other in self.rules)

    def statements(self) -> dict[str, str]:
        """Return the numbers that are rules, with what they say."""
        return {rule: text for rule, text in self.rules.items() if not self.is_heading(rule)}


@lru_cache(maxsize=1)
def chapters() -> tuple[Chapter, ...]:
    """Return the chapters in the order of `rules.toml`."""
    data = tomllib.loads(TITLES.read_text(encoding="utf-8"))
    return tuple(
        Chapter(c["letter"], c["title"], c.get("rules", {}), c.get("covered", False))
        for c in data["chapter"]
    )


def chapter_of(rule: str) -> Chapter | None:
    """Return the chapter of a rule, or None if there is no such rule."""
    letter = "INV" if rule.startswith("INV-") else rule[0]
    found = next((c for c in chapters() if c.letter == letter), None)
    if found is None or (found.rules and rule not in found.rules):
        return None
    return found


def statement(rule: str) -> str:
    """Return what a rule says; empty if there is no such rule, or nothing is said of it."""
    chapter = chapter_of(rule)
    return chapter.rules.get(rule, "") if chapter else ""


def section(rule: str) -> str:
    """Return the topic that a rule belongs to: `A9` for `A9.3`, `D8` for `D8 L4`."""
    return re.split(r"[. ]", rule)[0]


def anchor(rule: str) -> str:
    """Return the fragment that a rule has on its page."""
    return re.sub(r"[. ]", "-", rule.lower()).replace("'", "-then")


def order(rule: str) -> tuple[str, tuple[int, ...], str]:
    """Return a key that sorts A2 before A10."""
    return re.sub(r"[\d. L']+$", "", rule), tuple(map(int, re.findall(r"\d+", rule))), rule


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield prose in pieces, each with the rule that it names, or with nothing."""
    at = 0
    for found in _CITATION.finditer(text):
        yield text[at : found.start()], ""
        yield from _named(found.group())
        at = found.end()
    yield text[at:], ""


def _named(citation: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a citation: several, if it is of ways to lose a message."""
    if not citation.startswith("D8 L"):
        yield citation, citation
        return
    for position, piece in enumerate(re.split(r"((?:D8 )?L\d+)", citation)):
        yield piece, f"D8 {piece.removeprefix('D8 ')}" if position % 2 else ""


def cited(text: str) -> tuple[str, ...]:
    """Return the rules that prose cites, each once, ranges expanded, in the order of the text."""
    flat = " ".join(text.split())
    found = {rule: None for _, rule in pieces(flat) if rule}
    for first, last in _RANGE.findall(flat):
        found |= dict.fromkeys(_between(first, last))
    return tuple(found)


def _between(first: str, last: str) -> Iterator[str]:
    """Yield the rules of a range, its ends included; nothing if the ends are of different kinds."""
    stem, low = _split(first)
    other, high = _split(last)
    if stem == other or (stem.startswith("D8 ") and other == "L"):
        for number in range(low, high + 1):
            yield f"{stem}{number}"


def _split(rule: str) -> tuple[str, int]:
    digits = re.search(r"\d+$", rule)
    assert digits is not None, f"{rule} does not end with a number"
    return rule[: digits.start()], int(digits.group())
