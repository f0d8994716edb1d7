"""Where a design makes a difference: on which instances, and whether anything that it changes was
reached.

A design that changes what mirrors do is the base specification on an instance without mirrors.
There the search finds what it has always found, and to call the design verified would say more than
anybody knows.  So two things are told:

* On an instance where the code that a search would run is, to the letter, that of the base, the
  design makes no difference at all.
* A search that came to as many states by as many steps, level by level and action by action, may
  not have reached what the design changes (`ackproof.model.check`).

A design of which nobody says where it matters is checked on the instances where it makes a
difference, the smallest first, until a number of states has been spent on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ackproof.lang.model import Design, Instance, Model
from ackproof.lang.program import Program
from ackproof.model.cache import Cache
from ackproof.model.check import asked, chosen
from ackproof.model.programs import program_of

__all__ = ["BUDGETS", "Affected", "affected", "by_size", "within"]

#: States of the base that an engine spends on instances to check a design, or to judge a mutant.
BUDGETS = {"kernel": 2_000_000, "plain": 10_000}


def by_size(model: Model) -> tuple[Instance, ...]:
    """Return the instances whose size is known, smallest first; the first if there are none."""
    sized = (i for i in model.instances if i.states)
    return tuple(sorted(sized, key=lambda i: i.states or 0)) or model.instances[:1]


def within(model: Model, budget: int) -> tuple[Instance, ...]:
    """Return the instances of a model that have no more states than this together, smallest first.

    There is always one.
    """
    found: list[Instance] = []
    for instance in by_size(model):
        budget -= instance.states or 0
        if found and budget < 0:
            break
        found.append(instance)
    return tuple(found)


class Affected:
    """The instances where a program is not its base, the smallest first, as long as states last.

    The smallest is always looked at.

    Args:
        instances: where to look, the smallest first.
        budget: states of the base that the instances may have together on which it is not the base.
        differs: tells whether it is not, on an instance.

    Attributes:
        beyond: the instances that were not looked at any more; known when all others were.
    """

    def __init__(
        self, instances: Sequence[Instance], budget: int, differs: Callable[[Instance], bool]
    ) -> None:
        self._instances, self._budget, self._differs = instances, budget, differs
        self.beyond: tuple[Instance, ...] = ()

    def __iter__(self) -> Iterator[Instance]:
        left = self._budget
        for number, instance in enumerate(self._instances):
            if number and (instance.states or 0) > left:
                self.beyond = tuple(self._instances[number:])
                return
            if self._differs(instance):
                left -= instance.states or 0
                yield instance


def affected(model: Model, design: Design, budget: int, cache: Cache | None = None) -> Affected:
    """Return the instances on which a design makes a difference.

    Args:
        model: the model.
        design: the design.
        budget: as many states of the base the instances may have together.
        cache: where codes are kept.

    Raises:
        SpecError: the specification or the design is outside the language.
        BindError: while they are looked at, that one does not fit the model.
    """
    base, changed = program_of(model, None, cache), program_of(model, design, cache)

    def differs(instance: Instance) -> bool:
        own = _code(model, instance, design, changed, cache)
        return own != _code(model, instance, None, base, cache)

    return Affected(by_size(model), budget, differs)


def _code(
    model: Model, instance: Instance, design: Design | None, program: Program, cache: Cache | None
) -> str | None:
    """Return a digest of what the compiled search runs."""
    bound = chosen(model, instance, design, program=program)
    return asked(bound, "kernel", cache=cache).key
