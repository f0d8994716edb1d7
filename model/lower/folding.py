"""Folding without writing: the arithmetic of code generation, for those who only want what folds.

A value that is not known has a name, and the same value always has the same name, but no code is
written.  While one step is executed, what its guards say can be assumed of the names: a state of a
process that is DOWN is not RUNNING, wherever the step asks again.
"""

from __future__ import annotations

from ackproof.model.lower.ops import Bit, Emitter, Word

__all__ = ["Folding"]


class Folding(Emitter):
    """Folds and shares as an emitter does, and writes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._names: dict[tuple[object, ...], str] = {}
        self._equalities: dict[str, tuple[Word, Word]] = {}
        self._negations: dict[str, Bit] = {}
        self._facts: dict[str, bool] = {}
        self._values: dict[str, int] = {}

    def unknown(self) -> str:
        """Return the name of a value of which nothing is known."""
        return self.fresh("%")

    def define(self, text: str) -> str:
        """Return a name; there is no text to write it to."""
        return self.unknown()

    def shared(self, key: tuple[object, ...], text: str) -> str:
        """Return the name of this value, one for all its uses."""
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = self.unknown()
        return name

    # -- assumptions ----------------------------------------------------------------------------

    def forget(self) -> None:
        """Drop all assumptions."""
        self._facts.clear()
        self._values.clear()

    def assume(self, bit: Bit) -> None:
        """From here on, until `forget`, a bit is taken to hold."""
        if isinstance(bit, str):
            self._fact(bit, True)

    def _fact(self, name: str, holds: bool) -> None:
        self._facts[name] = holds
        negated = self._negations.get(name)
        if isinstance(negated, str):
            self._fact(negated, not holds)
        if holds and name in self._equalities:
            one, other = self._equalities[name]
            if isinstance(one, int):
                one, other = other, one
            if isinstance(one, str) and isinstance(other, int):
                self._values[one] = other

    def equal(self, a: Word, b: Word) -> Bit:
        """Whether two words are equal, as far as assumptions tell."""
        a = self._values.get(a, a) if isinstance(a, str) else a
        b = self._values.get(b, b) if isinstance(b, str) else b
        bit = super().equal(a, b)
        if isinstance(bit, bool):
            return bit
        self._equalities[bit] = (a, b)
        return self._facts.get(bit, bit)

    def no(self, a: Bit) -> Bit:
        """Negation, as far as assumptions tell."""
        if isinstance(a, str):
            a = self._facts.get(a, a)
        bit = super().no(a)
        if isinstance(bit, str):
            self._negations[bit] = a
        return bit
