"""A counterexample to induction in words: the state before, the step, what is false, and why.

The step is drawn as the model checker draws a run, and the false part of the goal is explained as
it explains one.  Of the state before stands only what is not as it is at first.  Last comes what to
do: correct the specification, where the checker gets there; say more, where it cannot.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ackproof.lang.binding import Bound
from ackproof.lang.data import show as show_data
from ackproof.model.explain import Explanation
from ackproof.model.lanes import Lanes
from ackproof.model.listing import legend, listing, opening, plain
from ackproof.model.show import show_value
from ackproof.model.trace import Trace
from ackproof.proofs.cti import Counterexample, Reachability

__all__ = ["show"]

_WIDTH = 100


def show(counterexample: Counterexample, width: int = _WIDTH) -> str:
    """Return a counterexample as lines of text.

    Args:
        counterexample: what to show.
        width: columns, 80 or more.
    """
    return "\n".join(line.rstrip() for line in _lines(counterexample, max(width, 80)))


def _lines(found: Counterexample, width: int) -> Iterator[str]:
    goal, trace = found.obligation.goal, found.trace
    yield f"{found.obligation.name}: {_headline(found)}"
    yield from _wrapped(_sizes(found.bound), "  ", width)
    yield ""
    yield from _before(found, width)
    if trace.steps:
        yield ""
        drawn = listing(trace, width)
        yield from plain(drawn)
        yield from _wrapped(f"({legend(drawn)})", "  ", width)
    yield ""
    yield from _wrapped(f"{goal}: {' '.join(trace.doc.split())}", "  ", width)
    if trace.explanation is not None:
        yield from _explained(trace.explanation, "  ", width)
    yield ""
    yield from _advice(found, width)


def _headline(found: Counterexample) -> str:
    kind = found.obligation.kind
    if kind == "initiation":
        several = any(v.anything for v in found.bound.program.variables)
        return f"it is false in {'an' if several else 'the'} initial state"
    if not found.obligation.action:
        return "it does not follow"
    return "a step after which it is false" if kind == "consecution" else "a step that breaks it"


def _sizes(bound: Bound) -> str:
    """Return the sizes, and the constants that are not as they usually are."""
    parts = [f"{sort.__name__} {size}" for sort, size in bound.instance.sizes.items()]
    given = [f"{name} = {_constant(value)}" for name, value in bound.instance.constants.items()]
    return "; ".join(["sizes: " + ", ".join(parts), *given])


def _constant(value: object) -> str:
    if isinstance(value, dict):
        members = (f"{show_data(key)}: {show_data(one)}" for key, one in value.items())
        return "{" + ", ".join(members) + "}"
    return show_data(value)


def _before(found: Counterexample, width: int) -> Iterator[str]:
    """Yield what is not as it is at first in the state before the step."""
    if found.obligation.kind == "initiation":
        if found.trace.beginning:
            yield from _wrapped(opening(found.trace), "  ", width)
        return
    held = ", ".join(found.obligation.hypotheses)
    first = found.bound.first()
    names, rows = Lanes(found.bound), []
    for loc, was, now in zip(found.bound.locations, first, found.before, strict=False):
        if was != now:
            rows.append(f"{names.name(loc)} = {show_value(now, loc.variable.type)}")
    where = "in a state like the initial one, but for" if rows else "in the initial state"
    yield from _wrapped(f"{where}:" if rows else where, "  ", width)
    for row in rows:
        yield from _wrapped(row, "    ", width)
    if held:
        yield from _wrapped(f"where these hold: {held}", "  ", width)


def _explained(found: Explanation, indent: str, width: int) -> Iterator[str]:
    must = "is True and must not be" if found.truth else "is False"
    yield from _wrapped(f"{found.text}   {must}", indent, width)
    rows = [("for", f"{name} = {value}") for name, value in found.where]
    rows += [("given", text) for text in found.given]
    rows += [("where", f"{text} = {value}") for text, value in found.parts]
    said = ""
    for word, text in rows:
        yield from _wrapped(f"{word if word != said else '':<6} {text}", f"{indent}  ", width)
        said = word
    for case in found.cases:
        yield f"{indent}  not for {', '.join(f'{n} = {v}' for n, v in case.where)}:"
        yield from _explained(case, indent + "    ", width)


def _advice(found: Counterexample, width: int) -> Iterator[str]:
    answer = found.reached.answer
    if answer is Reachability.REACHABLE:
        yield from _reachable(found, width)
        return
    sizes = _short(found.bound) or "no elements"
    where = f"{sizes} (every fault at most once, {found.reached.states:,} states)"
    if answer is Reachability.UNREACHABLE:
        said = (
            f"Unreachable within {where}: the invariant is too weak.  Say in a lemma why no run "
            "comes to this state."
        )
    else:
        said = f"Whether a run comes to this state is {found.reached.why}."
    yield from _wrapped(said, "  ", width)


def _reachable(found: Counterexample, width: int) -> Iterator[str]:
    trace = found.reached.trace
    assert trace is not None
    wrong = "the property is wrong, or the specification"
    if not trace.steps:
        yield from _wrapped(f"It is false at the beginning: {wrong}.", "  ", width)
        return
    yield from _wrapped(f"Reachable: {wrong}.  The run:", "  ", width)
    yield ""
    yield from plain(listing(trace, width))
    yield ""
    yield from _false(trace, width)


def _false(trace: Trace, width: int) -> Iterator[str]:
    if trace.explanation is not None:
        yield from _explained(trace.explanation, "  ", width)
    elif trace.reason:
        yield from _wrapped(trace.reason, "  ", width)


def _short(bound: Bound) -> str:
    return ", ".join(f"{s.__name__} {n}" for s, n in bound.instance.sizes.items() if n)


def _wrapped(text: str, indent: str, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_on_hyphens=False,
        break_long_words=False,
    )
