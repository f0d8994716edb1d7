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

from collections.abc import Iterator

from ackproof.lang.model import Design, Instance, Model
from ackproof.lang.program import Program
from ackproof.model.cache import Cache
from ackproof.model.check import asked, chosen
from ackproof.model.programs import program_of

__all__ = ["BUDGETS", "affected", "within"]

#: States of the base, on all instances together, that an engine looks at to check a design.
BUDGETS = {"kernel": 2_000_000, "plain": 10_000}


def within(model: Model, budget: int) -> tuple[Instance, ...]:
    """Return the instances of a model that have no more states than this together, smallest first.

    There is always one: the smallest, or the first if nobody says how large they are.
    """
    sized = sorted((i for i in model.instances if i.states), key=lambda i: i.states or 0)
    found: list[Instance] = []
    for instance in sized:
        budget -= instance.states or 0
        if found and budget < 0:
            break
        found.append(instance)
    return tuple(found) or model.instances[:1]


def affected(
    model: Model, design: Design, instances: tuple[Instance, ...], cache: Cache | None = None
) -> Iterator[Instance]:
    """Yield those of some instances on which a design makes a difference.

    Raises:
        SpecError: the specification or the design is outside the language.
        BindError: an instance does not fit the model.
    """
    programs = program_of(model, None, cache), program_of(model, design, cache)
    for instance in instances:
        base = _code(model, instance, None, programs[0], cache)
        if base != _code(model, instance, design, programs[1], cache):
            yield instance


def _code(
    model: Model, instance: Instance, design: Design | None, program: Program, cache: Cache | None
) -> str | None:
    """Return a digest of what the compiled search runs."""
    bound = chosen(model, instance, design, program=program)
    return asked(bound, "kernel", cache=cache).key
