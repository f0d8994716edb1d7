"""An emitter that carries out at once, on 64 bits as LLVM would, each line that it would write."""

from __future__ import annotations

from ackproof.model.lower.ops import WORD_BITS, Emitter, Word, mask_width

__all__ = ["SIZE", "WIDTH", "Machine"]

_MASK = 2**WORD_BITS - 1
SIZE = 200
WIDTH = mask_width(SIZE)


class Machine(Emitter):
    """Carries out what it is asked to write."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, int] = {}
        self.names: dict[tuple[object, ...], str] = {}

    def unknown(self, value: int) -> Word:
        """A mask of `SIZE` bits that the emitter does not know."""
        return self.joined(
            self._named(value >> i & _MASK, ("%given", value, i))
            for i in range(0, WIDTH, WORD_BITS)
        )

    def position(self, value: int) -> Word:
        """A word that the emitter does not know."""
        return self._named(value & _MASK, ("given", value))

    def truth(self, value: bool, number: int) -> str:
        """A bit that the emitter does not know; those with other numbers are others."""
        return self._named(int(value), ("truth", number))

    def _named(self, value: int, key: tuple[object, ...]) -> str:
        name = self.names.setdefault(key, f"%{len(self.names)}")
        self.values[name] = value
        return name

    def shared(self, key: tuple[object, ...], text: str) -> str:
        """Carry out an operation."""
        op, *operands = key
        a, b, *_ = [*(self.values.get(str(x), x) for x in operands), 0, 0]
        if op in ("and", "or") and len(operands) == 3:  # of bits
            a, b = b, self.values[str(operands[2])]
        assert isinstance(a, int)
        assert isinstance(b, int)
        a, b = a & _MASK, b & _MASK
        if op == "select":
            last = self.values.get(str(operands[2]), operands[2])
            return self._named((b if a else int(str(last))) & _MASK, key)
        assert op not in ("shl", "lshr") or b < WORD_BITS, "LLVM would give poison"
        done = {
            "and": lambda: a & b,
            "or": lambda: a | b,
            "xor": lambda: a ^ b,
            "not": lambda: 1 - a,
            "zext": lambda: a,
            "shl": lambda: a << b & _MASK,
            "lshr": lambda: a >> b,
            "add": lambda: a + b & _MASK,
            "sub": lambda: a - b & _MASK,
            "eq": lambda: int(a == b),
            "slt": lambda: int(a < b),
            "cttz": lambda: (a & -a).bit_length() - 1 if a else WORD_BITS,
            "ctlz": lambda: WORD_BITS - a.bit_length(),
            "ctpop": lambda: a.bit_count(),
        }
        return self._named(done[str(op)](), key)

    def value(self, word: Word | bool) -> int:
        """What was computed."""
        if isinstance(word, str) and word in self.values:
            return self.values[word]
        if isinstance(word, str):
            return sum(self.value(p) << WORD_BITS * i for i, p in enumerate(self.parts(word)))
        return int(word)
