"""Folding without writing: the arithmetic of code generation, for those who only want what folds.

A value that is not known has a name, and the same value always has the same name, but no code is
written.  While one step is executed, what its guards say can be assumed of the names: a state of a
process that is DOWN is not RUNNING, wherever the step asks again.  And of an element that is not
known it is known that it is no element of another owner.
"""

from __future__ import annotations

from ackproof.model.lower.ops import WORD_BITS, Bit, Emitter, Word

__all__ = ["Folding"]


class Folding(Emitter):
    """Folds and shares as an emitter does, and writes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._names: dict[tuple[object, ...], str] = {}
        self._assumed: dict[str, bool] = {}
        self._values: dict[str, int] = {}
        self._blocks: dict[str, tuple[str, int]] = {}
        self._parts: dict[str, dict[str, int]] = {}

    def unknown(self, width: int = WORD_BITS) -> str:
        """Return the name of a value of that many bits of which nothing is known."""
        return str(self.joined(self.fresh("%") for _ in range(width // WORD_BITS)))

    def define(self, text: str) -> str:
        """Return a name; there is no text to write it to."""
        return self.unknown()

    def shared(self, key: tuple[object, ...], text: str) -> str:
        """Return the name of this value, one for all its uses."""
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = self.unknown()
        return name

    # -- elements and their owners --------------------------------------------------------------

    def block(self, position: Word, size: int, count: int) -> Word:
        """Which block a position lies in; an unknown one is remembered to belong to it."""
        if isinstance(position, int) or count < 2:
            return super().block(position, size, count)
        name = self.shared(("block", position, size), "")
        self._blocks[name] = (position, size)
        return name

    def all(self, *bits: Bit) -> Bit:
        """Conjunction; that a position and its block are such as do not go together is false."""
        bit = super().all(*bits)
        if isinstance(bit, str) and self._blocks:
            said = {name: value for b in bits for name, value in self._said(b).items()}
            for name, value in said.items():
                position, size = self._blocks.get(name, ("", 1))
                if position in said and said[position] // size != value:
                    return False
            self._parts[bit] = said
        return bit

    def _said(self, bit: Bit) -> dict[str, int]:
        """Return the names that have a value where a bit holds, as far as is plain from it."""
        if not isinstance(bit, str):
            return {}
        if bit in self.facts.tests:
            word, value = self.facts.tests[bit]
            return {word: value}
        return self._parts.get(bit, {})

    # -- assumptions ----------------------------------------------------------------------------

    def forget(self) -> None:
        """Drop all assumptions."""
        self._assumed.clear()
        self._values.clear()

    def assume(self, bit: Bit) -> None:
        """From here on, until `forget`, a bit is taken to hold."""
        if isinstance(bit, str):
            self._fact(bit, True)

    def _fact(self, name: str, holds: bool) -> None:
        self._assumed[name] = holds
        if name in self.facts.opposites:
            self._fact(self.facts.opposites[name], not holds)
        if holds and name in self.facts.tests:
            word, value = self.facts.tests[name]
            self._values[word] = value

    def equal(self, a: Word, b: Word) -> Bit:
        """Whether two words are equal, as far as assumptions tell."""
        a = self._values.get(a, a) if isinstance(a, str) else a
        b = self._values.get(b, b) if isinstance(b, str) else b
        bit = super().equal(a, b)
        return bit if isinstance(bit, bool) else self._assumed.get(bit, bit)

    def no(self, a: Bit) -> Bit:
        """Negation, as far as assumptions tell."""
        if isinstance(a, str):
            a = self._assumed.get(a, a)
        return super().no(a)
