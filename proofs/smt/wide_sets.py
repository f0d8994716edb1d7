"""Sets that are too wide: a set is held in a word, which has 64 bits.

That goes for sets of the state and for those that a step computes on the way.  What does not fit is
refused before anything is translated, since a bit beyond the last would be lost without a sound.
"""

from __future__ import annotations

from collections.abc import Iterator

from ackproof.model.lower.codec import Codec
from ackproof.spec.lang import ir
from ackproof.spec.lang.binding import Bound
from ackproof.spec.lang.errors import BindError
from ackproof.spec.lang.program import Program
from ackproof.spec.lang.types import MapT, SetT, Type

__all__ = ["refuse_wide_sets"]

_MOST = 64

#: The types of elements in the latest program that was looked at, which is often asked again.
_LATEST: list[tuple[Program, tuple[Type, ...]]] = []


def refuse_wide_sets(bound: Bound, codec: Codec) -> None:
    """Refuse an instance in which a set may have more than 64 elements.

    Raises:
        BindError: there is one.
    """
    for elem in _elements(bound.program):
        count = codec.cardinality(elem)
        if count > _MOST:
            raise BindError(
                f"instance {bound.instance.name}: a set of {elem!r} has {count:,} possible "
                f"elements, where {_MOST} can be computed with; make the sorts smaller"
            )


def _elements(program: Program) -> tuple[Type, ...]:
    """Return the types of the elements of all sets in a program."""
    if not (_LATEST and _LATEST[0][0] is program):
        _LATEST[:] = [(program, tuple(dict.fromkeys(_listed(program))))]
    return _LATEST[0][1]


def _listed(program: Program) -> Iterator[Type]:
    for v in program.variables:
        yield from _inside(v.type)
    for action in program.actions:
        for p in action.params:
            yield from _inside(p.type)
    bodies: list[ir.Node] = [stmt for action in program.actions for stmt in action.body]
    bodies += [prop.body for prop in program.properties]
    for body in bodies:
        for node in ir.walk(body):
            if isinstance(node, ir.Expr):
                yield from _inside(node.type)


def _inside(t: Type) -> Iterator[Type]:
    while isinstance(t, MapT):
        yield t.key
        t = t.value
    if isinstance(t, SetT):
        yield t.elem
