"""What the code of a part of a program hangs on: what is asked of the program while it is written.

A design leaves most actions and properties as they were, and most variables that they speak of.  So
what was found out or written for one of them is good for another program in which everything that
was asked for then has the same answer: how a variable is declared, where it stands, what a constant
is.  Variables that a design adds are not asked for where they play no part; see
`ackproof.lang.kept`.  Answers are plain values, which other processes can read.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ackproof.lang.binding import Bound
from ackproof.lang.kept import Answering
from ackproof.lang.likeness import spelled
from ackproof.lang.program import Variable

__all__ = ["Sizes"]

Path = tuple[str, ...]


class Sizes(Answering):
    """Answers what is asked of a program at the sizes of an instance.

    Args:
        bound: the program.
    """

    def __init__(self, bound: Bound) -> None:
        super().__init__()
        self.bound = bound
        self.variables = {v.path: v for v in bound.program.variables}
        self.numbers = {
            (loc.variable.path, loc.elements): n for n, loc in enumerate(bound.locations)
        }
        #: The elements of sorts and the budgets of faults, which everything hangs on.
        self.given = repr((bound.elements, bound.budgets))

    def variable(self, path: Path) -> Variable:
        """Return the variable at a path; there is one."""
        self.ask(_declared, path)
        return self.variables[path]

    def number(self, path: Path, elements: tuple[Any, ...]) -> int:
        """Return the number of the location of a variable in some members of its families."""
        found = self.ask(_number, path, elements)
        assert found is not None
        return found

    def constant(self, name: str, elements: tuple[Any, ...]) -> Any:
        """Return the value of a constant in some members of its families, as data."""
        return self.ask(_constant, name, elements)

    @cached_property
    def declared(self) -> dict[Path, str]:
        """What code hangs on of the declaration of each variable, by its path."""
        return {
            path: f"{spelled(v.type)} {v.const} {v.anything} {[f.name for f in v.families]}"
            for path, v in self.variables.items()
        }


# A question of what another program does not have is answered with None.


def _declared(sizes: Sizes, path: Path) -> str | None:
    return sizes.declared.get(path)


def _number(sizes: Sizes, path: Path, elements: tuple[Any, ...]) -> int | None:
    return sizes.numbers.get((path, elements))


def _constant(sizes: Sizes, name: str, elements: tuple[Any, ...]) -> Any:
    return sizes.bound.constants.get((name, elements))
