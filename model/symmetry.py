"""Symmetry: sorts of which no element is told apart from another.

Where a program treats all elements of a sort alike, a state and the same state under other names
lead to the same, under other names.  So it is enough to look at one of them: states are *folded*,
and a search counts them up to a renaming (Ip and Dill, "Better verification through symmetry",
1996).  Of a property of states or steps that treats all elements alike, too, it finds the same.
Properties of runs are not judged then: a run that goes round among folded states need not come
back to where it was, and what must happen for one element may happen for another.

Most of that is in the language.  An unordered sort has nothing but equality, no element of a sort
can be written down, and the iterations of a loop do not depend on their order.  What is left to
tell elements apart is looked for here: an order that an action or a property asks for, elements
that belong to one of another sort, the constants of an instance, and what keeps its initial value
for ever.  With which values a run starts does not matter, nor what an instance switches off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ackproof.lang import ir
from ackproof.lang.binding import Bound
from ackproof.lang.errors import BindError
from ackproof.lang.ir import Node
from ackproof.lang.types import MapT, RecordT, SetT, SortT, Type
from ackproof.model.limits import MOST_RENAMINGS
from ackproof.model.lower.canonical import is_steady
from ackproof.model.lower.codec import Codec
from ackproof.model.lower.columns import Columns
from ackproof.model.lower.fixed import Fixed, fixed
from ackproof.model.lower.leaves import Leaves
from ackproof.model.lower.ops import Emitter
from ackproof.model.renaming import count_renamings, mentions, neighbours, renamed
from ackproof.model.widths import refuse_wide_types

__all__ = ["folded", "told_apart"]


def folded(bound: Bound) -> Bound:
    """Return a bound program whose states are searched up to the names of elements.

    Raises:
        BindError: every sort with several elements tells them apart; or a state does not fit.
    """
    found = told_apart(bound)
    sorts = tuple(name for name, why in found.items() if why is None)
    if not sorts:
        reasons = "; ".join(f"of {name}, {why}" for name, why in found.items())
        raise BindError(
            f"instance {bound.instance.name}: there is nothing to fold; "
            f"{reasons or 'no sort in the state has several elements'}; leave symmetry out"
        )
    return replace(bound, folded=sorts)


def told_apart(bound: Bound) -> dict[str, str | None]:
    """Return for each sort in the state with several elements what tells them apart, if anything.

    Raises:
        BindError: a type of this instance does not fit.
    """
    refuse_wide_types(bound)
    off = fixed(bound)
    leaves = Leaves(bound, Codec(bound.elements, Emitter()))
    asked = {name: why for node in _nodes(bound, off) for name, why in _ordered(node)}
    found: dict[str, str | None] = {}
    for sort in _in_states(bound):
        found[sort.name] = (
            _owned(bound, sort)
            or asked.get(sort.name)
            or _by_constant(bound, sort.name)
            or (None if is_steady(leaves, sort.name, off.leaves) else _UNSTEADY)
        )
    return found | dict(_too_many(leaves, tuple(n for n, why in found.items() if why is None)))


#: What keeps its value has another one for each element.
_UNSTEADY = "something that never changes is not the same for each"


def _in_states(bound: Bound) -> Iterator[SortT]:
    """Yield the sorts with several elements that a state speaks of."""
    for sort in bound.program.sorts:
        types = (t for loc in bound.locations for t in (loc.variable.type, *loc.variable.families))
        if len(bound.elements[sort.name]) > 1 and any(mentions(t, {sort.name}) for t in types):
            yield sort


def _owned(bound: Bound, sort: SortT) -> str | None:
    if sort.owner is not None:
        return f"they belong to elements of {sort.owner.name}, in order"
    owned = next((s for s in bound.program.sorts if s.owner == sort), None)
    return f"those of {owned.name} belong to them, in order" if owned else None


def _by_constant(bound: Bound, sort: str) -> str | None:
    """Return a constant that has another value under other names, if there is one."""
    for renaming in neighbours(bound.elements, sort):
        for v in (v for v in bound.program.variables if v.const):
            for (name, members), value in bound.constants.items():
                if name != v.name:
                    continue
                goes = tuple(
                    renamed(one, family, renaming, bound.elements)
                    for one, family in zip(members, v.families, strict=True)
                )
                if bound.constants[name, goes] != renamed(value, v.type, renaming, bound.elements):
                    return f"the constant {v.owner}.{v.path[-1]} tells them apart"
    return None


def _too_many(leaves: Leaves, sorts: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the sorts of which there are too many names to try, the largest first."""
    columns = Columns(leaves, sorts)
    tangled = [sort for sort in sorts if sort in columns.tangled]
    kept = set(tangled)
    for sort in sorted(tangled, key=columns.size, reverse=True):
        if count_renamings(leaves.bound.elements, kept) > MOST_RENAMINGS:
            kept.discard(sort)
            yield sort, f"a state may have more than {MOST_RENAMINGS:,} names to choose from"


# -- what asks for an order ------------------------------------------------------------------------


def _nodes(bound: Bound, off: Fixed) -> Iterator[Node]:
    """Yield what is said of states and steps, but for what the instance switches off."""
    for action in bound.actions:
        if action.name not in off.dead:
            for stmt in action.body:
                yield from ir.walk(stmt)
    idle = off.off | off.vacuous
    for prop in (*bound.properties, *bound.constraints):
        if not prop.of_runs and prop.name not in idle:
            yield from ir.walk(prop.body)


def _ordered(node: Node) -> Iterator[tuple[str, str]]:
    """Yield the sort, if there is one, in which something asks for more than which are equal."""
    match node:
        case ir.Less(left=left):
            t, what = left.type, "compared"
        case ir.Extreme(set=ir.Expr(type=SetT(elem))):
            t, what = elem, "asked for the first or the last one"
        case ir.Succ(arg=arg):
            t, what = arg.type, "asked for the next one"
        case ir.First(type=t):
            what = "asked for the first one"
        case ir.Lit(type=t):
            what = "named"
        case ir.Default(type=t):
            yield from ((s, f"the first one is taken ({_place(node)})") for s in _taken(t))
            return
        case ir.For(ordered=True, binder=binder):
            t, what = binder.type, "taken in order"
        case _:
            return
    if isinstance(t, SortT):
        yield t.name, f"they are {what} ({_place(node)})"


def _place(node: Node) -> str:
    return f"{node.span.file}:{node.span.line}"


def _taken(t: Type) -> Iterator[str]:
    """Yield the sorts whose first elements are in the default of a type."""
    match t:
        case SortT(name=name):
            yield name
        case RecordT(fields=fields):
            for _, f in fields:
                yield from _taken(f)
        case MapT(_, value):
            yield from _taken(value)
