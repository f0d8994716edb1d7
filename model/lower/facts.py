"""Facts: what is plain of the names in generated code, whatever their values are.

A name never stands for another value, so what was found out of it when it was defined is true
wherever it is used.  Only what is said in the definition counts, and nothing is concluded from
guards under which code stands.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Facts", "Word"]

Word = int | str


@dataclass(frozen=True)
class Facts:
    """What is known of the names in some code.

    Args:
        parts: the parts of what takes more than a word, by its name.
        rows: the names of such rows.
        bits: which bits a word may have, and which it has for certain.
        tests: which word has which value where a bit holds.
        opposites: which bit a bit is the negation of.
        conjuncts: the bits that all hold where a bit does.
        disjuncts: the bits of which one holds where a bit does.
    """

    parts: dict[str, tuple[Word, ...]] = field(default_factory=dict)
    rows: dict[tuple[Word, ...], str] = field(default_factory=dict)
    bits: dict[str, tuple[int, int]] = field(default_factory=dict)
    tests: dict[str, tuple[str, int]] = field(default_factory=dict)
    opposites: dict[str, str] = field(default_factory=dict)
    conjuncts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    disjuncts: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def exclude(self, one: str, other: str) -> bool:
        """Tell whether two bits cannot hold together, as far as that is plain."""
        if self._opposed(one, other):
            return True
        word, value = self.tests.get(one, ("", 0))
        also, another = self.tests.get(other, ("", 0))
        return bool(word) and word == also and (value - another) % 2**64 != 0

    def exhaust(self, one: str, other: str) -> bool:
        """Tell whether one of two bits holds, as far as that is plain."""
        if self._opposed(one, other):
            return True
        first, second = self.opposites.get(one), self.opposites.get(other)
        return first is not None and second is not None and self.exclude(first, second)

    def _opposed(self, one: str, other: str) -> bool:
        return self.opposites.get(one) == other or self.opposites.get(other) == one
